#include "render/markdown_findings.h"

#include <math.h>
#include <string.h>

enum { TABLE_ROWS = 15, SHAPES = 4, KERNELS = 6, MOST_COMPARED = 500 };

/* ---- words of a category --------------------------------------------------------- */

struct wording {
    const char *id, *title, *subject;
    const char *missing; /* of the file of a category that has no rows */
};

static const struct wording wordings[] = {
    {"gemm", "GEMM Analysis Summary", "GEMMs account",
     "No GEMM operations found in trace"},
    {"sdpa_fwd", "SDPA Analysis Summary", "Attention operations account",
     "No SDPA operations found in trace"},
    {"sdpa_bwd", "SDPA (Backward) Analysis Summary",
     "Backward attention operations account",
     "No SDPA (backward) operations found in trace"},
    {"elementwise", "Elementwise Analysis Summary", "Elementwise operations account",
     "No elementwise operations found in trace"},
    {"reduce", "Reduce Analysis Summary", "Reductions account",
     "No reduce operations found in trace"},
    {"triton", "Triton Analysis Summary", "Compiler-generated kernels account",
     "No Triton operations found in trace"},
    {"moe_fused", "MoE Analysis Summary", "MoE operations account",
     "No MoE operations found in trace - model does not use Mixture of Experts"},
    {"batchnorm", "BatchNorm Analysis Summary", "Batch normalizations account",
     "No BatchNorm operations found in trace"},
    {"norm", "Normalization Analysis Summary", "Normalizations account",
     "No normalization operations found in trace"},
    {"convolution", "Convolution Analysis Summary", "Convolutions account",
     "No convolution operations found in trace"},
    {"other", "Other Operations Analysis Summary", "Other operations account",
     "No other operations found in trace"},
    {"communication", "Communication Analysis Summary",
     "Collective communication operations account",
     "No communication operations found in trace"},
};

static const struct wording *wording_of(struct str id)
{
    for (size_t i = 0; i < sizeof wordings / sizeof *wordings; i++)
        if (str_eq(str_of(wordings[i].id), id))
            return &wordings[i];
    return &wordings[10]; /* other */
}

struct str findings_title(struct str category_id)
{
    return str_of(wording_of(category_id)->title);
}

void findings_error(const struct md *m, struct str error)
{
    out_lit(m->o, "Status: ERROR\n\n");
    md_heading(m, 0);
    out_lit(m->o, "Error\n\n");
    md_prose(m->o, m->tmp, error.n ? error : S("The analyser gave no message."),
             MD_LINE);
    out_char(m->o, '\n');
}

/* ---- overview and table ---------------------------------------------------------- */

static void overview(const struct md *m, const struct report_section *s)
{
    md_heading(m, 0);
    out_printf(m->o, "Overview\n\n%s for ", wording_of(s->id)->subject);
    md_pct(m->o, s->communication ? s->total_pct : s->compute_pct);
    out_c(m->o, s->communication ? "% of wall time" : "% of compute time");
    out_lit(m->o, " (");
    md_ms(m->o, s->time_ms);
    out_printf(m->o,
               " ms in %lld %s). Average efficiency: ", (long long)s->operation_count,
               s->operation_count == 1 ? "call" : "calls");
    if (isfinite(s->efficiency_pct)) {
        md_pct(m->o, s->efficiency_pct);
        out_lit(m->o, "%.\n\n");
    } else {
        out_lit(m->o, "not modelled.\n\n");
    }
}

static void operation_row(const struct md *m, const struct report_work *w)
{
    out_lit(m->o, "| ");
    md_name(m->o, m->tmp, w->name, MD_CELL);
    if (w->args.n) {
        out_char(m->o, ' ');
        md_name(m->o, m->tmp, w->args, MD_CELL);
    }
    out_printf(m->o, " | %lld | ", (long long)w->count);
    md_ms(m->o, w->time_ms);
    out_lit(m->o, " | ");
    md_pct(m->o, w->category_pct);
    out_lit(m->o, "% | ");
    md_row_efficiency(m, w);
    out_lit(m->o, " | ");
    md_real(m->o, w->flop_per_byte, 1);
    out_lit(m->o, " | ");
    md_prose(m->o, m->tmp, w->type.n ? w->type : S(MD_DASH), MD_CELL);
    out_lit(m->o, " |\n");
}

