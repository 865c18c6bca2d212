/* The system tier as markdown: idle time, copies and communication, fusion. */
#include "render/markdown_findings.h"

#include <math.h>

/* ---- shared ---------------------------------------------------------------------- */

static void metric(const struct md *m, const char *name, double pct, struct str word)
{
    out_printf(m->o, "| %s | ", name);
    md_pct(m->o, pct);
    out_printf(m->o, "%% | %.*s |\n", STRF(word));
}

static void patterns(const struct md *m, const struct report_pattern *p, int n,
                     const char *last_label)
{
    if (n == 0)
        out_lit(m->o, "No pattern of this kind was detected.\n\n");
    for (int i = 0; i < n; i++) {
        out_printf(m->o, "%d. **%.*s** - %.*s\n   - Evidence: ", i + 1, STRF(p[i].name),
                   STRF(p[i].severity));
        md_prose(m->o, m->tmp, p[i].evidence, MD_LINE);
        if (p[i].impact.n) {
            out_lit(m->o, "\n   - Impact: ");
            md_prose(m->o, m->tmp, p[i].impact, MD_LINE);
        }
        if (p[i].solution.n) {
            out_printf(m->o, "\n   - %s: ", last_label);
            md_prose(m->o, m->tmp, p[i].solution, MD_LINE);
        }
        out_char(m->o, '\n');
    }
    if (n)
        out_char(m->o, '\n');
}

static void labelled(const struct md *m, const char *label, struct str text, bool last)
{
    md_label(m, label);
    md_prose(m->o, m->tmp, text, MD_LINE);
    md_line_end(m, last);
}

static void recommendation(const struct md *m, const struct report_finding *f)
{
    struct str more = md_after_first(f->algorithmic);
    bool how = more.n > 0 || f->kernel.n > 1;
    md_heading(m, 1);
    out_printf(m->o, "System P%d: ", f->tier_number);
    md_prose(m->o, m->tmp, f->title, MD_LINE);
    out_lit(m->o, "\n\n");
    labelled(m, "Issue", f->issue, false);
    labelled(m, "Action", md_first_sentence(f->algorithmic), false);
    md_label(m, "Expected Impact");
    md_impact(m, &f->impact);
    if (f->impact.high_ms <= 0 && f->impact.basis.n) {
        out_lit(m->o, ": ");
        md_prose(m->o, m->tmp, f->impact.basis, MD_LINE);
    }
    md_line_end(m, !how);
    if (how) {
        md_label(m, "Implementation");
        md_prose(m->o, m->tmp, more, MD_LINE);
        out_c(m->o, more.n ? " " : "");
        if (f->kernel.n > 1)
            md_prose(m->o, m->tmp, f->kernel, MD_LINE);
        md_line_end(m, true);
    }
    out_char(m->o, '\n');
}

static void recommendations(const struct md *m, struct str category, const char *none)
{
    md_heading(m, 0);
    out_lit(m->o, "Recommendations\n\n");
    int n = 0;
    for (int i = 0; i < m->r->n_findings; i++)
        if (md_finding_of(&m->r->findings[i], REPORT_SYSTEM, category)) {
            recommendation(m, &m->r->findings[i]);
            n++;
        }
    if (n == 0)
        out_printf(m->o, "%s\n\n", none);
}

/* ---- idle time ------------------------------------------------------------------- */

static void idle_head(const struct md *m, const struct report_idle *d)
{
    const struct report_timeline *t = &m->r->timeline;
    md_heading(m, 0);
    if (t->idle_pct > 20)
        out_printf(m->o, "%.*s: %s\n\n", STRF(d->severity),
                   t->idle_pct > 50 ? "GPU Underutilization Detected"
                                    : "GPU Idle Time Detected");
    else
        out_lit(m->o, "GPU Idle Time Within Limits\n\n");
    out_printf(m->o, "**Severity**: %.*s  \n**Idle Time**: ", STRF(d->severity));
    md_pct(m->o, t->idle_pct);
    out_lit(m->o, "% (");
    md_ms(m->o, t->idle_ms);
    out_lit(m->o, " ms out of ");
    md_ms(m->o, t->total_ms);
    out_printf(m->o, " ms total)  \n**Status**: %s\n\n",
               d->status == REPORT_ERROR ? "ERROR" : "SUCCESS");
    if (d->status == REPORT_ERROR) {
        md_prose(m->o, m->tmp, d->error, MD_LINE);
        out_lit(m->o, "\n\nThe percentages above come from utilisation data only.\n\n");
    }
}

