#include "render/rows_file.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "render/html_text.h"
#include "render/json_text.h"
#include "render/kernel_rows.h"
#include "render/op_rows.h"

/* What is written, and how many bytes of a name in full. */
struct rows {
    struct out *o;
    const struct report *r;
    ptrdiff_t name_bytes;
};

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

static struct str text_at(const cJSON *object, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(v) ? str_of(v->valuestring) : S("");
}

static bool is_true(const cJSON *object, const char *key)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* ---- cells ---- */

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
static void put_names(struct rows *w, struct str name, int chars, struct arena tmp)
{
    struct out clean;
    struct str brief = name_short(&tmp, name, chars);
    out_memory(&clean);
    text_repair(&clean, str_head(name, HTML_NAME_BYTES_MAX));
    struct str full = out_view(&clean);
    json_data_string(w->o, str_trim(brief).n ? brief : S("(no name)"));
    out_char(w->o, ',');
    json_data_string(w->o, str_eq(full, brief) || brief.n >= w->name_bytes
                               ? S("")
                               : cut_name(&tmp, full, w->name_bytes));
    out_free(&clean);
}

static void put_cell(struct rows *w, struct str text)
{
    out_char(w->o, ',');
    json_data_string(w->o, text);
}

/* "12.23|12.234567": as it is shown, and what it is ordered by where that is more. */
static void put_number(struct rows *w, const cJSON *row, const char *key,
                       const char *exact_key, const char *remark, struct arena tmp)
{
    struct str text = text_at(row, key), exact = text_at(row, exact_key);
    bool same = str_eq(text, exact) || exact.n == 0;
    struct str cell = same && !*remark
                          ? text
                          : str_printf(&tmp, "%.*s|%.*s", STRF(text), STRF(exact));
    if (*remark)
        cell = str_printf(&tmp, "%.*s|%s", STRF(cell), remark);
    put_cell(w, cell);
}

static void put_link(struct rows *w, struct str text, struct str href)
{
    out_char(w->o, '[');
    json_data_string(w->o, text);
    put_cell(w, href);
    out_char(w->o, ']');
}

static void put_category(struct rows *w, const cJSON *holder)
{
    const cJSON *mark = cJSON_GetObjectItemCaseSensitive(holder, "category");
    out_char(w->o, '[');
    json_data_string(w->o, text_at(mark, "slot"));
    put_cell(w, text_at(mark, "letter"));
    put_cell(w, text_at(mark, "label"));
    put_cell(w, text_at(mark, "cat_href"));
    out_char(w->o, ']');
}

/* The page of a row follows from its number. */
static void put_rows_head(struct rows *w, const char *stem)
{
    out_printf(w->o, "],\n\"page\":\"%s\",\"each\":%d,\"rows\":[", stem,
               SITE_TABLE_ROWS);
}

/* ---- operations ---- */

static void put_op_links(struct rows *w, const cJSON *row)
{
    const cJSON *finding = cJSON_GetObjectItemCaseSensitive(row, "finding");
    const cJSON *kit = cJSON_GetObjectItemCaseSensitive(row, "kit");
    out_lit(w->o, ",[");
    if (cJSON_IsObject(finding))
        put_link(w, text_at(finding, "rank"), text_at(finding, "link"));
    if (cJSON_IsObject(finding) && cJSON_IsObject(kit))
        out_char(w->o, ',');
    if (cJSON_IsObject(kit))
        put_link(w, text_at(kit, "name"), text_at(kit, "href"));
    out_lit(w->o, "]]");
}

static void put_op(struct rows *w, int index, struct arena tmp)
{
    const struct report_op *op = &w->r->ops[index];
    cJSON *row = cJSON_CreateObject();
    op_facts(row, w->r, op, tmp);
    out_lit(w->o, "[[");
    put_names(w, op->name, OP_NAME_CHARS, tmp);
    put_cell(w, op->id);
    if (op->args.n) {
        out_char(w->o, ',');
        put_names(w, op->args, OP_ARGS_CHARS, tmp);
    }
    out_printf(w->o, "],%d", op->category + 1); /* the first is communication */
    put_number(w, row, "launches", "", "", tmp);
    put_number(w, row, "total", "total_v", "", tmp);
    put_number(w, row, "share", "", "", tmp);
    put_number(w, row, "cumulative", "", "", tmp);
    put_number(w, row, "mean", "", "", tmp);
    put_number(w, row, "p95", "", "", tmp);
    put_number(w, row, "spread", "", "", tmp);
    put_number(w, row, "intensity", "", "", tmp);
    put_number(w, row, "tflops", "", "", tmp);
    put_number(w, row, "tbs", "", "", tmp);
    if (is_true(row, "no_model"))
        put_cell(w, S("no model"));
    else
        put_number(w, row, "efficiency", "", op->anomaly ? "⚠ above roof" : "", tmp);
    put_cell(w, text_at(row, "bound"));
    put_number(w, row, "kernels", "", "", tmp);
    put_op_links(w, row);
    cJSON_Delete(row);
}

