/* The process half of the working notes: what was asked, made, decided, and why. */
#include "render/markdown_rough.h"

#include "render/markdown_fair.h"
#include "render/markdown_findings.h"
#include "render/markdown_rough_parts.h"

#include <math.h>

static const char *yes_no(bool b)
{
    return b ? "yes" : "no";
}

/* ---- steps 1 and 2 --------------------------------------------------------------- */

static void peaks(const struct md *m)
{
    const struct report_device *d = &m->r->device;
    if (!d->known) {
        out_lit(m->o, "- Platform: none given; efficiencies are not computed\n");
        return;
    }
    out_lit(m->o, "- Platform: ");
    md_prose(m->o, m->tmp, d->name, MD_LINE);
    out_lit(m->o, ", ");
    md_real(m->o, d->memory_tb_per_s, 2);
    out_lit(m->o, " TB/s, ");
    md_real(m->o, d->memory_gb, 0);
    out_lit(m->o, " GB, from the platform file\n- Peak TFLOPS by precision: ");
    for (int i = 0; i < d->n_peaks; i++) {
        out_c(m->o, i ? ", " : "");
        md_prose(m->o, m->tmp, d->peaks[i].spec, MD_LINE);
        out_char(m->o, ' ');
        out_real(m->o, d->peaks[i].tflop_per_s);
        m->o->n -= str_ends(out_view(m->o), S(".0")) ? 2 : 0;
    }
    out_char(m->o, '\n');
}

/* Some labels are keys of the trace, "CUDA runtime version": those are quoted. */
static void measured_label(const struct md *m, struct str label)
{
    if (str_has(label, S("CUDA")) || str_has(label, S("HIP")))
        md_name(m->o, m->tmp, label, MD_LINE);
    else
        md_prose(m->o, m->tmp, label, MD_LINE);
}

static void step_1(const struct md *m)
{
    const struct report_meta *t = &m->r->meta;
    out_lit(m->o, "### Step 1: Identify Traces & Setup\n\n");
    if (m->r->n_measured == 0) {
        out_lit(m->o, "- Trace: ");
        md_name(m->o, m->tmp, t->trace_file, MD_LINE);
        out_printf(m->o, ", %lld events\n", (long long)t->n_events);
    }
    peaks(m);
    out_printf(m->o,
               "- Recorded: shapes %s, Python frames %s, GPU graph launches %s, step "
               "annotations %s, host operators %s, device work %s\n",
               yes_no(t->has_shapes), yes_no(t->has_frames), yes_no(t->has_graphs),
               yes_no(t->has_steps), yes_no(t->has_cpu_op), yes_no(t->has_gpu));
    for (int i = 0; i < m->r->n_measured; i++) {
        const struct report_fact *f = &m->r->measured[i];
        out_lit(m->o, "- ");
        measured_label(m, f->label);
        out_lit(m->o, ": ");
        md_prose(m->o, m->tmp, f->value, MD_LINE);
        out_printf(m->o, " (%.*s)\n", STRF(f->origin));
    }
    out_char(m->o, '\n');
}

static void step_2(const struct md *m)
{
    out_lit(m->o, "### Step 2: Generate Reports\n\nCommand: ");
    struct arena tmp = m->tmp;
    struct str trace = m->r->meta.trace_file, device = m->r->meta.platform;
    md_name(m->o, tmp,
            str_printf(&tmp, "tracefolio analyze %.*s -p %.*s",
                       STRF(trace.n ? trace : S("-")),
                       STRF(device.n ? device : S("none"))),
            MD_LINE);
    out_lit(m->o, "\n\nThe tables lie in "
                  "`perf_report_csvs/` and, as one workbook, in `perf_report.xlsx`.\n\n"
                  "| Sheet | Rows |\n|-------|------|\n");
    for (ptrdiff_t i = 0; i < m->r->n_tables; i++) {
        out_lit(m->o, "| ");
        md_name(m->o, m->tmp, m->r->tables[i].name, MD_CELL);
        out_printf(m->o, " | %lld |\n", (long long)m->r->tables[i].n_rows);
    }
    out_char(m->o, '\n');
}

/* ---- steps 3 to 5 ---------------------------------------------------------------- */

