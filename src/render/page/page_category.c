/* category-*.html: one category of operations, from its share to its callers. */
#include "render/page/finding_context.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "base/int_map.h"
#include "base/out.h"
#include "base/table_seed.h"
#include "report/page_shown.h"
#include "report/report_detail.h"

#include <math.h>
#include <stdlib.h>

enum { KERNELS_MAX = 50, CALLERS_MAX = 20 };

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

static void add_numbers(cJSON *c, const struct category_page *p)
{
    context_lend(c, shown_category_fields(), p->g, p->r);
    json_put(c, context_pair("unmodelled", p->g->unmodelled_ms,
                             100.0 * p->g->unmodelled_ms / p->g->time_ms));
}

static const struct report_section *section_of(const struct category_page *p)
{
    const struct report_detail *d = p->r->detail;
    for (int k = 0; d && k < d->n_sections; k++)
        if (str_eq(work_category_name(d->sections[k].of->category), p->g->id))
            return &d->sections[k];
    return NULL;
}

/* Of this category, or about an operation of it: a block of attention, whose products
 * are matrix products. */
static bool touches(const struct category_page *p, const struct report_finding *f)
{
    if (str_eq(work_category_name(f->of->category), p->g->id))
        return true;
    for (int k = 0; k < f->n_ops; k++)
        if (p->r->ops[f->ops[k]].category == p->index)
            return !f->of->informational;
    return false;
}

static void add_findings(cJSON *c, const struct category_page *p)
{
    cJSON *list = json_put_array(c, "findings");
    for (int k = 0; k < p->r->n_findings; k++)
        if (touches(p, &p->r->findings[k]))
            finding_line(list, p->r, &p->r->findings[k]);
    json_put(c, json_bool("has_findings", cJSON_GetArraySize(list) > 0));
    const struct report_section *section = section_of(p);
    if (section)
        json_put(c, context_items("notes", section->of->notes, section->of->n_notes));
}

static void add_operations(cJSON *c, const struct category_page *p, struct arena tmp)
{
    const struct report_category *g = p->g;
    double rest_ms = 0.0;
    cJSON *rows = json_put_array(c, "rows");
    const struct op_part *parts = op_parts(&tmp, p->r);
    if (g->n_ops)
        op_columns(c, p->r, g->ops, g->n_ops, tmp);
    for (int k = 0; k < g->n_ops; k++)
        if (k < SITE_CATEGORY_ROWS)
            op_table_row(rows, p->r, g->ops[k], parts, tmp);
        else
            rest_ms += op_at(p, k)->row->time_ms;
    json_put(c, json_bool("has_rows", g->n_ops > 0),
             json_bool("whole", g->n_ops <= SITE_CATEGORY_ROWS),
             M("rows_of", category_slug(g)),
             context_some("left", g->n_ops - SITE_CATEGORY_ROWS), M("rest_ms", rest_ms),
             M("rest_pct", 100.0 * rest_ms / g->time_ms));
    ctx_csv(c, p->s, "unified_perf_summary", tmp);
}

static void add_kernels(cJSON *c, const struct category_page *p, struct arena tmp)
{
    const struct report_category *g = p->g;
    double rest_ms = 0.0;
    if (!g->n_kernels)
        return;
    cJSON *kernels = json_put_object(c, "kernels");
    cJSON *rows = json_put_array(kernels, "rows");
    for (int k = 0; k < g->n_kernels; k++) {
        const struct report_part *x = &g->kernels[k];
        if (k >= KERNELS_MAX) {
            rest_ms += x->total_ms;
            continue;
        }
        bool listed = x->kernel >= 0;
        json_put(
            context_lend(context_push(rows), shown_part_fields(), x, p->r),
            M("href", listed ? kernel_href(&tmp, p->r, x->kernel) : S("")),
            context_name("name", listed ? p->s->kernels.at[x->kernel].shown : x->name),
            N(x, op));
    }
    json_put(kernels, context_some("left", g->n_kernels - KERNELS_MAX),
             M("rest_ms", rest_ms), M("rest_pct", 100.0 * rest_ms / g->time_ms));
}

