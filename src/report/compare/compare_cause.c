#include "report/compare/compare_cause.h"

#include "analysis/model/system_results.h"
#include "compare/parity.h"
#include "report/compare/compare_layer_words.h"
#include "report/compare/compare_side.h"
#include "report/compare/compare_tables.h"
#include "report/compare/compare_words.h"

#include <math.h>
#include <stdlib.h>

/* Of a difference: what a single place has of it. */
static const double CONCENTRATED = 0.7;
/* Of a window: parts that differ by less are noise; of one capture a side, a total that
 * is made of calls of which none differs by more than the floor of rows. */
static const double NOISE = 0.015, NOISE_ONCE = 0.025;
/* Of a class of kernels, for the same calls: less is within the floor of rows. */
static const double CLASS_FLOOR = 0.03;
/* Of an idle cause: a wait that shifts a little is blamed on its neighbour. */
static const double IDLE_NOISES = 3;
/* Of one place: longer or shorter by less is noise. */
static const double PLACE_NOISE = 0.1;
/* Of a difference: a part beside the largest that is worth a word; of a window: too
 * little to be told at all. */
static const double SECOND = 0.2, TOLD_MIN = 0.005;
enum {
    PARTS_MOST = WORK_CATEGORIES + 8,
    TOLD_MOST = 3,     /* parts in a sentence */
    PLACES_MOST = 512, /* calls of one operation in a step that are told apart */
    NAME_BYTES = 75
};

/* The part that `ns` is of a difference; negative if it goes the other way. */
static double part_of(int64_t ns, int64_t diff)
{
    return diff ? (double)ns / (double)diff : 0;
}

/* "3.876 ms a step more", of a sum over all compared steps. */
static struct str of_window(struct arena *perm, const struct comparison *c, int64_t ns)
{
    return str_printf(perm, "%.3f ms%s %s", fabs(compare_ms(c, ns)),
                      c->selection.n_steps ? " a step" : "", ns < 0 ? "less" : "more");
}

/* "each step waits 3.876 ms more for its input (`__next__`)" */
static struct str of_idle(struct arena *perm, const struct comparison *c)
{
    int64_t diff = c->idle_ns[1] - c->idle_ns[0];
    int side = diff > 0;
    const struct finding *f =
        compare_idle_finding(c, side, fabs((double)diff) / 1e6 / 2);
    const char *who = c->selection.n_steps ? "in each step the GPU" : "the GPU";
    const char *more = diff > 0 ? "more" : "less";
    double ms = fabs(compare_ms(c, diff));
    if (f)
        return str_printf(perm, "%s waits %.3f ms %s%.*s", who, ms, more,
                          STRF(compare_waits_for(perm, c, side, f)));
    for (int k = 0; k < c->n_bars; k++) {
        const struct compared_bar *b = &c->bars[k];
        if (b->kind == BAR_IDLE && part_of(b->ns[1] - b->ns[0], diff) >= COMPARE_MOST &&
            str_starts(b->name, S("idle: ")))
            return str_printf(perm, "%s is idle for %.3f ms %s, most of it: %.*s", who,
                              ms, more, STRF(str_skip(b->name, 6)));
    }
    return str_printf(perm, "%s is idle for %.3f ms %s", who, ms, more);
}

