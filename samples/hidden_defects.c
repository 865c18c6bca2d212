#include "hidden_defects.h"

void hidden_set_up(struct simulator *s, const struct sample_plan *p)
{
    if (plan_has(p, DEFECT_OTHER_PROCESS)) {
        s->slice_every_ns = 10000000;
        s->slice_ns = plan_near(p, DEFECT_OTHER_PROCESS) ? 2000000 : 4000000;
        s->tally[DEFECT_OTHER_PROCESS].count = 1;
    }
    if (plan_has(p, DEFECT_DEFERRED_STAMPS)) {
        s->stamp_every_ns = 5000000;
        s->stamp_apart_ns = plan_near(p, DEFECT_DEFERRED_STAMPS) ? 1200 : 800;
        s->tally[DEFECT_DEFERRED_STAMPS].count = 1;
    }
}

void hidden_wait(struct simulator *s, const struct sample_plan *p)
{
    struct device_stream *main = &s->streams[STREAM_MAIN];
    struct sample_random kept = s->random;
    if (!plan_has(p, DEFECT_UNRECORDED_WAIT))
        return;
    int64_t ns = plan_near(p, DEFECT_UNRECORDED_WAIT) ? 400000 : 600000,
            now_ns = s->hosts[s->host].now_ns;
    sim_python(s, "model/native_cache.py(92): compact");
    main->free_ns = (main->free_ns > now_ns ? main->free_ns : now_ns) + ns;
    sim_stream_synchronize(s);
    sim_end(s);
    s->tally[DEFECT_UNRECORDED_WAIT].count++;
    s->tally[DEFECT_UNRECORDED_WAIT].time_ns += ns;
    s->random = kept;
}

bool hidden_layer(const struct sample_plan *p, int64_t step, int64_t layer)
{
    int64_t percent = plan_near(p, DEFECT_PARTIAL_GRAPHS) ? 60 : 40;
    return (plan_has(p, DEFECT_SILENT_GRAPHS) && step > 0) ||
           (plan_has(p, DEFECT_PARTIAL_GRAPHS) && 100 * layer >= percent * p->layers);
}

double hidden_skew_ns(struct simulator *s, const struct sample_plan *p, double ns)
{
    if (!plan_has(p, DEFECT_START_SKEW) || s->tally[DEFECT_START_SKEW].count)
        return ns;
    s->tally[DEFECT_START_SKEW].count++;
    return plan_near(p, DEFECT_START_SKEW) ? 8 * ns : 400e6;
}
