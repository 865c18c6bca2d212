#include "job_run.h"

#include "job_rank.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* GB/s of one rank in a ring, and what a collective costs besides. */
static const double node_byte_per_ns = 150, network_byte_per_ns = 40;
static const double start_up_ns = 18e3;
enum { BYTES_OF_ELEMENT = 2 };

struct job_state {
    const struct job_plan *plan;
    struct job_rank **ranks;
    int64_t step, part; /* part: of the step, for the random numbers */
};

static void next_part(struct job_state *t)
{
    t->part++;
    for (int i = 0; i < t->plan->o.ranks; i++)
        rank_seed(t->ranks[i], t->step, t->part);
}

#define EACH_RANK(t, r)                                                                \
    for (struct job_rank * r, **at_ = (t)->ranks;                                      \
         at_ < (t)->ranks + (t)->plan->o.ranks && (r = *at_, true); at_++)

static bool spans_nodes(const struct job_plan *j, struct rank_group g)
{
    int last = g.start + (g.count - 1) * g.stride;
    return g.start / j->o.gpus_per_node != last / j->o.gpus_per_node;
}

/* The slowest link of the group decides. */
static double link_slowness(const struct job_plan *j, struct rank_group g)
{
    double worst = 0;
    if (!spans_nodes(j, g))
        return 1;
    for (int i = 0; i < g.count; i++)
        worst = fmax(worst, job_planted(j, PLANT_SLOW_LINK, g.start + i * g.stride));
    return 1 + worst / 100;
}

static double transfer_ns(const struct job_plan *j, struct rank_group g,
                          const struct message *m)
{
    double rate = spans_nodes(j, g) ? network_byte_per_ns : node_byte_per_ns;
    double share = (double)(g.count - 1) / g.count;
    double bytes = (double)(m->in > m->out ? m->in : m->out) * BYTES_OF_ELEMENT;
    if (strcmp(m->name, "allreduce") == 0)
        share *= 2;
    return start_up_ns + share * bytes / rate * link_slowness(j, g);
}

/* Sorted by arrival: while k have come and n - k have not, each of those who are
 * missing is charged its part of the k waits. */
static void charge(struct job_rank **by_arrival, int n)
{
    int64_t last_ns = by_arrival[n - 1]->arrived_ns;
    double charged = 0;
    for (int i = 0; i < n; i++) {
        struct job_rank *r = by_arrival[i];
        r->wait_ns += last_ns - r->arrived_ns;
        r->blame_ns += (int64_t)charged;
        if (i + 1 < n) {
            double until = (double)(by_arrival[i + 1]->arrived_ns - r->arrived_ns);
            charged += until * (i + 1) / (n - i - 1);
        }
    }
    by_arrival[n - 1]->last++;
}

static int earlier(const void *a, const void *b)
{
    const struct job_rank *x = *(struct job_rank *const *)a;
    const struct job_rank *y = *(struct job_rank *const *)b;
    if (x->arrived_ns != y->arrived_ns)
        return x->arrived_ns < y->arrived_ns ? -1 : 1;
    return x->rank - y->rank;
}

/* Everyone has arrived: when the group is done, and who made it wait. */
static void finish_group(struct job_state *t, struct rank_group g,
                         const struct message *m, bool awaited)
{
    struct job_rank *members[JOB_RANKS_MAX], *first = t->ranks[g.start];
    int64_t last_ns = 0;
    double longest = 0;
    for (int i = 0; i < g.count; i++) {
        members[i] = t->ranks[g.start + i * g.stride];
        last_ns = members[i]->arrived_ns > last_ns ? members[i]->arrived_ns : last_ns;
        longest = fmax(longest, transfer_ns(t->plan, g, &m[members[i]->rank]));
    }
    longest *= random_factor(&first->s.random, 0.02);
    for (int i = 0; i < g.count; i++) {
        double skew_ns = 1000 * random_factor(&members[i]->s.random, 1);
        rank_collective_end(members[i], t->plan, last_ns + (int64_t)(longest + skew_ns),
                            awaited);
    }
    if (first->collectives == 1)
        return; /* tells when recording began, not who is late */
    qsort(members, (size_t)g.count, sizeof members[0], earlier);
    charge(members, g.count);
}

/* m: one message a rank. */
static void collective(struct job_state *t, const struct message *m, bool awaited)
{
    const struct job_plan *j = t->plan;
    EACH_RANK(t, r)
    rank_collective_start(r, j, &m[r->rank]);
    EACH_RANK(t, r)
    {
        struct rank_group g = job_group_of(j, m[r->rank].group, r->rank);
        if (g.start == r->rank)
            finish_group(t, g, m, awaited);
    }
    next_part(t);
}

