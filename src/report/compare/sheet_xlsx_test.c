#include "sheet_xlsx.c"

#include "base/file_head.h"
#include "base/zip_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena a, tmp;

static int reserve(void **state)
{
    (void)state;
    a = arena_reserve(1 << 28);
    tmp = arena_reserve(1 << 26);
    return 0;
}

#define SHEETS(list) "<workbook><sheets>" list "</sheets></workbook>"
#define SHEET(name, id)                                                                \
    "<sheet name=\"" name "\" sheetId=\"1\" state=\"visible\" r:id=\"" id "\"/>"
#define RELATION(id, target)                                                           \
    "<Relationship Type=\"t\" Target=\"" target "\" Id=\"" id "\"/>"
#define ROWS(rows)                                                                     \
    "<?xml version=\"1.0\"?><worksheet><sheetData>" rows "</sheetData></worksheet>"
#define TEXTS(list) "<sst count=\"9\">" list "</sst>"

/* The parts of a workbook; NULL: it has none of that. */
struct parts {
    const char *workbook, *relations, *strings, *sheet;
};

/* As openpyxl writes it: two columns, a text, numbers and a flag. */
static const struct parts plain = {
    SHEETS(SHEET("gpu_timeline", "rId1")),
    "<Relationships>" RELATION("rId1", "/xl/worksheets/sheet1.xml") "</Relationships>",
    TEXTS("<si><t>type</t></si><si><t>time ms</t></si><si><t>a &lt;b&gt;</t></si>"),
    ROWS(
        "<row r=\"1\"><c r=\"A1\" s=\"1\" t=\"s\"><v>0</v></c>"
        "<c r=\"B1\" t=\"s\"><v>1</v></c></row>"
        "<row r=\"2\"><c r=\"A2\" t=\"s\"><v>2</v></c><c r=\"B2\"><v>0.25</v></c></row>"
        "<row r=\"3\"><c r=\"B3\" t=\"n\"><v>7</v></c></row>")};

static void add(struct zip_file *z, const char *name, const char *text)
{
    struct err e = {0};
    if (!text)
        return;
    zip_begin(z, name);
    zip_put(z, str_of(text));
    assert_true(zip_end(z, &e));
}

static struct str zip_of(const struct parts *p)
{
    struct zip_file z;
    struct err e = {0};
    struct str bytes;
    char path[64];
    snprintf(path, sizeof path, "/tmp/sheet_xlsx_test.%d.xlsx", (int)getpid());
    assert_true(zip_open(&z, path, SOURCE_DATE_NONE_S, &e));
    add(&z, "docProps/app.xml", "<a/>");
    add(&z, "xl/worksheets/sheet1.xml", p->sheet);
    add(&z, STRINGS, p->strings);
    add(&z, WORKBOOK, p->workbook);
    add(&z, RELATIONS, p->relations);
    assert_true(zip_close(&z, &e));
    assert_true(file_head(&a, path, 1 << 24, &bytes, &e));
    unlink(path);
    return bytes;
}

static struct report_table table_of(const struct parts *p)
{
    struct sheets s;
    struct err e = {0};
    struct str bytes = zip_of(p);
    if (!sheets_of_xlsx(&a, tmp, bytes, "b.xlsx", &s, &e))
        fail_msg("%s", e.what);
    assert_int_equal(s.n, 1);
    return s.tables[0];
}

