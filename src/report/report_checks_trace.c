/* Checks of the trace: is the input complete, and does it have what the numbers
 * need? */
#include "report/report_checks.h"
#include "report/report_detail.h"
#include "report/report_parts.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"

#include <math.h>

static const struct trace_facts *facts(const struct check_list *l)
{
    return &l->s->t->facts;
}

/* A count that should be zero. */
static struct measured count(const struct check_list *l, int64_t n, const char *one,
                             const char *many)
{
    return warn_unless(
        !n, n ? say(l->perm, "{} {}.", said(n), said(str_plural(n, one, many)))
              : S("None found."));
}

static struct measured input(const struct check_list *l)
{
    const struct trace_facts *f = facts(l);
    if (!f->unclosed && f->saw_nan)
        return warn_unless(false,
                           say(l->perm,
                               "{} events were read to the end of the file, which "
                               "holds NaN or Infinity: JSON does not have them, "
                               "and they are taken as unknown.",
                               said((int64_t)f->n_events)));
    return warn_unless(
        !f->unclosed,
        say(l->perm,
            f->unclosed
                ? "The file ends before its list of events does, after {} events."
                : "{} events were read to the end of the file.",
            said((int64_t)f->n_events)));
}

static struct measured host(const struct check_list *l)
{
    bool there = l->r->meta.has_cpu_op;
    return warn_unless(
        there, there ? S("Host operations are in the trace.")
                     : S("The trace holds no host operations: device work "
                         "belongs to its launch calls, in categories by the kernels' "
                         "names, without shapes or models."));
}

static struct measured durations(const struct check_list *l)
{
    int64_t n = facts(l)->without_times;
    if (facts(l)->out_of_bounds)
        return count(l, n,
                     "event has no start, no duration, a negative one, or times or "
                     "sizes too large to add up, and is left out",
                     "events have no start, no duration, a negative one, or times or "
                     "sizes too large to add up, and are left out");
    return count(
        l, n, "event has no start, no duration or a negative one and is left out",
        "events have no start, no duration or a negative one and are left out");
}

static struct measured nesting(const struct check_list *l)
{
    if (l->s->t->families.left_out)
        return count(l, l->s->t->families.left_out,
                     "operator is nested too deep for a row in the tables of models",
                     "operators are nested too deep for rows in the tables of models");
    return count(
        l, facts(l)->crossing,
        "host event crosses the end of its caller and is left out of the tree",
        "host events cross the end of their caller and are left out of the tree");
}

static struct measured clocks(const struct check_list *l)
{
    const struct trace_facts *f = facts(l);
    if (!f->n_linked)
        return (struct measured){CHECK_NOT_EVALUATED,
                                 S("No device event has a launch call."), NULL,
                                 "idle causes", ""};
    double early_us = (double)f->earliest_ns / 1e3;
    return warn_unless(
        !f->early,
        f->early
            ? say(l->perm, "{} device {} before {}, by up to {} µs.", said(f->early),
                  said(str_plural(f->early, "event starts", "events start")),
                  said(f->early == 1 ? "its launch call" : "their launch calls"),
                  said(number_us(l->perm, early_us)))
            : S("No device event starts before its launch call."));
}

static struct measured duplicates(const struct check_list *l)
{
    if (!facts(l)->n_linked)
        return not_evaluated(S("No device event has a launch call."), "");
    return count(l, facts(l)->duplicate_links,
                 "device event shares stream and correlation with a later one",
                 "device events share stream and correlation with a later one");
}

static struct measured dropped(const struct check_list *l)
{
    (void)l;
    return not_evaluated(S("The trace does not record dropped events."), "");
}

/* Share of the time of calls that have recorded shapes. */
static struct measured shapes(const struct check_list *l)
{
    const struct trace_facts *f = facts(l);
    if (!f->launched_ns)
        return not_evaluated(S("No operation launched device work."), "");
    if (f->shapes_hidden)
        return not_evaluated(
            S("Shapes were left out on request: efficiency is unknown, "
              "and patterns that need dimensions are skipped."),
            "Run without --hide-shapes.");
    double pct = 100.0 * (double)f->shaped_ns / (double)f->launched_ns;
    return warn_unless(
        pct >= 90.0,
        f->shaped_ns
            ? say(l->perm, "Shapes are recorded for {}% of the time of operations.",
                  said(number_pct(l->perm, pct)))
            : S("No argument shapes are recorded: efficiency is unknown, and patterns "
                "that need dimensions are skipped."));
}

