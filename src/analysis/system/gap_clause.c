#include "analysis/system/gap_clause.h"

#include "analysis/model/number_text.h"
#include "analysis/system/host_name.h"

static struct str event_place(struct arena *perm, const struct tree_index *t,
                              event_id i)
{
    struct host_name n = host_name_of(perm, store_name(t->v->s, i));
    return host_name_text(perm, n.name, n.place);
}

static struct str host_clause(struct arena *perm, const struct tree_index *t,
                              const struct gap_cause *c)
{
    bool both = c->blame >= 0 && c->leaf >= 0 && c->blame != c->leaf;
    event_id first = c->blame >= 0 ? c->blame : c->leaf;
    if (first < 0)
        return c->class == IDLE_GRAPH ? S("the host captures a GPU graph")
                                      : S("nothing is recorded on the host");
    if (c->class == IDLE_NOTHING && c->leaf < 0)
        return say(perm, "the host is in {}, with nothing recorded below",
                   said(event_place(perm, t, first)));
    struct str clause =
        say(perm, "the host runs {}", said(event_place(perm, t, first)));
    return both ? say(perm, "{}, longest in {}", said(clause),
                      said(event_place(perm, t, c->leaf)))
                : clause;
}

struct str gap_cause_clause(struct arena *perm, const struct tree_index *t,
                            const struct gap_row *gap, const struct gap_cause *c)
{
    const struct event_store *s = t->v->s;
    event_id call = gap->after < 0 ? -1 : view_issue(t->v, gap->after);
    if (c->class == IDLE_PEER)
        return say(perm, "this GPU waits for GPU {}, which is active",
                   said(str_head(t->v->devices->of[c->peer].name, 40)));
    if (gap->after < 0)
        return host_clause(perm, t, c);
    if (call < 0)
        return S("no launch call is recorded for the next device event");
    struct str op = quoted_name(perm, store_name(s, launched_operation(t, call)), 60);
    if (c->class == IDLE_QUEUED)
        return say(perm, "{} was queued {} ms ahead; the device itself started late",
                   said(op),
                   said_ms((double)(gap->start_ns - s->start_ns[call]) / 1e6));
    if (c->class == IDLE_LATENCY)
        return say(perm, "{} starts {} ms after its launch call returns", said(op),
                   said_ms((double)c->class_ns / 1e6));
    if (c->class == IDLE_LAUNCH || c->class == IDLE_FIRST_LAUNCH)
        return say(perm,
                   c->class == IDLE_LAUNCH
                       ? "the call that launches {} takes {} ms"
                       : "the call that launches {} takes {} ms: the first launch of "
                         "that kernel",
                   said(op), said_ms((double)store_dur_ns(s, call) / 1e6));
    return host_clause(perm, t, c);
}
