/* checks.html: what was checked, and what cannot be relied on. */
#include "render/page/site_context.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "report/page_shown.h"

/* The page with the numbers that a check is about. */
static struct str affected_page(const struct report *r, struct str id)
{
    static const struct {
        const char *id, *page;
    } known[] = {
        {"efficiency", "roofline.html"},        {"peaks", "roofline.html"},
        {"shapes", "operations.html"},          {"spread", "operations.html"},
        {"host-operations", "operations.html"}, {"views", "operations.html"},
        {"graph-launches", "kernels.html"},     {"balance", "index.html#where"},
        {"attribution", "index.html#where"},    {"time-sanity", "index.html#where"},
        {"devices", "index.html#measured"},     {"steps", "index.html#measured"},
        {"analyses", "recommendations.html"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (str_eq(id, str_of(known[k].id)))
            return r->n_ops ? str_of(known[k].page) : S("index.html");
    return S("");
}

static void add_failures(cJSON *c, const struct report *r, struct arena tmp)
{
    struct str *texts = arena_new(&tmp, struct str, r->n_warning_list);
    int n = 0;
    for (int k = 0; k < r->n_warning_list; k++)
        if (r->warnings[k].failure)
            texts[n++] = r->warnings[k].text;
    json_put(c, context_items("failures", texts, n));
}

bool site_checks(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "checks.html"), *list = json_put_array(c, "checks");
    ctx_checks(c, r);
    windows_context(c, r);
    add_failures(c, r, tmp);
    for (int k = 0; k < r->n_checks; k++) {
        const struct report_check *x = &r->checks[k];
        bool open = x->result == CHECK_NOT_EVALUATED;
        json_put(context_lend(context_push(list), shown_check_fields(), x, r),
                 page_severity("severity", open ? S("not-evaluated")
                                                : check_result_word(x->result)),
                 M("affects_href", affected_page(r, x->id)));
    }
    return ctx_write(s, "checks.html", "checks.html", c, tmp, e);
}