static struct measured frames(const struct check_list *l)
{
    if (facts(l)->names_callers)
        return not_evaluated(S("Operators name the code that called them, but no times "
                               "of Python code are recorded."),
                             "Record with {stacks} of a newer profiler.");
    return l->r->meta.has_frames
               ? warn_unless(true, S("Python frames are in the trace."))
               : not_evaluated(S("The trace holds no Python frames."),
                               "Record with {stacks}.");
}

/* Recording a call of Python takes the host about a microsecond, which counts where the
 * device waits for it and there are many calls for each kernel. */
static struct measured frames_cost(const struct check_list *l)
{
    const double MANY = 10, WAITS_PCT = 10;
    const struct trace_facts *f = facts(l);
    double each = (double)f->n_frames / fmax(1, f->n_device);
    double waits_pct = report_pool_pct(l->r, POOL_HOST);
    if (!l->r->meta.has_frames)
        return not_evaluated(f->names_callers ? S("No Python frames are recorded.")
                                              : S("No stacks are recorded."),
                             "");
    struct str recorded =
        say(l->perm, "{} calls of Python are recorded, {} for each kernel or copy",
            said(f->n_frames), said_fixed(each, each < 10 ? 1 : 0));
    if (each < MANY || !(waits_pct >= WAITS_PCT))
        return warn_unless(true, say(l->perm, "{}.", said(recorded)));
    return warn_unless(
        false, say(l->perm, "{}; the GPU waits for the host for {}% of the time.",
                   said(recorded), said(number_pct(l->perm, waits_pct))));
}

/* Ascend's operators without a prebuilt kernel, which each new shape has compiled: no
 * set-up of the process, but what a warm step has less of. */
static double compiles_pct(const struct check_list *l)
{
    const struct analysis *of = l->r->analysis;
    int64_t ns = 0;
    for (int k = 0; of && k < of->n_findings; k++)
        if (str_eq(of->findings[k].pattern, S("host_operator_compile")))
            ns += of->findings[k].idle->total_ns;
    return 100 * (double)ns / 1e6 / l->r->timeline.total_ms;
}

/* What happens once in the life of a process, and so says little about its steps. */
static struct measured warm(const struct check_list *l)
{
    const double MUCH_PCT = 25;
    double once_pct = report_sets_up_again(l->r) ? 0 : report_pool_pct(l->r, POOL_ONCE);
    if (!l->r->meta.has_gpu || !(l->r->timeline.total_ms > 0))
        return not_evaluated(S("There is no device work."), "");
    double shapes_pct = compiles_pct(l);
    if (shapes_pct > once_pct)
        return warn_unless(
            !(shapes_pct >= MUCH_PCT),
            say(l->perm,
                "The GPU waits for operators that are compiled for {}% of the run.",
                said(number_pct(l->perm, shapes_pct))));
    return warn_unless(
        !(once_pct >= MUCH_PCT),
        once_pct > 0
            ? say(l->perm, "The GPU waits for one-time set-up for {}% of the run.",
                  said(number_pct(l->perm, once_pct)))
            : S("The GPU does not wait for one-time set-up."));
}

/* The host marks the steps, and the device works through them without a stop. */
static bool runs_ahead(const struct check_list *l)
{
    static const double MOST_IDLE_PCT = 5;
    return (facts(l)->steps.source == STEPS_PROFILER ||
            facts(l)->steps.source == STEPS_BY_PROGRAM) &&
           l->r->timeline.idle_pct < MOST_IDLE_PCT;
}