const struct finding *compare_remedy(const struct comparison *c)
{
    int64_t diff = c->idle_ns[1] - c->idle_ns[0];
    return diff > 0 && part_of(diff, compare_diff_ns(c)) >= SECOND
               ? compare_idle_finding(c, 1, (double)diff / 1e6 / 2)
               : NULL;
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

/* Whether n calls of a step are one in each of n like layers: so are those of several
 * other operations, and most device time is of operations called n times or a multiple
 * of it. Modules alone know their layers: what runs backward has them in reverse. */
static bool are_layers(const struct comparison *c, const struct compared_row *row,
                       int64_t n)
{
    enum { ALIKE_LEAST = 3 };
    int64_t steps = c->selection.n_steps, ns = 0;
    int alike = 0;
    for (int32_t k = 0; k < c->n_rows; k++) {
        const struct match *m = c->rows[k].match;
        bool whole = m->n[1] > 0 && m->n[1] % (n * steps) == 0;
        alike += &c->rows[k] != row && m->n[1] == n * steps;
        ns += whole ? m->ns[1] : 0;
    }
    return compared_module(c, row).n && alike >= ALIKE_LEAST &&
           2 * ns >= c->device_ns[1];
}

/* "in layer 6 of 12 `aten::addmm` in `MLP` on ... takes 30.0% longer", or of what is
 * not once in each layer "call 6 of 12 in a step of ...": rows are of all layers. */
static struct str of_place(struct arena *perm, const struct comparison *c)
{
    int64_t ns[2][PLACES_MOST] = {0};
    const struct compared_row *row = c->n_rows ? &c->rows[0] : NULL;
    if (!row || !c->selection.n_steps || row->match->level > MATCH_TYPES ||
        !compare_accounts(row->speed_ns, compare_diff_ns(c)))
        return S("");
    int n = time_by_place(c, row->match, 0, ns[0]);
    if (n < 2 || time_by_place(c, row->match, 1, ns[1]) != n)
        return S("");
    for (int k = 0; k < n; k++) {
        double ratio = (double)ns[1][k] / (double)ns[0][k];
        if (part_of(ns[1][k] - ns[0][k], row->speed_ns) >= CONCENTRATED &&
            fabs(ratio - 1) >= PLACE_NOISE)
            return str_printf(perm, "%s %d of %d %s%.*s takes %.1f%% %s, %.*s",
                              are_layers(c, row, n) ? "in layer" : "call", k + 1, n,
                              are_layers(c, row, n) ? "" : "in a step of ",
                              STRF(compare_row_name(perm, c, row)),
                              100 * fabs(ratio - 1), ratio > 1 ? "longer" : "less time",
                              STRF(of_window(perm, c, ns[1][k] - ns[0][k])));
    }
    return S("");
}

/* ", a copy to the GPU,"; empty: no copy. */
static const char *copy_words(const struct capture_row *row)
{
    enum copy_direction way = copy_direction_of(row->kernel);
    return row->part != DEVICE_COPY ? ""
           : way == COPY_H2D        ? ", a copy to the GPU,"
           : way == COPY_D2H        ? ", a copy to the host,"
                                    : ", a copy,";
}

/* "`aten::addmm` takes 30.3% longer per call" */
static struct str of_row(struct arena *perm, const struct comparison *c,
                         const struct compared_row *row)
{
    const struct match *m = row->match;
    int64_t diff = m->ns[1] - m->ns[0];
    struct str name = compare_row_name(perm, c, row);
    double ms = fabs(compare_ms(c, diff));
    const char *more = diff > 0 ? "more" : "less";
    if (!m->n[0] || !m->n[1])
        return str_printf(perm, "%.*s%s is only in %.*s: %.3f ms%s", STRF(name),
                          copy_words(row->of[m->n[1] > 0]),
                          STRF(compare_side(perm, c, m->n[1] > 0)), ms,
                          c->selection.n_steps ? " a step" : "");
    double steps = c->selection.n_steps ? c->selection.n_steps : 1;
    const char *of_step = c->selection.n_steps ? " a step" : "";
    if (match_is_recast(m))
        return str_printf(perm,
                          "%.*s takes %.3f ms%s %s, with %.4g kernels in place of %.4g",
                          STRF(name), ms, of_step, more, (double)m->n_events[1] / steps,
                          (double)m->n_events[0] / steps);
    double per_call =
        (double)m->ns[1] / (double)m->n[1] / ((double)m->ns[0] / (double)m->n[0]);
    if (part_of(row->count_ns, diff) >= COMPARE_MOST)
        return str_printf(perm, "%.*s is called %.4g times in place of %.4g, %.*s",
                          STRF(name), (double)m->n[1] / steps, (double)m->n[0] / steps,
                          STRF(of_window(perm, c, diff)));
    return str_printf(perm, "%.*s takes %.1f%% %s per call, %.*s", STRF(name),
                      100 * fabs(per_call - 1), per_call > 1 ? "longer" : "less time",
                      STRF(of_window(perm, c, diff)));
}

/* Of communication or copies: how much of what nothing hides is as they take longer. */
static double transfers_part(const struct comparison *c, const struct compared_bar *b,
                             int64_t ns[2])
{
    enum device_part part = b->kind == BAR_COMM ? DEVICE_COMM : DEVICE_COPY;
    ns[0] = ns[1] = 0;
    for (int32_t i = 0; i < c->n_rows; i++)
        for (int side = 0; side < 2; side++)
            if (c->rows[i].of[side] && c->rows[i].of[side]->part == part)
                ns[side] += c->rows[i].match->ns[side];
    return part_of(ns[1] - ns[0], b->ns[1] - b->ns[0]);
}

/* The row of a part of the device that has most of what it takes longer. */
static const struct compared_row *row_of_part(const struct comparison *c,
                                              enum device_part part, int64_t diff)
{
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct compared_row *row = &c->rows[i];
        const struct capture_row *of = row->of[1] ? row->of[1] : row->of[0];
        if (of && of->part == part &&
            part_of(row->match->ns[1] - row->match->ns[0], diff) >= CONCENTRATED)
            return row;
    }
    return NULL;
}

