/* Checks of the trace: is the input whole, and does it hold what the numbers need? */
#include "report/report_checks.h"

#include "report/report_numbers.h"

#include <math.h>

/* A count that should be zero. */
static void check_count(struct check_list *l, const char *id, const char *name,
                        int64_t n, const char *what, const char *affects,
                        const char *what_to_do)
{
    struct str value =
        n ? str_printf(l->perm, "%lld %s.", (long long)n, what) : S("None was found.");
    check_put(l, id, name, n ? CHECK_WARNING : CHECK_PASSED, value, "0", affects,
              n ? what_to_do : "");
}

static void check_input(struct check_list *l)
{
    const struct store_census *c = &l->s->t->view->s->census;
    struct str value = str_printf(
        l->perm,
        c->unclosed_array
            ? "The file ends before its list of events does, after %d events."
            : "%d events were read to the end of the file.",
        (int)c->n_events);
    check_put(l, "input-complete", "Input complete and well-formed",
              c->unclosed_array ? CHECK_WARNING : CHECK_PASSED, value,
              "the list of events is closed", "all numbers",
              c->unclosed_array
                  ? "Copy the file again; the profiler may still have been "
                    "writing."
                  : "");
}

static void check_durations(struct check_list *l)
{
    const struct store_census *c = &l->s->t->view->s->census;
    check_count(l, "durations", "Every event has a start and a duration",
                c->without_start + c->without_duration + c->negative_duration +
                    c->without_phase,
                "events have no start, no duration or a negative one and are left out",
                "all times",
                "Record again; this points at a profiler that ended early.");
}

static void check_nesting(struct check_list *l)
{
    check_count(
        l, "nesting", "Times nest: calls end within their caller",
        l->s->t->view->tree.n_dropped,
        "host events cross the end of their caller and are left out of the tree",
        "which operation device work is attributed to",
        "Look at the host threads of the trace in a timeline viewer.");
}

static void check_clocks(struct check_list *l)
{
    const struct trace_view *v = l->s->t->view;
    int64_t early = 0, worst_ns = 0;
    for (int32_t k = 0; k < v->launch.n_all; k++) {
        event_id gpu = v->launch.all[k], call = launch_call(&v->launch, gpu);
        if (call < 0)
            continue;
        int64_t ahead = v->s->start_ns[call] - v->s->start_ns[gpu];
        early += ahead > 0;
        worst_ns = ahead > worst_ns ? ahead : worst_ns;
    }
    if (!v->launch.n_linked) {
        check_put(l, "clocks", "Host and device clocks agree", CHECK_NOT_EVALUATED,
                  S("No device event has a launch call."), "0", "idle causes", "");
        return;
    }
    struct str value = S("No device event starts before its launch call.");
    if (early)
        value = str_printf(
            l->perm,
            "%lld device events start before their launch call, by up to "
            "%.*s µs.",
            (long long)early, STRF(number_us(l->perm, (double)worst_ns / 1e3)));
    check_put(l, "clocks", "Host and device clocks agree",
              early ? CHECK_WARNING : CHECK_PASSED, value, "0",
              "causes of idle time, times from launch to start",
              early
                  ? "Device times among themselves hold; compare host and device times "
                    "with care."
                  : "");
}

static void check_duplicates(struct check_list *l)
{
    check_count(l, "duplicate-links", "Each launch leads to one device event",
                l->s->t->view->launch.n_duplicates,
                "device events share stream and correlation with a later one",
                "which operation device work is attributed to",
                "Record with a newer profiler.");
}

static void check_names(struct check_list *l)
{
    check_count(l, "names", "Names are valid text",
                l->s->t->view->s->census.repaired_names,
                "distinct names were not valid UTF-8 and are shown repaired",
                "names only", "The tables keep them as far as text can.");
}

/* What graphs replay has no shapes of its own, which is a check of its own. */
struct graph_work graph_work_of(const struct trace_view *v)
{
    struct graph_work g = {0};
    for (event_id i = 0; i < v->s->n; i++)
        g.launches +=
            cat_is_runtime(v->s->cat[i]) && launch_is_graph(store_name(v->s, i));
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], call = launch_call(&v->launch, gpu);
        if (v->s->cat[gpu] != CAT_KERNEL)
            continue;
        g.all_ns += store_dur_ns(v->s, gpu);
        if (call >= 0 && launch_is_graph(store_name(v->s, call)))
            g.ns += store_dur_ns(v->s, gpu);
    }
    return g;
}

static bool is_replayed(const struct trace_view *v, const struct op_call_row *row)
{
    event_id call = row->n_kernels ? launch_call(&v->launch, row->kernels[0]) : -1;
    return call >= 0 && launch_is_graph(store_name(v->s, call));
}

