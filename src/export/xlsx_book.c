#include "export/xlsx_book.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/plain_run.h"
#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <minizip/unzip.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xlsxwriter.h>

enum {
    CELL_CHARS_MAX = 32767, /* what Excel holds, in UTF-16 units */
    SHEET_NAME_MAX = 31,
    ROWS_MAX = LXW_ROW_MAX - 1, /* below the header */
    WIDTH_MIN = 9,
    WIDTH_MAX = 60,
    WIDTH_ROWS = 200 /* rows looked at for the width of a column */
};

struct book {
    lxw_workbook *workbook;
    lxw_format *header, *by_unit[COLUMN_UNITS], *integer, *wrapped;
    char (*sheet_names)[4 * SHEET_NAME_MAX + 1]; /* one for each table, and "Columns" */
    ptrdiff_t n_sheets;
    lxw_error failed; /* the first code that is not good */
};

static void note(struct book *b, lxw_error rc)
{
    if (b->failed == LXW_NO_ERROR)
        b->failed = rc;
}

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

/* A terminated copy that a cell can hold, cut between characters. */
static char *cell_text(struct arena *a, struct str s)
{
    s = str_head(s, 4 * CELL_CHARS_MAX);
    char *text = arena_take_raw(a, 1, 1, 7 * s.n + 1);
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
    text[n] = '\0';
    return text;
}

static int char_count(struct str s)
{
    int count = 0;
    for (ptrdiff_t i = 0; i < s.n; i++)
        count += (s.p[i] & 0xC0) != 0x80;
    return count;
}

static bool is_taken(const struct book *b, const char *name)
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

static const char *sheet_name(struct book *b, struct str wanted)
{
    char *name = b->sheet_names[b->n_sheets];
    if (wanted.n == 0)
        wanted = S("Sheet");
    name[sheet_chars(name, wanted, SHEET_NAME_MAX)] = '\0';
    for (int twin = 2; is_taken(b, name); twin++) {
        char tail[12];
        int k = snprintf(tail, sizeof tail, "~%d", twin);
        int n = sheet_chars(name, wanted, SHEET_NAME_MAX - k);
        memcpy(name + n, tail, (size_t)k + 1);
    }
    b->n_sheets++;
    return name;
}

static lxw_format *number_format(const struct book *b,
                                 const struct table_column *column, bool whole)
{
    return whole && column->unit != UNIT_NONE ? b->integer : b->by_unit[column->unit];
}

static void put_real(struct book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t k,
                     double v, lxw_format *format)
{
    if (isinf(v)) /* not a number in this format */
        note(b, worksheet_write_string(sheet, row, k, v < 0 ? "-inf" : "inf", NULL));
    else if (!isnan(v))
        note(b, worksheet_write_number(sheet, row, k, v, format));
}

static void put_int(struct book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t k,
                    int64_t v, lxw_format *format)
{
    char digits[24];
    if (v >= -(1LL << 53) && v <= 1LL << 53) {
        note(b, worksheet_write_number(sheet, row, k, (double)v, format));
        return;
    }
    snprintf(digits, sizeof digits, "%lld", (long long)v);
    note(b, worksheet_write_string(sheet, row, k, digits, NULL));
}

/* The callee has its own scratch, free again when it returns. */
static void put_cell(struct book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t k,
                     const struct table_column *column, const struct cell *c,
                     struct arena tmp)
{
    switch (c->kind) {
    case CELL_NONE:
        break;
    case CELL_TEXT:
    case CELL_NAME:
        if (c->as.text.n > 0)
            note(b, worksheet_write_string(sheet, row, k, cell_text(&tmp, c->as.text),
                                           NULL));
        break;
    case CELL_INT:
        put_int(b, sheet, row, k, c->as.i, number_format(b, column, true));
        break;
    case CELL_REAL:
        put_real(b, sheet, row, k, c->as.r, number_format(b, column, false));
        break;
    case CELL_BOOL:
        note(b, worksheet_write_boolean(sheet, row, k, c->as.b, NULL));
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
        return snprintf(digits, sizeof digits, "%lld", (long long)c->as.i) + 3;
    case CELL_REAL:
        return fixed_text(digits, fmod(c->as.r, 1e12), 3) + 3;
    default:
        return 5;
    }
}

