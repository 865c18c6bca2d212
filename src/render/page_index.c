/* index.html: the executive summary. */
#include "render/finding_context.h"
#include "render/html_text.h"
#include "render/op_rows.h"

#include "base/arena.h"
#include "report/report_numbers.h"

#include <math.h>

enum { FIRST_FINDINGS = 5, TOP_ROWS = 10, FIRST_WARNINGS = 3, CARDS = 6 };

static cJSON *add_card(cJSON *cards, struct str label)
{
    cJSON *card = cJSON_CreateObject();
    ctx_text(card, "label", label);
    cJSON_AddItemToArray(cards, card);
    return card;
}

static void card_value(cJSON *card, struct str value, const char *unit,
                       const char *context)
{
    ctx_text(card, "value", value);
    ctx_text(card, "unit", str_of(unit));
    ctx_text(card, "context", str_of(context));
}

static void add_cards(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct report_timeline *t = &r->timeline;
    cJSON *cards = cJSON_AddArrayToObject(c, "cards");
    const char *of_total = str_c(&tmp, str_printf(&tmp, "of total time %.*s ms",
                                                  STRF(number_ms(&tmp, t->total_ms))));
    card_value(add_card(cards, S("Total time")), number_ms(&tmp, t->total_ms), "ms",
               "from the first device event to the last");
    card_value(add_card(cards, S("GPU busy")), number_pct(&tmp, t->busy_pct), "%",
               of_total);
    cJSON *comm = add_card(cards, S("Exposed communication"));
    if (t->total_comm_ms > 0)
        card_value(comm, number_pct(&tmp, t->exposed_comm_pct), "%", of_total);
    else
        ctx_text(comm, "missing", S("no collective communication in this trace"));
    card_value(add_card(cards, S("Idle")), number_pct(&tmp, t->idle_pct), "%",
               of_total);
    cJSON *largest = add_card(cards, S("Largest category"));
    if (r->n_categories) {
        card_value(largest, number_pct(&tmp, r->categories[0].compute_pct), "%",
                   str_c(&tmp, str_printf(&tmp, "of computation: %.*s",
                                          STRF(r->categories[0].label))));
    } else {
        ctx_text(largest, "missing", S("no operation launched device work"));
    }
    cJSON *checks = add_card(cards, S("Checks"));
    card_value(checks, number_fixed(&tmp, r->n_warnings + r->n_failed, 0),
               r->n_warnings + r->n_failed == 1 ? "warning" : "warnings",
               str_c(&tmp, str_printf(&tmp, "of %d checks", r->n_checks)));
}

static void add_findings(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    cJSON *list = cJSON_AddArrayToObject(c, "findings");
    int shown = 0, told = 0;
    for (int i = 0; i < r->n_findings; i++) {
        const struct report_finding *f = &r->findings[i];
        told += !f->informational;
        if (f->priority == REPORT_LOW || f->informational || shown == FIRST_FINDINGS)
            continue;
        cJSON_AddItemToArray(list, finding_line(s, f, tmp));
        shown++;
    }
    if (!shown)
        ctx_text(c, "no_findings",
                 S("No finding above the reporting threshold: no bottleneck meets the "
                   "criteria for time and efficiency."));
    else if (shown > 1)
        ctx_text(c, "findings_note",
                 S("Each gain is an estimate by itself; gains are not additive."));
    cJSON *more = cJSON_AddObjectToObject(c, "findings_more");
    ctx_text(more, "href", S("recommendations.html"));
    if (told > shown)
        ctx_format(more, "text", "All %d findings, with evidence", told);
    else
        ctx_text(more, "text", S("Evidence and reasoning of every finding"));
}