static void operations(const struct md *m, const struct report_section *s)
{
    md_heading(m, 0);
    out_lit(m->o,
            "Operations Breakdown\n\n"
            "| Operation | Count | Time (ms) | % of Category | Efficiency | FLOPS/Byte "
            "| Type |\n"
            "|-----------|-------|-----------|---------------|------------|------------"
            "|------|\n");
    double rest_ms = 0;
    for (int i = 0; i < s->n_rows; i++) {
        if (i < TABLE_ROWS)
            operation_row(m, &s->rows[i]);
        else
            rest_ms += s->rows[i].time_ms;
    }
    if (s->n_rows > TABLE_ROWS) {
        int rest = s->n_rows - TABLE_ROWS;
        out_printf(m->o, "| \xe2\x80\xa6 %d more %s | | ", rest,
                   rest == 1 ? "row" : "rows");
        md_ms(m->o, rest_ms);
        out_lit(m->o, " | | | | |\n");
    }
    out_char(m->o, '\n');
}

/* ---- bottlenecks ----------------------------------------------------------------- */

/* Rows of the same shapes differ in strides or scalars, which are not shown: they are
 * one entry. */
static bool is_repeated(const struct report_finding_rows *rows, int at)
{
    for (int i = 0; i < at; i++)
        if (str_eq(rows->rows[i]->args, rows->rows[at]->args))
            return true;
    return rows->rows[at]->args.n == 0;
}

static int64_t calls_of_shape(const struct report_finding_rows *rows, int at)
{
    int64_t n = 0;
    for (int i = at; i < rows->n_rows; i++)
        if (str_eq(rows->rows[i]->args, rows->rows[at]->args))
            n += rows->rows[i]->count;
    return n;
}

static void shapes(const struct md *m, const struct report_finding_rows *rows)
{
    int n = 0;
    for (int i = 0; i < rows->n_rows && i < MOST_COMPARED; i++) {
        if (is_repeated(rows, i))
            continue;
        if (n++ >= SHAPES)
            continue;
        out_c(m->o, n > 1 ? "; " : "- **Shapes:** ");
        md_name(m->o, m->tmp, rows->rows[i]->args, MD_LINE);
        out_printf(m->o, " x%lld", (long long)calls_of_shape(rows, i));
    }
    if (n > SHAPES)
        out_printf(m->o, " and %d more", n - SHAPES);
    if (n)
        out_char(m->o, '\n');
}

static void kernels(const struct md *m, const struct report_finding_rows *rows)
{
    if (rows->n_rows == 0 || rows->rows[0]->n_kernels == 0)
        return;
    const struct report_work *w = rows->rows[0];
    out_c(m->o, w->n_kernels > 1 ? "- **Kernel breakdown:** " : "- **Kernels:** ");
    for (int i = 0; i < w->n_kernels && i < KERNELS; i++) {
        out_c(m->o, i ? "; " : "");
        md_kernel(m->o, m->tmp, w->kernels[i].name, MD_LINE);
        out_char(m->o, ' ');
        md_real(m->o, w->kernels[i].mean_us, 2);
        out_c(m->o, i == 0 ? " us per call" : " us");
    }
    if (w->n_kernels > KERNELS)
        out_printf(m->o, " and %d more", w->n_kernels - KERNELS);
    double tile_m = md_fact(w->facts, w->n_facts, "tile_m");
    double tile_n = md_fact(w->facts, w->n_facts, "tile_n");
    double tiles = md_fact(w->facts, w->n_facts, "tiles");
    if (isfinite(tile_m) && isfinite(tile_n)) {
        out_printf(m->o, " (tile %.0fx%.0f", tile_m, tile_n);
        if (isfinite(tiles))
            out_printf(m->o, ", %.0f %s, read from the kernel name", tiles,
                       tiles == 1 ? "tile" : "tiles");
        out_char(m->o, ')');
    }
    out_char(m->o, '\n');
}

