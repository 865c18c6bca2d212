#include "analysis/analysis_run.h"

#include "analysis/run_views.h"
#include "analysis/stack/tree_index.h"
#include "analysis/system/host_time.h"
#include "analysis/system/system_analyse.h"
#include "base/beside.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"
#include "whatif/schedule.h"

#include <semaphore.h>

/* At the beginning of the scratch, whose pages the tables have touched; the far half is
 * scratch meanwhile. */
static struct schedule build_schedule(struct arena *tmp, const struct trace_view *v)
{
    struct arena far = *tmp, to = arena_first_half(&far);
    struct schedule o = schedule_build(&to, far, v);
    tmp->at = to.at;
    return o;
}

/* What needs the events alone, not their rows. */
struct host_half {
    struct arena *perm, *tmp;
    const struct analysis *a; /* times of the parts */
    struct system_results *system;
    const struct tree_index *tree;
    struct host_time host;
    struct idle_gaps gaps;
    sem_t followed;
    struct views_work *views; /* NULL: none are wanted */
};

static void build_views(struct host_half *h, struct arena *perm, struct arena tmp)
{
    for (int part = 0; h->views && part < VIEWS_PARTS; part++)
        run_views_build(h->views, (enum run_views_part)part, perm, tmp);
}

static void follow_host(void *context)
{
    struct host_half *h = context;
    h->host = host_time_build(h->perm, *h->tmp, h->tree);
    h->gaps = system_idle(h->perm, *h->tmp, h->a, &h->host, &h->system->idle);
    sem_post(&h->followed);
    build_views(h, h->perm, *h->tmp);
}

/* Does the smaller of what is left for the other thread meanwhile. */
static void wait_for_host(struct host_half *h, struct arena *perm, struct arena tmp)
{
    if (sem_trywait(&h->followed) == 0)
        return;
    if (h->views)
        run_views_build(h->views, VIEWS_ALONG_PATHS, perm, tmp);
    while (sem_wait(&h->followed) != 0) /* a signal */
        ;
}

struct analysis analysis_run(struct arena *perm, struct arena tmp,
                             const struct op_tables *t, const struct tree_index *tree,
                             struct pattern_host *patterns, struct analysis_options o)
{
    const struct gpu_timeline *l = &t->view->timeline;
    struct system_results *system = arena_new(perm, struct system_results, 1);
    struct analysis a = {.tables = t,
                         .patterns = patterns,
                         .system = system,
                         .no_system_impact = o.no_system_impact,
                         .total_ms = (double)view_total_ns(t->view) / 1e6,
                         .computation_ms = (double)l->computation_ns / 1e6,
                         .idle_ms = (double)view_idle_ns(t->view) / 1e6,
                         .exposed_comm_ms = (double)l->exposed_comm_ns / 1e6,
                         .exposed_memcpy_ms = (double)l->exposed_memcpy_ns / 1e6};
    const struct analysis before = a; /* the other thread changes the findings */
    struct host_half host = {.perm = o.perm2 ? o.perm2 : perm,
                             .tmp = o.perm2 ? &o.tmp2 : &tmp,
                             .a = &before,
                             .system = system,
                             .tree = tree};
    struct views_work views = {.tree = tree, .host = &host.host};
    host.views = o.views ? &views : NULL;
    struct beside second;
    sem_init(&host.followed, 0, 0);
    beside_start(&second, o.perm2 != NULL, follow_host, &host);
    analysis_rows(perm, tmp, &a, tree);
    system_beside_idle(perm, tmp, &a, tree, system);
    struct schedule schedule = build_schedule(&tmp, t->view);
    if (o.meanwhile)
        o.meanwhile(o.context, tmp);
    wait_for_host(&host, perm, tmp);
    if (o.judging)
        o.judging(o.context, system);
    a.replay = schedule.facts;
    system_analyse(perm, tmp, &a, system, tree, &host.gaps, o.idle_threshold_pct);
    analysis_findings(perm, tmp, &a, patterns, &schedule);
    build_views(&host, perm, tmp);
    beside_join(&second);
    sem_destroy(&host.followed);
    a.views = views.views;
    return a;
}
