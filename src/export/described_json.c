#include "export/described_json.h"

#include "export/json_tree.h"

#include <cjson/cJSON.h>
#include <math.h>

static struct json_member whole_member(const struct field *f, const char *key,
                                       int64_t v)
{
    switch (f->unit) {
    case FIELD_UNIT_KNOWN:
        return json_int_or_null(key, v >= 0, v);
    case FIELD_UNIT_SOME:
        return json_int_or_null(key, v > 0, v);
    case FIELD_UNIT_NS_IN_MS:
        return json_fixed(key, field_told(f->unit, (double)v), 3);
    default:
        return json_int(key, v);
    }
}

static struct json_member real_member(const struct field *f, const char *key, double v)
{
    switch (f->unit) {
    case FIELD_UNIT_MS_IN_NS:
        return isfinite(v) ? json_int(key, (int64_t)llround(field_told(f->unit, v)))
                           : json_null(key);
    case FIELD_UNIT_EXACT:
        return json_exact(key, v);
    case FIELD_UNIT_FINE:
        return json_fixed(key, v, 4);
    case FIELD_UNIT_MS:
    case FIELD_UNIT_US_IN_MS:
        return json_fixed(key, field_told(f->unit, v), 3);
    default:
        return json_fixed(key, field_told(f->unit, v), 2);
    }
}

static struct json_member text_member(const struct field *f, const char *key,
                                      struct str v, const struct json_walk *w)
{
    if (w->text)
        v = w->text(w->tmp, v);
    return f->unit == FIELD_UNIT_TEXT ? json_text(key, v) : json_opt(key, v);
}

static struct json_member value_member(const struct field *f, const char *key,
                                       struct field_value v, const struct json_walk *w);

static struct field_value value_of(const struct field *f, const void *of,
                                   const struct json_walk *w)
{
    return field_value(f, &(struct described){of, w->whole, w->tmp});
}

/* An item that is itself a text or a number is no object. */
static cJSON *item_json(const struct description *d, const void *of,
                        const struct json_walk *w)
{
    const struct field *f = d->fields;
    if (f->name || f->item)
        return described_json(d, of, w);
    return value_member(f, NULL, value_of(f, of, w), w).value;
}

static cJSON *list_json(const struct field *f, const struct field_items *items,
                        const struct json_walk *w)
{
    cJSON *list = json_list();
    ptrdiff_t room = f->room_bytes ? f->room_bytes : PTRDIFF_MAX;
    for (int k = 0; k < items->n && room > 0; k++) {
        cJSON *item = item_json(f->item(), field_item(items, k), w);
        if (f->room_bytes)
            json_push_within(list, item, &room);
        else
            json_push(list, item);
    }
    return list;
}

static cJSON *map_json(const struct field *f, const struct field_items *items,
                       const struct json_walk *w)
{
    const struct description *d = f->item();
    const struct description rest = {d->bytes, d->n - 1, d->fields + 1};
    cJSON *o = json_new();
    for (int k = 0; k < items->n; k++) {
        struct arena tmp = *w->tmp;
        const struct json_walk within = {w->whole, w->names, &tmp, w->text};
        const void *item = field_item(items, k);
        const char *key = json_key(&tmp, value_of(d->fields, item, &within).text);
        json_put(o, json_branch(key, item_json(&rest, item, &within)));
    }
    return o;
}

static cJSON *items_json(const struct field *f, const void *of,
                         const struct json_walk *w)
{
    struct field_items items =
        field_items(f, &(struct described){of, w->whole, w->tmp});
    return f->keyed ? map_json(f, &items, w) : list_json(f, &items, w);
}

static struct json_member value_member(const struct field *f, const char *key,
                                       struct field_value v, const struct json_walk *w)
{
    switch (v.kind) {
    case FIELD_BOOL:
        return json_bool(key, v.flag);
    case FIELD_I32:
    case FIELD_I64:
        return whole_member(f, key, v.whole);
    case FIELD_REAL:
        return real_member(f, key, v.real);
    case FIELD_TEXT:
        return text_member(f, key, v.text, w);
    default:
        return v.item ? json_branch(key, described_json(f->item(), v.item, w))
                      : json_null(key);
    }
}

/* NULL: the member is left out; empty: its members are told instead. */
static const char *key_of(const struct field *f, const struct json_walk *w)
{
    const struct json_name *n = w->names;
    if (!f->name)
        return "";
    while (n && n->name && strcmp(n->name, f->name) != 0)
        n++;
    return n && n->name ? n->as : f->name;
}

static void put_field(cJSON *o, const struct field *f, const void *of,
                      const struct json_walk *w)
{
    struct arena tmp = w->tmp ? *w->tmp : (struct arena){0};
    struct json_walk within = {w->whole, w->names, w->tmp ? &tmp : NULL, w->text};
    const char *key = key_of(f, w);
    if (!key)
        return;
    if (f->kind == FIELD_LIST) {
        json_put(o, json_branch(key, items_json(f, of, &within)));
        return;
    }
    struct field_value v = value_of(f, of, &within);
    if (*key)
        json_put(o, value_member(f, key, v, &within));
    else if (v.item)
        json_put_described(o, f->item(), v.item, &within);
}

cJSON *json_put_described(cJSON *o, const struct description *d, const void *of,
                          const struct json_walk *w)
{
    for (const struct field *f = d->fields; f < d->fields + d->n; f++)
        put_field(o, f, of, w);
    return o;
}

cJSON *described_json(const struct description *d, const void *of,
                      const struct json_walk *w)
{
    return json_put_described(json_new(), d, of, w);
}

cJSON *document_json(const struct description *d, const void *of, struct arena tmp)
{
    return described_json(d, of, &(struct json_walk){.whole = of, .tmp = &tmp});
}
