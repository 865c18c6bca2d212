/* category-*.html: one category of operations, from its share to its callers. */
#include "render/finding_context.h"

#include "base/arena.h"
#include "render/op_rows.h"
#include "render/sentence.h"
#include "render/table_context.h"
#include "report/report_detail.h"
#include "report/report_numbers.h"

#include <math.h>
#include <stdlib.h>

enum { KERNELS_MAX = 50, CALLERS_MAX = 20, KERNEL_CHARS = 80 };

struct category_page {
    struct site *s;
    const struct report *r;
    const struct report_category *g;
    int index;
};

static const struct report_op *op_at(const struct category_page *p, int k)
{
    return &p->r->ops[p->g->ops[k]];
}

/* ---- answer and cards ---- */

static void add_answer(cJSON *c, const struct category_page *p, struct arena tmp)
{
    const struct report_category *g = p->g;
    ctx_format(c, "answer",
               "%.*s takes %.*s ms, %.*s %% of computation time, in %d distinct "
               "operation%s.",
               STRF(g->label), STRF(number_ms(&tmp, g->time_ms)),
               STRF(number_pct(&tmp, g->compute_pct)), g->n_ops,
               g->n_ops == 1 ? "" : "s");
    struct str unmodelled = number_ms_and_pct(&tmp, g->unmodelled_ms,
                                              100.0 * g->unmodelled_ms / g->time_ms);
    if (isnan(g->efficiency_pct))
        ctx_format(c, "lead",
                   "How far it is from the hardware's limit is not known: %.*s of the "
                   "category have no performance model.",
                   STRF(unmodelled));
    else if (g->unmodelled_ms > 0.0)
        ctx_format(c, "lead",
                   "Weighted by time it reaches %.*s %% of its roof; %.*s of the "
                   "category have no performance model.",
                   STRF(number_pct(&tmp, g->efficiency_pct)), STRF(unmodelled));
    else
        ctx_format(c, "lead", "Weighted by time it reaches %.*s %% of its roof.",
                   STRF(number_pct(&tmp, g->efficiency_pct)));
}

static void add_cards(cJSON *c, const struct category_page *p, struct arena tmp)
{
    const struct report_category *g = p->g;
    cJSON *cards = cJSON_AddArrayToObject(c, "cards");
    ctx_card(cards, "Kernel time", number_ms(&tmp, g->time_ms), "ms",
             str_printf(&tmp, "%.*s %% of total time",
                        STRF(number_pct(&tmp, g->total_pct))));
    ctx_card(cards, "Share", number_pct(&tmp, g->compute_pct), "%",
             S("of computation time"));
    ctx_card(cards, "Operations", str_printf(&tmp, "%d", g->n_ops), "",
             S("distinct, by name and arguments"));
    ctx_card(cards, "Calls", str_printf(&tmp, "%lld", (long long)g->launches), "",
             S("of these operations"));
    if (isnan(g->efficiency_pct))
        ctx_card(cards, "Efficiency", S("no performance model, or no platform given"),
                 NULL, S(""));
    else
        ctx_card(cards, "Efficiency", number_pct(&tmp, g->efficiency_pct), "%",
                 S("of roof, weighted by time"));
    ctx_card(cards, "Without a model", number_ms(&tmp, g->unmodelled_ms), "ms",
             str_printf(&tmp, "%.*s %% of the category",
                        STRF(number_pct(&tmp, 100.0 * g->unmodelled_ms / g->time_ms))));
}

/* ---- findings and remarks ---- */

static const struct report_section *section_of(const struct category_page *p)
{
    const struct report_detail *d = p->r->detail;
    for (int k = 0; d && k < d->n_sections; k++)
        if (str_eq(d->sections[k].id, p->g->id))
            return &d->sections[k];
    return NULL;
}

static void add_remark(cJSON *list, struct str text)
{
    cJSON *item = cJSON_CreateObject();
    sentence_put(item, "item_html", text);
    cJSON_AddItemToArray(list, item);
}

static void add_findings(cJSON *c, const struct category_page *p, struct arena tmp)
{
    cJSON *list = cJSON_AddArrayToObject(c, "findings");
    for (int k = 0; k < p->r->n_findings; k++)
        if (str_eq(p->r->findings[k].category, p->g->id))
            cJSON_AddItemToArray(list, finding_line(p->s, &p->r->findings[k], tmp));
    const struct report_section *section = section_of(p);
    cJSON *notes = cJSON_AddArrayToObject(c, "notes");
    for (int k = 0; section && k < section->n_notes; k++)
        add_remark(notes, section->notes[k]);
    ctx_bool(c, "has_notes", cJSON_GetArraySize(notes) > 0);
    ctx_text(c, "no_findings",
             cJSON_GetArraySize(list)
                 ? S("")
                 : str_printf(&tmp,
                              "No finding: none of the %d operations meets the "
                              "criteria for time and efficiency.",
                              p->g->n_ops));
}

/* ---- tables ---- */

