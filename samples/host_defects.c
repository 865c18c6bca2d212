#include "host_defects.h"

#include "torch_ops.h"

enum { OLD_WORK_NS = 120000000 };

void host_leading_artefact(struct simulator *s, const struct sample_plan *p)
{
    struct op_arg x = tensor1(F32, 65536);
    struct sample_random kept = s->random;
    if (!plan_has(p, DEFECT_LEADING_ARTEFACT))
        return;
    sim_op(s, "aten::copy_", ARGS(x, x, scalar("True")));
    sim_copy(s, (struct copy){COPY_H2D, STREAM_COMM, 262144, false, DEFECT_NONE, 0});
    sim_end(s);
    s->streams[STREAM_MAIN].free_ns = s->hosts[HOST_MAIN].now_ns + OLD_WORK_NS;
    s->tally[DEFECT_LEADING_ARTEFACT].count++;
    s->tally[DEFECT_LEADING_ARTEFACT].time_ns += OLD_WORK_NS;
    s->random = kept;
}

static void preprocess(struct simulator *s)
{
    sim_python(s, "data/image_processing.py(412): __call__");
    sim_python(s, "data/image_processing.py(368): preprocess");
    sim_python(s, "data/image_processing.py(221): zoom_shift");
    sim_think(s, 96e6);
    sim_end(s);
    sim_python(s, "data/image_processing.py(187): normalise");
    sim_think(s, 24e6);
    sim_end_n(s, 3);
}

void host_preprocessing(struct simulator *s, const struct sample_plan *p)
{
    struct sample_random kept = s->random;
    if (!plan_has(p, DEFECT_CPU_PREPROCESSING))
        return;
    s->tally[DEFECT_CPU_PREPROCESSING].count++;
    preprocess(s);
    s->random = kept;
}

void host_input_loop(struct simulator *s, const struct sample_plan *p)
{
    struct op_arg image = tensor1(F32, 3 * 1024 * 1024);
    struct sample_random kept = s->random;
    if (!plan_planted(p, DEFECT_INPUT_LOOP))
        return;
    s->tally[DEFECT_INPUT_LOOP].count++;
    if (plan_has(p, DEFECT_INPUT_LOOP))
        preprocess(s);
    if (!plan_near(p, DEFECT_INPUT_LOOP)) {
        sim_op(s, "aten::copy_", ARGS(image, image, scalar("True")));
        sim_copy(s,
                 (struct copy){COPY_H2D, STREAM_MAIN, 12 << 20, false, DEFECT_NONE, 0});
        sim_end(s);
    }
    s->random = kept;
}

void host_pause(struct simulator *s, const struct sample_plan *p, int64_t step)
{
    enum { CALLS = 8, EVERY = 3 };
    struct sample_random kept = s->random;
    if (!plan_has(p, DEFECT_HOST_PAUSE))
        return;
    bool stops = step % EVERY == 1;
    s->tally[DEFECT_HOST_PAUSE].count += stops;
    for (int k = 0; k < CALLS; k++) {
        if (plan_near(p, DEFECT_HOST_PAUSE) && !(stops && k == CALLS / 2))
            continue;
        sim_python(s, "serving/metrics.py(77): observe");
        sim_think(s, stops && k == CALLS / 2 ? 60e6 : 5e3);
        sim_end(s);
    }
    s->random = kept;
}

static void copy_and_wait(struct simulator *s, enum copy_direction direction)
{
    struct op_arg x = tensor1(F32, 1024 * 1024);
    sim_op(s, "aten::copy_", ARGS(x, x, scalar("False")));
    sim_copy(s, (struct copy){direction, STREAM_MAIN, 4 << 20, false, DEFECT_NONE, 0});
    sim_stream_synchronize(s);
    sim_end(s);
}

void host_sampler(struct simulator *s, const struct sample_plan *p)
{
    struct sample_random kept = s->random;
    if (!plan_has(p, DEFECT_HOST_SAMPLER))
        return;
    s->tally[DEFECT_HOST_SAMPLER].count++;
    sim_python(s, "serving/choose.py(120): pick_tokens");
    copy_and_wait(s, COPY_D2H);
    if (plan_near(p, DEFECT_HOST_SAMPLER)) {
        sim_end(s);
        sim_python(s, "serving/prompts.py(31): next_prompts");
    }
    sim_python(s, "serving/choose.py(44): order");
    sim_think(s, 30e6);
    sim_end_n(s, 2);
    copy_and_wait(s, COPY_H2D);
    s->random = kept;
}

/* What launches a kernel has it compute. */
static void cpu_or_launch(struct simulator *s, const struct sample_plan *p)
{
    if (plan_near(p, DEFECT_CPU_ATTENTION))
        sim_launch(s, (struct kernel){.name = "offloaded_attention_kernel(float*)",
                                      .time_ns = 20e3,
                                      .grid = s->device->compute_units,
                                      .defect = DEFECT_NONE});
}

/* Views are dispatch, products and softmax are work. */
void host_cpu_attention(struct simulator *s, const struct sample_plan *p)
{
    struct op_arg q = tensor3(BF16, 32, 1, 128), k = tensor3(BF16, 32, 128, 4096);
    struct sample_random kept = s->random;
    if (!plan_has(p, DEFECT_CPU_ATTENTION))
        return;
    s->tally[DEFECT_CPU_ATTENTION].count++;
    sim_python(s, "model/kv_cache.py(115): attend_offloaded");
    sim_op(s, "aten::matmul", ARGS(q, k));
    sim_leaf(s, "aten::expand", ARGS(q));
    sim_op(s, "aten::bmm", ARGS(q, k));
    sim_think(s, 60e6);
    cpu_or_launch(s, p);
    sim_end_n(s, 2);
    sim_op(s, "aten::_softmax", ARGS(q));
    sim_think(s, 12e6);
    cpu_or_launch(s, p);
    sim_end_n(s, 2);
    s->random = kept;
}

void host_allocator(struct simulator *s, const struct sample_plan *p)
{
    struct sample_random kept = s->random;
    if (!plan_has(p, DEFECT_ALLOC_IN_STEP))
        return;
    s->tally[DEFECT_ALLOC_IN_STEP].count++;
    sim_python(s, "model/workspace.py(58): scratch");
    sim_op(s, "aten::empty",
           ARGS(scalar_list("[268435456]"), scalar("15"), absent(), absent(), absent(),
                absent()));
    sim_device_malloc(s, 320e3);
    sim_end(s);
    sim_python(s, "torch/cuda/memory.py(224): empty_cache");
    sim_device_free(s, 2.1e6);
    sim_end_n(s, 2);
    s->random = kept;
}
