#include "report/compare/compare_cause.h"

#include "base/out.h"

#include <math.h>
#include <stdlib.h>

/* Of a difference: what accounts for it, and what a single place has of it. */
static const double MOST = 0.6, CONCENTRATED = 0.7;
/* A step that is longer than the median one by more is no usual step. */
static const double FAR = 1.5;
/* Of a window: parts that differ by less are noise. */
static const double NOISE = 0.015;
/* Of an idle cause: a wait that shifts a little is blamed on its neighbour. */
static const double IDLE_NOISES = 3;
/* Of one place: longer or shorter by less is noise. */
static const double PLACE_NOISE = 0.1;
enum {
    PAIRS_MOST = 64,   /* rows of a match that are tried against each other */
    PLACES_MOST = 512, /* calls of one operation in a step that are told apart */
    NAME_BYTES = 75
};

static const char *side_name(int side)
{
    return side ? "candidate" : "reference";
}

/* The part that `ns` is of a difference; negative if it goes the other way. */
static double part_of(int64_t ns, int64_t diff)
{
    return diff ? (double)ns / (double)diff : 0;
}

/* Most of it, and not far more, which something else would have to take back. */
static bool accounts_for(int64_t ns, int64_t diff)
{
    double part = part_of(ns, diff);
    return part >= MOST && part <= 1 / MOST;
}

static int64_t window_diff(const struct comparison *c)
{
    return c->window_ns[1] - c->window_ns[0];
}

static int64_t length_of(const struct step_span *s)
{
    return s->end_ns - s->start_ns;
}

static int by_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t median_ns(struct arena tmp, const struct step_span *spans, int n)
{
    int64_t *v = arena_new(&tmp, int64_t, n);
    for (int k = 0; k < n; k++)
        v[k] = length_of(&spans[k]);
    qsort(v, (size_t)n, sizeof *v, by_ns);
    return v[n / 2];
}

static const struct capture_step *step_of(const struct capture *c,
                                          const struct step_span *span)
{
    for (int k = 0; k < c->n_steps; k++)
        if (c->steps[k].start_ns == span->start_ns)
            return &c->steps[k];
    return NULL;
}

/* The first name of the trace in a sentence: "`forward` (model.py:12)". */
static struct str name_in(struct str sentence)
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

/* The finding about idle time that one side has, and the other not or less of. */
static const struct finding *idle_finding(const struct comparison *c, int side,
                                          double least_ms)
{
    const struct capture *of = c->of[side];
    const struct finding *most = NULL;
    double best = least_ms;
    for (int k = 0; k < of->n_findings; k++) {
        const struct finding *f = &of->findings[k];
        double more = f->time_ms - time_of(c->of[!side], f->id);
        if (f->category != WORK_CPU_IDLE || !(more >= best))
            continue;
        best = more;
        most = f;
    }
    return most;
}

/* Of a finding's id: "cpu_idle.host_loader.op.bound". */
static struct str pattern_of(const struct finding *f)
{
    struct str rest = f->id;
    str_take(&rest, S("."));
    return str_take(&rest, S("."));
}

/* What the GPU waits for, as the finding of analyze has it; of an older capture, which
 * has no sentence, what to do about it. */
static struct str waits_for(struct arena *perm, const struct finding *f)
{
    struct str name = name_in(f->issue), pattern = pattern_of(f);
    if (!name.n && !str_among(pattern, "host_bound host_bound_optimizer"))
        return str_printf(perm, " (what would help: %.*s)", STRF(f->title));
    if (str_among(pattern, "host_loader host_batch host_no_input host_input"))
        return str_printf(perm, " for its input (%.*s)", STRF(name));
    if (str_among(pattern, "host_sync host_flatten"))
        return str_printf(perm, " because the host waits for it in %.*s", STRF(name));
    if (str_among(pattern, "host_bound host_bound_optimizer host_dispatch "
                           "host_optimizer host_unseen"))
        return S(" for the next launch");
    if (str_among(pattern, "queued_start start_latency hidden_work unlinked_start"))
        return S(" between kernels");
    return str_printf(perm, " while the host runs %.*s", STRF(name));
}

