#include "render/text/template_bundle.h"

#include "base/arena.h"
#include "render/text/bundle.h"
#include "render/text/html_filters.h"
#include "render/text/html_text.h"
#include "render/text/template_filters.h"

#include <stdio.h>

struct str template_find_bundled(void *self, struct str name)
{
    (void)self;
    char path[120];
    int n = snprintf(path, sizeof path, "templates/%.*s", STRF(name));
    if (n >= (int)sizeof path)
        return (struct str){NULL, 0};
    return bundle_file((struct str){path, n});
}

static bool escape_html(struct out *o, struct arena tmp, struct str text)
{
    (void)tmp;
    html_attr(o, text);
    return true;
}

struct template_set template_bundled(struct arena *perm)
{
    return (struct template_set){.perm = perm,
                                 .find = template_find_bundled,
                                 .escape = escape_html,
                                 .filters = {number_filters, html_filters}};
}