static struct measured steps(const struct check_list *l)
{
    const struct sample_stats *st = &facts(l)->step_ms;
    if (facts(l)->steps.source == STEPS_PERIOD)
        return not_evaluated(l->r->steps.headline, "Mark steps: {steps}.");
    if (st->n < 2)
        return not_evaluated(st->n ? S("One step is marked.")
                                   : S("No steps are marked."),
                             "Mark steps: {steps}.");
    if (facts(l)->steps.source == STEPS_ENGINE && l->r->phases.several)
        return not_evaluated(S("The steps are of different phases, which take "
                               "different times."),
                             "Look at prefill and decode apart: system page.");
    double off = fmax(st->max - st->median, st->median - st->min) / st->median * 100.0;
    if (off > 25.0 && runs_ahead(l))
        return not_evaluated(S("The host runs ahead of the GPU: its marks do not show "
                               "how long a step takes there."),
                             "Look at the steps of the GPU: timeline.");
    return warn_unless(off <= 25.0, report_steps_apart(l->perm, &facts(l)->steps));
}

static struct measured devices(const struct check_list *l)
{
    int n = facts(l)->n_devices;
    if (!n)
        return (struct measured){CHECK_NOT_EVALUATED,
                                 S("The trace holds no device events."), NULL,
                                 "all times", ""};
    if (l->r->gpus.n)
        return (struct measured){
            CHECK_WARNING,
            say(l->perm,
                "One process uses {} devices. {} The verdict and the causes of idle "
                "time "
                "are of one of them; wall time, copies and collectives are of all.",
                said((int64_t)l->r->gpus.n), said(l->r->gpus.headline)),
            NULL, "busy and exposed time",
            "Look at each device in the table of devices and in the timeline."};
    return warn_unless(
        n == 1, n == 1 ? S("All device events are of one device.")
                       : say(l->perm, "Device events of {} devices share one timeline.",
                             said(n)));
}

static struct measured names(const struct check_list *l)
{
    if (facts(l)->cut_names)
        return count(l, facts(l)->cut_names,
                     "name of more than 65,536 bytes is shown without its end",
                     "names of more than 65,536 bytes are shown without their end");
    return count(l, facts(l)->repaired_names,
                 "distinct name was not valid UTF-8 and is shown repaired",
                 "distinct names were not valid UTF-8 and are shown repaired");
}

/* What kernels of GPU graphs lack on some devices. */
static struct measured geometry(const struct check_list *l)
{
    const struct fill_sum *f = &l->s->t->fill.all;
    if (!f->kernel_ns)
        return (struct measured){.result = CHECK_PASSED};
    if (f->grid_ns > f->known_ns) /* blocks alone say nothing of how full it is */
        return not_evaluated(
            say(l->perm, "The trace has grids, but not how many {} the device has.",
                said(device_fill_units(&l->s->t->fill))),
            "");
    struct str value = say(l->perm, "Grids are recorded for {}% of kernel time.",
                           said(number_pct(l->perm, f->known_pct)));
    if (f->known_pct >= 90.0)
        return warn_unless(true, value);
    return not_evaluated(value, facts(l)->shapes_hidden ? "Run without --hide-shapes."
                                : facts(l)->graph_ns > 0
                                    ? "Record once without GPU graphs, for whose "
                                      "kernels the profiler writes no grid."
                                    : "");
}

static struct measured memory(const struct check_list *l)
{
    return l->r->memory.of ? warn_unless(true, S("Allocations are in the trace."))
                           : not_evaluated(S("The trace holds no allocations."),
                                           "Record with {memory}.");
}

static struct measured counters(const struct check_list *l)
{
    return l->r->counters
               ? warn_unless(true, S("Counters are in the trace."))
               : not_evaluated(S("The trace holds no counters of the device."),
                               facts(l)->kind.vendor.n
                                   ? "" /* neither profiler knows the device */
                                   : "Record once with {counters}.");
}

static struct measured collective_sizes(const struct check_list *l)
{
    if (!(l->r->timeline.total_comm_ms > 0))
        return (struct measured){.result = CHECK_PASSED};
    return l->r->comm_sizes
               ? warn_unless(true, S("Sizes of collectives are in the trace."))
               : not_evaluated(S("The trace holds no sizes of collectives."),
                               "Record with {sizes}.");
}