static void add_operations(cJSON *c, const struct category_page *p, struct arena tmp)
{
    const struct report_category *g = p->g;
    double rest_ms = 0.0;
    ctx_bool(c, "has_rows", g->n_ops > 0);
    ctx_bool(c, "whole", g->n_ops <= SITE_CATEGORY_ROWS);
    ctx_text(c, "rows_file", S("operations"));
    ctx_text(c, "rows_of", category_slug(g));
    ctx_text(c, "order", S("by total time, descending"));
    op_units(c);
    op_csv(c, p->s);
    cJSON *rows = cJSON_AddArrayToObject(c, "rows");
    for (int k = 0; k < g->n_ops; k++) {
        if (k < SITE_CATEGORY_ROWS)
            op_row(rows, p->s, g->ops[k], false, tmp);
        else
            rest_ms += op_at(p, k)->total_ms;
    }
    if (g->n_ops > SITE_CATEGORY_ROWS)
        ctx_format(c, "fold",
                   "%d more operations, %.*s ms (%.*s %% of the category), are on the "
                   "page of all operations",
                   g->n_ops - SITE_CATEGORY_ROWS, STRF(number_ms(&tmp, rest_ms)),
                   STRF(number_pct(&tmp, 100.0 * rest_ms / g->time_ms)));
}

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The names of the category's operations, sorted, each once or more. */
static struct str *op_names(struct arena *a, const struct category_page *p)
{
    struct str *names = arena_new(a, struct str, p->g->n_ops);
    for (int k = 0; k < p->g->n_ops; k++)
        names[k] = op_at(p, k)->name;
    if (p->g->n_ops)
        qsort(names, (size_t)p->g->n_ops, sizeof *names, by_bytes);
    return names;
}

static void add_kernels(cJSON *c, const struct category_page *p, struct arena tmp)
{
    struct str *names = op_names(&tmp, p);
    cJSON *t = table_open(S("t-kernels"), S("Kernels by time"));
    table_column(t, "Kernel", false);
    table_column(t, "Launched by", false);
    table_column(t, "Launches", true);
    table_column(t, "Total, ms", true);
    table_column(t, "Share of kernel time, %", true);
    table_column(t, "Mean, µs", true);
    table_column(t, "p95, µs", true);
    int n = 0;
    double rest_ms = 0.0;
    for (int k = 0; k < p->r->n_kernels && p->g->n_ops; k++) {
        const struct report_kernel *x = &p->r->kernels[k];
        if (!bsearch(&x->op, names, (size_t)p->g->n_ops, sizeof *names, by_bytes))
            continue;
        if (n++ >= KERNELS_MAX) {
            rest_ms += x->total_ms;
            continue;
        }
        cJSON *row = table_row(t, S(""));
        cell_kernel(row, p->r, k, KERNEL_CHARS, tmp);
        cell_brief(row, x->op, KERNEL_CHARS, tmp);
        cell_count(row, x->count, tmp);
        cell_ms(row, x->total_ms, tmp);
        cell_pct(row, x->share_pct, tmp);
        cell_number(row, number_us(&tmp, x->mean_us), x->mean_us);
        cell_number(row, number_us(&tmp, x->p95_us), x->p95_us);
    }
    if (n > KERNELS_MAX)
        table_fold(t,
                   str_printf(&tmp, "%d more, %.*s ms, are on the page of all kernels",
                              n - KERNELS_MAX, STRF(number_ms(&tmp, rest_ms))));
    else
        table_sortable(t);
    if (n)
        cJSON_AddItemToObject(c, "kernels", t);
    else
        cJSON_Delete(t);
}

/* ---- callers ---- */

struct caller {
    struct str name, chain;
    double ms;
    int operations, first;
};

static int by_time(const void *a, const void *b)
{
    const struct caller *x = a, *y = b;
    return x->ms != y->ms ? (x->ms > y->ms ? -1 : 1) : x->first - y->first;
}

static struct str chain_text(struct arena *a, const struct report_op *op)
{
    struct str text = S("");
    for (int k = 0; k + 1 < op->n_modules; k++)
        text = k ? str_printf(a, "%.*s › %.*s", STRF(text), STRF(op->modules[k]))
                 : op->modules[0];
    return text;
}

/* The innermost module, by its whole path. */
static int collect_callers(struct arena *a, const struct category_page *p,
                           struct caller **out)
{
    struct caller *list = arena_new(a, struct caller, p->g->n_ops);
    int n = 0;
    for (int k = 0; k < p->g->n_ops; k++) {
        const struct report_op *op = op_at(p, k);
        struct str name = op->n_modules ? op->modules[op->n_modules - 1] : S("");
        struct str chain = chain_text(a, op);
        int i = 0;
        while (i < n && !(str_eq(list[i].name, name) && str_eq(list[i].chain, chain)))
            i++;
        if (i == n)
            list[n++] = (struct caller){.name = name, .chain = chain, .first = k};
        list[i].ms += op->total_ms;
        list[i].operations++;
    }
    if (n)
        qsort(list, (size_t)n, sizeof *list, by_time);
    *out = list;
    return n;
}

