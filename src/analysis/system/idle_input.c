#include "analysis/system/idle_input.h"

#include "analysis/system/cpu_work.h"
#include "analysis/system/launched_within.h"
#include "base/sort.h"
#include "perf/dtype.h"

#include <math.h>
#include <string.h>

enum {
    INPUT_GAP_NS = 1000000, /* shorter gaps are the launches' own cost */
    FEW_BYTES = 65536       /* numbers of tokens, not pictures */
};

static bool is_copy(const struct event_store *s, event_id gpu, enum copy_direction d)
{
    return gpu >= 0 && s->cat[gpu] == CAT_MEMCPY && role_way(store_role(s, gpu)) == d;
}

/* Results are read, and little goes back: a decode loop schedules its next step, which
 * depends on the tokens of this one as much as a batch of its own would not. */
static bool answers_results(const struct event_store *s, const struct gap_row *gap)
{
    if (!is_copy(s, gap->before, COPY_D2H) || gap->after < 0)
        return false;
    int64_t bytes = store_bytes(s, gap->after);
    return bytes >= 0 && bytes <= FEW_BYTES;
}

/* The same where steps are marked, as those of training are, too: those read a loss and
 * may copy few numbers of labels. Numbers of several requests were read, and no more go
 * back. */
static bool answers_requests(const struct event_store *s, const struct gap_row *gap)
{
    enum { ONE_NUMBER = 8 }; /* bytes */
    if (!answers_results(s, gap))
        return false;
    int64_t read = store_bytes(s, gap->before);
    return read > ONE_NUMBER && read <= FEW_BYTES && store_bytes(s, gap->after) <= read;
}

/* Whether the work behind a gap is the first of a step. Where the device is behind, the
 * borders of steps are its own. */
static bool begins_step(const struct trace_view *v, const struct gap_row *gap)
{
    const struct event_store *s = v->s;
    bool by_device = v->steps.by_device;
    event_id before = gap->before, after = gap->after;
    if (!by_device) {
        before = before < 0 ? -1 : view_issue(v, before);
        after = view_issue(v, after);
    }
    int32_t step = after < 0 ? -1 : trace_step_at(&v->steps, s->start_ns[after]);
    return step >= 0 &&
           (gap->before < 0 ||
            (before >= 0 && s->start_ns[before] < v->steps.rows[step].start_ns));
}

/* By place in the order of start: the next kernel; -1: none. */
static event_id *next_kernels(struct arena *a, const struct trace_view *v,
                              const event_id *by_start)
{
    event_id *next = arena_take_raw(a, sizeof *next, 4, v->n_counted), found = -1;
    for (int32_t k = v->n_counted - 1; k >= 0; k--) {
        found = v->s->cat[by_start[k]] == CAT_KERNEL ? by_start[k] : found;
        next[k] = found;
    }
    return next;
}

/* The kernel behind each gap before a copy to the device; -1: no such gap. One that is
 * the next of several copies counts for the first. Times that a kernel's name is it,
 * the copy with which the device begins included, are counted in `n`. */
static void kernels_of_inputs(struct arena tmp, const struct trace_view *v,
                              const struct idle_gaps *g, event_id *of, int32_t *n)
{
    const struct event_store *s = v->s;
    event_id *by_start = arena_take_raw(&tmp, sizeof *by_start, 4, v->n_counted);
    event_id last = -1;
    if (v->n_counted)
        memcpy(by_start, v->counted, (size_t)v->n_counted * sizeof *by_start);
    view_sort_by_start(tmp, s, by_start, v->n_counted);
    const event_id *next = next_kernels(&tmp, v, by_start);
    if (v->n_counted && is_copy(s, by_start[0], COPY_H2D) && next[0] >= 0)
        n[s->name[last = next[0]]]++;
    for (int32_t k = 0, at = 0; k < g->n; k++) {
        const struct gap_row *gap = &g->rows[k];
        of[k] = -1;
        if (gap->dur_ns < INPUT_GAP_NS || !is_copy(s, gap->after, COPY_H2D) ||
            answers_results(s, gap))
            continue;
        while (at < v->n_counted && s->start_ns[by_start[at]] < s->start_ns[gap->after])
            at++;
        if (at == v->n_counted || next[at] < 0 || next[at] == last)
            continue;
        n[s->name[of[k] = last = next[at]]]++;
    }
}