static void use_row(const struct md *m, const char *name, double ms, double pct,
                    const char *verdict)
{
    out_printf(m->o, "| %s | ", name);
    md_ms(m->o, ms);
    out_lit(m->o, " | ");
    md_pct(m->o, pct);
    out_printf(m->o, "%% | %s |\n", verdict);
}

static void utilisation(const struct md *m)
{
    const struct report_timeline *t = &m->r->timeline;
    out_lit(m->o, "GPU utilisation:\n\n| Part | Time (ms) | Share | Verdict |\n"
                  "|------|-----------|-------|---------|\n");
    use_row(m, "Computation", t->computation_ms, t->computation_pct,
            t->computation_pct > 95 ? "good (above 95%)" : "below 95%");
    use_row(m, "Exposed communication", t->exposed_comm_ms, t->exposed_comm_pct,
            t->exposed_comm_pct > 5 ? "look at overlap" : "good");
    use_row(m, "Exposed memory copies", t->exposed_memcpy_ms, t->exposed_memcpy_pct,
            t->exposed_memcpy_pct > 2 ? "look at copies" : "good");
    use_row(m, "Idle", t->idle_ms, t->idle_pct,
            t->idle_pct > 20 ? "look at the host" : "good");
    use_row(m, "Total", t->total_ms, t->total_ms > 0 ? 100 : 0, MD_DASH);
    out_char(m->o, '\n');
}

static void categories(const struct md *m)
{
    out_lit(m->o,
            "Categories:\n\n| Category | Rows | Invocations | Time (ms) | % of "
            "Compute |\n|----------|------|-------------|-----------|--------|\n");
    for (int i = 0; i < m->d->n_sections; i++) {
        const struct report_section *s = &m->d->sections[i];
        out_printf(m->o, "| %.*s | %d | %lld | ", STRF(s->label), s->n_rows,
                   (long long)s->operation_count);
        md_ms(m->o, s->time_ms);
        out_lit(m->o, " | ");
        md_pct(m->o, s->communication ? (double)NAN : s->compute_pct);
        out_c(m->o, s->communication ? " |\n" : "% |\n");
    }
    out_char(m->o, '\n');
}

/* ---- step 6 ---------------------------------------------------------------------- */

static const char *status_word(enum report_status s)
{
    return s == REPORT_ERROR ? "ERROR" : s == REPORT_NO_DATA ? "NO_DATA" : "OK";
}

/* Time criterion in ms of a category (analysis.md 3.1). */
static int criterion_ms(struct str id)
{
    if (str_eq(id, S("gemm")) || str_eq(id, S("convolution")))
        return 50;
    if (str_starts(id, S("sdpa")) || str_eq(id, S("moe_fused")) ||
        str_eq(id, S("other")))
        return 100;
    return 10;
}

static void section_paragraph(const struct md *m, const struct report_section *s)
{
    int findings = 0, hits = 0;
    for (int i = 0; i < m->r->n_findings; i++)
        findings += md_finding_of(&m->r->findings[i], REPORT_COMPUTE, s->id);
    for (int i = 0; i < s->n_rows; i++)
        hits += s->rows[i].n_patterns;
    out_printf(
        m->o, "**%.*s**: status %s, %d %s, %d %s, %d pattern %s.", STRF(s->label),
        status_word(s->status), s->n_rows, s->n_rows == 1 ? "row" : "rows", findings,
        findings == 1 ? "finding" : "findings", hits, hits == 1 ? "hit" : "hits");
    if (s->status == REPORT_ERROR) {
        out_char(m->o, ' ');
        md_prose(m->o, m->tmp, s->error, MD_LINE);
    } else if (!s->communication) {
        out_printf(m->o, " A group counts from %d ms or 5%% of the category, below ",
                   criterion_ms(s->id));
        out_c(m->o, str_starts(s->id, S("sdpa"))
                        ? "the range expected for its sequence length."
                        : "40% of peak.");
    }
    out_lit(m->o, "\n\n");
}