/* "each step waits 3.876 ms more for its input (`__next__`)" */
static struct str of_idle(struct arena *perm, const struct comparison *c)
{
    int64_t diff = c->idle_ns[1] - c->idle_ns[0];
    if (!accounts_for(diff, window_diff(c)))
        return S("");
    int side = diff > 0;
    const struct finding *f = idle_finding(c, side, fabs((double)diff) / 1e6 / 2);
    const char *who = c->selection.n_steps ? "in each step the GPU" : "the GPU";
    const char *more = diff > 0 ? "more" : "less";
    double ms = fabs(compare_ms(c, diff));
    if (f)
        return str_printf(perm, "%s waits %.3f ms %s%.*s", who, ms, more,
                          STRF(waits_for(perm, f)));
    for (int k = 0; k < c->n_bars; k++) {
        const struct compared_bar *b = &c->bars[k];
        if (b->kind == BAR_IDLE && part_of(b->ns[1] - b->ns[0], diff) >= MOST &&
            str_starts(b->name, S("idle: ")))
            return str_printf(perm, "%s is idle for %.3f ms %s, most of it: %.*s", who,
                              ms, more, STRF(str_skip(b->name, 6)));
    }
    return str_printf(perm, "%s is idle for %.3f ms %s", who, ms, more);
}

/* Of the step, the part that is longest beyond the median of that part. */
static int part_beyond(const struct comparison *c, int side,
                       const struct capture_step *step, int64_t *beyond_ns)
{
    int best = 0;
    *beyond_ns = INT64_MIN;
    for (int part = 0; part < CAPTURE_PARTS; part++) {
        int64_t sum = 0;
        int n = 0;
        for (int k = 0; k < c->of[side]->n_steps; k++)
            if (c->of[side]->steps[k].steady && &c->of[side]->steps[k] != step) {
                sum += c->of[side]->steps[k].parts_ns[part];
                n++;
            }
        int64_t more = step->parts_ns[part] - (n ? sum / n : 0);
        if (more > *beyond_ns) {
            *beyond_ns = more;
            best = part;
        }
    }
    return best;
}

/* What the step did beyond the others. */
static struct str what_it_did(struct arena *perm, const struct comparison *c, int side,
                              const struct capture_step *step)
{
    int64_t ns;
    int part = part_beyond(c, side, step, &ns);
    if (ns <= 0)
        return S("");
    if (part == CAPTURE_PARTS - 1) {
        const struct finding *f = idle_finding(c, side, (double)ns / 1e6 / 2);
        return str_printf(perm, ", in which the GPU waits%.*s",
                          STRF(f ? waits_for(perm, f) : S("")));
    }
    struct str name = part < WORK_CATEGORIES
                          ? work_category_display((enum work_category)part)
                      : part == WORK_CATEGORIES ? S("communication that nothing hides")
                                                : S("copies that nothing hides");
    return str_printf(perm, ", %.3f ms of it %.*s", (double)ns / 1e6, STRF(name));
}

/* One step, or one in four at most, that is far from the others. */
static struct str of_outlier(struct arena *perm, const struct comparison *c)
{
    const struct selection *s = &c->selection;
    for (int side = 0; side < 2 && s->n_spans[0] >= 4 && s->n_spans[1] >= 4; side++) {
        const struct step_span *most = NULL;
        int64_t usual = median_ns(*perm, s->spans[side], s->n_spans[side]), far = 0;
        int n = 0;
        for (int k = 0; k < s->n_spans[side]; k++) {
            const struct step_span *span = &s->spans[side][k];
            if ((double)length_of(span) < FAR * (double)usual)
                continue;
            far += length_of(span) - usual;
            n++;
            if (!most || length_of(span) > length_of(most))
                most = span;
        }
        if (!n || 4 * n > s->n_spans[side] + 3 ||
            !accounts_for(side ? far : -far, window_diff(c)))
            continue;
        const struct capture_step *step = step_of(c->of[side], most);
        if (!step)
            continue;
        return str_printf(
            perm, "step %lld of the %s takes %.3f ms, %.3f ms more than its median%.*s",
            (long long)step->number, side_name(side), (double)length_of(most) / 1e6,
            (double)(length_of(most) - usual) / 1e6,
            STRF(what_it_did(perm, c, side, step)));
    }
    return S("");
}