static void all_reduce(struct job_state *t, enum job_group group, int64_t elements,
                       bool awaited)
{
    struct message m[JOB_RANKS_MAX];
    if (job_group_of(t->plan, group, 0).count < 2)
        return;
    for (int i = 0; i < t->plan->o.ranks; i++)
        m[i] = (struct message){.name = "allreduce",
                                .annotation = "nccl:all_reduce",
                                .op = "c10d::allreduce_",
                                .group = group,
                                .stream = awaited ? STREAM_GROUP : STREAM_COMM,
                                .in = elements,
                                .out = elements,
                                .in_split = "[]",
                                .out_split = "[]"};
    collective(t, m, awaited);
}

/* Tokens that each member sends to the experts of `rank`. */
static int64_t tokens_to(const struct job_plan *j, struct rank_group g, int rank)
{
    double total = (double)(j->model.batch * j->model.seq * j->model.topk), sum = 0;
    for (int i = 0; i < g.count; i++)
        sum += 1 + job_planted(j, PLANT_HOT_EXPERT, g.start + i * g.stride) / 100;
    return (int64_t)(total * (1 + job_planted(j, PLANT_HOT_EXPERT, rank) / 100) / sum);
}

static int64_t put_split(char *text, size_t bytes, const struct job_plan *j,
                         struct rank_group g, int to, int64_t width)
{
    size_t at = (size_t)snprintf(text, bytes, "[");
    int64_t sum = 0;
    for (int i = 0; i < g.count; i++) {
        int64_t n = tokens_to(j, g, to < 0 ? g.start + i * g.stride : to) * width;
        sum += n;
        if (at + 32 < bytes && i < 30)
            at += (size_t)snprintf(text + at, bytes - at, i ? ", %" PRId64 : "%" PRId64,
                                   n);
        else if (i == g.count - 1)
            at += (size_t)snprintf(text + at, bytes - at, ", ...");
    }
    snprintf(text + at, bytes - at, "]");
    return sum;
}

/* Tokens to the experts and, back = true, results to where the tokens came from. */
static void all_to_all(struct job_state *t, bool back)
{
    struct message m[JOB_RANKS_MAX];
    const struct job_plan *j = t->plan;
    for (int i = 0; i < j->o.ranks; i++) {
        struct rank_group g = job_group_of(j, GROUP_EXPERT, i);
        m[i] = (struct message){.name = "all_to_allv",
                                .annotation = "nccl:all_to_all",
                                .op = "c10d::alltoall_base_",
                                .group = GROUP_EXPERT,
                                .stream = STREAM_GROUP};
        m[i].in = put_split(m[i].in_split, sizeof m[i].in_split, j, g, back ? i : -1,
                            j->model.hidden);
        m[i].out = put_split(m[i].out_split, sizeof m[i].out_split, j, g, back ? -1 : i,
                             j->model.hidden);
    }
    collective(t, m, true);
}

static void experts(struct job_state *t, int64_t layer, bool backward)
{
    const struct job_plan *j = t->plan;
    if (!backward)
        EACH_RANK(t, r)
    rank_route(r, layer);
    all_to_all(t, false);
    EACH_RANK(t, r)
    {
        struct rank_group g = job_group_of(j, GROUP_EXPERT, r->rank);
        int64_t tokens = tokens_to(j, g, r->rank) * g.count;
        for (int i = 0; i < (backward ? 2 : 1); i++)
            rank_experts(r, tokens);
    }
    all_to_all(t, true);
}

static int64_t hidden_elements(const struct job_plan *j)
{
    return j->model.batch * j->model.seq * j->model.hidden;
}

static void forward(struct job_state *t)
{
    const struct job_plan *j = t->plan;
    for (int64_t layer = 0; layer < j->model.layers; layer++) {
        EACH_RANK(t, r)
        rank_attention(r, j, layer);
        all_reduce(t, GROUP_TENSOR, hidden_elements(j), true);
        if (j->o.experts) {
            experts(t, layer, false);
            continue;
        }
        EACH_RANK(t, r)
        rank_feed_forward(r, j, layer);
        all_reduce(t, GROUP_TENSOR, hidden_elements(j), true);
    }
}

