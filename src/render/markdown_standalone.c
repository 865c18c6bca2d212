#include "render/markdown_standalone.h"

#include "render/markdown_fair.h"

#include <math.h>

/* What differs between the three tiers. */
struct tier {
    enum report_tier tier;
    const char *name;   /* in markers and anchors */
    const char *number; /* "p" or "P" in anchors */
    const char *section, *insights;
};

static const struct tier tiers[] = {
    {REPORT_SYSTEM, "system", "p", "System-Level Optimizations",
     "System-Level Insights"},
    {REPORT_COMPUTE, "compute", "p", "Compute Kernel Optimizations",
     "Compute Kernel Insights"},
    {REPORT_FUSION, "fusion", "P", "Kernel Fusion Opportunities (Experimental)",
     "Kernel Fusion Insights"},
};

static const struct report_finding *finding_at(const struct md *m, const int *order,
                                               int place)
{
    return &m->r->findings[order[place]];
}

/* ---- the top --------------------------------------------------------------------- */

static void pct_row(const struct md *m, const char *name, double pct)
{
    out_printf(m->o, "| %s | ", name);
    md_pct(m->o, pct);
    out_lit(m->o, "% |\n");
}

static void summary(const struct md *m)
{
    const struct report_timeline *t = &m->r->timeline;
    out_lit(m->o, "## Executive Summary\n\n");
    fair_paragraph(m);
    out_lit(m->o, "\n| Metric | Value |\n|--------|-------|\n| Total Time | ");
    md_ms(m->o, t->total_ms);
    out_lit(m->o, " ms |\n");
    pct_row(m, "Compute %", t->computation_pct);
    out_lit(m->o, "| Total Compute Time | ");
    md_ms(m->o, t->computation_ms);
    out_lit(m->o, " ms |\n");
    pct_row(m, "GPU Utilization", t->computation_pct);
    pct_row(m, "Idle %", t->idle_pct);
    pct_row(m, "Exposed Communication %", t->exposed_comm_pct);
    out_lit(m->o, "| Top Bottleneck Category | ");
    const struct report_detail *d = m->d;
    int top = 0;
    while (top < d->n_sections &&
           (d->sections[top].communication || d->sections[top].n_rows == 0))
        top++;
    if (top < d->n_sections) {
        out_printf(m->o, "%.*s (", STRF(d->sections[top].label));
        md_pct(m->o, d->sections[top].compute_pct);
        out_lit(m->o, "%) |\n\n");
    } else {
        out_lit(m->o, MD_DASH " |\n\n");
    }
}

/* ---- markers, for programs that read the file ------------------------------------ */

static void marker_begin(const struct md *m, const char *text)
{
    if (!m->style.no_markers)
        out_printf(m->o, "<!-- %s", text);
}

/* The value of a marker: two decimals, or null. */
static void mark(const struct md *m, const char *name, double v)
{
    if (m->style.no_markers)
        return;
    out_printf(m->o, " %s=", name);
    if (isfinite(v))
        out_fixed(m->o, v, 2);
    else
        out_lit(m->o, "null");
}

static void marker_end(const struct md *m, const char *after)
{
    if (!m->style.no_markers)
        out_printf(m->o, " -->%s", after);
}

static void marker(const struct md *m, const char *text, const char *after)
{
    marker_begin(m, text);
    marker_end(m, after);
}

static const struct report_section *section_of(const struct report_detail *d,
                                               struct str id)
{
    for (int i = 0; i < d->n_sections; i++)
        if (str_eq(d->sections[i].id, id))
            return &d->sections[i];
    return NULL;
}

static void top_operations(const struct md *m)
{
    out_lit(m->o, "## Top Operations\n\n");
    fair_top_operations(m, m->r->n_top);
    marker(m, "impact-begin kind=top_ops", "\n\n");
    out_lit(m->o, "| Rank | Category | Time (ms) | % of Compute | E2E Improvement |\n"
                  "|------|----------|-----------|--------------|-----------------|\n");
    for (int i = 0; i < m->d->n_priorities; i++) {
        const struct report_priority_row *p = &m->d->priorities[i];
        const struct report_section *s = section_of(m->d, p->category);
        out_printf(m->o, "| %d | %.*s | ", p->rank, STRF(p->label));
        md_ms(m->o, s ? s->time_ms : (double)NAN);
        out_lit(m->o, " | ");
        md_pct(m->o, s ? s->compute_pct : (double)NAN);
        out_c(m->o, s ? "% | " : " | ");
        if (isfinite(p->low_pct))
            md_share_range(m, p->low_pct, p->high_pct);
        else
            out_lit(m->o, MD_DASH);
        out_char(m->o, ' ');
        marker_begin(m, "top-ops-row");
        mark(m, "low", p->low_pct);
        mark(m, "high", p->high_pct);
        marker_end(m, " ");
        out_lit(m->o, "|\n");
    }
    out_char(m->o, '\n');
    marker(m, "impact-end", "\n\n");
}