/* Communication or copies that nothing hides: because they take longer, or as there is
 * less beside them. */
static struct str of_exposed(struct arena *perm, const struct comparison *c,
                             const struct compared_bar *b)
{
    bool comm = b->kind == BAR_COMM;
    const char *what = comm ? "communication" : "copies";
    int64_t ns[2], diff = b->ns[1] - b->ns[0];
    double own = transfers_part(c, b, ns);
    const struct compared_row *row =
        row_of_part(c, comm ? DEVICE_COMM : DEVICE_COPY, ns[1] - ns[0]);
    if (own >= COMPARE_MOST && row && (!row->match->n[0] || !row->match->n[1]))
        return of_row(perm, c, row);
    if (own >= COMPARE_MOST && ns[0] > 0)
        return str_printf(perm, "%s %s %.1f%% %s, and %.3f ms %s of it is not hidden",
                          what, comm ? "takes" : "take",
                          100 * fabs((double)ns[1] / (double)ns[0] - 1),
                          ns[1] > ns[0] ? "longer" : "less time",
                          fabs(compare_ms(c, diff)), diff > 0 ? "more" : "less");
    if (own >= COMPARE_MOST)
        return str_printf(perm, "%s that nothing hides take%s %.3f ms %s", what,
                          comm ? "s" : "", fabs(compare_ms(c, diff)),
                          diff > 0 ? "more" : "less");
    return str_printf(perm, "computation hides %.3f ms %s of the %s%s",
                      fabs(compare_ms(c, diff)), diff > 0 ? "less" : "more", what,
                      !(ns[0] > 0 && fabs(own) < 1 - COMPARE_MOST) ? ""
                      : comm ? ", which takes as long as before"
                             : ", which take as long as before");
}

/* One row whose kernels are of no one class. */
static struct str of_recast(struct arena *perm, const struct comparison *c)
{
    const struct compared_row *row = c->n_rows ? &c->rows[0] : NULL;
    if (!row || !match_is_recast(row->match) ||
        !compare_accounts(row->match->ns[1] - row->match->ns[0], compare_diff_ns(c)))
        return S("");
    return of_row(perm, c, row);
}

/* Two rows that have nearly all of what a class takes longer, as both products of an
 * attention; empty: more have. */
static struct str of_two_rows(struct arena *perm, const struct comparison *c,
                              const struct compared_bar *b)
{
    static const double EACH = 0.25, BOTH = 0.8;
    int64_t diff = b->ns[1] - b->ns[0], sum = 0;
    const struct compared_row *two[2];
    int n = 0;
    for (int32_t k = 0; k < c->n_rows && n < 2; k++) {
        const struct match *m = c->rows[k].match;
        if (m->category != b->category || part_of(m->ns[1] - m->ns[0], diff) < EACH)
            continue;
        two[n++] = &c->rows[k];
        sum += m->ns[1] - m->ns[0];
    }
    return n == 2 && part_of(sum, diff) >= BOTH
               ? str_printf(perm, "%.*s, and %.*s", STRF(of_row(perm, c, two[0])),
                            STRF(of_row(perm, c, two[1])))
               : S("");
}

