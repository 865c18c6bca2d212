#include "export/csv_tables.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/plain_run.h"
#include "base/utf8.h"
#include "report/table_build.h"

#include <math.h>
#include <string.h>

static bool must_be_quoted(struct str s)
{
    for (ptrdiff_t i = 0; i < s.n; i++)
        if (s.p[i] == ',' || s.p[i] == '"' || s.p[i] == '\n' || s.p[i] == '\r')
            return true;
    return false;
}

static bool looks_like_formula(struct str s)
{
    return s.n > 0 && s.p[0] && strchr("=+-@\t\r", s.p[0]);
}

/* One character of a field; bytes that CSV readers treat differently are written as
 * \xNN. */
static void put_special(struct out *o, struct str *s)
{
    unsigned char byte = (unsigned char)s->p[0];
    struct str before = *s;
    int32_t code = utf8_next(s);
    bool control =
        (byte < 0x20 && !strchr("\t\n\r", byte)) || byte == 0x7F || byte == 0;
    if (code == UTF8_BROKEN || control)
        out_printf(o, "\\x%02x", byte);
    else if (byte == '"')
        out_lit(o, "\"\"");
    else
        out_bytes(o, before.p, before.n - s->n);
}

static void put_words(struct out *o, struct str s)
{
    ptrdiff_t plain_head = plain_run(s, "\",");
    bool quoted = must_be_quoted(str_skip(s, plain_head));
    if (quoted)
        out_char(o, '"');
    if (looks_like_formula(s))
        out_char(o, '\'');
    while (s.n > 0) {
        ptrdiff_t plain = plain_run(s, "\"");
        out_bytes(o, s.p, plain);
        s = str_skip(s, plain);
        if (s.n > 0)
            put_special(o, &s);
    }
    if (quoted)
        out_char(o, '"');
}

static void put_field(struct out *o, const struct cell *c)
{
    switch (c->kind) {
    case CELL_NONE:
        break;
    case CELL_TEXT:
    case CELL_NAME:
        put_words(o, c->as.text);
        break;
    case CELL_INT:
        out_i64(o, c->as.i);
        break;
    case CELL_REAL:
        if (!isnan(c->as.r))
            out_real(o, c->as.r);
        break;
    case CELL_BOOL:
        out_c(o, c->as.b ? "True" : "False");
        break;
    }
}

static bool is_empty(const struct cell *c)
{
    if (c->kind == CELL_TEXT || c->kind == CELL_NAME)
        return c->as.text.n == 0;
    return c->kind == CELL_NONE || (c->kind == CELL_REAL && isnan(c->as.r));
}

static void put_header(struct out *o, const struct report_table *t)
{
    for (ptrdiff_t k = 0; k < t->n_columns; k++) {
        if (k > 0)
            out_char(o, ',');
        put_words(o, t->columns[k].title);
    }
    out_char(o, '\n');
}

void csv_rows(struct out *o, const struct report_table *t, struct arena tmp)
{
    for (ptrdiff_t row = 0; row < t->n_rows; row++) {
        struct arena scratch = tmp;
        const struct cell *cells = table_row(t, row, &scratch);
        for (ptrdiff_t k = 0; k < t->n_columns; k++) {
            if (k > 0)
                out_char(o, ',');
            put_field(o, &cells[k]);
        }
        /* Readers would not take an empty line for a row. */
        if (t->n_columns == 1 && is_empty(&cells[0]))
            out_lit(o, "\"\"");
        out_char(o, '\n');
    }
}

void csv_table(struct out *o, const struct report_table *t, struct arena tmp)
{
    put_header(o, t);
    csv_rows(o, t, tmp);
}

/* Table names are ours, but a category may come from an extension. */
static bool is_file_stem(struct str s)
{
    for (ptrdiff_t i = 0; i < s.n; i++) {
        char c = s.p[i], letter = (char)(c | 0x20);
        if (!(letter >= 'a' && letter <= 'z') && !(c >= '0' && c <= '9') && c != '_' &&
            c != '-')
            return false;
    }
    return s.n > 0 && s.n <= 64;
}

bool csv_open(struct out *o, const char *dir, const struct report_table *t,
              struct arena *tmp, struct err *e)
{
    if (!is_file_stem(t->name))
        return err_set(e, ERR_OUTPUT, dir, -1,
                       "a table named '%.*s' cannot be a file: use letters, digits, "
                       "'_' and '-'",
                       (int)(t->name.n < 64 ? t->name.n : 64), t->name.p);
    if (!out_open(o, str_printf(tmp, "%s/%.*s.csv", dir, STRF(t->name)).p, e))
        return false;
    put_header(o, t);
    return true;
}
