/* table_fields.h - columns of a table over described structs: title, place, unit and
 * meaning of each told in one row.
 *
 *   COLUMNS(gap_columns, gap, COL(F(cause, NAME), "What the host did"),
 *           COL_IN(MS, AS("Idle (ms)", idle_ns, NS_IN_MS), "Without device work"),
 *           THROUGH(launch, launch_columns));
 *
 * The name of a field is the title of its column. A NAME is one of the trace; an empty
 * one is no cell, and so is an empty word. */
#ifndef REPORT_TABLE_FIELDS_H
#define REPORT_TABLE_FIELDS_H

#include "base/describe.h"
#include "report/table_build.h"

struct table_field {
    struct field f;
    const char *meaning;
    enum column_unit unit;
    const struct table_fields *(*through)(void); /* of a struct that f points to */
};

struct table_fields {
    ptrdiff_t bytes; /* of one struct */
    int n;
    const struct table_field *list;
};

#define COLUMNS(name, type, ...)                                                       \
    static const struct table_fields *name(void)                                       \
    {                                                                                  \
        typedef struct type self;                                                      \
        static const struct table_field list[] = {__VA_ARGS__};                        \
        static const struct table_fields all = {sizeof(self),                          \
                                                sizeof list / sizeof *list, list};     \
        return &all;                                                                   \
    }                                                                                  \
    static const struct table_fields *name(void) /* for the semicolon behind it */
#define COL(field, meaning)                                                            \
    {                                                                                  \
        field, meaning, UNIT_NONE, NULL                                                \
    }
#define COL_IN(in, field, meaning)                                                     \
    {                                                                                  \
        field, meaning, UNIT_##in, NULL                                                \
    }
/* The columns of a struct that this one points to. */
#define THROUGH(member, columns)                                                       \
    {                                                                                  \
        {.kind = FIELD_POINTER, .at = offsetof(self, member)}, NULL, UNIT_NONE,        \
            columns                                                                    \
    }

/* Other columns of this very struct. */
#define WITH(columns)                                                                  \
    {                                                                                  \
        {.kind = FIELD_STRUCT, .at = 0}, NULL, UNIT_NONE, columns                      \
    }

void add_columns(struct table_build *b, const struct table_fields *columns);

/* A row of cells. `whole` is given to functions of fields. */
void put_fields(struct table_build *b, const struct table_fields *columns,
                const void *of, const void *whole);

/* A table of structs one behind the other, or of pointers to them. */
#define TABLE_ITEMS(from, number)                                                      \
    ((struct field_items){.first = (from), .n = (int)(number)})
struct report_table table_told(struct arena *perm, const char *name,
                               const char *purpose, const struct table_fields *columns,
                               struct field_items rows, const void *whole);

#endif
