#include "export/xlsx_book.h"

#include "base/arena.h"
#include "base/digit_pairs.h"
#include "base/plain_run.h"
#include "base/utf8.h"
#include "export/xlsx_file.h"
#include "report/table_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    CELL_CHARS_MAX = 32767,       /* what Excel holds, in UTF-16 units */
    ROWS_MAX = XLSX_ROWS_MAX - 1, /* below the header */
    CELLS_MAX = 1 << 20,          /* of a sheet; the CSV file has all */
    WIDTH_MIN = 9,
    WIDTH_MAX = 60
};

static const struct {
    const char *word, *number_format;
} units[COLUMN_UNITS] = {
    [UNIT_NONE] = {"", "General"},
    [UNIT_US] = {"µs", "#,##0.000"},
    [UNIT_MS] = {"ms", "#,##0.000"},
    [UNIT_PERCENT] = {"%", "0.00"},
    [UNIT_COUNT] = {"count", "#,##0"},
    [UNIT_GFLOP] = {"GFLOP", "#,##0.000"},
    [UNIT_MIB] = {"MiB", "#,##0.000"},
    [UNIT_FLOP_PER_BYTE] = {"FLOP/byte", "#,##0.00"},
    [UNIT_TFLOP_PER_S] = {"TFLOP/s", "#,##0.00"},
    [UNIT_TB_PER_S] = {"TB/s", "#,##0.000"},
};

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* "_x0041_" means "A" in this format: a name containing it needs its '_' escaped. */
static bool is_escape(struct str s)
{
    return s.n >= 7 && s.p[0] == '_' && s.p[1] == 'x' && is_hex(s.p[2]) &&
           is_hex(s.p[3]) && is_hex(s.p[4]) && is_hex(s.p[5]) && s.p[6] == '_';
}

/* What a cell shows for one code point, as C text; characters not allowed in XML become
 * \xNN. */
static int shown(char buf[8], struct str *s)
{
    unsigned char byte = (unsigned char)s->p[0];
    bool escape = is_escape(*s);
    int32_t code = utf8_next(s);
    bool control = code >= 0 && code < 0x20 && code != '\t' && code != '\n';
    if (code == UTF8_BROKEN || control || code == 0x7F)
        return snprintf(buf, 8, "\\x%02x", byte);
    if (code == 0xFFFE || code == 0xFFFF)
        code = UTF8_REPLACEMENT;
    if (escape)
        return snprintf(buf, 8, "_x005F_");
    return utf8_bytes(buf, (uint32_t)code);
}

/* What a cell can hold, cut between characters. */
static struct str cell_text(struct arena *a, struct str s)
{
    if (s.n <= CELL_CHARS_MAX && plain_run(s, "") == s.n && !str_has(s, S("_x")))
        return s;
    s = str_head(s, 4 * CELL_CHARS_MAX);
    char *text = arena_take_raw(a, 1, 1, 7 * s.n);
    int units_used = 0;
    ptrdiff_t n = 0;
    while (s.n > 0) {
        ptrdiff_t plain = plain_run(str_head(s, CELL_CHARS_MAX - units_used), "_");
        memcpy(text + n, s.p, (size_t)plain);
        n += plain;
        units_used += (int)plain;
        s = str_skip(s, plain);
        if (s.n == 0 || units_used == CELL_CHARS_MAX)
            break;
        int k = shown(text + n, &s);
        /* Four bytes are two UTF-16 units, or one escape of four. */
        units_used += (text[n] & 0x80) == 0 ? k : k == 4 ? 2 : 1;
        if (units_used > CELL_CHARS_MAX)
            break;
        n += k;
    }
    return (struct str){text, n};
}

static int char_count(struct str s)
{
    ptrdiff_t plain = plain_run(s, "");
    int count = (int)plain;
    for (ptrdiff_t i = plain; i < s.n; i++)
        count += (s.p[i] & 0xC0) != 0x80;
    return count;
}

static bool is_taken(const struct xlsx_book *b, const char *name)
{
    for (ptrdiff_t i = 0; i < b->n_sheets; i++)
        if (str_eq_nocase(str_of(name), str_of(b->sheet_names[i])))
            return true;
    return str_eq_nocase(str_of(name), S("history")); /* reserved by Excel */
}

/* At most `chars` characters of s that are allowed in a sheet name. */
static int sheet_chars(char *name, struct str s, int chars)
{
    int n = 0;
    for (int count = 0; s.n > 0 && count < chars; count++) {
        char buf[8];
        int32_t code = utf8_next(&s);
        bool bad = code < 0x20 || code == 0x7F || code > 0xFFFD ||
                   (code < 0x80 && strchr("[]:*?/\\'", code));
        int k = utf8_bytes(buf, bad ? '_' : (uint32_t)code);
        memcpy(name + n, buf, (size_t)k);
        n += k;
    }
    return n;
}

