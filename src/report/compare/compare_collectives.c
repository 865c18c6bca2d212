#include "report/compare/compare_collectives.h"

#include "report/table_fields.h"

#include <math.h>
#include <stdlib.h>

struct call {
    enum collective_kind kind;
    int side;
    int64_t ranks, bytes, dur_ns;
};

static int by_size(const struct call *a, const struct call *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return (a->ranks > b->ranks) - (a->ranks < b->ranks);
}

static int by_size_side_time(const void *x, const void *y)
{
    const struct call *a = x, *b = y;
    int order = by_size(a, b);
    if (order || a->side != b->side)
        return order ? order : a->side - b->side;
    return (a->dur_ns > b->dur_ns) - (a->dur_ns < b->dur_ns);
}

/* What a signature moves; bytes 0: not known, or among fewer than two ranks. */
static struct call call_of(const struct capture_ranks *r,
                           const struct capture_signature *s)
{
    struct call c = {.kind = collective_of_word(s->kind)};
    int64_t n = s->in_elements > s->out_elements ? s->in_elements : s->out_elements;
    int element = collective_element_bytes(s->dtype);
    c.ranks = s->group >= 0 ? r->groups[s->group].size : 0;
    if (c.kind != COLLECTIVE_UNKNOWN && c.ranks > 1 && n > 0 && element > 0 &&
        n < INT64_MAX / element)
        c.bytes = n * element;
    return c;
}

static struct call *take_calls(struct arena *a, const struct comparison *c, int *n)
{
    struct call *list = NULL;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < c->n_captures[side]; i++) {
            const struct capture_ranks *r = &c->captures[side][i].ranks;
            for (int32_t k = 0; k < r->n_collectives; k++) {
                const struct capture_collective *one = &r->collectives[k];
                struct call call = call_of(r, &r->signatures[one->signature]);
                call.side = side;
                call.dur_ns = one->dur_ns;
                if (!call.bytes || one->dur_ns <= 0)
                    continue;
                arena_grow(a, list, *n);
                list[(*n)++] = call;
            }
        }
    return list;
}

/* Calls of one side and size, shortest first. */
static void fill_side(struct compared_collective *to, const struct call *calls, int n,
                      int n_captures)
{
    int side = calls[0].side;
    double ns = 0, factor = collective_bus_factor(to->kind, to->ranks);
    for (int k = 0; k < n; k++)
        ns += (double)calls[k].dur_ns;
    to->calls[side] = (double)n / n_captures;
    to->total_ms[side] = ns / n_captures / 1e6;
    to->median_us[side] =
        (double)(calls[(n - 1) / 2].dur_ns + calls[n / 2].dur_ns) / 2e3;
    to->bus_gb_s[side] = (double)to->bytes * factor / (double)calls[0].dur_ns;
}

static double longer(const struct compared_collective *c)
{
    return fmax(c->total_ms[0], c->total_ms[1]);
}

static int by_time(const void *x, const void *y)
{
    const struct compared_collective *a = x, *b = y;
    if (longer(a) != longer(b))
        return longer(a) > longer(b) ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return (a->ranks > b->ranks) - (a->ranks < b->ranks);
}

struct compared_collectives compare_collectives(struct arena *a,
                                                const struct comparison *c)
{
    static const double none = (double)NAN;
    struct compared_collectives all = {0};
    int n = 0, end;
    struct call *calls = take_calls(a, c, &n);
    if (n)
        qsort(calls, (size_t)n, sizeof *calls, by_size_side_time);
    for (int from = 0; from < n; from = end) {
        const struct call *first = &calls[from];
        for (end = from + 1; end < n && calls[end].side == first->side &&
                             by_size(&calls[end], first) == 0;)
            end++;
        if (!from || by_size(first - 1, first) != 0) {
            arena_grow(a, all.rows, all.n);
            all.rows[all.n++] = (struct compared_collective){
                first->kind, first->ranks, first->bytes, .median_us = {none, none},
                .bus_gb_s = {none, none}};
        }
        fill_side(&all.rows[all.n - 1], first, end - from, c->n_captures[first->side]);
    }
    if (all.n)
        qsort(all.rows, (size_t)all.n, sizeof *all.rows, by_time);
    return all;
}

static double diff_pct(const struct compared_collective *c)
{
    return 100 * (c->median_us[1] / c->median_us[0] - 1);
}

TELL(double, diff, compared_collective, diff_pct(it));
FIELDS(compared_collective, ENUM(kind, collective_word, COLLECTIVE_KINDS),
       F(ranks, COUNT), F(bytes, BYTES), AS("calls_ref", calls[0], EXACT),
       AS("calls_tgt", calls[1], EXACT), AS("time_ref_ms", total_ms[0], MS),
       AS("time_tgt_ms", total_ms[1], MS), AS("median_ref_us", median_us[0], US),
       AS("median_tgt_us", median_us[1], US), AS("bus_ref_gb_per_s", bus_gb_s[0], RATE),
       AS("bus_tgt_gb_per_s", bus_gb_s[1], RATE),
       CALL_AS("diff_pct_of_reference", EXACT, diff));
COLUMNS(collective_columns, compared_collective,
        COL(ENUM(kind, collective_word, COLLECTIVE_KINDS), "What it does"),
        COL_IN(COUNT, F(ranks, COUNT), "Ranks in the group"),
        COL(F(bytes, BYTES),
            "Of the message, the larger of what goes in and comes out"),
        COL(AS("calls_ref", calls[0], EXACT), "Of a capture of the reference"),
        COL(AS("calls_tgt", calls[1], EXACT), "Of a capture of the candidate"),
        COL_IN(MS, AS("time_ref_ms", total_ms[0], MS), "Sum of their durations"),
        COL_IN(MS, AS("time_tgt_ms", total_ms[1], MS), "Sum of their durations"),
        COL_IN(US, AS("median_ref_us", median_us[0], US), "Of a call"),
        COL_IN(US, AS("median_tgt_us", median_us[1], US), "Of a call"),
        COL(AS("bus_ref_gb_per_s", bus_gb_s[0], RATE),
            "What a link carries in one direction in the shortest call"),
        COL(AS("bus_tgt_gb_per_s", bus_gb_s[1], RATE),
            "What a link carries in one direction in the shortest call"),
        COL_IN(PERCENT, CALL_AS("diff_pct_of_reference", EXACT, diff),
               "Median of the candidate minus that of the reference, of the latter"));

struct report_table compare_collectives_table(struct arena *perm,
                                              const struct comparison *c)
{
    struct compared_collectives all = compare_collectives(perm, c);
    return table_told(perm, "compare_collectives", "Collectives by size on both sides",
                      collective_columns(), TABLE_ITEMS(all.rows, all.n), c);
}
