/* What groups of ranks are for: as they are called, else by what they do. */
#include "job/job_parts.h"
#include "job/pools.h"

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
