#include "analysis/system/graph_breaks.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/loop_work.h"
#include "analysis/system/system_advice.h"
#include "base/duration.h"

static bool is_region(const struct event_store *s, event_id i)
{
    return s->cat[i] == CAT_CPU_OP &&
           str_starts(store_name(s, i), S("Torch-Compiled Region"));
}

/* What lies between regions that follow each other on a thread, by thread and start. */
static struct loop_work between_regions(struct arena *tmp, const struct tree_index *t)
{
    const struct event_store *s = t->v->s;
    const struct call_tree *tree = &t->v->tree;
    struct loop_work w = {0};
    event_id last = -1;
    for (int32_t k = 0; k < tree->n_order;) {
        event_id i = tree->order[k];
        bool region = is_region(s, i);
        if (region && last >= 0 && s->lane[last] == s->lane[i]) {
            arena_grow(tmp, w.gone, w.n_gone);
            w.gone[w.n_gone++] =
                (struct host_span){s->lane[i], store_end_ns(s, last), s->start_ns[i]};
        }
        last = region ? i : last;
        k = region ? tree->after[k] : k + 1;
    }
    return w;
}

/* A wait in most of these places, at the least. */
static bool waits_at(const struct loop_work *breaks, const struct idle_group *g)
{
    const double MOST = 0.8;
    int32_t n = loop_work_waits(breaks, g);
    return n >= MOST * breaks->n_gone && n >= MOST * g->n_waits;
}

static struct finding *waits_of(const struct analysis *a,
                                const struct loop_work *breaks)
{
    for (int k = 0; k < a->n_findings && breaks->n_gone; k++) {
        const struct idle_group *g = a->findings[k].idle;
        if (g && g->class == IDLE_SYNC && !a->findings[k].n_gone && waits_at(breaks, g))
            return &a->findings[k];
    }
    return NULL;
}

void graph_breaks_join(struct arena *perm, struct arena tmp, struct analysis *a,
                       const struct tree_index *t)
{
    int at = 0, n = 0;
    while (at < a->n_findings &&
           !str_eq(a->findings[at].pattern, S("host_graph_breaks")))
        at++;
    if (at == a->n_findings || !t->v)
        return;
    struct loop_work breaks = between_regions(&tmp, t);
    struct finding *f = waits_of(a, &breaks);
    const struct idle_group *gaps = a->findings[at].idle;
    if (!f || !gaps)
        return;
    const struct work_fact facts[] = {FACT("breaks", (double)breaks.n_gone),
                                      FACT("gaps_ms", ms_of(gaps->total_ns))};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("breaks"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (!n)
        return;
    f->between = gaps;
    f->issue = say(perm, "{} {}", said(f->issue), said(hits[0].issue));
    f->algorithmic =
        say(perm, "{} {}", said(f->algorithmic), said(hits_text(perm, hits, n, false)));
    finding_remove(a, at);
}
