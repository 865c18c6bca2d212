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

void host_preprocessing(struct simulator *s, const struct sample_plan *p)
{
    struct sample_random kept = s->random;
    if (!plan_has(p, DEFECT_CPU_PREPROCESSING))
        return;
    s->tally[DEFECT_CPU_PREPROCESSING].count++;
    sim_python(s, "data/image_processing.py(412): __call__");
    sim_python(s, "data/image_processing.py(368): preprocess");
    sim_python(s, "data/image_processing.py(221): zoom_shift");
    sim_think(s, 96e6);
    sim_end(s);
    sim_python(s, "data/image_processing.py(187): normalise");
    sim_think(s, 24e6);
    sim_end_n(s, 3);
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
