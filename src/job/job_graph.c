/* The recorded run of a job as a graph: what each collective and each run of work
 * waited for. */
#include "base/sort.h"
#include "job/job_parts.h"

#include <math.h>

enum {
    TOLERANCE_NS = 1000,
    QUEUED_NS = 10000 /* behind the one before it on its stream */
};

/* `segment`: a place in the scales, or -1. Only in front of a collective is there a gap
 * to make longer. */
static void set_scale(const struct job_graph *w, struct replay_node *x, int64_t segment)
{
    x->place = (int32_t)segment;
    x->fixed = segment < 0 ? 1 : w->scales.fixed[segment];
    x->middle = segment < 0 ? 1 : w->scales.middle[segment];
    if (x->middle < 0 && x->instance < 0)
        x->middle = 1;
}

enum { STREAMS_BACK = 64 }; /* rows looked at for the one before on a stream */

static int32_t row_before(const struct job_rank *r, int32_t row)
{
    for (int32_t i = row - 1; i >= 0 && i >= row - STREAMS_BACK; i--)
        if (r->rows[i].stream == r->rows[row].stream)
            return i;
    return -1;
}

static int32_t last_of_stream(const struct job_rank *r, int32_t row,
                              const int32_t *node_of_row)
{
    int32_t before = row_before(r, row);
    return before < 0 ? -1 : node_of_row[before];
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
    int32_t n, at, node, block; /* block: the last of them that is work; -1 */
    int64_t ns;
};

static struct latest latest_of(struct arena *a, const struct job_rank *r,
                               const struct sort_row *order, int32_t n, int32_t first)
{
    struct latest l = {arena_new(a, struct sort_row, n), n, 0, -1, -1, INT64_MIN};
    for (int32_t i = 0; i < n; i++)
        l.by_end[i] = (struct sort_row){ended_ns(r, order[i].row), first + i};
    sort_rows(*a, l.by_end, n);
    return l;
}