/* "GEMM takes 9.9% longer for the same calls", or the rows that have most of it. */
static struct str of_class(struct arena *perm, const struct comparison *c,
                           const struct compared_bar *b)
{
    int64_t diff = b->ns[1] - b->ns[0];
    for (int32_t k = 0; k < c->n_rows; k++) {
        const struct match *m = c->rows[k].match;
        if (m->category == b->category &&
            part_of(m->ns[1] - m->ns[0], diff) >= CONCENTRATED)
            return of_row(perm, c, &c->rows[k]);
    }
    struct str both = of_two_rows(perm, c, b);
    if (both.n)
        return both;
    if (b->kernel_ns[0] > 0 && part_of(b->speed_ns, diff) >= COMPARE_MOST)
        return str_printf(perm, "%.*s takes %.1f%% %s for the same calls, %.*s",
                          STRF(b->name),
                          100 * fabs((double)b->speed_ns) / (double)b->kernel_ns[0],
                          b->speed_ns > 0 ? "longer" : "less time",
                          STRF(of_window(perm, c, b->speed_ns)));
    return str_printf(perm, "%.*s takes %.3f ms %s", STRF(b->name),
                      fabs(compare_ms(c, diff)), diff > 0 ? "more" : "less");
}

/* A part of the waterfall; all idle time is one, and so are all kernels where all have
 * the same pace. */
struct part {
    enum cause_kind kind;
    const struct compared_bar *bar; /* NULL: of several */
    int64_t ns;
};

static int by_size(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int64_t p = llabs(x->ns), q = llabs(y->ns);
    return (p < q) - (p > q);
}

static enum cause_kind kind_of_bar(const struct comparison *c,
                                   const struct compared_bar *b)
{
    int64_t ns[2];
    return b->kind == BAR_CLASS                       ? CAUSE_KERNELS
           : transfers_part(c, b, ns) >= COMPARE_MOST ? CAUSE_TRANSFERS
                                                      : CAUSE_EXPOSED;
}

/* Parts that go the way of the whole, largest first. Of other work its kernels tell
 * nothing. */
static int parts_that_way(const struct comparison *c, struct part parts[PARTS_MOST])
{
    int n = 1, kept = 0;
    int64_t diff = compare_diff_ns(c), pace_ns = 0;
    parts[0] = (struct part){CAUSE_IDLE, NULL, c->idle_ns[1] - c->idle_ns[0]};
    for (int k = 0; k < c->n_bars && n < PARTS_MOST - 1; k++) {
        const struct compared_bar *b = &c->bars[k];
        bool kernels = b->kind == BAR_CLASS;
        bool other = parity_is_other_work(c->parity);
        if (kernels && c->drift.found && !other)
            pace_ns += b->ns[1] - b->ns[0];
        else if (b->kind != BAR_IDLE && !(kernels && other))
            parts[n++] = (struct part){kind_of_bar(c, b), b, b->ns[1] - b->ns[0]};
    }
    parts[n++] = (struct part){CAUSE_PACE, NULL, pace_ns};
    for (int k = 0; k < n; k++)
        if (part_of(parts[k].ns, diff) >= SECOND &&
            fabs((double)parts[k].ns) > TOLD_MIN * (double)c->window_ns[0])
            parts[kept++] = parts[k];
    if (kept)
        qsort(parts, (size_t)kept, sizeof *parts, by_size);
    return kept;
}

static struct str of_part(struct arena *perm, const struct comparison *c,
                          const struct part *p)
{
    return p->kind == CAUSE_IDLE      ? of_idle(perm, c)
           : p->kind == CAUSE_KERNELS ? of_class(perm, c, p->bar)
                                      : of_exposed(perm, c, p->bar);
}

