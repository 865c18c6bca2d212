/* What the run would take without late ranks, by the replay of all ranks. */
#include "base/int_map.h"
#include "base/sort.h"
#include "job/job_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CANDIDATES = 64, /* ranks that are fixed alone */
    CANDIDATES_OF_MANY = 16,
    ROUNDS = 16,         /* ranks that are fixed one after the other */
    FEW_CANDIDATES = 8,  /* in later rounds, of many ranks */
    MANY_NODES = 4000000 /* times candidates */
};

#define IDENTITY_FRAC 0.03  /* transfers between stages start before both are there */
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

/* The length of the run with each of n sets of modes: as many as there are lanes are
 * run at once, and several of these by as many threads as the options allow. */
struct runs {
    const struct job_graph *w;
    uint8_t *const *modes;
    int n, n_members;
    int64_t *total_ns;
    struct arena scratch[TEAM_MAX];
};

static void run_some(void *context, int member)
{
    struct runs *t = context;
    struct job_graph w = *t->w;
    w.tmp = t->scratch[member];
    for (int i = member * REPLAY_LANES; i < t->n; i += t->n_members * REPLAY_LANES) {
        int lanes = t->n - i < REPLAY_LANES ? t->n - i : REPLAY_LANES;
        job_graph_run(&w, (const uint8_t *const *)t->modes + i, lanes, t->total_ns + i);
    }
}

static void run_each(struct job_graph *w, uint8_t *const *modes, int n,
                     int64_t *total_ns)
{
    struct runs t = {.w = w, .modes = modes, .n = n, .total_ns = total_ns};
    t.n_members = n > REPLAY_LANES ? job_team(w->tmp, w->j, t.scratch) : 1;
    if (t.n_members == 1)
        t.scratch[0] = w->tmp;
    team_run(t.n_members, run_some, &t);
}

/* The same with one rank more, or less, in the given mode, for each candidate. */
static void try_each(struct job_graph *w, const uint8_t *mode, const int32_t *ranks,
                     int n, enum replay_mode own, int64_t *total_ns)
{
    struct arena keep = w->tmp;
    uint8_t *modes[CANDIDATES];
    for (int i = 0; i < n; i++) {
        modes[i] = arena_take_raw(&w->tmp, 1, 1, w->j->n_ranks);
        memcpy(modes[i], mode, (size_t)w->j->n_ranks);
        modes[i][ranks[i]] = (uint8_t)own;
    }
    run_each(w, modes, n, total_ns);
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

static void fix_alone(struct job_graph *w, const int32_t *ranks, int n)
{
    struct job *j = w->j;
    struct arena keep = w->tmp;
    uint8_t *none = arena_new(&w->tmp, uint8_t, j->n_ranks);
    uint8_t *all = arena_new(&w->tmp, uint8_t, j->n_ranks);
    int64_t total_ns[CANDIDATES];
    memset(all, REPLAY_MIDDLE, (size_t)j->n_ranks);
    try_each(w, none, ranks, n, REPLAY_FIXED, total_ns);
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

/* Fixes the rank that saves most, then the next. */
static void fix_in_turn(struct job_graph *w, int32_t *ranks, int n)
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
            try_each(w, mode, ranks, tried, REPLAY_FIXED, total_ns);
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
        mode[rank] = REPLAY_FIXED;
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
    fix_alone(&w, ranks, n);
    fix_in_turn(&w, ranks, n);
    job_fix_together(&w);
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

/* The same if nobody outside the data came last. */
static double *joined_transfers(struct arena *a, const struct job *j)
{
    double *ns = arena_new(a, double, j->n_instances);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        ns[i] = x->lacks_last ? (double)j->usual_ns[x->signature] : -1;
    }
    return ns;
}

/* The same if all that is not known to be transfer were waiting. */
static double *bare_transfers(struct arena *a, const struct job *j, bool *any)
{
    double *ns = arena_new(a, double, j->n_instances);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        const struct job_signature *s = &j->signatures[x->signature];
        const struct job_group *g = &j->groups[x->group];
        double peak = j->options.link_gb_s[g->crosses_nodes],
               least =
                   (double)s->bytes * collective_bus_factor(s->kind, g->size) / peak;
        ns[i] = !x->may_lack_last ? -1 : least > 0 ? least : 0;
        *any |= x->may_lack_last;
    }
    return ns;
}

/* Where a rank is recorded for a shorter time, others end no sooner than it begins; and
 * of its own time only steps are compared. */
