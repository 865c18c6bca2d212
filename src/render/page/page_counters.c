/* counters.html: what the device's counters say while it works. */
#include "render/page/row_context.h"

#include "report/figure/report_figures.h"
#include "report/more_shown.h"

bool site_counters(struct site *s, struct arena tmp, struct err *e)
{
    if (!more_on_page(s->r, "counters.html"))
        return true;
    cJSON *c = ctx_page(s, "counters.html");
    ctx_more(c, s, "counters.html", tmp);
    cJSON *charts = json_put_array(c, "charts");
    for (int k = 0; k < COUNTER_FIGURES; k++) {
        const struct chart_file *f = chart_find(s->charts, CHART_COUNTERS, k);
        if (f && !f->figure.empty.n)
            ctx_chart(context_push(charts), "chart", s, CHART_COUNTERS, k, tmp);
    }
    return ctx_write(s, "counters.html", "counters.html", c, tmp, e);
}
