#include "report/compare/sheet_xlsx.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/unpack.h"
#include "base/xml_scan.h"
#include "report/compare/sheet_compare.h"
#include "report/compare/sheet_csv.h"

enum {
    SHEETS_MAX = 256,
    COLUMNS_MAX = 1 << 14,  /* that a sheet can have */
    CELL_BYTES_OF_TEXT = 8, /* of cells for each byte that describes them */
    CELL_BYTES_ANYWAY = 1 << 20,
    TEXT_BYTES_MAX = 1 << 28 /* of the texts of all cells */
};

#define WORKBOOK  "xl/workbook.xml"
#define RELATIONS "xl/_rels/workbook.xml.rels"
#define STRINGS   "xl/sharedStrings.xml"

struct listed { /* a sheet of workbook.xml, or a part of its relations */
    struct str name, id;
};

/* A text that is made of several runs, each with a form of its own. */
struct text_runs {
    struct out text;
    bool hidden; /* how it is spoken, which is no part of it */
};

struct book {
    struct arena *perm;
    struct arena tmp;
    const char *file;
    struct err *e;
    struct listed sheets[SHEETS_MAX], parts[SHEETS_MAX];
    int n_sheets, n_parts;
    struct str *strings;
    int32_t n_strings;
    struct str wanted[SHEETS_MAX]; /* names of parts; empty: it has been read */
    struct str title[SHEETS_MAX];  /* of the sheet in it */
    int n_wanted;
    struct text_runs runs;
    int64_t text_bytes; /* of cells so far */
    struct report_table *tables;
    ptrdiff_t n_tables;
};

bool sheet_xlsx_is(struct str head)
{
    return str_starts(head, S("PK\3\4"));
}

static bool broken(struct book *b, struct str part, const char *why)
{
    return err_set(b->e, ERR_INPUT, b->file, -1, "not a workbook: %.*s: %s",
                   STRF(str_head(part, 100)), why);
}

/* The entries of a kind: of workbook.xml or of its relations. */
static void list_entries(struct book *b, struct str part, struct str xml,
                         const char *tag, const char *name, struct listed *to, int *n)
{
    struct xml_scan x = {.rest = xml};
    struct xml_tag t;
    while (xml_next(&x, &t)) {
        bool is = t.opens && str_eq(t.name, str_of(tag)) && *n < SHEETS_MAX;
        struct str id = is ? xml_attribute(&t, *name == 'T' ? "Id" : "id") : S("");
        if (id.n)
            to[(*n)++] = (struct listed){
                str_copy(b->perm, xml_plain(&b->tmp, xml_attribute(&t, name))),
                str_copy(b->perm, id)};
    }
    if (x.broken)
        (void)broken(b, part, x.broken);
}

/* Takes a tag of a text into account. */
static void take_run(struct text_runs *r, const struct xml_tag *t, struct arena tmp)
{
    if (str_eq(t->name, S("rPh")))
        r->hidden = !t->closes;
    else if (str_eq(t->name, S("t")) && t->closes && !t->opens && !r->hidden)
        out_str(&r->text, xml_plain(&tmp, t->text));
}

static void read_strings(struct book *b, struct str xml)
{
    struct xml_scan x = {.rest = xml};
    struct xml_tag t;
    ptrdiff_t n = 0;
    while (xml_next(&x, &t))
        n += t.closes && str_eq(t.name, S("si"));
    b->strings = arena_new(b->perm, struct str, n);
    x = (struct xml_scan){.rest = xml};
    while (xml_next(&x, &t)) {
        bool is_item = str_eq(t.name, S("si"));
        if (is_item && t.opens)
            b->runs.text.n = 0;
        if (is_item && t.closes)
            b->strings[b->n_strings++] = str_copy(b->perm, out_view(&b->runs.text));
        if (!is_item)
            take_run(&b->runs, &t, b->tmp);
    }
    if (x.broken)
        (void)broken(b, S(STRINGS), x.broken);
}

/* A sheet, read cell by cell. */
struct sheet_reader {
    struct book *b;
    struct str part;
    struct xml_scan x;
    struct report_table table;
    ptrdiff_t row, column;
    bool has_header, in_row; /* in_row: a cell of this row has been met */
    struct str type;         /* of the cell */
    struct cell cell;
};

/* "C5" is column 2; without a place, that behind the one before. */
static ptrdiff_t column_of(const struct sheet_reader *r, const struct xml_tag *t)
{
    struct str place = xml_attribute(t, "r");
    ptrdiff_t column = 0, k = 0;
    for (;
         k < place.n && place.p[k] >= 'A' && place.p[k] <= 'Z' && column <= COLUMNS_MAX;
         k++)
        column = 26 * column + (place.p[k] - 'A' + 1);
    return k ? column - 1 : r->column + 1;
}

