#include "analysis/system/beside_graphs.h"

enum { GRAPHFUL = 32 };

uint8_t *holds_graph(struct arena *perm, const struct tree_index *t, int32_t graphs)
{
    const struct event_store *s = t->v->s;
    if (!graphs || !t->has_frames)
        return NULL;
    uint8_t *holds = arena_new(perm, uint8_t, s->n + 1);
    for (event_id i = 0; i < s->n; i++)
        if (cat_is_runtime(s->cat[i]) && launch_is_graph(s, i))
            for (event_id up = i; up >= 0 && !holds[up];
                 up = tree_parent(&t->frames, up))
                holds[up] = 1;
    return holds;
}

event_id frame_beside_graphs(const struct tree_index *t, const uint8_t *holds,
                             event_id i)
{
    for (; i >= 0 && !holds[i]; i = tree_parent(&t->frames, i)) {
        struct str name = store_name(t->v->s, i);
        if (t->v->s->cat[i] == CAT_PYTHON && str_has(name, S("): ")) &&
            !tree_is_plumbing(name))
            return i;
    }
    return -1;
}

bool launches_a_graphful(const struct tree_index *t, event_id frame)
{
    int32_t n = 0;
    tree_gpu_below(t, frame, &n);
    return n >= GRAPHFUL;
}
