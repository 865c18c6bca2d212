/* Checks of what a trace hides: work that is not recorded, times that are not those of
 * the work, and a collective that waits for recordings. What fails one is in no verdict
 * and no saving. */
#include "report/report_checks.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/duration.h"
#include "report/report_detail.h"

static const struct idle_result *idle(const struct check_list *l)
{
    return &report_system(l->r)->idle;
}

static double hidden_ms(const struct check_list *l, enum hidden_reason r)
{
    return (double)idle(l)->hidden_ns[r] / 1e6;
}

static struct str silent_graphs(const struct check_list *l, const struct idle_result *i)
{
    return say(
        l->perm,
        "Kernels of {} of {} graph {} are not recorded: {} ms behind them may be "
        "idle or work, and no finding counts them.",
        said(i->graph_launches_hidden), said(i->graph_launch_count),
        said(str_plural(i->graph_launch_count, "launch", "launches")),
        said(number_ms(l->perm, hidden_ms(l, HIDDEN_GRAPH))));
}

static struct str partial_graphs(const struct check_list *l,
                                 const struct idle_result *i)
{
    int64_t all_ns = i->graph_covered_ns + i->graph_uncovered_ns;
    return say(
        l->perm,
        "The kernels of {} of {} graph {} cover {} ms of the {} ms that these "
        "take: {} ms between and behind them may be idle or work, and no finding "
        "counts them.",
        said(i->graph_launches_partial), said(i->graph_launch_count),
        said(str_plural(i->graph_launch_count, "launch", "launches")),
        said(number_ms(l->perm, ms_of(i->graph_covered_ns))),
        said(number_ms(l->perm, ms_of(all_ns))),
        said(number_ms(l->perm, hidden_ms(l, HIDDEN_NODES))));
}

static struct measured graph_kernels(const struct check_list *l)
{
    const struct idle_result *i = idle(l);
    bool silent = i->graph_launches_hidden > 0, partial = i->graph_launches_partial > 0;
    if (!i->graph_launch_count)
        return (struct measured){0};
    if (!silent && !partial)
        return warn_unless(true,
                           S("Every graph launch has kernels, which cover half of "
                             "its time or more."));
    return warn_unless(false, say(l->perm, "{}{}{}",
                                  said(silent ? silent_graphs(l, i) : S("")),
                                  said(silent && partial ? " " : ""),
                                  said(partial ? partial_graphs(l, i) : S(""))));
}

static struct measured waits(const struct check_list *l)
{
    double ms = hidden_ms(l, HIDDEN_WAIT);
    const struct trace_facts *f = &l->s->t->facts;
    if (f->early_wait_ns)
        return warn_unless(
            false,
            say(l->perm,
                "Before anything recorded is launched, the host waits {} ms for the "
                "GPU: "
                "that work is not in the trace, most likely launched before the "
                "recording.{}",
                said(number_ms(l->perm, ms_of(f->early_wait_ns))),
                said(ms > 0.0 ? say(l->perm,
                                    " For another {} ms it waits for a GPU on which "
                                    "nothing is recorded.",
                                    said(number_ms(l->perm, ms)))
                              : S(""))));
    if (!idle(l)->host_known)
        return not_evaluated(
            S("No kernel has a launch call, so the trace does not show what "
              "the host did in a gap."),
            "Record launch calls, too: {host}.");
    if (!idle(l)->wait_count)
        return not_evaluated(S("No host call that waits for the GPU is recorded."), "");
    if (ms > 0.0)
        return warn_unless(false,
                           say(l->perm,
                               "For {} ms the host waits for a GPU on which nothing is "
                               "recorded: this may be idle time or work.",
                               said(number_ms(l->perm, ms))));
    int64_t n = idle(l)->wait_count;
    struct str calls = n == 1 ? S("The one call that waits for the GPU does not do so")
                              : say(l->perm,
                                    "None of {} calls that wait for the GPU "
                                    "does so",
                                    said(n));
    return warn_unless(
        true,
        say(l->perm, "{} for 0.5 ms while nothing is recorded on it.", said(calls)));
}

/* "The first of 8 collectives takes 7.20 ms, 0.130 ms being expected ...". */
static struct str first_collective(const struct check_list *l)
{
    const struct trace_facts *f = &l->s->t->facts;
    return say(l->perm,
               "The first of {} collectives takes {} ms; from the median{}, {} ms are "
               "expected",
               said((int64_t)f->n_collectives),
               said(number_ms(l->perm, ms_of(f->first_collective_ns))),
               said(f->skew_has_size ? " and the size of its message" : ""),
               said(number_ms(l->perm, ms_of(f->expected_collective_ns))));
}

static struct measured skew(const struct check_list *l)
{
    const struct trace_facts *f = &l->s->t->facts;
    if (f->unlinked != UNLINKED_IN_WINDOW)
        return not_evaluated(S("In the window of the reference, the first collective "
                               "counts as any other."),
                             "Run without --exclude-unlinked and --include-backlog.");
    if (!f->n_collectives)
        return not_evaluated(S("The trace holds no collective."), "");
    if (!f->first_collective_ns)
        return not_evaluated(
            say(l->perm, "{} {} too few for a median.", said((int64_t)f->n_collectives),
                said(str_plural(f->n_collectives, "collective is", "collectives are"))),
            "");
    struct str first = first_collective(l);
    if (f->skew_ns > 0)
        return warn_unless(
            false, say(l->perm,
                       "{}: most likely it waits until the other ranks record. No "
                       "percentage counts the {} ms more that nothing hides.",
                       said(first), said(number_ms(l->perm, ms_of(f->skew_ns)))));
    return warn_unless(true, say(l->perm, "{}.", said(first)));
}

static struct measured time_stamps(const struct check_list *l)
{
    double ms = hidden_ms(l, HIDDEN_BURST);
    if (idle(l)->launch.launches < BURST_KERNELS)
        return not_evaluated(S("Fewer than 16 kernels have a launch call: too few for "
                               "a burst."),
                             "");
    if (ms > 0.0)
        return warn_unless(
            false,
            say(l->perm,
                "Kernels start in bursts, faster than a GPU starts them and long "
                "after their launches: {} ms before them may be idle or work.",
                said(number_ms(l->perm, ms))));
    return warn_unless(true, S("No gap ends with a burst: 16 kernels that start ten "
                               "times as fast as they were launched."));
}

static const struct check checks[] = {
    {"graph-kernels", "Kernels of all graph launches are recorded",
     "Kernels of some graph launches are not recorded", "0", "idle time, the verdict",
     "Record once without GPU graphs, or with a profiler that traces the nodes of "
     "graphs.",
     graph_kernels},
    {"recorded-waits", "The host waits for work that is recorded",
     "The host waits for work that is not recorded", "0.5 ms in one gap",
     "idle time, the verdict",
     "Look for activities that are switched off, full buffers, other libraries, and "
     "other processes on the GPU.",
     waits},
    {"start-skew", "The first collective does not wait for other recordings",
     "The first collective waits for the recordings of other ranks",
     "10 times what is expected, and 1 ms", "nothing, while it is in no share",
     "Let all ranks wait for each other (a barrier) before their profilers start.",
     skew},
    {"time-stamps", "Kernels have the times at which they ran",
     "Some kernels have the time of a later moment", "0", "idle time, the verdict",
     "Switch off what defers kernels or their time stamps, or take a newer profiler.",
     time_stamps},
};

void checks_of_hidden(struct check_list *l)
{
    check_all(l, checks, sizeof checks / sizeof *checks);
}
