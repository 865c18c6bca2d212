/* One capture into the job that is being built. */
#include "base/name_pool.h"
#include "base/sort.h"
#include "capture/capture_fit.h"
#include "job/job_make.h"
#include "job/job_parts.h"

#include <string.h>

struct job_builder job_begin(struct arena *perm)
{
    struct job_builder b = {.perm = perm,
                            .known = int_map_make(perm, 64),
                            .silent_known = int_map_make(perm, 64)};
    b.blocks = arena_reserve(arena_machine_bytes() / 8);
    b.blocks_start = b.blocks.at;
    b.covers = arena_reserve(arena_machine_bytes() / 8);
    b.covers_start = b.covers.at;
    return b;
}

static void add_member(struct job_rank *r, const struct capture_collective *c,
                       int64_t base_ns)
{
    r->rows[r->n_rows++] = (struct job_member){
        .start_ns = base_ns + c->start_ns,
        .dur_ns = c->dur_ns,
        .part_ns = {[SEGMENT_COMPUTE] = c->compute_ns,
                    [SEGMENT_COPY] = c->copy_ns,
                    [SEGMENT_OTHER] = c->other_wait_ns,
                    [SEGMENT_IDLE] = c->idle_ns},
        .signature = c->signature,
        .instance = -1,
        .stream = c->stream,
        .sequence = c->sequence_source == SEQUENCE_NONE || c->sequence > INT32_MAX ||
                            c->sequence < 0
                        ? -1
                        : (int32_t)c->sequence};
}

/* Collectives and transfers as one list by start: the next of it. */
struct merged {
    const struct capture_ranks *c;
    int32_t collectives, p2p;
    bool is_p2p; /* the one taken last */
};

static const struct capture_collective *merged_next(struct merged *m)
{
    const struct capture_ranks *c = m->c;
    m->is_p2p = m->collectives == c->n_collectives ||
                (m->p2p < c->n_p2p &&
                 c->p2p[m->p2p].start_ns < c->collectives[m->collectives].start_ns);
    return m->is_p2p ? &c->p2p[m->p2p++] : &c->collectives[m->collectives++];
}

static int32_t count_causes(const struct capture_collective *list, int32_t n)
{
    int32_t known = 0;
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < CAPTURE_CAUSES; k++)
            known += list[i].cause_ns[k] != 0;
    return known;
}

static void add_rows(struct arena *perm, struct job_rank *r,
                     const struct capture_ranks *c)
{
    ptrdiff_t n = (ptrdiff_t)c->n_collectives + c->n_p2p;
    struct merged m = {.c = c};
    r->rows = arena_take_raw(perm, sizeof *r->rows, 8, n);
    r->causes =
        arena_take_raw(perm, sizeof *r->causes, 8,
                       (ptrdiff_t)count_causes(c->collectives, c->n_collectives) +
                           count_causes(c->p2p, c->n_p2p));
    if (c->n_p2p)
        r->peers = arena_take_raw(perm, sizeof *r->peers, 4, n);
    for (int32_t i = 0; i < n; i++) {
        const struct capture_collective *x = merged_next(&m);
        if (r->peers)
            r->peers[i] = x->peer;
        for (int k = 0; k < CAPTURE_CAUSES; k++)
            if (x->cause_ns[k])
                r->causes[r->n_causes++] = (struct job_cause){i, k, x->cause_ns[k]};
        add_member(r, x, r->base_ns);
    }
}

static struct capture_block *copy_blocks(struct arena *perm,
                                         const struct capture_block *from, int32_t n,
                                         int64_t base_ns)
{
    struct capture_block *to = arena_take_raw(perm, sizeof *to, 8, n);
    for (int32_t i = 0; i < n; i++)
        to[i] = (struct capture_block){from[i].start_ns + base_ns, from[i].dur_ns};
    return to;
}

double job_bytes(int64_t n_pairs)
{
    return JOB_OTHER_BYTES + JOB_PAIR_BYTES * (double)n_pairs;
}

void job_drop_blocks(struct job_builder *b, struct job_rank *ranks, int n)
{
    if (b->blocks_start)
        arena_release(b->blocks_start, &b->blocks);
    b->blocks_start = NULL;
    for (int i = 0; i < n; i++) {
        ranks[i].blocks = NULL;
        ranks[i].n_blocks = 0;
    }
}

