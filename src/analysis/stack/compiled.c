#include "analysis/stack/compiled.h"

#include "analysis/stack/tree_index.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

#define REGION "Torch-Compiled Region"
#define GRAPH  "## Call CompiledFxGraph "

struct str compiled_kind_word(enum compiled_kind k)
{
    static const struct str words[COMPILED_KINDS] = {
        [COMPILED_REGION] = S_INIT("region"),
        [COMPILED_BACKWARD] = S_INIT("backward"),
        [COMPILED_GRAPH] = S_INIT("graph")};
    return words[k];
}

/* Of graphs, else of regions that hold no other: calls of code that was compiled. */
struct call {
    int64_t from_ns, to_ns;
    int32_t lane, row;
};

struct finding_rows {
    const struct tree_index *t;
    struct arena *perm, *tmp;
    struct compiled c;
    int32_t *row_of; /* by name: from 1; 0: not asked, -1: nothing compiled */
    struct call *graphs, *regions;
    int32_t n_graphs, n_regions;
    int64_t total_ns;
};

static int32_t whole(struct str text)
{
    int64_t n;
    return str_int(text, &n) && n >= 0 && n < 1 << 30 ? (int32_t)n : -1;
}

static bool read_name(struct str name, struct compiled_row *r)
{
    *r = (struct compiled_row){.frame = -1, .version = -1, .name = S("")};
    if (str_starts(name, S(REGION))) {
        r->kind = COMPILED_REGION;
        name = str_skip(name, S(REGION).n);
        if (str_starts(name, S(": ")))
            r->name = str_skip(name, 2);
        struct str rest = r->name;
        r->frame = whole(str_take(&rest, S("/")));
        r->version = whole(str_take(&rest, S(" ")));
        return true;
    }
    if (str_starts(name, S(GRAPH))) {
        r->kind = COMPILED_GRAPH;
        name = str_skip(name, S(GRAPH).n);
        r->name = str_take(&name, S(" "));
        return true;
    }
    r->kind = COMPILED_BACKWARD;
    return str_eq(name, S("CompiledFunctionBackward"));
}

/* The row of an event by its name; -1: nothing compiled. */
static int32_t row_of(struct finding_rows *f, event_id i)
{
    int32_t *known = &f->row_of[f->t->v->s->name[i]];
    struct compiled_row r;
    if (*known == 0) {
        *known = -1;
        if (read_name(store_name(f->t->v->s, i), &r)) {
            arena_grow(f->perm, f->c.rows, f->c.n);
            f->c.rows[f->c.n++] = r;
            *known = f->c.n;
        }
    }
    return *known > 0 ? *known - 1 : -1;
}

static struct call call_of(const struct event_store *s, event_id i, int32_t row)
{
    return (struct call){s->start_ns[i], store_end_ns(s, i), s->lane[i], row};
}

static void add_call(struct finding_rows *f, struct call **list, int32_t *n, event_id i,
                     int32_t row)
{
    arena_grow(f->tmp, *list, *n);
    (*list)[(*n)++] = call_of(f->t->v->s, i, row);
}

static void add_operator(struct finding_rows *f, event_id i, int32_t row)
{
    const struct event_store *s = f->t->v->s;
    struct compiled_row *r = &f->c.rows[row];
    int32_t n;
    const event_id *gpu = tree_gpu_below(f->t, i, &n);
    r->calls++;
    r->host_ns += store_dur_ns(s, i);
    r->kernels += n;
    for (int32_t k = 0; k < n; k++)
        r->device_ns += store_dur_ns(s, gpu[k]);
    if (r->kind != COMPILED_REGION)
        return;
    struct call *last = f->n_regions ? &f->regions[f->n_regions - 1] : NULL;
    if (last && last->lane == s->lane[i] && last->to_ns >= store_end_ns(s, i))
        *last = call_of(s, i, row); /* it is around this one */
    else
        add_call(f, &f->regions, &f->n_regions, i, row);
}

