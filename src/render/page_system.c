/* system.html: why does the GPU wait - for the host, for copies, for other ranks? */
#include "render/block_context.h"
#include "render/finding_context.h"
#include "render/table_context.h"

#include "base/arena.h"
#include "report/report_detail.h"
#include "report/report_numbers.h"
#include "report/report_timeline_data.h"

#include <math.h>

enum { NAME_CHARS = 70 };

static struct str counted(struct arena *a, int64_t n)
{
    return str_printf(a, "%lld", (long long)n);
}

static struct str bytes_text(struct arena *a, int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double v = (double)bytes;
    int unit = 0;
    for (; v >= 1024.0 && unit < 4; unit++)
        v /= 1024.0;
    return str_printf(a, "%.*s %s", STRF(number_rate(a, v)), units[unit]);
}

/* ---- what is waited for
 * ------------------------------------------------------------------- */

static void add_answer(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct report_timeline *t = &r->timeline;
    const struct report_idle *idle = r->detail ? &r->detail->idle : NULL;
    if (!(t->total_ms > 0)) {
        ctx_text(c, "answer", S("No device work, so nothing to wait for."));
        return;
    }
    struct str pct = number_pct(&tmp, t->idle_pct);
    struct str total = number_ms(&tmp, t->total_ms);
    if (idle && idle->n_causes && t->idle_ms > 0)
        ctx_format(
            c, "answer", "The GPU is idle %.*s %% of %.*s ms; %.*s %% of that: %.*s.",
            STRF(pct), STRF(total), STRF(number_pct(&tmp, idle->causes[0].idle_pct)),
            STRF(idle->causes[0].label));
    else if (t->idle_ms > 0)
        ctx_format(c, "answer",
                   "The GPU is idle %.*s %% of %.*s ms; why cannot be told from this "
                   "trace.",
                   STRF(pct), STRF(total));
    else
        ctx_format(c, "answer", "The GPU is never idle in %.*s ms.", STRF(total));
}

static void card_pct(cJSON *cards, const char *label, double pct, double part_ms,
                     struct arena tmp)
{
    ctx_card(
        cards, label, number_pct(&tmp, pct), "%",
        str_printf(&tmp, "of total time: %.*s ms", STRF(number_ms(&tmp, part_ms))));
}

static void add_cards(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct report_timeline *t = &r->timeline;
    const struct report_timeline_data *d = r->over_time;
    bool any = t->total_ms > 0;
    ctx_bool(c, "has_cards", any);
    cJSON *cards = cJSON_AddArrayToObject(c, "cards");
    if (!any)
        return;
    card_pct(cards, "Idle", t->idle_pct, t->idle_ms, tmp);
    if (t->total_comm_ms > 0)
        card_pct(cards, "Exposed communication", t->exposed_comm_pct,
                 t->exposed_comm_ms, tmp);
    else
        ctx_card(cards, "Exposed communication",
                 S("no collective communication in this trace"), NULL, S(""));
    card_pct(cards, "Exposed copies", t->exposed_memcpy_pct, t->exposed_memcpy_ms, tmp);
    if (d && d->n_launches)
        ctx_card(cards, "Launch to start",
                 number_rate(&tmp, fmax(0, d->median_delay_us)), "µs",
                 S("half of all kernels start sooner"));
    else
        ctx_card(cards, "Launch to start", S("no launch calls in this trace"), NULL,
                 S(""));
}

static void balance_row(cJSON *t, const char *part, double part_ms, double pct,
                        struct arena tmp)
{
    cJSON *row = table_row(t, S(""));
    cell_text(row, str_of(part));
    cell_ms(row, part_ms, tmp);
    cell_pct(row, pct, tmp);
}

static void add_balance(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report_timeline *l = &s->r->timeline;
    cJSON *b =
        block_open(c, "balance", "Where wall time goes",
                   "Computation hides communication, and both hide copies; what "
                   "is left over is exposed. The four parts add up to the total.");
    block_chart(b, s, CHART_WALL_TIME, tmp);
    if (!(l->total_ms > 0))
        return;
    cJSON *t = table_open(S("t-balance"), S("Wall time, part by part"));
    table_column(t, "Part", false);
    table_column(t, "Time, ms", true);
    table_column(t, "Share of total time, %", true);
    balance_row(t, "Computation", l->computation_ms, l->computation_pct, tmp);
    balance_row(t, "Exposed communication", l->exposed_comm_ms, l->exposed_comm_pct,
                tmp);
    balance_row(t, "Exposed copies", l->exposed_memcpy_ms, l->exposed_memcpy_pct, tmp);
    balance_row(t, "Idle", l->idle_ms, l->idle_pct, tmp);
    balance_row(t, "Total", l->total_ms, 100.0, tmp);
    block_table(b, t);
}

