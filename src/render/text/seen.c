#include "render/text/seen.h"

#include "base/arena.h"
#include "base/describe.h"
#include "render/text/html_text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Behind the node, in one block: to cJSON it is what the node only refers to. */
struct lent {
    const struct description *d;
    const void *of, *whole;
};

cJSON *seen_lent(const struct description *d, const void *of, const void *whole)
{
    cJSON *item = cJSON_malloc(sizeof *item + sizeof(struct lent));
    if (!item)
        arena_full();
    struct lent *lent = (struct lent *)(void *)(item + 1);
    *lent = (struct lent){d, of, whole};
    *item = (cJSON){.type = cJSON_Raw | cJSON_IsReference, .valuestring = (char *)lent};
    return item;
}

static int kind_of(const cJSON *v)
{
    return v ? v->type & 0xff : cJSON_NULL;
}

/* The first of its members, if any. */
bool seen_lends(const cJSON *object)
{
    return kind_of(object) == cJSON_Object && object->child && !object->child->string;
}

const cJSON *seen_among(const cJSON *from, const cJSON *end, struct str key)
{
    /* Most differ in the first two letters. */
    const char first = key.p[0], second = key.n > 1 ? key.p[1] : '\0';
    for (const cJSON *item = from; item != end; item = item->next)
        if (item->string && item->string[0] == first && item->string[1] == second &&
            strncmp(item->string, key.p, (size_t)key.n) == 0 &&
            item->string[key.n] == '\0')
            return item;
    return NULL;
}

/* What is a struct, or points to one, is that struct. */
static struct seen of_field(const struct field *f, const void *of, const void *whole)
{
    bool is_struct = f->kind == FIELD_STRUCT || f->kind == FIELD_POINTER ||
                     (f->kind == FIELD_CALL && f->tells == FIELD_POINTER);
    if (!is_struct)
        return (struct seen){.f = f, .of = of, .whole = whole};
    const void *item = field_value(f, &(struct described){of, whole, NULL}).item;
    return item ? (struct seen){.d = f->item(), .of = item, .whole = whole}
                : (struct seen){0};
}

static bool is_named(const struct field *f, struct str key)
{
    return f->name[0] == key.p[0] && strncmp(f->name, key.p, (size_t)key.n) == 0 &&
           f->name[key.n] == '\0';
}

/* Through fields without a name, which stand for the members of a struct. */
static bool resolve(struct seen_path *p, const struct description *d, struct str key,
                    int hop)
{
    for (const struct field *f = d->fields; f < d->fields + d->n; f++) {
        bool inside = !f->name && f->item && hop + 1 < SEEN_HOPS;
        if (f->name ? is_named(f, key)
                    : inside && resolve(p, f->item(), key, hop + 1)) {
            p->hops[hop] = (int16_t)(f - d->fields);
            return true;
        }
    }
    return false;
}

bool seen_struct_member(const struct seen *v, struct str key, struct seen_path *p,
                        struct seen *to)
{
    if (p->not_in == v->d)
        return false;
    if (p->in != v->d) {
        struct seen_path found;
        assert(v->d->n <= INT16_MAX);
        if (!resolve(&found, v->d, key, 0)) {
            p->not_in = v->d;
            return false;
        }
        memcpy(p->hops, found.hops, sizeof p->hops);
        p->in = v->d;
    }
    struct seen at = *v;
    const struct field *f;
    int k = 0;
    do {
        f = &at.d->fields[p->hops[k++]];
        at = of_field(f, at.of, v->whole);
    } while (at.d && !f->name);
    if (at.d || at.f)
        *to = at;
    return at.d || at.f;
}

bool seen_lent_member(const cJSON *object, struct str key, struct seen_path *p,
                      struct seen *to)
{
    for (const cJSON *item = object->child; item && !item->string; item = item->next) {
        const struct lent *lent = (const void *)item->valuestring;
        struct seen v = {.d = lent->d, .of = lent->of, .whole = lent->whole};
        if (seen_struct_member(&v, key, p, to))
            return true;
    }
    return false;
}

/* {{#bound.memory}}: whether the word is this one; "none": there is no word. */
static bool is_word(const struct seen *v, struct str key)
{
    if (!v->f || (v->f->kind != FIELD_ENUM && v->f->kind != FIELD_CALL))
        return false;
    struct field_value word =
        field_value(v->f, &(struct described){v->of, v->whole, NULL});
    return word.kind == FIELD_TEXT && str_eq(key, word.text.n ? word.text : S("none"));
}