static void add_operators(struct finding_rows *f)
{
    const struct call_tree *tree = &f->t->v->tree;
    const struct event_store *s = f->t->v->s;
    for (int32_t pos = 0; pos < tree->n_order; pos++) {
        event_id i = tree->order[pos];
        int32_t row = s->cat[i] == CAT_CPU_OP ? row_of(f, i) : -1;
        if (row >= 0)
            add_operator(f, i, row);
    }
}

static int by_place(const void *x, const void *y)
{
    const struct call *a = x, *b = y;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

static void add_graphs(struct finding_rows *f)
{
    const struct trace_view *v = f->t->v;
    for (int32_t k = 0; k < v->n_notes; k++) {
        event_id i = v->notes[k];
        int32_t row = v->s->cat[i] == CAT_ANNOTATION ? row_of(f, i) : -1;
        if (row < 0 || f->c.rows[row].kind != COMPILED_GRAPH)
            continue;
        f->c.rows[row].calls++;
        f->c.rows[row].host_ns += store_dur_ns(v->s, i);
        add_call(f, &f->graphs, &f->n_graphs, i, row);
    }
    if (f->n_graphs)
        qsort(f->graphs, (size_t)f->n_graphs, sizeof *f->graphs, by_place);
}

/* The call of a thread that began last at a time, if it still runs; NULL: none. */
static const struct call *call_at(const struct call *list, int32_t n, int32_t lane,
                                  int64_t ns)
{
    int32_t low = 0, high = n;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const struct call *c = &list[middle];
        if (c->lane < lane || (c->lane == lane && c->from_ns <= ns))
            low = middle + 1;
        else
            high = middle;
    }
    const struct call *c = low ? &list[low - 1] : NULL;
    return c && c->lane == lane && ns <= c->to_ns ? c : NULL;
}

static void count_device(struct finding_rows *f, const struct call *list, int32_t n)
{
    const struct trace_view *v = f->t->v;
    int64_t in_ns = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], host = launch_call(&v->launch, gpu);
        int64_t ns = store_dur_ns(v->s, gpu);
        const struct call *c =
            host < 0 ? NULL : call_at(list, n, v->s->lane[host], v->s->start_ns[host]);
        f->total_ns += ns;
        in_ns += c ? ns : 0;
        if (!c || list != f->graphs)
            continue;
        f->c.rows[c->row].kernels++;
        f->c.rows[c->row].device_ns += ns;
    }
    f->c.graphs_pct =
        f->total_ns > 0 ? 100 * (double)in_ns / (double)f->total_ns : (double)NAN;
}

/* The steps as the host has them: where the device is behind, borders of steps are its
 * own, and those of the host are where the profiler marked them. */
static struct trace_steps host_steps(struct arena *a, const struct trace_view *v)
{
    struct trace_steps t = {0};
    if (!v->steps.by_device)
        return v->steps;
    for (int32_t k = 0; k < v->n_notes; k++) {
        event_id i = v->notes[k];
        if (v->s->cat[i] != CAT_ANNOTATION ||
            !str_starts(store_name(v->s, i), S("ProfilerStep#")))
            continue;
        arena_grow(a, t.rows, t.n);
        t.rows[t.n++] = (struct trace_step){.start_ns = v->s->start_ns[i],
                                            .dur_ns = store_dur_ns(v->s, i)};
    }
    return t;
}

static void find_breaks(struct finding_rows *f, const struct call *list, int32_t n)
{
    const struct trace_steps own = host_steps(f->tmp, f->t->v), *steps = &own;
    struct compiled *c = &f->c;
    int32_t last = -1;
    c->n_steps = steps->n;
    for (int32_t k = 0; k < n; k++) {
        int32_t step = trace_step_at(steps, list[k].from_ns);
        bool same = k && list[k].lane == list[k - 1].lane &&
                    (steps->n == 0 || (step >= 0 && step == last));
        int64_t ns = same ? list[k].from_ns - list[k - 1].to_ns : 0;
        last = step;
        if (ns <= 0)
            continue;
        c->rows[list[k].row].breaks++;
        c->rows[list[k].row].break_ns += ns;
        c->breaks++;
        c->break_ns += ns;
        c->longest_break_ns = ns > c->longest_break_ns ? ns : c->longest_break_ns;
    }
}

