/* What the run would take without late ranks, by the replay of all ranks. */
#include "base/sort.h"
#include "job/job_mends.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CANDIDATES = 64, /* ranks that are mended alone */
    CANDIDATES_OF_MANY = 16,
    ROUNDS = 16,         /* ranks that are mended one after the other */
    FEW_CANDIDATES = 8,  /* in later rounds, of many ranks */
    MANY_NODES = 4000000 /* times candidates */
};

#define IDENTITY_FRAC 0.002
#define LEAST_FRAC    0.001 /* of the run: of many ranks, the curve ends there */

/* The best tenth of the transfers of a signature, for its instances. */
static double *best_transfers(struct job_graph *w)
{
    struct job *j = w->j;
    double *ns = arena_new(&w->tmp, double, j->n_instances);
    struct arena tmp = w->tmp;
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_instances);
    int64_t *of = arena_new(&tmp, int64_t, j->n_instances);
    for (int32_t i = 0; i < j->n_instances; i++) {
        rows[i] = (struct sort_row){j->instances[i].signature, i};
        ns[i] = -1;
    }
    sort_rows(tmp, rows, j->n_instances);
    for (int32_t from = 0, to; from < j->n_instances; from = to) {
        int32_t n = 0;
        for (to = from; to < j->n_instances && rows[to].key == rows[from].key; to++)
            if (j->instances[rows[to].row].is_decomposed)
                of[n++] = j->instances[rows[to].row].min_dur_ns;
        double best = n ? (double)nth_ns(of, n, n / 10) : -1;
        for (int32_t i = from; i < to; i++) {
            const struct job_instance *x = &j->instances[rows[i].row];
            ns[rows[i].row] =
                x->is_decomposed && best < (double)x->min_dur_ns ? best : -1;
        }
    }
    return ns;
}

/* The length of the run with one rank more, or less, in the given mode, for each
 * candidate. */
static void try_each(struct job_graph *w, const uint8_t *mode, const int32_t *ranks,
                     int n, enum replay_mode own, int64_t *total_ns)
{
    struct arena keep = w->tmp;
    uint8_t *modes[REPLAY_LANES];
    int n_ranks = w->j->n_ranks;
    for (int k = 0; k < REPLAY_LANES; k++)
        modes[k] = arena_new(&w->tmp, uint8_t, n_ranks);
    for (int i = 0; i < n; i += REPLAY_LANES) {
        int lanes = n - i < REPLAY_LANES ? n - i : REPLAY_LANES;
        for (int k = 0; k < lanes; k++) {
            memcpy(modes[k], mode, (size_t)n_ranks);
            modes[k][ranks[i + k]] = (uint8_t)own;
        }
        job_graph_run(w, (const uint8_t *const *)modes, lanes, total_ns + i);
    }
    w->tmp = keep;
}

/* Those that others wait for most by their own doing. */
static int candidates_of(struct job_graph *w, int32_t *to)
{
    struct job *j = w->j;
    struct arena tmp = w->tmp;
    struct sort_row *rows = by_own_blame(&tmp, j);
    int most = (int64_t)w->g.n * CANDIDATES > (int64_t)MANY_NODES * 16
                   ? CANDIDATES_OF_MANY
                   : CANDIDATES;
    int n = j->n_ranks < most ? j->n_ranks : most;
    for (int i = 0; i < n; i++)
        to[i] = rows[i].row;
    return n;
}

static void mend_alone(struct job_graph *w, const int32_t *ranks, int n)
{
    struct job *j = w->j;
    struct arena keep = w->tmp;
    uint8_t *none = arena_new(&w->tmp, uint8_t, j->n_ranks);
    uint8_t *all = arena_new(&w->tmp, uint8_t, j->n_ranks);
    int64_t total_ns[CANDIDATES];
    memset(all, REPLAY_MIDDLE, (size_t)j->n_ranks);
    try_each(w, none, ranks, n, REPLAY_MENDED, total_ns);
    for (int i = 0; i < n; i++) {
        j->ranks[ranks[i]].save_ns = j->identity_ns - total_ns[i];
        j->ranks[ranks[i]].has_whatif = true;
    }
    try_each(w, all, ranks, n, REPLAY_AS_IS, total_ns);
    for (int i = 0; i < n; i++)
        j->ranks[ranks[i]].add_ns = total_ns[i] - j->ideal_ns;
    w->tmp = keep;
}

