#include "analysis/system/queue_reason.h"

struct str queue_reason_words(enum queue_reason r)
{
    static const struct str words[] = {
        [QUEUE_COLLECTIVE] = S_INIT("before a collective"),
        [QUEUE_IN_GRAPH] = S_INIT("inside a GPU graph"),
        [QUEUE_BEHIND_GRAPH] = S_INIT("behind a GPU graph"),
        [QUEUE_BEFORE_GRAPH] = S_INIT("before a GPU graph"),
        [QUEUE_OTHER_STREAM] = S_INIT("behind work of another stream"),
        [QUEUE_COPIES] = S_INIT("around copies"),
        [QUEUE_KERNELS] = S_INIT("between kernels")};
    return words[r];
}

enum queue_reason queue_reason(const struct trace_view *v, const struct gap_row *gap,
                               event_id call)
{
    const struct event_store *s = v->s;
    event_id before = gap->before < 0 ? gap->after : gap->before;
    bool copies = s->cat[gap->after] != CAT_KERNEL || s->cat[before] != CAT_KERNEL;
    if (view_communicates(v, gap->after))
        return QUEUE_COLLECTIVE;
    event_id first = gap->before < 0 ? -1 : view_issue(v, gap->before);
    bool from_graph = first >= 0 && launch_is_graph(s, first);
    if (from_graph)
        return first == call ? QUEUE_IN_GRAPH : QUEUE_BEHIND_GRAPH;
    if (launch_is_graph(s, call))
        return QUEUE_BEFORE_GRAPH;
    if (s->lane[before] != s->lane[gap->after])
        return QUEUE_OTHER_STREAM;
    return copies ? QUEUE_COPIES : QUEUE_KERNELS;
}

bool queue_is_alone(const struct trace_view *v, const struct gap_row *gap)
{
    const struct event_store *s = v->s;
    return gap->before >= 0 && s->lane[gap->before] == s->lane[gap->after] &&
           s->cat[gap->before] == CAT_KERNEL && s->cat[gap->after] == CAT_KERNEL &&
           !view_communicates(v, gap->after);
}
