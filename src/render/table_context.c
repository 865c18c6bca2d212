#include "render/table_context.h"

#include "base/arena.h"
#include "render/html_text.h"
#include "render/kernel_rows.h"
#include "render/op_rows.h"
#include "render/sentence.h"
#include "report/report_numbers.h"

#include <math.h>

cJSON *table_open(struct str table_id, struct str caption)
{
    cJSON *t = cJSON_CreateObject();
    ctx_text(t, "table_id", table_id);
    ctx_text(t, "caption", caption);
    ctx_bool(t, "filter", false);
    ctx_bool(t, "whole", false);
    ctx_text(t, "fold", S(""));
    ctx_bool(t, "csv", false);
    ctx_format(t, "span", "1");
    cJSON_AddArrayToObject(t, "columns");
    cJSON_AddArrayToObject(t, "rows");
    return t;
}

static cJSON *child(cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

void table_column(cJSON *table, const char *title, bool numeric)
{
    cJSON *column = cJSON_CreateObject();
    ctx_text(column, "title", str_of(title));
    ctx_bool(column, "numeric", numeric);
    cJSON_AddItemToArray(child(table, "columns"), column);
}

void table_sortable(cJSON *table)
{
    cJSON_ReplaceItemInObjectCaseSensitive(table, "filter", cJSON_CreateTrue());
    cJSON_ReplaceItemInObjectCaseSensitive(table, "whole", cJSON_CreateTrue());
}

cJSON *table_row(cJSON *table, struct str row_id)
{
    cJSON *row = cJSON_CreateObject();
    ctx_text(row, "row_id", row_id);
    cJSON_AddArrayToObject(row, "cells");
    cJSON_AddItemToArray(child(table, "rows"), row);
    return row;
}

static cJSON *add_cell(cJSON *row, struct str text, bool numeric)
{
    cJSON *cells = child(row, "cells"), *cell = cJSON_CreateObject();
    ctx_bool(cell, "head", cJSON_GetArraySize(cells) == 0);
    ctx_bool(cell, "numeric", numeric);
    ctx_text(cell, "text", text);
    cJSON_AddItemToArray(cells, cell);
    return cell;
}

void cell_text(cJSON *row, struct str text)
{
    add_cell(row, text, false);
}

void cell_number(cJSON *row, struct str text, double exact)
{
    ctx_sort_key(add_cell(row, isnan(exact) ? S("—") : text, true), "v", exact);
}

void cell_ms(cJSON *row, double ms, struct arena tmp)
{
    cell_number(row, number_ms(&tmp, ms), ms);
}

void cell_pct(cJSON *row, double pct, struct arena tmp)
{
    cell_number(row, number_pct(&tmp, pct), pct);
}

void cell_rate(cJSON *row, double v, struct arena tmp)
{
    cell_number(row, number_rate(&tmp, v), v);
}

void cell_count(cJSON *row, int64_t n, struct arena tmp)
{
    cell_number(row, str_printf(&tmp, "%lld", (long long)n), (double)n);
}

void cell_markup(cJSON *row, struct str html)
{
    template_markup(add_cell(row, S(""), false), "markup_html", html);
}

void cell_name(cJSON *row, struct str name, int max_chars, struct arena tmp)
{
    page_name(add_cell(row, S(""), false), "markup_html", name, max_chars, tmp);
}

void cell_brief(cJSON *row, struct str name, int max_chars, struct arena tmp)
{
    if (name.n)
        page_name(add_cell(row, S(""), false), "markup_html",
                  name_short(&tmp, name, max_chars), 0, tmp);
    else
        cell_text(row, S("—"));
}

void cell_sentence(cJSON *row, struct str text)
{
    sentence_put(add_cell(row, S(""), false), "markup_html", text);
}

void cell_link(cJSON *row, struct str href, struct str text)
{
    ctx_text(add_cell(row, text, false), "cell_href", href);
}

void cell_severity(cJSON *row, struct str level)
{
    page_severity(add_cell(row, S(""), false), "cell_severity", level);
}

void cell_category(cJSON *row, const struct report *r, struct str category,
                   struct str label)
{
    ctx_category(add_cell(row, S(""), false), "cell_category", r, category, label);
}

void cell_operation(cJSON *row, const struct report *r, int index, int name_chars,
                    int args_chars, struct arena tmp)
{
    const struct report_op *op = &r->ops[index];
    struct out o;
    out_memory(&o);
    out_printf(&o, "<a href=\"%.*s\">", STRF(op_href(&tmp, r, index)));
    html_name(&o, name_short(&tmp, op->name, name_chars));
    out_lit(&o, "</a>");
    if (op->args.n) {
        out_lit(&o, " <div class=\"detail\">");
        html_name(&o, name_short(&tmp, op->args, args_chars));
        out_lit(&o, "</div>");
    }
    cell_markup(row, out_view(&o));
    out_free(&o);
}

void cell_kernel(cJSON *row, const struct report *r, int index, int chars,
                 struct arena tmp)
{
    const struct report_kernel *k = &r->kernels[index];
    struct out o;
    out_memory(&o);
    out_printf(&o, "<a href=\"%.*s\">", STRF(kernel_href(&tmp, r, index)));
    html_name(&o, name_short(&tmp, k->name, chars));
    out_lit(&o, "</a>");
    cell_markup(row, out_view(&o));
    out_free(&o);
}

void table_fold(cJSON *table, struct str text)
{
    cJSON_DeleteItemFromObject(table, "fold");
    ctx_text(table, "fold", text);
    cJSON_DeleteItemFromObject(table, "span");
    ctx_format(table, "span", "%d", cJSON_GetArraySize(child(table, "columns")));
}

void table_csv(cJSON *table, const char *href, const char *name)
{
    cJSON_DeleteItemFromObject(table, "csv");
    cJSON *csv = cJSON_AddObjectToObject(table, "csv");
    ctx_text(csv, "href", str_of(href));
    ctx_text(csv, "name", str_of(name));
    ctx_text(csv, "size", S("CSV"));
}