/* A module of the model makes the copy, and runs before the gap or for most of it. */
static bool is_in_module(const struct tree_index *t, const struct gap_row *gap)
{
    const struct event_store *s = t->v->s;
    event_id before = gap->before < 0 ? -1 : view_issue(t->v, gap->before),
             after = view_issue(t->v, gap->after),
             module = after < 0 ? -1 : tree_module_event(t, after);
    if (module < 0)
        return false;
    int64_t inside_ns = gap->start_ns + gap->dur_ns - s->start_ns[module];
    return 2 * inside_ns >= gap->dur_ns ||
           (before >= 0 && s->start_ns[module] <= s->start_ns[before] &&
            s->lane[module] == s->lane[before]);
}

/* A function that reads much and copies no more back, as the last that it asks of the
 * device: a sampler. One that reads a loss and fetches the next batch copies more. */
static bool copies_back(const struct tree_index *t, event_id function,
                        const struct gap_row *gap)
{
    const struct event_store *s = t->v->s;
    int32_t n = 0;
    const event_id *gpu = tree_gpu_below(t, function, &n);
    int64_t bytes = store_bytes(s, gap->after);
    return n && gpu[n - 1] == gap->after && bytes >= 0 &&
           bytes <= store_bytes(s, gap->before);
}

/* The outermost function that reads results of the device and returns before the copy
 * to it has most of the gap, or one around both ends with that copy. A loop around both
 * says nothing. */
static bool works_on_results(const struct tree_index *t, const struct gap_row *gap)
{
    const struct event_store *s = t->v->s;
    if (!is_copy(s, gap->before, COPY_D2H))
        return false;
    event_id read = view_issue(t->v, gap->before), call = view_issue(t->v, gap->after),
             reader = -1, up = read;
    if (read < 0 || call < 0 || s->lane[read] != s->lane[call])
        return false;
    for (int k = 0; k < TREE_LEVELS_MAX; k++) {
        up = tree_parent(&t->frames, up);
        if (up < 0 || store_end_ns(s, up) > s->start_ns[call])
            break;
        reader = s->cat[up] == CAT_PYTHON ? up : reader;
    }
    if (up >= 0 && s->cat[up] == CAT_PYTHON && copies_back(t, up, gap))
        return true;
    return reader >= 0 && 2 * (store_end_ns(s, reader) - gap->start_ns) >= gap->dur_ns;
}

/* Of the first operand, as recorded; NaN: unknown. */
static double operand_bytes(const struct event_store *s, event_id op)
{
    const struct op_texts *t = store_texts(s, op);
    const struct value *dims = t ? value_at(store_value(s, t->dims), 0) : NULL;
    double bytes = dims ? dtype_bytes(value_text(value_at(store_value(s, t->types), 0)))
                        : (double)NAN;
    for (int k = 0; k < value_count(dims); k++)
        bytes *=
            value_is_whole(value_at(dims, k)) ? value_at(dims, k)->number : (double)NAN;
    return bytes;
}

/* An operator computes on the CPU what takes as many bytes as were read of the device
 * right before, and more than a few. */
static bool computes_on_results(const struct tree_index *t, const struct gap_row *gap)
{
    enum { LOOKED_AT = 64 };
    const struct event_store *s = t->v->s;
    const struct call_tree *calls = &t->v->tree;
    if (!is_copy(s, gap->before, COPY_D2H) || store_bytes(s, gap->before) <= FEW_BYTES)
        return false;
    event_id read = view_issue(t->v, gap->before);
    int32_t pos = read < 0 ? -1 : tree_rank(calls, read);
    for (int k = 0; pos >= 0 && ++pos < calls->n_order && k < LOOKED_AT; k++) {
        event_id i = calls->order[pos];
        if (s->lane[i] != s->lane[read] ||
            s->start_ns[i] >= gap->start_ns + gap->dur_ns)
            return false;
        if (cpu_work_computes(t, i) &&
            operand_bytes(s, i) == (double)store_bytes(s, gap->before))
            return true;
    }
    return false;
}