/* ---- cards ----------------------------------------------------------------------- */

static void item_heading(const struct md *m, const char *marks, int number, int finding)
{
    out_printf(m->o, "%s %.*s P%d: ", marks, STRF(md_number_icon(number)), number);
    md_finding_title(m, finding);
    out_lit(m->o, "\n\n");
}

/* Markers are for the kernel tier: priority_data.json lists the same values. */
static void impact_line(const struct md *m, const struct report_finding *f, bool marked)
{
    const struct report_range *range = &f->impact;
    struct arena tmp = m->tmp;
    if (marked) {
        marker_begin(
            m, str_c(&tmp, str_printf(&tmp, "impact-begin kind=p_item category=%.*s",
                                      STRF(f->category))));
        mark(m, "low", range->low_pct);
        mark(m, "mid", (range->low_pct + range->high_pct) / 2);
        mark(m, "high", range->high_pct);
        marker_end(m, "\n");
    }
    md_label(m, "Impact");
    md_impact(m, range);
    if (str_eq(f->kind, S("unmodelled")))
        out_lit(m->o, ", estimated from time share, no performance model");
    md_line_end(m, marked);
    if (marked)
        marker(m, "impact-end", "\n");
}

static void card(const struct md *m, const struct tier *t, const int *order, int place)
{
    const struct report_finding *f = finding_at(m, order, place);
    bool marked = t->tier == REPORT_COMPUTE && !m->style.no_markers;
    item_heading(m, "###", place + 1, order[place]);
    md_label(m, "Issue");
    md_prose(m->o, m->tmp, md_first_sentence(f->issue), MD_LINE);
    md_line_end(m, false);
    md_label(m, "Action");
    md_action(m, order[place], order, place);
    md_line_end(m, marked);
    impact_line(m, f, marked);
    out_printf(m->o,
               "\u2192 *See [Detailed Analysis: %s](#detailed-analysis-%s-%s%d) for "
               "details*\n\n",
               t->insights, t->name, t->number, place + 1);
}

static void clean(const struct md *m, const struct tier *t)
{
    const struct report_timeline *time = &m->r->timeline;
    if (t->tier == REPORT_FUSION) {
        out_lit(m->o, "No kernel fusion opportunities detected.\n\n");
        return;
    }
    if (t->tier == REPORT_COMPUTE) {
        out_lit(m->o,
                "\u2705 No compute kernel optimization opportunities identified. All "
                "categories are within target performance bounds.\n\n");
        return;
    }
    out_lit(m->o, "\u2705 No system-level bottlenecks detected. ");
    if (time->computation_pct >= 80 &&
        time->exposed_comm_pct + time->exposed_memcpy_pct < 5) {
        out_lit(m->o, "GPU utilization is healthy at ");
        md_pct(m->o, time->computation_pct);
        out_lit(m->o, "% computation, with negligible memcpy and communication "
                      "overhead.\n\n");
        return;
    }
    out_lit(m->o, "Computation takes ");
    md_pct(m->o, time->computation_pct);
    out_lit(m->o, "% of the time and the GPU waits for ");
    md_pct(m->o, time->idle_pct);
    out_lit(m->o, "%; no limit that asks for an action is exceeded.\n\n");
}

static void tier_section(const struct md *m, const struct tier *t)
{
    struct md inner = *m;
    int *order = arena_new(&inner.tmp, int, m->r->n_findings);
    int n = md_tier_order(m->r, t->tier, order);
    out_printf(m->o, "## %s\n\n", t->section);
    if (n == 0)
        clean(&inner, t);
    for (int i = 0; i < n; i++) {
        card(&inner, t, order, i);
        if (i + 1 < n)
            out_lit(m->o, "---\n\n");
    }
}

