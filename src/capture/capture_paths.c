#include "capture/capture_paths.h"

#include "capture/capture_nodes.h"

#include <assert.h>
#include <string.h>

/* The paths of a program are some hundreds; what recurses is cut here. */
enum { NODES_MAX = 4000, DEPTH_MAX = CAPTURE_DEPTH_MAX };
static_assert(NODES_MAX < UINT16_MAX, "a node fits");

/* "nn.Module: Attention" of "nn.Module: Attention_3". */
static struct str without_index(struct str name)
{
    ptrdiff_t n = name.n;
    while (n > 0 && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
        n--;
    return n > 0 && n < name.n && name.p[n - 1] == '_' ? str_head(name, n - 1) : name;
}

static bool is_told(const struct event_store *s, event_id i, bool *module)
{
    *module = s->cat[i] == CAT_PYTHON;
    return s->cat[i] == CAT_CPU_OP ||
           (*module && str_starts(store_name(s, i), CAPTURE_MODULE_MARK));
}

static void add_node(struct capture_paths *p, struct capture_node node)
{
    arena_grow(p->perm, p->c->nodes, p->c->n_nodes);
    p->c->nodes[p->c->n_nodes++] = node;
}

struct capture_paths paths_open(struct arena *perm, struct arena *tmp,
                                const struct event_store *s,
                                const struct call_tree *tree, struct capture *c)
{
    struct capture_paths p = {.perm = perm, .s = s, .tree = tree, .c = c};
    pool_open(&p.names);
    p.children = int_map_make(perm, 256);
    p.node_of = arena_new(tmp, uint16_t, s->n);
    add_node(&p, (struct capture_node){.parent = -1});
    return p;
}

void paths_close(struct capture_paths *p)
{
    pool_close(&p->names);
}

static int32_t child_of(struct capture_paths *p, int32_t parent, struct str name,
                        bool module)
{
    int64_t key = (int64_t)parent << 32 | pool_add(&p->names, name);
    int32_t *at = int_map_at(&p->children, p->perm, key);
    const struct capture_node *above = &p->c->nodes[parent];
    if (*at >= 0)
        return *at;
    if (p->c->n_nodes >= NODES_MAX || above->depth >= DEPTH_MAX)
        return *at = parent;
    *at = p->c->n_nodes;
    add_node(p, (struct capture_node){parent, above->depth + 1, name, module});
    return *at;
}

int32_t paths_node(struct capture_paths *p, event_id event)
{
    event_id i = event;
    int32_t n = 0;
    for (; i >= 0 && !p->node_of[i]; i = tree_parent(p->tree, i)) {
        if (n == p->chain_cap) {
            event_id *more =
                arena_take_raw(p->perm, sizeof *more, 4, 2 * (ptrdiff_t)n + 64);
            if (n)
                memcpy(more, p->chain, (size_t)n * sizeof *more);
            p->chain = more;
            p->chain_cap = 2 * n + 64;
        }
        p->chain[n++] = i;
    }
    int32_t node = i < 0 ? 0 : p->node_of[i] - 1;
    while (n-- > 0) {
        bool module;
        i = p->chain[n];
        if (is_told(p->s, i, &module))
            node = child_of(p, node, without_index(store_name(p->s, i)), module);
        p->node_of[i] = (uint16_t)(node + 1);
    }
    return node;
}
