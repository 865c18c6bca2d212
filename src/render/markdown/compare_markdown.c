#include "render/markdown/compare_markdown.h"

#include "render/text/compare_context.h"
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

/* Templates in one arena, the context's texts and paths in the other. */
bool compare_markdown_write(const struct compare_report *r, const struct publish *p,
                            struct arena tmp, struct arena tmp2, struct err *e)
{
    struct template_set templates = markdown_templates(&tmp);
    cJSON *context = compare_context(&tmp2, r);
    bool done =
        write_file(p, &templates, "comparative_analysis_fair.md", "compare_fair",
                   context, tmp2, e) &&
        write_file(p, &templates, "comparative_analysis_rough.md", "compare_rough",
                   context, tmp2, e) &&
        write_file(p, &templates, "comment.md", "compare_comment", context, tmp2, e);
    cJSON_Delete(context);
    return done;
}