static void sort_by_total(struct arena tmp, int32_t *ranks, const int64_t *total_ns,
                          int n)
{
    struct sort_row *rows = arena_new(&tmp, struct sort_row, n);
    int32_t *copy = arena_new(&tmp, int32_t, n);
    memcpy(copy, ranks, (size_t)n * sizeof *copy);
    for (int i = 0; i < n; i++)
        rows[i] = (struct sort_row){total_ns[i], i};
    sort_rows(tmp, rows, n);
    for (int i = 0; i < n; i++)
        ranks[i] = copy[rows[i].row];
}

/* Mends the rank that saves most, then the next. */
static void mend_in_turn(struct job_graph *w, int32_t *ranks, int n)
{
    struct job *j = w->j;
    struct arena keep = w->tmp;
    uint8_t *mode = arena_new(&w->tmp, uint8_t, j->n_ranks);
    int64_t total_ns[CANDIDATES];
    int rounds = n < ROUNDS ? n : ROUNDS;
    bool many = (int64_t)w->g.n * n > MANY_NODES;
    j->curve = arena_new(w->perm, struct job_curve, rounds + 1);
    j->curve[j->n_curve++] = (struct job_curve){-1, j->identity_ns};
    for (int round = 0; round < rounds; round++) {
        int tried = many && round && n > FEW_CANDIDATES ? FEW_CANDIDATES : n;
        if (round)
            try_each(w, mode, ranks, tried, REPLAY_MENDED, total_ns);
        else /* as alone */
            for (int i = 0; i < n; i++)
                total_ns[i] = j->identity_ns - j->ranks[ranks[i]].save_ns;
        int best = 0;
        for (int i = 1; i < tried; i++)
            if (total_ns[i] < total_ns[best] ||
                (total_ns[i] == total_ns[best] && ranks[i] < ranks[best]))
                best = i;
        int32_t rank = ranks[best];
        int64_t left_ns = total_ns[best];
        int64_t before_ns = j->curve[j->n_curve - 1].total_ns;
        if (many && (double)(before_ns - left_ns) < LEAST_FRAC * (double)before_ns)
            break;
        mode[rank] = REPLAY_MENDED;
        j->curve[j->n_curve++] = (struct job_curve){rank, left_ns};
        if (many && !round)
            sort_by_total(w->tmp, ranks, total_ns, n);
        int at = 0;
        while (ranks[at] != rank)
            at++;
        memmove(ranks + at, ranks + at + 1, (size_t)(n - at - 1) * sizeof *ranks);
        n--;
    }
    w->tmp = keep;
}

/* With more than was allowed, the run is not replayed: all else is as it is. */
static bool is_allowed(struct arena *perm, struct job *j)
{
    const struct job_options *o = &j->options;
    double pairs = 0;
    for (int i = 0; i < j->n_ranks; i++)
        pairs += j->ranks[i].n_rows;
    double bytes = job_bytes((int64_t)pairs) + JOB_REPLAY_BYTES * pairs;
    if (j->n_ranks > 1 && !j->has_several)
        j->no_replay = S("no collective of a rank is found on another");
    else if (j->clock_free)
        j->no_replay = o->clock == CLOCK_NONE
                           ? S("--clock none: ranks have no time in common")
                           : S("the clocks of the ranks disagree");
    else if (o->max_pairs > 0 && pairs > o->max_pairs)
        j->no_replay = str_printf(
            perm, "the ranks have %.0f collectives, and --max-pairs allows %.0f", pairs,
            o->max_pairs);
    else if (o->max_bytes > 0 && bytes > o->max_bytes)
        j->no_replay = str_printf(perm,
                                  "a replay would take about %.0f MB of memory, and "
                                  "--max-memory allows %.0f MB",
                                  ceil(bytes / 1e6), o->max_bytes / 1e6);
    return !j->no_replay.n;
}

