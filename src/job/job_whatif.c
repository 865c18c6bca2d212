/* What the run would take without late ranks, by the replay of all ranks. */
#include "base/sort.h"
#include "job/job_parts.h"
#include "job/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CANDIDATES = 64, /* ranks that are mended alone */
    CANDIDATES_OF_MANY = 16,
    ROUNDS = 16,          /* ranks that are mended one after the other */
    FEW_CANDIDATES = 8,   /* in later rounds, of many ranks */
    MANY_NODES = 4000000, /* times candidates */
    TOLERANCE_NS = 1000,
    QUEUED_NS = 10000 /* behind the one before it on its stream */
};

#define IDENTITY_FRAC 0.002
#define LEAST_FRAC    0.001 /* of the run: of many ranks, the curve ends there */

struct what_ifs {
    struct job *j;
    struct arena *perm, tmp;
    struct replay_graph g;
    int32_t *first_row, n_rows; /* of each rank: its place among all rows */
    struct job_scales scales;
};

/* `segment`: a place in the scales, or -1. Only in front of a collective is there a gap
 * to make longer. */
static void set_scale(const struct what_ifs *w, struct replay_node *x, int64_t segment)
{
    x->mended = segment < 0 ? 1 : w->scales.mended[segment];
    x->middle = segment < 0 ? 1 : w->scales.middle[segment];
    if (x->middle < 0 && x->instance < 0)
        x->middle = 1;
}

enum { STREAMS_BACK = 64 }; /* rows looked at for the one before on a stream */

static int32_t last_of_stream(const struct job_rank *r, int32_t row,
                              const int32_t *node_of_row)
{
    for (int32_t i = row - 1; i >= 0 && i >= row - STREAMS_BACK; i--)
        if (r->rows[i].stream == r->rows[row].stream)
            return node_of_row[i];
    return -1;
}

/* What starts, by start: rows (>= 0), blocks (< 0). */
static int32_t order_of(struct arena *a, const struct job_rank *r, bool blocks,
                        struct sort_row **order)
{
    int32_t n = 0;
    *order = arena_new(a, struct sort_row,
                       (ptrdiff_t)r->n_rows + (blocks ? r->n_blocks : 0));
    for (int32_t i = 0; blocks && i < r->n_blocks; i++)
        (*order)[n++] = (struct sort_row){r->blocks[i].start_ns, -1 - i};
    for (int32_t i = 0; i < r->n_rows; i++)
        (*order)[n++] = (struct sort_row){r->rows[i].start_ns, i};
    sort_rows(*a, *order, n);
    return n;
}

/* The segment that a block is in: of the next collective, unless the block runs beside
 * one. */
static int32_t segment_of(const struct job_rank *r, const struct capture_block *b,
                          int32_t next_row)
{
    if (next_row >= r->n_rows)
        return -1;
    const struct job_member *m = &r->rows[next_row];
    int64_t from_ns = m->start_ns - member_segment_ns(m);
    return b->start_ns >= from_ns && b->start_ns + b->dur_ns <= m->start_ns ? next_row
                                                                            : -1;
}

static int64_t ended_ns(const struct job_rank *r, int32_t item)
{
    return item >= 0 ? r->rows[item].start_ns + r->rows[item].dur_ns
                     : r->blocks[-1 - item].start_ns + r->blocks[-1 - item].dur_ns;
}

/* The node that ended last of those that started before and ended by then. */
struct latest {
    struct sort_row *by_end;
    int32_t n, at, node;
    int64_t ns;
};

static struct latest latest_of(struct arena *a, const struct job_rank *r,
                               const struct sort_row *order, int32_t n, int32_t first)
{
    struct latest l = {arena_new(a, struct sort_row, n), n, 0, -1, INT64_MIN};
    for (int32_t i = 0; i < n; i++)
        l.by_end[i] = (struct sort_row){ended_ns(r, order[i].row), first + i};
    sort_rows(*a, l.by_end, n);
    return l;
}

static void advance(struct latest *l, int64_t ns, int32_t before)
{
    for (; l->at < l->n && l->by_end[l->at].key <= ns; l->at++)
        if (l->by_end[l->at].row < before) {
            l->node = l->by_end[l->at].row;
            l->ns = l->by_end[l->at].key;
        }
}

static double tail_ns(const struct job *j, const struct job_member *m)
{
    if (m->instance < 0)
        return (double)m->dur_ns;
    const struct job_instance *x = &j->instances[m->instance];
    int64_t ns = arrival_ns(j, x, m) + m->dur_ns - x->last_start_ns;
    return ns > 0 ? (double)ns : 0;
}