struct caller {
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
    struct out text;
    out_memory(&text);
    for (int k = 0; k + 1 < op->row->n_modules; k++) {
        out_c(&text, k ? " › " : "");
        out_str(&text, op->row->module_chain[k]);
    }
    return out_text(&text, a);
}

static int64_t chain_key(const struct report_op *op)
{
    uint64_t key = (uint64_t)op->row->n_modules;
    for (int k = 0; k < op->row->n_modules; k++)
        key = hash_fold(key ^ str_hash(op->row->module_chain[k]), 0x9e3779b97f4a7c15u);
    return (int64_t)key;
}

/* The innermost module, by its whole path. */
static int collect_callers(struct arena *a, const struct category_page *p,
                           struct caller **out)
{
    struct caller *list = arena_new(a, struct caller, p->g->n_ops);
    struct int_map callers = int_map_make(a, p->g->n_ops);
    int n = 0;
    for (int k = 0; k < p->g->n_ops; k++) {
        int32_t *i = int_map_at(&callers, a, chain_key(op_at(p, k)));
        if (*i < 0) {
            *i = n;
            list[n++] = (struct caller){.first = k};
        }
        list[*i].ms += op_at(p, k)->row->time_ms;
        list[*i].operations++;
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
        known = op_at(p, k)->row->n_modules > 0;
    if (!known)
        return;
    struct caller *list;
    int n = collect_callers(&tmp, p, &list);
    double rest_ms = 0.0;
    cJSON *callers = json_put_object(c, "callers");
    cJSON *rows = json_put_array(callers, "rows");
    for (int k = 0; k < n; k++) {
        if (k >= CALLERS_MAX) {
            rest_ms += list[k].ms;
            continue;
        }
        const struct report_op *op = op_at(p, list[k].first);
        int n_modules = op->row->n_modules;
        json_row(rows,
                 M("module", n_modules ? op->row->module_chain[n_modules - 1] : S("")),
                 M("chain", chain_text(&tmp, op)), F(&list[k], operations),
                 M("time_ms", list[k].ms),
                 M("share_pct", 100.0 * list[k].ms / p->g->time_ms));
    }
    json_put(callers, context_some("left", n - CALLERS_MAX), M("rest_ms", rest_ms),
             M("rest_pct", 100.0 * rest_ms / p->g->time_ms));
}

static void add_kits(cJSON *c, const struct category_page *p, struct arena tmp)
{
    cJSON *list = json_put_array(c, "kits");
    for (int k = 0; k < p->g->n_ops; k++) {
        const struct report_op *op = op_at(p, k);
        bool seen = op->kit.n == 0;
        for (int i = 0; i < k && !seen; i++)
            seen = str_eq(op_at(p, i)->kit, op->kit);
        if (!seen)
            json_row(list, M("href", op->kit),
                     M("name", str_skip(op->kit, S("replay_packages/").n)),
                     M("bytes", ctx_bytes(p->s, tmp, op->kit)));
    }
    json_put(c, json_bool("has_kits", cJSON_GetArraySize(list) > 0));
}

static bool write_category(struct category_page *p, struct arena tmp, struct err *e)
{
    const char *file = str_c(&tmp, p->g->page);
    cJSON *c = ctx_page(p->s, file);
    add_numbers(c, p);
    add_findings(c, p);
    ctx_chart(c, "operations", p->s, CHART_OPERATIONS, p->index, tmp);
    ctx_chart(c, "durations", p->s, CHART_DURATIONS, p->index, tmp);
    if (p->g->unmodelled_ms <= p->g->time_ms / 2)
        ctx_chart(c, "efficiency", p->s, CHART_EFFICIENCY, p->index, tmp);
    ctx_chart(c, "roofline", p->s, CHART_ROOFLINE, p->index, tmp);
    add_operations(c, p, tmp);
    add_kernels(c, p, tmp);
    add_callers(c, p, tmp);
    add_kits(c, p, tmp);
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
