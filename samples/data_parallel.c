#include "data_parallel.h"

#include "hidden_defects.h"
#include "kernel_name.h"
#include "torch_ops.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BUCKET_ELEMENTS = 25 * 1048576 / 2 / 4 }; /* 6.25 MiB of bf16 */

/* The ranks as the profiler prints them: long lists are truncated. */
static void put_ranks(char *text, size_t bytes, int world)
{
    size_t at = (size_t)snprintf(text, bytes, "[");
    for (int i = 0; i < world && at + 16 < bytes; i++)
        at += (size_t)snprintf(text + at, bytes - at, i ? ", %d" : "%d", i);
    snprintf(text + at, bytes - at, "]");
}

static void all_reduce(struct simulator *s, const struct sample_plan *p, int64_t n,
                       enum defect defect)
{
    char facts[1024], ranks[400], world[16];
    double share = 2.0 * (p->world - 1) / p->world;
    snprintf(world, sizeof world, "%d", p->world);
    put_ranks(ranks, sizeof ranks, p->world);
    snprintf(
        facts, sizeof facts,
        "\"Collective name\": \"allreduce\", \"In msg nelems\": %" PRId64
        ", \"Out msg nelems\": %" PRId64
        ", \"Group size\": %d, \"dtype\": \"BFloat16\", "
        "\"In split size\": \"[]\", \"Out split size\": \"[]\", \"Process Group "
        "Name\": "
        "\"0\", \"Process Group Description\": \"default_pg\", \"Process Group "
        "Ranks\": "
        "\"%s\", \"Rank\": %d, \"Global rank start\": 0, \"Global rank stride\": 1",
        n, n, p->world, ranks, p->rank);
    sim_op(s, "c10d::allreduce_",
           ARGS(tensor_list(), absent(), absent(), absent(), scalar("True"),
                scalar("-1")));
    sim_stream_wait(s, STREAM_COMM, STREAM_MAIN);
    sim_op_more(s, "record_param_comms",
                ARGS(tensor_list(), absent(), absent(), scalar("0"), absent(),
                     scalar_list("[]"), scalar_list("[]"), scalar("0"), scalar("1"),
                     scalar(world)),
                facts);
    sim_annotation(s, "nccl:all_reduce");
    double time_ns = 25e3 + share * 2 * (double)n / s->device->link_byte_per_ns;
    sim_launch(s, (struct kernel){.name = kernel_all_reduce(s->device->hip),
                                  .time_ns = hidden_skew_ns(s, p, time_ns),
                                  .api = LAUNCH_COLLECTIVE,
                                  .stream = STREAM_COMM,
                                  .grid = 16,
                                  .block = 512,
                                  .defect = defect,
                                  .args = facts});
    sim_end_n(s, 3);
}

static void keep(struct reducer *r, int64_t elements)
{
    if (r->n_waiting < MAX_BUCKETS)
        r->waiting[r->n_waiting++] = elements;
    else
        r->waiting[MAX_BUCKETS - 1] += elements;
}

static void bucket_full(struct reducer *r, struct simulator *s,
                        const struct sample_plan *p)
{
    if (p->world > 1 && r->filling > 0) {
        if (plan_has(p, DEFECT_EXPOSED_ALLREDUCE))
            keep(r, r->filling);
        else
            all_reduce(s, p, r->filling, DEFECT_NONE);
    }
    r->filling = 0;
}

void reducer_gradient(struct reducer *r, struct simulator *s,
                      const struct sample_plan *p, int64_t elements)
{
    sim_op(s, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
           NULL, 0);
    sim_op(s, "torch::autograd::AccumulateGrad", ARGS(tensor1(BF16, elements)));
    sim_leaf(s, "aten::detach", ARGS(tensor1(BF16, elements)));
    sim_end(s);
    if (plan_has(p, DEFECT_ALLREDUCE_PER_PARAMETER))
        keep(r, elements);
    else
        r->filling += elements;
    if (r->filling >= BUCKET_ELEMENTS)
        bucket_full(r, s, p);
    sim_end(s);
}

void reducer_average(struct reducer *r, struct simulator *s,
                     const struct sample_plan *p)
{
    const enum defect mark = DEFECT_ALLREDUCE_PER_PARAMETER;
    if (!plan_has(p, mark))
        return;
    sim_python(s, "train_ddp.py(127): average_gradients");
    for (int i = 0; i < r->n_waiting; i++) {
        sim_python(s, "torch/distributed/distributed_c10d.py(2810): all_reduce");
        all_reduce(s, p, r->waiting[i], mark);
        sim_stream_wait(s, STREAM_MAIN, STREAM_COMM);
        sim_end(s);
    }
    r->n_waiting = 0;
    sim_end(s);
}

void reducer_finish(struct reducer *r, struct simulator *s, const struct sample_plan *p)
{
    if (plan_has(p, DEFECT_ALLREDUCE_PER_PARAMETER))
        return;
    bucket_full(r, s, p);
    for (int i = 0; i < r->n_waiting; i++)
        all_reduce(s, p, r->waiting[i], DEFECT_EXPOSED_ALLREDUCE);
    r->n_waiting = 0;
    if (p->world > 1)
        sim_stream_wait(s, STREAM_MAIN, STREAM_COMM);
}
