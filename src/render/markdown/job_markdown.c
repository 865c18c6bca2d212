#include "render/markdown/job_markdown.h"

#include "render/markdown/markdown_file.h"
#include "render/text/job_context.h"
#include "render/text/markdown_filters.h"

#include <cjson/cJSON.h>

bool job_markdown_write(const struct job_words *w, const struct publish *p,
                        struct arena tmp, struct arena tmp2, struct err *e)
{
    struct template_set templates = markdown_templates(&tmp);
    cJSON *context = job_context(&tmp2, w);
    const char *full = w->d->r ? "job_report.md" : "comparison.md";
    bool done = markdown_file(p, &templates, full, "job_report", context, tmp2, e) &&
                (!w->d->r || markdown_file(p, &templates, "job_fair.md", "job_fair",
                                           context, tmp2, e));
    cJSON_Delete(context);
    return done;
}
