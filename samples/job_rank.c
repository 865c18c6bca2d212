#include "job_rank.h"

#include "kernel_name.h"
#include "torch_ops.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LIST_SHOWN = 30, GROUPS_TEXT = 16384 };

static int put_ranks(char *text, size_t bytes, struct rank_group g, int shown)
{
    size_t at = 0;
    for (int i = 0; i < g.count && i < shown; i++)
        at += (size_t)snprintf(text + at, bytes - at, i ? ", %d" : "%d",
                               g.start + i * g.stride);
    if (g.count > shown) /* as the profiler cuts long lists */
        at += (size_t)snprintf(text + at, bytes - at, ", ...");
    return (int)at;
}

/* The groups this rank is in, as they stand in distributedInfo. */
static int put_groups(char *text, const struct job_plan *j, int rank)
{
    size_t at = 0;
    int n = 0;
    for (int k = 0; k < JOB_GROUPS; k++) {
        struct rank_group g = job_group_of(j, (enum job_group)k, rank);
        bool split = k == GROUP_TENSOR || k == GROUP_DATA;
        if (g.count < 2 || (split && j->o.tensor == 1) ||
            (k == GROUP_EXPERT && !j->o.experts))
            continue;
        at += (size_t)snprintf(text + at, GROUPS_TEXT - at,
                               "%s{\"pg_name\": \"%d\", \"pg_desc\": \"%s\", "
                               "\"backend_config\": \"cuda:nccl\", \"pg_size\": %d, "
                               "\"ranks\": [",
                               n++ ? ", " : "", g.name, job_group_descriptions[k],
                               g.count);
        at += (size_t)put_ranks(text + at, GROUPS_TEXT - at, g, g.count);
        at += (size_t)snprintf(text + at, GROUPS_TEXT - at, "]}");
    }
    return n;
}

/* Clocks of a node agree; a plant moves one rank's alone. */
static void set_clock(struct job_rank *r, const struct job_plan *j)
{
    struct sample_random random;
    random_seed(&random, j->model.seed, 0xc10c,
                (uint64_t)(r->rank / j->o.gpus_per_node));
    double ahead_us = (random_factor(&random, 1) - 1) * j->o.clock_spread_us;
    double drift_ppm = (random_factor(&random, 1) - 1) * j->o.drift_spread_ppm;
    ahead_us += job_planted(j, PLANT_CLOCK, r->rank);
    drift_ppm += job_planted(j, PLANT_DRIFT, r->rank);
    r->w.clock_ahead_ns = (int64_t)(ahead_us * 1000);
    r->w.clock_drift = drift_ppm / 1e6;
    r->w.clock_origin_ns = r->s.hosts[HOST_MAIN].now_ns;
}

void rank_seed(struct job_rank *r, int64_t step, int64_t part)
{
    random_seed(&r->s.random, r->plan.seed + 1000003 * (uint64_t)r->rank,
                (uint64_t)step, (uint64_t)part);
}

/* Recording begins within 300 us on all ranks. */
static void start_rank(struct job_rank *r, const struct job_plan *j)
{
    struct simulator *s = &r->s;
    double slow = 1 + (job_planted(j, PLANT_LATE_COMPUTE, r->rank) +
                       job_planted(j, PLANT_SLOW_NODE, r->rank)) /
                          100;
    sim_open(s, &r->w, r->plan.device, r->plan.seed);
    set_clock(r, j);
    rank_seed(r, -1, 0);
    s->pid = 4000 + r->rank;
    s->hosts[HOST_MAIN].tid = s->pid;
    s->hosts[HOST_AUTOGRAD].tid = s->pid + 20000;
    s->hosts[HOST_MAIN].now_ns += (int64_t)(150e3 * random_factor(&s->random, 1));
    s->gpu = r->rank % j->o.gpus_per_node;
    s->python = r->plan.python;
    s->shapes = r->plan.shapes;
    s->device_scale = slow;
    r->start_ns = s->hosts[HOST_MAIN].now_ns;
    if (job_planted(j, PLANT_LATE_START, r->rank) > 0)
        r->w.since_ns = INT64_MAX;
    sim_python(s, "train_gpt.py(231): <module>");
    sim_python(s, "train_gpt.py(198): main");
}