/* The cell that a value stands for, by the type of the cell. */
static bool read_value(struct sheet_reader *r, struct str written)
{
    struct book *b = r->b;
    struct str plain = xml_plain(&b->tmp, written);
    int64_t at;
    if (str_eq(r->type, S("s"))) {
        if (!str_int(str_trim(plain), &at) || at < 0 || at >= b->n_strings)
            return broken(b, r->part, "a cell names a text that is not there");
        r->cell = (struct cell){.kind = CELL_NAME, .as.text = b->strings[at]};
    } else if (str_eq(r->type, S("b"))) {
        r->cell = (struct cell){.kind = CELL_BOOL, .as.b = str_eq(plain, S("1"))};
    } else if (str_eq(r->type, S("str"))) {
        r->cell = (struct cell){.kind = CELL_NAME, .as.text = str_copy(b->perm, plain)};
    } else if (!str_eq(r->type, S("e"))) {
        r->cell = sheet_cell_of(str_copy(b->perm, str_trim(plain)));
    }
    return true;
}

static bool put_title(struct sheet_reader *r)
{
    struct report_table *t = &r->table;
    if (r->column < 0 || r->column >= COLUMNS_MAX)
        return broken(r->b, r->part, "a cell in a column that no sheet has");
    while (t->n_columns <= r->column) {
        arena_grow(r->b->perm, t->columns, t->n_columns);
        t->columns[t->n_columns++] = (struct table_column){.title = S("")};
    }
    if (r->cell.kind == CELL_NAME)
        t->columns[r->column].title = r->cell.as.text;
    return true;
}

/* The cell is complete. */
static bool put_cell(struct sheet_reader *r)
{
    struct book *b = r->b;
    struct cell c = r->cell;
    if (b->runs.text.n)
        c = (struct cell){.kind = CELL_NAME,
                          .as.text = str_copy(b->perm, out_view(&b->runs.text))};
    bool is_text = c.kind == CELL_NAME;
    if (c.kind == CELL_NONE || (is_text && !c.as.text.n))
        return true;
    b->text_bytes += is_text ? c.as.text.n : 0;
    if (b->text_bytes > TEXT_BYTES_MAX)
        return broken(b, r->part, "its cells have more text than any report");
    r->cell = c;
    if (!r->has_header) {
        r->in_row = true;
        return put_title(r);
    }
    if (r->column < 0 || r->column >= r->table.n_columns)
        return broken(b, r->part, "a row has more cells than the header");
    if (!r->in_row)
        r->table.n_rows++;
    r->in_row = true;
    if (r->table.cells)
        *table_cell(&r->table, r->table.n_rows - 1, r->column) = c;
    return true;
}

static bool take_tag(struct sheet_reader *r, const struct xml_tag *t)
{
    if (str_eq(t->name, S("row"))) {
        r->has_header |= t->closes && r->in_row;
        r->in_row = false;
        r->column = -1;
    } else if (str_eq(t->name, S("c"))) {
        if (t->opens) {
            r->column = column_of(r, t);
            r->type = xml_attribute(t, "t");
            r->cell = (struct cell){.kind = CELL_NONE};
            r->b->runs.text.n = 0;
        }
        return !t->closes || put_cell(r);
    } else if (str_eq(t->name, S("v"))) {
        return !t->closes || t->opens || read_value(r, t->text);
    } else {
        take_run(&r->b->runs, t, r->b->tmp);
    }
    return true;
}

/* Once through the sheet: its header and how many rows it has, or its cells. */
static bool walk(struct sheet_reader *r, struct str xml)
{
    struct xml_tag t;
    r->x = (struct xml_scan){.rest = xml};
    r->has_header = r->in_row = false;
    r->table.n_rows = 0;
    r->column = -1;
    while (xml_next(&r->x, &t)) {
        struct arena before = r->b->tmp;
        bool done = take_tag(r, &t);
        r->b->tmp = before;
        if (!done)
            return false;
    }
    return !r->x.broken || broken(r->b, r->part, r->x.broken);
}

static void read_sheet(struct book *b, struct str part, struct str title,
                       struct str xml)
{
    struct sheet_reader r = {.b = b, .part = part, .table.name = title};
    struct arena before = *b->perm;
    int64_t text_before = b->text_bytes;
    if (!walk(&r, xml))
        return;
    struct report_table sized = r.table;
    *b->perm = before; /* texts of cells are read again */
    b->text_bytes = text_before;
    ptrdiff_t most = CELL_BYTES_OF_TEXT * xml.n + CELL_BYTES_ANYWAY;
    if (sized.n_rows * sized.n_columns > most / (ptrdiff_t)sizeof(struct cell)) {
        (void)broken(b, part, "it has many more columns than cells");
        return;
    }
    r.table.columns = NULL;
    r.table.n_columns = 0;
    r.table.cells = arena_new(b->perm, struct cell, sized.n_rows * sized.n_columns);
    if (walk(&r, xml))
        b->tables[b->n_tables++] = r.table;
}