static const char *sheet_name(struct xlsx_book *b, struct str wanted)
{
    char *name = b->sheet_names[b->n_sheets];
    if (wanted.n == 0)
        wanted = S("Sheet");
    name[sheet_chars(name, wanted, XLSX_NAME_MAX)] = '\0';
    for (int twin = 2; is_taken(b, name); twin++) {
        char tail[12];
        int k = snprintf(tail, sizeof tail, "~%d", twin);
        int n = sheet_chars(name, wanted, XLSX_NAME_MAX - k);
        memcpy(name + n, tail, (size_t)k + 1);
    }
    b->n_sheets++;
    return name;
}

static int number_style(const struct table_column *column, bool whole)
{
    return column->unit == UNIT_NONE ? XLSX_PLAIN
           : whole                   ? XLSX_FORMATS + UNIT_COUNT
                                     : XLSX_FORMATS + (int)column->unit;
}

static void put_number(struct xlsx_book *b, int k, double v, int style)
{
    if (isinf(v)) /* not a number in this format */
        xlsx_text(&b->file, k, v < 0 ? S("-inf") : S("inf"), XLSX_PLAIN);
    else if (!isnan(v))
        xlsx_number(&b->file, k, v, style);
}

static void put_whole(struct xlsx_book *b, int k, int64_t v, int style)
{
    char digits[24];
    if (v >= -(1LL << 53) && v <= 1LL << 53) {
        xlsx_number(&b->file, k, (double)v, style);
        return;
    }
    int n = snprintf(digits, sizeof digits, "%lld", (long long)v);
    xlsx_text(&b->file, k, (struct str){digits, n}, XLSX_PLAIN);
}

/* The callee has its own scratch, free again when it returns. */
static void put_words(struct xlsx_book *b, int k, struct str text, int style,
                      struct arena tmp)
{
    if (text.n > 0)
        xlsx_text(&b->file, k, cell_text(&tmp, text), style);
}

static void put_value(struct xlsx_book *b, int k, const struct table_column *column,
                      const struct cell *c, struct arena tmp)
{
    switch (c->kind) {
    case CELL_NONE:
        break;
    case CELL_TEXT:
    case CELL_NAME:
        put_words(b, k, c->as.text, XLSX_PLAIN, tmp);
        break;
    case CELL_INT:
        put_whole(b, k, c->as.i, number_style(column, true));
        break;
    case CELL_REAL:
        put_number(b, k, c->as.r, number_style(column, false));
        break;
    case CELL_BOOL:
        xlsx_bool(&b->file, k, c->as.b);
        break;
    }
}

static int cell_width(const struct cell *c)
{
    char digits[64];
    switch (c->kind) {
    case CELL_TEXT:
    case CELL_NAME:
        return char_count(str_head(c->as.text, 4 * WIDTH_MAX));
    case CELL_INT:
        return (c->as.i < 0) + digit_count(magnitude(c->as.i)) + 3;
    case CELL_REAL:
        return fixed_text(digits, fmod(c->as.r, 1e12), 3) + 3;
    default:
        return 5;
    }
}

/* The title may wrap onto three lines, and needs room for the filter's arrow. */
static void find_widths(const struct report_table *t, double *width,
                        ptrdiff_t n_columns)
{
    for (ptrdiff_t k = 0; k < n_columns; k++)
        width[k] = char_count(t->columns[k].title) / 3 + 6;
    for (ptrdiff_t row = 0; row < t->n_rows; row++)
        for (ptrdiff_t k = 0; k < n_columns; k++)
            width[k] = fmax(width[k], cell_width(table_cell(t, row, k)) + 1);
    for (ptrdiff_t k = 0; k < n_columns; k++)
        width[k] = fmin(fmax(width[k], WIDTH_MIN), WIDTH_MAX);
}

static ptrdiff_t columns_kept(const struct report_table *t)
{
    return t->n_columns < XLSX_COLUMNS_MAX ? t->n_columns : XLSX_COLUMNS_MAX;
}

static ptrdiff_t rows_kept(const struct report_table *t)
{
    ptrdiff_t most = t->n_columns > 1 ? CELLS_MAX / columns_kept(t) : ROWS_MAX;
    return t->n_rows < most ? t->n_rows : most;
}

static void begin_sheet(struct xlsx_book *b, struct str name, ptrdiff_t n_rows,
                        ptrdiff_t n_columns, const double *width)
{
    struct xlsx_sheet *s = &b->sheets[b->n_sheets];
    *s = (struct xlsx_sheet){sheet_name(b, name), n_rows + 1, (int)n_columns};
    xlsx_begin_sheet(&b->file, s, width);
}

