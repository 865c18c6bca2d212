#include "analysis/stack/path_tree.h"

#include "analysis/stack/memory_peak.h"
#include "analysis/stack/tree_index.h"
#include "base/sort.h"
#include "base/stable_id.h"

#include <stdlib.h>
#include <string.h>

enum { ROOT = 0, FOLD_PER_MILLE = 1, NO_CLASS = -1 };

/* One path of calls. A parent comes before its children. */
struct path {
    int32_t parent, depth;
    int32_t
        name; /* of struct paths: a name of the trace, or after those one of `own` */
    enum path_kind kind;
    int64_t time_ns, launches, instances, calls, bytes;
};

struct paths {
    const struct tree_index *t;
    const struct memory_peak *memory; /* NULL: not recorded */
    enum path_view_kind view;
    struct arena *a;
    struct arena rows; /* holds `path` alone, which grows in place */
    struct path *path;
    int32_t n;
    struct int_map child;    /* parent and name to path */
    struct int_map instance; /* path and full name to 1: modules seen */
    struct name_pool *own;   /* names that no event has: classes of modules, lines */
    int32_t *class_of; /* by name: a module's class in `own` plus one; NO_CLASS: it is
                          no module; 0: not asked yet */
    uint8_t *skipped;  /* by name: 1 is shown, 2 is not; 0: not asked yet */
};

static struct str path_name(const struct paths *p, int32_t name)
{
    int32_t n = p->t->v->s->names.n;
    return name < n ? pool_text(&p->t->v->s->names, name) : pool_text(p->own, name - n);
}

static int32_t own_name(struct paths *p, struct str text)
{
    return p->t->v->s->names.n + pool_add(p->own, text);
}

/* Two numbers as one key. The map uses the middle bits of a product, so keys that
 * differ only in their upper half would collide: mix them, keeping keys distinct. */
static int64_t pair_key(int32_t upper, int64_t lower)
{
    uint64_t key = (uint64_t)upper << 34 | (uint64_t)lower;
    key *= 0xff51afd7ed558ccdu;
    return (int64_t)(key ^ key >> 32);
}

static int32_t path_child(struct paths *p, int32_t parent, enum path_kind kind,
                          int32_t name)
{
    int64_t low = (int64_t)name * PATH_KINDS + kind;
    int32_t *at = int_map_at(&p->child, p->a, pair_key(parent, low));
    if (*at >= 0)
        return *at;
    *at = p->n;
    arena_grow(&p->rows, p->path, p->n);
    p->path[p->n] = (struct path){.parent = parent,
                                  .depth = parent < 0 ? 0 : p->path[parent].depth + 1,
                                  .name = name,
                                  .kind = kind};
    return p->n++;
}

static void add_device(struct paths *p, int32_t parent, event_id g)
{
    const struct event_store *s = p->t->v->s;
    int32_t at = path_child(p, parent, NODE_DEVICE, s->name[g]);
    struct path *leaf = &p->path[at];
    leaf->time_ns += store_dur_ns(s, g);
    leaf->launches++;
}

static bool is_module_name(struct str name)
{
    return str_starts(name, S("nn.Module: "));
}

/* Whether the name of a frame is that of a module, which counts as its class:
 * "nn.Module: ViTLayer_3" is a ViTLayer. */
static bool is_module(struct paths *p, name_id name)
{
    int32_t *class = &p->class_of[name];
    if (!*class) {
        struct str text = pool_text(&p->t->v->s->names, name);
        *class =
            is_module_name(text) ? 1 + own_name(p, tree_module_name(text)) : NO_CLASS;
    }
    return *class != NO_CLASS;
}

static int32_t add_module(struct paths *p, int32_t parent, name_id name)
{
    int32_t at = path_child(p, parent, NODE_MODULE, p->class_of[name] - 1);
    int32_t *seen = int_map_at(&p->instance, p->a, pair_key(at, name));
    p->path[at].instances += *seen < 0;
    *seen = 1;
    return at;
}

/* Frames of the framework's own machinery are not informative, and built-ins carry
 * addresses, which would separate equal paths. */
static bool is_skipped(struct paths *p, name_id name)
{
    uint8_t *known = &p->skipped[name];
    struct str text = pool_text(&p->t->v->s->names, name);
    if (!*known)
        *known = str_starts(text, S("<built-in ")) || tree_is_plumbing(text) ? 2 : 1;
    return *known == 2;
}