/* Communication or copies that nothing hides. */
static struct str of_exposed(struct arena *perm, const struct comparison *c)
{
    int64_t comm[2] = {0, 0};
    for (int32_t i = 0; i < c->n_rows; i++)
        for (int side = 0; side < 2; side++)
            if (c->rows[i].of[side] && c->rows[i].of[side]->part == DEVICE_COMM)
                comm[side] += c->rows[i].match->ns[side];
    for (int k = 0; k < c->n_bars; k++) {
        const struct compared_bar *b = &c->bars[k];
        int64_t diff = b->ns[1] - b->ns[0];
        if ((b->kind != BAR_COMM && b->kind != BAR_COPY) ||
            !accounts_for(diff, window_diff(c)))
            continue;
        bool same = b->kind == BAR_COMM && comm[0] > 0 &&
                    fabs(part_of(comm[1] - comm[0], diff)) < 1 - MOST;
        return str_printf(perm, "computation hides %.3f ms %s of the %s%s",
                          fabs(compare_ms(c, diff)), diff > 0 ? "less" : "more",
                          b->kind == BAR_COMM ? "communication" : "copies",
                          same ? ", which takes as long as before" : "");
    }
    return S("");
}

/* "`aten::addmm` on ((8192,), (2048, 2048))" */
static struct str row_name(struct arena *perm, const struct compared_row *row)
{
    const struct match *m = row->match;
    struct str name = str_head(m->name[!m->name[0].n], NAME_BYTES);
    const struct capture_row *of = row->of[1] ? row->of[1] : row->of[0];
    if (!of || !of->dims.n || m->level > MATCH_DIMS)
        return str_printf(perm, "`%.*s`", STRF(name));
    return str_printf(perm, "`%.*s` on %.*s%s", STRF(name),
                      STRF(str_head(of->dims, NAME_BYTES)),
                      of->dims.n > NAME_BYTES ? "..." : "");
}

static bool is_of(const struct match *m, int side, int32_t row)
{
    for (int32_t k = 0; k < m->n_rows[side]; k++)
        if (m->rows[side][k] == row)
            return true;
    return false;
}

/* Of the calls of a match in each step, the time of each by its place among them: 1st,
 * 2nd. Returns how many places there are; 0: steps have not the same number. */
static int time_by_place(const struct comparison *c, const struct match *m, int side,
                         int64_t ns[PLACES_MOST])
{
    const struct capture *of = c->of[side];
    int places = 0, k = 0;
    int32_t at = 0;
    for (int s = 0; s < c->selection.n_spans[side]; s++) {
        const struct step_span *span = &c->selection.spans[side][s];
        for (k = 0; at < of->n_events && of->events[at].start_ns < span->end_ns; at++) {
            const struct capture_event *e = &of->events[at];
            if (e->start_ns < span->start_ns || !is_of(m, side, e->row))
                continue;
            k += e->begins;
            if (k > PLACES_MOST)
                return 0;
            if (k)
                ns[k - 1] += e->end_ns - e->start_ns;
        }
        if (s && k != places)
            return 0;
        places = k;
    }
    return places;
}

/* "call 6 of 12 in a step of `aten::addmm` on ... takes 30.0% longer": what one layer
 * does, as rows are of all layers. */