void xlsx_begin_table(struct xlsx_book *b, const struct report_table *t,
                      const struct report_table *first, struct arena tmp)
{
    ptrdiff_t n_columns = columns_kept(t);
    double *width = arena_take_raw(&tmp, sizeof *width, 8, n_columns);
    find_widths(first, width, n_columns);
    b->rows_left = rows_kept(t);
    begin_sheet(b, t->name, b->rows_left, n_columns, width);
    xlsx_begin_row(&b->file);
    for (ptrdiff_t k = 0; k < n_columns; k++)
        put_words(b, (int)k, t->columns[k].title, XLSX_HEADER, tmp);
    xlsx_end_row(&b->file);
}

void xlsx_rows(struct xlsx_book *b, const struct report_table *part, struct arena tmp)
{
    ptrdiff_t n_columns = columns_kept(part);
    for (ptrdiff_t row = 0; row < part->n_rows && b->rows_left > 0; row++) {
        xlsx_begin_row(&b->file);
        for (ptrdiff_t k = 0; k < n_columns; k++)
            put_value(b, (int)k, &part->columns[k], table_cell(part, row, k), tmp);
        xlsx_end_row(&b->file);
        b->rows_left--;
    }
}

bool xlsx_end_table(struct xlsx_book *b, struct err *e)
{
    return xlsx_end_sheet(&b->file, &b->sheets[b->n_sheets - 1], e);
}

static struct str purpose_text(struct arena *a, const struct report_table *t)
{
    if (rows_kept(t) == t->n_rows)
        return t->purpose;
    return str_printf(a, "%.*s It has the first %td of %td rows; the CSV file has all.",
                      STRF(t->purpose), rows_kept(t), t->n_rows);
}

static void explain_row(struct xlsx_book *b, const char *sheet_called,
                        const struct table_column *column, struct str meaning,
                        struct arena tmp)
{
    xlsx_begin_row(&b->file);
    xlsx_text(&b->file, 0, str_of(sheet_called), XLSX_PLAIN);
    if (column) {
        put_words(b, 1, column->title, XLSX_PLAIN, tmp);
        put_words(b, 2, str_of(units[column->unit].word), XLSX_PLAIN, tmp);
    }
    put_words(b, 3, meaning, XLSX_WRAPPED, tmp);
    xlsx_end_row(&b->file);
}

static ptrdiff_t explained(const struct report_table *tables, ptrdiff_t n_tables)
{
    ptrdiff_t n_rows = n_tables;
    for (ptrdiff_t i = 0; i < n_tables; i++)
        n_rows += columns_kept(&tables[i]);
    return n_rows < ROWS_MAX ? n_rows : ROWS_MAX;
}

/* The last sheet: a line for each table, then one for each of its columns. */
static bool columns_sheet(struct xlsx_book *b, const struct report_table *tables,
                          ptrdiff_t n_tables, struct arena tmp, struct err *e)
{
    enum { COLUMNS = 4 };
    static const char *const titles[COLUMNS] = {"Sheet", "Column", "Unit", "Meaning"};
    static const double widths[COLUMNS] = {28, 34, 11, 100};
    ptrdiff_t left = explained(tables, n_tables);
    begin_sheet(b, S("Columns"), left, COLUMNS, widths);
    xlsx_begin_row(&b->file);
    for (int k = 0; k < COLUMNS; k++)
        xlsx_text(&b->file, k, str_of(titles[k]), XLSX_HEADER);
    xlsx_end_row(&b->file);
    for (ptrdiff_t i = 0; i < n_tables && left > 0; i++) {
        const struct report_table *t = &tables[i];
        struct arena scratch = tmp;
        struct str purpose = purpose_text(&scratch, t);
        explain_row(b, b->sheet_names[i], NULL, purpose, scratch);
        left--;
        for (ptrdiff_t k = 0; k < columns_kept(t) && left > 0; k++, left--)
            explain_row(b, b->sheet_names[i], &t->columns[k], t->columns[k].meaning,
                        scratch);
    }
    return xlsx_end_table(b, e);
}

bool xlsx_book_open(struct xlsx_book *b, const char *path, int64_t date_s,
                    ptrdiff_t n_tables, struct arena *tmp, struct err *e)
{
    const char *formats[COLUMN_UNITS];
    for (int unit = 0; unit < COLUMN_UNITS; unit++)
        formats[unit] = units[unit].number_format;
    *b = (struct xlsx_book){
        .sheets = arena_new(tmp, struct xlsx_sheet, n_tables + 1),
        .sheet_names = arena_take(tmp, sizeof *b->sheet_names, 1, n_tables + 1)};
    return xlsx_open(&b->file, path, date_s, (int)n_tables + 1, formats, COLUMN_UNITS,
                     e);
}

bool xlsx_book_close(struct xlsx_book *b, const struct report_table *tables,
                     ptrdiff_t n_tables, struct arena tmp, struct err *e)
{
    return columns_sheet(b, tables, n_tables, tmp, e) &&
           xlsx_close(&b->file, b->sheets, "Performance report", e);
}
