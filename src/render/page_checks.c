/* checks.html: what was checked, and what may not be relied on. */
#include "render/sentence.h"
#include "render/table_context.h"

#include "base/arena.h"
#include "report/report_numbers.h"

static struct str result_level(enum report_check_result result)
{
    static const struct str levels[] = {[CHECK_PASSED] = S_INIT("passed"),
                                        [CHECK_WARNING] = S_INIT("warning"),
                                        [CHECK_FAILED] = S_INIT("failed"),
                                        [CHECK_NOT_EVALUATED] =
                                            S_INIT("not-evaluated")};
    return levels[result];
}

/* Where the numbers stand that a check is about. */
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

static void add_answer(cJSON *c, const struct report *r, struct arena tmp)
{
    int passed = 0, open = 0;
    for (int k = 0; k < r->n_checks; k++) {
        passed += r->checks[k].result == CHECK_PASSED;
        open += r->checks[k].result == CHECK_NOT_EVALUATED;
    }
    if (!r->n_failed && !r->n_warnings)
        ctx_format(c, "answer",
                   "Nothing speaks against these numbers: %d of %d checks "
                   "passed.",
                   passed, r->n_checks);
    else
        ctx_format(
            c, "answer", "%d of %d checks passed, %.*s failed, %.*s warn%s.", passed,
            r->n_checks, STRF(r->n_failed ? number_word(&tmp, r->n_failed) : S("none")),
            STRF(number_word(&tmp, r->n_warnings)), r->n_warnings == 1 ? "s" : "");
    if (open)
        ctx_format(c, "lead",
                   "%d could not be evaluated, which is not the same as passed.", open);
}

static void add_failures(cJSON *c, const struct report *r)
{
    cJSON *list = cJSON_AddArrayToObject(c, "failures");
    for (int k = 0; k < r->n_warning_list; k++) {
        if (!r->warnings[k].failure)
            continue;
        cJSON *item = cJSON_CreateObject();
        sentence_put(item, "item_html", r->warnings[k].text);
        cJSON_AddItemToArray(list, item);
    }
    ctx_bool(c, "has_failures", cJSON_GetArraySize(list) > 0);
}

static void add_details(cJSON *c, const struct report *r)
{
    cJSON *list = cJSON_AddArrayToObject(c, "details");
    for (int k = 0; k < r->n_checks; k++) {
        const struct report_check *x = &r->checks[k];
        if (x->result != CHECK_WARNING && x->result != CHECK_FAILED)
            continue;
        cJSON *item = cJSON_CreateObject();
        ctx_format(item, "check_id", "c-%.*s", STRF(x->id));
        ctx_text(item, "name", x->name);
        page_severity(item, "severity", result_level(x->result));
        sentence_put(item, "value_html", x->value);
        ctx_text(item, "limit", x->limit);
        ctx_text(item, "affects", x->affects);
        ctx_text(item, "affects_href", affected_page(r, x->id));
        ctx_text(item, "what_to_do", x->what_to_do);
        cJSON_AddItemToArray(list, item);
    }
    ctx_bool(c, "has_details", cJSON_GetArraySize(list) > 0);
}

static void add_table(cJSON *c, const struct report *r, struct arena tmp)
{
    cJSON *t = table_open(S("t-checks"), S("Checks, the heaviest first"));
    table_column(t, "Check", false);
    table_column(t, "Result", false);
    table_column(t, "Measured", false);
    table_column(t, "Limit", false);
    table_column(t, "Affects", false);
    for (int k = 0; k < r->n_checks; k++) {
        const struct report_check *x = &r->checks[k];
        bool told = x->result == CHECK_WARNING || x->result == CHECK_FAILED;
        struct str anchor = str_printf(&tmp, "c-%.*s", STRF(x->id));
        cJSON *row = table_row(t, told ? S("") : anchor);
        if (told)
            cell_link(row, str_printf(&tmp, "#%.*s", STRF(anchor)), x->name);
        else
            cell_text(row, x->name);
        cell_severity(row, result_level(x->result));
        cell_sentence(row, x->value);
        cell_text(row, x->limit);
        cell_text(row, x->affects);
    }
    cJSON_AddItemToObject(c, "table", t);
}

bool site_checks(struct site *s, struct arena tmp, struct err *e)
{
    cJSON *c = ctx_page(s, "checks.html", S("Checks"), "What can I not rely on?", tmp);
    add_answer(c, s->r, tmp);
    add_failures(c, s->r);
    add_details(c, s->r);
    add_table(c, s->r, tmp);
    return ctx_write(s, "checks.html", "checks.html", c, tmp, e);
}
