#include "render/markdown_fair.h"

#include "render/markdown_cards.h"
#include "render/markdown_findings.h"

#include <math.h>
#include <string.h>

enum { TOP_ROWS = 5 };

/* ---- the answer ------------------------------------------------------------------ */

/* The recommendation with the largest mean impact; the first where its own is not
 * known; -1: there is none. */
static int largest_opportunity(const struct md *m)
{
    struct arena tmp = m->tmp;
    int *order = arena_new(&tmp, int, m->r->n_findings);
    int n = md_fair_order(m->r, order), best = n ? order[0] : -1;
    double most = 0;
    if (n && !isfinite(m->r->findings[order[0]].impact.low_pct))
        return best;
    for (int i = 0; i < n; i++) {
        const struct report_range *range = &m->r->findings[order[i]].impact;
        double mid = (range->low_pct + range->high_pct) / 2;
        if (isfinite(mid) && mid > most) {
            most = mid;
            best = order[i];
        }
    }
    return best;
}

/* What else takes a tenth of the time or more: the reader asks at once. */
static void where_else(const struct md *m)
{
    const struct report_timeline *t = &m->r->timeline;
    const struct {
        const char *before;
        double pct;
    } parts[] = {{"exposed communication takes ", t->exposed_comm_pct},
                 {"exposed memory copies take ", t->exposed_memcpy_pct},
                 {"the GPU waits for ", t->idle_pct}};
    int n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!(parts[i].pct >= 10))
            continue;
        out_c(m->o, n++ ? ", " : "; ");
        out_c(m->o, parts[i].before);
        md_pct(m->o, parts[i].pct);
        out_char(m->o, '%');
    }
    out_lit(m->o, ".");
}

/* "Slow normalisation" of what? Titles of some findings tell. */
static bool needs_name(const struct report_finding *f)
{
    struct str name = f->name;
    for (ptrdiff_t at = str_find(name, S("::")); at >= 0; at = str_find(name, S("::")))
        name = str_skip(name, at + 2);
    return f->tier == REPORT_COMPUTE && !str_has(f->title, name) &&
           !str_eq(f->kind, S("unmodelled"));
}

static void opportunity(const struct md *m)
{
    int best = largest_opportunity(m);
    if (best < 0) {
        out_lit(m->o, " No bottleneck meets the criteria.");
        return;
    }
    const struct report_range *range = &m->r->findings[best].impact;
    if (!(range->high_ms > 0)) {
        out_lit(m->o, " The first recommendation is *");
        md_finding_title(m, best);
        out_lit(m->o, "*.");
        return;
    }
    out_lit(m->o, " The largest opportunity is *");
    md_finding_title(m, best);
    out_lit(m->o, "* (");
    if (needs_name(&m->r->findings[best])) {
        md_name_short(m->o, m->tmp, m->r->findings[best].name, MD_LINE);
        out_lit(m->o, ", ");
    }
    md_share_range(m, range->low_pct, range->high_pct);
    out_lit(m->o, " E2E).");
}

static const struct report_section *top_section(const struct md *m)
{
    for (int i = 0; i < m->d->n_sections; i++)
        if (m->d->sections[i].n_rows > 0 && !m->d->sections[i].communication)
            return &m->d->sections[i];
    return NULL;
}

void fair_paragraph(const struct md *m)
{
    const struct report_timeline *t = &m->r->timeline;
    const struct report_section *top = top_section(m);
    if (!(t->total_ms > 0)) {
        out_lit(m->o,
                "The trace records no GPU work, so there is nothing to analyse.\n");
        return;
    }
    md_prose(m->o, m->tmp, m->r->meta.model.n ? m->r->meta.model : S("Workload"),
             MD_LINE);
    out_lit(m->o, " on ");
    md_prose(m->o, m->tmp, md_platform(m->r), MD_LINE);
    out_lit(m->o, ": ");
    md_ms(m->o, t->computation_ms);
    out_lit(m->o, " ms of GPU computation in ");
    md_ms(m->o, t->total_ms);
    out_lit(m->o, " ms (");
    md_pct(m->o, t->computation_pct);
    out_lit(m->o, "%)");
    where_else(m);
    out_char(m->o, '\n');
    if (top) {
        out_printf(m->o, "The largest category is %.*s with ", STRF(top->label));
        md_pct(m->o, top->compute_pct);
        out_lit(m->o, "% of the computation.");
    } else {
        out_lit(m->o, "The trace has no operators, so kernels cannot be attributed.");
    }
    opportunity(m);
    out_char(m->o, '\n');
}

