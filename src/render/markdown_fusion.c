/* Fusion candidates as markdown (experimental tier). */
#include "render/markdown_findings.h"

#include <math.h>

static struct str confidence_icon(struct str confidence)
{
    return md_priority_icon(str_eq(confidence, S("high"))     ? REPORT_CRITICAL
                            : str_eq(confidence, S("medium")) ? REPORT_HIGH
                                                              : REPORT_MEDIUM);
}

static void insight(const struct md *m, const struct report_fusion *c)
{
    md_name(m->o, m->tmp, c->place, MD_LINE);
    out_printf(m->o, " launches %d kernels per call over %lld %s; together ",
               c->n_kernels, (long long)c->instances,
               c->instances == 1 ? "call" : "calls");
    md_ms(m->o, c->total_ms);
    out_lit(m->o, " ms.");
    if (c->n_products && c->fused_us > 0) {
        out_lit(m->o, " With what is around its products fused, a call would take "
                      "about ");
        md_real(m->o, c->fused_us, 1);
        out_lit(m->o, " us.");
    } else if (c->fused_us > 0 && c->moved_mb > 0) {
        out_lit(m->o, " One fused kernel would move about ");
        md_real(m->o, c->moved_mb, c->moved_mb >= 10 ? 0 : 2);
        out_lit(m->o, " MB and take about ");
        md_real(m->o, c->fused_us, 1);
        out_lit(m->o, " us.");
    }
}

static void recommendation(const struct md *m, const struct report_fusion *c,
                           int number)
{
    struct str icon = confidence_icon(c->confidence);
    md_heading(m, 1);
    out_printf(m->o, "%.*s P%d: ", STRF(icon), number);
    md_prose(m->o, m->tmp, c->pattern, MD_LINE);
    out_lit(m->o, " (");
    md_ms(m->o, c->total_ms);
    out_printf(m->o, " ms, %lld %s)\n\n", (long long)c->instances,
               c->instances == 1 ? "instance" : "instances");
    md_label(m, "Insight");
    insight(m, c);
    md_line_end(m, false);
    md_label(m, "Action");
    md_prose(m->o, m->tmp,
             c->action.n ? c->action
                         : S("Replace the chain by one kernel: compiler-level fusion, "
                             "or a custom fused kernel."),
             MD_LINE);
    md_line_end(m, false);
    md_label(m, "Impact");
    md_impact(m, &c->impact);
    md_line_end(m, false);
    md_label(m, "Confidence");
    out_str(m->o, c->confidence);
    md_line_end(m, true);
    out_char(m->o, '\n');
}

static void detail(const struct md *m, const struct report_fusion *c, int number)
{
    md_heading(m, 2);
    out_printf(m->o, "%d. ", number);
    md_name(m->o, m->tmp, c->place, MD_LINE);
    out_lit(m->o, "\n\n**Identification:** ");
    md_prose(m->o, m->tmp, c->pattern, MD_LINE);
    if (c->chain.n) {
        out_lit(m->o, ", below ");
        md_name(m->o, m->tmp, c->chain, MD_LINE);
    }
    out_lit(m->o, ".\n\n**Data:**\n\n| Kernel | Type | Duration (us) | Perf model |\n"
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
    out_lit(m->o, "\n**Impact estimate:** net saving ");
    md_ms(m->o, c->saving_ms);
    out_lit(m->o, " ms of ");
    md_ms(m->o, c->gross_ms);
    out_lit(m->o, " ms over all calls.\n\n");
}

static void summary_table(const struct md *m)
{
    md_heading(m, 0);
    out_lit(m->o, "Impact Summary\n\n"
                  "| Candidate | Instances | Time (ms) | Saving (ms) | Confidence |\n"
                  "|-----------|-----------|-----------|-------------|------------|\n");
    for (int i = 0; i < m->d->n_fusion_accepted; i++) {
        const struct report_fusion *c = &m->d->fusion[i];
        out_lit(m->o, "| ");
        md_name(m->o, m->tmp, c->place, MD_CELL);
        out_printf(m->o, " | %lld | ", (long long)c->instances);
        md_ms(m->o, c->total_ms);
        out_lit(m->o, " | ");
        md_ms(m->o, c->saving_ms);
        out_printf(m->o, " | %.*s |\n", STRF(c->confidence));
    }
    out_char(m->o, '\n');
}

void findings_fusion(const struct md *m)
{
    const struct report_detail *d = m->d;
    if (d->fusion_status == REPORT_ERROR) {
        findings_error(m, d->fusion_error);
        return;
    }
    if (d->n_fusion_accepted == 0) {
        out_lit(m->o, "No kernel fusion opportunities detected.\n");
        return;
    }
    int types = 0;
    for (int i = 0; i < d->n_fusion_accepted; i++) {
        bool first = true;
        for (int k = 0; k < i && first; k++)
            first = !str_eq(d->fusion[k].module, d->fusion[i].module);
        types += first;
    }
    md_heading(m, 0);
    out_printf(
        m->o,
        "Overview\n\n%d fusion %s in %d module %s. Savings assume that 85%% of a "
        "fused kernel's memory and arithmetic time overlap.\n\n",
        d->n_fusion_accepted,
        d->n_fusion_accepted == 1 ? "opportunity" : "opportunities", types,
        types == 1 ? "type" : "types");
    md_heading(m, 0);
    out_lit(m->o, "Recommendations\n\n");
    for (int i = 0; i < d->n_fusion_accepted; i++)
        recommendation(m, &d->fusion[i], i + 1);
    md_heading(m, 0);
    out_lit(m->o, "Detailed Analysis\n\n");
    for (int i = 0; i < d->n_fusion_accepted; i++)
        detail(m, &d->fusion[i], i + 1);
    summary_table(m);
}
