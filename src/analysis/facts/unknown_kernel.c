#include "analysis/facts/unknown_kernel.h"

#include "analysis/facts/kernel_grid.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "base/cpp_name.h"
#include "base/int_map.h"
#include "base/shell_word.h"
#include "kernels/kernel_name.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

struct kernel_time {
    struct str name;
    const struct work_row *row; /* with most of it */
    double us, row_us, min_us, max_us;
    int64_t n;
    bool others; /* rows of other operators run it, too */
};

static void add_kernel(struct kernel_time *t, const struct work_row *r,
                       const struct kernel_detail *k)
{
    t->name = k->name;
    t->us += k->total_us;
    t->min_us = t->n ? fmin(t->min_us, k->min_us) : k->min_us;
    t->max_us = fmax(t->max_us, k->max_us);
    t->n += k->n;
    t->others |= t->row && !str_eq(t->row->name, r->name);
    if (k->total_us > t->row_us) {
        t->row = r;
        t->row_us = k->total_us;
    }
}

struct kernel_times {
    struct kernel_time *all;
    int32_t n;
};

/* Over all rows that compute and have no model, without their copies; names are at one
 * address each. Returns the kernel that takes longest. */
static struct kernel_time largest(struct arena *tmp, const struct analysis *a,
                                  double *unknown_ms, struct kernel_times *times)
{
    struct int_map of_name = int_map_make(tmp, 256);
    struct kernel_time best = {0};
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            const struct work_row *r = &a->categories[c].rows[i];
            if (r->group->cost && a->tables->device)
                continue; /* without peaks, a model does not tell how good a call is */
            *unknown_ms += r->time_ms;
            for (int32_t k = 0; k < r->group->n_kernels; k++) {
                const struct kernel_detail *d = &r->group->kernels[k];
                if (kernel_label_is_copy(kernel_label_of(d->name))) {
                    *unknown_ms -= d->total_us / 1e3;
                    continue;
                }
                int32_t *at = int_map_at(&of_name, tmp, (int64_t)(intptr_t)d->name.p);
                if (*at < 0) {
                    *at = times->n;
                    arena_grow(tmp, times->all, times->n);
                    times->all[times->n++] = (struct kernel_time){0};
                }
                add_kernel(&times->all[*at], r, d);
                best = times->all[*at].us > best.us ? times->all[*at] : best;
            }
        }
    return best;
}

/* What a profiler calls it: the function, without its namespace, types and arguments.
 */
static struct str function_name(struct str kernel)
{
    struct str of = cpp_function_name(kernel);
    if (of.n)
        return of;
    kernel = cpp_without_return(kernel);
    ptrdiff_t n = 0, from = 0;
    for (; n < kernel.n && kernel.p[n] != '<' && kernel.p[n] != ' '; n++) {
        if (kernel.p[n] == '(' && str_starts(str_skip(kernel, n), S("(anonymous"))) {
            ptrdiff_t end = str_find(str_skip(kernel, n), S(")"));
            n += end > 0 ? end : 0;
        } else if (kernel.p[n] == '(') {
            break;
        }
        if (kernel.p[n] == ':')
            from = n + 1;
    }
    return str_skip(str_head(kernel, n), from);
}

static bool is_amd(const struct analysis *a, event_id gpu)
{
    const struct trace_view *v = a->tables->view;
    event_id call = gpu < 0 ? -1 : launch_call(&v->launch, gpu);
    return a->tables->facts.abilities == &rocprof_abilities || /* of no other */
           (call >= 0 && str_starts(store_name(v->s, call), S("hip"))) ||
           name_is_of_amd(trace_device_name(&a->tables->facts));
}

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* Whether other kernels that are instances of the same template have the word, too; of
 * no word: whether there are any. */
static bool others_have(const struct kernel_times *t, struct str kernel,
                        struct str word)
{
    struct str function = function_name(kernel);
    for (int32_t i = 0; i < t->n; i++)
        if (t->all[i].name.p != kernel.p && str_has(t->all[i].name, word) &&
            str_eq(function_name(t->all[i].name), function))
            return true;
    return false;
}

/* Of the arguments of its template the first word that tells it from those of others;
 * empty: none does, or no other has its function. */
static struct str own_word(const struct kernel_times *t, struct str kernel)
{
    enum { SHORTEST = 5 };
    struct str function = function_name(kernel);
    ptrdiff_t at = str_find(kernel, function), end;
    if (at < 0 || str_starts(kernel, S("_Z")) || !others_have(t, kernel, S("")))
        return S("");
    for (at += function.n; at < kernel.n; at = end + 1) {
        for (end = at; end < kernel.n && is_of_word(kernel.p[end]); end++)
            ;
        struct str word = {kernel.p + at, end - at};
        if (word.n >= SHORTEST && !others_have(t, kernel, word))
            return word;
    }
    return S("");
}

/* What ncu is to look for: the function, and of a template with several instances a
 * word of this one. */