/* The frames of a stack that was recorded as text, innermost first, ';' between. */
static int32_t add_text_stack(struct paths *p, int32_t parent, struct str stack)
{
    while (stack.n > 0) {
        ptrdiff_t from = stack.n;
        while (from > 0 && stack.p[from - 1] != ';')
            from--;
        struct str line = str_skip(stack, from);
        if (line.n && !tree_is_plumbing(line) && !str_starts(line, S("<built-in ")))
            parent = path_child(p, parent, NODE_FRAME, own_name(p, line));
        stack = str_head(stack, from ? from - 1 : 0);
    }
    return parent;
}

struct open_call {
    int32_t after, path;
    bool in_op;
};

struct walk {
    struct paths *p;
    const struct call_tree *tree;
    const struct launch_order *device;
    const int32_t *module_at; /* by position: path of the module around it */
    struct open_call *open;
    int32_t depth;
};

static int by_call(const void *x, const void *y)
{
    const struct memory_module *a = x, *b = y;
    return (a->call > b->call) - (a->call < b->call);
}

/* Of a call of a module: what it holds outside of others. */
static int64_t held_bytes(const struct paths *p, event_id i)
{
    const struct memory_peak *m = p->memory;
    const struct memory_module key = {.call = i}, *found = NULL;
    if (m && m->n_modules)
        found = bsearch(&key, m->modules, (size_t)m->n_modules, sizeof key, by_call);
    return found ? found->bytes : 0;
}

/* Modules around each position of the tree of frames, those without device work too: a
 * backward operator looks up the module of its forward. */
static int32_t *module_paths(struct arena *a, struct walk *w)
{
    struct paths *p = w->p;
    const struct event_store *s = p->t->v->s;
    int32_t *module_at = NULL;
    if (p->t->v->backward.n_links)
        module_at = arena_take_raw(a, sizeof *module_at, 4, w->tree->n_order);
    for (int32_t pos = 0; pos < w->tree->n_order; pos++) {
        event_id i = w->tree->order[pos];
        bool module = s->cat[i] == CAT_PYTHON && is_module(p, s->name[i]);
        if (!module && !module_at)
            continue;
        while (w->depth && w->open[w->depth - 1].after <= pos)
            w->depth--;
        int32_t at = w->depth ? w->open[w->depth - 1].path : ROOT;
        if (module) {
            at = add_module(p, at, s->name[i]);
            p->path[at].calls++;
            p->path[at].bytes += held_bytes(p, i);
        }
        if (module_at)
            module_at[pos] = at;
        w->open[w->depth++] = (struct open_call){w->tree->after[pos], at, false};
    }
    w->depth = 0;
    return module_at;
}

/* A backward operator outside any module belongs to its forward's module. */
static int32_t forward_module(const struct walk *w, event_id i)
{
    const struct trace_view *v = w->p->t->v;
    event_id f = backward_forward(&v->backward, i);
    for (int k = 0; f >= 0 && k < TREE_LEVELS_MAX; k++, f = tree_parent(&v->tree, f))
        if (tree_rank(w->tree, f) >= 0)
            return w->module_at[tree_rank(w->tree, f)];
    return ROOT;
}

static int32_t enter_operator(struct walk *w, int32_t at, event_id i, bool in_op)
{
    struct paths *p = w->p;
    const struct event_store *s = p->t->v->s;
    if (p->view == VIEW_MODULES) {
        if (in_op)
            return at;
        if (at == ROOT)
            at = forward_module(w, i);
    }
    name_id stack = store_call_stack(s, i);
    if (p->view == VIEW_CALLS && p->t->has_text_stacks && at == ROOT && stack >= 0)
        at = add_text_stack(p, at, pool_text(&s->names, stack));
    return path_child(p, at, NODE_OPERATOR, s->name[i]);
}

static struct open_call enter(struct walk *w, int32_t pos)
{
    struct paths *p = w->p;
    const struct event_store *s = p->t->v->s;
    event_id i = w->tree->order[pos];
    struct open_call c = {w->tree->after[pos], ROOT, false};
    if (w->depth) {
        c.path = w->open[w->depth - 1].path;
        c.in_op = w->open[w->depth - 1].in_op;
    }
    if (s->cat[i] == CAT_CPU_OP) {
        c.path = enter_operator(w, c.path, i, c.in_op);
        c.in_op = true;
    } else if (s->cat[i] == CAT_PYTHON) {
        if (p->view != VIEW_OPERATIONS && is_module(p, s->name[i]))
            c.path = add_module(p, c.path, s->name[i]);
        else if (p->view == VIEW_CALLS && !is_skipped(p, s->name[i]))
            c.path = path_child(p, c.path, NODE_FRAME, s->name[i]);
    } else if (launch_is_graph(s, i)) {
        c.path = path_child(p, c.path, NODE_OPERATOR, s->name[i]);
    }
    return c;
}