static void called_from(const struct md *m, const struct report_finding_rows *rows)
{
    if (rows->n_rows == 0)
        return;
    const struct report_work *w = rows->rows[0];
    if (w->n_modules == 0 && w->launcher.n == 0)
        return;
    out_lit(m->o, "- **Called from:** ");
    md_modules(m, w->modules, w->n_modules);
    if (w->launcher.n) {
        out_c(m->o, w->n_modules ? ", at " : "");
        md_name(m->o, m->tmp, w->launcher, MD_LINE);
    }
    out_char(m->o, '\n');
}

static void prose_bullet(const struct md *m, const char *label, struct str text)
{
    if (text.n == 0 || str_eq(text, S("-")))
        return;
    out_printf(m->o, "- **%s:** ", label);
    md_prose(m->o, m->tmp, text, MD_LINE);
    out_char(m->o, '\n');
}

static void impact_bullets(const struct md *m, const struct report_finding *f)
{
    bool two = isfinite(f->impact_kernel.low_pct) &&
               (f->impact_kernel.low_pct < f->impact.low_pct ||
                f->impact_kernel.high_pct < f->impact.high_pct);
    out_c(m->o, two ? "- **Impact (Path A):** " : "- **Impact:** ");
    md_impact(m, &f->impact);
    if (f->impact.basis.n) {
        out_lit(m->o, ", ");
        md_prose(m->o, m->tmp, f->impact.basis, MD_LINE);
    }
    out_char(m->o, '\n');
    if (!two)
        return;
    out_lit(m->o, "- **Impact (Path B):** ");
    md_impact(m, &f->impact_kernel);
    if (f->impact_kernel.basis.n) {
        out_lit(m->o, ", ");
        md_prose(m->o, m->tmp, f->impact_kernel.basis, MD_LINE);
    }
    out_char(m->o, '\n');
}

static void bottleneck(const struct md *m, int finding, int number)
{
    const struct report_finding *f = &m->r->findings[finding];
    const struct report_finding_rows *rows = &m->d->finding_rows[finding];
    md_heading(m, 1);
    out_printf(m->o, "%d. ", number);
    md_name_short(m->o, m->tmp, f->name, MD_LINE);
    out_lit(m->o, "\n\n- **Time:** ");
    md_ms(m->o, f->time_ms);
    out_lit(m->o, " ms (");
    md_pct(m->o, f->compute_pct);
    out_lit(m->o, "% of compute)\n- **Efficiency:** ");
    md_finding_efficiency(m, f);
    out_printf(m->o, "\n- **Count:** %lld\n", (long long)f->count);
    shapes(m, rows);
    kernels(m, rows);
    called_from(m, rows);
    prose_bullet(m, "Issue", f->issue);
    for (int i = 0; i < f->n_evidence; i++)
        if (md_is_new_evidence(f, f->evidence[i]))
            prose_bullet(m, "Evidence", f->evidence[i]);
    prose_bullet(m, "Algorithmic", f->algorithmic);
    prose_bullet(m, "Kernel", f->kernel);
    impact_bullets(m, f);
    out_printf(m->o, "- **Priority:** %.*s\n", STRF(md_priority_word(f->priority)));
    prose_bullet(m, "Priority basis", f->priority_basis);
    out_char(m->o, '\n');
    if (m->projections)
        findings_projection(m, f);
}

/* What saves less than a thousandth in the best case needs no table of cases. */
static const double LEAST_PROJECTED_PCT = 0.1;

