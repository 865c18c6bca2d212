/* Steps of a recording, by the annotations of the profiler or of a serving engine. */
#include "analysis/trace_analyse.h"
#include "base/arena.h"
#include "base/sort.h"
#include "capture/capture_names.h"
#include "capture/capture_parts.h"
#include "ops/trace_view.h"
#include "perf/step_annotation.h"

#include <stdlib.h>

enum { STEADY_STEPS_MIN = 3 };
static const double WARM_UP_FACTOR = 1.5;

static const struct str profiler_word = S_INIT("ProfilerStep#");

bool capture_read_step(struct str text, struct capture_step *step)
{
    struct step_load load;
    bool known = step_load_read(text, &load);
    for (int k = 0; k < 2; k++)
        step->requests[k] = load.requests[k];
    step->phase = step_phase_word(load.phase);
    step->new_tokens = load.tokens[0] + load.tokens[1];
    step->seen_tokens = load.seen[0] + load.seen[1];
    return known || str_starts(text, S("execute_diffusion_"));
}

static bool is_host(int cat)
{
    return cat == CAT_ANNOTATION || cat == CAT_CPU_OP; /* operators: traces of 2021 */
}

/* Annotations of a kind, by start, none inside the one before. */
static void collect(struct arena *perm, struct arena tmp, const struct event_store *s,
                    struct capture *c, bool by_profiler)
{
    struct sort_row *rows = NULL;
    int32_t n = 0;
    struct capture_step none;
    for (event_id i = 0; i < s->n; i++) {
        if (!is_host(s->cat[i]) || s->name[i] < 0)
            continue;
        struct str name = store_name(s, i);
        if (by_profiler
                ? str_starts(name, profiler_word)
                : s->cat[i] == CAT_ANNOTATION && capture_read_step(name, &none)) {
            arena_grow(&tmp, rows, n);
            rows[n++] = (struct sort_row){s->start_ns[i], i};
        }
    }
    if (n)
        sort_rows(tmp, rows, n);
    c->steps = arena_new(perm, struct capture_step, n);
    for (int32_t k = 0; k < n; k++) {
        event_id i = rows[k].row;
        struct capture_step step = {
            .start_ns = s->start_ns[i], .end_ns = store_end_ns(s, i), .number = k};
        int64_t from_ns = c->n_steps ? c->steps[c->n_steps - 1].end_ns : INT64_MIN;
        if (step.start_ns < from_ns && from_ns - step.start_ns <= STEP_ROUNDED_NS)
            step.start_ns = from_ns;
        if (step.start_ns < from_ns || step.end_ns < step.start_ns)
            continue;
        capture_read_step(store_name(s, i), &step);
        if (by_profiler)
            str_int(str_skip(store_name(s, i), profiler_word.n), &step.number);
        c->steps[c->n_steps++] = step;
    }
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The first of three and more, if it is much longer than the median of the others. */
static bool warms_up(struct arena tmp, const struct capture *c)
{
    int n = c->n_steps - 1;
    if (c->n_steps < STEADY_STEPS_MIN)
        return false;
    int64_t *ns = arena_new(&tmp, int64_t, n);
    for (int i = 0; i < n; i++)
        ns[i] = c->steps[i + 1].end_ns - c->steps[i + 1].start_ns;
    qsort(ns, (size_t)n, sizeof *ns, by_value);
    double median = ((double)ns[(n - 1) / 2] + (double)ns[n / 2]) / 2;
    return (double)(c->steps[0].end_ns - c->steps[0].start_ns) >
           WARM_UP_FACTOR * median;
}

/* The step whose marks hold a time; c->n_steps: later than all; -1: between or before.
 */
static int step_at(const struct capture *c, int64_t at_ns)
{
    int low = 0, high = c->n_steps;
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->steps[middle].end_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->n_steps && c->steps[low].start_ns > at_ns ? -1 : low;
}

/* By step, and behind all steps: the start of the first device event launched there. */
static int64_t *first_starts(struct arena *a, const struct trace_view *v,
                             const struct capture *c)
{
    int64_t *first_ns = arena_new(a, int64_t, c->n_steps + 1);
    for (int i = 0; i <= c->n_steps; i++)
        first_ns[i] = INT64_MAX;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], call = launch_call(&v->launch, gpu);
        int step = call < 0 ? -1 : step_at(c, v->s->start_ns[call]);
        if (step >= 0 && v->s->start_ns[gpu] < first_ns[step])
            first_ns[step] = v->s->start_ns[gpu];
    }
    return first_ns;
}