static void advance(struct latest *l, const struct sort_row *order, int32_t first,
                    int64_t ns, int32_t before)
{
    for (; l->at < l->n && l->by_end[l->at].key <= ns; l->at++)
        if (l->by_end[l->at].row < before) {
            l->node = l->by_end[l->at].row;
            l->ns = l->by_end[l->at].key;
            l->block = order[l->node - first].row < 0 ? l->node : l->block;
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

/* Of each instance, whether the rank that came last came from its work, not from the
 * collective before. */
static bool *after_work(struct arena *a, const struct job *j)
{
    bool *is = arena_new(a, bool, j->n_instances);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        int32_t k = x->first_member, end = k + x->n_members;
        while (k < end && j->members[k].rank != x->last_rank)
            k++;
        if (k == end)
            continue;
        const struct job_rank *r = &j->ranks[x->last_rank];
        int32_t row = j->members[k].row, before = row_before(r, row);
        is[i] = before < 0 || r->rows[row].start_ns - ended_ns(r, before) > QUEUED_NS;
    }
    return is;
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

/* One that is queued hides that it would have waited for work as well, which ended
 * before: as it does where the collective is not queued. */
static int32_t work_before(const struct job_rank *r, const struct sort_row *order,
                           int32_t first, const struct latest *l,
                           const struct replay_node *x, int64_t start_ns)
{
    if (l->block < first || x->before[1] < first || x->before[0] != x->before[1])
        return x->before[0];
    int32_t item = order[l->block - first].row, next = -item;
    int64_t before_ns = ended_ns(r, order[x->before[1] - first].row);
    bool goes_on = next < r->n_blocks && r->blocks[next].start_ns <= ended_ns(r, item);
    return goes_on || start_ns - before_ns > QUEUED_NS ? x->before[0] : l->block;
}

/* Whether work began late for want of the host alone, though a collective ended
 * meanwhile: it ran beside that, stopped before its end, and went on long after. So it
 * is only of a rank that is late there, and that waited for nobody in the collective.
 */
static bool is_host_late(const struct job *j, const struct job_rank *r,
                         const struct sort_row *order, int32_t first,
                         const struct replay_node *x, int64_t start_ns)
{
    if (x->fixed >= 1 || x->before[0] < first || x->before[1] < first)
        return false;
    int32_t item = order[x->before[0] - first].row;
    int64_t worked_ns = ended_ns(r, order[x->before[1] - first].row);
    if (item < 0)
        return false;
    const struct job_member *m = &r->rows[item];
    int64_t end_ns = m->start_ns + m->dur_ns;
    return start_ns - end_ns > QUEUED_NS && worked_ns > m->start_ns &&
           worked_ns < end_ns && m->dur_ns - moving_ns(j, m) <= QUEUED_NS;
}

/* In the scales: of what follows the last collective. */
static int64_t tail_place(const struct job_graph *w, int32_t rank)
{
    return w->places.n_rows + w->places.n_blocks + rank;
}

static void add_rank(struct job_graph *w, int32_t rank, bool blocks, const bool *worked)
{
    const struct job *j = w->j;
    const struct job_rank *r = &j->ranks[rank];
    struct arena tmp = w->tmp;
    struct sort_row *order;
    int32_t n = order_of(&tmp, r, blocks, &order), first = w->g.n, block = -1, row = 0;
    struct latest latest = latest_of(&tmp, r, order, n, first);
    int32_t held = -1;
    int64_t last_ns = r->end_ns - rank_tail_ns(r);
    int32_t *node_of_row = arena_new(&tmp, int32_t, r->n_rows);
    int64_t tolerance_ns =
        3 * r->spread_ns > TOLERANCE_NS ? 3 * r->spread_ns : TOLERANCE_NS;
    for (int32_t i = 0; i < n; i++) {
        int32_t item = order[i].row;
        int64_t start_ns = order[i].key, from_ns = j->start_ns;
        advance(&latest, order, first, start_ns + tolerance_ns, w->g.n);
        int64_t of = -1;
        struct replay_node x = {
            .before = {latest.node, -1}, .rank = rank, .instance = -1};
        if (item >= 0) {
            const struct job_member *m = &r->rows[item];
            x.before[1] = last_of_stream(r, item, node_of_row);
            if (is_queued(r, order, first, &x, start_ns))
                x.before[0] = -1;
            int32_t work = m->instance >= 0 && worked[m->instance]
                               ? work_before(r, order, first, &latest, &x, start_ns)
                               : x.before[0];
            if (work != x.before[0]) {
                /* Of several that queue up behind it, the last waits for all of it. */
                if (held >= first && w->g.nodes[held].before[0] == work)
                    w->g.nodes[held].before[0] = -1;
                x.before[0] = work;
                held = w->g.n;
            }
            x.instance = m->instance;
            x.dur_ns = tail_ns(j, m);
            of = w->places.first_row[rank] + item;
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
            of = segment < 0 ? -1 : w->places.first_row[rank] + segment;
            block = w->g.n;
        }
        if (x.before[1] == x.before[0])
            x.before[1] = -1;
        if (of < 0 && row >= r->n_rows && start_ns >= last_ns)
            of = tail_place(w, rank);
        else if (of < 0)
            of = w->places.n_rows + w->places.first_block[rank] - 1 - item;
        set_scale(w, &x, of);
        if (item < 0 && is_host_late(j, r, order, first, &x, start_ns))
            x.before[0] = -1;
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
static void add_tail(struct job_graph *w, int32_t rank, int32_t first)
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
        .dur_ns = r->end_ns > last_ns ? (double)(r->end_ns - last_ns) : 0};
    set_scale(w, &w->g.nodes[w->g.n - 1], tail_place(w, rank));
}

static struct job_places places_of(struct arena *a, const struct job *j, bool blocks)
{
    struct job_places p = {.first_row = arena_new(a, int32_t, j->n_ranks),
                           .first_block = arena_new(a, int64_t, j->n_ranks)};
    for (int i = 0; i < j->n_ranks; i++) {
        p.first_row[i] = (int32_t)p.n_rows;
        p.first_block[i] = p.n_blocks;
        p.n_rows += j->ranks[i].n_rows;
        p.n_blocks += blocks ? j->ranks[i].n_blocks : 0;
    }
    return p;
}

void job_graph_build(struct job_graph *w)
{
    struct job *j = w->j;
    /* Where much communication is hidden, the pace is that of the work beside it, which
     * is then replayed too; else what lies between collectives is the gap in front of
     * each. */
    bool blocks = j->is_hidden && j->has_blocks;
    w->places = places_of(&w->tmp, j, blocks);
    int64_t n_rows = w->places.n_rows;
    /* What is left of the other arena serves as scratch. */
    struct arena other = *w->perm;
    w->scales = job_find_scales(&other, j, &w->places);
    arena_trim(other);
    w->g.n_instances = j->n_instances;
    w->g.n_ranks = j->n_ranks;
    w->g.nodes = arena_take_raw(&w->tmp, sizeof *w->g.nodes, 8,
                                n_rows + (blocks ? w->places.n_blocks : j->n_ranks));
    const bool *worked = after_work(&other, j);
    for (int32_t i = 0; i < j->n_ranks; i++) {
        int32_t first = w->g.n;
        add_rank(w, i, blocks, worked);
        if (!blocks)
            add_tail(w, i, first);
    }
    replay_prepare(&w->tmp, *w->perm, &w->g);
    w->scales = (struct job_scales){0}; /* of what is other scratch from here on */
    arena_trim(*w->perm);
}

void job_graph_run(struct job_graph *w, const uint8_t *const *modes, int n,
                   int64_t *end_ns)
{
    struct replay_change changes[REPLAY_LANES] = {0};
    double ends[REPLAY_LANES];
    for (int i = 0; i < n; i++)
        changes[i] = (struct replay_change){.mode = modes[i]};
    replay_run(&w->g, w->tmp, changes, n, ends);
    for (int i = 0; i < n; i++)
        end_ns[i] = llround(ends[i]);
}

void job_graph_fix(struct job_graph *w, const float *scales)
{
    for (int32_t i = 0; i < w->g.n; i++) {
        struct replay_node *x = &w->g.nodes[i];
        x->fixed = x->place < 0 ? 1 : scales[x->place];
    }
}