void findings_projection(const struct md *m, const struct report_finding *f)
{
    if (f->n_projection == 0 || f->impact.high_pct < LEAST_PROJECTED_PCT)
        return;
    out_lit(m->o, "**Impact Projection** (if op improves to X% of peak):\n\n"
                  "| Target Efficiency | Time | E2E Improvement | Op Improvement |\n"
                  "|-------------------|------|-----------------|----------------|\n");
    for (int i = 0; i < f->n_projection; i++) {
        const struct report_projection *p = &f->projection[i];
        out_lit(m->o, "| ");
        md_real(m->o, p->target_pct, 0);
        out_lit(m->o, "% of peak | ");
        md_ms(m->o, p->time_ms);
        out_lit(m->o, " ms | ~");
        md_pct(m->o, p->e2e_pct);
        out_lit(m->o, "% | ~");
        md_pct(m->o, p->op_pct);
        out_lit(m->o, "% faster for this op |\n");
    }
    out_char(m->o, '\n');
}

static void bottlenecks(const struct md *m, const struct report_section *s)
{
    md_heading(m, 0);
    out_lit(m->o, "Key Bottlenecks\n\n");
    int n = 0;
    for (int i = 0; i < m->r->n_findings; i++)
        if (md_finding_of(&m->r->findings[i], REPORT_COMPUTE, s->id))
            bottleneck(m, i, ++n);
    if (n == 0)
        out_lit(m->o, "No bottlenecks meet the criteria.\n\n");
}

/* ---- notes ----------------------------------------------------------------------- */

static void counter(const struct md *m, const struct report_section *s, const char *key,
                    const char *label, const char *unit)
{
    double v = md_fact(s->facts, s->n_facts, key);
    if (!isfinite(v))
        return;
    out_printf(m->o, "- %s: ", label);
    if (*unit)
        md_pct(m->o, v);
    else
        md_real(m->o, v, 0);
    out_printf(m->o, "%s\n", unit);
}

static void variance_notes(const struct md *m, const struct report_section *s)
{
    for (int i = 0; i < s->n_rows; i++) {
        const struct report_work *w = &s->rows[i];
        if (!w->high_variance)
            continue;
        out_lit(m->o, "- Timings vary strongly: ");
        md_name(m->o, m->tmp, w->name, MD_LINE);
        out_lit(m->o, ", standard deviation ");
        md_real(m->o, w->cov, 2);
        out_lit(m->o, " times the mean\n");
    }
}

static void notes(const struct md *m, const struct report_section *s)
{
    md_heading(m, 0);
    out_printf(m->o, "Additional Notes\n\n- Missing perf models: %d\n",
               s->missing_models);
    if (str_eq(s->id, S("gemm"))) {
        double v = md_fact(s->facts, s->n_facts, "quantized_count");
        out_lit(m->o, "- Quantized GEMMs detected: ");
        md_real(m->o, isfinite(v) ? v : 0, 0);
        out_char(m->o, '\n');
    }
    out_printf(m->o, "- Anomalous efficiencies (above 110%% of peak): %d\n",
               s->anomalies);
    counter(m, s, "softmax_count", "Softmax calls", "");
    counter(m, s, "transpose_overhead_pct", "Layout conversion within convolutions",
            "% of their kernel time");
    counter(m, s, "baseline_pct", "Elementwise baseline", "% of peak bandwidth");
    variance_notes(m, s);
    for (int i = 0; i < s->n_notes; i++) {
        out_lit(m->o, "- ");
        md_prose(m->o, m->tmp, s->notes[i], MD_LINE);
        out_char(m->o, '\n');
    }
    out_char(m->o, '\n');
}

void findings_category(const struct md *m, const struct report_section *s)
{
    if (s->status == REPORT_ERROR) {
        findings_error(m, s->error);
        return;
    }
    if (s->n_rows == 0) {
        out_printf(m->o, "Status: NO_DATA\n\n%s\n", wording_of(s->id)->missing);
        return;
    }
    out_lit(m->o, "Status: SUCCESS\n\n");
    overview(m, s);
    operations(m, s);
    if (s->communication) {
        md_heading(m, 0);
        out_lit(m->o, "Key Bottlenecks\n\nCommunication is judged as part of the whole "
                      "timeline: see the multi-kernel findings.\n\n");
    } else {
        bottlenecks(m, s);
    }
    notes(m, s);
}
