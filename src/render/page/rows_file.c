#include "render/page/rows_file.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "export/json_text.h"
#include "render/page/kernel_names.h"
#include "render/page/row_context.h"
#include "render/text/html_text.h"
#include "report/finding_shown.h"

#include <math.h>

bool rows_wanted_operations(const struct report *r)
{
    bool wanted = r->n_ops > SITE_TABLE_ROWS;
    for (int k = 0; k < r->n_categories && !wanted; k++)
        wanted = r->categories[k].n_ops > SITE_CATEGORY_ROWS;
    return wanted;
}

bool rows_wanted_kernels(const struct report *r)
{
    return r->n_kernels > SITE_TABLE_ROWS;
}

/* At most `bytes` of it, whole characters. */
static struct str cut_name(struct arena *a, struct str clean, ptrdiff_t bytes)
{
    struct str rest = clean;
    ptrdiff_t kept = 0;
    if (clean.n <= bytes)
        return clean;
    while (kept <= bytes - 3) {
        utf8_next(&rest);
        if (clean.n - rest.n > bytes - 3)
            break;
        kept = clean.n - rest.n;
    }
    return str_printf(a, "%.*s…", STRF(str_head(clean, kept)));
}

/* "short","in full"; the latter empty where that is all. */
static void push_names(cJSON *list, struct str name, int chars, ptrdiff_t name_bytes,
                       struct arena tmp)
{
    struct str brief = name_short(&tmp, name, chars), full = name_repaired(&tmp, name);
    bool whole = str_eq(full, brief) || brief.n >= name_bytes;
    json_push_text(list, str_trim(brief).n ? brief : S("(no name)"));
    json_push_text(list, whole ? S("") : cut_name(&tmp, full, name_bytes));
}

/* As the page shows it. */
static void push_number(cJSON *row, double v, struct str text)
{
    json_push_text(row, isnan(v) ? S("—") : text);
}

static void push_count(cJSON *row, int64_t n, struct arena tmp)
{
    json_push_text(row, str_printf(&tmp, "%lld", (long long)n));
}

/* "12.23|12.234567": as shown, and the value to sort by if it has more digits. */
static void push_total(cJSON *row, double ms, struct arena tmp)
{
    char exact[32];
    struct str text = number_ms(&tmp, ms);
    struct str order = {exact, real_text(exact, round(ms * 1e6) / 1e6)};
    bool same = str_eq(text, order);
    json_push_text(row, same ? text
                             : str_printf(&tmp, "%.*s|%.*s", STRF(text), STRF(order)));
}

static cJSON *push_list(cJSON *list)
{
    cJSON *inner = json_list();
    json_push(list, inner);
    return inner;
}

static void push_link(cJSON *links, struct str text, struct str href)
{
    cJSON *link = push_list(links);
    json_push_text(link, text);
    json_push_text(link, href);
}

/* [slot, letter, label, page], as its mark has them. */
static void push_category(cJSON *list, struct json_member mark)
{
    cJSON *category = push_list(list), *part;
    cJSON_ArrayForEach(part, mark.value)
        json_push_text(category, str_of(part->valuestring));
    cJSON_Delete(mark.value);
}

/* Takes the categories. The page of a row follows from its number. */
static void put_head(struct out *o, cJSON *categories, const char *stem)
{
    out_lit(o, "window.tracefolioRows={\"categories\":");
    json_tree(o, categories, JSON_DATA);
    out_printf(o, ",\n\"page\":\"%s\",\"each\":%d,\"rows\":[", stem, SITE_TABLE_ROWS);
    cJSON_Delete(categories);
}

static void put_row(struct out *o, cJSON *row, bool first)
{
    out_c(o, first ? "\n" : ",\n");
    json_tree(o, row, JSON_DATA);
    cJSON_Delete(row);
}

static void push_finding(cJSON *row, const struct report *r, int finding,
                         struct arena tmp)
{
    cJSON *links = push_list(row);
    if (finding < 0)
        return;
    const struct report_finding *f = &r->findings[finding];
    push_link(links, finding_rank(f),
              str_printf(&tmp, "recommendations.html#%.*s", STRF(f->anchor)));
}

static void push_kit(cJSON *row, const struct report_op *op, struct arena tmp)
{
    cJSON *links = push_list(row);
    if (op->kit.n)
        push_link(links, S("package"), kit_href(&tmp, op->kit));
}

static void push_efficiency(cJSON *row, const struct report_op *op, struct arena tmp)
{
    double pct = op->row->efficiency.percent;
    struct str text = isnan(pct) ? S("—") : number_pct(&tmp, pct);
    if (isnan(pct) && !op->group->cost)
        text = S("no model");
    else if (op->row->efficiency.anomaly)
        text = str_printf(&tmp, "%.*s||⚠ above roof", STRF(text));
    json_push_text(row, text);
}

/* In the list of put_operations. */
static int category_place(const struct report_op *op)
{
    return op->category < 0 ? op->row->category == WORK_COPY : 2 + op->category;
}

