#include "job_run.h"

#include "base/out.h"
#include "sample_options.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_us(struct out *o, const char *key, double ns)
{
    out_printf(o, ", \"%s\": ", key);
    out_fixed(o, ns / 1000, 3);
}

static void put_job(struct out *o, const struct job_plan *j, const struct job_result *r)
{
    static const char *const told[METADATA_KINDS] = {"seq", "plain", "call", "none"};
    out_printf(
        o,
        "{\n  \"ranks\": %d, \"gpus_per_node\": %d, \"tensor\": %d, \"experts\": "
        "%s, \"seed\": %" PRIu64 ", \"device\": \"%s\",\n  \"layers\": %" PRId64
        ", \"steps\": %" PRId64 ", \"metadata\": \"%s\", "
        "\"collectives_per_rank\": %" PRId64,
        j->o.ranks, j->o.gpus_per_node, j->o.tensor, j->o.experts ? "true" : "false",
        j->model.seed, j->model.device->name, j->model.layers, j->model.steps,
        told[j->o.metadata], r->collectives);
    put_us(o, "total_us", (double)r->total_ns);
    put_us(o, "step_us", (double)r->total_ns / (double)j->model.steps);
}

/* What the job gains a step when this one thing is put right. */
static bool saving_ns(const struct job_plan *j, int plant,
                      const struct job_result *with, double *ns, struct err *e)
{
    struct job_plan better = *j;
    struct job_result *without = malloc(sizeof *without);
    if (!without)
        return err_set(e, ERR_INTERNAL, NULL, -1, "out of memory");
    better.o.plants[plant] = better.o.plants[--better.o.plants_n];
    bool ok = job_run(&better, NULL, without, e);
    if (ok)
        *ns = (double)(with->total_ns - without->total_ns) / (double)j->model.steps;
    free(without);
    return ok;
}

static bool put_plant(struct out *o, const struct job_plan *j, int at,
                      const struct job_result *r, struct err *e)
{
    const struct plant *p = &j->o.plants[at];
    const struct plant_info *info = &plant_infos[p->kind];
    double ns = 0;
    int n = 0;
    if (!saving_ns(j, at, r, &ns, e))
        return false;
    out_printf(o,
               "%s\n    {\"kind\": \"%s\", \"cause\": \"%s\", \"amount\": %.0f, "
               "\"unit\": \"%s\", \"ranks\": [",
               at ? "," : "", info->name, info->cause, p->amount, info->unit);
    for (int i = 0; i < j->o.ranks; i++)
        if (plant_hits(j, p, i))
            out_printf(o, n++ ? ", %d" : "%d", i);
    out_printf(o, "]");
    put_us(o, "saving_us_per_step", ns);
    out_printf(o, "}");
    return true;
}

static void put_rank(struct out *o, const struct job_plan *j, int rank,
                     const struct job_rank_result *r)
{
    out_printf(o,
               "%s\n    {\"rank\": %d, \"node\": %d, \"file\": \"%s\", \"last\": "
               "%" PRId64,
               rank ? "," : "", rank, rank / j->o.gpus_per_node, r->file, r->last);
    put_us(o, "wait_us", (double)r->wait_ns);
    put_us(o, "blame_us", (double)r->blame_ns);
    put_us(o, "clock_ahead_us", (double)r->clock_ahead_ns);
    out_printf(o, ", \"drift_ppm\": ");
    out_fixed(o, r->clock_drift_ppm, 3);
    out_printf(o, "}");
}

static bool write_truth(const char *path, const struct job_plan *j,
                        const struct job_result *r, struct err *e)
{
    struct out o;
    bool ok = true;
    if (!out_open(&o, path, e))
        return false;
    put_job(&o, j, r);
    out_printf(&o, ",\n  \"planted\": [");
    for (int i = 0; ok && i < j->o.plants_n; i++)
        ok = put_plant(&o, j, i, r, e);
    out_printf(&o, "],\n  \"of_ranks\": [");
    for (int i = 0; i < j->o.ranks; i++)
        put_rank(&o, j, i, &r->ranks[i]);
    out_printf(&o, "]\n}\n");
    return out_close(&o, e) && ok;
}

bool job_write(const struct sample_options *o, struct err *e)
{
    struct job_plan j;
    struct job_result *r = malloc(sizeof *r);
    if (!r)
        return err_set(e, ERR_INTERNAL, NULL, -1, "out of memory");
    bool ok = job_plan_make(o, &j, e);
    if (ok && !job_run(&j, o->out, r, e))
        ok = err_doing(e, "writing the job");
    if (ok && o->truth && !write_truth(o->truth, &j, r, e))
        ok = err_doing(e, "writing the truth");
    free(r);
    return ok;
}