/* The length of the run with other tails of its instances; NULL: as they are. */
static int64_t run_with(struct job_graph *w, const uint8_t *mode,
                        const double *other_ns)
{
    double end_ns;
    struct replay_change c = {.mode = mode, .other_tails = other_ns != NULL};
    w->g.other_ns = other_ns;
    replay_run(&w->g, w->tmp, &c, 1, &end_ns);
    return llround(end_ns);
}

void job_what_ifs(struct arena *perm, struct arena tmp, struct job *j)
{
    struct job_graph w = {.j = j, .perm = perm, .tmp = tmp};
    if (!is_allowed(perm, j))
        return;
    job_graph_build(&w);
    if (w.g.n_order < w.g.n)
        return;
    int64_t end_ns[REPLAY_LANES], total_ns = j->end_ns - j->start_ns;
    uint8_t *all = arena_new(&w.tmp, uint8_t, j->n_ranks);
    memset(all, REPLAY_MIDDLE, (size_t)j->n_ranks);
    const uint8_t *modes[] = {NULL, all};
    job_graph_run(&w, modes, 2, end_ns);
    j->identity_ns = end_ns[0];
    j->ideal_ns = end_ns[1];
    j->whatif_shown =
        fabs((double)(end_ns[0] - total_ns)) <= IDENTITY_FRAC * (double)total_ns;
    if (!j->whatif_shown || j->n_ranks < 2)
        return;
    j->fast_transfer_ns = run_with(&w, NULL, best_transfers(&w));
    int32_t ranks[CANDIDATES];
    int n = candidates_of(&w, ranks);
    mend_alone(&w, ranks, n);
    mend_in_turn(&w, ranks, n);
    job_mend_together(&w);
}

/* Tails of an instance if all-to-all-v were even; less than 0: as they are. */
static double *even_transfers(struct arena *a, const struct job *j, bool *any)
{
    double *ns = arena_new(a, double, j->n_instances);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        bool uneven = x->is_decomposed && (double)x->even_frac < UNEVEN_FRAC;
        ns[i] = uneven ? (double)x->min_dur_ns * (double)x->even_frac : -1;
        *any |= uneven;
    }
    return ns;
}

/* The same if slow groups were as fast as those that do the same. */
static double *usual_transfers(struct arena *a, const struct job *j, bool *any)
{
    double *ns = arena_new(a, double, j->n_instances);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        const struct job_group *g = &j->groups[x->group];
        ns[i] =
            g->is_slow && x->is_decomposed ? (double)x->min_dur_ns / g->slow_ratio : -1;
        *any |= ns[i] >= 0;
    }
    return ns;
}

void job_what_if_mended(struct arena *perm, struct arena tmp, struct job *j)
{
    struct job_graph w = {.j = j, .perm = perm, .tmp = tmp};
    bool uneven = false, slow = false;
    double *even_ns = even_transfers(&w.tmp, j, &uneven);
    double *usual_ns = usual_transfers(&w.tmp, j, &slow);
    j->named_ns = j->even_ns = j->links_ns = -1;
    if (!j->whatif_shown || j->n_ranks < 2 || (!j->n_named && !slow))
        return;
    if (j->n_named == 1 && j->ranks[j->named[0]].has_whatif && !uneven && !slow) {
        j->named_ns = j->identity_ns - j->ranks[j->named[0]].save_ns;
        return;
    }
    job_graph_build(&w);
    uint8_t *mode = arena_new(&w.tmp, uint8_t, j->n_ranks);
    for (int i = 0; i < j->n_named; i++)
        mode[j->named[i]] = REPLAY_MENDED;
    if (j->n_named)
        j->named_ns = run_with(&w, mode, NULL);
    if (j->n_named && uneven)
        j->even_ns = run_with(&w, mode, even_ns);
    if (slow)
        j->links_ns = run_with(&w, NULL, usual_ns);
}