/* The parts that have most of the difference together, three at most; the pace of all
 * kernels, whose clause ends a sentence, last. */
static struct compare_cause of_parts(struct arena *perm, const struct comparison *c)
{
    struct part parts[PARTS_MOST];
    int n = parts_that_way(c, parts);
    int64_t sum = 0, diff = compare_diff_ns(c);
    struct str said = S("");
    bool pace = false;
    for (int k = 0; k < n && k < TOLD_MOST; k++) {
        if (compare_accounts(sum, diff) && !compare_accounts(sum + parts[k].ns, diff))
            break; /* what others take back */
        sum += parts[k].ns;
        pace |= parts[k].kind == CAUSE_PACE;
        if (parts[k].kind != CAUSE_PACE)
            said = str_printf(perm, "%.*s%s%.*s", STRF(said), said.n ? ", and " : "",
                              STRF(of_part(perm, c, &parts[k])));
    }
    if (!compare_accounts(sum, diff))
        return (struct compare_cause){0};
    if (pace)
        said = str_printf(perm, "%.*s%s%.*s", STRF(said), said.n ? ", and " : "",
                          STRF(compare_pace_text(perm, c)));
    return (struct compare_cause){.says = said, .kind = parts[0].kind};
}

/* Two operations that outweigh each other, or of which neither has most of a
 * difference, and both together do. */
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
            name[d > 0] = compare_row_name(perm, c, &c->rows[k]);
        }
    }
    int64_t all = compare_diff_ns(c);
    bool only_both = compare_accounts(diff[0] + diff[1], all) &&
                     !compare_accounts(diff[all > 0], all);
    if (!diff[0] || !diff[1] || (fabs((double)all) > most && !only_both))
        return S("");
    return str_printf(perm, "%.*s takes %.3f ms less and %.*s %.3f ms more",
                      STRF(name[0]), -compare_ms(c, diff[0]), STRF(name[1]),
                      compare_ms(c, diff[1]));
}

/* The same calls, each about as long: kernels of one name differ by as much between
 * two captures of a program, and their time adds up. */
static bool is_class_noise(const struct compared_bar *b, double most)
{
    return b->kind == BAR_CLASS &&
           fabs((double)(b->ns[1] - b->ns[0] - b->speed_ns)) < most &&
           fabs((double)b->speed_ns) < CLASS_FLOOR * (double)b->kernel_ns[0];
}

static bool is_row_noise(const struct compared_row *row)
{
    return row->match->n[0] == row->match->n[1] &&
           !verdict_is_difference(row->judged.verdict);
}

bool compare_is_noise(const struct comparison *c)
{
    double most = NOISE * (double)c->window_ns[0];
    bool once = c->n_captures[0] == 1 && c->n_captures[1] == 1 && !c->n_history;
    double total = (once ? NOISE_ONCE : NOISE) * (double)c->window_ns[0];
    bool noise = fabs((double)compare_diff_ns(c)) < total && !c->drift.found &&
                 !parity_is_other_work(c->parity);
    for (int k = 0; k < c->n_bars; k++) {
        const struct compared_bar *b = &c->bars[k];
        double limit = (b->kind == BAR_IDLE ? IDLE_NOISES : 1) * most;
        noise &= fabs((double)(b->ns[1] - b->ns[0])) < limit ||
                 (once && is_class_noise(b, most));
    }
    for (int32_t k = 0; k < c->n_rows; k++)
        noise &=
            fabs((double)(c->rows[k].match->ns[1] - c->rows[k].match->ns[0])) < most ||
            (once && is_row_noise(&c->rows[k]));
    return noise && (once || !verdict_is_difference(c->device.verdict)) &&
           !verdict_is_difference(c->wall.verdict);
}

static struct compare_cause of_kind(struct str says, enum cause_kind kind)
{
    return (struct compare_cause){.says = says, .kind = says.n ? kind : CAUSE_NONE};
}

