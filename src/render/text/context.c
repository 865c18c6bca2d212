#include "render/text/context.h"

#include "base/out.h"
#include "base/plain_run.h"
#include "render/text/html_text.h"
#include "render/text/seen.h"

#include <assert.h>

struct json_member context_text(const char *key, struct str v)
{
    struct out o;
    if (plain_run(v, "") == v.n)
        return json_plain_text(key, v);
    out_memory(&o);
    text_repair(&o, v);
    struct json_member m = json_text(key, out_view(&o));
    out_free(&o);
    return m;
}

enum { IS_NAME = 1 << 10 }; /* beside cJSON's own flags */

struct json_member context_name(const char *key, struct str name)
{
    struct json_member m = context_text(key, name);
    m.value->type |= IS_NAME;
    return m;
}

bool context_is_name(const cJSON *v)
{
    return cJSON_IsString(v) && v->type & IS_NAME;
}

struct json_member context_texts(const char *key, const struct str *texts, int n)
{
    cJSON *list = json_list();
    for (int i = 0; i < n; i++)
        json_push(list, context_text(key, texts[i]).value);
    return json_branch(key, list);
}

struct json_member context_some(const char *key, int64_t n)
{
    return n > 0 ? json_int(key, n) : json_null(key);
}

struct json_member context_pair(const char *key, double a, double b)
{
    return json_branch(key, cJSON_CreateDoubleArray((const double[]){a, b}, 2));
}

struct json_member context_word(const char *key, struct str word)
{
    return json_branch(key, json_object(json_bool(word.n ? word.p : "none", true)));
}

struct json_member context_ref(const char *key, const cJSON *o)
{
    return o ? json_branch(key, cJSON_CreateObjectReference(o->child)) : json_null(key);
}

struct json_member context_listed(const char *key, cJSON *list, int64_t more)
{
    if (list->child)
        return json_branch(
            key, json_object(json_branch("list", list), context_some("more", more)));
    cJSON_Delete(list);
    return json_null(key);
}

struct json_member context_items(const char *key, const struct str *texts, int n)
{
    return n ? M(key, json_object(context_texts("items", texts, n))) : json_null(key);
}

struct json_member context_taken(const char *key, struct out *o)
{
    assert(str_ends(str_of(key), S("_html")));
    out_char(o, '\0');
    cJSON *markup = cJSON_CreateRaw(out_view(o).p);
    out_free(o);
    return json_branch(key, markup);
}

struct json_member context_markup(const char *key, struct str html)
{
    struct out o;
    out_memory(&o);
    out_str(&o, html);
    return context_taken(key, &o);
}

cJSON *context_lend(cJSON *o, const struct description *d, const void *of,
                    const void *whole)
{
    cJSON *lent = seen_lent(d, of, whole), *before = NULL, *next = o->child;
    for (; next && !next->string; next = next->next)
        before = next;
    if (!next) {
        json_push(o, lent);
        return o;
    }
    lent->next = next;
    lent->prev = next->prev; /* of the first, it is the last */
    next->prev = lent;
    if (before)
        before->next = lent;
    else
        o->child = lent;
    return o;
}

cJSON *context_get(const cJSON *o, const char *key)
{
    for (cJSON *item = o->child; item; item = item->next)
        if (item->string && str_eq(str_of(item->string), str_of(key)))
            return item;
    return NULL;
}

struct json_member context_told(const char *key, const struct description *d,
                                const void *of, const void *whole)
{
    return of ? json_branch(key, context_lend(json_new(), d, of, whole))
              : json_null(key);
}

void context_push_ref(cJSON *list, const cJSON *item)
{
    json_push(list, cJSON_CreateObjectReference(item->child));
}

cJSON *context_push(cJSON *list)
{
    return json_push(list, json_new());
}
