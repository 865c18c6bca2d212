#include "truth_file.h"

#include "base/out.h"
#include "torch_ops.h"

#include <inttypes.h>
#include <math.h>

static double whole_ns_as_us(double ns)
{
    return nearbyint(ns) / 1000;
}

static void number(struct out *o, const char *key, double ns)
{
    out_printf(o, ", \"%s\": ", key);
    out_real(o, whole_ns_as_us(ns));
}

/* The same run with one defect less. */
static bool run_without(const struct sample_plan *p, int d, struct run_result *r,
                        struct err *e)
{
    struct sample_plan better = *p;
    plan_fix(&better, (enum defect)d);
    return workload_run(&better, NULL, r, e);
}

static bool put_defect(struct out *o, const struct sample_plan *p, int d,
                       const struct run_result *with, struct err *e)
{
    const struct defect_info *info = &defect_infos[d];
    const struct defect_tally *t = &with->tally[d];
    struct run_result without = *with;
    if (d != DEFECT_MOE_FEW_TOKENS && !run_without(p, d, &without, e))
        return false;
    double time_ns = (double)t->time_ns, ideal_ns = t->ideal_ns;
    if (info->measure == MEASURE_IDLE) {
        time_ns = with->times.idle_ns;
        ideal_ns = without.times.idle_ns;
    } else if (info->measure == MEASURE_EXPOSED_COMM) {
        time_ns = with->times.exposed_comm_ns;
        ideal_ns = without.times.exposed_comm_ns;
    }
    if (info->measure == MEASURE_NOTHING) {
        ideal_ns = time_ns;
        without = *with;
    }
    double saving_ns = time_ns - ideal_ns;
    double total_ns = with->times.total_ns, end_ns = total_ns - without.times.total_ns;
    if (d == DEFECT_MOE_FEW_TOKENS) /* no other trace does the same work: each token's
                                       share */
        end_ns = saving_ns;
    out_printf(
        o,
        "\n    {\"name\": \"%s\", \"op\": \"%s\", \"category\": \"%s\", \"count\": "
        "%" PRId64,
        info->name,
        d == DEFECT_MOE_FEW_TOKENS ? ops_moe_name(p->device->hip) : info->op,
        info->category, d == DEFECT_HOST_BOUND ? with->kernels : t->count);
    number(o, "time_us", time_ns);
    number(o, "ideal_us", ideal_ns);
    number(o, "saving_us", saving_ns);
    out_printf(o, ", \"saving_percent_of_total\": ");
    out_fixed(o, total_ns > 0 ? 100 * saving_ns / total_ns : 0, 4);
    number(o, "end_to_end_saving_us", end_ns);
    out_printf(o, "}");
    return true;
}

bool truth_write(const char *path, const struct sample_plan *p,
                 const struct run_result *r, struct err *e)
{
    struct out o;
    bool first = true;
    if (!out_open(&o, path, e))
        return false;
    out_printf(&o,
               "{\n  \"kind\": \"%s\", \"seed\": %" PRIu64 ", \"device\": \"%s\", "
               "\"events\": %" PRId64 ",\n  \"layers\": %" PRId64
               ", \"steps\": %" PRId64 ", \"batch\": %" PRId64 ", \"seq\": %" PRId64,
               workload_names[p->kind], p->seed, p->device->name, r->events, p->layers,
               p->steps, p->batch, p->seq);
    number(&o, "total_us", r->times.total_ns);
    number(&o, "idle_us", r->times.idle_ns);
    number(&o, "exposed_comm_us", r->times.exposed_comm_ns);
    out_printf(&o, ",\n  \"defects\": [");
    for (int d = 0; d < DEFECTS; d++) {
        if (!plan_has(p, (enum defect)d))
            continue; /* not planted, or fixed */
        out_printf(&o, first ? "" : ",");
        first = false;
        if (!put_defect(&o, p, d, r, e)) {
            struct err ignored = {0};
            (void)!out_close(&o, &ignored);
            return false;
        }
    }
    out_printf(&o, "\n  ]\n}\n");
    return out_close(&o, e);
}
