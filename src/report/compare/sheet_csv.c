#include "report/compare/sheet_csv.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES_MAX = 40 };

struct reader {
    struct arena *perm;
    struct str rest; /* of the file */
    bool row_ended;
};

static bool ends_field(char c)
{
    return c == ',' || c == '\n' || c == '\r';
}

/* Behind a field: one comma, or the end of the line. What follows a closing quote in
 * front of these is left out. */
static void end_field(struct reader *r)
{
    while (r->rest.n && !ends_field(*r->rest.p))
        r->rest = str_skip(r->rest, 1);
    r->row_ended = true;
    if (r->rest.n && *r->rest.p == ',') {
        r->row_ended = false;
        r->rest = str_skip(r->rest, 1);
        return;
    }
    if (r->rest.n && *r->rest.p == '\r')
        r->rest = str_skip(r->rest, 1);
    if (r->rest.n && *r->rest.p == '\n')
        r->rest = str_skip(r->rest, 1);
}

static struct str plain_field(struct reader *r)
{
    struct str field = {r->rest.p, 0};
    while (field.n < r->rest.n && !ends_field(field.p[field.n]))
        field.n++;
    r->rest = str_skip(r->rest, field.n);
    return field;
}

/* Up to the closing quote, or to the end of the file; two quotes are one. */
static struct str quoted_field(struct reader *r)
{
    r->rest = str_skip(r->rest, 1);
    struct str raw = {r->rest.p, 0};
    ptrdiff_t doubled = 0;
    for (; raw.n < r->rest.n; raw.n++) {
        if (raw.p[raw.n] != '"')
            continue;
        if (raw.n + 1 == r->rest.n || raw.p[raw.n + 1] != '"')
            break;
        raw.n++;
        doubled++;
    }
    r->rest = str_skip(r->rest, raw.n < r->rest.n ? raw.n + 1 : raw.n);
    if (!doubled)
        return raw;
    char *p = arena_take_raw(r->perm, 1, 1, raw.n - doubled);
    struct str field = {p, 0};
    for (ptrdiff_t i = 0; i < raw.n; i++) {
        p[field.n++] = raw.p[i];
        i += raw.p[i] == '"';
    }
    return field;
}

static struct str next_field(struct reader *r)
{
    struct str field =
        r->rest.n && *r->rest.p == '"' ? quoted_field(r) : plain_field(r);
    end_field(r);
    return field;
}

static bool read_number(struct str s, double *v)
{
    char buf[NUMBER_BYTES_MAX + 1], *end;
    if (s.n > NUMBER_BYTES_MAX || !str_has(S("0123456789-."), str_head(s, 1)))
        return false;
    memcpy(buf, s.p, (size_t)s.n);
    buf[s.n] = '\0';
    if (strpbrk(buf, "xXnNpP")) /* which strtod takes, and no CSV file holds */
        return false;
    *v = strtod(buf, &end);
    return end == buf + s.n && isfinite(*v);
}

struct cell sheet_cell_of(struct str field)
{
    struct cell c = {.kind = CELL_NAME, .as.text = field};
    int64_t whole;
    double real;
    if (field.n == 0)
        c.kind = CELL_NONE;
    else if (str_int(field, &whole))
        c = (struct cell){.kind = CELL_INT, .as.i = whole};
    else if (read_number(field, &real))
        c = (struct cell){.kind = CELL_REAL, .as.r = real};
    else if (str_eq(field, S("True")) || str_eq(field, S("False")))
        c = (struct cell){.kind = CELL_BOOL, .as.b = field.n == S("True").n};
    return c;
}

/* At most so many: a line ends with either character, or both. */
static ptrdiff_t count_lines(struct str text)
{
    ptrdiff_t n = 1;
    for (ptrdiff_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n' || text.p[i] == '\r';
    return n;
}

static void read_header(struct reader *r, struct report_table *t)
{
    do {
        struct str title = next_field(r);
        arena_grow(r->perm, t->columns, t->n_columns);
        t->columns[t->n_columns++] = (struct table_column){.title = title};
    } while (!r->row_ended);
}

static bool read_row(struct reader *r, struct report_table *t, const char *file,
                     struct err *e)
{
    ptrdiff_t k = 0;
    do {
        struct str field = next_field(r);
        if (k == t->n_columns)
            return err_set(e, ERR_INPUT, file, -1,
                           "line %td has more fields than the %td of the header",
                           t->n_rows + 2, t->n_columns);
        *table_cell(t, t->n_rows, k++) = sheet_cell_of(field);
    } while (!r->row_ended);
    while (k < t->n_columns)
        *table_cell(t, t->n_rows, k++) = (struct cell){.kind = CELL_NONE};
    t->n_rows++;
    return true;
}

bool sheet_of_csv(struct arena *perm, struct str name, struct str text,
                  const char *file, struct report_table *t, struct err *e)
{
    struct reader r = {.perm = perm, .rest = text};
    struct report_table made = {.name = name};
    if (str_starts(text, S("\xEF\xBB\xBF")))
        r.rest = str_skip(text, 3);
    if (str_trim(r.rest).n) {
        read_header(&r, &made);
        made.cells = arena_new(perm, struct cell, count_lines(r.rest) * made.n_columns);
        while (r.rest.n)
            if (!read_row(&r, &made, file, e))
                return false;
    }
    *t = made;
    return true;
}
