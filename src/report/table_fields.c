#include "report/table_fields.h"

void add_columns(struct table_build *b, const struct table_fields *columns)
{
    for (int k = 0; k < columns->n; k++) {
        const struct table_field *c = &columns->list[k];
        if (c->through)
            add_columns(b, c->through());
        else
            add_column(b, str_of(c->f.name), c->unit, c->meaning);
    }
}

static void put_whole(struct table_build *b, enum field_unit unit, int64_t v)
{
    if ((unit == FIELD_UNIT_KNOWN && v < 0) || (unit == FIELD_UNIT_SOME && v <= 0))
        put_none(b);
    else if (unit == FIELD_UNIT_NS_IN_MS)
        put_real(b, field_told(unit, (double)v));
    else
        put_int(b, v);
}

static void put_value(struct table_build *b, enum field_unit unit,
                      const struct field_value *v)
{
    switch (v->kind) {
    case FIELD_BOOL:
        put_bool(b, v->flag);
        break;
    case FIELD_REAL:
        put_real(b, field_told(unit, v->real));
        break;
    case FIELD_TEXT:
        if (!v->text.n && unit != FIELD_UNIT_TEXT)
            put_none(b);
        else
            (unit == FIELD_UNIT_NAME ? put_name : put_text)(b, v->text);
        break;
    default:
        put_whole(b, unit, v->whole);
    }
}

void put_fields(struct table_build *b, const struct table_fields *columns,
                const void *of, const void *whole)
{
    const struct described in = {of, whole, b->arena};
    for (int k = 0; k < columns->n; k++) {
        const struct table_field *c = &columns->list[k];
        struct field_value v = field_value(&c->f, &in);
        if (c->through)
            put_fields(b, c->through(), v.item, whole);
        else
            put_value(b, c->f.unit, &v);
    }
}

struct report_table table_told(struct arena *perm, const char *name,
                               const char *purpose, const struct table_fields *columns,
                               struct field_items rows, const void *whole)
{
    struct table_build b = table_begin(perm, str_of(name), purpose, rows.n);
    rows.bytes = rows.pointers ? (ptrdiff_t)sizeof(void *) : columns->bytes;
    add_columns(&b, columns);
    for (int k = 0; k < rows.n; k++)
        put_fields(&b, columns, field_item(&rows, k), whole);
    return table_done(&b);
}
