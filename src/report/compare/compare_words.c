#include "report/compare/compare_words.h"
#include "compare/parity.h"

#include "base/sort.h"
#include "report/compare/compare_side.h"
#include "report/compare/compare_tables.h"

#include <math.h>

enum { NAME_BYTES = 75 };

bool compare_accounts(int64_t ns, int64_t diff)
{
    double part = diff ? (double)ns / (double)diff : 0;
    return part >= COMPARE_MOST && part <= 1 / COMPARE_MOST;
}

int64_t compare_diff_ns(const struct comparison *c)
{
    return c->window_ns[1] - c->window_ns[0];
}

/* The first name of the trace in a sentence: "`forward` (model.py:12)". */
struct str compare_name_in(struct str sentence)
{
    struct str rest = sentence, mark = S("`");
    struct str before = str_take(&rest, mark), name = str_take(&rest, mark);
    if (!name.n)
        return S("");
    ptrdiff_t n = name.n + 2;
    struct str all = str_skip(sentence, before.n);
    if (str_starts(str_skip(all, n), S(" (")))
        n += str_find(str_skip(all, n), S(")")) + 1;
    return str_head(all, n);
}

static double time_of(const struct capture *c, struct str id)
{
    for (int k = 0; k < c->n_findings; k++)
        if (str_eq(c->findings[k].id, id))
            return c->findings[k].time_ms;
    return 0;
}

/* The largest of some patterns that one side has, and the other not or less of. */
static const struct finding *grown(const struct comparison *c, int side,
                                   double least_ms, const char *patterns)
{
    const struct capture *of = c->of[side];
    const struct finding *most = NULL;
    double best = least_ms;
    for (int k = 0; k < of->n_findings; k++) {
        const struct finding *f = &of->findings[k];
        double more = f->time_ms - time_of(c->of[!side], f->id);
        if (f->category != WORK_CPU_IDLE || !(more >= best) ||
            (patterns && !str_among(compare_pattern_of(f), patterns)))
            continue;
        best = more;
        most = f;
    }
    return most;
}

/* The finding about idle time that one side has, and the other not or less of. A wait
 * that is no more often than before shows what follows it: before a loader that takes
 * longer, it is that. */
const struct finding *compare_idle_finding(const struct comparison *c, int side,
                                           double least_ms)
{
    static const double PART = 0.5; /* of what counts as most of it */
    const struct finding *most = grown(c, side, least_ms, NULL);
    if (!most || !str_among(compare_pattern_of(most), "host_sync host_flatten") ||
        compare_more_reads(c, side))
        return most;
    const struct finding *loader = grown(c, side, PART * least_ms, "host_loader");
    return loader ? loader : most;
}

/* Of a finding's id: "cpu_idle.host_loader.op.bound". */
struct str compare_pattern_of(const struct finding *f)
{
    struct str rest = f->id;
    str_take(&rest, S("."));
    return str_take(&rest, S("."));
}

static bool is_read(const struct capture_row *row)
{
    return row && row->part == DEVICE_COPY &&
           str_among(row->name, "aten::_local_scalar_dense aten::item aten::nonzero "
                                "aten::is_nonzero aten::equal");
}

const struct match *compare_more_reads(const struct comparison *c, int side)
{
    for (int32_t k = 0; k < c->n_rows; k++) {
        const struct match *m = c->rows[k].match;
        if (m->n[side] > m->n[!side] && is_read(c->rows[k].of[side]))
            return m;
    }
    return NULL;
}

bool compare_reads_alike(const struct comparison *c)
{
    bool any = false;
    for (int32_t k = 0; k < c->n_rows; k++) {
        bool reads[2] = {is_read(c->rows[k].of[0]), is_read(c->rows[k].of[1])};
        any |= reads[0];
        if (reads[0] != reads[1] ||
            (reads[0] && c->rows[k].match->n[0] != c->rows[k].match->n[1]))
            return false;
    }
    return any;
}

/* As the findings name it where they tell its place: "Defer the wait in item()
 * (forward, model.py:9): it keeps the host from running ahead". */