static void walk_calls(struct walk *w, uint8_t *placed)
{
    const struct call_tree *tree = w->tree;
    for (int32_t pos = 0; pos < tree->n_order;) {
        while (w->depth && w->open[w->depth - 1].after <= pos)
            w->depth--;
        if (!bit_any(w->device->launches, pos, tree->after[pos])) {
            pos = tree->after[pos];
            continue;
        }
        struct open_call c = enter(w, pos);
        int32_t n;
        const event_id *gpu = launch_own(w->device, pos, &n);
        for (int32_t k = 0; k < n; k++) {
            add_device(w->p, c.path, gpu[k]);
            placed[launch_place(&w->p->t->v->launch, gpu[k])] = 1;
        }
        w->open[w->depth++] = c;
        pos++;
    }
}

/* All device work that counts and is not placed yet. */
static void add_unplaced(struct paths *p, const uint8_t *placed)
{
    const struct trace_view *v = p->t->v;
    int32_t at = -1;
    for (int32_t k = 0; k < v->n_counted; k++) {
        if (placed[launch_place(&v->launch, v->counted[k])])
            continue;
        if (at < 0)
            at = path_child(p, ROOT, NODE_UNLINKED,
                            own_name(p, S("no launch call in the trace")));
        add_device(p, at, v->counted[k]);
    }
}

static void sum_up(struct paths *p)
{
    for (int32_t i = p->n - 1; i > ROOT; i--) {
        struct path *up = &p->path[p->path[i].parent];
        up->time_ns += p->path[i].time_ns;
        up->launches += p->path[i].launches;
        up->bytes += p->path[i].bytes;
    }
}

static void paths_collect(struct paths *p, struct arena *tmp)
{
    const struct tree_index *t = p->t;
    bool frames = p->view != VIEW_OPERATIONS;
    struct walk w = {.p = p,
                     .tree = frames ? &t->frames : &t->v->tree,
                     .device = frames ? &t->device : &t->v->launch.order};
    uint8_t *placed = arena_new(tmp, uint8_t, t->v->launch.n_all); /* by place */
    w.open = arena_take_raw(tmp, sizeof *w.open, 4, (ptrdiff_t)w.tree->n_order + 1);
    path_child(p, -1, NODE_ALL, 0);
    if (p->view == VIEW_MODULES)
        w.module_at = module_paths(tmp, &w);
    walk_calls(&w, placed);
    add_unplaced(p, placed);
    sum_up(p);
}

struct pending {
    int32_t path; /* -1: the rest of `parent` */
    int32_t parent;
    int64_t rest_ns, rest_launches, rest_paths;
};

struct folding {
    const struct paths *p;
    struct arena *perm;
    struct id_set ids;
    uint64_t *hash;           /* by path: of all its names */
    int32_t *child, *sibling; /* by path: those by time, longest first */
    int64_t least_ns;         /* to stand alone */
    struct path_node *nodes;
    int32_t n;
    struct pending *pending;
    int32_t n_pending;
};

/* Longest first; of equal ones the earlier in the trace. */
static void order_children(struct folding *f, struct arena *tmp)
{
    const struct paths *p = f->p;
    struct sort_row *rows = arena_take_raw(tmp, sizeof *rows, 8, p->n);
    f->child = arena_take_raw(tmp, sizeof *f->child, 4, p->n);
    f->sibling = arena_take_raw(tmp, sizeof *f->sibling, 4, p->n);
    memset(f->child, 0xff, (size_t)p->n * sizeof *f->child);
    for (int32_t i = 0; i < p->n; i++)
        rows[i] = (struct sort_row){p->path[p->n - 1 - i].time_ns, p->n - 1 - i};
    sort_rows(*tmp, rows, p->n);
    for (int32_t k = 0; k < p->n; k++) { /* shortest first: each goes to the front */
        int32_t i = rows[k].row, up = p->path[i].parent;
        if (up < 0)
            continue;
        f->sibling[i] = f->child[up];
        f->child[up] = i;
    }
}