/* ---- detail blocks --------------------------------------------------------------- */

static void identification(const struct md *m, int finding)
{
    const struct report_finding *f = &m->r->findings[finding];
    out_lit(m->o, "**Identification:** ");
    if (f->tier == REPORT_SYSTEM) {
        md_prose(m->o, m->tmp, f->issue, MD_LINE);
    } else {
        int others = md_other_operators(m, finding);
        md_name(m->o, m->tmp, f->name, MD_LINE);
        if (others)
            out_printf(m->o, " and %d more %s", others,
                       others == 1 ? "operator" : "operators");
        out_printf(m->o, " %s ", others ? "take" : "takes");
        md_ms(m->o, f->time_ms);
        out_lit(m->o, " ms (");
        md_pct(m->o, f->compute_pct);
        out_lit(m->o, "% of compute, ");
        md_pct(m->o, f->total_pct);
        out_printf(m->o, "%% of wall time) in %lld %s.", (long long)f->count,
                   f->count == 1 ? "call" : "calls");
        if (f->tier == REPORT_COMPUTE) {
            out_lit(m->o, " Efficiency: ");
            md_finding_efficiency(m, f);
            out_char(m->o, '.');
        }
    }
    out_printf(m->o, " (source: `category_data/%.*s_metrics.json` \u2192 `%s`, id `",
               STRF(f->tier == REPORT_FUSION ? S("kernel_fusion") : f->category),
               f->tier == REPORT_SYSTEM ? "patterns_detected" : "findings");
    out_str(m->o, f->id);
    out_lit(m->o, "`)\n\n");
}

static void args_cell(const struct md *m, struct str args)
{
    if (args.n == 0)
        out_lit(m->o, MD_DASH);
    for (int first = 1; args.n > 0; first = 0) {
        ptrdiff_t cut = str_find(args, S("<br>"));
        ptrdiff_t skip = 4;
        if (cut < 0 && (cut = str_find(args, S(", ("))) >= 0)
            skip = 2;
        struct str one = cut < 0 ? args : str_head(args, cut);
        out_c(m->o, first ? "" : "<br>");
        md_name(m->o, m->tmp, one, MD_CELL);
        args = cut < 0 ? S("") : str_skip(args, cut + skip);
    }
}

static void data_row(const struct md *m, const struct report_work *w)
{
    out_lit(m->o, "| ");
    md_name(m->o, m->tmp, w->name, MD_CELL);
    out_lit(m->o, " | ");
    args_cell(m, w->args);
    out_lit(m->o, " | ");
    md_name(m->o, m->tmp, w->launcher, MD_CELL);
    out_lit(m->o, " | ");
    md_kernel(m->o, m->tmp, w->kernel, MD_CELL);
    out_lit(m->o, " | ");
    md_ms(m->o, w->time_ms);
    out_lit(m->o, " | ");
    md_pct(m->o, w->total_pct);
    out_printf(m->o, "%% | %lld | ", (long long)w->count);
    md_real(m->o, w->flop_per_byte, 1);
    out_lit(m->o, " | ");
    md_row_efficiency(m, w);
    out_printf(m->o, " | %s |\n",
               w->bound == REPORT_BOUND_COMPUTE  ? "compute"
               : w->bound == REPORT_BOUND_MEMORY ? "memory"
                                                 : MD_DASH);
}

static void compute_data(const struct md *m, int finding)
{
    const struct report_finding_rows *rows = &m->d->finding_rows[finding];
    out_lit(m->o, "| Operation | Args | Kernel Path | Kernel Name | Time (ms) | %E2E | "
                  "Count | FLOPS/Byte | Efficiency | Bound |\n"
                  "|-----------|------|-------------|-------------|-----------|------|"
                  "-------|------------|------------|-------|\n");
    for (int i = 0; i < rows->n_rows; i++)
        data_row(m, rows->rows[i]);
}

static void system_row(const struct md *m, const char *name, double v, const char *unit,
                       struct str severity)
{
    out_printf(m->o, "| %s | ", name);
    if (unit[0] == '%')
        md_pct(m->o, v);
    else
        md_ms(m->o, v);
    out_printf(m->o, "%s | %.*s |\n", unit, STRF(severity));
}