struct seen seen_member(const struct seen *v, struct str key)
{
    static const cJSON yes = {.type = cJSON_True};
    struct seen_path path = {0};
    struct seen to = {0};
    if (v->d)
        seen_struct_member(v, key, &path, &to);
    else if (is_word(v, key))
        to.node = &yes;
    else if (kind_of(v->node) == cJSON_Object) {
        to.node = seen_among(v->node->child, NULL, key);
        if (!to.node)
            seen_lent_member(v->node, key, &path, &to);
    }
    return to;
}

static bool node_is_false(const cJSON *v)
{
    switch (kind_of(v)) {
    case cJSON_NULL:
    case cJSON_False:
        return true;
    case cJSON_Number:
        return isnan(v->valuedouble);
    case cJSON_Array:
        return !v->child;
    case cJSON_String:
    case cJSON_Raw:
        return v->valuestring[0] == '\0';
    default:
        return false;
    }
}

static struct field_value value_of(const struct seen *v, struct arena *tmp)
{
    return field_value(v->f, &(struct described){v->of, v->whole, tmp});
}

bool seen_is_false(const struct seen *v, struct arena tmp)
{
    cJSON room;
    if (v->node)
        return node_is_false(v->node);
    if (!v->f)
        return !v->d;
    if (v->f->kind == FIELD_LIST)
        return seen_count(v) <= 0;
    struct field_value value = value_of(v, &tmp);
    return value.kind == FIELD_TEXT ? value.text.n == 0
                                    : node_is_false(seen_value(v, &tmp, &room));
}

/* Functions that find the items need no memory here. */
static struct field_items items_of(const struct seen *v)
{
    return field_items(v->f, &(struct described){.of = v->of, .whole = v->whole});
}

int seen_count(const struct seen *v)
{
    return v->f && v->f->kind == FIELD_LIST ? items_of(v).n : -1;
}

struct seen seen_item(const struct seen *list, int k)
{
    const struct description *d = list->f->item();
    struct field_items items = items_of(list);
    const void *item = field_item(&items, k);
    if (d->n == 1 && !d->fields->name)
        return of_field(d->fields, item, list->whole);
    return (struct seen){.d = d, .of = item, .whole = list->whole};
}

static double number_of(const struct field *f, const struct field_value *v)
{
    if (v->kind == FIELD_REAL)
        return field_told(f->unit, v->real);
    bool unknown = (f->unit == FIELD_UNIT_KNOWN && v->whole < 0) ||
                   (f->unit == FIELD_UNIT_SOME && v->whole <= 0);
    return unknown ? (double)NAN : field_told(f->unit, (double)v->whole);
}

/* Those that filters of several numbers ask for. */
static void put_reals(cJSON *o, const struct seen *v, struct arena *tmp)
{
    for (const struct field *f = v->d->fields; f < v->d->fields + v->d->n; f++) {
        if (f->kind != FIELD_REAL)
            continue;
        cJSON *item = arena_new(tmp, cJSON, 1);
        *item = (cJSON){.type = cJSON_Number,
                        .next = o->child,
                        .string = str_c(tmp, str_of(f->name)),
                        .valuedouble =
                            field_value(f, &(struct described){.of = v->of}).real};
        o->child = item;
    }
}

const cJSON *seen_value(const struct seen *v, struct arena *tmp, cJSON *room)
{
    if (v->node || (!v->d && !v->f))
        return v->node;
    *room = (cJSON){.type = cJSON_Object};
    if (v->d)
        put_reals(room, v, tmp);
    if (v->d || v->f->kind == FIELD_LIST)
        return room;
    struct field_value value = value_of(v, tmp);
    if (value.kind == FIELD_BOOL) {
        room->type = value.flag ? cJSON_True : cJSON_False;
    } else if (value.kind == FIELD_TEXT) {
        room->type = cJSON_String;
        room->valuestring = str_c(tmp, text_repaired(tmp, value.text));
    } else {
        room->valuedouble = number_of(v->f, &value);
        room->type = isfinite(room->valuedouble) ? cJSON_Number : cJSON_NULL;
    }
    return room;
}
