/* sample_main.c - tracefolio-sample: writes a trace whose problems are known. */
#include "job_run.h"
#include "sample_options.h"
#include "truth_file.h"

#include <stdio.h>

/* Layers and steps that give about o->events events. One and two layers of one step
 * tell what a layer costs and what a step costs besides. */
static bool fit_events(const struct sample_options *o, struct sample_plan *p,
                       struct err *e)
{
    struct sample_plan probe = *p;
    struct run_result one, two, more_steps;
    probe.steps = 1;
    probe.layers = 4;
    if (!workload_run(&probe, NULL, &one, e))
        return false;
    probe.layers = 8;
    if (!workload_run(&probe, NULL, &two, e))
        return false;
    probe.steps = 2;
    if (!workload_run(&probe, NULL, &more_steps, e))
        return false;
    double layer = (double)(two.events - one.events) / 4;
    double step = (double)(more_steps.events - two.events) - 8 * layer;
    double fixed = (double)one.events - step - 4 * layer;
    double room = (double)o->events - fixed;
    if (!o->steps) {
        double whole = step + (double)p->layers * layer;
        p->steps = (int64_t)(room / whole + 0.5);
        if (p->steps < 1)
            p->steps = 1;
    }
    if (!o->layers) {
        double layers = (room / (double)p->steps - step) / layer;
        p->layers = layers < 1 ? 1 : layers > 2000 ? 2000 : (int64_t)(layers + 0.5);
    }
    return true;
}

static bool run(const struct sample_options *o, struct err *e)
{
    struct sample_plan p;
    struct run_result r;
    if (o->job.ranks)
        return job_write(o, e);
    if (!plan_make(o, &p, e))
        return false;
    if (o->events && !fit_events(o, &p, e))
        return false;
    if (!workload_run(&p, o->out, &r, e))
        return err_doing(e, "writing the trace");
    if (o->truth && !truth_write(o->truth, &p, &r, e))
        return err_doing(e, "writing the truth");
    return true;
}

int main(int argc, char **argv)
{
    static const int exit_codes[ERR_KINDS] = {
        [ERR_USAGE] = 2, [ERR_INPUT] = 3, [ERR_OUTPUT] = 4, [ERR_INTERNAL] = 1};
    struct sample_options o;
    struct err e = {0};
    if (options_parse(argc, argv, &o, &e)) {
        if (o.help) {
            options_help();
            return 0;
        }
        if (run(&o, &e))
            return 0;
    }
    char line[2048];
    err_line(&e, line, sizeof line);
    fprintf(stderr, "tracefolio-sample: %s\n", line);
    return exit_codes[e.kind];
}