static void hash_paths(struct folding *f, struct arena *tmp)
{
    const struct paths *p = f->p;
    f->hash = arena_take_raw(tmp, sizeof *f->hash, 8, p->n);
    f->hash[ROOT] = 0;
    for (int32_t i = ROOT + 1; i < p->n; i++) {
        uint64_t name = str_hash(path_name(p, p->path[i].name));
        uint64_t up = f->hash[p->path[i].parent] * 0x9e3779b97f4a7c15u;
        f->hash[i] = (up ^ (up >> 29) ^ name) * 31 + p->path[i].kind;
    }
}

/* The name of the joined line of paths from `top` down to `end`. */
static void name_chain(struct folding *f, struct path_node *node, int32_t top,
                       int32_t end)
{
    const struct paths *p = f->p;
    node->n_chain = p->path[end].depth - p->path[top].depth;
    node->n_through =
        node->n_chain < PATH_THROUGH_MAX ? node->n_chain : PATH_THROUGH_MAX;
    node->through = arena_new(f->perm, struct str, node->n_through);
    int half = node->n_through == node->n_chain ? node->n_through : node->n_through / 2;
    int at = node->n_chain;
    for (int32_t i = end; i != top;) {
        i = p->path[i].parent;
        at--;
        int slot = at < half ? at : node->n_through - (node->n_chain - at);
        if (slot >= half || at < half)
            node->through[slot] = str_copy(f->perm, path_name(p, p->path[i].name));
    }
}

/* Goes down while exactly one child gets its own line and the small ones beside it are
 * together too little for one; what was passed is put into *rest. */
static int32_t join_chain(const struct folding *f, int32_t i, struct pending *rest)
{
    const struct paths *p = f->p;
    for (;;) {
        int32_t c = f->child[i], large = 0;
        struct pending sum = *rest;
        int32_t only = c;
        for (; c >= 0; c = f->sibling[c]) {
            if (p->path[c].time_ns >= f->least_ns) {
                large++;
                continue;
            }
            sum.rest_ns += p->path[c].time_ns;
            sum.rest_launches += p->path[c].launches;
            sum.rest_paths += p->path[c].launches > 0; /* none: nothing was launched */
        }
        bool passes = large == 1 && sum.rest_ns < f->least_ns && i != ROOT &&
                      p->path[i].kind != NODE_UNLINKED;
        *rest = sum;
        if (!passes)
            return i;
        i = only;
    }
}

static void push_children(struct folding *f, int32_t i, struct pending rest)
{
    const struct paths *p = f->p;
    if (rest.rest_paths)
        f->pending[f->n_pending++] = rest;
    int32_t from = f->n_pending;
    for (int32_t c = f->child[i]; c >= 0 && p->path[c].time_ns >= f->least_ns;
         c = f->sibling[c])
        f->pending[f->n_pending++] = (struct pending){.path = c, .parent = rest.parent};
    for (int32_t a = from, b = f->n_pending - 1; a < b; a++, b--) { /* longest on top */
        struct pending swap = f->pending[a];
        f->pending[a] = f->pending[b];
        f->pending[b] = swap;
    }
}

static void add_node(struct folding *f, struct pending d)
{
    const struct paths *p = f->p;
    int32_t at = f->n++;
    struct path_node *node = &f->nodes[at];
    *node = (struct path_node){
        .parent = d.parent, .depth = d.parent < 0 ? 0 : f->nodes[d.parent].depth + 1};
    if (d.path < 0) {
        node->kind = NODE_REST;
        node->time_ns = d.rest_ns;
        node->launches = d.rest_launches;
        node->instances = d.rest_paths;
        return;
    }
    struct pending rest = {.path = -1, .parent = at};
    int32_t end = join_chain(f, d.path, &rest);
    node->kind = p->path[end].kind;
    node->time_ns = p->path[d.path].time_ns;
    node->launches = p->path[d.path].launches;
    int32_t module = end; /* the last that the line passes */
    while (module != d.path && p->path[module].kind != NODE_MODULE)
        module = p->path[module].parent;
    node->instances = p->path[module].instances;
    node->calls = p->path[module].calls;
    node->bytes = p->path[d.path].bytes;
    if (end != ROOT) {
        node->name = str_copy(f->perm, path_name(p, p->path[end].name));
        struct arena scratch = *f->perm;
        struct str identity =
            str_printf(&scratch, "%016llx", (unsigned long long)f->hash[end]);
        node->id = id_take(&f->ids, "n", identity);
        name_chain(f, node, d.path, end);
    }
    push_children(f, end, rest);
}