static void metrics(const struct md *m)
{
    const struct report_timeline *t = &m->r->timeline;
    const struct report_section *top = top_section(m);
    out_lit(m->o, "\n| Metric | Value |\n|--------|-------|\n| Total Compute Time | ");
    md_ms(m->o, t->computation_ms);
    out_lit(m->o, " ms (of ");
    md_ms(m->o, t->total_ms);
    out_lit(m->o, " ms total) |\n| GPU Utilization | ");
    md_pct(m->o, t->computation_pct);
    out_printf(m->o, "%%%s |\n| Idle Time | ",
               t->computation_pct < 95 ? " (below 95%)" : "");
    md_pct(m->o, t->idle_pct);
    out_lit(m->o, "% |\n| Exposed Communication | ");
    md_pct(m->o, t->exposed_comm_pct);
    out_lit(m->o, "% |\n| Top Bottleneck Category | ");
    if (top) {
        out_printf(m->o, "%.*s (", STRF(top->label));
        md_pct(m->o, top->compute_pct);
        out_lit(m->o, "%)");
    } else {
        out_lit(m->o, MD_DASH);
    }
    out_printf(m->o, " |\n| Flash Attention Usage | %.*s |\n\n",
               STRF(m->d->attention_use));
}

/* The ranking as the other style of the fair report has it. */
static void top_bottlenecks(const struct md *m, int most)
{
    out_lit(m->o, "### Top Bottlenecks\n\n"
                  "| Rank | Operation | Time | % Compute |\n"
                  "|------|-----------|------|-----------|\n");
    for (int i = 0; i < m->r->n_top && i < most; i++) {
        const struct report_top_op *op = &m->r->top[i];
        out_printf(m->o, "| %d | ", op->rank);
        md_name(m->o, m->tmp, op->name, MD_CELL);
        out_lit(m->o, " | ");
        md_ms(m->o, op->time_ms);
        out_lit(m->o, " ms | ");
        md_pct(m->o, op->compute_pct);
        out_lit(m->o, "% |\n");
    }
    out_char(m->o, '\n');
}

void fair_top_operations(const struct md *m, int most)
{
    out_lit(m->o, "**These operations consume the most GPU time - prioritize "
                  "optimizations here**\n\n"
                  "| Rank | Operation | Category | Time (ms) | % of Total Compute |\n"
                  "|------|-----------|----------|-----------|-------------------|\n");
    for (int i = 0; i < m->r->n_top && i < most; i++) {
        const struct report_top_op *op = &m->r->top[i];
        out_printf(m->o, "| %d | ", op->rank);
        md_name(m->o, m->tmp, op->name, MD_CELL);
        out_printf(m->o, " | %.*s%s | ", STRF(op->category),
                   op->mixed ? " and others" : "");
        md_ms(m->o, op->time_ms);
        out_lit(m->o, " | ");
        md_pct(m->o, op->compute_pct);
        out_lit(m->o, "% |\n");
    }
    out_char(m->o, '\n');
}

/* ---- the sections of the detailed part ------------------------------------------- */

struct part {
    enum { PART_IDLE, PART_MULTI, PART_FUSION, PART_CATEGORY } kind;
    const struct report_section *section;
    struct str id, title;
};