bool rank_open(struct job_rank *r, const struct job_plan *j, int rank, const char *path,
               struct err *e)
{
    char groups[GROUPS_TEXT];
    struct trace_header h = {.device = j->model.device,
                             .seed = j->model.seed + (uint64_t)rank,
                             .devices = j->o.gpus_per_node,
                             .rank = rank,
                             .world = j->o.ranks,
                             .python = j->model.python,
                             .shapes = j->model.shapes,
                             .groups = groups,
                             .groups_n = put_groups(groups, j, rank)};
    *r = (struct job_rank){.rank = rank, .plan = j->model};
    r->plan.rank = rank;
    if (!writer_open(&r->w, path, &h, false, e))
        return false;
    start_rank(r, j);
    return true;
}

bool rank_close(struct job_rank *r, struct err *e)
{
    sim_device_synchronize(&r->s);
    sim_end_n(&r->s, 2);
    write_export_names(&r->s, r->start_ns);
    write_window(&r->w, r->start_ns - 50000, r->s.hosts[HOST_MAIN].now_ns + 50000);
    return writer_close(&r->w, e);
}

/* The batch: from pinned memory, or from pageable memory for so long. */
static void copy_batch(struct job_rank *r, double pageable_us)
{
    struct simulator *s = &r->s;
    int64_t tokens = r->plan.batch * r->plan.seq;
    int64_t slow = (int64_t)(pageable_us * 1000 * r->plan.device->pageable_byte_per_ns);
    struct op_arg x = tensor1(I64, tokens + slow / 8);
    struct copy c = {.stream = STREAM_MAIN, .defect = DEFECT_NONE};
    c.bytes = (tokens + slow / 8) * 8;
    c.pageable = slow > 0;
    sim_op(s, "aten::copy_", ARGS(x, x, scalar(slow ? "False" : "True")));
    sim_copy(s, c);
    sim_end(s);
}

void rank_step_begin(struct job_rank *r, const struct job_plan *j, int64_t step)
{
    struct simulator *s = &r->s;
    double noise = random_factor(&s->random, j->o.jitter_percent / 100);
    sim_step_begin(s, FIRST_STEP + step);
    sim_python(s, "train_gpt.py(142): train_step");
    sim_python(s, "torch/utils/data/dataloader.py(701): __next__");
    sim_think(s, 300e3 * noise);
    double late_us = job_planted(j, PLANT_LATE_INPUT, r->rank);
    if (late_us > 0) {
        sim_python(s, "data/tokenise.py(88): __getitem__");
        sim_think(s, late_us * 1000);
        sim_end(s);
    }
    sim_end(s);
    copy_batch(r, job_planted(j, PLANT_LATE_COPY, r->rank));
    sim_module(s, "GPTModel", 0);
    sim_python(s, "model/gpt.py(97): forward");
    ops_embedding(s, &r->plan);
}

/* The work of this layer takes a little more or less on every rank, every time. */
static double layer_noise(struct job_rank *r, const struct job_plan *j)
{
    return random_factor(&r->s.random, j->o.jitter_percent / 100);
}

static void linear(struct job_rank *r, int64_t instance, int64_t k, int64_t n)
{
    ops_linear(&r->s, &r->plan, instance, k, n);
}

static void late_host(struct job_rank *r, const struct job_plan *j)
{
    double late_us = job_planted(j, PLANT_LATE_HOST, r->rank);
    if (late_us <= 0)
        return;
    sim_python(&r->s, "monitor/nan_watch.py(41): check_activations");
    ops_item(&r->s);
    sim_think(&r->s, late_us * 1000 / (double)j->model.layers);
    sim_end(&r->s);
}

void rank_attention(struct job_rank *r, const struct job_plan *j, int64_t layer)
{
    const struct sample_plan *p = &r->plan;
    struct sample_plan part = *p;
    double before = r->s.device_scale;
    r->s.device_scale *= layer_noise(r, j);
    part.heads = part.kv_heads = p->heads / j->o.tensor;
    sim_module(&r->s, "SelfAttention", layer);
    late_host(r, j);
    ops_rms_norm(&r->s, p, 2 * layer);
    linear(r, 4 * layer, p->hidden, 3 * p->hidden / j->o.tensor);
    ops_attention(&r->s, &part);
    linear(r, 4 * layer + 1, p->hidden / j->o.tensor, p->hidden);
    sim_end_n(&r->s, 2);
    r->s.device_scale = before;
}