static cJSON *op_cells(const struct report *r, int index, const struct op_part *part,
                       ptrdiff_t name_bytes, struct arena tmp)
{
    const struct report_op *op = &r->ops[index];
    const struct op_group *g = op->group;
    double spread_pct = report_op_spread_pct(op);
    cJSON *row = json_list(), *name = push_list(row);
    push_names(name, op->row->name, OP_NAME_CHARS, name_bytes, tmp);
    json_push_text(name, op->id);
    if (op->row->args.n)
        push_names(name, op->row->args, OP_ARGS_CHARS, name_bytes, tmp);
    json_push(row, cJSON_CreateNumber(category_place(op)));
    push_count(row, op->row->count, tmp);
    push_total(row, op->row->time_ms, tmp);
    push_number(row, op->share_pct, number_pct(&tmp, op->share_pct));
    push_efficiency(row, op, tmp);
    json_push_text(row, bound_word(op->row->efficiency.bound));
    push_finding(row, r, op->finding, tmp);
    push_number(row, op->cumulative_pct, number_pct(&tmp, op->cumulative_pct));
    push_number(row, op->row->mean_us, number_us(&tmp, op->row->mean_us));
    push_number(row, op->p95_us, number_us(&tmp, op->p95_us));
    push_number(row, spread_pct, number_fixed(&tmp, spread_pct, 1));
    push_number(row, g->flop_per_byte, number_fixed(&tmp, g->flop_per_byte, 2));
    push_number(row, g->tflop_per_s, number_fixed(&tmp, g->tflop_per_s, 2));
    push_number(row, g->tb_per_s, number_fixed(&tmp, g->tb_per_s, 3));
    push_count(row, g->n_kernels, tmp);
    push_kit(row, op, tmp);
    push_number(row, part->pct, number_pct(&tmp, part->pct));
    push_number(row, part->sum_pct, number_pct(&tmp, part->sum_pct));
    return row;
}

static void put_operations(struct out *o, const struct site *s, ptrdiff_t name_bytes,
                           struct arena tmp)
{
    const struct report *r = s->r;
    cJSON *categories = json_list();
    push_category(categories, row_category(r, WORK_COMMUNICATION));
    push_category(categories, row_category(r, WORK_COPY));
    for (int k = 0; k < r->n_categories; k++)
        push_category(categories, ctx_category("category", r, r->categories[k].id,
                                               r->categories[k].label));
    put_head(o, categories, "operations");
    const struct op_part *parts = op_parts(&tmp, r);
    for (int i = 0; i < report_listed(r->n_ops); i++)
        put_row(o, op_cells(r, i, &parts[i], name_bytes, tmp), i == 0);
    out_lit(o, "]};\n");
}

/* The categories of kernels, in the order of the first of each. */
static int kernel_categories(const struct report *r, enum work_category *list, int *of)
{
    int n = 0;
    for (int i = 0; i < r->n_kernels; i++) {
        int k = 0;
        while (k < n && list[k] != r->kernels[i].work)
            k++;
        if (k == n)
            list[n++] = r->kernels[i].work;
        of[i] = k;
    }
    return n;
}

static cJSON *kernel_cells(const struct report *r, int index,
                           const struct kernel_line *line, int category,
                           ptrdiff_t name_bytes, struct arena tmp)
{
    const struct report_kernel *k = &r->kernels[index];
    double pct = line->efficiency_pct;
    cJSON *row = json_list(), *name = push_list(row);
    json_push_text(name, str_trim(line->shown).n ? line->shown : S("(no name)"));
    json_push_text(name, cut_name(&tmp, name_repaired(&tmp, line->full), name_bytes));
    json_push_text(name, k->id);
    json_push_text(row, line->library.n ? line->library : S("—"));
    json_push(row, cJSON_CreateNumber(category));
    push_count(row, k->count, tmp);
    push_total(row, k->total_ms, tmp);
    push_number(row, k->share_pct, number_pct(&tmp, k->share_pct));
    push_number(row, pct, number_pct(&tmp, pct));
    json_push_text(row, bound_word(line->bound));
    push_finding(row, r, line->finding, tmp);
    push_number(row, k->mean_us, number_us(&tmp, k->mean_us));
    push_number(row, k->p95_us, number_us(&tmp, k->p95_us));
    cJSON *links = push_list(row);
    if (k->op.n)
        push_link(links, cut_name(&tmp, name_repaired(&tmp, kernel_op(k)), name_bytes),
                  line->op >= 0 && line->op < report_listed(r->n_ops)
                      ? op_href(&tmp, r, line->op)
                      : S("operations.html"));
    return row;
}

static void put_kernels(struct out *o, const struct site *s, ptrdiff_t name_bytes,
                        struct arena tmp)
{
    const struct report *r = s->r;
    enum work_category found[WORK_CATEGORIES];
    int *of = arena_new(&tmp, int, r->n_kernels);
    int n = kernel_categories(r, found, of);
    cJSON *categories = json_list();
    for (int k = 0; k < n; k++)
        push_category(categories, row_category(r, found[k]));
    put_head(o, categories, "kernels");
    for (int i = 0; i < report_listed(r->n_kernels); i++)
        put_row(o, kernel_cells(r, i, &s->kernels.at[i], of[i], name_bytes, tmp),
                i == 0);
    out_lit(o, "]};\n");
}

/* With names as long as the file size allows. */
static void put_fitting(struct out *o, const struct site *s,
                        void (*put)(struct out *, const struct site *, ptrdiff_t,
                                    struct arena),
                        struct arena tmp)
{
    for (ptrdiff_t bytes = ROWS_NAME_BYTES;; bytes /= 2) {
        struct out text;
        out_memory(&text);
        put(&text, s, bytes, tmp);
        bool done = out_view(&text).n <= ROWS_BYTES_MAX || bytes <= KERNEL_NAME_CHARS;
        if (done)
            out_str(o, out_view(&text));
        out_free(&text);
        if (done)
            return;
    }
}

void rows_operations(struct out *o, const struct site *s, struct arena tmp)
{
    put_fitting(o, s, put_operations, tmp);
}

void rows_kernels(struct out *o, const struct site *s, struct arena tmp)
{
    put_fitting(o, s, put_kernels, tmp);
}
