#include "export/json_tree.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "base/out.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* cJSON returns NULL only if malloc does; it has no other way to fail here. */
static void *made(void *item)
{
    if (!item)
        arena_full();
    return item;
}

/* Documents and pages take some 10^5 of them: cJSON's own calls for one more, and for
 * adding it, took twice as long. */
static cJSON *item_of(int type)
{
    cJSON *item = made(cJSON_malloc(sizeof *item));
    *item = (cJSON){.type = type};
    return item;
}

/* Without valueint: what reads trees of ours reads them from files. */
static cJSON *number_item(double v)
{
    cJSON *item = item_of(cJSON_Number);
    item->valuedouble = v;
    return item;
}

/* The text lies behind the item, in one block: to cJSON it is what the item only refers
 * to, so it is not freed apart. */
static cJSON *plain_item(struct str text)
{
    cJSON *item = made(cJSON_malloc(sizeof *item + (size_t)text.n + 1));
    char *copy = (char *)(item + 1);
    *item = (cJSON){.type = cJSON_String | cJSON_IsReference, .valuestring = copy};
    if (text.n)
        memcpy(copy, text.p, (size_t)text.n);
    copy[text.n] = '\0';
    return item;
}

static cJSON *text_item(struct str text)
{
    if (!text.n || !memchr(text.p, 0, (size_t)text.n))
        return plain_item(text);
    struct out o;
    out_memory(&o);
    for (ptrdiff_t i = 0; i < text.n; i++)
        if (text.p[i])
            out_char(&o, text.p[i]);
        else
            out_lit(&o, "\xEF\xBF\xBD");
    cJSON *item = plain_item(out_view(&o));
    out_free(&o);
    return item;
}

struct json_member json_branch(const char *key, cJSON *v)
{
    return (struct json_member){key, made(v)};
}

struct json_member json_text(const char *key, struct str v)
{
    return json_branch(key, text_item(v));
}

struct json_member json_plain_text(const char *key, struct str v)
{
    return json_branch(key, plain_item(v));
}

struct json_member json_null(const char *key)
{
    return json_branch(key, item_of(cJSON_NULL));
}

struct json_member json_int_or_null(const char *key, bool known, int64_t v)
{
    return known ? json_int(key, v) : json_null(key);
}

struct json_member json_opt(const char *key, struct str v)
{
    return v.n ? json_text(key, v) : json_null(key);
}

struct json_member json_c(const char *key, const char *v)
{
    return json_text(key, str_of(v));
}

struct json_member json_bool(const char *key, bool v)
{
    return json_branch(key, item_of(v ? cJSON_True : cJSON_False));
}

struct json_member json_int(const char *key, int64_t v)
{
    return json_exact(key, (double)v);
}

struct json_member json_exact(const char *key, double v)
{
    return isfinite(v) ? json_branch(key, number_item(v)) : json_null(key);
}

struct json_member json_fixed(const char *key, double v, int decimals)
{
    return json_exact(key, isfinite(v) ? number_rounded(v, decimals) : v);
}

struct json_member json_number(const char *key, double v)
{
    return json_fixed(key, v, key && str_ends(str_of(key), S("_ms")) ? 3 : 2);
}

struct json_member json_texts(const char *key, const struct str *texts, int n)
{
    cJSON *list = json_list();
    for (int k = 0; k < n; k++)
        json_push_text(list, texts[k]);
    return json_branch(key, list);
}

cJSON *json_new(void)
{
    return item_of(cJSON_Object);
}

cJSON *json_list(void)
{
    return item_of(cJSON_Array);
}

/* Nearly all keys are: a tree need not copy them. They are in the program's image,
 * which these two symbols of the linker enclose. */
static bool is_literal(const char *key)
{
    extern const char __executable_start, edata;
    return (uintptr_t)key >= (uintptr_t)&__executable_start &&
           (uintptr_t)key < (uintptr_t)&edata;
}

const char *json_key(struct arena *tmp, struct str name)
{
    return is_literal(name.p) && !name.p[name.n] ? name.p : str_c(tmp, name);
}

/* cJSON keeps items in a list whose first one points to the last. */
static void append(cJSON *list, cJSON *item)
{
    cJSON *first = list->child;
    if (!first) {
        list->child = item->prev = item;
        return;
    }
    item->prev = first->prev;
    first->prev->next = item;
    first->prev = item;
}

static void put_member(cJSON *o, const char *key, cJSON *v)
{
    assert(!v->string && !v->next);
    if (is_literal(key)) {
        v->string = (char *)(uintptr_t)key;
        v->type |= cJSON_StringIsConst;
    } else {
        size_t bytes = strlen(key) + 1;
        v->string = memcpy(made(cJSON_malloc(bytes)), key, bytes);
    }
    append(o, v);
}

cJSON *json_put_members(cJSON *o, const struct json_member *m)
{
    for (; m->value; m++)
        if (m->key)
            put_member(o, m->key, m->value);
        else
            cJSON_Delete(m->value);
    return o;
}

cJSON *json_put_object(cJSON *o, const char *key)
{
    cJSON *item = json_new();
    json_put(o, J(key, item));
    return item;
}

cJSON *json_put_array(cJSON *o, const char *key)
{
    cJSON *item = json_list();
    json_put(o, J(key, item));
    return item;
}

cJSON *json_push(cJSON *array, cJSON *item)
{
    append(array, item);
    return item;
}

void json_push_text(cJSON *array, struct str text)
{
    json_push(array, text_item(text));
}

/* About what it takes in a file, indented. */
static ptrdiff_t bytes_of(const cJSON *tree)
{
    enum { EACH = 16 };
    ptrdiff_t n = EACH;
    if (tree->string)
        n += (ptrdiff_t)strlen(tree->string);
    if (cJSON_IsString(tree))
        n += (ptrdiff_t)strlen(tree->valuestring);
    for (const cJSON *c = tree->child; c; c = c->next)
        n += bytes_of(c);
    return n;
}

cJSON *json_within(cJSON *item, ptrdiff_t *room)
{
    *room -= bytes_of(item);
    if (*room >= 0)
        return item;
    *room = -1;
    cJSON_Delete(item);
    return NULL;
}

bool json_push_within(cJSON *array, cJSON *item, ptrdiff_t *room)
{
    item = json_within(item, room);
    if (item)
        json_push(array, item);
    return item;
}

bool json_push_text_within(cJSON *array, struct str text, ptrdiff_t *room)
{
    return *room > text.n ? json_push_within(array, text_item(text), room)
                          : (*room = -1, false);
}

static int by_key(const void *a, const void *b)
{
    const cJSON *const *x = a, *const *y = b;
    return strcmp((*x)->string, (*y)->string);
}

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

cJSON *json_recorded(const struct value *v)
{
    switch (v ? v->kind : VALUE_NULL) {
    case VALUE_BOOL:
        return item_of(v->number != 0 ? cJSON_True : cJSON_False);
    case VALUE_NUMBER:
        return number_item(v->number);
    case VALUE_TEXT:
        return text_item(value_text(v));
    case VALUE_LIST: {
        cJSON *list = json_list();
        for (int i = 0; i < v->n; i++)
            json_push(list, json_recorded(&v->items[i]));
        return list;
    }
    default:
        return item_of(cJSON_NULL);
    }
}