static int by_frame(const void *x, const void *y)
{
    const struct compiled_row *a = x, *b = y;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    return (a->version > b->version) - (a->version < b->version);
}

static void count_versions(struct compiled *c)
{
    qsort(c->rows, (size_t)c->n, sizeof *c->rows, by_frame);
    for (int32_t k = 0; k < c->n; k++) {
        const struct compiled_row *r = &c->rows[k];
        c->n_regions += r->kind == COMPILED_REGION;
        c->n_graphs += r->kind == COMPILED_GRAPH;
        bool newest = k + 1 == c->n || c->rows[k + 1].frame != r->frame;
        if (r->frame < 0 || !newest || r->version < 1)
            continue;
        c->recompiled++;
        c->versions_most =
            r->version + 1 > c->versions_most ? r->version + 1 : c->versions_most;
    }
}

static int by_time(const void *x, const void *y)
{
    const struct compiled_row *a = x, *b = y;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->device_ns != b->device_ns)
        return a->device_ns > b->device_ns ? -1 : 1;
    if (a->host_ns != b->host_ns)
        return a->host_ns > b->host_ns ? -1 : 1;
    return str_cmp(a->name, b->name);
}

struct compiled compiled_of(struct arena *perm, struct arena tmp,
                            const struct tree_index *t)
{
    struct finding_rows f = {.t = t, .perm = perm, .tmp = &tmp};
    if (!t)
        return f.c;
    f.row_of = arena_new(&tmp, int32_t, t->v->s->names.n);
    add_operators(&f);
    add_graphs(&f);
    if (!f.c.n)
        return f.c;
    bool has_graphs = f.n_graphs > 0;
    const struct call *list = has_graphs ? f.graphs : f.regions;
    int32_t n = has_graphs ? f.n_graphs : f.n_regions;
    if (!has_graphs && n)
        qsort(f.regions, (size_t)n, sizeof *f.regions, by_place);
    count_device(&f, list, n);
    find_breaks(&f, list, n);
    count_versions(&f.c);
    qsort(f.c.rows, (size_t)f.c.n, sizeof *f.c.rows, by_time);
    for (int32_t k = 0; k < f.c.n; k++)
        f.c.rows[k].share_pct =
            f.total_ns > 0 ? 100 * (double)f.c.rows[k].device_ns / (double)f.total_ns
                           : (double)NAN;
    return f.c;
}

static int by_compilation(const void *x, const void *y)
{
    const struct compiled_link *a = x, *b = y;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    if (a->version != b->version)
        return a->version < b->version ? -1 : 1;
    return (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

int32_t compiled_links_settle(struct compiled_link *links, int32_t n)
{
    int32_t kept = 0;
    if (n)
        qsort(links, (size_t)n, sizeof *links, by_compilation);
    for (int32_t k = 0; k < n; k++) {
        struct compiled_link l = links[k];
        l.attempt = 0;
        kept -= kept && by_compilation(&links[kept - 1], &l) == 0;
        links[kept++] = l;
    }
    return kept;
}

void compiled_add_links(struct compiled *c, const struct compiled_link *links,
                        int32_t n)
{
    for (int32_t k = 0; k < c->n && n; k++) {
        struct compiled_row *r = &c->rows[k];
        struct compiled_link key = {.frame = r->frame, .version = r->version};
        const struct compiled_link *l =
            bsearch(&key, links, (size_t)n, sizeof *links, by_compilation);
        if (r->kind == COMPILED_REGION && l)
            r->href = l->href;
    }
}