static struct str of_place(struct arena *perm, const struct comparison *c)
{
    int64_t ns[2][PLACES_MOST] = {0};
    const struct compared_row *row = c->n_rows ? &c->rows[0] : NULL;
    if (!row || !c->selection.n_steps || row->match->level > MATCH_TYPES ||
        !accounts_for(row->speed_ns, window_diff(c)))
        return S("");
    int n = time_by_place(c, row->match, 0, ns[0]);
    if (n < 2 || time_by_place(c, row->match, 1, ns[1]) != n)
        return S("");
    for (int k = 0; k < n; k++) {
        double ratio = (double)ns[1][k] / (double)ns[0][k];
        if (part_of(ns[1][k] - ns[0][k], row->speed_ns) >= CONCENTRATED &&
            fabs(ratio - 1) >= PLACE_NOISE)
            return str_printf(perm, "call %d of %d in a step of %.*s takes %.1f%% %s",
                              k + 1, n, STRF(row_name(perm, row)),
                              100 * fabs(ratio - 1),
                              ratio > 1 ? "longer" : "less time");
    }
    return S("");
}

/* "`aten::addmm` takes 30.3% longer per call" */
static struct str of_row(struct arena *perm, const struct comparison *c)
{
    if (!c->n_rows)
        return S("");
    const struct compared_row *row = &c->rows[0];
    const struct match *m = row->match;
    int64_t diff = m->ns[1] - m->ns[0];
    bool both = m->n[0] > 0 && m->n[1] > 0;
    if (!accounts_for(diff, window_diff(c)))
        return S("");
    struct str name = row_name(perm, row);
    double ms = fabs(compare_ms(c, diff));
    const char *more = diff > 0 ? "more" : "less";
    if (!both)
        return str_printf(perm, "%.*s is only in the %s: %.3f ms", STRF(name),
                          side_name(m->n[1] > 0), ms);
    if (match_is_recast(m))
        return str_printf(perm,
                          "%.*s is implemented differently, with %lld kernels in "
                          "place of %lld: %.3f ms %s",
                          STRF(name), (long long)m->n_events[1],
                          (long long)m->n_events[0], ms, more);
    double per_call =
        (double)m->ns[1] / (double)m->n[1] / ((double)m->ns[0] / (double)m->n[0]);
    if (part_of(row->count_ns, diff) >= MOST)
        return str_printf(perm, "%.*s is called %lld times in place of %lld",
                          STRF(name), (long long)m->n[1], (long long)m->n[0]);
    return str_printf(perm, "%.*s takes %.1f%% %s per call", STRF(name),
                      100 * fabs(per_call - 1), per_call > 1 ? "longer" : "less time");
}

/* "GEMM takes 9.9% longer for the same calls" */
static struct str of_class(struct arena *perm, const struct comparison *c)
{
    for (int k = 0; k < c->n_bars && !parity_is_other_work(c->parity); k++) {
        const struct compared_bar *b = &c->bars[k];
        if (b->kind != BAR_CLASS || b->kernel_ns[0] <= 0 ||
            !accounts_for(b->speed_ns, window_diff(c)))
            continue;
        return str_printf(perm, "%.*s takes %.1f%% %s for the same calls",
                          STRF(b->name),
                          100 * fabs((double)b->speed_ns) / (double)b->kernel_ns[0],
                          b->speed_ns > 0 ? "longer" : "less time");
    }
    return S("");
}

/* Two operations, or two classes of kernels, that outweigh each other. */
static struct str of_exchange(struct arena *perm, const struct comparison *c)
{
    double most = NOISE * (double)c->window_ns[0];
    int64_t diff[2] = {0, 0};
    struct str name[2];
    for (int32_t k = 0; k < c->n_rows; k++) {
        const struct match *m = c->rows[k].match;
        int64_t d = m->ns[1] - m->ns[0];
        if (fabs((double)d) >= most && !diff[d > 0]) {
            diff[d > 0] = d;
            name[d > 0] = row_name(perm, &c->rows[k]);
        }
    }
    if (!diff[0] || !diff[1] || fabs((double)window_diff(c)) > most)
        return S("");
    return str_printf(perm, "%.*s takes %.3f ms less and %.*s %.3f ms more",
                      STRF(name[0]), -compare_ms(c, diff[0]), STRF(name[1]),
                      compare_ms(c, diff[1]));
}

