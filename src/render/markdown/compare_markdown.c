#include "render/markdown/compare_markdown.h"

#include "render/markdown/markdown_file.h"
#include "render/text/compare_context.h"
#include "render/text/context.h"
#include "render/text/markdown_filters.h"

#include <cjson/cJSON.h>

/* Templates in one arena, the context's texts and paths in the other. */
bool compare_markdown_write(const struct compare_report *r, const struct publish *p,
                            struct arena tmp, struct arena tmp2, struct err *e)
{
    struct template_set templates = markdown_templates(&tmp);
    cJSON *context = compare_context(json_new(), &tmp2, r);
    bool done =
        markdown_file(p, &templates, "comparative_analysis_fair.md", "compare_fair",
                      context, tmp2, e) &&
        markdown_file(p, &templates, "comparative_analysis_rough.md", "compare_rough",
                      context, tmp2, e) &&
        markdown_file(p, &templates, "comment.md", "compare_comment", context, tmp2, e);
    cJSON_Delete(context);
    return done;
}