struct str compare_read_name(struct arena *perm, const struct comparison *c, int side,
                             const struct match *m)
{
    struct str mark = S("he wait in ");
    for (int k = 0; k < c->of[side]->n_findings; k++) {
        struct str rest = c->of[side]->findings[k].title;
        ptrdiff_t at = str_find(rest, mark);
        if (at < 0)
            continue;
        rest = str_skip(rest, at + mark.n);
        struct str all = str_head(rest, str_find(rest, S("): ")) + 1);
        struct str name = str_take(&rest, S(" ("));
        if (all.n > name.n)
            return str_printf(perm, "`%.*s`%.*s", STRF(str_head(name, NAME_BYTES)),
                              STRF(str_skip(all, name.n)));
    }
    return str_among(m->name[side], "aten::_local_scalar_dense aten::item")
               ? S("`item()`")
               : str_printf(perm, "`%.*s`", STRF(str_head(m->name[side], NAME_BYTES)));
}

/* " because the host waits for it in `item()` (train.py:88), 2 times a step against 1,
 * before it runs `log` (train.py:91)" */
static struct str waits_after_read(struct arena *perm, const struct comparison *c,
                                   const struct match *m, int side, struct str then)
{
    int steps = c->selection.n_steps ? c->selection.n_steps : 1;
    return str_printf(
        perm,
        " because the host of %.*s waits for it in %.*s, %.3g times%s "
        "against %.3g%s%.*s",
        STRF(compare_side(perm, c, side)), STRF(compare_read_name(perm, c, side, m)),
        (double)m->n[side] / steps, steps > 1 ? " a step" : "",
        (double)m->n[!side] / steps, then.n ? ", before it runs " : "", STRF(then));
}

static bool calls_count(const struct compared_row *row)
{
    return row->of[0] && row->of[1] && row->of[0]->part == DEVICE_COMPUTE &&
           row->of[0]->host_ns > 0 && row->of[1]->host_ns > 0 &&
           row->of[0]->n_calls > 0 && row->of[1]->n_calls > 0;
}

double compare_host_pace(struct arena tmp, const struct comparison *c)
{
    enum { ROWS_LEAST = 3 };
    struct sort_row *by = arena_new(&tmp, struct sort_row, c->n_rows);
    double sum = 0, until = 0;
    int32_t n = 0, at = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct capture_row *const *of = c->rows[i].of;
        if (!calls_count(&c->rows[i]))
            continue;
        double call_ns[2];
        for (int side = 0; side < 2; side++)
            call_ns[side] = (double)of[side]->host_ns / (double)of[side]->n_calls;
        by[n++] = (struct sort_row){llround(1e6 * call_ns[1] / call_ns[0]), i};
        sum += (double)of[0]->host_ns;
    }
    sort_rows(tmp, by, n);
    while (at < n && until < sum / 2)
        until += (double)c->rows[by[at++].row].of[0]->host_ns;
    int steps = c->selection.n_steps, of = c->of[1]->n_steps;
    double part = steps && steps < of ? (double)steps / of : 1;
    return n >= ROWS_LEAST ? 1 + ((double)by[at - 1].key / 1e6 - 1) / part : 1;
}

/* ": its host takes 40% longer for the same calls", of the candidate, where its GPU
 * waits more (side 1); where it waits less, "29% less time". */
static struct str pace_of_host(struct arena *perm, const struct comparison *c, int side)
{
    double pace = compare_host_pace(*perm, c);
    return (side ? pace : 1 / pace) < COMPARE_SLOWER
               ? S("")
               : str_printf(perm, ": its host takes %.0f%% %s for the same calls",
                            100 * fabs(pace - 1), side ? "longer" : "less time");
}

/* Of what a GPU waits more: beyond this a part is taken back by others. */
static const double OUTWEIGHED = 1.2;

bool compare_reads_beside(const struct comparison *c, int side, const struct finding *f)
{
    static const double NEARLY_ALL = 0.8;
    double diff_ms = fabs((double)(c->idle_ns[1] - c->idle_ns[0])) / 1e6;
    return compare_more_reads(c, side) &&
           f->time_ms - time_of(c->of[!side], f->id) < NEARLY_ALL * diff_ms;
}

/* " for its input (`__next__`), and because the host of `new` waits for it in `item()`,
 * 2 times a step against 1", where both count; ", though less in `item()`, 1 times a
 * step against 2", where reads take a part back. */
