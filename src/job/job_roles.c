/* What groups of ranks are for: as they are called, else by what they do. */
#include "base/int_map.h"
#include "base/sort.h"
#include "job/job_parts.h"
#include "timeline/interval_set.h"

#include <string.h>

/* The words of frameworks, in names and descriptions of groups. */
static struct str role_of_word(struct str text)
{
    static const struct {
        struct str word, role;
    } words[] = {{S_INIT("tensor"), S_INIT("TP")},
                 {S_INIT("tp"), S_INIT("TP")},
                 {S_INIT("pipeline"), S_INIT("PP")},
                 {S_INIT("pp"), S_INIT("PP")},
                 {S_INIT("expert"), S_INIT("EP")},
                 {S_INIT("ep"), S_INIT("EP")},
                 {S_INIT("context"), S_INIT("CP")},
                 {S_INIT("cp"), S_INIT("CP")},
                 {S_INIT("fsdp"), S_INIT("FSDP")},
                 {S_INIT("data"), S_INIT("DP")},
                 {S_INIT("dp"), S_INIT("DP")},
                 {S_INIT("default_pg"), S_INIT("all ranks")}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct str word = words[i].word;
        for (ptrdiff_t at = 0; at + word.n <= text.n; at++) {
            struct str here = {text.p + at, word.n};
            bool begins = !at || text.p[at - 1] == '_' || text.p[at - 1] == '-' ||
                          text.p[at - 1] == ' ';
            ptrdiff_t end = at + word.n;
            bool ends = end == text.n || text.p[end] == '_' || text.p[end] == '-' ||
                        text.p[end] == ' ';
            if (begins && ends && str_eq_nocase(here, word))
                return words[i].role;
        }
    }
    return S("");
}

int node_of_rank(const struct job *j, int32_t rank)
{
    const struct job_place *place = topology_place(&j->options.topology, rank);
    if (place)
        return place->node;
    int32_t at = job_rank_place(j, rank);
    if (at >= 0)
        return j->ranks[at].node;
    return j->gpus_per_node > 0 ? rank / j->gpus_per_node : 0;
}

static bool crosses_nodes(const struct job *j, const struct job_group *g)
{
    for (int i = 1; i < g->n_ranks; i++)
        if (node_of_rank(j, g->ranks[i]) != node_of_rank(j, g->ranks[0]))
            return true;
    return !g->n_ranks && g->size >= j->n_ranks && j->n_nodes > 1;
}

static bool is_contiguous(const struct job_group *g)
{
    return g->n_ranks > 1 && g->ranks[g->n_ranks - 1] - g->ranks[0] == g->n_ranks - 1;
}

/* A guess, with its reason. */
static void guess(const struct job *j, struct job_group *g)
{
    enum { LARGE_BYTES = 1 << 20 };
    int64_t of[COLLECTIVE_KINDS] = {0}, large = 0, known = 0,
            end = g->first_instance + g->n_instances;
    for (int64_t i = g->first_instance; i < end; i++) {
        const struct job_signature *s = &j->signatures[j->instances[i].signature];
        of[s->kind]++;
        large += s->bytes >= LARGE_BYTES;
        known += s->bytes >= 0;
    }
    int64_t reduces = of[COLLECTIVE_ALL_REDUCE] + of[COLLECTIVE_ALL_GATHER];
    g->role_guessed = true;
    if (of[COLLECTIVE_SEND] + of[COLLECTIVE_RECV] > 0) {
        g->role = S("PP");
        g->role_reason = S("sends and receives");
    } else if (of[COLLECTIVE_ALL_TO_ALL] + of[COLLECTIVE_ALL_TO_ALL_V] > 0) {
        g->role = S("EP");
        g->role_reason = S("all-to-all");
    } else if (of[COLLECTIVE_REDUCE_SCATTER] && large) {
        g->role = S("FSDP");
        g->role_reason = S("large reduce-scatters and all-gathers");
    } else if (is_contiguous(g) && !g->crosses_nodes && g->size < j->n_ranks &&
               reduces * 2 > g->n_instances) {
        g->role = S("TP");
        g->role_reason = S("neighbours of one node with many reductions");
    } else if (large) {
        g->role = S("DP");
        g->role_reason = S("large all-reduces");
    } else if (!known) {
        g->role = S("unknown");
        g->role_reason = S("no size is recorded");
        g->role_guessed = false;
    } else {
        g->role = S("control");
        g->role_reason = S("small messages alone");
    }
}

