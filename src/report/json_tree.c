#include "report/json_tree.h"

#include "base/arena.h"
#include "base/out.h"
#include "report/report_numbers.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* cJSON returns NULL where malloc does; nothing else makes it fail here. */
static cJSON *made(cJSON *item)
{
    if (!item)
        arena_full();
    return item;
}

static cJSON *text_item(struct str text)
{
    struct out o;
    out_memory(&o);
    for (struct str rest = text; rest.n > 0;) {
        const char *nul = memchr(rest.p, 0, (size_t)rest.n);
        ptrdiff_t plain = nul ? nul - rest.p : rest.n;
        out_bytes(&o, rest.p, plain);
        if (nul)
            out_lit(&o, "\xEF\xBF\xBD");
        rest = str_skip(rest, plain + (nul != NULL));
    }
    out_char(&o, 0);
    cJSON *item = made(cJSON_CreateString(out_view(&o).p));
    out_free(&o);
    return item;
}

static void put(cJSON *o, const char *key, cJSON *item)
{
    if (!cJSON_AddItemToObject(o, key, made(item)))
        arena_full();
}

void json_put_text(struct cJSON *o, const char *key, struct str text)
{
    put(o, key, text_item(text));
}

void json_put_text_or_null(struct cJSON *o, const char *key, struct str text)
{
    put(o, key, text.n ? text_item(text) : cJSON_CreateNull());
}

void json_put_count(struct cJSON *o, const char *key, int64_t n)
{
    put(o, key, cJSON_CreateNumber((double)n));
}

void json_put_number(struct cJSON *o, const char *key, double v, int decimals)
{
    put(o, key,
        isfinite(v) ? cJSON_CreateNumber(number_rounded(v, decimals))
                    : cJSON_CreateNull());
}

void json_put_ms(struct cJSON *o, const char *key, double ms)
{
    json_put_number(o, key, ms, 3);
}

void json_put_us(struct cJSON *o, const char *key, double us)
{
    json_put_number(o, key, us, 2);
}

void json_put_pct(struct cJSON *o, const char *key, double pct)
{
    json_put_number(o, key, pct, 2);
}

void json_put_bool(struct cJSON *o, const char *key, bool v)
{
    put(o, key, cJSON_CreateBool(v));
}

void json_put_null(struct cJSON *o, const char *key)
{
    put(o, key, cJSON_CreateNull());
}

cJSON *json_put_object(cJSON *o, const char *key)
{
    cJSON *item = made(cJSON_CreateObject());
    put(o, key, item);
    return item;
}

cJSON *json_put_array(cJSON *o, const char *key)
{
    cJSON *item = made(cJSON_CreateArray());
    put(o, key, item);
    return item;
}

cJSON *json_push_object(cJSON *array)
{
    cJSON *item = made(cJSON_CreateObject());
    cJSON_AddItemToArray(array, item);
    return item;
}

void json_push_text(cJSON *array, struct str text)
{
    cJSON_AddItemToArray(array, text_item(text));
}

void json_put_texts(struct cJSON *o, const char *key, const struct str *texts, int n)
{
    cJSON *array = json_put_array(o, key);
    for (int k = 0; k < n; k++)
        json_push_text(array, texts[k]);
}

/* ---- order
 * ----------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const cJSON *const *x = a, *const *y = b;
    return strcmp((*x)->string, (*y)->string);
}

/* cJSON keeps members in a list whose first one points to the last. */
static void sort_members(cJSON *object)
{
    enum { MANY = 256 };
    cJSON *members[MANY];
    int n = 0;
    for (cJSON *c = object->child; c && n < MANY; c = c->next)
        members[n++] = c;
    if (n < 2 || members[n - 1]->next)
        return;
    qsort(members, (size_t)n, sizeof *members, by_key);
    for (int k = 0; k < n; k++) {
        members[k]->next = k + 1 < n ? members[k + 1] : NULL;
        members[k]->prev = members[k ? k - 1 : n - 1];
    }
    object->child = members[0];
}

void json_sort_keys(cJSON *tree)
{
    if (cJSON_IsObject(tree))
        sort_members(tree);
    for (cJSON *c = tree->child; c; c = c->next)
        json_sort_keys(c);
}
