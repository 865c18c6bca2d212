/* timeline.html: does the run look steady, and where are the holes? */
#include "render/block_context.h"
#include "render/table_context.h"

#include "base/arena.h"
#include "report/report_detail.h"
#include "report/report_numbers.h"
#include "report/report_timeline_data.h"

#include <math.h>

enum { SLOWEST = 10, NAME_CHARS = 70 };

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

static double share_pct(int64_t part_ns, int64_t whole_ns)
{
    return whole_ns > 0 ? 100.0 * (double)part_ns / (double)whole_ns : (double)NAN;
}

/* ---- the sentence
 * ------------------------------------------------------------------------- */

static int count_slow(const struct report_timeline_data *d)
{
    int n = 0;
    for (int k = 0; k < d->n_steps; k++)
        n += d->steps[k].slow;
    return n;
}

static struct str steadiness(struct arena *a, const struct report_timeline_data *d)
{
    if (!d->has_steps)
        return S("No steps are marked, so whether they are steady cannot be told.");
    int slow = count_slow(d), n = d->n_steps + d->n_steps_left;
    struct str median = number_duration(a, (double)d->median_step_ns / 1e3);
    if (n < 3)
        return str_printf(a, "%d step%s marked, of %.*s: too few to compare.", n,
                          n == 1 ? " is" : "s are", STRF(median));
    if (!slow)
        return str_printf(a, "The %d steps are steady, around %.*s.", n, STRF(median));
    return str_printf(a,
                      "%d of %d steps take%s more than 10 %% longer than the median "
                      "of %.*s.",
                      slow, n, slow == 1 ? "s" : "", STRF(median));
}

static void add_answer(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct report_idle *idle = r->detail ? &r->detail->idle : NULL;
    struct str steady = steadiness(&tmp, r->over_time);
    struct str busy = number_pct(&tmp, r->timeline.busy_pct);
    struct str total = number_ms(&tmp, r->timeline.total_ms);
    if (idle && idle->n_gaps)
        ctx_format(c, "answer",
                   "The GPU is busy %.*s %% of %.*s ms; the longest gap lasts %.*s. "
                   "%.*s",
                   STRF(busy), STRF(total),
                   STRF(number_duration(&tmp, idle->gaps[0].duration_us)),
                   STRF(steady));
    else
        ctx_format(c, "answer",
                   "The GPU is busy %.*s %% of %.*s ms, without a gap. %.*s",
                   STRF(busy), STRF(total), STRF(steady));
}

/* ---- steps
 * ---------------------------------------------------------------------------- */

static void step_row(cJSON *t, const struct report_timeline_data *d,
                     const struct report_step *s, struct arena tmp)
{
    cJSON *row = table_row(t, S(""));
    cell_text(row,
              s->number < 0 ? S("—") : str_printf(&tmp, "%lld", (long long)s->number));
    cell_number(row, number_fixed(&tmp, ms(s->start_ns), 3), ms(s->start_ns));
    cell_number(row, number_fixed(&tmp, ms(s->dur_ns), 3), ms(s->dur_ns));
    cell_pct(row, share_pct(s->busy_ns, s->dur_ns), tmp);
    cell_count(row, s->launches, tmp);
    if (!d->has_steps)
        return;
    cell_number(row,
                str_printf(&tmp, "%s%.*s", s->deviation_pct > 0 ? "+" : "",
                           STRF(number_fixed(&tmp, s->deviation_pct, 1))),
                s->deviation_pct);
    cell_text(row, s->slow ? S("⚠ slow") : S(""));
}

static cJSON *step_table(const struct report_timeline_data *d, const char *table_id,
                         const char *caption)
{
    cJSON *t = table_open(str_of(table_id), str_of(caption));
    table_column(t, d->has_steps ? "Step" : "Window", false);
    table_column(t, "Start, ms", true);
    table_column(t, "Length, ms", true);
    table_column(t, "Busy, % of it", true);
    table_column(t, "Launches", true);
    if (d->has_steps) {
        table_column(t, "From the median, %", true);
        table_column(t, "Mark", false);
    }
    return t;
}

/* The longest first; of equal ones the earlier. */
static void add_slowest(cJSON *block, const struct report_timeline_data *d,
                        struct arena tmp)
{
    bool *taken = arena_new(&tmp, bool, d->n_steps);
    cJSON *t = step_table(d, "t-slowest", "The ten slowest steps");
    for (int n = 0; n < SLOWEST; n++) {
        int best = -1;
        for (int k = 0; k < d->n_steps; k++)
            if (!taken[k] && (best < 0 || d->steps[k].dur_ns > d->steps[best].dur_ns))
                best = k;
        taken[best] = true;
        step_row(t, d, &d->steps[best], tmp);
    }
    block_table(block, t);
}

static void add_steps(cJSON *c, const struct report_timeline_data *d, struct arena tmp)
{
    cJSON *b = block_open(
        c, "steps", d->has_steps ? "Steps" : "Windows of equal length",
        d->has_steps
            ? (d->steps_on_device
                   ? "As the profiler marked them on the device."
                   : "As the host marked them; its launches may reach the device in "
                     "the "
                     "next step. Launches are counted where the host made them.")
            : "No steps are marked in this trace, so here are ten windows of equal "
              "length. To mark steps, call step() of the profiler after each one.");
    if (d->has_steps && d->n_steps > SLOWEST)
        add_slowest(b, d, tmp);
    cJSON *t = step_table(d, "t-steps", d->has_steps ? "All steps" : "All windows");
    for (int k = 0; k < d->n_steps; k++)
        step_row(t, d, &d->steps[k], tmp);
    if (d->n_steps_left)
        table_fold(t, str_printf(&tmp, "%d more steps follow", d->n_steps_left));
    else if (d->n_steps > SLOWEST)
        table_sortable(t);
    block_table(b, t);
}