static struct str of_pace(struct arena *perm, const struct comparison *c)
{
    if (!c->drift.found)
        return S("");
    return str_printf(
        perm,
        "all kernels take %.1f%% %s: clock, power or temperature of the GPU, "
        "not the program",
        100 * fabs(c->drift.factor - 1), c->drift.factor > 1 ? "longer" : "less time");
}

bool compare_is_noise(const struct comparison *c)
{
    double most = NOISE * (double)c->window_ns[0];
    bool noise = fabs((double)window_diff(c)) < most && !c->drift.found &&
                 !parity_is_other_work(c->parity);
    for (int k = 0; k < c->n_bars; k++) {
        const struct compared_bar *b = &c->bars[k];
        double limit = (b->kind == BAR_IDLE ? IDLE_NOISES : 1) * most;
        noise &= fabs((double)(b->ns[1] - b->ns[0])) < limit;
    }
    for (int32_t k = 0; k < c->n_rows; k++)
        noise &=
            fabs((double)(c->rows[k].match->ns[1] - c->rows[k].match->ns[0])) < most;
    return noise && !verdict_is_difference(c->device.verdict);
}

struct str compare_cause(struct arena *perm, const struct comparison *c)
{
    static struct str (*const kinds[])(struct arena *, const struct comparison *) = {
        of_outlier, of_pace, of_idle, of_exposed, of_exchange, of_row, of_class};
    struct str cause = of_place(perm, c);
    if (cause.n || compare_is_noise(c))
        return cause;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !cause.n; k++)
        cause = kinds[k](perm, c);
    return cause;
}

static bool replays(const struct capture *c)
{
    for (int32_t k = 0; k < c->n_rows; k++)
        if (c->rows[k].replayed)
            return true;
    return false;
}

