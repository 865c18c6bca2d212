/* What lies between the collectives of a capture. */
#include "analysis/model/system_results.h"
#include "analysis/trace_analyse.h"
#include "base/arena.h"
#include "base/sort.h"
#include "capture/capture_parts.h"
#include "capture/waterfall.h"

#include <string.h>

enum { BLOCK_GAP_NS = 50000 }; /* shorter gaps do not end a run of work */

/* Lengths of a set up to its spans, so that the part before any time is one search. */
struct covered {
    struct interval_set set;
    int64_t *before_ns;
};

static struct covered covered_by(struct arena *a, struct interval_set set)
{
    struct covered c = {set, arena_new(a, int64_t, set.n + 1)};
    for (ptrdiff_t i = 0; i < set.n; i++)
        c.before_ns[i + 1] =
            c.before_ns[i] + set.spans[i].end_ns - set.spans[i].start_ns;
    return c;
}

static int64_t until(const struct covered *c, int64_t ns)
{
    ptrdiff_t low = 0, high = c->set.n;
    while (low < high) {
        ptrdiff_t mid = low + (high - low) / 2;
        if (c->set.spans[mid].start_ns < ns)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low)
        return 0;
    int64_t end_ns = c->set.spans[low - 1].end_ns;
    return c->before_ns[low] - (end_ns > ns ? end_ns - ns : 0);
}

static int64_t within(const struct covered *c, int64_t from_ns, int64_t to_ns)
{
    return until(c, to_ns) - until(c, from_ns);
}

/* All that communicates, by start. */
struct comm_row {
    struct capture_collective *c;
    int64_t from_ns; /* where its segment begins */
};

struct comm_rows {
    struct comm_row *rows;
    int32_t n;
};

static struct comm_rows comm_rows_of(struct arena *a, struct capture_ranks *r)
{
    struct comm_rows all = {
        arena_new(a, struct comm_row, (ptrdiff_t)r->n_collectives + r->n_p2p), 0};
    for (int32_t i = 0, k = 0; i < r->n_collectives || k < r->n_p2p;) {
        bool p2p = i == r->n_collectives ||
                   (k < r->n_p2p && r->p2p[k].start_ns < r->collectives[i].start_ns);
        all.rows[all.n++].c = p2p ? &r->p2p[k++] : &r->collectives[i++];
    }
    return all;
}

/* The segment of each begins at the latest end that is not after its start. */
static void find_starts(struct arena tmp, struct comm_rows *all, int64_t begin_ns)
{
    struct sort_row *ends = arena_new(&tmp, struct sort_row, all->n);
    int64_t latest = begin_ns;
    for (int32_t i = 0; i < all->n; i++) {
        const struct capture_collective *c = all->rows[i].c;
        ends[i] = (struct sort_row){c->start_ns + c->dur_ns, i};
    }
    sort_rows(tmp, ends, all->n);
    for (int32_t i = 0, k = 0; i < all->n; i++) {
        int64_t start_ns = all->rows[i].c->start_ns;
        for (; k < all->n && ends[k].key <= start_ns; k++)
            latest = ends[k].key > latest ? ends[k].key : latest;
        all->rows[i].from_ns = latest < start_ns ? latest : start_ns;
    }
}

/* Times of the device by class. */
struct sets {
    struct interval_set of[GPU_CLASSES];
    struct interval_set comm, copy; /* exposed */
};

static struct interval_set set_of(struct arena *a, const struct trace_view *v,
                                  enum gpu_class class)
{
    const struct launch_link *l = &v->launch;
    struct span *spans = arena_take_raw(a, sizeof *spans, 8, l->n_all);
    ptrdiff_t n = 0;
    for (int32_t k = 0; k < l->n_all; k++) {
        event_id g = l->all[k];
        if (view_class(v, g) == class)
            spans[n++] = (struct span){v->s->start_ns[g], store_end_ns(v->s, g)};
    }
    return interval_union(*a, spans, n);
}

static struct sets sets_of(struct arena *a, const struct trace_view *v)
{
    struct sets s;
    for (int k = 0; k < GPU_CLASSES; k++)
        s.of[k] = set_of(a, v, (enum gpu_class)k);
    s.comm = interval_minus(a, s.of[GPU_COMMUNICATION], s.of[GPU_COMPUTE]);
    s.copy = interval_minus(a, interval_minus(a, s.of[GPU_MEMCPY], s.of[GPU_COMPUTE]),
                            s.of[GPU_COMMUNICATION]);
    return s;
}