void rank_feed_forward(struct job_rank *r, const struct job_plan *j, int64_t layer)
{
    const struct sample_plan *p = &r->plan;
    struct op_arg x = tensor3(BF16, p->batch, p->seq, p->ffn / j->o.tensor);
    sim_module(&r->s, "MLP", layer);
    ops_rms_norm(&r->s, p, 2 * layer + 1);
    linear(r, 4 * layer + 2, p->hidden, 2 * p->ffn / j->o.tensor);
    ops_triton(&r->s, p, "triton_poi_fused_mul_silu_5", ARGS(x, x, scalar("1024")));
    linear(r, 4 * layer + 3, p->ffn / j->o.tensor, p->hidden);
    sim_end_n(&r->s, 2);
}

void rank_route(struct job_rank *r, int64_t layer)
{
    const struct sample_plan *p = &r->plan;
    sim_module(&r->s, "TopKRouter", layer);
    ops_rms_norm(&r->s, p, 2 * layer + 1);
    linear(r, 4 * layer + 2, p->hidden, p->experts);
    sim_end_n(&r->s, 2);
}

static void product(struct job_rank *r, int64_t m, int64_t k, int64_t n)
{
    ops_product(&r->s, (struct product){.m = m,
                                        .k = k,
                                        .n = n,
                                        .form = PRODUCT_WEIGHT,
                                        .eff = r->plan.eff.gemm,
                                        .defect = DEFECT_NONE});
}

void rank_experts(struct job_rank *r, int64_t tokens)
{
    const struct sample_plan *p = &r->plan;
    struct op_arg x = tensor2(BF16, tokens, p->expert_ffn);
    sim_python(&r->s, "model/experts.py(112): forward");
    product(r, tokens, p->hidden, 2 * p->expert_ffn);
    ops_triton(&r->s, p, "triton_poi_fused_mul_silu_5", ARGS(x, x, scalar("1024")));
    product(r, tokens, p->expert_ffn, p->hidden);
    sim_end(&r->s);
}

void rank_backward_begin(struct job_rank *r)
{
    sim_end_n(&r->s, 3); /* the model */
    sim_python(&r->s, "torch/_tensor.py(570): backward");
    sim_switch(&r->s, HOST_AUTOGRAD);
}

void rank_backward_end(struct job_rank *r)
{
    sim_switch(&r->s, HOST_MAIN);
    sim_end(&r->s);
}

/* Of y = x w: the gradients of x and of w. */
static void linear_backward(struct job_rank *r, int64_t k, int64_t n)
{
    int64_t tokens = r->plan.batch * r->plan.seq;
    sim_backward_node(&r->s, "MmBackward0", sim_graph_node(&r->s),
                      tensor2(BF16, tokens, n));
    product(r, n, tokens, k);
    product(r, tokens, n, k);
    sim_end_n(&r->s, 2);
}

void rank_backward(struct job_rank *r, const struct job_plan *j, bool attention)
{
    const struct sample_plan *p = &r->plan;
    int64_t part = j->o.tensor;
    double before = r->s.device_scale;
    r->s.device_scale *= layer_noise(r, j);
    if (attention) {
        linear_backward(r, p->hidden / part, p->hidden);
        linear_backward(r, p->hidden, 3 * p->hidden / part);
    } else {
        linear_backward(r, p->ffn / part, p->hidden);
        linear_backward(r, p->hidden, 2 * p->ffn / part);
    }
    r->s.device_scale = before;
}

void rank_gradient_norm(struct job_rank *r)
{
    struct op_arg x = tensor2(BF16, r->plan.hidden, r->plan.hidden);
    sim_python(&r->s, "torch/nn/utils/clip_grad.py(44): clip_grad_norm_");
    ops_mean(&r->s, &x, r->plan.eff.reduce, DEFECT_NONE, 0);
    sim_end(&r->s);
}

void rank_step_end(struct job_rank *r, int64_t step)
{
    struct simulator *s = &r->s;
    sim_python(s, "torch/optim/adamw.py(220): step");
    sim_op(s, "aten::_foreach_addcdiv_", ARGS(tensor_list(), tensor_list()));
    for (int i = 0; i < 4; i++)
        sim_launch(s, (struct kernel){.name = kernel_multi_tensor,
                                      .time_ns = 60e3,
                                      .grid = 320,
                                      .block = 512,
                                      .defect = DEFECT_NONE});
    sim_end_n(s, 2);
    ops_item(s); /* the loss, for the log */
    sim_end(s);
    sim_step_end(s, FIRST_STEP + step);
}