static const char *type_word(struct str types)
{
    static const struct {
        struct str has;
        const char *word;
    } words[] = {{S_INIT("Float8"), "fp8"}, {S_INIT("BFloat16"), "bf16"},
                 {S_INIT("Half"), "fp16"},  {S_INIT("double"), "fp64"},
                 {S_INIT("float"), "fp32"}, {S_INIT("signed char"), "int8"}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (str_has(types, words[k].has))
            return words[k].word;
    return NULL;
}

/* The match of a level with most time. */
static const struct compared_row *longest_of(const struct comparison *c,
                                             enum match_level level)
{
    const struct compared_row *most = NULL;
    for (int32_t k = 0; k < c->n_rows; k++)
        if (c->rows[k].match->level == level && c->rows[k].of[0] && c->rows[k].of[1] &&
            (!most || c->rows[k].match->ns[0] > most->match->ns[0]))
            most = &c->rows[k];
    return most;
}

static bool has_half(const struct comparison *c, enum match_level level)
{
    return 2 * c->level_ns[level][0] >= c->device_ns[0] &&
           2 * c->level_ns[level][1] >= c->device_ns[1];
}

static struct str other_types(struct arena *perm, const struct comparison *c)
{
    const struct compared_row *row = longest_of(c, MATCH_DIMS);
    if (!row || !has_half(c, MATCH_DIMS))
        return S("");
    const char *word[2] = {type_word(row->of[0]->types), type_word(row->of[1]->types)};
    return word[0] && word[1] && word[0] != word[1]
               ? str_printf(perm, "the candidate computes in %s, the reference in %s",
                            word[1], word[0])
               : S("");
}

/* The next whole number of a text; false: there is none. */
static bool next_number(struct str *rest, int64_t *value)
{
    while (rest->n && (rest->p[0] < '0' || rest->p[0] > '9'))
        *rest = str_skip(*rest, 1);
    ptrdiff_t n = 0;
    while (n < rest->n && rest->p[n] >= '0' && rest->p[n] <= '9')
        n++;
    struct str digits = str_head(*rest, n);
    *rest = str_skip(*rest, n);
    return n > 0 && str_int(digits, value);
}

/* How many sizes differ, and the first that does; a large number if the arguments are
 * of other kinds. */
static int sizes_differ(struct str a, struct str b, int64_t first[2])
{
    enum { OTHER = 1000 };
    int n = 0;
    for (bool more = true; more;) {
        int64_t x, y;
        more = next_number(&a, &x);
        if (next_number(&b, &y) != more)
            return OTHER;
        if (!more || x == y)
            continue;
        if (!n++) {
            first[0] = x;
            first[1] = y;
        }
    }
    return n;
}

/* The size that differs between the calls of the longest operation that are most alike.
 */
static struct str other_sizes(struct arena *perm, const struct comparison *c)
{
    const struct compared_row *row = longest_of(c, MATCH_NAME);
    if (!row || !has_half(c, MATCH_NAME))
        return S("");
    const struct match *m = row->match;
    int least = 100;
    int64_t at[2], size[2] = {0, 0};
    for (int32_t k = 0; k < m->n_rows[0] && k < PAIRS_MOST; k++)
        for (int32_t i = 0; i < m->n_rows[1] && i < PAIRS_MOST; i++) {
            int n = sizes_differ(c->of[0]->rows[m->rows[0][k]].dims,
                                 c->of[1]->rows[m->rows[1][i]].dims, at);
            if (n < 1 || n >= least)
                continue;
            least = n;
            size[0] = at[0];
            size[1] = at[1];
        }
    if (least == 100)
        return S("");
    return str_printf(perm,
                      "another batch size, length or width: `%.*s` has a size of %lld, "
                      "in the reference %lld",
                      STRF(str_head(m->name[1], NAME_BYTES)), (long long)size[1],
                      (long long)size[0]);
}

/* 13 calls of each operation of a block in a step, where the reference has 12. */
static struct str other_blocks(struct arena *perm, const struct comparison *c)
{
    int64_t n[2] = {0, 0}, ns = 0, steps = c->selection.n_steps;
    for (int32_t k = 0; k < c->n_rows && steps; k++) {
        const struct match *m = c->rows[k].match;
        if (m->level > MATCH_TYPES || m->n[0] == m->n[1])
            continue;
        if (!n[0]) {
            n[0] = m->n[0];
            n[1] = m->n[1];
        }
        if (m->n[0] * n[1] != m->n[1] * n[0])
            return S("");
        ns += m->ns[0];
    }
    int64_t a = n[0], b = n[1];
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    if (!a || 2 * ns < c->device_ns[0])
        return S("");
    return str_printf(perm,
                      "the candidate runs the same block %lld times where the "
                      "reference runs it %lld times",
                      (long long)(n[1] / a), (long long)(n[0] / a));
}

/* Attention as one kernel on one side alone. */
static struct str other_attention(struct arena *perm, const struct comparison *c)
{
    for (int k = 0; k < c->n_bars; k++) {
        const struct compared_bar *b = &c->bars[k];
        if (b->kind == BAR_CLASS && b->category == WORK_SDPA_FWD &&
            b->ns[0] != b->ns[1] && (!b->ns[0] || !b->ns[1]))
            return str_printf(perm,
                              "attention is one fused call in the %s and several "
                              "kernels in the %s",
                              side_name(b->ns[1] > 0), side_name(b->ns[1] == 0));
    }
    return S("");
}

struct str compare_setup_cause(struct arena *perm, const struct comparison *c)
{
    static struct str (*const kinds[])(struct arena *, const struct comparison *) = {
        other_types, other_sizes, other_blocks, other_attention};
    bool graphs[2] = {replays(c->of[0]), replays(c->of[1])};
    struct str cause = S("");
    if (graphs[0] != graphs[1])
        return str_printf(perm,
                          "the %s replays GPU graphs, the %s launches each kernel",
                          side_name(graphs[1]), side_name(!graphs[1]));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !cause.n; k++)
        cause = kinds[k](perm, c);
    return cause;
}