/* ---- streams
 * -------------------------------------------------------------------------- */

static void add_streams(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report_timeline_data *d = s->r->over_time;
    cJSON *b = block_open(c, "streams", "Streams", "");
    if (d->n_streams == 1) {
        block_empty(b, str_printf(&tmp,
                                  "All device work runs on one stream, %.*s: what is "
                                  "said of the GPU above is said of it.",
                                  STRF(d->streams[0].name)));
        return;
    }
    block_chart(b, s, CHART_STREAMS, tmp);
    if (d->n_streams > 8)
        block_remark(b,
                     S("The picture has the eight busiest streams; its data below it "
                       "has more."));
    if (d->n_streams_left)
        block_remark(b,
                     str_printf(&tmp,
                                "%d more streams, busy for %.*s ms together, are left "
                                "out.",
                                d->n_streams_left,
                                STRF(number_ms(&tmp, ms(d->left_busy_ns)))));
    if (d->streams_overlap)
        block_remark(b,
                     S("Streams overlap: their busy times add up to more than the time "
                       "the GPU is busy."));
}

/* ---- gaps
 * ----------------------------------------------------------------------------- */

static bool has_cuts(const struct report_idle *idle)
{
    for (int k = 0; k < idle->n_gaps; k++)
        if (idle->gaps[k].cut.n)
            return true;
    return false;
}

/* The file's name as text: some viewers of folders block downloads. */
static void cell_cut(cJSON *row, struct str cut)
{
    if (cut.n)
        cell_link(row, cut, cut);
    else
        cell_text(row, S("—"));
}

static void add_gaps(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct report_idle *idle = r->detail ? &r->detail->idle : NULL;
    cJSON *b = block_open(c, "gaps", "The longest gaps",
                          "Times when no stream works. Causes and sums are on the page "
                          "of the system.");
    if (!idle || !idle->n_gaps) {
        block_empty(b, S("There is no gap: device work follows device work."));
        return;
    }
    cJSON *t = table_open(S("t-gaps"), S("The ten longest gaps"));
    table_column(t, "Gap", false);
    table_column(t, "Start, ms", true);
    table_column(t, "Length, ms", true);
    table_column(t, "From, ns on the trace's clock", true);
    table_column(t, "To, ns", true);
    table_column(t, "Cause", false);
    bool cuts = has_cuts(idle);
    if (cuts)
        table_column(t, "Trace cut", false);
    for (int k = 0; k < idle->n_gaps; k++) {
        const struct report_gap *g = &idle->gaps[k];
        int64_t from = r->over_time->origin_ns + (int64_t)llround(g->start_us * 1e3);
        int64_t to = from + (int64_t)llround(g->duration_us * 1e3);
        cJSON *row = table_row(t, S(""));
        cell_text(row, str_printf(&tmp, "%d", k + 1));
        cell_number(row, number_fixed(&tmp, g->start_us / 1e3, 3), g->start_us / 1e3);
        cell_number(row, number_fixed(&tmp, g->duration_us / 1e3, 3),
                    g->duration_us / 1e3);
        cell_count(row, from, tmp);
        cell_count(row, to, tmp);
        cell_sentence(row, g->cause);
        if (cuts)
            cell_cut(row, g->cut);
    }
    block_table(b, t);
}

static void add_viewer(cJSON *c, const struct report *r, struct arena tmp)
{
    cJSON *b = block_open(c, "events", "To see single events",
                          "This page is not an event viewer: it shows shares of time.");
    block_remark(b, str_printf(&tmp,
                               "Open %.*s in Perfetto (ui.perfetto.dev, or its "
                               "offline copy) or in chrome://tracing.",
                               STRF(r->meta.trace_file)));
    if (r->detail && has_cuts(&r->detail->idle))
        block_remark(b, S("Or open a trace cut: the events around one of the longest "
                          "gaps alone, a small file in the folder cuts."));
    block_remark(b, str_printf(&tmp,
                               "Times of this page count from the first device event, "
                               "which is at %lld ns on the trace's clock.",
                               (long long)r->over_time->origin_ns));
}

/* ---- the page
 * ------------------------------------------------------------------------- */

bool site_timeline(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    const struct report_timeline_data *d = r->over_time;
    cJSON *c = ctx_page(s, "timeline.html", S("Timeline"),
                        "Does the run look steady, and where are the holes?", tmp);
    ctx_bool(c, "has_cards", false);
    if (!d || !d->n_bins) {
        ctx_text(c, "answer", S("No timeline to show."));
        block_empty(block_open(c, "busy", "Busy over time", ""),
                    S("This trace has no device work: it was recorded on a machine "
                      "without a GPU, or without device activity. Record with "
                      "ProfilerActivity.CUDA."));
        return ctx_write(s, "timeline.html", "timeline.html", c, tmp, e);
    }
    add_answer(c, r, tmp);
    const struct chart_file *chart = chart_find(s->charts, CHART_UTILISATION, -1);
    bool borders = chart && chart->figure.n_borders;
    cJSON *busy = block_open(c, "busy", "Busy over time",
                             borders ? "Dashed lines are where steps begin." : "");
    block_chart(busy, s, CHART_UTILISATION, tmp);
    block_remark(busy,
                 str_printf(&tmp,
                            "The analysed window is from the first device event to "
                            "the last: %.*s ms. Nothing of it is left out as "
                            "warm-up.",
                            STRF(number_ms(&tmp, r->timeline.total_ms))));
    add_streams(c, s, tmp);
    add_steps(c, d, tmp);
    add_gaps(c, r, tmp);
    add_viewer(c, r, tmp);
    return ctx_write(s, "timeline.html", "timeline.html", c, tmp, e);
}
