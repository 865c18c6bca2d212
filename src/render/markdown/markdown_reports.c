#include "render/markdown/markdown_reports.h"

#include "render/markdown/markdown_context.h"
#include "render/markdown/markdown_file.h"
#include "render/text/context.h"
#include "render/text/markdown_filters.h"
#include "report/report_detail.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct files { /* what all of them need */
    const struct publish *p;
    struct template_set templates;
    cJSON *context;
    struct arena tmp;
    struct err *e;
};

static bool write_file(struct files *f, const char *name, const char *template)
{
    return markdown_file(f->p, &f->templates, name, template, f->context, f->tmp, f->e);
}

/* Communication is listed by the generic analyser, but it is of the system tier. */
static bool section_files(struct files *f, const struct report_detail *d)
{
    const cJSON *list = context_get(f->context, "categories");
    /* One after the other lends it its members. */
    cJSON *section = list->child, *one = json_put_object(f->context, "section");
    one->type |= cJSON_IsReference;
    for (int i = 0; i < d->n_sections; i++, section = section->next) {
        enum work_category c = d->sections[i].of->category;
        char name[80];
        snprintf(name, sizeof name, "%s_findings/%s_findings.md",
                 c == WORK_COMMUNICATION ? "system" : "category",
                 work_category_name(c).p);
        one->child = section->child;
        if (!write_file(f, name, "category_findings"))
            return false;
    }
    return true;
}

static bool all_files(struct files *f, const struct report *r,
                      const struct markdown_style *style)
{
    enum { REPORTS = 3 }; /* whose text is another one without device work */
    static const struct {
        const char *name, *template;
    } files[] = {
        {"standalone_analysis_fair.md", "fair"},
        {"standalone_analysis_rough.md", "rough"},
        {"standalone_analysis.md", "standalone"},
        {"system_findings/cpu_idle_findings.md", "cpu_idle_findings"},
        {"system_findings/kernel_fusion_findings.md", "kernel_fusion_findings"},
    };
    bool has_device = r->meta.has_gpu;
    size_t n = has_device ? sizeof files / sizeof *files : REPORTS;
    for (size_t i = 0; i < n; i++)
        if (!write_file(f, files[i].name, has_device ? files[i].template : "host"))
            return false;
    return (!style->analysis_md ||
            write_file(f, "analysis.md", has_device ? "standalone" : "host")) &&
           (!report_has_multi_kernel(r->analysis) ||
            write_file(f, "system_findings/multi_kernel_findings.md",
                       "multi_kernel_findings")) &&
           section_files(f, r->detail);
}

bool markdown_write(const struct report *r, const struct report_charts *charts,
                    const struct markdown_style *style, const struct publish *p,
                    struct arena tmp, struct err *e)
{
    struct files f = {.p = p,
                      .templates = markdown_templates(&tmp),
                      .context = markdown_context(&tmp, r, charts, style),
                      .e = e};
    f.templates.vendor = r->meta.vendor;
    /* Templates in one half, paths in the other. */
    f.tmp = tmp;
    tmp = arena_first_half(&f.tmp);
    bool done = all_files(&f, r, style);
    cJSON_Delete(f.context);
    return done;
}