/* Moves the marks of the host to the work they launched. A step that launched nothing,
 * or whose end is not recorded, does not count. */
static void move_to_device(struct capture *c, const int64_t *first_ns)
{
    int kept = 0;
    for (int i = 0; i < c->n_steps; i++) {
        int next = i + 1;
        while (next < c->n_steps && first_ns[next] == INT64_MAX)
            next++;
        if (first_ns[i] == INT64_MAX || first_ns[next] == INT64_MAX ||
            first_ns[next] <= first_ns[i])
            continue;
        struct capture_step step = c->steps[i];
        step.start_ns = first_ns[i];
        step.end_ns = first_ns[next];
        c->steps[kept++] = step;
    }
    c->n_steps = kept;
}

void capture_find_steps(struct arena *perm, struct arena tmp,
                        const struct trace_view *v, struct capture *c)
{
    collect(perm, tmp, v->s, c, true);
    if (!c->n_steps)
        collect(perm, tmp, v->s, c, false);
    if (c->n_steps < 2) {
        c->n_steps = 0;
        return;
    }
    if (v->window.linked_ns != INT64_MIN)
        move_to_device(c, first_starts(&tmp, v, c));
    for (int i = 0; i < c->n_steps; i++)
        c->steps[i].kept = c->steps[i].steady = true;
    if (c->n_steps)
        c->steps[0].steady = !warms_up(tmp, c);
}

/* What a comparison should know of the machine and the recording. */

enum { LINES_MAX = 24 };

struct lines {
    struct arena *perm;
    struct capture *c;
};

static void line(struct lines *l, const char *what, struct str value)
{
    l->c->setup[l->c->n_setup++] = (struct capture_setup_line){str_of(what), value};
}

static struct str number(struct arena *perm, int n, int least)
{
    return n >= least ? str_printf(perm, "%d", n) : S("");
}

static struct str yes_no(bool is)
{
    return is ? S("yes") : S("no");
}

static void machine(struct lines *l, const struct machine *m)
{
    struct machine_device d = machine_first(m);
    line(l, "device", d.name);
    line(l, "multiprocessors", number(l->perm, d.compute_units, 1));
    line(l, "device memory",
         d.memory_bytes > 0 ? str_printf(l->perm, "%.1f GB", d.memory_bytes / 1e9)
                            : S(""));
    line(l, "driver", m->driver);
    line(l, "runtime", m->runtime);
}

static void recording(struct lines *l, const struct trace_facts *f,
                      const struct machine *m)
{
    line(l, "ranks", number(l->perm, m->world_size, 0));
    line(l, "rank", number(l->perm, m->rank, 0));
    line(l, "shapes recorded", yes_no(f->has_shapes));
    line(l, "Python frames recorded", yes_no(f->has_frames));
    line(l, "memory recorded",
         m->records_memory >= 0 ? yes_no(m->records_memory > 0) : S(""));
    line(l, "operators recorded", yes_no(f->has_cpu_op));
    line(l, "GPU graphs replayed", yes_no(f->graph_launches > 0));
}

/* A file that a tool made of the traces of several ranks. */
static bool holds_several_ranks(const struct event_store *s)
{
    struct str first = S("");
    for (int32_t i = 0; i < s->n_lanes; i++) {
        struct str name = pool_text(&s->names, s->lanes[i].process_name);
        ptrdiff_t dash = str_find(name, S(" - "));
        if (!str_starts(name, S("RANK ")) || dash < 0)
            continue;
        struct str own = str_head(name, dash);
        if (first.n && !str_eq(first, own))
            return true;
        first = own;
    }
    return false;
}

static void find_rank(struct capture_ranks *r, const struct trace_result *t)
{
    const struct machine *m = &t->store.machine;
    struct str path = str_of(t->store.file);
    r->rank = m->rank;
    if (r->rank < 0)
        r->rank = rank_of_path(path);
    r->host = host_of_path(path);
    r->n_devices = m->n_devices;
    r->is_merged = holds_several_ranks(&t->store);
    r->world_size = m->world_size;
    r->backend = m->backend;
    r->library = m->library;
}

void capture_find_setup(struct arena *perm, const struct trace_result *t,
                        struct capture *c)
{
    struct lines l = {perm, c};
    c->setup = arena_new(perm, struct capture_setup_line, LINES_MAX);
    machine(&l, &t->store.machine);
    recording(&l, &t->tables.facts, &t->store.machine);
    find_rank(&c->ranks, t);
}