/* Whether a collective began because the one before it on its stream ended: work that
 * is only cut there, as it goes on, has nothing to do with it. */
static bool is_queued(const struct job_rank *r, const struct sort_row *order,
                      int32_t first, const struct replay_node *x, int64_t start_ns)
{
    if (x->before[0] < first || x->before[1] < first)
        return false;
    int32_t item = order[x->before[0] - first].row, next = -item;
    return item < 0 && next < r->n_blocks &&
           r->blocks[next].start_ns <= ended_ns(r, item) &&
           start_ns - ended_ns(r, order[x->before[1] - first].row) <= QUEUED_NS;
}

static void add_rank(struct what_ifs *w, int32_t rank, bool blocks)
{
    const struct job *j = w->j;
    const struct job_rank *r = &j->ranks[rank];
    struct arena tmp = w->tmp;
    struct sort_row *order;
    int32_t n = order_of(&tmp, r, blocks, &order), first = w->g.n, block = -1, row = 0;
    struct latest latest = latest_of(&tmp, r, order, n, first);
    int32_t *node_of_row = arena_new(&tmp, int32_t, r->n_rows);
    int64_t tolerance_ns =
        3 * r->spread_ns > TOLERANCE_NS ? 3 * r->spread_ns : TOLERANCE_NS;
    for (int32_t i = 0; i < n; i++) {
        int32_t item = order[i].row;
        int64_t start_ns = order[i].key, from_ns = j->start_ns;
        advance(&latest, start_ns + tolerance_ns, w->g.n);
        int64_t of = -1;
        struct replay_node x = {
            .before = {latest.node, -1}, .rank = rank, .instance = -1};
        if (item >= 0) {
            const struct job_member *m = &r->rows[item];
            x.before[1] = last_of_stream(r, item, node_of_row);
            if (is_queued(r, order, first, &x, start_ns))
                x.before[0] = -1;
            x.instance = m->instance;
            x.dur_ns = tail_ns(j, m);
            of = w->first_row[rank] + item;
            node_of_row[item] = w->g.n;
            row = item + 1;
        } else {
            const struct capture_block *b = &r->blocks[-1 - item];
            int32_t segment = segment_of(r, b, row);
            x.before[1] = block;
            /* Work that goes on waits for nothing that ends meanwhile. */
            if (block >= 0 && ended_ns(r, order[block - first].row) >= start_ns)
                x.before[0] = -1;
            x.dur_ns = (double)b->dur_ns;
            of = segment < 0 ? -1 : w->first_row[rank] + segment;
            block = w->g.n;
        }
        if (x.before[1] == x.before[0])
            x.before[1] = -1;
        if (j->is_hidden && of < 0)
            of = w->n_rows + (int64_t)rank * j->n_periods + period_of(j, r, start_ns);
        set_scale(w, &x, of);
        for (int k = 0; k < REPLAY_BEFORE; k++)
            if (x.before[k] >= first) {
                int64_t ns = ended_ns(r, order[x.before[k] - first].row);
                from_ns = ns > from_ns ? ns : from_ns;
            }
        x.gap_ns = start_ns > from_ns ? (double)(start_ns - from_ns) : 0;
        w->g.nodes[w->g.n++] = x;
    }
}

/* What follows the last collective, where blocks do not tell. */
static void add_tail(struct what_ifs *w, int32_t rank, int32_t first)
{
    const struct job_rank *r = &w->j->ranks[rank];
    int64_t last_ns = w->j->start_ns;
    int32_t last = -1;
    for (int32_t i = 0; i < r->n_rows; i++)
        if (r->rows[i].start_ns + r->rows[i].dur_ns > last_ns) {
            last_ns = r->rows[i].start_ns + r->rows[i].dur_ns;
            last = first + i;
        }
    w->g.nodes[w->g.n++] = (struct replay_node){
        .before = {last, -1},
        .rank = rank,
        .instance = -1,
        .mended = 1,
        .middle = 1,
        .dur_ns = r->end_ns > last_ns ? (double)(r->end_ns - last_ns) : 0};
}