/* What nobody knows may be work. A check of its own only where there is such. */
static struct measured categories(const struct check_list *l)
{
    const struct trace_facts *f = facts(l);
    struct str names = S("");
    int64_t rest = f->n_unknown;
    if (!f->n_unknown)
        return (struct measured){.result = CHECK_PASSED};
    for (int k = 0; k < UNKNOWN_CATS_NAMED && f->unknown_n[k]; k++) {
        names = say(l->perm, "{}{}{} ({})", said(names), said(k ? ", " : ""),
                    said(f->unknown[k]), said(f->unknown_n[k]));
        rest -= f->unknown_n[k];
    }
    return warn_unless(
        false,
        say(l->perm, "{} {} of a category that is not known {} left out: {}{}.",
            said(f->n_unknown), said(str_plural(f->n_unknown, "event", "events")),
            said(f->n_unknown == 1 ? "is" : "are"), said(names),
            said(rest ? " and others" : "")));
}

static const struct check checks[] = {
    {"input-complete", "Input complete and well-formed", "The input is not complete",
     "the list of events is closed", "all numbers",
     "Copy the file again; the profiler may still have been writing.", input},
    {"host-operations", "Host operations are recorded",
     "No host operations are recorded", "present",
     "operations, categories, findings on kernels", "Record with {host}.", host},
    {"durations", "Every event has a start and a duration",
     "Some events have no start or no duration", "0", "all times",
     "Record again; the profiler probably ended early.", durations},
    {"nesting", "Times nest: calls end within their caller",
     "Some calls end after their caller", "0",
     "which operation device work is attributed to",
     "Look at the host threads of the trace in a timeline viewer.", nesting},
    {"clocks", "Host and device clocks agree", "Host and device clocks differ", "0",
     "causes of idle time, times from launch to start",
     "Times on one clock are sound; compare host and device times with care.", clocks},
    {"duplicate-links", "Each launch leads to one device event",
     "Some launches lead to several device events", "0",
     "which operation device work is attributed to", "Record with a newer profiler.",
     duplicates},
    {"dropped", "The profiler dropped no events", "The profiler dropped events", "0",
     "all times", "", dropped},
    {"shapes", "Shapes are recorded", "Shapes are missing", "90%",
     "efficiency, FLOP, bytes and every pattern that reads shapes",
     "Record with {shapes}.", shapes},
    {"launch-geometry", "Grids of launches are recorded",
     "Grids of launches are missing", "90%", "how well kernels fill the GPU", "",
     geometry},
    {"stacks", "Python frames are recorded", "No Python frames are recorded", "present",
     "module names, call paths, fusion candidates", "", frames},
    {"stack-cost", "Recording stacks does not hold up the GPU",
     "Recording stacks slows the host", "10 calls for each kernel, or 10% of the time",
     "what findings about the host save",
     "Part of that is the profiler's own time: record without stacks to see how much.",
     frames_cost},
    {"memory", "Allocations are recorded", "No allocations are recorded", "present",
     "what holds memory at its peak", "", memory},
    {"counters", "Counters of the device are recorded", "No counters are recorded",
     "present", "power, clocks, activity of SMs", "", counters},
    {"collective-sizes", "Sizes of collectives are recorded",
     "Sizes of collectives are missing", "present", "bandwidth of collectives", "",
     collective_sizes},
    {"warm", "The recording is of a warm run", "The recording is mostly of set-up",
     "25%", "shares of the run, and savings as shares of it", "Record after warm-up.",
     warm},
    {"steps", "Steps are marked and steady", "Steps are uneven", "25%",
     "averages over steps", "Profile after warm-up, or look at steps apart.", steps},
    {"devices", "One device in the trace", "The trace holds several devices", "1",
     "busy, idle and exposed time", "Analyse the trace of each rank on its own.",
     devices},
    {"categories", "Every category of events is known",
     "Some events are of unknown categories", "0", "what these events are",
     "If one of them is work of the device, it is in no figure here.", categories},
    {"names", "Names are valid text", "Some names are not valid text", "0",
     "names only", "The tables keep them as far as text can.", names},
};

void checks_of_trace(struct check_list *l)
{
    check_all(l, checks, sizeof checks / sizeof *checks);
}
