#include "analysis/stack/stack_paths.h"

#include "analysis/stack/tree_index.h"
#include "base/arena.h"
#include "base/int_map.h"

struct builder {
    struct arena *perm;
    const struct tree_index *t;
    const struct event_store *s;
    struct int_map path_of;  /* by parent and frame */
    struct int_map frame_of; /* by name; threads: by lane, less than 0 */
    int32_t *at;             /* by position in the tree: its path */
    int64_t *below_ns;       /* by position: what its children take */
    struct stack_paths p;
};

static int32_t frame_at(struct builder *b, int64_t key, struct str name)
{
    int32_t *frame = int_map_at(&b->frame_of, b->perm, key);
    if (*frame < 0) {
        *frame = b->p.n_frames;
        b->p.frames[b->p.n_frames++] = name;
    }
    return *frame;
}

static int32_t path_below(struct builder *b, int32_t parent, int32_t frame)
{
    int32_t depth = parent < 0 ? 0 : b->p.at[parent].depth + 1;
    if (depth > STACK_LEVELS_MAX)
        return parent;
    int32_t *path =
        int_map_at(&b->path_of, b->perm, ((int64_t)parent + 1) << 32 | (uint32_t)frame);
    if (*path < 0) {
        *path = b->p.n;
        b->p.at[b->p.n++] =
            (struct stack_path){.parent = parent, .frame = frame, .depth = depth};
    }
    return *path;
}

/* "thread 4711 (python)" */
static int32_t thread_path(struct builder *b, event_id i)
{
    int32_t lane = b->s->lane[i];
    const struct lane *l = &b->s->lanes[lane];
    struct str tid = pool_text(&b->s->names, l->tid), name = S("");
    if (l->thread_name >= 0)
        name = pool_text(&b->s->names, l->thread_name);
    struct str text = str_printf(b->perm, "thread %.*s%s%.*s%s", STRF(tid),
                                 name.n ? " (" : "", STRF(name), name.n ? ")" : "");
    return path_below(b, -1, frame_at(b, -1 - (int64_t)lane, text));
}

static int32_t event_path(struct builder *b, int32_t parent, event_id i)
{
    return path_below(b, parent, frame_at(b, b->s->name[i], store_name(b->s, i)));
}

static void add(struct builder *b, int32_t path, int64_t ns)
{
    b->p.at[path].n++;
    b->p.at[path].ns += ns;
    b->p.total_ns += ns;
}

/* Callers come before what they call. */
static void walk_calls(struct builder *b)
{
    const struct call_tree *c = &b->t->frames;
    for (int32_t k = 0; k < c->n_order; k++) {
        event_id i = c->order[k], above = tree_parent(c, i);
        int32_t from = above < 0 ? -1 : tree_rank(c, above);
        b->at[k] = event_path(b, from < 0 ? thread_path(b, i) : b->at[from], i);
        if (from >= 0)
            b->below_ns[from] += store_dur_ns(b->s, i);
    }
}

static void add_calls(struct builder *b)
{
    for (int32_t k = 0; k < b->t->frames.n_order; k++) {
        int64_t own_ns = store_dur_ns(b->s, b->t->frames.order[k]) - b->below_ns[k];
        add(b, b->at[k], own_ns > 0 ? own_ns : 0);
    }
}

static void add_device_work(struct builder *b)
{
    const struct trace_view *v = b->t->v;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], call = view_issue(v, gpu);
        int32_t pos = call < 0 ? -1 : tree_rank(&b->t->frames, call);
        int32_t from =
            pos >= 0 ? b->at[pos]
                     : path_below(b, -1,
                                  frame_at(b, INT64_MIN,
                                           S("(launched by no call of the trace)")));
        add(b, event_path(b, from, gpu), store_dur_ns(b->s, gpu));
    }
}

struct stack_paths stack_paths_build(struct arena *perm, struct arena tmp,
                                     const struct tree_index *t, enum stack_side side)
{
    const struct event_store *s = t->v->s;
    ptrdiff_t calls = t->frames.n_order,
              most = calls + t->v->n_counted + s->n_lanes + 1;
    struct builder b = {.perm = perm, .t = t, .s = s, .p = {.side = side}};
    b.p.at = arena_take_raw(perm, sizeof *b.p.at, 8, most);
    b.p.frames =
        arena_take_raw(perm, sizeof *b.p.frames, 8, s->names.n + s->n_lanes + 1);
    b.at = arena_take_raw(&tmp, sizeof *b.at, 4, calls);
    b.below_ns = arena_new(&tmp, int64_t, calls);
    b.path_of = int_map_make(perm, 1 << 10);
    b.frame_of = int_map_make(perm, 1 << 10);
    walk_calls(&b);
    if (side == STACKS_OF_HOST)
        add_calls(&b);
    else
        add_device_work(&b);
    return b.p;
}

int stack_path_frames(const struct stack_paths *p, int32_t path,
                      int32_t to[STACK_LEVELS_MAX + 2])
{
    int n = p->at[path].depth + 1;
    for (int k = n; path >= 0; path = p->at[path].parent)
        to[--k] = p->at[path].frame;
    return n;
}