void job_roles(struct arena tmp, struct job *j)
{
    for (int i = 0; i < j->n_groups; i++) {
        struct job_group *g = &j->groups[i];
        g->crosses_nodes = crosses_nodes(j, g);
        g->role = role_of_word(g->description);
        g->role_reason = S("description");
        if (!g->role.n) {
            g->role = role_of_word(g->name);
            g->role_reason = S("name");
        }
        if (!g->role.n)
            guess(j, g);
    }
    pools_find(tmp, j);
}

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

/* Of the two, which of a transfer a member is in. */
static bool is_in(const struct job *j, const struct job_instance *x,
                  const struct member_ref *m, int32_t pool)
{
    const struct job_member *row = &j->ranks[m->rank].rows[m->row];
    bool receives = j->signatures[row->signature].kind == COLLECTIVE_RECV;
    return x->pool + receives == pool;
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
        const struct member_ref *all = j->members + x->first_member;
        bool apart = is_transfer(j, x);
        for (int32_t k = 0; instance_counts(j, x) && k < x->n_members; k++)
            if (!apart || is_in(j, x, &all[k], pool))
                to[n++] = all[k];
    }
    return n;
}

int32_t pool_of_row(const struct job *j, const struct job_member *m)
{
    const struct job_instance *x = m->instance >= 0 ? &j->instances[m->instance] : NULL;
    if (!x || !instance_counts(j, x))
        return -1;
    bool receives = j->signatures[m->signature].kind == COLLECTIVE_RECV;
    return x->pool + (is_transfer(j, x) && receives);
}

/* As many parts of what is free, of about the same size. */
static void share_out(struct arena all, struct arena *own, int n)
{
    if (n == 1) {
        *own = all;
        return;
    }
    struct arena first = arena_first_half(&all);
    share_out(first, own, n / 2);
    share_out(all, own + n / 2, n - n / 2);
}

int job_team(struct arena tmp, const struct job *j, struct arena own[TEAM_MAX])
{
    int n = j->options.threads < TEAM_MAX ? j->options.threads : TEAM_MAX;
    n = n > 1 ? n : 1;
    share_out(tmp, own, n);
    return n;
}

struct pool_walk {
    const struct job *j;
    struct pool_list pools;
    struct arena own[TEAM_MAX];
    int n_members;
    void (*one)(void *context, int member, struct arena tmp, int32_t pool,
                const struct member_ref *all, int32_t n);
    void *context;
};

static void walk_some(void *context, int member)
{
    struct pool_walk *w = context;
    struct arena tmp = w->own[member];
    struct member_ref *all = arena_new(&tmp, struct member_ref, w->pools.most);
    for (int32_t p = member; p < w->j->n_pools; p += w->n_members) {
        int32_t n = pool_members(w->j, &w->pools, p, all);
        if (n)
            w->one(w->context, member, tmp, p, all, n);
    }
}

void pools_each(struct arena tmp, const struct job *j,
                void (*one)(void *context, int member, struct arena tmp, int32_t pool,
                            const struct member_ref *all, int32_t n),
                void *context)
{
    struct pool_walk w = {
        .j = j, .pools = pools_list(&tmp, j), .one = one, .context = context};
    w.n_members = job_team(tmp, j, w.own);
    team_run(w.n_members, walk_some, &w);
}

