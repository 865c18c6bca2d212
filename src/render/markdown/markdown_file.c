#include "render/markdown/markdown_file.h"

#include "base/arena.h"
#include "base/out.h"

bool markdown_file(const struct publish *p, struct template_set *templates,
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