static void add_top(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    if (!r->n_ops)
        return;
    cJSON *top = cJSON_AddObjectToObject(c, "top");
    cJSON *rows = cJSON_AddArrayToObject(top, "rows");
    double rest_ms = 0, rest_pct = 0;
    for (int i = 0; i < r->n_ops; i++) {
        const struct report_op *op = &r->ops[i];
        if (i >= TOP_ROWS) {
            rest_ms += op->total_ms;
            rest_pct += op->share_pct;
            continue;
        }
        const struct report_category *g =
            op->category >= 0 ? &r->categories[op->category] : NULL;
        cJSON *row = cJSON_CreateObject();
        page_name(row, "name_html", name_short(&tmp, op->name, 80), 0, tmp);
        if (op->args.n)
            page_name(row, "detail_html", name_short(&tmp, op->args, 90), 0, tmp);
        ctx_text(row, "link", op_href(&tmp, r, i));
        ctx_category(row, "category", r, g ? g->id : S("communication"),
                     g ? g->label : S("Communication"));
        ctx_format(row, "launches", "%lld", (long long)op->count);
        ctx_ms(row, "time", op->total_ms, tmp);
        ctx_sort_key(row, "time_v", op->total_ms);
        ctx_pct(row, "share", op->share_pct, tmp);
        ctx_sort_key(row, "share_v", op->share_pct);
        page_bar(row, "bar_html", op->share_pct / 100.0,
                 g ? g->slot : SLOT_COMMUNICATION, s->theme);
        if (isnan(op->efficiency_pct))
            ctx_text(row, "efficiency", op->has_model ? S("—") : S("no model"));
        else
            ctx_pct(row, "efficiency", op->efficiency_pct, tmp);
        ctx_sort_key(row, "efficiency_v", op->efficiency_pct);
        ctx_text(row, "bound", bound_word(op->bound));
        cJSON_AddItemToArray(rows, row);
    }
    if (r->n_ops > TOP_ROWS)
        ctx_format(top, "fold", "%d more operations, %.*s ms (%.*s %% of kernel time)",
                   r->n_ops - TOP_ROWS, STRF(number_ms(&tmp, rest_ms)),
                   STRF(number_pct(&tmp, rest_pct)));
}

static void add_trust(cJSON *c, const struct report *r)
{
    cJSON *trust = cJSON_AddObjectToObject(c, "trust");
    int bad = r->n_warnings + r->n_failed;
    ctx_format(trust, "summary", "%d of %d checks passed%s", r->n_checks - bad,
               r->n_checks, bad ? "; the heaviest first:" : ".");
    ctx_text(trust, "href", S("checks.html"));
    cJSON *list = cJSON_AddArrayToObject(trust, "warnings");
    for (int i = 0, shown = 0; i < r->n_checks && shown < FIRST_WARNINGS; i++) {
        const struct report_check *k = &r->checks[i];
        if (k->result != CHECK_WARNING && k->result != CHECK_FAILED)
            continue;
        cJSON *item = cJSON_CreateObject();
        page_severity(item, "severity",
                      k->result == CHECK_FAILED ? S("failed") : S("warning"));
        ctx_format(item, "text", "%.*s: %.*s", STRF(k->name), STRF(k->value));
        ctx_format(item, "href", "checks.html#c-%.*s", STRF(k->id));
        ctx_text(item, "link_text", S("What it affects"));
        cJSON_AddItemToArray(list, item);
        shown++;
    }
}

static void add_measured(cJSON *c, const struct report *r)
{
    cJSON *list = cJSON_AddArrayToObject(c, "measured");
    for (int i = 0; i < r->n_measured; i++) {
        cJSON *item = cJSON_CreateObject();
        ctx_text(item, "label", r->measured[i].label);
        ctx_text(item, "value", r->measured[i].value);
        ctx_text(item, "origin", r->measured[i].origin);
        cJSON_AddItemToArray(list, item);
    }
}

static void add_downloads(cJSON *c, const struct site_options *o)
{
    cJSON *list = cJSON_AddArrayToObject(c, "downloads");
    for (int i = 0; i < o->n_downloads; i++) {
        cJSON *item = cJSON_CreateObject();
        ctx_text(item, "href", o->downloads[i].href);
        ctx_text(item, "name", o->downloads[i].href);
        ctx_text(item, "format", o->downloads[i].format);
        ctx_text(item, "about", o->downloads[i].about);
        cJSON_AddItemToArray(list, item);
    }
}

bool site_index(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "index.html", S("Summary"),
                        "Where does GPU time go, and what should we do first?", tmp);
    ctx_text(c, "verdict", r->verdict);
    ctx_text(c, "lead", r->lead);
    add_cards(c, r, tmp);
    add_findings(c, s, tmp);
    ctx_chart(c, "wall_time", s, CHART_WALL_TIME, -1, tmp);
    ctx_chart(c, "categories", s, CHART_CATEGORIES, -1, tmp);
    add_top(c, s, tmp);
    add_trust(c, r);
    add_measured(c, r);
    add_downloads(c, s->o);
    return ctx_write(s, "index.html", "index.html", c, tmp, e);
}