/* ---- idle time
 * ------------------------------------------------------------------------ */

static void add_shares(cJSON *block, const char *table_id, const char *caption,
                       const struct report_share *rows, int n, struct arena tmp)
{
    if (!n)
        return;
    cJSON *t = table_open(str_of(table_id), str_of(caption));
    table_column(t, "Operation", false);
    table_column(t, "Called from", false);
    table_column(t, "Gaps", true);
    table_column(t, "Idle time, ms", true);
    for (int k = 0; k < n; k++) {
        cJSON *row = table_row(t, S(""));
        cell_name(row, rows[k].name, NAME_CHARS, tmp);
        cell_name(row, rows[k].caller, NAME_CHARS, tmp);
        cell_count(row, rows[k].count, tmp);
        cell_ms(row, rows[k].total_us / 1e3, tmp);
    }
    block_table(block, t);
}

static void add_gaps(cJSON *block, const struct report_idle *idle, struct arena tmp)
{
    if (!idle->n_gaps)
        return;
    cJSON *t = table_open(S("t-gaps"), S("The ten longest gaps"));
    table_column(t, "Gap", false);
    table_column(t, "Start, ms", true);
    table_column(t, "Length, ms", true);
    table_column(t, "Cause", false);
    table_column(t, "Work before", false);
    table_column(t, "Work after", false);
    for (int k = 0; k < idle->n_gaps; k++) {
        const struct report_gap *g = &idle->gaps[k];
        cJSON *row = table_row(t, S(""));
        cell_text(row, counted(&tmp, k + 1));
        cell_number(row, number_fixed(&tmp, g->start_us / 1e3, 3), g->start_us / 1e3);
        cell_number(row, number_fixed(&tmp, g->duration_us / 1e3, 3),
                    g->duration_us / 1e3);
        cell_sentence(row, g->cause);
        cell_name(row, g->before, NAME_CHARS, tmp);
        cell_name(row, g->after, NAME_CHARS, tmp);
    }
    block_table(block, t);
}

static void add_idle(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    const struct report_idle *idle = r->detail ? &r->detail->idle : NULL;
    cJSON *b = block_open(c, "idle", "Why the GPU is idle",
                          "The cause of a gap is told by the work behind it and its "
                          "launch call.");
    if (!idle || idle->status == REPORT_ERROR) {
        block_empty(b, S("Idle time could not be analysed; the checks say why."));
        return;
    }
    if (!idle->gap_count) {
        block_empty(b, S("There is no gap between device work."));
        return;
    }
    block_chart(b, s, CHART_IDLE, tmp);
    block_remark(b, str_printf(&tmp,
                               "%lld gaps, %.*s on average, the longest %.*s; "
                               "%lld time%s the host waits for the device.",
                               (long long)idle->gap_count,
                               STRF(number_duration(&tmp, idle->avg_gap_us)),
                               STRF(number_duration(&tmp, idle->max_gap_us)),
                               (long long)idle->sync_point_count,
                               idle->sync_point_count == 1 ? "" : "s"));
    block_remark(b, str_printf(&tmp,
                               "Gaps of 100 µs and more hold %.*s %% of idle time; "
                               "those right after such a wait hold %.*s %%.",
                               STRF(number_pct(&tmp, idle->in_long_gaps_pct)),
                               STRF(number_pct(&tmp, idle->after_sync_pct))));
    add_gaps(b, idle, tmp);
    add_shares(b, "t-syncs", "Idle time behind what the host waited in", idle->sync_ops,
               idle->n_sync_ops, tmp);
    add_shares(b, "t-late", "Idle time before operations that were launched too late",
               idle->waited_ops, idle->n_waited_ops, tmp);
}

/* ---- launches
 * ------------------------------------------------------------------------- */

static void fact(cJSON *t, const char *what, struct str value)
{
    cJSON *row = table_row(t, S(""));
    cell_text(row, str_of(what));
    cell_number(row, value, 0.0);
}

