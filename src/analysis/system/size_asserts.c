#include "analysis/system/size_asserts.h"

#include "analysis/model/system_results.h"

/* Farther apart there is other work between two of them. */
enum { ROW_NS = 100000 };

/* The span that the event starts in; -1: none. */
static int32_t span_of(const struct idle_group *g, int64_t at_ns)
{
    int32_t from = 0, to = g->n_spans;
    while (from < to) {
        int32_t mid = from + (to - from) / 2;
        if (g->spans[mid].start_ns <= at_ns)
            from = mid + 1;
        else
            to = mid;
    }
    return from && at_ns < g->spans[from - 1].end_ns ? from - 1 : -1;
}

struct size_asserts size_asserts_of(struct arena tmp, const struct event_store *s,
                                    const struct idle_group *g)
{
    struct size_asserts found = {0, 0};
    uint8_t *is = arena_new(&tmp, uint8_t, s->names.n + 1);
    bool compiled =
             g->class == IDLE_PYTHON && 2e3 * g->compiled_us >= (double)g->total_ns,
         any = false;
    for (name_id k = 0; k < s->names.n && compiled; k++) {
        is[k] = str_has(pool_text(&s->names, k), S("assert_size_stride"));
        any |= is[k];
    }
    int64_t before_ns = INT64_MIN / 2;
    int32_t before = -1;
    for (event_id i = 0; any && i < s->n; i++) {
        int32_t span =
            s->cat[i] == CAT_PYTHON && is[s->name[i]] ? span_of(g, s->start_ns[i]) : -1;
        if (span < 0)
            continue;
        int64_t apart_ns = s->start_ns[i] - before_ns;
        found.calls++;
        if (span == before && apart_ns > 0 && apart_ns < ROW_NS)
            found.ns += apart_ns;
        before_ns = s->start_ns[i];
        before = span;
    }
    return found;
}