/* The title may wrap onto three lines, and needs room for the filter's arrow. */
static double column_width(const struct report_table *t, ptrdiff_t k)
{
    int width = char_count(t->columns[k].title) / 3 + 6;
    for (ptrdiff_t row = 0; row < t->n_rows && row < WIDTH_ROWS; row++) {
        int w = cell_width(table_cell(t, row, k)) + 1;
        width = w > width ? w : width;
    }
    return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
}

static lxw_worksheet *add_sheet(struct book *b, struct str name, ptrdiff_t n_rows,
                                ptrdiff_t n_columns)
{
    lxw_worksheet *sheet = workbook_add_worksheet(b->workbook, sheet_name(b, name));
    if (!sheet)
        return NULL;
    worksheet_freeze_panes(sheet, 1, 0);
    if (n_columns > 0)
        note(b, worksheet_autofilter(sheet, 0, 0, (lxw_row_t)n_rows,
                                     (lxw_col_t)(n_columns - 1)));
    return sheet;
}

static ptrdiff_t rows_kept(const struct report_table *t)
{
    return t->n_rows < ROWS_MAX ? t->n_rows : ROWS_MAX;
}

static ptrdiff_t columns_kept(const struct report_table *t)
{
    return t->n_columns < LXW_COL_MAX ? t->n_columns : LXW_COL_MAX;
}

static bool table_sheet(struct book *b, const struct report_table *t, struct arena tmp)
{
    ptrdiff_t n_rows = rows_kept(t), n_columns = columns_kept(t);
    lxw_worksheet *sheet = add_sheet(b, t->name, n_rows, n_columns);
    if (!sheet)
        return false;
    for (ptrdiff_t k = 0; k < n_columns; k++) {
        struct arena scratch = tmp;
        note(b, worksheet_write_string(sheet, 0, (lxw_col_t)k,
                                       cell_text(&scratch, t->columns[k].title),
                                       b->header));
        note(b, worksheet_set_column(sheet, (lxw_col_t)k, (lxw_col_t)k,
                                     column_width(t, k), NULL));
    }
    for (ptrdiff_t row = 0; row < n_rows; row++)
        for (ptrdiff_t k = 0; k < n_columns; k++)
            put_cell(b, sheet, (lxw_row_t)row + 1, (lxw_col_t)k, &t->columns[k],
                     table_cell(t, row, k), tmp);
    return true;
}

static struct str purpose_text(struct arena *a, const struct report_table *t)
{
    if (rows_kept(t) == t->n_rows)
        return t->purpose;
    return str_printf(a,
                      "%.*s Only the first %td of %td rows fit; the CSV file has all.",
                      STRF(t->purpose), rows_kept(t), t->n_rows);
}

static void explain_row(struct book *b, lxw_worksheet *sheet, lxw_row_t row,
                        const char *sheet_called, const struct table_column *column,
                        struct str meaning, struct arena tmp)
{
    note(b, worksheet_write_string(sheet, row, 0, sheet_called, NULL));
    if (column) {
        note(b, worksheet_write_string(sheet, row, 1, cell_text(&tmp, column->title),
                                       NULL));
        note(b, worksheet_write_string(sheet, row, 2, units[column->unit].word, NULL));
    }
    note(b,
         worksheet_write_string(sheet, row, 3, cell_text(&tmp, meaning), b->wrapped));
}