static void backward(struct job_state *t)
{
    const struct job_plan *j = t->plan;
    int64_t hidden = j->model.hidden, inner = j->o.experts ? 0 : 3 * j->model.ffn;
    int64_t weights = hidden * (4 * hidden + inner) / j->o.tensor;
    for (int64_t layer = j->model.layers; layer-- > 0;) {
        if (j->o.experts)
            experts(t, layer, true);
        else
            EACH_RANK(t, r)
        rank_backward(r, j, false);
        all_reduce(t, GROUP_TENSOR, hidden_elements(j), true);
        EACH_RANK(t, r)
        rank_backward(r, j, true);
        all_reduce(t, GROUP_TENSOR, hidden_elements(j), true);
        all_reduce(t, j->o.tensor > 1 ? GROUP_DATA : GROUP_WORLD, weights, false);
    }
}

static void one_step(struct job_state *t)
{
    const struct job_plan *j = t->plan;
    t->part = 0;
    next_part(t);
    EACH_RANK(t, r)
    rank_step_begin(r, j, t->step);
    next_part(t);
    forward(t);
    EACH_RANK(t, r)
    rank_backward_begin(r);
    backward(t);
    EACH_RANK(t, r)
    {
        rank_backward_end(r);
        sim_stream_wait(&r->s, STREAM_MAIN, STREAM_COMM);
        rank_gradient_norm(r);
    }
    all_reduce(t, GROUP_WORLD, 1, true);
    EACH_RANK(t, r)
    rank_step_end(r, t->step);
}

static void name_file(const struct job_plan *j, int rank, char *name, size_t bytes)
{
    if (job_planted(j, PLANT_DROPPED, rank) > 0)
        snprintf(name, bytes, "%s", "");
    else if (j->o.host_names) /* as the profiler's own handler names files */
        snprintf(name, bytes, "gpu%03d_%d.1769430653%09d.pt.trace.json.gz",
                 rank / j->o.gpus_per_node, 4000 + rank, rank * 7919);
    else
        snprintf(name, bytes, "rank%d.json.gz", rank);
}

static void close_ranks(struct job_state *t, bool *ok, struct err *e)
{
    struct err other = {0};
    EACH_RANK(t, r)
    {
        if (!r)
            continue;
        *ok = rank_close(r, *ok ? e : &other) && *ok;
        free(r);
    }
    free(t->ranks);
}

static bool open_ranks(struct job_state *t, const char *folder,
                       struct job_result *result, struct err *e)
{
    const struct job_plan *j = t->plan;
    char path[4096];
    for (int i = 0; i < j->o.ranks; i++) {
        struct job_rank_result *out = &result->ranks[i];
        name_file(j, i, out->file, sizeof out->file);
        if (folder)
            snprintf(path, sizeof path, "%s/%s", folder, out->file);
        t->ranks[i] = malloc(sizeof *t->ranks[i]);
        if (!t->ranks[i])
            return err_set(e, ERR_INTERNAL, NULL, -1, "out of memory");
        bool writes = folder && *out->file;
        if (!rank_open(t->ranks[i], j, i, writes ? path : NULL, e)) {
            free(t->ranks[i]);
            t->ranks[i] = NULL;
            return false;
        }
        out->clock_ahead_ns = t->ranks[i]->w.clock_ahead_ns;
        out->clock_drift_ppm = t->ranks[i]->w.clock_drift * 1e6;
    }
    return true;
}

static void take_results(struct job_state *t, struct job_result *result)
{
    int64_t first_ns = INT64_MAX, last_ns = 0;
    EACH_RANK(t, r)
    {
        struct job_rank_result *out = &result->ranks[r->rank];
        out->wait_ns = r->wait_ns;
        out->blame_ns = r->blame_ns;
        out->last = r->last;
        if (r->s.gpu_first_ns < first_ns)
            first_ns = r->s.gpu_first_ns;
        if (r->s.gpu_last_ns > last_ns)
            last_ns = r->s.gpu_last_ns;
    }
    result->total_ns = last_ns - first_ns;
    result->collectives = t->ranks[0]->collectives;
}

bool job_run(const struct job_plan *j, const char *folder, struct job_result *result,
             struct err *e)
{
    struct job_state t = {.plan = j};
    *result = (struct job_result){0};
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST)
        return err_set(e, ERR_OUTPUT, folder, -1, "cannot create: %s", strerror(errno));
    t.ranks = calloc((size_t)j->o.ranks, sizeof *t.ranks);
    if (!t.ranks)
        return err_set(e, ERR_INTERNAL, NULL, -1, "out of memory");
    bool ok = open_ranks(&t, folder, result, e);
    for (t.step = 0; ok && t.step < j->model.steps; t.step++)
        one_step(&t);
    if (ok)
        take_results(&t, result);
    close_ranks(&t, &ok, e);
    return ok;
}