static void add_launches(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report_timeline_data *d = s->r->over_time;
    const struct report_idle *idle = s->r->detail ? &s->r->detail->idle : NULL;
    cJSON *b =
        block_open(c, "launches", "Launches",
                   "A kernel that starts soon after its launch call found the GPU "
                   "waiting; one that starts late stood in a queue, so the host "
                   "was ahead.");
    block_chart(b, s, CHART_LAUNCHES, tmp);
    if (!d || !d->n_launches)
        return;
    cJSON *t = table_open(S("t-launches"), S("Launches in numbers"));
    table_column(t, "What", false);
    table_column(t, "Value", true);
    fact(t, "Kernels with a launch call", counted(&tmp, d->n_launches));
    fact(t, "Calls that launched them", counted(&tmp, d->n_calls));
    if (idle && idle->graph_launch_count)
        fact(t, "of these, launches of a GPU graph",
             counted(&tmp, idle->graph_launch_count));
    fact(t, "Kernels shorter than 10 µs", counted(&tmp, d->n_short));
    if (!isnan(d->launches_per_step))
        fact(t, "Kernels a step", number_fixed(&tmp, d->launches_per_step, 1));
    fact(t, "Launch to start, median, µs", number_rate(&tmp, d->median_delay_us));
    fact(t, "Launch to start, 95 % below, µs", number_rate(&tmp, d->p95_delay_us));
    fact(t, "Launch to start, longest, µs", number_rate(&tmp, d->max_delay_us));
    block_table(b, t);
    if (d->n_early)
        block_remark(
            b, str_printf(&tmp,
                          "%lld kernels start before their launch call: clocks of "
                          "host and device differ. They are not in the chart.",
                          (long long)d->n_early));
}

/* ---- copies
 * --------------------------------------------------------------------------- */

static struct str rate_text(struct arena *a, int64_t bytes, double total_ms)
{
    return bytes > 0 && total_ms > 0 ? number_rate(a, (double)bytes / total_ms / 1e6)
                                     : S("—");
}

static void add_sizes(cJSON *block, const struct report_multi_kernel *m,
                      struct arena tmp)
{
    cJSON *t = table_open(S("t-sizes"), S("Copies by direction and size"));
    table_column(t, "Direction and size", false);
    table_column(t, "Copies", true);
    table_column(t, "Bytes", true);
    table_column(t, "Time, ms", true);
    table_column(t, "GB/s", true);
    int n = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < REPORT_COPY_SIZES; k++) {
            const struct report_copy_size *z = &m->copies[i].sizes[k];
            if (!z->count)
                continue;
            cJSON *row = table_row(t, S(""));
            cell_text(row, str_printf(&tmp, "%.*s, %.*s", STRF(m->copies[i].direction),
                                      STRF(z->label)));
            cell_count(row, z->count, tmp);
            cell_number(row, bytes_text(&tmp, z->bytes), (double)z->bytes);
            cell_ms(row, z->total_ms, tmp);
            cell_number(row, rate_text(&tmp, z->bytes, z->total_ms),
                        z->total_ms > 0 ? (double)z->bytes / z->total_ms : (double)NAN);
            n++;
        }
    if (n)
        block_table(block, t);
    else
        cJSON_Delete(t);
}

static void add_copies(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct report_multi_kernel *m = r->detail ? &r->detail->multi_kernel : NULL;
    cJSON *b = block_open(c, "copies", "Copies",
                          "H2D: host to device, D2H: device to host, D2D: within or "
                          "between devices.");
    int64_t n = 0;
    for (int i = 0; m && i < 4; i++)
        n += m->copies[i].count;
    if (!n) {
        block_empty(b, S("There is no memory copy in this trace."));
        return;
    }
    cJSON *t = table_open(S("t-copies"), S("Copies by direction"));
    table_column(t, "Direction", false);
    table_column(t, "Copies", true);
    table_column(t, "Bytes", true);
    table_column(t, "Time, ms", true);
    table_column(t, "Share of total time, %", true);
    table_column(t, "Not hidden, ms", true);
    table_column(t, "Longest, µs", true);
    table_column(t, "GB/s", true);
    for (int i = 0; i < 4; i++) {
        const struct report_copies *k = &m->copies[i];
        if (!k->count)
            continue;
        cJSON *row = table_row(t, S(""));
        cell_text(row, k->direction);
        cell_count(row, k->count, tmp);
        cell_number(row, k->bytes < 0 ? S("not recorded") : bytes_text(&tmp, k->bytes),
                    (double)k->bytes);
        cell_ms(row, k->total_ms, tmp);
        cell_pct(row, k->total_pct, tmp);
        cell_ms(row, k->exposed_ms, tmp);
        cell_rate(row, k->max_us, tmp);
        cell_number(row, rate_text(&tmp, k->bytes, k->total_ms),
                    k->bytes > 0 ? (double)k->bytes / k->total_ms : (double)NAN);
    }
    block_table(b, t);
    add_sizes(b, m, tmp);
}

/* ---- collectives and overlap
 * -------------------------------------------------------------- */