static int parts_of(const struct md *m, struct part *parts)
{
    const struct report_detail *d = m->d;
    int n = 0;
    if (m->r->timeline.total_ms > 0)
        parts[n++] =
            (struct part){PART_IDLE, NULL, S("cpu_idle"), S("System-Level: CPU/Idle")};
    if (d->multi_kernel.applies || d->multi_kernel.status == REPORT_ERROR)
        parts[n++] = (struct part){PART_MULTI, NULL, S("multi_kernel"),
                                   S("System-Level: Multi-Kernel Issues")};
    if (d->n_fusion_accepted > 0 || d->fusion_status == REPORT_ERROR)
        parts[n++] = (struct part){PART_FUSION, NULL, S("kernel_fusion"),
                                   S("System-Level: Kernel Fusion (Experimental)")};
    for (int i = 0; i < d->n_sections; i++)
        if (d->sections[i].n_rows > 0 || d->sections[i].status == REPORT_ERROR)
            parts[n++] = (struct part){PART_CATEGORY, &d->sections[i],
                                       d->sections[i].id, d->sections[i].label};
    return n;
}

static struct str part_anchor(struct arena *a, const struct part *parts, int i)
{
    return str_printf(a, "detailed-%d-%.*s", i + 1, STRF(parts[i].id));
}

/* ---- the evidence ---------------------------------------------------------------- */

/* The pictures of the whole; those of one category stand on its page. */
static bool is_overview(struct str id)
{
    static const char *const ids[] = {"chart-wall-time", "chart-categories",
                                      "chart-gains", "chart-idle", "chart-roofline"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (str_eq(id, str_of(ids[i])))
            return true;
    return false;
}

static void charts(const struct md *m)
{
    for (int i = 0; i < m->r->n_charts; i++) {
        const struct report_chart *c = &m->r->charts[i];
        if (!is_overview(c->id) || c->file_png.n == 0)
            continue;
        out_lit(m->o, "![");
        md_prose(m->o, m->tmp, c->caption, MD_LINE);
        out_printf(m->o, "](%.*s)\n\n", STRF(c->file_png));
    }
}

static void detailed(const struct md *m, const struct part *parts, int n)
{
    out_lit(m->o, "## Detailed Analysis\n\n");
    charts(m);
    for (int i = 0; i < n; i++) {
        struct md inner = *m;
        const struct report_section *s = parts[i].section;
        struct str anchor = part_anchor(&inner.tmp, parts, i);
        inner.level = 4;
        inner.projections = true;
        out_printf(m->o, "<a id=\"%.*s\"></a>\n\n### %d. %.*s", STRF(anchor), i + 1,
                   STRF(parts[i].title));
        if (s && !s->communication) {
            out_lit(m->o, " (");
            md_pct(m->o, s->compute_pct);
            out_lit(m->o, "% of compute)");
        }
        out_lit(m->o, "\n\n");
        if (parts[i].kind == PART_IDLE)
            findings_idle(&inner);
        else if (parts[i].kind == PART_MULTI)
            findings_multi_kernel(&inner);
        else if (parts[i].kind == PART_FUSION)
            findings_fusion(&inner);
        else
            findings_category(&inner, s);
    }
    if (n == 0)
        out_lit(m->o, "There is no GPU work to analyse.\n\n");
}

void markdown_fair(const struct md *m)
{
    struct md inner = *m;
    struct part *parts = arena_new(&inner.tmp, struct part, m->d->n_sections + 3);
    int n = parts_of(&inner, parts);
    md_title(&inner, "");
    out_lit(m->o, "## Executive Summary\n\n");
    fair_paragraph(&inner);
    metrics(&inner);
    if (m->style.by_number) {
        top_bottlenecks(&inner, TOP_ROWS);
    } else {
        out_lit(m->o, "### Top Operations (from Step 3)\n\n");
        fair_top_operations(&inner, TOP_ROWS);
    }
    md_warnings(&inner);
    out_lit(m->o, "---\n\n");
    struct card_link *links = arena_new(&inner.tmp, struct card_link, n);
    for (int i = 0; i < n; i++)
        links[i] = (struct card_link){parts[i].id, parts[i].title,
                                      part_anchor(&inner.tmp, parts, i)};
    markdown_cards(&inner, links, n);
    detailed(&inner, parts, n);
    out_lit(m->o, "---\n\n## Appendix\n\n");
    md_hardware(&inner, false);
    md_replays(&inner);
}