/* `after` of each node: the next node that is not deeper. */
static void close_nodes(struct path_node *nodes, int32_t n)
{
    for (int32_t i = n - 1; i >= 0; i--) {
        if (nodes[i].after <= i)
            nodes[i].after = i + 1;
        int32_t up = nodes[i].parent;
        if (up >= 0 && nodes[up].after < nodes[i].after)
            nodes[up].after = nodes[i].after;
    }
}

static void fold_view(struct arena *perm, struct arena tmp, const struct paths *p,
                      struct path_view *view)
{
    struct folding f = {.p = p, .perm = perm, .ids = id_set_make(perm, 1024)};
    int64_t total = p->path[ROOT].time_ns;
    f.least_ns = total / 1000 * FOLD_PER_MILLE + (total % 1000 > 0);
    f.least_ns = f.least_ns < 1 ? 1 : f.least_ns;
    int32_t large = 1;
    for (int32_t i = ROOT + 1; i < p->n; i++)
        large += p->path[i].time_ns >= f.least_ns;
    hash_paths(&f, &tmp);
    order_children(&f, &tmp);
    /* Each node with its own line may have a rest. */
    f.nodes = arena_take_raw(&tmp, sizeof *f.nodes, 8, 2 * (ptrdiff_t)large);
    f.pending = arena_take_raw(&tmp, sizeof *f.pending, 8, 2 * (ptrdiff_t)large);
    f.pending[f.n_pending++] = (struct pending){.path = ROOT, .parent = -1};
    while (f.n_pending)
        add_node(&f, f.pending[--f.n_pending]);
    close_nodes(f.nodes, f.n);
    view->nodes = arena_take_raw(perm, sizeof *f.nodes, 8, f.n);
    memcpy(view->nodes, f.nodes, (size_t)f.n * sizeof *f.nodes);
    view->n_nodes = f.n;
}

static struct path_view view_make(struct arena *perm, struct arena tmp,
                                  const struct tree_index *t,
                                  const struct memory_peak *memory,
                                  enum path_view_kind kind)
{
    const struct event_store *s = t->v->s;
    struct path_view view = {.kind = kind};
    struct name_pool own;
    pool_open(&own);
    struct paths p = {.t = t, .memory = memory, .view = kind, .a = &tmp, .own = &own};
    p.class_of = arena_new(&tmp, int32_t, s->names.n + 1);
    p.skipped = arena_new(&tmp, uint8_t, s->names.n + 1);
    p.rows = arena_reserve(arena_machine_bytes() / 4);
    char *rows_start = p.rows.at;
    p.child = int_map_make(&tmp, 4096);
    p.instance = int_map_make(&tmp, 1024);
    paths_collect(&p, &tmp);
    view.total_ns = p.path[ROOT].time_ns;
    view.launches = p.path[ROOT].launches;
    view.n_paths = p.n - 1;
    for (int32_t i = 0; i < p.n; i++)
        if (p.path[i].depth > view.deepest)
            view.deepest = p.path[i].depth;
    fold_view(perm, tmp, &p, &view);
    arena_release(rows_start, &p.rows);
    pool_close(&own);
    return view;
}

static bool any_module(const struct event_store *s)
{
    uint8_t is_module = 0;
    for (event_id i = 0; i < s->n && !is_module; i++)
        is_module = s->cat[i] == CAT_PYTHON && is_module_name(store_name(s, i));
    return is_module;
}

const struct path_tree *path_tree_build(struct arena *perm, struct arena tmp,
                                        const struct tree_index *t,
                                        const struct memory_peak *memory)
{
    struct path_tree *r = arena_new(perm, struct path_tree, 1);
    r->has_frames = t->has_frames || t->has_text_stacks;
    r->has_modules = t->has_frames && any_module(t->v->s);
    if (!t->v->n_counted)
        return r;
    if (r->has_modules)
        r->views[r->n_views++] = view_make(perm, tmp, t, memory, VIEW_MODULES);
    if (r->has_frames)
        r->views[r->n_views++] = view_make(perm, tmp, t, memory, VIEW_CALLS);
    r->views[r->n_views++] = view_make(perm, tmp, t, memory, VIEW_OPERATIONS);
    return r;
}

const struct path_node *path_tree_main(const struct path_view *v)
{
    if (v->n_nodes < 2 || v->total_ns <= 0)
        return NULL;
    const struct path_node *n = &v->nodes[1];
    /* Children are sorted by time: the first is the largest. */
    while (v->total_ns - n->time_ns < v->total_ns / 10 && n->after > n - v->nodes + 1 &&
           n[1].kind != NODE_REST)
        n++;
    return n->kind == NODE_REST ? NULL : n;
}