static void put_operations(struct rows *w, struct arena tmp)
{
    const struct report *r = w->r;
    out_lit(w->o, "window.tracefolioRows={\"categories\":[");
    for (int k = -1; k < r->n_categories; k++) {
        cJSON *holder = cJSON_CreateObject();
        if (k >= 0)
            out_char(w->o, ',');
        op_category(holder, r, k);
        put_category(w, holder);
        cJSON_Delete(holder);
    }
    put_rows_head(w, "operations");
    for (int i = 0; i < r->n_ops; i++) {
        out_c(w->o, i ? ",\n" : "\n");
        put_op(w, i, tmp);
    }
    out_lit(w->o, "]};\n");
}

/* ---- kernels ---- */

/* The distinct categories of kernels, in the order of the first of each. */
static int kernel_categories(const struct report *r, struct str *list, int *of)
{
    int n = 0;
    for (int i = 0; i < r->n_kernels; i++) {
        int k = 0;
        while (k < n && !str_eq(list[k], r->kernels[i].category))
            k++;
        if (k == n)
            list[n++] = r->kernels[i].category;
        of[i] = k;
    }
    return n;
}

static void put_kernel(struct rows *w, int index, int category, struct arena tmp)
{
    const struct report_kernel *k = &w->r->kernels[index];
    cJSON *row = cJSON_CreateObject();
    kernel_facts(row, k, tmp);
    out_lit(w->o, "[[");
    put_names(w, k->name, KERNEL_NAME_CHARS, tmp);
    put_cell(w, k->id);
    out_char(w->o, ']');
    put_cell(w, text_at(row, "library"));
    out_printf(w->o, ",%d", category);
    put_number(w, row, "launches", "", "", tmp);
    put_number(w, row, "total", "total_v", "", tmp);
    put_number(w, row, "share", "", "", tmp);
    put_number(w, row, "mean", "", "", tmp);
    put_number(w, row, "p95", "", "", tmp);
    out_lit(w->o, ",[");
    const cJSON *op =
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(row, "operations"), 0);
    if (op)
        put_link(w, cut_name(&tmp, text_at(op, "name"), w->name_bytes),
                 text_at(op, "link"));
    out_lit(w->o, "]]");
    cJSON_Delete(row);
}

static void put_kernels(struct rows *w, struct arena tmp)
{
    const struct report *r = w->r;
    struct str *categories = arena_new(&tmp, struct str, r->n_kernels);
    int *of = arena_new(&tmp, int, r->n_kernels);
    int n = kernel_categories(r, categories, of);
    out_lit(w->o, "window.tracefolioRows={\"categories\":[");
    for (int k = 0; k < n; k++) {
        cJSON *holder = cJSON_CreateObject();
        if (k)
            out_char(w->o, ',');
        page_category(holder, "category", categories[k], categories[k]);
        put_category(w, holder);
        cJSON_Delete(holder);
    }
    put_rows_head(w, "kernels");
    for (int i = 0; i < r->n_kernels; i++) {
        out_c(w->o, i ? ",\n" : "\n");
        put_kernel(w, i, of[i], tmp);
    }
    out_lit(w->o, "]};\n");
}

/* ---- either ---- */

/* With names as long as the file has room for. */
static void put_fitting(struct out *o, const struct report *r,
                        void (*put)(struct rows *, struct arena), struct arena tmp)
{
    for (ptrdiff_t bytes = ROWS_NAME_BYTES;; bytes /= 2) {
        struct out text;
        out_memory(&text);
        struct rows w = {&text, r, bytes};
        put(&w, tmp);
        bool done = out_view(&text).n <= ROWS_BYTES_MAX || bytes <= KERNEL_NAME_CHARS;
        if (done)
            out_str(o, out_view(&text));
        out_free(&text);
        if (done)
            return;
    }
}

void rows_operations(struct out *o, const struct report *r, struct arena tmp)
{
    put_fitting(o, r, put_operations, tmp);
}

void rows_kernels(struct out *o, const struct report *r, struct arena tmp)
{
    put_fitting(o, r, put_kernels, tmp);
}