/* Share of the time of calls that have recorded shapes. */
static void check_shapes(struct check_list *l)
{
    const struct op_calls *calls = &l->s->t->launchers;
    const struct event_store *s = l->s->t->view->s;
    static const char *const affects =
        "efficiency, FLOP, bytes and every pattern that reads shapes";
    int64_t with = 0, all = 0;
    for (int32_t k = 0; k < calls->n; k++) {
        const struct op_texts *t = store_texts(s, calls->rows[k].event);
        if (is_replayed(l->s->t->view, &calls->rows[k]))
            continue;
        all += calls->rows[k].direct_ns;
        with += t && t->dims >= 0 ? calls->rows[k].direct_ns : 0;
    }
    if (!all) {
        check_put(l, "shapes", "Shapes are recorded", CHECK_NOT_EVALUATED,
                  S("No operation launched device work."), "90 %", affects, "");
        return;
    }
    double pct = 100.0 * (double)with / (double)all;
    struct str value =
        with ? str_printf(l->perm,
                          "Shapes are recorded for %.*s %% of the time of operations.",
                          STRF(number_pct(l->perm, pct)))
             : S("No argument shapes are recorded: nothing can be said of efficiency, "
                 "and patterns that need dimensions are skipped.");
    check_put(l, "shapes", "Shapes are recorded",
              pct >= 90.0 ? CHECK_PASSED : CHECK_WARNING, value, "90 %", affects,
              pct >= 90.0 ? "" : "Record with record_shapes=True.");
}

static void check_frames(struct check_list *l)
{
    bool there = l->r->meta.has_frames;
    check_put(l, "stacks", "Python frames are recorded",
              there ? CHECK_PASSED : CHECK_NOT_EVALUATED,
              there ? S("Python frames are in the trace.")
                    : S("The trace holds no Python frames."),
              "present", "module names, call paths, fusion candidates",
              there ? "" : "Record with with_stack=True.");
}

static void check_host(struct check_list *l)
{
    bool there = l->r->meta.has_cpu_op;
    check_put(l, "host-operations", "Host operations are recorded",
              there ? CHECK_PASSED : CHECK_WARNING,
              there ? S("Host operations are in the trace.")
                    : S("The trace holds no host operations: device work cannot be "
                        "attributed, and operations are not analysed."),
              "present", "operations, categories, findings on kernels",
              there ? "" : "Record with the CPU activity switched on.");
}

/* ---- steps
 * ------------------------------------------------------------------------------ */

static void check_steps(struct check_list *l, struct arena tmp)
{
    const struct event_store *s = l->s->t->view->s;
    double *ms = arena_take_raw(&tmp, sizeof *ms, 8, s->n);
    int64_t n = 0;
    double longest = 0.0, shortest = (double)INFINITY;
    for (event_id i = 0; i < s->n; i++)
        if (s->cat[i] == CAT_ANNOTATION &&
            str_starts(store_name(s, i), S("ProfilerStep#"))) {
            double v = (double)store_dur_ns(s, i) / 1e6;
            longest = v > longest ? v : longest;
            shortest = v < shortest ? v : shortest;
            ms[n++] = v;
        }
    static const char *const affects = "averages over steps";
    if (n < 2) {
        check_put(l, "steps", "Steps are marked and steady", CHECK_NOT_EVALUATED,
                  n ? S("One step is marked.") : S("No steps are marked."), "25 %",
                  affects, "Call profiler.step() after each iteration.");
        return;
    }
    struct sample_stats st = stats_of(ms, n);
    double off = fmax(longest - st.median, st.median - shortest) / st.median * 100.0;
    bool steady = off <= 25.0;
    struct str value = str_printf(
        l->perm, "%lld steps of %.*s ms in the middle differ from it by up to %.*s %%.",
        (long long)n, STRF(number_ms(l->perm, st.median)),
        STRF(number_pct(l->perm, off)));
    check_put(l, "steps", "Steps are marked and steady",
              steady ? CHECK_PASSED : CHECK_WARNING, value, "25 %", affects,
              steady ? "" : "Profile after warm-up, or look at steps apart.");
}

/* ---- devices
 * ---------------------------------------------------------------------------- */

static void check_devices(struct check_list *l)
{
    const struct trace_view *v = l->s->t->view;
    enum { MAX_PIDS = 64 };
    name_id pids[MAX_PIDS];
    int n = 0;
    for (int32_t k = 0; k < v->launch.n_all && n < MAX_PIDS; k++) {
        name_id pid = v->s->lanes[v->s->lane[v->launch.all[k]]].pid;
        bool known = false;
        for (int i = 0; i < n && !known; i++)
            known = pids[i] == pid;
        if (!known)
            pids[n++] = pid;
    }
    if (!n)
        check_put(l, "devices", "One device in the trace", CHECK_NOT_EVALUATED,
                  S("The trace holds no device events."), "1", "all times", "");
    else
        check_put(l, "devices", "One device in the trace",
                  n == 1 ? CHECK_PASSED : CHECK_WARNING,
                  n == 1 ? S("All device events are of one device.")
                         : str_printf(l->perm,
                                      "Device events of %d devices share one timeline.",
                                      n),
                  "1", "busy, idle and exposed time",
                  n == 1 ? "" : "Analyse the trace of each rank by itself.");
}

void checks_of_trace(struct check_list *l, struct arena tmp)
{
    check_input(l);
    check_host(l);
    check_durations(l);
    check_nesting(l);
    check_clocks(l);
    check_duplicates(l);
    check_put(l, "dropped", "Events dropped by the profiler", CHECK_NOT_EVALUATED,
              S("The trace does not record dropped events."), "0", "all times", "");
    check_shapes(l);
    check_frames(l);
    check_steps(l, tmp);
    check_devices(l);
    check_names(l);
    check_put(l, "baseline", "Comparable with the baseline", CHECK_NOT_EVALUATED,
              S("No baseline was given."), "same device and steps", "comparisons", "");
}
