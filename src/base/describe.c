#include "base/describe.h"

#include "base/arena.h"

const struct description *text_fields(void)
{
    static const struct field itself = {.kind = FIELD_TEXT, .unit = FIELD_UNIT_TEXT};
    static const struct description all = {sizeof(struct str), 1, &itself};
    return &all;
}

static const void *at(const struct field *f, const void *of)
{
    return (const char *)of + f->at;
}

static int64_t wide(const void *of, ptrdiff_t offset)
{
    return *(const int64_t *)(const void *)((const char *)of + offset);
}

static struct field_value of_enum(const struct field *f, const void *of)
{
    unsigned value = *(const unsigned *)at(f, of);
    assert(value < (unsigned)f->limit);
    return f->word ? (struct field_value){.kind = FIELD_TEXT, .text = f->word(value)}
                   : (struct field_value){.kind = FIELD_I32, .whole = value};
}

static struct field_value of_call(const struct field *f, const struct described *in)
{
    struct field_value v = {.kind = f->tells};
    switch (f->tells) {
    case FIELD_TEXT:
        v.text = f->call ? ((field_text *)f->call)(in) : f->says;
        break;
    case FIELD_REAL:
        v.real = ((field_real *)f->call)(in);
        break;
    case FIELD_I64:
        v.whole = ((field_whole *)f->call)(in);
        break;
    case FIELD_BOOL:
        v.flag = ((field_flag *)f->call)(in);
        break;
    case FIELD_CALL:
        return ((field_any *)f->call)(in);
    default:
        v.item = ((field_struct *)f->call)(in);
    }
    return v;
}

struct field_value field_value(const struct field *f, const struct described *in)
{
    const void *p = at(f, in->of);
    struct field_value v = {.kind = f->kind};
    switch (f->kind) {
    case FIELD_BOOL:
        v.flag = *(const bool *)p;
        break;
    case FIELD_I32:
        v.whole = *(const int32_t *)p;
        break;
    case FIELD_I64:
        v.whole = *(const int64_t *)p;
        break;
    case FIELD_U64:
        v.bits = *(const uint64_t *)p;
        break;
    case FIELD_REAL:
        v.real = *(const double *)p;
        break;
    case FIELD_TEXT:
        v.text = *(const struct str *)p;
        break;
    case FIELD_ENUM:
        return of_enum(f, in->of);
    case FIELD_SPAN:
        v.kind = FIELD_I64;
        v.whole = wide(in->of, f->at) - wide(in->of, f->from);
        break;
    case FIELD_STRUCT:
        v.kind = FIELD_POINTER;
        v.item = p;
        break;
    case FIELD_CALL:
        return of_call(f, in);
    default: /* FIELD_POINTER, FIELD_LIST: whatever it points to */
        memcpy(&v.item, p, sizeof v.item);
    }
    return v;
}

struct field_items field_items(const struct field *f, const struct described *in)
{
    struct field_items items = {.pointers = f->pointers};
    assert(f->kind == FIELD_LIST);
    if (f->call) {
        items = ((field_list *)f->call)(in);
    } else {
        items.first = at(f, in->of);
        if (!f->inside)
            memcpy(&items.first, items.first, sizeof items.first);
        items.n = *(const int32_t *)(const void *)((const char *)in->of + f->from);
    }
    items.bytes = items.pointers ? (ptrdiff_t)sizeof(void *) : f->item()->bytes;
    return items;
}

const void *field_item(const struct field_items *list, int k)
{
    const void *item = (const char *)list->first + k * list->bytes;
    if (list->pointers)
        memcpy(&item, item, sizeof item);
    return item;
}

double field_told(enum field_unit unit, double v)
{
    switch (unit) {
    case FIELD_UNIT_NS_IN_MS:
        return v / 1e6;
    case FIELD_UNIT_US_IN_MS:
        return v / 1e3;
    case FIELD_UNIT_MS_IN_NS:
        return v * 1e6;
    case FIELD_UNIT_MS_IN_US:
        return v * 1e3;
    default:
        return v;
    }
}

FIELDS(named_whole, F(name, TEXT), ITSELF(whole, NUMBER));

struct field_items named_wholes(struct arena *a, const int64_t *values, int n,
                                struct str (*word)(unsigned))
{
    struct named_whole *list = arena_new(a, struct named_whole, n);
    int found = 0;
    for (int k = 0; k < n; k++)
        if (values[k])
            list[found++] = (struct named_whole){word((unsigned)k), values[k]};
    return (struct field_items){.first = list, .n = found};
}

const struct field *field_of(const struct description *d, const char *name)
{
    for (const struct field *f = d->fields; f < d->fields + d->n; f++)
        if (f->name && *f->name == *name && strcmp(f->name, name) == 0)
            return f;
    return NULL;
}
