#include "analysis/analysis_run.h"

#include "analysis/facts/model_use.h"
#include "analysis/finding_moments.h"
#include "analysis/run_views.h"
#include "analysis/stack/compiled.h"
#include "analysis/stack/layers.h"
#include "analysis/stack/memory_peak.h"
#include "analysis/stack/tree_index.h"
#include "analysis/system/comm_sizes.h"
#include "analysis/system/host_time.h"
#include "analysis/system/system_analyse.h"
#include "base/beside.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"
#include "whatif/critical_path.h"

#include <semaphore.h>

/* At the beginning of the scratch, whose pages the tables have touched; the far half is
 * scratch meanwhile. */
static struct schedule build_schedule(struct arena *tmp, const struct trace_view *v)
{
    struct arena far = *tmp, to = arena_first_half(&far);
    struct schedule o = schedule_build(&to, far, v);
    arena_trim(far);
    tmp->at = to.at;
    return o;
}

struct host_work {
    struct analysis times; /* the parts of the run, and memory, alone */
    struct system_results *system;
    const struct tree_index *tree;
    struct host_time host;
    struct idle_gaps gaps;
    sem_t followed, over;
    bool wants_views;
    struct views_work views;
    struct beside thread;
    struct arena *perm, tmp; /* of that */
};

static struct analysis times_of(const struct trace_view *v)
{
    const struct gpu_timeline *l = &v->timeline;
    return (struct analysis){.total_ms = (double)view_total_ns(v) / 1e6,
                             .computation_ms = (double)l->computation_ns / 1e6,
                             .idle_ms = (double)view_idle_ns(v) / 1e6,
                             .exposed_comm_ms = (double)view_exposed_comm_ns(v) / 1e6,
                             .exposed_memcpy_ms = (double)l->exposed_memcpy_ns / 1e6};
}

struct host_work *host_work_open(struct arena *perm, const struct trace_view *v,
                                 const struct tree_index *tree, bool views)
{
    struct host_work *h = arena_new(perm, struct host_work, 1);
    h->times = times_of(v);
    h->system = arena_new(perm, struct system_results, 1);
    h->tree = tree;
    h->wants_views = views;
    h->views.tree = tree;
    h->views.host = &h->host;
    sem_init(&h->followed, 0, 0);
    sem_init(&h->over, 0, 0);
    return h;
}

static void build_views(struct host_work *h, struct arena *perm, struct arena tmp)
{
    for (int part = 0; h->wants_views && part < VIEWS_PARTS; part++)
        run_views_build(&h->views, (enum run_views_part)part, perm, tmp);
}

static void follow_host(void *context)
{
    struct host_work *h = context;
    h->host = host_time_build(h->perm, h->tmp, h->tree);
    h->gaps = system_idle(h->perm, h->tmp, &h->times, &h->host, &h->system->idle);
    system_idle_of_devices(h->perm, h->tmp, &h->times, &h->host, &h->gaps, h->system);
    sem_post(&h->followed);
    build_views(h, h->perm, h->tmp);
    arena_trim(h->tmp); /* while the findings need the most */
    sem_post(&h->over);
}

void host_work_start(struct host_work *h, bool own_thread, struct arena *perm,
                     struct arena tmp)
{
    h->perm = perm;
    h->tmp = tmp;
    h->times.memory = h->views.memory = memory_peak_of(perm, tmp, h->tree->v);
    beside_start(&h->thread, own_thread, follow_host, h);
}

static void wait_on(sem_t *s)
{
    while (sem_wait(s) != 0) /* a signal */
        ;
    sem_post(s); /* for who else waits */
}

const struct system_results *host_work_wait(struct host_work *h)
{
    wait_on(&h->over);
    return h->system;
}

void host_work_close(struct host_work *h)
{
    sem_destroy(&h->followed);
    sem_destroy(&h->over);
}

/* Does the smaller of what is left for the other thread meanwhile. */
static void wait_for_host(struct host_work *h, struct arena *perm, struct arena tmp)
{
    int followed = 0;
    sem_getvalue(&h->followed, &followed);
    if (!followed && h->wants_views)
        run_views_build(&h->views, VIEWS_ALONG_PATHS, perm, tmp);
    wait_on(&h->followed);
}

static void measure_work(struct arena *perm, struct arena tmp,
                         const struct tree_index *tree, struct analysis *a)
{
    struct model_use *use = arena_new(perm, struct model_use, 1);
    struct comm_sizes *comm = arena_new(perm, struct comm_sizes, 1);
    struct layers *layers = arena_new(perm, struct layers, 1);
    struct compiled *compiled = arena_new(perm, struct compiled, 1);
    *use = model_use_of(perm, a);
    *comm = comm_sizes_of(perm, tmp, a);
    *layers = layers_of(perm, tmp, tree, a);
    *compiled = compiled_of(perm, tmp, tree);
    a->use = use;
    a->comm = comm->n ? comm : NULL;
    a->layers = layers;
    a->compiled = compiled;
}

struct analysis analysis_run(struct arena *perm, struct arena tmp,
                             const struct op_tables *t, const struct tree_index *tree,
                             struct pattern_host *patterns, struct analysis_options o)
{
    struct host_work *host = o.host;
    if (!host) {
        host = host_work_open(perm, t->view, tree, o.views);
        host_work_start(host, false, perm, tmp);
    }
    struct system_results *system = host->system;
    struct analysis a = host->times;
    a.tables = t;
    a.patterns = patterns;
    a.system = system;
    a.no_system_impact = o.no_system_impact;
    analysis_rows(perm, tmp, &a, tree);
    system_beside_idle(perm, tmp, &a, tree, system);
    struct schedule schedule = build_schedule(&tmp, t->view);
    wait_for_host(host, perm, tmp);
    a.replay = schedule.facts;
    system_analyse(perm, tmp, &a, system, tree, &host->gaps, o.idle_threshold_pct);
    analysis_findings(perm, tmp, &a, patterns, &schedule);
    measure_work(perm, tmp, tree, &a);
    if (host->wants_views)
        finding_moments(tmp, &a);
    if (host->wants_views && schedule.facts.usable) {
        struct critical_path *path = arena_new(perm, struct critical_path, 1);
        *path = critical_path_recorded(perm, tmp, &schedule, true);
        a.path = path;
    }
    build_views(host, perm, tmp);
    beside_join(&host->thread);
    if (!o.host)
        host_work_close(host);
    a.views = host->views.views;
    return a;
}