static int place_of(const struct book *b, struct str name)
{
    for (int i = 0; i < b->n_wanted; i++)
        if (b->wanted[i].n && str_eq(b->wanted[i], name))
            return i;
    return -1;
}

static bool is_wanted(void *context, struct str name)
{
    const struct book *b = context;
    return b->e->kind == ERR_NONE && place_of(b, name) >= 0;
}

static void take_part(void *context, struct str name, struct str bytes,
                      struct arena tmp)
{
    struct book *b = context;
    int at = place_of(b, name);
    if (at < 0)
        return;
    struct str part = b->wanted[at];
    b->wanted[at] = S("");
    b->tmp = tmp;
    if (str_eq(part, S(WORKBOOK)))
        list_entries(b, part, bytes, "sheet", "name", b->sheets, &b->n_sheets);
    else if (str_eq(part, S(RELATIONS)))
        list_entries(b, part, bytes, "Relationship", "Target", b->parts, &b->n_parts);
    else if (str_eq(part, S(STRINGS)))
        read_strings(b, bytes);
    else
        read_sheet(b, part, b->title[at], bytes);
}

/* Only parts of it: that the directory lacks an entry is no reason to refuse. */
static void take_unread(void *context, struct str name, const char *why)
{
    struct book *b = context;
    if (name.n && b->e->kind == ERR_NONE)
        (void)broken(b, name, why);
}

static void want(struct book *b, struct str part, struct str title)
{
    if (b->n_wanted == SHEETS_MAX)
        return;
    b->title[b->n_wanted] = title;
    b->wanted[b->n_wanted++] = part;
}

/* The name of a part, from a path that begins at the archive or in xl/. */
static struct str part_name(struct arena *perm, struct str target)
{
    return str_starts(target, S("/")) ? str_skip(target, 1)
                                      : str_printf(perm, "xl/%.*s", STRF(target));
}

/* Where a sheet is; empty: the workbook has none of the name. */
static struct str part_of_sheet(struct book *b, struct str title)
{
    for (int i = 0; i < b->n_sheets; i++)
        for (int k = 0; k < b->n_parts && str_eq(b->sheets[i].name, title); k++)
            if (str_eq(b->parts[k].id, b->sheets[i].id))
                return part_name(b->perm, b->parts[k].name);
    return S("");
}

static bool lacks_sheets(struct book *b)
{
    enum { NAMES_MAX = 8 };
    struct str has = S("");
    for (int i = 0; i < b->n_sheets && i < NAMES_MAX; i++)
        has = str_printf(b->perm, "%.*s%s%.*s", STRF(has), i ? ", " : "",
                         STRF(str_head(b->sheets[i].name, 40)));
    return err_set(b->e, ERR_INPUT, b->file, -1,
                   "a workbook without a sheet of a performance report, such as "
                   "gpu_timeline, ops_summary or kernel_summary; its sheets are "
                   "%.*s%s",
                   STRF(has), b->n_sheets > NAMES_MAX ? ", ..." : "");
}

bool sheets_of_xlsx(struct arena *perm, struct arena tmp, struct str bytes,
                    const char *file, struct sheets *s, struct err *e)
{
    struct book *b = arena_new(&tmp, struct book, 1);
    *b = (struct book){.perm = perm, .file = file, .e = e};
    out_memory(&b->runs.text);
    struct unpacking u = {b, is_wanted, take_part, take_unread};
    want(b, S(WORKBOOK), S(""));
    want(b, S(RELATIONS), S(""));
    want(b, S(STRINGS), S(""));
    unpack(bytes, tmp, &u);
    if (e->kind == ERR_NONE && (b->wanted[0].n || b->wanted[1].n))
        (void)err_set(e, ERR_INPUT, file, -1,
                      "a zip archive, and not a whole workbook: it has no " WORKBOOK);
    b->n_wanted = 0;
    for (int i = 0; i < sheet_sources(); i++) {
        struct str part = part_of_sheet(b, sheet_source(i));
        if (part.n)
            want(b, part, sheet_source(i));
    }
    b->tables = arena_new(perm, struct report_table, b->n_wanted);
    if (e->kind == ERR_NONE && !b->n_wanted)
        (void)lacks_sheets(b);
    if (e->kind == ERR_NONE)
        unpack(bytes, tmp, &u);
    for (int i = 0; i < b->n_wanted && e->kind == ERR_NONE; i++)
        if (b->wanted[i].n)
            (void)broken(b, b->wanted[i], "it is not in the archive");
    out_free(&b->runs.text);
    s->tables = b->tables;
    s->n = b->n_tables;
    return e->kind == ERR_NONE;
}