static int64_t compared_ns(const struct job *j)
{
    int64_t first_ns = j->start_ns, steps_ns = 0, run_ns = j->end_ns - j->start_ns;
    bool fewer = false;
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        first_ns = r->start_ns > first_ns ? r->start_ns : first_ns;
        fewer |= r->is_named && r->n_steps < j->ranks[!i].n_steps;
    }
    for (int s = 0; s < j->n_steps; s++) {
        const struct rank_step *step = &j->ranks[0].steps[j->ranks[0].step_at[s]];
        steps_ns += step->end_ns - step->start_ns;
    }
    int64_t ns = fewer ? steps_ns : j->end_ns - first_ns;
    return 2 * ns > run_ns && 20 * ns < 19 * run_ns ? ns : 0;
}

void job_what_if_fixed(struct arena *perm, struct arena tmp, struct job *j)
{
    struct job_graph w = {.j = j, .perm = perm, .tmp = tmp};
    bool uneven = false, slow = false, open = false;
    double *even_ns = even_transfers(&w.tmp, j, &uneven);
    double *usual_ns = usual_transfers(&w.tmp, j, &slow);
    double *bare_ns = bare_transfers(&w.tmp, j, &open);
    j->named_ns = j->even_ns = j->links_ns = j->joined_ns = j->bare_ns = -1;
    if (!j->whatif_shown || j->n_ranks < 2 ||
        (!j->n_named && !slow && !j->n_lacking && !open))
        return;
    j->compared_ns = compared_ns(j);
    if (j->n_named == 1 && j->ranks[j->named[0]].has_whatif && !uneven && !slow &&
        !j->n_lacking && !open) {
        j->named_ns = j->identity_ns - j->ranks[j->named[0]].save_ns;
        return;
    }
    job_graph_build(&w);
    uint8_t *mode = arena_new(&w.tmp, uint8_t, j->n_ranks);
    for (int i = 0; i < j->n_named; i++)
        mode[j->named[i]] = REPLAY_FIXED;
    if (j->n_named)
        j->named_ns = run_with(&w, mode, NULL);
    if (j->n_named && uneven)
        j->even_ns = run_with(&w, mode, even_ns);
    if (slow)
        j->links_ns = run_with(&w, NULL, usual_ns);
    if (j->n_lacking)
        j->joined_ns = run_with(&w, NULL, joined_transfers(&w.tmp, j));
    if (open)
        j->bare_ns = run_with(&w, NULL, bare_ns);
}

/* What the run would take with several ranks fixed together: all of a node, all that
 * do the same; or with one cause of lateness fixed on all ranks. */

enum { SETS_MAX = 16, CAUSES_MAX = 8, CAUSES_OF_MANY = 3, NODES_MANY = 1000000 };

#define CAUSE_LEAST_FRAC 0.01 /* of all lateness: less is not asked for */

/* Ranks by the set that each is in. */
struct sets {
    struct job_fix *of;
    double *blame;
    int n;
};

static struct sets sets_by(struct arena *perm, struct arena *tmp, const struct job *j,
                           enum fix_kind kind)
{
    struct int_map at = int_map_make(tmp, 64);
    struct sets s = {0};
    int32_t *set = arena_new(tmp, int32_t, j->n_ranks);
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        int64_t key = kind == FIX_NODE ? r->node : r->role;
        int32_t *place = int_map_at(&at, tmp, key);
        set[i] = *place = *place < 0 ? s.n : *place;
        s.n += set[i] == s.n;
    }
    s.of = arena_new(tmp, struct job_fix, s.n);
    s.blame = arena_new(tmp, double, s.n);
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        struct job_fix *m = &s.of[set[i]];
        *m = (struct job_fix){
            kind, S(""),          kind == FIX_NODE ? j->ranks[i].node : -1,
            NULL, m->n_ranks + 1, 0};
        s.blame[set[i]] += rank_charge(j, r);
    }
    for (int k = 0; k < s.n; k++) {
        s.of[k].ranks = arena_new(perm, int32_t, s.of[k].n_ranks);
        s.of[k].n_ranks = 0;
    }
    for (int32_t i = 0; i < j->n_ranks; i++)
        s.of[set[i]].ranks[s.of[set[i]].n_ranks++] = i;
    return s;
}

static struct str set_text(struct arena *perm, const struct job *j,
                           const struct job_fix *m)
{
    if (m->kind == FIX_ROLE)
        return str_printf(perm, "%d %s as rank %d", m->n_ranks,
                          str_plural(m->n_ranks, "rank", "ranks"),
                          j->ranks[m->ranks[0]].rank);
    return j->hosts[m->node].n ? j->hosts[m->node]
                               : str_printf(perm, "node %d", m->node);
}

