/* The Warnings section that every report may have (analysis.md 8.3). */
#include "render/markdown_parts.h"

static bool is_system(struct str source)
{
    return str_eq(source, S("cpu_idle")) || str_eq(source, S("multi_kernel")) ||
           str_eq(source, S("kernel_fusion")) || str_eq(source, S("communication"));
}

static int n_unsteady(const struct report_detail *d)
{
    int n = 0;
    for (int i = 0; i < d->n_sections; i++)
        n += d->sections[i].high_variance;
    return n;
}

static int n_failures(const struct report *r)
{
    int n = 0;
    for (int i = 0; i < r->n_warning_list; i++)
        n += r->warnings[i].failure;
    return n;
}

bool md_has_warnings(const struct md *m)
{
    return m->r->n_warning_list > 0 || n_unsteady(m->d) > 0;
}

static void failures(const struct md *m)
{
    out_lit(m->o, "Some analyses failed.\n\n| Analysis | Tier | Error Summary |\n"
                  "|----------|------|---------------|\n");
    for (int i = 0; i < m->r->n_warning_list; i++) {
        const struct report_warning *w = &m->r->warnings[i];
        if (!w->failure)
            continue;
        out_lit(m->o, "| ");
        md_name(m->o, m->tmp, w->source, MD_CELL);
        out_printf(m->o, " | %s | ",
                   is_system(w->source) ? "System" : "Compute kernel");
        md_prose(m->o, m->tmp, w->text, MD_CELL);
        out_lit(m->o, " |\n");
    }
    out_lit(m->o, "\nThese are excluded from the recommendations below.\n\n");
}

static void unsteady(const struct md *m)
{
    out_lit(m->o, "**Data Quality:** timings of these operations vary strongly.\n\n"
                  "| Operation | Category | CoV | Reported Time (ms) |\n"
                  "|-----------|----------|-----|--------------------|\n");
    for (int i = 0; i < m->d->n_sections; i++)
        for (int k = 0; k < m->d->sections[i].n_rows; k++) {
            const struct report_work *w = &m->d->sections[i].rows[k];
            if (!w->high_variance)
                continue;
            out_lit(m->o, "| ");
            md_name(m->o, m->tmp, w->name, MD_CELL);
            out_printf(m->o, " | %.*s | ", STRF(m->d->sections[i].label));
            md_real(m->o, w->cov, 2);
            out_lit(m->o, " | ");
            md_ms(m->o, w->time_ms);
            out_lit(m->o, " |\n");
        }
    out_char(m->o, '\n');
}

void md_warnings(const struct md *m)
{
    if (!md_has_warnings(m))
        return;
    out_lit(m->o, "## Warnings\n\n");
    int failed = n_failures(m->r), bullets = 0;
    if (failed)
        failures(m);
    if (n_unsteady(m->d))
        unsteady(m);
    for (int i = 0; i < m->r->n_warning_list; i++) {
        const struct report_warning *w = &m->r->warnings[i];
        /* What varies stands in the table. */
        if (w->failure || (n_unsteady(m->d) && str_eq(w->source, S("spread"))))
            continue;
        out_lit(m->o, "- ");
        md_prose(m->o, m->tmp, w->text, MD_LINE);
        out_char(m->o, '\n');
        bullets++;
    }
    out_c(m->o, bullets ? "\n" : "");
}