/* The last sheet: a line for each table, then one for each of its columns. */
static bool columns_sheet(struct book *b, const struct report_table *tables,
                          ptrdiff_t n_tables, struct arena tmp)
{
    static const char *const titles[] = {"Sheet", "Column", "Unit", "Meaning"};
    static const double widths[] = {28, 34, 11, 100};
    ptrdiff_t n_rows = n_tables;
    for (ptrdiff_t i = 0; i < n_tables; i++)
        n_rows += columns_kept(&tables[i]);
    lxw_worksheet *sheet = add_sheet(b, S("Columns"), n_rows, 4);
    if (!sheet)
        return false;
    for (lxw_col_t k = 0; k < 4; k++) {
        note(b, worksheet_write_string(sheet, 0, k, titles[k], b->header));
        note(b, worksheet_set_column(sheet, k, k, widths[k], NULL));
    }
    lxw_row_t row = 1;
    for (ptrdiff_t i = 0; i < n_tables && row < ROWS_MAX; i++) {
        const struct report_table *t = &tables[i];
        struct arena scratch = tmp;
        struct str purpose = purpose_text(&scratch, t);
        explain_row(b, sheet, row++, b->sheet_names[i], NULL, purpose, scratch);
        for (ptrdiff_t k = 0; k < columns_kept(t) && row < ROWS_MAX; k++)
            explain_row(b, sheet, row++, b->sheet_names[i], &t->columns[k],
                        t->columns[k].meaning, scratch);
    }
    return true;
}

/* Units shown alike share a format: the library hashes duplicate formats at each cell,
 * which took a seventh of a workbook's time. */
static lxw_format *unit_format(struct book *b, int unit)
{
    for (int before = UNIT_NONE + 1; before < unit; before++)
        if (strcmp(units[before].number_format, units[unit].number_format) == 0)
            return b->by_unit[before];
    lxw_format *format = workbook_add_format(b->workbook);
    format_set_num_format(format, units[unit].number_format);
    return format;
}

static void add_formats(struct book *b)
{
    b->header = workbook_add_format(b->workbook);
    format_set_bold(b->header);
    format_set_text_wrap(b->header);
    format_set_align(b->header, LXW_ALIGN_VERTICAL_TOP);
    format_set_bottom(b->header, LXW_BORDER_THIN);
    b->wrapped = workbook_add_format(b->workbook);
    format_set_text_wrap(b->wrapped);
    for (int unit = UNIT_NONE + 1; unit < COLUMN_UNITS; unit++)
        b->by_unit[unit] = unit_format(b, unit);
    b->integer = b->by_unit[UNIT_COUNT];
}

static bool fill(struct book *b, const struct report_table *tables, ptrdiff_t n_tables,
                 int64_t date_s, struct arena tmp)
{
    char title[] = "Performance report";
    lxw_doc_properties properties = {.title = title, .created = (time_t)date_s};
    workbook_set_properties(b->workbook, &properties);
    add_formats(b);
    b->sheet_names = arena_take(&tmp, sizeof *b->sheet_names, 1, n_tables + 1);
    for (ptrdiff_t i = 0; i < n_tables; i++)
        if (!table_sheet(b, &tables[i], tmp))
            return false;
    return columns_sheet(b, tables, n_tables, tmp);
}

/* "worksheet" of "<?xml ...?>\n<worksheet xmlns=...": what the part must close. */
static struct str root_name(struct str part)
{
    ptrdiff_t at = str_find(part, S("?>"));
    struct str rest = str_skip(part, at < 0 ? part.n : at + 2);
    at = str_find(rest, S("<"));
    rest = str_skip(rest, at < 0 ? rest.n : at + 1);
    ptrdiff_t n = 0;
    while (n < rest.n && n < 40 && !strchr(" />\n", rest.p[n]))
        n++;
    return str_head(rest, n);
}

/* The library writes its parts into temporary files without checking for errors, so a
 * full disk gives a truncated workbook and no error. Each part must close the element
 * it opens; the root's element name does not occur inside it. */
