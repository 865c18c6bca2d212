#include "sample_plan.h"

#include "device_table.h"
#include "sample_options.h"

#include <stdio.h>
#include <string.h>

/* What each kind is before the user changes it. Fractions of the roofline: those of the
 * healthy kind are what a well tuned model reaches, the others what one usually meets.
 */
/* clang-format off */
static const struct efficiency usual = {
    .gemm = 0.70, .attention = 0.55, .norm = 0.62, .elementwise = 0.70, .triton = 0.66,
    .reduce = 0.60, .softmax = 0.62, .conv = 0.60, .batch_norm = 0.62, .moe = 0.60};
static const struct efficiency tuned = {
    .gemm = 0.84, .attention = 0.76, .norm = 0.80, .elementwise = 0.83, .triton = 0.82,
    .reduce = 0.78, .softmax = 0.78, .conv = 0.80, .batch_norm = 0.80, .moe = 0.78};

static const struct sample_plan starts[WORKLOAD_KINDS] = {
    [KIND_LLM_PREFILL] = {.layers = 32, .steps = 4, .batch = 2, .seq = 4096, .hidden = 4096,
        .heads = 32, .kv_heads = 32, .head_dim = 128, .ffn = 11008, .vocab = 32000},
    [KIND_LLM_DECODE] = {.layers = 80, .steps = 3, .batch = 32, .seq = 1, .kv_len = 4096,
        .hidden = 8192, .heads = 64, .kv_heads = 8, .head_dim = 128, .ffn = 28672,
        .vocab = 128256, .merged_projections = true},
    [KIND_CNN_TRAINING] = {.layers = 16, .steps = 4, .batch = 256, .seq = 1},
    [KIND_MOE] = {.layers = 24, .steps = 4, .batch = 4, .seq = 4096, .hidden = 2048,
        .heads = 32, .kv_heads = 4, .head_dim = 128, .vocab = 151936, .experts = 128,
        .topk = 8, .expert_ffn = 768, .merged_projections = true},
    [KIND_HEALTHY] = {.layers = 32, .steps = 4, .batch = 4, .seq = 4096, .hidden = 4096,
        .heads = 32, .kv_heads = 32, .head_dim = 128, .ffn = 11008, .vocab = 32000,
        .merged_projections = true},
    [KIND_SERVING] = {.layers = 32, .steps = 10, .batch = 8, .seq = 512, .hidden = 4096,
        .heads = 32, .kv_heads = 32, .head_dim = 128, .ffn = 11008, .vocab = 32000,
        .merged_projections = true},
};
/* clang-format on */

static bool check_defects(const struct sample_options *o, struct err *e)
{
    for (int i = 0; i < DEFECTS; i++) {
        const struct defect_info *d = &defect_infos[i];
        char where[120] = "";
        if (!(o->defects >> i & 1))
            continue;
        if (d->cuda_only && o->device->hip)
            return err_set(e, ERR_USAGE, NULL, -1,
                           "%s needs --device H100: a HIP trace does not show it",
                           d->name);
        if (d->kinds >> o->kind & 1)
            continue;
        for (int k = 0; k < WORKLOAD_KINDS; k++)
            if (d->kinds >> k & 1) {
                strcat(where, *where ? ", " : "");
                strcat(where, workload_names[k]);
            }
        return err_set(e, ERR_USAGE, NULL, -1,
                       "defect %s makes no sense in kind %s; it belongs to %s", d->name,
                       workload_names[o->kind], where);
    }
    if (o->defects >> DEFECT_SLOW_SMALL_KERNELS & ~(o->defects >> DEFECT_HOST_BOUND) &
        1)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "defect slow-small-kernels needs --defect host-bound");
    if (o->fixed & ~o->defects)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--fix needs the same name with --defect");
    for (int i = 0; i < DEFECTS; i++)
        if (o->near >> i & 1 && (!(o->defects >> i & 1) || !defect_infos[i].near))
            return err_set(e, ERR_USAGE, NULL, -1,
                           "--near needs the same name with --defect, of a defect "
                           "that --help says it of");
    if (o->fixed >> DEFECT_MOE_FEW_TOKENS & 1)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "moe-few-tokens cannot be fixed: no other trace does this work");
    if (o->empty && o->defects)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--empty leaves no kernel for a --defect");
    return true;
}