static void copies_data(const struct md *m)
{
    const struct report_multi_kernel *k = &m->d->multi_kernel;
    for (int i = 0; i < 3; i++) {
        if (k->copies[i].count == 0)
            continue;
        out_printf(m->o, "| %.*s copies | %lld (", STRF(k->copies[i].direction),
                   (long long)k->copies[i].count);
        md_ms(m->o, k->copies[i].total_ms);
        out_printf(m->o, " ms) | %.*s |\n", STRF(k->copies[i].severity));
    }
    system_row(m, "Exposed memory copies", m->r->timeline.exposed_memcpy_ms, " ms",
               k->memcpy_severity);
}

static void system_data(const struct md *m, const struct report_finding *f)
{
    const struct report_timeline *t = &m->r->timeline;
    const struct report_multi_kernel *k = &m->d->multi_kernel;
    out_lit(m->o, "| Metric | Value | Severity |\n|--------|-------|----------|\n");
    if (str_eq(f->category, S("cpu_idle"))) {
        system_row(m, "Idle", t->idle_pct, "%", m->d->idle.severity);
        system_row(m, "Idle time", t->idle_ms, " ms", m->d->idle.severity);
        out_printf(m->o, "| Kernels | %lld | " MD_DASH " |\n",
                   (long long)m->d->idle.kernel_count);
        system_row(m, "Mean kernel time", m->d->idle.avg_kernel_us, " us", S(MD_DASH));
        system_row(m, "Longest gap", m->d->idle.max_gap_us, " us", S(MD_DASH));
        return;
    }
    if (str_has(f->pattern, S("memcpy"))) {
        copies_data(m);
        return;
    }
    system_row(m, "Exposed communication", t->exposed_comm_ms, " ms",
               k->blocking_severity);
    system_row(m, "Total communication", t->total_comm_ms, " ms", S(MD_DASH));
    if (isfinite(k->comm_overlap_pct))
        system_row(m, "Compute/communication overlap", k->comm_overlap_pct, "%",
                   k->overlap_severity);
}

static void fusion_data(const struct md *m, int finding)
{
    const struct report_fusion *c = NULL;
    for (int i = 0; i < m->d->n_fusion; i++)
        if (m->d->fusion[i].finding == finding)
            c = &m->d->fusion[i];
    if (!c) {
        compute_data(m, finding);
        return;
    }
    out_lit(m->o, "| Kernel | Type | Duration (us) | Perf model |\n"
                  "|--------|------|---------------|------------|\n");
    for (int i = 0; i < c->n_kernels; i++) {
        out_lit(m->o, "| ");
        md_kernel(m->o, m->tmp, c->kernels[i].name, MD_CELL);
        out_lit(m->o, " | ");
        md_prose(m->o, m->tmp, c->kernels[i].label, MD_CELL);
        out_lit(m->o, " | ");
        md_real(m->o, c->kernels[i].mean_us, 2);
        out_printf(m->o, " | %s |\n", c->kernels[i].has_model ? "yes" : "no");
    }
}

/* Only what the trace shows: the rest of the issue, the evidence that no table has, or
 * how far the kernels are from the peak. */
static void reasoning(const struct md *m, const struct report_finding *f)
{
    struct str more = md_after_first(f->issue);
    int n = more.n > 0;
    out_lit(m->o, "**Reasoning for Slowdown:** ");
    md_prose(m->o, m->tmp, more, MD_LINE);
    for (int i = 0; i < f->n_evidence; i++) {
        if (!md_is_new_evidence(f, f->evidence[i]))
            continue;
        out_c(m->o, n++ ? " " : "");
        md_prose(m->o, m->tmp, f->evidence[i], MD_LINE);
    }
    if (n == 0 && str_eq(f->kind, S("pattern"))) {
        md_prose(m->o, m->tmp, f->issue, MD_LINE);
    } else if (n == 0 && f->achieved.n && f->peak.n) {
        out_lit(m->o, "The kernels achieve ");
        md_prose(m->o, m->tmp, f->achieved, MD_LINE);
        out_lit(m->o, " of ");
        md_prose(m->o, m->tmp, f->peak, MD_LINE);
        out_lit(m->o, ". Hardware counters are needed to say why.");
    } else if (n == 0) {
        out_lit(m->o, "The trace shows the time, not its cause.");
    }
    out_lit(m->o, "\n\n");
}