static void add_collectives(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct report_multi_kernel *m = r->detail ? &r->detail->multi_kernel : NULL;
    cJSON *b = block_open(c, "collectives", "Collective communication", "");
    if (!m || !m->comm_count) {
        block_empty(b, S("There is no collective communication in this trace."));
        return;
    }
    const struct report_timeline *l = &r->timeline;
    block_remark(
        b, str_printf(&tmp,
                      "%lld collectives take %.*s ms in sum; %.*s ms of wall time "
                      "(%.*s %%) are not hidden by computation.",
                      (long long)m->comm_count, STRF(number_ms(&tmp, m->comm_total_ms)),
                      STRF(number_ms(&tmp, l->exposed_comm_ms)),
                      STRF(number_pct(&tmp, l->exposed_comm_pct))));
    block_remark(b,
                 S("Wait and transfer are not told apart: that, skew and who arrives "
                   "last need the traces of more than one rank."));
    cJSON *t = table_open(S("t-comm"), S("The longest collectives"));
    table_column(t, "Kernel", false);
    table_column(t, "Time, ms", true);
    table_column(t, "Stream", true);
    for (int k = 0; k < m->n_top_comm; k++) {
        cJSON *row = table_row(t, S(""));
        cell_name(row, m->top_comm[k].name, NAME_CHARS, tmp);
        cell_ms(row, m->top_comm[k].duration_us / 1e3, tmp);
        cell_count(row, m->top_comm[k].stream, tmp);
    }
    block_table(b, t);
}

static void add_overlap(cJSON *c, const struct report *r, struct arena tmp)
{
    static const char *const classes[REPORT_CLASSES] = {"Computation", "Communication",
                                                        "Copies"};
    const struct report_multi_kernel *m = r->detail ? &r->detail->multi_kernel : NULL;
    cJSON *b = block_open(c, "overlap", "What runs at the same time",
                          "Wall time in which work of both kinds runs; where row and "
                          "column are the same, the time of that kind.");
    bool two = false;
    for (int x = 0; m && x < REPORT_CLASSES; x++)
        for (int y = 0; y < x; y++)
            two |= m->overlap_ms[x][x] > 0 && m->overlap_ms[y][y] > 0;
    if (!two) {
        block_empty(
            b, S("There is work of one kind alone, or none: nothing can overlap."));
        return;
    }
    cJSON *t = table_open(S("t-overlap"), S("Overlap, ms"));
    table_column(t, "Runs at the same time as", false);
    for (int y = 0; y < REPORT_CLASSES; y++)
        table_column(t, classes[y], true);
    for (int x = 0; x < REPORT_CLASSES; x++) {
        cJSON *row = table_row(t, S(""));
        cell_text(row, str_of(classes[x]));
        for (int y = 0; y < REPORT_CLASSES; y++)
            cell_ms(row, m->overlap_ms[x][y], tmp);
    }
    block_table(b, t);
    if (!isnan(m->comm_overlap_pct))
        block_remark(b, str_printf(&tmp, "%.*s %% of communication is hidden.",
                                   STRF(number_pct(&tmp, m->comm_overlap_pct))));
    if (!isnan(m->memcpy_overlap_pct))
        block_remark(b, str_printf(&tmp, "%.*s %% of copy time is hidden.",
                                   STRF(number_pct(&tmp, m->memcpy_overlap_pct))));
}

/* ---- the rest
 * ------------------------------------------------------------------------- */

static void add_ranks(cJSON *c)
{
    cJSON *b = block_open(c, "ranks", "Ranks", "");
    block_empty(b,
                S("One trace is the trace of one rank. Skew, who arrives last, and how "
                  "much of a collective is waiting need the traces of more than one "
                  "rank; here waiting counts as communication."));
}

static void add_memory(cJSON *c, const struct site *s, struct arena tmp)
{
    cJSON *b = block_open(c, "memory", "Memory", "");
    block_chart(b, s, CHART_MEMORY, tmp);
}

static void add_findings(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    cJSON *b = block_open(c, "findings", "What to do about it", "");
    int n = 0;
    for (int k = 0; k < r->n_findings; k++)
        if (r->findings[k].tier == REPORT_SYSTEM) {
            block_finding(b, finding_line(s, &r->findings[k], tmp));
            n++;
        }
    if (!n)
        block_empty(b, S("No finding of the system tier: idle time, copies and "
                         "communication are below their thresholds."));
}

bool site_system(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "system.html", S("System"),
                        "Why is the GPU idle, and is the host, a copy or a collective "
                        "the limit?",
                        tmp);
    add_answer(c, r, tmp);
    add_cards(c, r, tmp);
    add_findings(c, s, tmp);
    add_balance(c, s, tmp);
    add_idle(c, s, tmp);
    add_launches(c, s, tmp);
    add_copies(c, r, tmp);
    add_collectives(c, r, tmp);
    add_overlap(c, r, tmp);
    add_memory(c, s, tmp);
    add_ranks(c);
    return ctx_write(s, "system.html", "system.html", c, tmp, e);
}
