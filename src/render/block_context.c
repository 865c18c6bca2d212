#include "render/block_context.h"

#include "base/arena.h"

cJSON *block_open(cJSON *page, const char *block_id, const char *title,
                  const char *about)
{
    char href[64] = "#";
    for (int k = 0; block_id[k] && k < 60; k++)
        href[k + 1] = block_id[k];
    cJSON *list = cJSON_GetObjectItemCaseSensitive(page, "blocks");
    if (!list)
        list = cJSON_AddArrayToObject(page, "blocks");
    cJSON *b = cJSON_CreateObject();
    ctx_text(b, "block_id", str_of(block_id));
    ctx_text(b, "title", str_of(title));
    ctx_text(b, "about", str_of(about));
    ctx_text(b, "empty", S(""));
    cJSON_AddArrayToObject(b, "figures");
    cJSON_AddArrayToObject(b, "tables");
    cJSON_AddArrayToObject(b, "findings");
    cJSON_AddArrayToObject(b, "remarks");
    ctx_bool(b, "has_figures", false);
    ctx_bool(b, "has_findings", false);
    ctx_bool(b, "has_remarks", false);
    cJSON_AddItemToArray(list, b);
    ctx_toc(page, href, title);
    return b;
}

static cJSON *list_of(cJSON *block, const char *key, const char *has)
{
    if (has)
        cJSON_ReplaceItemInObjectCaseSensitive(block, has, cJSON_CreateTrue());
    return cJSON_GetObjectItemCaseSensitive(block, key);
}

void block_empty(cJSON *block, struct str why)
{
    cJSON_DeleteItemFromObjectCaseSensitive(block, "empty");
    ctx_text(block, "empty", why);
}

void block_chart(cJSON *block, const struct site *s, enum chart_subject subject,
                 struct arena tmp)
{
    const struct chart_file *chart = chart_find(s->charts, subject, -1);
    if (!chart || chart->figure.empty.n) {
        block_empty(block, chart ? chart->figure.empty : S("Not available."));
        return;
    }
    cJSON *item = cJSON_CreateObject();
    ctx_chart(item, "figure", s, subject, -1, tmp);
    cJSON_AddItemToArray(list_of(block, "figures", "has_figures"), item);
}

void block_table(cJSON *block, cJSON *table)
{
    cJSON_AddItemToArray(list_of(block, "tables", NULL), table);
}

void block_finding(cJSON *block, cJSON *finding)
{
    cJSON_AddItemToArray(list_of(block, "findings", "has_findings"), finding);
}

void block_remark(cJSON *block, struct str text)
{
    cJSON *holder = cJSON_CreateObject();
    ctx_text(holder, "text", text); /* repaired, as every text of a context */
    cJSON_AddItemToArray(list_of(block, "remarks", "has_remarks"),
                         cJSON_DetachItemFromObjectCaseSensitive(holder, "text"));
    cJSON_Delete(holder);
}