/* Of an optimizer that keeps its state on the host, by its annotation or its file. What
 * it is doing in the middle of a gap takes most of it. */
struct optimizer_steps {
    struct named_spans noted, frames;
    bool asked;
};

static bool is_of_optimizer(struct arena *tmp, struct optimizer_steps *x,
                            const struct event_store *s, const struct gap_row *gap)
{
    if (!x->asked) {
        x->noted = named_spans_of(tmp, s, CAT_ANNOTATION, "optimizer.step");
        x->frames = named_spans_of(tmp, s, CAT_PYTHON,
                                   "cpu_adam.py|cpu_lion.py|cpu_adagrad.py");
    }
    x->asked = true;
    int64_t at_ns = gap->start_ns + gap->dur_ns / 2;
    return named_spans_run(&x->noted, s, at_ns) ||
           named_spans_run(&x->frames, s, at_ns);
}

/* The recording begins within the first gap, so what was read before it is not known:
 * it is of the kind of those behind it that end with as large a copy, if these agree.
 */
static bool is_like_later(const struct event_store *s, const struct idle_gaps *g,
                          const uint8_t *answers)
{
    const struct gap_row *first = &g->rows[0];
    bool any = false;
    if (!g->n || first->before >= 0 || !is_copy(s, first->after, COPY_H2D))
        return false;
    for (int32_t k = 1; k < g->n; k++) {
        const struct gap_row *gap = &g->rows[k];
        if (gap->dur_ns < INPUT_GAP_NS || !is_copy(s, gap->after, COPY_H2D) ||
            store_bytes(s, gap->after) != store_bytes(s, first->after))
            continue;
        if (!answers[k])
            return false;
        any = true;
    }
    return any;
}

/* Gaps of marked steps in which the host schedules what to do with results. */
static uint8_t *answers_find(struct arena *tmp, const struct trace_view *v,
                             const struct idle_gaps *g)
{
    uint8_t *is = arena_new(tmp, uint8_t, g->n);
    if (v->steps.source != STEPS_PROFILER || !g->n)
        return is;
    for (int32_t k = 0; k < g->n; k++)
        is[k] = answers_requests(v->s, &g->rows[k]);
    is[0] |= is_like_later(v->s, g, is);
    return is;
}

uint8_t *idle_input_find(struct arena *perm, struct arena tmp,
                         const struct tree_index *t, const struct idle_gaps *g)
{
    const struct trace_view *v = t->v;
    const struct event_store *s = v->s;
    uint8_t *is = arena_new(perm, uint8_t, g->n);
    int32_t *n = arena_new(&tmp, int32_t, s->names.n + 1);
    event_id *kernel = arena_take_raw(&tmp, sizeof *kernel, 4, g->n);
    struct optimizer_steps optimizer = {.asked = false};
    kernels_of_inputs(tmp, v, g, kernel, n);
    const uint8_t *answers = answers_find(&tmp, v, g);
    for (int32_t k = 0; k < g->n; k++) {
        const struct gap_row *gap = &g->rows[k];
        bool marked = v->steps.source == STEPS_PROFILER;
        if (gap->dur_ns < INPUT_GAP_NS || !is_copy(s, gap->after, COPY_H2D))
            continue;
        if (works_on_results(t, gap) || computes_on_results(t, gap) ||
            is_of_optimizer(&tmp, &optimizer, s, gap)) {
            is[k] = INPUT_RESULTS;
            continue;
        }
        if (answers[k] ||
            (marked ? !begins_step(v, gap)
                    : kernel[k] < 0 || n[s->name[kernel[k]]] < 2) ||
            is_in_module(t, gap))
            continue;
        bool detour = !marked && is_copy(s, gap->before, COPY_D2H) && !t->has_frames;
        is[k] = detour ? INPUT_OR_DETOUR : INPUT_MADE;
    }
    return is;
}