static struct str ncu_filter(struct arena *a, const struct kernel_times *t,
                             struct str kernel)
{
    struct str function = function_name(kernel), word = cpp_cutlass_kernel(kernel);
    struct str own =
        !word.n || others_have(t, kernel, word) ? own_word(t, kernel) : word;
    word = own.n ? own : word;
    if (!word.n)
        return say(a, "--kernel-name {}", said(shell_word(a, function)));
    struct str regex = say(a, "regex:{}.*{}", said(function), said(word));
    return say(a, "--kernel-name-base demangled --kernel-name {}",
               said(shell_word(a, regex)));
}

/* Of a call in the middle of the run, when all is warm. */
static struct str command_of(struct arena *a, const struct kernel_time *k,
                             const struct kernel_times *t, const struct analysis *of,
                             event_id gpu)
{
    struct str name = shell_word(a, function_name(k->name));
    if (str_eq(of->tables->facts.kind.vendor, S("Ascend NPU")))
        return say(a, "msprof op --kernel-name={} --application=COMMAND", said(name));
    if (is_amd(of, gpu))
        return say(a, "rocprof-compute profile --name kernel --kernel {} -- COMMAND",
                   said(name));
    return say(a,
               "ncu {} --launch-skip {} --launch-count 1 --set full -o kernel COMMAND",
               said(ncu_filter(a, t, k->name)), said(k->n / 2));
}

/* One call of it, which not every call of its row launches; -1: none. */
static event_id event_of(const struct analysis *a, const struct kernel_time *k)
{
    const struct event_store *s = a->tables->view->s;
    const struct op_group *g = k->row->group;
    for (int32_t m = 0; m < g->n; m++) {
        const struct op_call_row *call = &a->tables->judged.calls.rows[g->members[m]];
        for (int32_t i = 0; i < call->n_kernels; i++)
            if (store_name(s, call->kernels[i]).p == k->name.p)
                return call->kernels[i];
    }
    return -1;
}

/* "a grid of 3 x 2 x 1", or of all calls like this one "grids of 40 to 224 blocks";
 * empty: not recorded. */
static struct str grids_of(struct arena *perm, struct arena tmp,
                           const struct op_tables *t, event_id one)
{
    const struct trace_view *v = t->view;
    const struct event_store *s = v->s;
    struct kernel_grid first = {.blocks = (double)NAN};
    struct int_map seen = int_map_make(&tmp, 16);
    double least = (double)INFINITY, most = 0;
    bool alike = true;
    if (one >= 0)
        first = kernel_grid_in_blocks(t, one);
    for (int32_t i = 0; i < v->n_counted && !isnan(first.blocks); i++) {
        event_id gpu = v->counted[i];
        const struct op_texts *x =
            s->name[gpu] == s->name[one] ? store_texts(s, gpu) : NULL;
        int32_t *at = x && x->rest >= 0 ? int_map_at(&seen, &tmp, x->rest) : NULL;
        if (!at || *at >= 0)
            continue;
        *at = 0;
        struct kernel_grid g = kernel_grid_in_blocks(t, gpu);
        for (int k = 0; k < 3; k++)
            alike &= g.side[k] == first.side[k];
        least = fmin(least, g.blocks);
        most = fmax(most, g.blocks);
    }
    if (isnan(first.blocks))
        return S("");
    if (alike)
        return say(perm, "a grid of {}", said(kernel_grid_text(perm, &first)));
    return least < most ? say(perm, "grids of {} to {} blocks", said((int64_t)least),
                              said((int64_t)most))
                        : say(perm, "grids of {} blocks", said((int64_t)most));
}

/* The operator or launch call that runs it, and the code that calls that. */
static struct str caller_of(struct arena *a, const struct work_row *r)
{
    struct str op = r->name;
    ptrdiff_t at = str_find(op, S("->"));
    op = at > 0 && r->group->first->synthetic ? str_head(op, at) : op;
    if (r->group->first->unlinked)
        return S("");
    if (r->n_modules)
        return say(a, "{} in {}", said_name(op, 60),
                   said_name(r->module_chain[r->n_modules - 1], 60));
    return say(a, "{}", said_name(op, 60));
}

void unknown_kernel_facts(struct arena *perm, struct arena tmp, struct analysis *a)
{
    double unknown_ms = 0;
    struct kernel_times times = {NULL, 0};
    struct kernel_time k = largest(&tmp, a, &unknown_ms, &times);
    if (!k.row)
        return;
    event_id gpu = event_of(a, &k);
    struct str caller = caller_of(perm, k.row);
    if (caller.n && k.others)
        caller = say(perm, "{} and others", said(caller));
    work_set(perm, a, FACT("unknown_peaks", k.row->group->cost != NULL),
             FACT("unmodelled_pct", pct_of(unknown_ms, a->rows_ms)),
             FACT("unknown_kernel", k.name), FACT("unknown_ms", k.us / 1e3),
             FACT("unknown_pct", pct_of(k.us / 1e3, analysis_compute_ms(a))),
             FACT("unknown_calls", (double)k.n), FACT("unknown_us", k.us / (double)k.n),
             FACT("unknown_min_us", k.min_us), FACT("unknown_max_us", k.max_us),
             FACT("unknown_grid", grids_of(perm, tmp, a->tables, gpu)),
             FACT("unknown_caller", caller),
             FACT("unknown_command", command_of(perm, &k, &times, a, gpu)));
}
