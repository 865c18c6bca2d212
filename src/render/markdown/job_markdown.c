#include "render/markdown/job_markdown.h"

#include "base/out.h"
#include "render/text/job_context.h"
#include "render/text/markdown_filters.h"

#include <cjson/cJSON.h>

static bool write_file(const struct publish *p, struct template_set *templates,
                       const char *name, const char *template, const cJSON *context,
                       struct arena tmp, struct err *e)
{
    struct out o;
    const char *path = publish_path(p, &tmp, name, e);
    if (!path || !out_open(&o, path, e))
        return false;
    bool done = template_render(&o, templates, str_of(template), context, e);
    return out_close(&o, e) && done;
}

bool job_markdown_write(const struct job_document *d, const struct publish *p,
                        struct arena tmp, struct arena tmp2, struct err *e)
{
    struct template_set templates = markdown_templates(&tmp);
    cJSON *context = job_context(&tmp2, d);
    const char *full = d->r ? "job_report.md" : "comparison.md";
    bool done = write_file(p, &templates, full, "job_report", context, tmp2, e) &&
                (!d->r || write_file(p, &templates, "job_fair.md", "job_fair", context,
                                     tmp2, e));
    cJSON_Delete(context);
    return done;
}
