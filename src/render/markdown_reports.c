#include "render/markdown_reports.h"

#include "render/markdown_fair.h"
#include "render/markdown_findings.h"
#include "render/markdown_rough.h"
#include "render/markdown_standalone.h"

#include <string.h>

struct job { /* one file */
    const struct report *r;
    const struct markdown_style *style;
    const struct publish *p;
    struct arena tmp;
    struct err *e;
};

static bool write_file(const struct job *j, const char *name,
                       void (*body)(const struct md *m, const void *what),
                       const void *what)
{
    struct arena tmp = j->tmp;
    struct out o;
    const char *path = publish_path(j->p, &tmp, name, j->e);
    if (!path || !out_open(&o, path, j->e))
        return false;
    struct md m = {.o = &o,
                   .tmp = tmp,
                   .r = j->r,
                   .d = j->r->detail,
                   .style = *j->style,
                   .level = 2};
    body(&m, what);
    return out_close(&o, j->e);
}

static void fair_file(const struct md *m, const void *what)
{
    (void)what;
    markdown_fair(m);
}

static void rough_file(const struct md *m, const void *what)
{
    (void)what;
    markdown_rough(m);
}

static void standalone_file(const struct md *m, const void *what)
{
    (void)what;
    markdown_standalone(m);
}

static void section_file(const struct md *m, const void *what)
{
    const struct report_section *s = what;
    out_printf(m->o, "# %.*s\n\n", STRF(findings_title(s->id)));
    findings_category(m, s);
}

static void idle_file(const struct md *m, const void *what)
{
    (void)what;
    out_lit(m->o, "# CPU/Idle Time Analysis Findings\n\n");
    findings_idle(m);
}

static void multi_kernel_file(const struct md *m, const void *what)
{
    (void)what;
    out_lit(m->o, "# Multi-Kernel Issue Analysis Findings\n\n");
    findings_multi_kernel(m);
}

static void fusion_file(const struct md *m, const void *what)
{
    (void)what;
    out_lit(m->o, "# Kernel Fusion Analysis Summary (Experimental)\n\n");
    findings_fusion(m);
}

/* Communication is listed by the generic analyser, but it is of the system tier. */
static bool section_files(const struct job *j)
{
    const struct report_detail *d = j->r->detail;
    for (int i = 0; i < d->n_sections; i++) {
        const struct report_section *s = &d->sections[i];
        struct arena tmp = j->tmp;
        struct job file = *j;
        const char *name = str_c(
            &tmp, str_printf(&tmp, "%s_findings/%.*s_findings.md",
                             s->communication ? "system" : "category", STRF(s->id)));
        file.tmp = tmp;
        if (!write_file(&file, name, section_file, s))
            return false;
    }
    return true;
}

bool markdown_write(const struct report *r, const struct markdown_style *style,
                    const struct publish *p, struct arena tmp, struct err *e)
{
    const struct job j = {r, style, p, tmp, e};
    const struct report_multi_kernel *k = &r->detail->multi_kernel;
    if (!write_file(&j, "standalone_analysis_fair.md", fair_file, NULL) ||
        !write_file(&j, "standalone_analysis_rough.md", rough_file, NULL) ||
        !write_file(&j, "standalone_analysis.md", standalone_file, NULL) ||
        (style->analysis_md && !write_file(&j, "analysis.md", standalone_file, NULL)) ||
        !write_file(&j, "system_findings/cpu_idle_findings.md", idle_file, NULL) ||
        !write_file(&j, "system_findings/kernel_fusion_findings.md", fusion_file, NULL))
        return false;
    if ((k->applies || k->status == REPORT_ERROR) &&
        !write_file(&j, "system_findings/multi_kernel_findings.md", multi_kernel_file,
                    NULL))
        return false;
    return section_files(&j);
}