/* Kernels of a few microseconds, and a host with too much Python between them. The
 * decoder becomes a small one: a large one reads its weights for longer than any host
 * needs. */
static void starve(struct sample_plan *p)
{
    static const double slow[WORKLOAD_KINDS] = {[KIND_LLM_PREFILL] = 4.0,
                                                [KIND_LLM_DECODE] = 2.0,
                                                [KIND_CNN_TRAINING] = 1.2,
                                                [KIND_MOE] = 12.0,
                                                [KIND_HEALTHY] = 5.0};
    p->host_scale = slow[p->kind];
    p->batch = p->kind == KIND_CNN_TRAINING ? 4 : 1;
    if (p->kind == KIND_LLM_DECODE) {
        p->hidden = 2048;
        p->heads = 16;
        p->kv_heads = 4;
        p->ffn = 8192;
    } else if (p->kind != KIND_CNN_TRAINING) {
        p->seq = 256;
    }
}

/* Two defects are a matter of the shapes: little work for each launch, few tokens. */
static void choose_shapes(const struct sample_options *o, struct sample_plan *p)
{
    if (plan_planted(p, DEFECT_HOST_BOUND) || plan_planted(p, DEFECT_DEFERRED_STAMPS))
        starve(p);
    if (plan_has(p, DEFECT_MOE_FEW_TOKENS)) {
        p->batch = 1;
        p->seq = 64;
    }
    if (o->batch)
        p->batch = o->batch;
    if (o->seq && p->kind == KIND_LLM_DECODE)
        p->kv_len = o->seq;
    else if (o->seq)
        p->seq = o->seq;
    if (p->kind != KIND_LLM_DECODE)
        p->kv_len = p->seq;
}

void plan_fix(struct sample_plan *p, enum defect d)
{
    p->fixed |= UINT64_C(1) << d;
    if (d == DEFECT_HOST_BOUND)
        p->host_scale = 0.05;
}

bool plan_make(const struct sample_options *o, struct sample_plan *p, struct err *e)
{
    if (!check_defects(o, e))
        return false;
    *p = starts[o->kind];
    p->kind = o->kind;
    p->device = o->device;
    p->seed = o->seed;
    p->defects = o->defects;
    p->near = o->near;
    p->eff = o->kind == KIND_HEALTHY ? tuned : usual;
    p->host_scale = 1.0;
    p->python = !o->no_python;
    p->shapes = !o->no_shapes;
    p->second = (enum second_gpu)o->second_gpu;
    p->hostile = o->hostile;
    p->empty = o->empty;
    choose_shapes(o, p);
    if (o->layers)
        p->layers = o->layers;
    if (o->steps)
        p->steps = o->steps;
    p->rank = o->rank;
    p->world = o->world;
    if (!p->world)
        p->world =
            o->kind == KIND_CNN_TRAINING && !plan_planted(p, DEFECT_HOST_BOUND) ? 8 : 1;
    if (!o->world && o->rank >= p->world)
        p->world = o->rank + 1;
    if (p->rank >= p->world)
        return err_set(e, ERR_USAGE, NULL, -1, "--rank %d is not one of --world %d",
                       p->rank, p->world);
    for (int i = 0; i < DEFECTS; i++) {
        bool reduces =
            i == DEFECT_EXPOSED_ALLREDUCE || i == DEFECT_ALLREDUCE_PER_PARAMETER;
        if (reduces && plan_has(p, (enum defect)i) && p->world == 1)
            return err_set(e, ERR_USAGE, NULL, -1, "defect %s needs --world 2 or more",
                           defect_infos[i].name);
        if (o->fixed >> i & 1)
            plan_fix(p, (enum defect)i);
    }
    return true;
}
