/* Which ranks do the same: those that call the same collectives about as often. One
 * whose recording begins later, or ends earlier, has fewer of them and does the same;
 * one at the end of a pipeline sends half as much as those between. */
#include "base/int_map.h"
#include "job/job_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROLES_MAX = 256, /* looked through for each rank */
    COUNT_LEAST = 4  /* fewer of a kind and size tell nothing */
};

/* How often a rank calls collectives of each class. */
struct calls {
    int32_t *class, *count;
    int32_t n, n_many; /* n_many: classes with enough */
};

/* The class of each signature: its kind and size, whichever group. */
static int32_t *classes_of(struct arena *a, const struct job *j, int32_t *n)
{
    struct int_map known = int_map_make(a, 64);
    int32_t *of = arena_new(a, int32_t, j->n_signatures);
    *n = 0;
    for (int32_t i = 0; i < j->n_signatures; i++) {
        const struct job_signature *s = &j->signatures[i];
        bool own_size = s->kind == COLLECTIVE_ALL_TO_ALL_V;
        uint64_t key = ((uint64_t)s->kind + 1) * 1099511628211u;
        key = own_size ? key : (key ^ (uint64_t)s->bytes) * 1099511628211u;
        int32_t *at = int_map_at(&known, a, (int64_t)(key ^ key >> 31));
        if (*at < 0)
            *at = (*n)++;
        of[i] = *at;
    }
    return of;
}

/* Of the steps that all ranks have, or of all that is recorded. Leaves the counts of
 * all classes in `dense`. */
static struct calls calls_of(struct arena *a, const struct job *j, int32_t rank,
                             const int32_t *class_of, int32_t n_classes, int32_t *dense)
{
    const struct job_rank *r = &j->ranks[rank];
    struct calls c = {0};
    memset(dense, 0, (size_t)n_classes * sizeof *dense);
    for (int32_t k = 0; k < r->n_rows; k++)
        if (!j->n_steps || period_of(j, r, r->rows[k].start_ns) < j->n_steps)
            c.n += !dense[class_of[r->rows[k].signature]]++;
    c.class = arena_new(a, int32_t, c.n);
    c.count = arena_new(a, int32_t, c.n);
    for (int32_t k = 0, n = 0; n < c.n; k++) {
        if (!dense[k])
            continue;
        c.class[n] = k;
        c.count[n++] = dense[k];
        c.n_many += dense[k] >= COUNT_LEAST;
    }
    return c;
}

/* Counts differ by a quarter at most. */
static bool are_near(int32_t a, int32_t b)
{
    int32_t more = a > b ? a : b;
    return more < COUNT_LEAST || 4 * (int64_t)abs(a - b) <= more;
}

/* `dense`: of `own`. */
static bool do_the_same(const struct calls *own, const int32_t *dense,
                        const struct calls *other)
{
    int32_t n_many = 0;
    for (int32_t k = 0; k < other->n; k++) {
        int32_t count = dense[other->class[k]];
        if (!are_near(count, other->count[k]))
            return false;
        n_many += count >= COUNT_LEAST;
    }
    return n_many == own->n_many;
}

void job_rank_roles(struct arena tmp, struct job *j)
{
    int32_t n_classes, n_roles = 0;
    int32_t *class_of = classes_of(&tmp, j, &n_classes);
    int32_t *dense = arena_new(&tmp, int32_t, n_classes);
    struct calls *roles = arena_new(&tmp, struct calls, ROLES_MAX);
    for (int32_t i = 0; i < j->n_ranks; i++) {
        struct arena keep = tmp;
        struct calls own = calls_of(&tmp, j, i, class_of, n_classes, dense);
        int32_t of = 0;
        while (of < n_roles && !do_the_same(&own, dense, &roles[of]))
            of++;
        if (of == n_roles && n_roles < ROLES_MAX)
            roles[n_roles++] = own;
        else
            tmp = keep;
        j->ranks[i].role = of < ROLES_MAX ? of : i;
    }
}