void job_drop_covers(struct job_builder *b, struct job_rank *ranks, int n)
{
    arena_release(b->covers_start, &b->covers);
    b->covers_start = NULL;
    for (int i = 0; i < n; i++) {
        ranks[i].covers = NULL;
        ranks[i].n_covers = 0;
    }
}

static void add_blocks(struct job_builder *b, struct job_rank *r,
                       const struct capture_ranks *from)
{
    b->n_nodes += r->n_rows + from->n_blocks;
    if (!b->blocks_start)
        return;
    if (b->n_nodes > JOB_NODES_MAX) {
        job_drop_blocks(b, b->ranks, b->n);
        return;
    }
    r->blocks = copy_blocks(&b->blocks, from->blocks, from->n_blocks, r->base_ns);
    r->n_blocks = from->n_blocks;
}

/* The ranks of a group, which thousands of captures have alike, once. */
static const int32_t *ranks_of(struct job_builder *b, const struct capture_group *g)
{
    if (!g->n_ranks)
        return NULL;
    int64_t key = (int64_t)(g->key ^ (uint64_t)g->n_ranks << 40);
    size_t bytes = (size_t)g->n_ranks * sizeof *g->ranks;
    int32_t *at = int_map_at(&b->known, b->perm, key);
    if (*at >= 0 && b->rank_lists[*at].n == g->n_ranks && /* keys may be equal */
        memcmp(b->rank_lists[*at].ranks, g->ranks, bytes) == 0)
        return b->rank_lists[*at].ranks;
    *at = b->n_lists;
    arena_grow(b->perm, b->rank_lists, b->n_lists);
    int32_t *ranks = arena_take_raw(b->perm, sizeof *ranks, 4, g->n_ranks);
    memcpy(ranks, g->ranks, bytes);
    b->rank_lists[b->n_lists++] = (struct rank_list){ranks, g->n_ranks};
    return ranks;
}

static void add_tables(struct job_builder *b, struct rank_tables *t,
                       const struct capture_ranks *c)
{
    struct arena *perm = b->perm;
    struct capture_group *groups = arena_new(perm, struct capture_group, c->n_groups);
    struct capture_signature *signatures =
        arena_new(perm, struct capture_signature, c->n_signatures);
    for (int32_t i = 0; i < c->n_groups; i++) {
        struct capture_group *g = &groups[i];
        *g = c->groups[i];
        g->name = str_copy(perm, g->name);
        g->description = str_copy(perm, g->description);
        g->ranks = ranks_of(b, g);
    }
    for (int32_t i = 0; i < c->n_signatures; i++) {
        struct capture_signature *s = &signatures[i];
        *s = c->signatures[i];
        s->dtype = str_copy(perm, s->dtype);
        s->name = str_copy(perm, s->name);
        s->kind = collective_word(collective_of_word(s->kind));
        s->in_split = str_copy(perm, s->in_split);
        s->out_split = str_copy(perm, s->out_split);
    }
    t->groups = groups;
    t->signatures = signatures;
    t->n_groups = c->n_groups;
    t->n_signatures = c->n_signatures;
    t->world = c->world_size;
    t->n_devices = c->n_devices;
}

/* The parts of a step in the order of the capture: classes of computation, then
 * communication, copies and idle time, which are exclusive. */
static void add_steps(struct arena *perm, struct job_rank *r, const struct capture *c)
{
    r->steps = arena_new(perm, struct rank_step, c->n_steps);
    r->n_steps = c->n_steps;
    memcpy(r->work_ns, c->parts_ns, sizeof r->work_ns);
    for (int i = 0; i < c->n_steps; i++) {
        const struct capture_step *from = &c->steps[i];
        struct rank_step *s = &r->steps[i];
        s->start_ns = from->start_ns + r->base_ns;
        s->end_ns = from->end_ns + r->base_ns;
        s->number = from->number;
        s->of = -1;
        for (int k = 0; k < WORK_CATEGORIES; k++) {
            s->work_ns[k] = from->parts_ns[k];
            s->part_ns[SEGMENT_COMPUTE] += from->parts_ns[k];
        }
        s->part_ns[SEGMENT_COPY] = from->parts_ns[WORK_CATEGORIES + 1];
        s->part_ns[SEGMENT_IDLE] = from->parts_ns[WORK_CATEGORIES + 2];
    }
}