static void add_parts(struct arena tmp, const struct sets *s, struct comm_rows *all)
{
    struct covered compute = covered_by(&tmp, s->of[GPU_COMPUTE]),
                   comm = covered_by(&tmp, s->comm), copy = covered_by(&tmp, s->copy);
    for (int32_t i = 0; i < all->n; i++) {
        struct capture_collective *c = all->rows[i].c;
        int64_t from_ns = all->rows[i].from_ns, to_ns = c->start_ns;
        c->compute_ns = within(&compute, from_ns, to_ns);
        c->other_wait_ns = within(&comm, from_ns, to_ns);
        c->copy_ns = within(&copy, from_ns, to_ns);
        c->idle_ns = to_ns - from_ns - c->compute_ns - c->other_wait_ns - c->copy_ns;
    }
}

/* What is in both sets. */
static struct interval_set both(struct arena *a, struct interval_set x,
                                struct interval_set y)
{
    return interval_minus(a, x, interval_minus(a, x, y));
}

static struct capture_block *blocks_of(struct arena *perm, struct interval_set set,
                                       int32_t *n)
{
    struct capture_block *b = arena_new(perm, struct capture_block, set.n);
    *n = (int32_t)set.n;
    for (ptrdiff_t i = 0; i < set.n; i++)
        b[i] = (struct capture_block){set.spans[i].start_ns,
                                      set.spans[i].end_ns - set.spans[i].start_ns};
    return b;
}

/* Computation and copies as one set, short gaps filled. */
static struct interval_set runs(struct arena *a, const struct sets *s)
{
    struct interval_set x = s->of[GPU_COMPUTE], y = s->of[GPU_MEMCPY];
    struct span *all = arena_take_raw(a, sizeof *all, 8, x.n + y.n);
    memcpy(all, x.spans, (size_t)x.n * sizeof *all);
    memcpy(all + x.n, y.spans, (size_t)y.n * sizeof *all);
    struct interval_set work = interval_union(*a, all, x.n + y.n);
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < work.n; i++) {
        struct span span = work.spans[i];
        if (n && span.start_ns - work.spans[n - 1].end_ns < BLOCK_GAP_NS)
            work.spans[n - 1].end_ns = span.end_ns;
        else
            work.spans[n++] = span;
    }
    work.n = n;
    return work;
}

static struct sort_row *edges_of(struct arena *a, const struct comm_rows *all)
{
    ptrdiff_t n = 2 * (ptrdiff_t)all->n;
    struct sort_row *edges = arena_new(a, struct sort_row, n);
    for (int32_t i = 0; i < all->n; i++) {
        const struct capture_collective *c = all->rows[i].c;
        edges[2 * i].key = c->start_ns;
        edges[2 * i + 1].key = c->start_ns + c->dur_ns;
    }
    sort_rows(*a, edges, n);
    return edges;
}

/* Runs of device work, cut where collectives begin and end. */
static void add_blocks(struct arena *perm, struct arena tmp, const struct sets *s,
                       const struct comm_rows *all, struct capture_ranks *r)
{
    struct interval_set work = runs(&tmp, s);
    struct sort_row *edges = edges_of(&tmp, all);
    ptrdiff_t n_edges = 2 * (ptrdiff_t)all->n, k = 0;
    struct span *cut = arena_take_raw(&tmp, sizeof *cut, 8, work.n + n_edges);
    struct interval_set blocks = {cut, 0};
    for (ptrdiff_t i = 0; i < work.n; i++) {
        struct span span = work.spans[i];
        for (; k < n_edges && edges[k].key <= span.start_ns; k++)
            ;
        for (; k < n_edges && edges[k].key < span.end_ns; k++) {
            if (edges[k].key > span.start_ns)
                cut[blocks.n++] = (struct span){span.start_ns, edges[k].key};
            span.start_ns = edges[k].key;
        }
        cut[blocks.n++] = span;
    }
    r->blocks = blocks_of(perm, blocks, &r->n_blocks);
}

static struct interval_set
spans_of_class(struct arena *a, const struct idle_result *idle, enum idle_class class)
{
    ptrdiff_t n = 0, at = 0;
    for (int32_t g = 0; g < idle->n_groups; g++)
        n += idle->groups[g].class == class ? idle->groups[g].n_spans : 0;
    struct span *spans = arena_take_raw(a, sizeof *spans, 8, n);
    for (int32_t g = 0; g < idle->n_groups; g++) {
        const struct idle_group *group = &idle->groups[g];
        for (int32_t i = 0; group->class == class && i < group->n_spans; i++)
            spans[at++] =
                (struct span){group->spans[i].start_ns, group->spans[i].end_ns};
    }
    return interval_union(*a, spans, n);
}