static void add_fixes(struct job_graph *w, struct job_fix *list, int n)
{
    struct arena tmp = w->tmp;
    struct sort_row *rows = arena_new(&tmp, struct sort_row, n);
    for (int i = 0; i < n; i++)
        rows[i] = (struct sort_row){list[i].total_ns, i};
    sort_rows(tmp, rows, n);
    for (int i = 0; i < n; i++) {
        arena_grow(w->perm, w->j->fixes, w->j->n_fixes);
        w->j->fixes[w->j->n_fixes++] = list[rows[i].row];
    }
}

/* Of many sets those that are blamed most. */
static void fix_sets(struct job_graph *w, enum fix_kind kind)
{
    struct job *j = w->j;
    struct arena keep = w->tmp;
    struct sets s = sets_by(w->perm, &w->tmp, j, kind);
    struct sort_row *rows = arena_new(&w->tmp, struct sort_row, s.n);
    struct job_fix tried[SETS_MAX];
    uint8_t *modes[SETS_MAX];
    int64_t total_ns[SETS_MAX];
    int n = s.n < 2 ? 0 : s.n < SETS_MAX ? s.n : SETS_MAX;
    for (int i = 0; i < s.n; i++)
        rows[i] = (struct sort_row){-(int64_t)s.blame[i], i};
    sort_rows(w->tmp, rows, s.n);
    for (int k = 0; k < n; k++) {
        struct job_fix *m = &tried[k];
        modes[k] = arena_new(&w->tmp, uint8_t, j->n_ranks);
        *m = s.of[rows[k].row];
        m->what = set_text(w->perm, j, m);
        for (int i = 0; i < m->n_ranks; i++)
            modes[k][m->ranks[i]] = REPLAY_FIXED;
    }
    run_each(w, modes, n, total_ns);
    for (int k = 0; k < n; k++)
        tried[k].total_ns = total_ns[k];
    w->tmp = keep;
    add_fixes(w, tried, n);
}

/* How late all ranks are by a cause; and which they are. */
static int64_t late_by(const struct job *j, int cause, struct arena *a,
                       struct job_fix *m)
{
    int64_t all_ns = 0;
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_lateness *l = &j->ranks[i].late;
        int64_t ns = cause_of(cause, l->part_ns, l->cause_ns, l->work_ns);
        if (ns <= 0)
            continue;
        all_ns += ns;
        if (!a)
            continue;
        arena_grow(a, m->ranks, m->n_ranks);
        m->ranks[m->n_ranks++] = i;
    }
    return all_ns;
}

struct cause_trial {
    struct job_graph *w;
    const uint8_t *mode;
    struct job_fix *tried;
};

static void fix_cause(void *context, struct arena tmp, int place, const float *fixed)
{
    struct cause_trial *t = context;
    t->w->tmp = tmp;
    job_graph_fix(t->w, fixed);
    job_graph_run(t->w, &t->mode, 1, &t->tried[place].total_ns);
}

static void fix_causes(struct job_graph *w)
{
    struct job *j = w->j;
    struct arena keep = w->tmp;
    struct sort_row rows[JOB_CAUSES];
    struct job_fix tried[CAUSES_MAX];
    uint8_t *all = arena_new(&w->tmp, uint8_t, j->n_ranks);
    struct cause_trial t = {w, all, tried};
    int causes[CAUSES_MAX], n = 0,
                            most = w->g.n > NODES_MANY ? CAUSES_OF_MANY : CAUSES_MAX;
    memset(all, REPLAY_FIXED, (size_t)j->n_ranks);
    for (int cause = 0; cause < JOB_CAUSES; cause++) {
        int64_t ns = late_by(j, cause, NULL, NULL);
        if ((double)ns >= CAUSE_LEAST_FRAC * (double)j->total_late_ns && ns > 0)
            rows[n++] = (struct sort_row){-ns, cause};
    }
    sort_rows(w->tmp, rows, n);
    n = n < most ? n : most;
    for (int i = 0; i < n; i++) {
        causes[i] = rows[i].row;
        tried[i] = (struct job_fix){
            .kind = FIX_CAUSE, .what = cause_text(w->perm, causes[i]), .node = -1};
        (void)late_by(j, causes[i], w->perm, &tried[i]);
    }
    job_causes_scales(w->tmp, j, &w->places, causes, n, fix_cause, &t);
    w->tmp = keep;
    add_fixes(w, tried, n);
}

void job_fix_together(struct job_graph *w)
{
    fix_sets(w, FIX_NODE);
    fix_sets(w, FIX_ROLE);
    fix_causes(w);
}