static bool part_is_whole(unzFile u, struct arena tmp)
{
    unz_file_info64 info;
    if (unzGetCurrentFileInfo64(u, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK ||
        info.uncompressed_size > INT32_MAX || unzOpenCurrentFile(u) != UNZ_OK)
        return false;
    char *buf = arena_take_raw(&tmp, 1, 1, (ptrdiff_t)info.uncompressed_size + 1);
    struct str part = {buf,
                       unzReadCurrentFile(u, buf, (unsigned)info.uncompressed_size)};
    if (unzCloseCurrentFile(u) != UNZ_OK || part.n <= 0)
        return false;
    struct str root = root_name(part);
    struct str closing = str_printf(&tmp, "</%.*s>", STRF(root)), end = str_trim(part);
    bool only_root = str_ends(end, S("/>")) && end.n < 512; /* "<root .../>" */
    return root.n > 0 && (str_ends(end, closing) || only_root);
}

static bool parts_are_whole(const char *path, struct arena tmp)
{
    unzFile u = unzOpen64(path);
    if (!u)
        return false;
    bool good = true;
    for (int rc = unzGoToFirstFile(u); good && rc != UNZ_END_OF_LIST_OF_FILE;
         rc = unzGoToNextFile(u))
        good = rc == UNZ_OK && part_is_whole(u, tmp);
    unzClose(u);
    return good;
}

static bool copy_to(const char *path, int fd, struct arena tmp, struct err *e)
{
    enum { ROOM = 1 << 16 };
    char *buf = arena_take_raw(&tmp, 1, 1, ROOM);
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    ssize_t k;
    off_t at = 0;
    while ((k = pread(fd, buf, ROOM, at)) > 0 || (k < 0 && errno == EINTR))
        if (k > 0) {
            out_bytes(&o, buf, k);
            at += k;
        }
    int why = k < 0 ? errno : 0;
    return out_close(&o, e) && (!why || err_set(e, ERR_OUTPUT, path, -1,
                                                "cannot be copied: %s", strerror(why)));
}

/* The library prints what fails in its own words, beside the error that we report; for
 * that while it gets another stderr. Nothing else of ours prints to `stderr` meanwhile:
 * progress.h has its own. NULL: not possible here. */
static FILE *silence(void)
{
#ifdef __GLIBC__ /* where stderr is a variable */
    FILE *nowhere = fopen("/dev/null", "we"), *was = stderr;
    if (!nowhere)
        return NULL;
    stderr = nowhere;
    return was;
#else
    return NULL;
#endif
}

static void end_silence(FILE *was)
{
#ifdef __GLIBC__
    if (!was)
        return;
    fclose(stderr);
    stderr = was;
#else
    (void)was;
#endif
}

static bool write_through(const struct report_table *tables, ptrdiff_t n_tables,
                          const char *through, const char *path, int64_t date_s,
                          struct arena tmp, struct err *e)
{
    const char *slash = strrchr(path, '/');
    struct str dir = slash ? (struct str){path, slash - path + 1} : S(".");
    lxw_workbook_options options = {.tmpdir = str_c(&tmp, dir)};
    struct book b = {.workbook = workbook_new_opt(through, &options)};
    if (!b.workbook)
        arena_full();
    FILE *heard = silence();
    errno = 0;
    bool filled = fill(&b, tables, n_tables, date_s, tmp);
    lxw_error rc = workbook_close(b.workbook);
    int why = errno;
    end_silence(heard);
    if (!filled || b.failed != LXW_NO_ERROR)
        return err_set(e, ERR_INTERNAL, path, -1, "a sheet cannot be written: %s",
                       filled ? lxw_strerror(b.failed) : "it cannot be added");
    if (rc != LXW_NO_ERROR)
        return err_set(e, ERR_OUTPUT, path, -1, "cannot be written: %s",
                       why ? strerror(why) : lxw_strerror(rc));
    if (!parts_are_whole(through, tmp))
        return err_set(e, ERR_OUTPUT, path, -1,
                       "cannot be written: No space left for temporary files");
    return true;
}

/* Through memory, because the library prints to stderr when a disk is full, and so that
 * no broken workbook is left behind. */
bool xlsx_write(const struct report_table *tables, ptrdiff_t n_tables, const char *path,
                int64_t date_s, struct arena tmp, struct err *e)
{
    char through[40];
    int fd = memfd_create("workbook", MFD_CLOEXEC);
    snprintf(through, sizeof through, "/proc/self/fd/%d", fd);
    bool in_memory = fd >= 0 && access(through, W_OK) == 0;
    bool good = write_through(tables, n_tables, in_memory ? through : path, path,
                              date_s, tmp, e) &&
                (!in_memory || copy_to(path, fd, tmp, e));
    if (fd >= 0)
        close(fd);
    struct stat st;
    if (!good && lstat(path, &st) == 0 && S_ISREG(st.st_mode))
        unlink(path);
    return good || err_doing(e, "writing the workbook");
}
