#include "analysis/stack/module_classes.h"

#include "analysis/stack/tree_index.h"

bool module_is_wrapper(struct str name)
{
    return str_among(name, "DistributedDataParallel DataParallel "
                           "FullyShardedDataParallel OptimizedModule");
}

/* Every class with its instances; returns the class of each name of the store, -1: the
 * name is not a module's. */
static int32_t *count_instances(struct arena *perm, struct arena *tmp,
                                const struct event_store *s, struct module_classes *m)
{
    int32_t *class_of = arena_take_raw(tmp, sizeof *class_of, 4, s->names.n);
    uint8_t *seen = arena_new(tmp, uint8_t, s->names.n);
    struct name_pool classes;
    pool_open(&classes);
    for (event_id i = 0; i < s->n; i++) {
        name_id name = s->name[i];
        if (s->cat[i] != CAT_PYTHON || name < 0 || seen[name])
            continue;
        seen[name] = 1;
        struct str module = tree_module_name(pool_text(&s->names, name));
        class_of[name] = module.n ? pool_add(&classes, module) : -1;
        if (!module.n)
            continue;
        if (class_of[name] == m->n) {
            arena_grow(perm, m->rows, m->n);
            m->rows[m->n++] = (struct module_class){.name = module};
        }
        m->rows[class_of[name]].instances++;
    }
    pool_close(&classes);
    return class_of;
}

struct module_classes module_classes_build(struct arena *perm, struct arena tmp,
                                           const struct tree_index *t)
{
    struct module_classes m = {NULL, 0};
    if (!t || !t->has_frames)
        return m;
    const struct event_store *s = t->v->s;
    const int32_t *class_of = count_instances(perm, &tmp, s, &m);
    for (int32_t at = 0; at < t->frames.n_order;) {
        event_id i = t->frames.order[at];
        bool named = s->cat[i] == CAT_PYTHON && s->name[i] >= 0;
        int32_t class = named ? class_of[s->name[i]] : -1;
        if (class < 0 || module_is_wrapper(m.rows[class].name)) {
            at++;
            continue;
        }
        m.rows[class].outermost_ns += tree_gpu_ns(tmp, t, i);
        at = t->frames.after[at];
    }
    return m;
}
