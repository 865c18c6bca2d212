#include "job/pools.h"

#include "base/int_map.h"
#include "base/sort.h"
#include "job/job_parts.h"

static uint64_t mixed(uint64_t h, uint64_t v)
{
    return (h ^ v) * 1099511628211u ^ h >> 29;
}

/* What a group does: how many ranks, what for, and which kinds in which order. */
static int64_t family_key(const struct job *j, const struct job_group *g)
{
    uint64_t h = mixed(1469598103934665603u, (uint64_t)g->size);
    h = mixed(h, str_hash(g->description));
    for (int32_t i = 0; i < g->n_instances; i++) {
        const struct job_instance *x = &j->instances[g->first_instance + i];
        const struct job_signature *s = &j->signatures[x->signature];
        enum collective_kind kind =
            s->kind == COLLECTIVE_RECV ? COLLECTIVE_SEND : s->kind;
        h = mixed(h, (uint64_t)kind);
        h = mixed(h, kind == COLLECTIVE_ALL_TO_ALL_V ? 0 : (uint64_t)s->bytes);
    }
    return (int64_t)h;
}

/* Who sends does something else than who receives: a pool of each, one after the other.
 */
static bool is_transfer(const struct job *j, const struct job_instance *x)
{
    enum collective_kind kind = j->signatures[x->signature].kind;
    return kind == COLLECTIVE_SEND || kind == COLLECTIVE_RECV;
}

static bool is_in(const struct job *j, const struct job_instance *x,
                  const struct member_ref *m, int32_t pool)
{
    const struct job_member *row = &j->ranks[m->rank].rows[m->row];
    bool receives = j->signatures[row->signature].kind == COLLECTIVE_RECV;
    return !is_transfer(j, x) || x->pool + receives == pool;
}

void pools_find(struct arena tmp, struct job *j)
{
    struct int_map families = int_map_make(&tmp, j->n_groups), at;
    at = int_map_make(&tmp, j->n_instances);
    for (int g = 0; g < j->n_groups; g++) {
        struct job_group *group = &j->groups[g];
        int32_t *family = int_map_at(&families, &tmp, family_key(j, group));
        if (*family < 0)
            *family = j->n_families++;
        group->family = *family;
        for (int32_t i = 0; i < group->n_instances; i++) {
            int32_t *pool = int_map_at(&at, &tmp, (int64_t)group->family << 32 | i);
            struct job_instance *x = &j->instances[group->first_instance + i];
            if (*pool < 0) {
                *pool = j->n_pools;
                j->n_pools += 1 + is_transfer(j, x);
            }
            x->pool = *pool;
        }
    }
}

struct pool_list pools_list(struct arena *a, const struct job *j)
{
    struct pool_list l = {arena_new(a, int32_t, j->n_pools + 1),
                          arena_new(a, int32_t, 2 * (ptrdiff_t)j->n_instances), 0};
    struct arena tmp = *a;
    int32_t *next = arena_new(&tmp, int32_t, j->n_pools);
    int32_t *members = arena_new(&tmp, int32_t, j->n_pools);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        for (int side = 0; side <= is_transfer(j, x); side++) {
            l.first[x->pool + side + 1]++;
            members[x->pool + side] += x->n_members;
        }
    }
    for (int32_t p = 0; p < j->n_pools; p++) {
        l.first[p + 1] += l.first[p];
        next[p] = l.first[p];
        l.most = members[p] > l.most ? members[p] : l.most;
    }
    for (int32_t i = 0; i < j->n_instances; i++)
        for (int side = 0; side <= is_transfer(j, &j->instances[i]); side++)
            l.instances[next[j->instances[i].pool + side]++] = i;
    return l;
}

int32_t pool_members(const struct job *j, const struct pool_list *l, int32_t pool,
                     struct member_ref *to)
{
    int32_t n = 0;
    for (int32_t i = l->first[pool]; i < l->first[pool + 1]; i++) {
        const struct job_instance *x = &j->instances[l->instances[i]];
        for (int32_t k = 0; instance_counts(j, x) && k < x->n_members; k++)
            if (is_in(j, x, &j->members[x->first_member + k], pool))
                to[n++] = j->members[x->first_member + k];
    }
    return n;
}

struct member_ref pool_middle(struct arena tmp, const struct job *j,
                              const struct member_ref *all, int32_t n)
{
    int64_t *ns = arena_new(&tmp, int64_t, n), *rest = arena_new(&tmp, int64_t, n);
    int32_t below = 0, n_equal = 0;
    for (int32_t i = 0; i < n; i++)
        rest[i] = ns[i] = member_segment_ns(&j->ranks[all[i].rank].rows[all[i].row]);
    int64_t middle_ns = nth_ns(rest, n, (n - 1) / 2);
    for (int32_t i = 0; i < n; i++) {
        below += ns[i] < middle_ns;
        if (ns[i] == middle_ns)
            rest[n_equal++] = all[i].rank;
    }
    int64_t rank = nth_ns(rest, n_equal, (n - 1) / 2 - below);
    for (int32_t i = 0; i < n; i++)
        if (ns[i] == middle_ns && all[i].rank == rank)
            return all[i];
    return all[0];
}
