/* layers.html: what of the model the time is in, layer by layer. */
#include "render/page/row_context.h"

#include "report/more_shown.h"

bool site_layers(struct site *s, struct arena tmp, struct err *e)
{
    if (!more_on_page(s->r, "layers.html"))
        return true;
    cJSON *c = ctx_page(s, "layers.html");
    ctx_more(c, s, "layers.html", tmp);
    return ctx_write(s, "layers.html", "layers.html", c, tmp, e);
}