static void gap_length(const struct md *m, double us)
{
    if (us >= 1000)
        md_ms(m->o, us / 1e3);
    else
        md_real(m->o, us, 1);
    out_c(m->o, us >= 1000 ? " ms" : " us");
}

static void idle_summary(const struct md *m, const struct report_idle *d)
{
    const struct report_timeline *t = &m->r->timeline;
    md_heading(m, 0);
    out_lit(m->o, "Executive Summary\n\nThe GPU waits for ");
    md_ms(m->o, t->idle_ms);
    out_lit(m->o, " ms of ");
    md_ms(m->o, t->total_ms);
    out_lit(m->o, " ms.");
    if (d->gap_count > 0) {
        out_printf(m->o, " The %lld %s between kernels %s ", (long long)d->gap_count,
                   d->gap_count == 1 ? "gap" : "gaps",
                   d->gap_count == 1 ? "lasts" : "last");
        gap_length(m, d->avg_gap_us);
        out_c(m->o, d->gap_count == 1 ? "." : " on average; the longest lasts ");
        if (d->gap_count > 1) {
            gap_length(m, d->max_gap_us);
            out_char(m->o, '.');
        }
    }
    if (d->recoverable_high_ms > 0) {
        double x = d->potential_speedup;
        out_lit(m->o, " Bringing idle time down to 20% would save ");
        md_ms(m->o, 2 * d->recoverable_low_ms); /* the low end is half of that */
        out_lit(m->o, " ms, a speed-up of ");
        md_real(m->o, x, x >= 100 ? 0 : x >= 10 ? 1 : 2);
        out_lit(m->o, "x.");
    }
    out_lit(m->o, "\n\n");
}

static void idle_table(const struct md *m, const struct report_idle *d)
{
    const struct report_timeline *t = &m->r->timeline;
    const struct report_multi_kernel *k = &m->d->multi_kernel;
    md_heading(m, 0);
    out_lit(m->o, "Utilization Breakdown\n\n| Metric | Value | Assessment |\n"
                  "|--------|-------|------------|\n");
    metric(m, "Computation", t->computation_pct,
           t->computation_pct >= 95 ? S("Good") : S("Below 95%"));
    metric(m, "Idle", t->idle_pct, d->severity);
    metric(m, "Communication", t->exposed_comm_pct,
           k->blocking_severity.n ? k->blocking_severity : S("NONE"));
    metric(m, "MemCpy", t->exposed_memcpy_pct,
           k->memcpy_severity.n ? k->memcpy_severity : S("NONE"));
    out_char(m->o, '\n');
}

