#include "render/kernel_rows.h"

#include "base/arena.h"

struct str kernel_href(struct arena *a, const struct report *r, int index)
{
    struct str page = site_part_name(a, "kernels", index / SITE_TABLE_ROWS + 1);
    return str_printf(a, "%.*s#%.*s", STRF(page), STRF(r->kernels[index].id));
}

void kernel_facts(cJSON *row, const struct report_kernel *k, struct arena tmp)
{
    ctx_text(row, "library", S(""));
    ctx_format(row, "launches", "%lld", (long long)k->count);
    ctx_ms(row, "total", k->total_ms, tmp);
    ctx_sort_key(row, "total_v", k->total_ms);
    ctx_pct(row, "share", k->share_pct, tmp);
    ctx_sort_key(row, "share_v", k->share_pct);
    ctx_fixed(row, "mean", k->mean_us, 2);
    ctx_sort_key(row, "mean_v", k->mean_us);
    ctx_fixed(row, "p95", k->p95_us, 2);
    ctx_sort_key(row, "p95_v", k->p95_us);
    cJSON *ops = cJSON_AddArrayToObject(row, "operations");
    if (k->op.n) {
        cJSON *op = cJSON_CreateObject();
        ctx_text(op, "name", str_trim(k->op).n ? k->op : S("(no name)"));
        ctx_text(op, "link", S("operations.html"));
        cJSON_AddItemToArray(ops, op);
    }
}

void kernel_row(cJSON *rows, const struct report_kernel *k, struct arena tmp)
{
    cJSON *row = cJSON_CreateObject();
    ctx_text(row, "row_id", k->id);
    page_name(row, "name_html", k->name, KERNEL_NAME_CHARS, tmp);
    page_category(row, "category", k->category, k->category);
    kernel_facts(row, k, tmp);
    cJSON_AddItemToArray(rows, row);
}
