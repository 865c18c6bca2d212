#include "workload.h"

#include "hidden_defects.h"
#include "host_defects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void write_export_names(struct simulator *s, int64_t ts_ns)
{
    char text[64];
    write_label(s->w, "process_name", s->pid, 0, ts_ns, "name", "python3");
    write_label(s->w, "process_labels", s->pid, 0, ts_ns, "labels", "CPU");
    write_sort_index(s->w, "process_sort_index", s->pid, 0, ts_ns, s->pid);
    for (int i = 0; i < DEVICES; i++) {
        snprintf(text, sizeof text, "GPU %d", i);
        write_label(s->w, "process_name", i, 0, ts_ns, "name", "python3");
        write_label(s->w, "process_labels", i, 0, ts_ns, "labels", text);
        write_sort_index(s->w, "process_sort_index", i, 0, ts_ns, 5000000 + i);
    }
    for (int i = 0; i < STREAMS; i++) {
        if (!s->streams[i].launched)
            continue;
        snprintf(text, sizeof text, "stream %" PRId64 " ", s->streams[i].id);
        int64_t gpu = s->gpu + (i == STREAM_PEER);
        write_label(s->w, "thread_name", gpu, s->streams[i].id, ts_ns, "name", text);
        write_sort_index(s->w, "thread_sort_index", gpu, s->streams[i].id, ts_ns,
                         s->streams[i].id);
    }
    for (int i = 0; i < HOSTS; i++) {
        int64_t tid = s->hosts[i].tid;
        if (!s->hosts[i].used)
            continue;
        snprintf(text, sizeof text,
                 i == HOST_MAIN ? "thread %" PRId64 " (python3)"
                                : "thread %" PRId64 " (pt_autograd_0)",
                 tid);
        write_label(s->w, "thread_name", s->pid, tid, ts_ns, "name", text);
        write_sort_index(s->w, "thread_sort_index", s->pid, tid, ts_ns, tid);
    }
}

/* Power or temperature: in the second half of the steps. */
static void set_clocks(struct simulator *s, const struct sample_plan *p, int64_t step)
{
    const double SLOW = plan_near(p, DEFECT_SLOW_CLOCKS) ? 1.08 : 1.4;
    bool slow = plan_has(p, DEFECT_SLOW_CLOCKS) && 2 * step >= p->steps;
    s->device_scale = slow ? SLOW : 1;
    s->tally[DEFECT_SLOW_CLOCKS].count += slow;
}

static void simulate(struct simulator *s, const struct sample_plan *p)
{
    bool training = p->kind == KIND_CNN_TRAINING;
    int64_t start_ns = s->hosts[HOST_MAIN].now_ns;
    sim_python(s, training ? "train_ddp.py(184): <module>" : "serve.py(212): <module>");
    sim_python(s, training ? "train_ddp.py(161): ddp_worker" : "serve.py(178): main");
    host_leading_artefact(s, p);
    for (int64_t i = 0; i < p->steps; i++) {
        random_seed(&s->random, p->seed, (uint64_t)i, 0);
        set_clocks(s, p, i);
        sim_step_begin(s, FIRST_STEP + i);
        if (training)
            cnn_step(s, p, i);
        else
            llm_step(s, p, i);
        sim_step_end(s, FIRST_STEP + i);
    }
    sim_device_synchronize(s);
    sim_end_n(s, 2);
    write_export_names(s, start_ns);
    write_window(s->w, start_ns - 50000, s->hosts[HOST_MAIN].now_ns + 50000);
}

bool workload_run(const struct sample_plan *p, const char *path, struct run_result *r,
                  struct err *e)
{
    struct trace_header h = {p->device, p->seed,   DEVICES, p->rank, p->world,
                             p->python, p->shapes, NULL,    0};
    struct event_writer w;
    struct simulator *s = malloc(sizeof *s);
    if (!s)
        return err_set(e, ERR_INTERNAL, NULL, -1, "out of memory");
    if (!writer_open(&w, path, &h, p->hostile, e)) {
        free(s);
        return false;
    }
    sim_open(s, &w, p->device, p->seed);
    s->gpu = p->rank % DEVICES;
    s->host_scale = p->host_scale;
    s->python = p->python;
    s->shapes = p->shapes;
    s->no_gpu = p->empty;
    s->module_load_ns = plan_has(p, DEFECT_FIRST_LAUNCH) ? 14e6 : 0;
    hidden_set_up(s, p);
    simulate(s, p);
    *r = (struct run_result){.events = w.events,
                             .kernels = s->streams[STREAM_MAIN].launched,
                             .times = sim_times(s)};
    for (int i = 0; i < DEFECTS; i++)
        r->tally[i] = s->tally[i];
    free(s);
    return writer_close(&w, e);
}