static void put_facts(struct job_rank *r, const struct job_plan *j,
                      const struct message *m, struct rank_group g)
{
    char ranks[256], sequence[64] = "";
    put_ranks(ranks, sizeof ranks, g, LIST_SHOWN);
    if (j->o.metadata == METADATA_SEQ)
        snprintf(sequence, sizeof sequence, ", \"Seq\": %" PRId64,
                 r->sequence[m->group]);
    int position = (r->rank - g.start) / g.stride;
    snprintf(
        r->facts, sizeof r->facts,
        "\"Collective name\": \"%s\", \"In msg nelems\": %" PRId64
        ", \"Out msg nelems\": %" PRId64
        ", \"Group size\": %d, \"dtype\": \"BFloat16\", \"In split size\": \"%s\", "
        "\"Out split size\": \"%s\", \"Process Group Name\": \"%d\", \"Process "
        "Group Description\": \"%s\", \"Process Group Ranks\": \"[%s]\", \"Rank\": "
        "%d, \"Global rank start\": %d, \"Global rank stride\": %d%s",
        m->name, m->in, m->out, g.count, m->in_split, m->out_split, g.name,
        job_group_descriptions[m->group], ranks, position, g.start, g.stride, sequence);
}

static void open_call(struct job_rank *r, const struct job_plan *j,
                      const struct message *m, struct rank_group g)
{
    char size[16], sequence[24] = "";
    bool told = j->o.metadata != METADATA_NONE;
    snprintf(size, sizeof size, "%d", g.count);
    if (j->o.metadata == METADATA_SEQ || j->o.metadata == METADATA_CALL)
        snprintf(sequence, sizeof sequence, "%" PRId64, r->sequence[m->group]);
    struct op_arg x = tensor1(BF16, m->in);
    sim_op(&r->s, m->op, ARGS(x, absent(), absent(), scalar("-1")));
    sim_stream_wait(&r->s, m->stream, STREAM_MAIN);
    sim_op_more(&r->s, "record_param_comms",
                ARGS(x, told ? scalar(sequence) : absent(), absent(), scalar("0"),
                     absent(), scalar_list("[]"), scalar_list("[]"), scalar("0"),
                     scalar("1"), scalar(size)),
                told ? r->facts : NULL);
    sim_annotation(&r->s, "%s", m->annotation);
}

static const char *kernel_of(const struct message *m, bool hip)
{
    if (hip || strcmp(m->name, "allreduce") == 0)
        return kernel_all_reduce(hip);
    return "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";
}

int64_t rank_collective_start(struct job_rank *r, const struct job_plan *j,
                              const struct message *m)
{
    struct rank_group g = job_group_of(j, m->group, r->rank);
    bool on_kernel = j->o.metadata == METADATA_SEQ || j->o.metadata == METADATA_PLAIN;
    r->sequence[m->group]++;
    put_facts(r, j, m, g);
    open_call(r, j, m, g);
    r->kernel = (struct kernel){.name = kernel_of(m, r->plan.device->hip),
                                .api = LAUNCH_COLLECTIVE,
                                .stream = m->stream,
                                .grid = 16,
                                .block = 512,
                                .defect = DEFECT_NONE,
                                .args = on_kernel ? r->facts : NULL};
    r->arrived_ns = sim_collective_start(&r->s, &r->kernel);
    return r->arrived_ns;
}

void rank_collective_end(struct job_rank *r, const struct job_plan *j, int64_t end_ns,
                         bool awaited)
{
    double skipped = job_planted(j, PLANT_LATE_START, r->rank);
    sim_collective_end(&r->s, &r->kernel, r->arrived_ns, end_ns);
    sim_end_n(&r->s, 3);
    r->collectives++;
    if (skipped > 0 && r->collectives == (int64_t)skipped)
        r->w.since_ns = r->s.streams[STREAM_MAIN].free_ns > end_ns
                            ? r->s.streams[STREAM_MAIN].free_ns
                            : end_ns;
    if (awaited)
        sim_stream_wait(&r->s, STREAM_MAIN, r->kernel.stream);
}