static void build_graph(struct what_ifs *w)
{
    struct job *j = w->j;
    int64_t n_rows = 0, n_blocks = 0;
    w->first_row = arena_new(&w->tmp, int32_t, j->n_ranks);
    for (int i = 0; i < j->n_ranks; i++) {
        w->first_row[i] = (int32_t)n_rows;
        n_rows += j->ranks[i].n_rows;
        n_blocks += j->ranks[i].n_blocks;
    }
    /* Where much communication is hidden, the pace is that of the work beside it, which
     * is then replayed too; else what lies between collectives is the gap in front of
     * each. */
    bool blocks = j->is_hidden && j->has_blocks;
    /* What is left of the other arena serves as scratch. */
    struct arena other = *w->perm;
    w->n_rows = (int32_t)n_rows;
    w->scales = job_find_scales(&other, j, w->first_row, n_rows);
    w->g.n_instances = j->n_instances;
    w->g.n_ranks = j->n_ranks;
    w->g.nodes = arena_new(&w->tmp, struct replay_node,
                           n_rows + (blocks ? n_blocks : j->n_ranks));
    for (int32_t i = 0; i < j->n_ranks; i++) {
        int32_t first = w->g.n;
        add_rank(w, i, blocks);
        if (!blocks)
            add_tail(w, i, first);
    }
    replay_prepare(&w->tmp, *w->perm, &w->g);
    arena_trim(*w->perm);
}

/* The best tenth of the transfers of a signature, for its instances. */
static double *best_transfers(struct what_ifs *w)
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

/* Runs up to REPLAY_LANES sets of modes. */
static void run(struct what_ifs *w, const uint8_t *const *modes, int n, int64_t *end_ns)
{
    struct replay_change changes[REPLAY_LANES] = {0};
    double ends[REPLAY_LANES];
    for (int i = 0; i < n; i++)
        changes[i] = (struct replay_change){.mode = modes[i]};
    replay_run(&w->g, w->tmp, changes, n, ends);
    for (int i = 0; i < n; i++)
        end_ns[i] = llround(ends[i]);
}

/* The length of the run with one rank more, or less, in the given mode, for each
 * candidate. */
static void try_each(struct what_ifs *w, const uint8_t *mode, const int32_t *ranks,
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
        run(w, (const uint8_t *const *)modes, lanes, total_ns + i);
    }
    w->tmp = keep;
}

/* Ranks by what they are blamed for, and by how late they are. */
static int candidates_of(struct what_ifs *w, int32_t *to)
{
    struct job *j = w->j;
    struct arena tmp = w->tmp;
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_ranks);
    for (int i = 0; i < j->n_ranks; i++)
        rows[i] = (struct sort_row){-llround(j->ranks[i].own_blame), i};
    sort_rows(tmp, rows, j->n_ranks);
    int most = (int64_t)w->g.n * CANDIDATES > (int64_t)MANY_NODES * 16
                   ? CANDIDATES_OF_MANY
                   : CANDIDATES;
    int n = j->n_ranks < most ? j->n_ranks : most;
    for (int i = 0; i < n; i++)
        to[i] = rows[i].row;
    return n;
}

static void mend_alone(struct what_ifs *w, const int32_t *ranks, int n)
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
static void mend_in_turn(struct what_ifs *w, int32_t *ranks, int n)
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
    if (j->clock_free)
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

void job_what_ifs(struct arena *perm, struct arena tmp, struct job *j)
{
    struct what_ifs w = {.j = j, .perm = perm, .tmp = tmp};
    if (!is_allowed(perm, j))
        return;
    build_graph(&w);
    if (w.g.n_order < w.g.n)
        return;
    int64_t end_ns[REPLAY_LANES], total_ns = j->end_ns - j->start_ns;
    uint8_t *all = arena_new(&w.tmp, uint8_t, j->n_ranks);
    memset(all, REPLAY_MIDDLE, (size_t)j->n_ranks);
    const uint8_t *modes[] = {NULL, all};
    run(&w, modes, 2, end_ns);
    j->identity_ns = end_ns[0];
    j->ideal_ns = end_ns[1];
    j->whatif_shown =
        fabs((double)(end_ns[0] - total_ns)) <= IDENTITY_FRAC * (double)total_ns;
    if (!j->whatif_shown || j->n_ranks < 2)
        return;
    w.g.other_ns = best_transfers(&w);
    struct replay_change best = {.other_tails = true};
    double best_end;
    replay_run(&w.g, w.tmp, &best, 1, &best_end);
    j->fast_transfer_ns = llround(best_end);
    int32_t ranks[CANDIDATES];
    int n = candidates_of(&w, ranks);
    mend_alone(&w, ranks, n);
    mend_in_turn(&w, ranks, n);
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

static int64_t run_with(struct what_ifs *w, const uint8_t *mode, const double *other_ns)
{
    double end_ns;
    struct replay_change c = {.mode = mode, .other_tails = other_ns != NULL};
    w->g.other_ns = other_ns;
    replay_run(&w->g, w->tmp, &c, 1, &end_ns);
    return llround(end_ns);
}

void job_what_if_mended(struct arena *perm, struct arena tmp, struct job *j)
{
    struct what_ifs w = {.j = j, .perm = perm, .tmp = tmp};
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
    build_graph(&w);
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
