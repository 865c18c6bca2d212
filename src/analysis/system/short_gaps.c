#include "analysis/system/short_gaps.h"

enum {
    SHORT_GAP_NS = 1000000,
    MANY_GAPS = 50,
    SOME_GAPS = 20,
    /* Of a recording of few launches: nothing that one host call alone explains. */
    BRIEF_GAP_NS = 200000,
    FEW_GAPS = 8
};

bool gap_is_launch(const struct trace_view *v, const struct gap_row *gap)
{
    event_id call = gap->after < 0 ? -1 : view_issue(v, gap->after);
    return call >= 0 && !gap->queued && gap->dur_ns < SHORT_GAP_NS &&
           !launch_is_graph(v->s, call);
}

/* What the host does before the first and behind the last device event is no sign of
 * slow launches. */
static bool counts(const struct gap_row *gap)
{
    return gap->before >= 0 && gap->after >= 0;
}

bool short_gaps_are_many(const struct trace_view *v, const struct idle_gaps *g)
{
    int64_t all_ns = 0, short_ns = 0;
    int32_t n = 0;
    for (int32_t k = 0; k < g->n; k++) {
        const struct gap_row *gap = &g->rows[k];
        bool is_short = gap_is_launch(v, gap);
        n += is_short;
        short_ns += is_short ? gap->dur_ns : 0;
        all_ns += counts(gap) ? gap->dur_ns : 0;
    }
    return n >= MANY_GAPS || (n >= SOME_GAPS && 3 * short_ns >= all_ns);
}

bool brief_gaps_are_most(const struct trace_view *v, const struct idle_gaps *g)
{
    int64_t all_ns = 0, brief_ns = 0;
    int32_t n = 0;
    for (int32_t k = 0; k < g->n && g->n < MANY_GAPS; k++) {
        const struct gap_row *gap = &g->rows[k];
        bool is_brief = gap->dur_ns < BRIEF_GAP_NS && gap_is_launch(v, gap);
        n += is_brief;
        brief_ns += is_brief ? gap->dur_ns : 0;
        all_ns += counts(gap) ? gap->dur_ns : 0;
    }
    return n >= FEW_GAPS && 10 * brief_ns >= 9 * all_ns;
}