static void idle_counts(const struct md *m, const struct report_idle *d)
{
    const struct {
        const char *name;
        int64_t n;
    } counts[] = {{"Kernels", d->kernel_count},
                  {"Kernels below 10 us", d->short_kernel_count},
                  {"Device synchronisation points", d->sync_point_count},
                  {"Streams", d->stream_count},
                  {"GPU graph launches", d->graph_launch_count}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        out_printf(m->o, "- %s: %lld\n", counts[i].name, (long long)counts[i].n);
    out_lit(m->o, "- Mean kernel time: ");
    md_real(m->o, d->avg_kernel_us, 1);
    out_lit(m->o, " us\n\n");
}

static void shares(const struct md *m, const char *title, const char *what,
                   const struct report_share *list, int n)
{
    if (n == 0)
        return;
    out_printf(m->o,
               "%s:\n\n| Operation | Called from | Count | %s |\n"
               "|-----------|-------------|-------|-----------|\n",
               title, what);
    for (int i = 0; i < n; i++) {
        out_lit(m->o, "| ");
        md_name(m->o, m->tmp, list[i].name, MD_CELL);
        out_lit(m->o, " | ");
        md_name(m->o, m->tmp, list[i].caller, MD_CELL);
        out_printf(m->o, " | %lld | ", (long long)list[i].count);
        md_ms(m->o, list[i].total_us / 1e3);
        out_lit(m->o, " |\n");
    }
    out_char(m->o, '\n');
}

static void idle_causes(const struct md *m, const struct report_idle *d)
{
    if (d->n_causes == 0)
        return;
    out_lit(m->o, "| What the device waited for | Gaps | Time (ms) | % of Idle |\n"
                  "|----------------------------|------|-----------|-----------|\n");
    for (int i = 0; i < d->n_causes; i++) {
        out_lit(m->o, "| ");
        md_prose(m->o, m->tmp, d->causes[i].label, MD_CELL);
        out_printf(m->o, " | %lld | ", (long long)d->causes[i].count);
        md_ms(m->o, d->causes[i].total_ms);
        out_lit(m->o, " | ");
        md_pct(m->o, d->causes[i].idle_pct);
        out_lit(m->o, "% |\n");
    }
    out_char(m->o, '\n');
    shares(m, "Operations that made the host wait for the device", "Idle after it (ms)",
           d->sync_ops, d->n_sync_ops);
    shares(m, "Operations that the device waited for", "Idle before it (ms)",
           d->waited_ops, d->n_waited_ops);
}

/* Numbered as the rows of the table above it. */
static void gap_causes(const struct md *m, const struct report_idle *d)
{
    int n = 0;
    for (int i = 0; i < d->n_gaps; i++) {
        if (d->gaps[i].cause.n == 0)
            continue;
        out_c(m->o, n++ ? "" : "\nIn these gaps:\n\n");
        out_printf(m->o, "- %d: ", i + 1);
        md_prose(m->o, m->tmp, d->gaps[i].cause, MD_LINE);
        out_char(m->o, '\n');
    }
}

static void idle_gaps(const struct md *m, const struct report_idle *d)
{
    md_heading(m, 0);
    out_lit(m->o, "Technical Details\n\n");
    if (d->status == REPORT_ERROR) {
        out_lit(m->o,
                "The data of single gaps is missing, so patterns were skipped.\n\n");
        return;
    }
    idle_counts(m, d);
    if (d->n_gaps == 0) {
        out_lit(m->o, "No gap between kernels was found.\n\n");
        return;
    }
    out_lit(m->o, "| Rank | Start (us) | Gap (us) | After | Before |\n"
                  "|------|------------|----------|-------|--------|\n");
    for (int i = 0; i < d->n_gaps; i++) {
        out_printf(m->o, "| %d | ", i + 1);
        md_real(m->o, d->gaps[i].start_us, 2);
        out_lit(m->o, " | ");
        md_real(m->o, d->gaps[i].duration_us, 2);
        out_lit(m->o, " | ");
        md_kernel(m->o, m->tmp, d->gaps[i].before, MD_CELL);
        out_lit(m->o, " | ");
        md_kernel(m->o, m->tmp, d->gaps[i].after, MD_CELL);
        out_lit(m->o, " |\n");
    }
    gap_causes(m, d);
    out_lit(m->o, "\nThe sums do not explain each gap: open the trace in a timeline "
                  "viewer (Perfetto) and look at the gaps listed here.\n\n");
}

void findings_idle(const struct md *m)
{
    const struct report_idle *d = &m->d->idle;
    idle_head(m, d);
    idle_summary(m, d);
    idle_table(m, d);
    md_heading(m, 0);
    out_lit(m->o, "Root Cause Analysis\n\n");
    idle_causes(m, d);
    md_heading(m, 1);
    out_lit(m->o, "Detected Patterns\n\n");
    patterns(m, d->patterns, d->n_patterns, "Solution");
    recommendations(m, S("cpu_idle"),
                    "Idle time is below the limits that ask for an action.");
    idle_gaps(m, d);
}

/* ---- copies and communication ---------------------------------------------------- */

static void copies_cell(const struct md *m, const char *name,
                        const struct report_copies *c)
{
    out_printf(m->o, "| %s | %lld (", name, (long long)c->count);
    md_real(m->o, c->total_ms, c->total_ms >= 100 ? 1 : c->total_ms >= 1 ? 2 : 3);
    out_printf(m->o, " ms) | %.*s |\n", STRF(c->severity));
}

static void multi_summary(const struct md *m, const struct report_multi_kernel *k)
{
    int64_t copies = 0;
    for (int i = 0; i < 4; i++)
        copies += k->copies[i].count;
    md_heading(m, 0);
    out_printf(
        m->o,
        "Summary\n\n| Metric | Value | Severity |\n|--------|-------|----------|\n"
        "| Total Memcpy Events | %lld | %.*s |\n",
        (long long)copies, STRF(k->memcpy_severity));
    copies_cell(m, "D2H Transfers", &k->copies[0]);
    copies_cell(m, "H2D Transfers", &k->copies[1]);
    out_lit(m->o, "| Exposed Communication | ");
    md_pct(m->o, m->r->timeline.exposed_comm_pct);
    out_printf(m->o, "%% of total | %.*s |\n| Compute/Comm Overlap | ",
               STRF(k->blocking_severity));
    if (isfinite(k->comm_overlap_pct)) {
        md_pct(m->o, k->comm_overlap_pct);
        out_char(m->o, '%');
    } else {
        out_lit(m->o, "N/A");
    }
    out_printf(m->o, " | %.*s |\n\n", STRF(k->overlap_severity));
}

static struct str copy_cause(const struct report_copies *c)
{
    double mean = c->count > 0 && c->bytes >= 0 ? (double)c->bytes / (double)c->count
                                                : (double)NAN;
    bool to_host = str_eq(c->direction, S("D2H"));
    if (c->count == 0)
        return S("no transfer of this direction is in the trace.");
    if (str_eq(c->severity, S("NONE")))
        return S("too little to matter.");
    if (isfinite(mean) && mean < 64 * 1024)
        return to_host
                   ? S("many small transfers are typical of scalar reads or logging "
                       "inside the step.")
                   : S("many small transfers are typical of tensors created on the "
                       "host while the step runs.");
    return to_host ? S("results are moved to the host.")
                   : S("input is staged from the host; memory that is not pinned makes "
                       "this slow.");
}

static void copies_section(const struct md *m, const struct report_multi_kernel *k,
                           int direction, const char *title)
{
    const struct report_copies *c = &k->copies[direction];
    md_heading(m, 1);
    out_printf(m->o, "%s\n\n- **Count**: %lld %s", title, (long long)c->count,
               c->count == 1 ? "transfer" : "transfers");
    if (k->step_count > 0 && c->count > 0) {
        out_lit(m->o, " (");
        md_real(m->o, (double)c->count / (double)k->step_count, 1);
        out_lit(m->o, " per step)");
    }
    out_lit(m->o, "\n- **Total Time**: ");
    md_ms(m->o, c->total_ms);
    out_lit(m->o, " ms (");
    md_pct(m->o, c->total_pct);
    out_printf(m->o,
               "%% of total GPU time)\n- **Assessment**: %.*s\n- **Root Cause**: ",
               STRF(c->severity));
    if (c->count > 0 && c->bytes > 0 && c->total_ms > 0) {
        double gb_per_s = (double)c->bytes / c->total_ms / 1e6;
        out_lit(m->o, "mean size ");
        md_bytes(m, (double)c->bytes / (double)c->count);
        if (gb_per_s >= 0.01) {
            out_lit(m->o, " at ");
            md_real(m->o, gb_per_s, 2);
            out_lit(m->o, " GB/s");
        }
        out_lit(m->o, "; ");
    }
    out_str(m->o, copy_cause(c));
    for (int i = 0; i < c->n_ops; i++) {
        out_c(m->o, i ? ", " : " They are started by ");
        md_name(m->o, m->tmp, c->ops[i].name, MD_LINE);
        if (c->ops[i].caller.n) {
            out_lit(m->o, " at ");
            md_name(m->o, m->tmp, c->ops[i].caller, MD_LINE);
        }
        out_printf(m->o, " (%lld, ", (long long)c->ops[i].count);
        md_ms(m->o, c->ops[i].total_us / 1e3);
        out_lit(m->o, " ms)");
    }
    out_c(m->o, c->n_ops ? ".\n\n" : "\n\n");
}

static void blocking_section(const struct md *m, const struct report_multi_kernel *k)
{
    const struct report_timeline *t = &m->r->timeline;
    md_heading(m, 0);
    out_lit(m->o, "Communication Blocking Analysis\n\n");
    md_heading(m, 1);
    out_lit(m->o, "NCCL Blocking Compute\n\n- **Exposed Communication Time**: ");
    md_ms(m->o, t->exposed_comm_ms);
    out_lit(m->o, " ms (");
    md_pct(m->o, t->exposed_comm_pct);
    out_lit(m->o, "% of total)\n- **Total Communication Time**: ");
    md_ms(m->o, t->total_comm_ms);
    out_printf(m->o, " ms\n- **Assessment**: %.*s\n- **Impact**: ",
               STRF(k->blocking_severity));
    if (k->comm_count == 0) {
        out_lit(m->o, "none\n\n");
    } else {
        out_lit(m->o, "GPU compute blocked for ");
        md_ms(m->o, t->exposed_comm_ms);
        out_lit(m->o, " ms due to non-overlapped communication\n\n");
    }
    md_heading(m, 1);
    out_lit(m->o, "Compute/Communication Overlap\n\n- **Overlap Ratio**: ");
    if (isfinite(k->comm_overlap_pct)) {
        md_pct(m->o, k->comm_overlap_pct);
        out_char(m->o, '%');
    } else {
        out_lit(m->o, "N/A");
    }
    out_printf(m->o, " (target > 70%%)\n- **Assessment**: %.*s\n- **Impact**: ",
               STRF(k->overlap_severity));
    if (k->comm_count == 0) {
        out_lit(m->o, "no collective communication is in the trace.\n\n");
        return;
    }
    md_ms(m->o, t->total_comm_ms - t->exposed_comm_ms);
    out_lit(m->o, " ms of ");
    md_ms(m->o, t->total_comm_ms);
    out_lit(m->o,
            " ms of collective communication run beside computation. One rank "
            "cannot tell waiting from transfer: that needs traces of all ranks.\n\n");
}

static void copy_table(const struct md *m, const struct report_multi_kernel *k)
{
    md_heading(m, 1);
    out_lit(m->o, "Memory Copy Breakdown\n\n"
                  "| Direction | Count | Total Time (ms) | Avg Size | Severity |\n"
                  "|-----------|-------|------------------|----------|----------|\n");
    for (int i = 0; i < 4; i++) {
        const struct report_copies *c = &k->copies[i];
        if (i == 3 && c->count == 0)
            continue;
        out_printf(m->o, "| %.*s | %lld | ", STRF(c->direction), (long long)c->count);
        md_ms(m->o, c->total_ms);
        out_lit(m->o, " | ");
        if (c->count > 0 && c->bytes >= 0)
            md_bytes(m, (double)c->bytes / (double)c->count);
        else
            out_lit(m->o, MD_DASH);
        out_printf(m->o, " | %.*s |\n", STRF(c->severity));
    }
    out_char(m->o, '\n');
}

static void technical_details(const struct md *m, const struct report_multi_kernel *k)
{
    md_heading(m, 0);
    out_lit(m->o, "Technical Details\n\n");
    md_heading(m, 1);
    out_lit(m->o, "Top Communication Operations\n\n");
    if (k->n_top_comm == 0)
        out_lit(m->o, "No collective communication is in the trace.\n");
    else
        out_lit(m->o, "| Rank | Operation | Duration (us) | Stream |\n"
                      "|------|-----------|---------------|--------|\n");
    for (int i = 0; i < k->n_top_comm; i++) {
        out_printf(m->o, "| %d | ", i + 1);
        md_kernel(m->o, m->tmp, k->top_comm[i].name, MD_CELL);
        out_lit(m->o, " | ");
        md_real(m->o, k->top_comm[i].duration_us, 2);
        out_printf(m->o, " | %lld |\n", (long long)k->top_comm[i].stream);
    }
    out_char(m->o, '\n');
    copy_table(m, k);
}

void findings_multi_kernel(const struct md *m)
{
    const struct report_multi_kernel *k = &m->d->multi_kernel;
    if (k->status == REPORT_ERROR) {
        out_lit(m->o, "**Status**: ERROR\n**Analysis Tier**: System-Level\n\n");
        md_prose(m->o, m->tmp, k->error, MD_LINE);
        out_char(m->o, '\n');
        return;
    }
    out_lit(m->o, "**Status**: SUCCESS  \n**Analysis Tier**: System-Level\n\n");
    multi_summary(m, k);
    md_heading(m, 0);
    out_lit(m->o, "Memory Copy Analysis\n\n");
    copies_section(m, k, 0, "D2H (Device-to-Host) Transfers");
    copies_section(m, k, 1, "H2D (Host-to-Device) Transfers");
    blocking_section(m, k);
    md_heading(m, 0);
    out_lit(m->o, "Detected Patterns\n\n");
    patterns(m, k->patterns, k->n_patterns, "Recommendation");
    recommendations(m, S("multi_kernel"),
                    "Copies and communication stay below the limits that ask for an "
                    "action.");
    technical_details(m, k);
}