static void assert_refused(const struct parts *p, const char *what)
{
    struct sheets s;
    struct err e = {0};
    struct str bytes = zip_of(p);
    assert_false(sheets_of_xlsx(&a, tmp, bytes, "b.xlsx", &s, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    assert_string_equal(e.what, what);
}

static struct parts with_sheet(const char *sheet)
{
    struct parts p = plain;
    p.sheet = sheet;
    return p;
}

static void sheets_are_tables(void **state)
{
    (void)state;
    struct report_table t = table_of(&plain);
    assert_true(str_eq(t.name, S("gpu_timeline")));
    assert_int_equal(t.n_columns, 2);
    assert_int_equal(t.n_rows, 2);
    assert_true(str_eq(t.columns[1].title, S("time ms")));
    assert_true(str_eq(table_cell(&t, 0, 0)->as.text, S("a <b>")));
    assert_true(table_cell(&t, 0, 1)->as.r == 0.25);
    assert_int_equal(table_cell(&t, 1, 0)->kind, CELL_NONE);
    assert_int_equal(table_cell(&t, 1, 1)->as.i, 7);
}

/* Without places and strings of its own, with a prefix, runs, a formula and an error.
 */
static void other_programs_write_them_too(void **state)
{
    (void)state;
    struct parts p = with_sheet(
        "<x:worksheet><x:sheetData><x:row/><x:row><x:c "
        "t=\"inlineStr\"><x:is><x:t>ty</x:t>"
        "</x:is></x:c><x:c "
        "t=\"inlineStr\"><x:is><x:r><x:t>a</x:t></x:r><x:r><x:t>b</x:t>"
        "</x:r><x:rPh><x:t>spoken</x:t></x:rPh></x:is></x:c><x:c t=\"str\"><x:f>1</x:f>"
        "<x:v>c</x:v></x:c></x:row><x:row><x:c t=\"b\"><x:v>1</x:v></x:c><x:c t=\"e\">"
        "<x:v>#N/A</x:v></x:c><x:c "
        "t=\"str\"><x:f>A1</x:f><x:v>x&amp;y</x:v></x:c><x:c/>"
        "</x:row></x:sheetData></x:worksheet>");
    p.strings = NULL;
    p.relations =
        "<Relationships>" RELATION("rId1", "worksheets/sheet1.xml") "</Relationships>";
    struct report_table t = table_of(&p);
    assert_int_equal(t.n_columns, 3);
    assert_true(str_eq(t.columns[1].title, S("ab")));
    assert_int_equal(t.n_rows, 1);
    assert_int_equal(table_cell(&t, 0, 0)->kind, CELL_BOOL);
    assert_true(table_cell(&t, 0, 0)->as.b);
    assert_int_equal(table_cell(&t, 0, 1)->kind, CELL_NONE);
    assert_true(str_eq(table_cell(&t, 0, 2)->as.text, S("x&y")));
}

static void what_is_no_report_is_said(void **state)
{
    (void)state;
    struct parts p = plain;
    p.workbook = SHEETS(SHEET("Budget", "rId1") SHEET("Notes", "rId2"));
    assert_refused(&p, "a workbook without a sheet of a performance report, such as "
                       "gpu_timeline, ops_summary or kernel_summary; its sheets are "
                       "Budget, Notes");
    p.workbook = NULL;
    assert_refused(
        &p, "a zip archive, and not a whole workbook: it has no xl/workbook.xml");
    p = plain;
    p.relations = "<Relationships>" RELATION("rId1", "other.xml") "</Relationships>";
    assert_refused(&p, "not a workbook: xl/other.xml: it is not in the archive");
}

static void damage_is_said(void **state)
{
    (void)state;
    struct parts p = with_sheet(ROWS("<row><c t=\"s\"><v>3</v></c></row>"));
    assert_refused(&p, "not a workbook: xl/worksheets/sheet1.xml: a cell names a text "
                       "that is not there");
    p = with_sheet(ROWS("<row><c t=\"s\"><v>-1</v></c></row>"));
    assert_refused(&p, "not a workbook: xl/worksheets/sheet1.xml: a cell names a text "
                       "that is not there");
    p = with_sheet("<sheetData><row><c><v>1</v");
    assert_refused(&p,
                   "not a workbook: xl/worksheets/sheet1.xml: a tag that does not end");
    p = with_sheet("<!DOCTYPE a [<!ENTITY b \"bb\">]>");
    assert_refused(&p, "not a workbook: xl/worksheets/sheet1.xml: a document type or "
                       "CDATA, which no workbook has");
    p = with_sheet(ROWS("<row><c r=\"XFE1\"><v>1</v></c></row>"));
    assert_refused(&p, "not a workbook: xl/worksheets/sheet1.xml: a cell in a column "
                       "that no sheet has");
    p = with_sheet(ROWS("<row><c r=\"ZZZZZZZZZZZZZZZZ1\"><v>1</v></c></row>"));
    assert_refused(&p, "not a workbook: xl/worksheets/sheet1.xml: a cell in a column "
                       "that no sheet has");
    p = with_sheet(
        ROWS("<row><c><v>1</v></c></row><row><c r=\"B2\"><v>1</v></c></row>"));
    assert_refused(&p, "not a workbook: xl/worksheets/sheet1.xml: a row has more cells "
                       "than the header");
}

/* A header of 16384 columns over rows of one cell; 20 MB of empty rows; a text
 * that a thousand cells name. */
static void little_does_not_become_much(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    out_c(&o, "<sheetData><row><c r=\"XFD1\" t=\"s\"><v>0</v></c></row>");
    for (int i = 0; i < 3000; i++)
        out_c(&o, "<row><c r=\"A2\"><v>1</v></c></row>");
    struct parts p = with_sheet(str_c(&a, out_view(&o)));
    assert_refused(&p, "not a workbook: xl/worksheets/sheet1.xml: it has many more "
                       "columns than cells");
    o.n = 0;
    for (int i = 0; i < 20; i++)
        for (int k = 0; k < 1 << 17; k++)
            out_c(&o, "<row/>  ");
    p = with_sheet(str_c(&a, out_view(&o)));
    assert_refused(&p, "not a workbook: xl/worksheets/sheet1.xml: it expands to many "
                       "times its size");
    o.n = 0;
    out_c(&o, "<sst><si><t>");
    for (int i = 0; i < 1 << 17; i++)
        out_c(&o, i % 7 ? "text" : "word");
    out_c(&o, "</t></si></sst>");
    p.strings = str_c(&a, out_view(&o));
    o.n = 0;
    for (int i = 0; i < 1000; i++)
        out_c(&o, "<row><c t=\"s\"><v>0</v></c></row>");
    p.sheet = str_c(&a, out_view(&o));
    out_free(&o);
    assert_refused(&p, "not a workbook: xl/worksheets/sheet1.xml: its cells have more "
                       "text than any report");
}

/* A book cut anywhere, or with any byte changed, is read or refused. */
static void hostile_bytes_are_read_or_refused(void **state)
{
    (void)state;
    struct str whole = zip_of(&plain);
    char *p = arena_copy(&a, whole.p, whole.n);
    for (ptrdiff_t i = 0; i < whole.n; i++) {
        struct sheets s;
        struct err e = {0};
        struct arena before = a;
        p[i] ^= 0x15;
        bool read = sheets_of_xlsx(&a, tmp, (struct str){p, whole.n}, "b", &s, &e);
        assert_true(read == (e.kind == ERR_NONE));
        p[i] ^= 0x15;
        e = (struct err){0};
        read = sheets_of_xlsx(&a, tmp, (struct str){p, i}, "b", &s, &e);
        assert_false(read);
        a = before;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_are_tables),
        cmocka_unit_test(other_programs_write_them_too),
        cmocka_unit_test(what_is_no_report_is_said),
        cmocka_unit_test(damage_is_said),
        cmocka_unit_test(little_does_not_become_much),
        cmocka_unit_test(hostile_bytes_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, reserve, NULL);
}