/* How the profiler was set up, which may itself make a rank late. */
static struct str options_of(struct arena *perm, const struct capture *c)
{
    return str_printf(perm, "%s%s%s", c->has_operators ? "operators" : "no operators",
                      c->has_shapes ? ", shapes" : "", c->has_stacks ? ", stacks" : "");
}

/* Times of thousands of ranks are added up. */
static bool is_of_our_time(const struct capture *c)
{
    const int64_t most_ns = CAPTURE_TIME_MAX_NS;
    const struct capture_origin *o = &c->origin;
    return o->base_ns <= most_ns && o->base_ns >= -most_ns &&
           o->trace_base_ns <= most_ns && o->trace_base_ns >= -most_ns &&
           c->ranks.end_ns - c->ranks.start_ns <= JOB_APART_MAX_NS;
}

static bool is_usable(const struct capture *c, const char *path, struct err *e)
{
    if (!is_of_our_time(c))
        return err_set(e, ERR_INPUT, path, -1,
                       "its clock or its length of %.0f days is not that of a job",
                       (double)(c->ranks.end_ns - c->ranks.start_ns) / 86400e9);
    if (c->ranks.is_merged)
        return err_set(e, ERR_INPUT, path, -1,
                       "one file made of the traces of several ranks: its clocks and "
                       "identifiers are changed; give the traces it was made of");
    return c->ranks.rank >= 0 ||
           err_set(e, ERR_INPUT, path, -1,
                   "does not say which rank it is of; name the file after it "
                   "(rank7.json.gz), or give summarize --rank N");
}

/* What runs where nothing is known to communicate; until anything is. */
static void add_silent(struct job_builder *b, const struct capture *c)
{
    for (int32_t i = 0; !b->n_pairs && i < c->n_rows; i++) {
        const struct capture_row *w = &c->rows[i];
        if (!w->kernel.n || w->part == DEVICE_COPY)
            continue;
        int32_t *at =
            int_map_at(&b->silent_known, b->perm, (int64_t)str_hash(w->kernel));
        if (*at < 0) {
            *at = b->n_silent;
            arena_grow(b->perm, b->silent, b->n_silent);
            b->silent[b->n_silent++] =
                (struct job_kernel){str_copy(b->perm, w->kernel), 0};
        }
        b->silent[*at].ns += (double)w->kernel_ns;
    }
}

bool job_add(struct job_builder *b, const struct capture *c, const char *path,
             struct str page, struct err *e)
{
    const struct capture_ranks *from = &c->ranks;
    struct arena *perm = b->perm;
    if (!is_usable(c, path, e))
        return false;
    b->n_captures++;
    b->n_pairs += (int64_t)from->n_collectives + from->n_p2p;
    if (!b->is_large && b->n_pairs >= JOB_LARGE_PAIRS) {
        b->is_large = true;
        arena_ask_huge(*perm);
    }
    add_silent(b, c);
    if (b->max_bytes > 0 && job_bytes(b->n_pairs) > b->max_bytes)
        return true;
    arena_grow(perm, b->ranks, b->n);
    arena_grow(perm, b->tables, b->n);
    struct job_rank *r = &b->ranks[b->n];
    *r = (struct job_rank){
        .rank = from->rank,
        .host = str_copy(perm, from->host),
        .vendor = str_copy(perm, c->origin.vendor),
        .file = str_copy(perm, c->origin.file),
        .sha256 = str_copy(perm, c->origin.sha256),
        .tool = str_copy(perm, c->origin.tool),
        .library = str_copy(perm, from->library),
        .options = options_of(perm, c),
        .page = page,
        .base_ns = c->origin.base_ns,
        .trace_ns = -c->origin.trace_base_ns,
        .start_ns = c->origin.base_ns + from->start_ns,
        .end_ns = c->origin.base_ns + from->end_ns,
        .balance = {.window_ns = from->end_ns - from->start_ns,
                    .compute_ns = from->computation_ns,
                    .wait_ns = from->exposed_comm_ns, /* split when matched */
                    .copy_ns = from->exposed_copy_ns,
                    .idle_ns = from->idle_ns,
                    .kernel_ns = from->kernel_ns,
                    .busy_ns = from->computation_ns + from->exposed_comm_ns +
                               from->exposed_copy_ns}};
    b->tables[b->n] =
        (struct rank_tables){.path = path, .folder = str_copy(perm, from->folder)};
    add_rows(perm, r, from);
    add_tables(b, &b->tables[b->n], from);
    add_blocks(b, r, from);
    r->covers = copy_blocks(&b->covers, from->covers, from->n_covers, r->base_ns);
    r->n_covers = from->n_covers;
    add_steps(perm, r, c);
    for (int k = 0; k < MEASURED_ALL; k++)
        r->measured[k] = capture_measured(c, (enum measure)k);
    b->n++;
    return true;
}

