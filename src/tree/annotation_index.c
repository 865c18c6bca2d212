#include "tree/annotation_index.h"

#include "base/arena.h"

enum { LEVELS_MAX = 16 };

struct annotation_index annotations_index(struct arena *perm, struct arena tmp,
                                          const struct event_store *s)
{
    struct annotation_index x = {.notes = tree_build(perm, tmp, s, TREE_ANNOTATIONS)};
    x.first = arena_new(perm, int32_t, s->n_lanes + 1);
    for (int32_t k = 0; k < x.notes.n_order; k++)
        x.first[s->lane[x.notes.order[k]] + 1]++;
    for (int32_t l = 0; l < s->n_lanes; l++)
        x.first[l + 1] += x.first[l];
    return x;
}

event_id annotation_at(const struct annotation_index *x, const struct event_store *s,
                       int32_t lane, int64_t at_ns)
{
    int32_t low = x->first[lane], high = x->first[lane + 1], begin = low;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (s->start_ns[x->notes.order[mid]] <= at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    event_id i = low > begin ? x->notes.order[low - 1] : -1;
    for (int k = 0; i >= 0 && k < LEVELS_MAX; k++, i = tree_parent(&x->notes, i))
        if (store_end_ns(s, i) >= at_ns && str_starts(store_name(s, i), S("nccl:")))
            return i;
    return -1;
}