static void resolution(const struct md *m, const struct report_finding *f)
{
    bool paths = f->tier != REPORT_SYSTEM;
    out_lit(m->o, "**Resolution:** ");
    if (f->algorithmic.n > 1) {
        out_c(m->o, paths ? "Path A: " : "");
        md_prose(m->o, m->tmp, f->algorithmic, MD_LINE);
    }
    if (f->kernel.n > 1) {
        out_c(m->o, f->algorithmic.n > 1 ? " " : "");
        out_c(m->o, paths ? "Path B: " : "");
        md_prose(m->o, m->tmp, f->kernel, MD_LINE);
    }
    out_lit(m->o, "\n\n");
}

static void estimate_bullet(const struct md *m, const char *name, double pct, double ms)
{
    out_printf(m->o, "- %s: ", name);
    if (!isfinite(pct)) {
        out_lit(m->o, "not quantifiable from trace data\n");
        return;
    }
    struct report_range one = {pct, pct, ms, ms, S("")};
    md_impact(m, &one);
    out_char(m->o, '\n');
}

static void estimate(const struct md *m, const struct report_finding *f)
{
    out_lit(m->o, "**Impact estimate:**");
    if (f->impact.basis.n) {
        out_char(m->o, ' ');
        md_prose(m->o, m->tmp, f->impact.basis, MD_LINE);
    }
    out_lit(m->o, "\n\n");
    marker_begin(m, "impact-begin kind=detail_estimate");
    mark(m, "low", f->impact.low_pct);
    mark(m, "high", f->impact.high_pct);
    marker_end(m, "\n\n");
    estimate_bullet(m, "Low", f->impact.low_pct, f->impact.low_ms);
    estimate_bullet(m, "High", f->impact.high_pct, f->impact.high_ms);
    out_char(m->o, '\n');
    marker(m, "impact-end", "\n\n");
}

static void candidate_marker(const struct md *m, const struct tier *t, int rank)
{
    struct arena tmp = m->tmp;
    marker(m,
           str_c(&tmp, str_printf(&tmp, "reasoning-candidate tier=%s rank=%d", t->name,
                                  rank)),
           "\n\n");
}

static void insights(const struct md *m, const struct tier *t)
{
    struct md inner = *m;
    int *order = arena_new(&inner.tmp, int, m->r->n_findings);
    int n = md_tier_order(m->r, t->tier, order);
    out_printf(m->o, "### %s\n\n", t->insights);
    if (n == 0)
        out_lit(m->o, "No finding in this tier.\n\n");
    for (int i = 0; i < n; i++) {
        const struct report_finding *f = finding_at(m, order, i);
        out_printf(m->o, "<a id=\"detailed-analysis-%s-%s%d\"></a>\n\n", t->name,
                   t->number, i + 1);
        candidate_marker(&inner, t, i + 1);
        item_heading(&inner, "####", i + 1, order[i]);
        identification(&inner, order[i]);
        out_lit(m->o, "**Data:**\n\n");
        if (t->tier == REPORT_SYSTEM)
            system_data(&inner, f);
        else if (t->tier == REPORT_FUSION)
            fusion_data(&inner, order[i]);
        else
            compute_data(&inner, order[i]);
        out_char(m->o, '\n');
        reasoning(&inner, f);
        resolution(&inner, f);
        estimate(&inner, f);
    }
}

/* ---- the end --------------------------------------------------------------------- */

static void architecture(const struct md *m)
{
    const struct report_model *a = &m->r->model;
    const struct {
        const char *name;
        struct str text;
    } lines[] = {{"Model", a->model},
                 {"Architecture", a->architecture},
                 {"Scale", a->scale},
                 {"Precision", a->precision}};
    out_lit(m->o, "### Model Architecture\n\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        out_printf(m->o, "- **%s**: ", lines[i].name);
        md_prose(m->o, m->tmp,
                 lines[i].text.n ? lines[i].text : S("Cannot be inferred from trace"),
                 MD_LINE);
        out_char(m->o, '\n');
    }
    out_char(m->o, '\n');
}

void markdown_standalone(const struct md *m)
{
    md_title(m, "");
    summary(m);
    md_warnings(m);
    top_operations(m);
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++)
        tier_section(m, &tiers[i]);
    out_lit(m->o, "## Detailed Analysis\n\n");
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++)
        insights(m, &tiers[i]);
    out_lit(m->o, "## Appendix\n\n");
    architecture(m);
    md_hardware(m, true);
    md_replays(m);
}