/* One layer, and the operation that has most of it, if one has. */
static struct str of_layer(struct arena *perm, const struct comparison *c)
{
    struct str says = compare_layer_alone(perm, c);
    const struct compared_row *row = says.n && c->n_rows ? &c->rows[0] : NULL;
    if (!row ||
        !compare_accounts(row->match->ns[1] - row->match->ns[0], compare_diff_ns(c)))
        return says;
    return str_printf(perm, "%.*s; most of it is %.*s", STRF(says),
                      STRF(compare_row_name(perm, c, row)));
}

/* What layers and breaks of compiled code add to that. */
static struct compare_cause with_place(struct arena *perm, const struct comparison *c,
                                       struct compare_cause cause)
{
    struct str more = S("");
    if (cause.kind == CAUSE_KERNELS || cause.kind == CAUSE_RECAST)
        more = compare_layers_alike(perm, c);
    else if (cause.kind == CAUSE_IDLE)
        more = compare_breaks_said(perm, c);
    cause.says = str_printf(perm, "%.*s%.*s", STRF(cause.says), STRF(more));
    return cause;
}

/* "idle: Python takes 0.900 ms a step less", which makes up for most of `diff`. */
static struct str of_opposite(struct arena *perm, const struct comparison *c,
                              double diff)
{
    for (int i = 0; i < c->n_bars; i++) {
        const struct compared_bar *b = &c->bars[i];
        int64_t ns = b->ns[1] - b->ns[0];
        if (part_of(-ns, (int64_t)diff) >= CONCENTRATED)
            return str_printf(perm, "%.*s takes %.*s", STRF(b->name),
                              STRF(of_window(perm, c, ns)));
    }
    return S("other parts together make up for it");
}

/* Of communication that nothing hides, as far as tables tell. */
static int64_t exposed_diff(const struct comparison *c)
{
    for (int i = 0; i < c->n_bars; i++)
        if (c->bars[i].kind == BAR_COMM)
            return c->bars[i].ns[1] - c->bars[i].ns[0];
    return 0;
}

/* What communication takes longer or less where the step does not show it. */
static struct str of_hidden(struct arena *perm, const struct comparison *c)
{
    int64_t ns[2] = {0, 0};
    for (int32_t i = 0; i < c->n_rows; i++)
        for (int side = 0; side < 2; side++)
            if (c->rows[i].of[side] && c->rows[i].of[side]->part == DEVICE_COMM)
                ns[side] += c->rows[i].match->ns[side];
    double diff = (double)(ns[1] - ns[0]);
    if (!ns[0] || !ns[1] || fabs(diff) < NOISE * (double)c->window_ns[0] ||
        verdict_is_difference(c->wall.verdict))
        return S("");
    bool shows = part_of(exposed_diff(c), (int64_t)diff) >= CONCENTRATED;
    return str_printf(perm, "communication takes %.1f%% %s, %s%.*s",
                      100 * fabs(diff) / (double)ns[0],
                      diff > 0 ? "longer" : "less time", shows ? "but " : "",
                      STRF(shows ? of_opposite(perm, c, diff)
                                 : S("which computation hides as before")));
}

struct compare_cause compare_cause(struct arena *perm, const struct comparison *c)
{
    struct compare_cause cause = of_kind(of_place(perm, c), CAUSE_PLACE);
    if (cause.says.n || compare_is_noise(c))
        return cause;
    struct step_cause steps = compare_step_cause(perm, c);
    if (steps.says.n)
        return (struct compare_cause){steps.says, CAUSE_STEP, steps};
    cause = of_kind(of_layer(perm, c), CAUSE_LAYER);
    if (!cause.says.n)
        cause = of_kind(of_exchange(perm, c), CAUSE_EXCHANGE);
    if (!cause.says.n)
        cause = of_kind(of_recast(perm, c), CAUSE_RECAST);
    if (!cause.says.n)
        cause = of_parts(perm, c);
    if (!cause.says.n)
        cause = of_kind(of_hidden(perm, c), CAUSE_HIDDEN);
    return cause.says.n ? with_place(perm, c, cause)
                        : of_kind(compare_pace_text(perm, c), CAUSE_PACE);
}