static void system_paragraphs(const struct md *m)
{
    const struct report_detail *d = m->d;
    out_printf(
        m->o,
        "**CPU/Idle Analysis**: status %s, severity %.*s, %lld kernels, %lld gaps, "
        "%d %s.\n\n",
        status_word(d->idle.status), STRF(d->idle.severity),
        (long long)d->idle.kernel_count, (long long)d->idle.gap_count,
        d->idle.n_patterns, d->idle.n_patterns == 1 ? "pattern" : "patterns");
    if (d->multi_kernel.applies)
        out_printf(m->o,
                   "**Multi-Kernel Issues**: status %s; memory copies %.*s, blocking "
                   "%.*s, overlap %.*s.\n\n",
                   status_word(d->multi_kernel.status),
                   STRF(d->multi_kernel.memcpy_severity),
                   STRF(d->multi_kernel.blocking_severity),
                   STRF(d->multi_kernel.overlap_severity));
    out_printf(m->o,
               "**Kernel Fusion Opportunities**: status %s, %d %s looked at, %d "
               "accepted.\n\n",
               status_word(d->fusion_status), d->n_fusion,
               d->n_fusion == 1 ? "candidate" : "candidates", d->n_fusion_accepted);
}

/* ---- step 7 ---------------------------------------------------------------------- */

static void bullet(const struct md *m, const char *label, struct str text)
{
    if (text.n == 0 || str_eq(text, S("-")))
        return;
    out_printf(m->o, "- %s: ", label);
    md_prose(m->o, m->tmp, text, MD_LINE);
    out_char(m->o, '\n');
}

/* t e / X: the arithmetic of one target, so that a reader can check it by hand. */
static void arithmetic(const struct md *m, const struct report_finding *f)
{
    for (int i = 0; i < f->n_projection; i++) {
        const struct report_projection *p = &f->projection[i];
        out_lit(m->o, "- At ");
        md_real(m->o, p->target_pct, 0);
        out_lit(m->o, "% of peak: ");
        md_ms(m->o, f->time_ms);
        out_lit(m->o, " ms x ");
        md_pct(m->o, f->efficiency_pct);
        out_lit(m->o, " / ");
        md_real(m->o, p->target_pct, 0);
        out_lit(m->o, " = ");
        md_ms(m->o, p->time_ms);
        out_lit(m->o, " ms, ");
        md_pct(m->o, p->e2e_pct);
        out_lit(m->o, "% of wall time\n");
    }
}

static void finding_notes(const struct md *m, int i)
{
    const struct report_finding *f = &m->r->findings[i];
    out_printf(m->o, "**%.*s** (%.*s", STRF(md_priority_word(f->priority)),
               STRF(f->category_label));
    out_printf(m->o, "%s): ", f->informational ? ", note" : "");
    md_prose(m->o, m->tmp, f->title, MD_LINE);
    out_printf(m->o, "\n\n- Id: `%.*s`\n", STRF(f->id));
    bullet(m, "Fired", f->pattern);
    bullet(m, "Priority basis", f->priority_basis);
    bullet(m, "Issue", f->issue);
    bullet(m, f->tier == REPORT_SYSTEM ? "Action" : "Path A", f->algorithmic);
    bullet(m, f->tier == REPORT_SYSTEM ? "Secondary" : "Path B", f->kernel);
    out_lit(m->o, "- Impact: ");
    md_impact(m, &f->impact);
    if (f->impact.basis.n) {
        out_lit(m->o, "; ");
        md_prose(m->o, m->tmp, f->impact.basis, MD_LINE);
    }
    out_char(m->o, '\n');
    arithmetic(m, f);
    out_char(m->o, '\n');
}

void rough_process(const struct md *m)
{
    out_lit(m->o, "## Analysis Process Summary\n\n");
    step_1(m);
    step_2(m);
    out_lit(m->o, "### Step 3-5: Prepare Category Data\n\n");
    utilisation(m);
    categories(m);
    fair_top_operations(m, m->r->n_top);
    out_lit(m->o, "### Step 6: Category Analyses\n\n");
    for (int i = 0; i < m->d->n_sections; i++)
        section_paragraph(m, &m->d->sections[i]);
    system_paragraphs(m);
    out_lit(m->o, "### Step 7: Optimization Paths Determination\n\n");
    if (m->r->n_findings == 0)
        out_lit(m->o, "No finding.\n\n");
    for (int i = 0; i < m->r->n_findings; i++)
        finding_notes(m, i);
}

void markdown_rough(const struct md *m)
{
    md_title(m, " (Rough)");
    rough_process(m);
    rough_raw_data(m);
    rough_trees(m);
    rough_gaps(m);
    rough_questions(m);
    if (m->style.stamp.n)
        out_printf(m->o, "\nWritten %.*s.\n", STRF(m->style.stamp));
}