enum { RANK_MAX = 1 << 20 };

static bool wrong(struct err *e, const char *path, int line, const char *what)
{
    return err_set(e, ERR_INPUT, path, -1, "line %d: %s", line, what);
}

/* Which columns count: their places; -1: missing. */
struct columns {
    int rank, host;
};

static struct columns columns_of(struct str line)
{
    struct columns c = {-1, -1};
    for (int i = 0; line.n; i++) {
        struct str name = str_trim(str_take(&line, S(",")));
        if (str_eq_nocase(name, S("rank")))
            c.rank = i;
        else if (str_eq_nocase(name, S("host")) ||
                 (c.host < 0 && str_eq_nocase(name, S("node"))))
            c.host = i;
    }
    return c;
}

static bool read_place(struct str line, const struct columns *c, struct job_place *p)
{
    int64_t rank = -1;
    *p = (struct job_place){.rank = -1};
    for (int i = 0; line.n; i++) {
        struct str cell = str_trim(str_take(&line, S(",")));
        if (i == c->rank && str_int(cell, &rank) && rank >= 0 && rank < RANK_MAX)
            p->rank = (int32_t)rank;
        if (i == c->host)
            p->host = cell;
    }
    return p->rank >= 0 && p->host.n > 0;
}

/* By rank, each once, with the numbers of their nodes. */
static bool order(struct arena *perm, struct arena tmp, struct job_topology *t,
                  const char *path, struct err *e)
{
    struct sort_row *rows = arena_new(&tmp, struct sort_row, t->n);
    struct job_place *sorted = arena_new(perm, struct job_place, t->n);
    struct name_pool hosts;
    for (int i = 0; i < t->n; i++)
        rows[i] = (struct sort_row){t->places[i].rank, i};
    sort_rows(tmp, rows, t->n);
    pool_open(&hosts);
    for (int i = 0; i < t->n; i++) {
        sorted[i] = t->places[rows[i].row];
        sorted[i].node = pool_add(&hosts, sorted[i].host);
        t->n_nodes = sorted[i].node >= t->n_nodes ? sorted[i].node + 1 : t->n_nodes;
    }
    pool_close(&hosts);
    t->places = sorted;
    for (int i = 1; i < t->n; i++)
        if (sorted[i].rank == sorted[i - 1].rank)
            return err_set(e, ERR_INPUT, path, -1, "rank %d is in it twice",
                           sorted[i].rank);
    return true;
}

bool topology_read(struct arena *perm, struct arena tmp, struct str text,
                   const char *path, struct job_topology *t, struct err *e)
{
    struct columns c = {-1, -1};
    *t = (struct job_topology){0};
    for (int line = 1; text.n; line++) {
        struct str row = str_trim(str_take(&text, S("\n")));
        struct job_place place;
        if (!row.n || row.p[0] == '#')
            continue;
        if (c.rank < 0) {
            c = columns_of(row);
            if (c.rank < 0 || c.host < 0)
                return wrong(e, path, line, "expected columns rank and host");
            continue;
        }
        if (!read_place(row, &c, &place))
            return wrong(e, path, line, "expected a rank and its host");
        arena_grow(perm, t->places, t->n);
        t->places[t->n++] = place;
    }
    return t->n ? order(perm, tmp, t, path, e)
                : err_set(e, ERR_INPUT, path, -1, "names no rank");
}

const struct job_place *topology_place(const struct job_topology *t, int32_t rank)
{
    int low = 0, high = t->n;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (t->places[mid].rank < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->n && t->places[low].rank == rank ? &t->places[low] : NULL;
}