static struct str waits_for_input(struct arena *perm, const struct comparison *c,
                                  int side, const struct finding *f, struct str name)
{
    const struct match *read = compare_more_reads(c, side),
                       *other = compare_more_reads(c, !side);
    struct str input = name.n ? str_printf(perm, " for its input (%.*s)", STRF(name))
                              : S(" for its input");
    if (read && compare_reads_beside(c, side, f))
        return str_printf(perm, "%.*s, and%.*s", STRF(input),
                          STRF(waits_after_read(perm, c, read, side, S(""))));
    double diff_ms = fabs((double)(c->idle_ns[1] - c->idle_ns[0])) / 1e6;
    if (!other || f->time_ms - time_of(c->of[!side], f->id) < OUTWEIGHED * diff_ms)
        return input;
    int steps = c->selection.n_steps ? c->selection.n_steps : 1;
    return str_printf(perm, "%.*s, though %s in %.*s, %.3g times%s against %.3g",
                      STRF(input), side ? "less" : "more",
                      STRF(compare_read_name(perm, c, !side, other)),
                      (double)other->n[1] / steps, steps > 1 ? " a step" : "",
                      (double)other->n[0] / steps);
}

/* What the GPU waits for, as the finding of analyze has it; of an older capture, which
 * has no sentence, what to do about it. */
struct str compare_waits_for(struct arena *perm, const struct comparison *c, int side,
                             const struct finding *f)
{
    struct str name = compare_name_in(f->issue), pattern = compare_pattern_of(f);
    const struct match *read = compare_more_reads(c, side);
    if (str_among(pattern, "host_loader host_batch host_no_input host_input"))
        return waits_for_input(perm, c, side, f, name);
    if (!name.n && !str_among(pattern, "host_bound host_bound_optimizer"))
        return str_printf(perm, " (what would help: %.*s)", STRF(f->title));
    if (str_among(pattern, "host_sync host_flatten") && compare_reads_alike(c))
        return str_printf(perm,
                          " after its host has waited for it in %.*s, as often as "
                          "before: what the host does until it launches again takes %s",
                          STRF(name), side ? "longer" : "less time");
    if (str_among(pattern, "host_sync host_flatten"))
        return read ? waits_after_read(perm, c, read, side, S(""))
                    : str_printf(perm, " because the host waits for it in %.*s",
                                 STRF(name));
    if (str_among(pattern, "host_bound host_bound_optimizer host_dispatch "
                           "host_optimizer host_unseen"))
        return read ? waits_after_read(perm, c, read, side, S(""))
                    : str_printf(perm, " for the next launch%.*s",
                                 STRF(pace_of_host(perm, c, side)));
    if (str_among(pattern, "queued_start start_latency hidden_work unlinked_start"))
        return S(" between kernels");
    return read ? waits_after_read(perm, c, read, side, name)
                : str_printf(perm, " while the host runs %.*s", STRF(name));
}

/* "`aten::addmm` in `MLP` on ((8192,), (2048, 2048))" */
struct str compare_row_name(struct arena *perm, const struct comparison *c,
                            const struct compared_row *row)
{
    const struct match *m = row->match;
    struct str name = str_head(m->name[!m->name[0].n], NAME_BYTES);
    if (m->name[0].n && m->name[1].n && !str_eq(m->name[0], m->name[1]))
        return str_printf(perm, "`%.*s` in place of `%.*s`",
                          STRF(str_head(m->name[1], NAME_BYTES)), STRF(name));
    struct str module = str_head(compared_module(c, row), NAME_BYTES);
    if (module.n)
        name = str_printf(perm, "`%.*s` in `%.*s`", STRF(name), STRF(module));
    else
        name = str_printf(perm, "`%.*s`", STRF(name));
    const struct capture_row *of = row->of[1] ? row->of[1] : row->of[0];
    if (!of || !of->dims.n || m->level > MATCH_DIMS)
        return name;
    return str_printf(perm, "%.*s on %.*s%s", STRF(name),
                      STRF(str_head(of->dims, NAME_BYTES)),
                      of->dims.n > NAME_BYTES ? "..." : "");
}

struct str compare_pace_text(struct arena *perm, const struct comparison *c)
{
    if (!c->drift.found)
        return S("");
    return str_printf(
        perm,
        "%s take %.1f%% %s: clock, power or temperature of the GPU, not the program",
        parity_is_other_work(c->parity) ? "kernels that both run" : "all kernels",
        100 * fabs(c->drift.factor - 1), c->drift.factor > 1 ? "longer" : "less time");
}