struct member_ref pool_middle(struct arena tmp, const struct job *j,
                              const struct member_ref *all, int32_t n)
{
    int64_t *ns = arena_take_raw(&tmp, sizeof *ns, 8, n);
    int64_t *rest = arena_take_raw(&tmp, sizeof *rest, 8, n);
    int32_t below = 0, n_equal = 0;
    for (int32_t i = 0; i < n; i++) {
        segment_soon(j, all, i, n);
        rest[i] = ns[i] = member_segment_ns(&j->ranks[all[i].rank].rows[all[i].row]);
    }
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

/* What late ranks did before a collective, against the rank in the middle; and where
 * the time of each rank went. */

static int step_of(const struct job *j, const struct member_ref *m)
{
    int32_t step = j->instances[j->ranks[m->rank].rows[m->row].instance].step;
    return step < 0 ? j->n_steps : step;
}

static void add_late(const struct job *j, const struct member_ref *own,
                     const struct member_ref *ref, int step, struct job_lateness *l)
{
    const struct job_rank *r = &j->ranks[own->rank], *other = &j->ranks[ref->rank];
    const struct job_member *m = &r->rows[own->row], *o = &other->rows[ref->row];
    int64_t ns = member_segment_ns(m) - member_segment_ns(o), work_ns[WORK_CATEGORIES];
    if (ns <= 0)
        return;
    l->ns += ns;
    l->n++;
    for (int k = 0; k < SEGMENT_PARTS; k++)
        l->part_ns[k] += m->part_ns[k] - o->part_ns[k];
    split_compute(j, own->rank, ref->rank, step,
                  m->part_ns[SEGMENT_COMPUTE] - o->part_ns[SEGMENT_COMPUTE], work_ns);
    for (int k = 0; k < WORK_CATEGORIES; k++)
        l->work_ns[k] += work_ns[k];
    row_causes(r, own->row, 1, l->cause_ns);
    row_causes(other, ref->row, -1, l->cause_ns);
}

/* Of each thread, the lateness of all ranks in the pools that it had. */
struct lateness {
    struct job *j;
    struct job_lateness *of[TEAM_MAX];
};

static void late_in_pool(void *context, int member, struct arena tmp, int32_t pool,
                         const struct member_ref *all, int32_t n)
{
    struct lateness *x = context;
    struct member_ref ref = pool_middle(tmp, x->j, all, n);
    x->j->middles[pool] = ref;
    for (int32_t i = 0; i < n; i++) {
        int step = step_of(x->j, &all[i]);
        members_soon(x->j, all, i, n, step);
        add_late(x->j, &all[i], &ref, step, &x->of[member][all[i].rank]);
    }
}

static void add_lateness(struct job_lateness *to, const struct job_lateness *l)
{
    to->ns += l->ns;
    to->n += l->n;
    for (int k = 0; k < SEGMENT_PARTS; k++)
        to->part_ns[k] += l->part_ns[k];
    for (int k = 0; k < WORK_CATEGORIES; k++)
        to->work_ns[k] += l->work_ns[k];
    for (int k = 0; k < CAPTURE_CAUSES; k++)
        to->cause_ns[k] += l->cause_ns[k];
}

void job_causes(struct arena *perm, struct arena tmp, struct job *j)
{
    struct lateness x = {.j = j};
    struct arena own[TEAM_MAX];
    job_find_periods(perm, tmp, j);
    if (j->is_hidden) {
        periods_lateness(tmp, j);
        return;
    }
    j->middles = arena_new(perm, struct member_ref, j->n_pools);
    int n = job_team(tmp, j, own);
    for (int m = 0; m < n; m++)
        x.of[m] = arena_new(&tmp, struct job_lateness, j->n_ranks);
    pools_each(tmp, j, late_in_pool, &x);
    for (int i = 0; i < j->n_ranks; i++)
        for (int m = 0; m < n; m++) {
            add_lateness(&j->ranks[i].late, &x.of[m][i]);
            j->total_late_ns += x.of[m][i].ns;
        }
}

/* The end of each stay, as long as the shortest of its instance, moves data; what is
 * before is waiting. Both only where no computation hides them. */
static int64_t transfer_ns(struct arena tmp, const struct job *j,
                           const struct job_rank *r)
{
    struct span *spans = arena_new(&tmp, struct span, r->n_rows);
    struct span *hidden = arena_new(&tmp, struct span, r->n_covers);
    for (int32_t i = 0; i < r->n_rows; i++) {
        const struct job_member *m = &r->rows[i];
        int64_t end_ns = m->start_ns + m->dur_ns;
        spans[i] = (struct span){end_ns - moving_ns(j, m), end_ns};
    }
    for (int32_t i = 0; i < r->n_covers; i++)
        hidden[i] = (struct span){r->covers[i].start_ns,
                                  r->covers[i].start_ns + r->covers[i].dur_ns};
    struct interval_set moves = interval_union(tmp, spans, r->n_rows);
    struct interval_set covers = {hidden, r->n_covers};
    return interval_length_ns(interval_minus(&tmp, moves, covers));
}

void job_balances(struct arena tmp, struct job *j)
{
    int64_t most_ns = 0;
    double sum = 0;
    for (int i = 0; i < j->n_ranks; i++) {
        struct job_rank *r = &j->ranks[i];
        struct job_balance *b = &r->balance;
        int64_t exposed_ns = b->wait_ns, ns = transfer_ns(tmp, j, r);
        b->transfer_ns = ns < exposed_ns ? ns : exposed_ns;
        b->wait_ns = exposed_ns - b->transfer_ns;
        most_ns = b->compute_ns > most_ns ? b->compute_ns : most_ns;
        sum += (double)b->compute_ns;
    }
    j->imbalance_frac = sum > 0 ? (double)most_ns * j->n_ranks / sum - 1 : 0;
}