static void add_callers(cJSON *c, const struct category_page *p, struct arena tmp)
{
    bool known = false;
    for (int k = 0; k < p->g->n_ops && !known; k++)
        known = op_at(p, k)->n_modules > 0;
    ctx_text(c, "callers_none",
             known ? S("")
                   : S("Which module calls these operations is not recorded. Record "
                       "with with_stack=True or with_modules=True."));
    if (!known)
        return;
    struct caller *list;
    int n = collect_callers(&tmp, p, &list);
    cJSON *t = table_open(S("t-callers"), S("Modules by time"));
    table_column(t, "Module", false);
    table_column(t, "Inside", false);
    table_column(t, "Operations", true);
    table_column(t, "Time, ms", true);
    table_column(t, "Share of the category, %", true);
    double rest_ms = 0.0;
    for (int k = 0; k < n; k++) {
        if (k >= CALLERS_MAX) {
            rest_ms += list[k].ms;
            continue;
        }
        cJSON *row = table_row(t, S(""));
        if (list[k].name.n)
            cell_name(row, list[k].name, 60, tmp);
        else
            cell_text(row, S("outside of modules"));
        cell_text(row, list[k].chain);
        cell_count(row, list[k].operations, tmp);
        cell_ms(row, list[k].ms, tmp);
        cell_pct(row, 100.0 * list[k].ms / p->g->time_ms, tmp);
    }
    if (n > CALLERS_MAX)
        table_fold(t, str_printf(&tmp, "%d more modules, %.*s ms", n - CALLERS_MAX,
                                 STRF(number_ms(&tmp, rest_ms))));
    cJSON_AddItemToObject(c, "callers", t);
}

/* ---- what else ---- */

static void add_kits(cJSON *c, const struct category_page *p)
{
    cJSON *list = cJSON_AddArrayToObject(c, "kits");
    for (int k = 0; k < p->g->n_ops; k++) {
        const struct report_op *op = op_at(p, k);
        bool seen = op->kit.n == 0;
        for (int i = 0; i < k && !seen; i++)
            seen = str_eq(op_at(p, i)->kit, op->kit);
        if (seen)
            continue;
        cJSON *item = cJSON_CreateObject();
        ctx_text(item, "href", op->kit);
        ctx_text(item, "name", str_skip(op->kit, S("replay_packages/").n));
        cJSON_AddItemToArray(list, item);
    }
    ctx_bool(c, "has_kits", cJSON_GetArraySize(list) > 0);
}

static void add_gaps(cJSON *c, const struct category_page *p, struct arena tmp)
{
    int without = 0, above = 0, unsteady = 0;
    for (int k = 0; k < p->g->n_ops; k++) {
        without += !op_at(p, k)->has_model;
        above += op_at(p, k)->anomaly;
        unsteady += op_at(p, k)->high_variance;
    }
    cJSON *list = cJSON_AddArrayToObject(c, "gaps");
    if (without)
        add_remark(list, str_printf(&tmp,
                                    "%d of %d operations (%.*s ms) have no performance "
                                    "model: their efficiency and bound are not known.",
                                    without, p->g->n_ops,
                                    STRF(number_ms(&tmp, p->g->unmodelled_ms))));
    if (above)
        add_remark(list, str_printf(&tmp,
                                    "%d reach more than their roof: the model or the "
                                    "peaks do not fit them, so they make no finding.",
                                    above));
    if (unsteady)
        add_remark(list, str_printf(&tmp,
                                    "The timings of %d vary strongly; their mean says "
                                    "little.",
                                    unsteady));
    add_remark(list, S("A trace shows times, not causes inside a kernel: for bank "
                       "conflicts, occupancy and cache hits use a kernel profiler on a "
                       "replay package."));
}

static bool write_category(struct category_page *p, struct arena tmp, struct err *e)
{
    const char *file = str_c(&tmp, p->g->page);
    cJSON *c =
        ctx_page(p->s, file, p->g->label,
                 "How much of the run is this, and what can be done about it?", tmp);
    ctx_toc(c, "#what", "What can be done");
    ctx_toc(c, "#where", "Where the time goes");
    ctx_toc(c, "#all", "Operations");
    ctx_toc(c, "#callers", "Callers");
    ctx_toc(c, "#gaps", "What is not covered");
    add_answer(c, p, tmp);
    add_cards(c, p, tmp);
    add_findings(c, p, tmp);
    ctx_chart(c, "operations", p->s, CHART_OPERATIONS, p->index, tmp);
    ctx_chart(c, "durations", p->s, CHART_DURATIONS, p->index, tmp);
    ctx_chart(c, "efficiency", p->s, CHART_EFFICIENCY, p->index, tmp);
    ctx_chart(c, "roofline", p->s, CHART_ROOFLINE, p->index, tmp);
    add_operations(c, p, tmp);
    add_kernels(c, p, tmp);
    add_callers(c, p, tmp);
    add_kits(c, p);
    add_gaps(c, p, tmp);
    return ctx_write(p->s, file, "category_page.html", c, tmp, e);
}

bool site_category(struct site *s, struct arena tmp, struct err *e)
{
    for (int k = 0; k < s->r->n_categories; k++) {
        struct category_page p = {s, s->r, &s->r->categories[k], k};
        if (!write_category(&p, tmp, e))
            return false;
    }
    return true;
}