/* A cause never takes more of a segment than is idle in it. */
static void add_causes(struct arena tmp, const struct idle_result *idle,
                       struct comm_rows *all)
{
    int64_t *left_ns = arena_new(&tmp, int64_t, all->n);
    for (int32_t i = 0; i < all->n; i++)
        left_ns[i] = all->rows[i].c->idle_ns;
    for (int k = 0; k < IDLE_CLASSES_OF_ALL; k++) {
        struct arena scratch = tmp;
        struct interval_set set = spans_of_class(&scratch, idle, (enum idle_class)k);
        struct covered c = covered_by(&scratch, set);
        for (int32_t i = 0; set.n && i < all->n; i++) {
            struct comm_row *row = &all->rows[i];
            int64_t ns = within(&c, row->from_ns, row->c->start_ns);
            row->c->cause_ns[k] = ns < left_ns[i] ? ns : left_ns[i];
            left_ns[i] -= row->c->cause_ns[k];
        }
    }
}

void capture_find_segments(struct arena *perm, struct arena tmp,
                           const struct trace_result *t,
                           const struct system_results *system, struct capture *c)
{
    struct capture_ranks *r = &c->ranks;
    const struct gpu_timeline *g = &t->view.everything;
    r->start_ns = g->start_ns;
    r->end_ns = g->start_ns + g->total_ns;
    r->computation_ns = g->computation_ns;
    r->exposed_comm_ns = g->exposed_comm_ns;
    r->exposed_copy_ns = g->exposed_memcpy_ns;
    r->idle_ns = g->idle_ns;
    struct comm_rows all = comm_rows_of(&tmp, r);
    if (!all.n)
        return;
    struct sets s = sets_of(&tmp, &t->view);
    find_starts(tmp, &all, r->start_ns);
    add_parts(tmp, &s, &all);
    if (system)
        add_causes(tmp, &system->idle, &all);
    add_blocks(perm, tmp, &s, &all, r);
    r->covers = blocks_of(perm, both(&tmp, s.of[GPU_COMPUTE], s.of[GPU_COMMUNICATION]),
                          &r->n_covers);
}

/* Idle time by the classes of the analysis. */

static void add(struct arena *perm, struct capture *c, int class, int64_t ns, int step)
{
    struct str label = idle_class_label((enum idle_class) class);
    arena_grow(perm, c->idle, c->n_idle);
    c->idle[c->n_idle++] =
        (struct capture_idle){str_printf(perm, "idle: %.*s", STRF(label)), ns, step};
}

/* By step and class: what of the parts of gaps lies there. */
static void find_steps(struct arena *perm, struct arena tmp,
                       const struct idle_result *idle, struct capture *c)
{
    struct step_span *spans = arena_new(&tmp, struct step_span, c->n_steps);
    int64_t *ns = arena_new(&tmp, int64_t, (ptrdiff_t)c->n_steps * IDLE_CLASSES_OF_ALL);
    for (int i = 0; i < c->n_steps; i++)
        spans[i] = (struct step_span){c->steps[i].start_ns, c->steps[i].end_ns};
    for (int32_t g = 0; g < idle->n_groups; g++)
        for (int32_t k = 0; k < idle->groups[g].n_spans; k++) {
            const struct idle_span *s = &idle->groups[g].spans[k];
            for (int i = span_from(spans, c->n_steps, s->start_ns);
                 i < c->n_steps && spans[i].start_ns < s->end_ns; i++)
                ns[i * IDLE_CLASSES_OF_ALL + (int)idle->groups[g].class] +=
                    span_overlap_ns(&spans[i], 1, s->start_ns, s->end_ns);
        }
    for (int i = 0; i < c->n_steps * IDLE_CLASSES_OF_ALL; i++)
        if (ns[i])
            add(perm, c, i % IDLE_CLASSES_OF_ALL, ns[i], i / IDLE_CLASSES_OF_ALL);
}

void capture_find_idle(struct arena *perm, struct arena tmp,
                       const struct system_results *system, struct capture *c)
{
    int64_t left_ns = c->idle_ns;
    for (int i = 0; system && i < IDLE_CLASSES_OF_ALL; i++) {
        int64_t ns = system->idle.class_ns[i];
        ns = ns < left_ns ? ns : left_ns;
        if (ns > 0)
            add(perm, c, i, ns, -1);
        left_ns -= ns > 0 ? ns : 0;
    }
    if (system)
        find_steps(perm, tmp, &system->idle, c);
}
