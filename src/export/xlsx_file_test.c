#include "export/xlsx_file.c"

#include "base/arena_case.h"

#include <minizip/unzip.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { DATE_S = 315532800 }; /* 1980-01-01 */

static char path[] = "/tmp/xlsx_file_test.XXXXXX";

static void letters_are(int column, const char *want)
{
    char letters[4] = "";
    int n = column_letters(letters, column);
    letters[n] = '\0';
    assert_string_equal(letters, want);
}

static void columns_have_letters(void **state)
{
    (void)state;
    letters_are(0, "A");
    letters_are(25, "Z");
    letters_are(26, "AA");
    letters_are(51, "AZ");
    letters_are(52, "BA");
    letters_are(701, "ZZ");
    letters_are(702, "AAA");
    letters_are(XLSX_COLUMNS_MAX - 1, "XFD");
}

static struct str escaped_of(struct str s)
{
    struct out o;
    out_memory(&o);
    escape(&o, s);
    return out_text(&o, &a);
}

static void markup_is_escaped(void **state)
{
    (void)state;
    assert_text(escaped_of(S("a<b> & \"c\" 'd'")),
                "a&lt;b&gt; &amp; &quot;c&quot; 'd'");
    assert_text(escaped_of(S("")), "");
}

static struct str range_of(const char *dollar, int64_t rows, int columns)
{
    const struct xlsx_sheet s = {"s", rows, columns};
    struct out o;
    out_memory(&o);
    put_range(&o, dollar, &s);
    return out_text(&o, &a);
}

static void a_range_is_of_all_cells(void **state)
{
    (void)state;
    assert_text(range_of("", 3, 28), "A1:AB3");
    assert_text(range_of("$", 1, 2), "$A$1:$B$1");
    assert_text(range_of("", 1, 1), "A1");
    assert_text(range_of("", 5, 0), "A1:A5");
}

static void write_book(void)
{
    static const char *const formats[] = {"#,##0.00", "0\"%\""};
    static const struct xlsx_sheet sheets[] = {{"one & two", 3, 2}, {"empty", 0, 0}};
    static const double width[] = {10, 12.5};
    struct xlsx_file f;
    struct err e = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(xlsx_open(&f, path, DATE_S, 2, formats, 2, &e));
    xlsx_begin_sheet(&f, &sheets[0], width);
    xlsx_begin_row(&f);
    xlsx_text(&f, 0, S("name"), XLSX_HEADER);
    xlsx_text(&f, 1, S("a<b"), XLSX_HEADER);
    xlsx_end_row(&f);
    xlsx_begin_row(&f);
    xlsx_text(&f, 0, S("name"), XLSX_PLAIN);
    xlsx_number(&f, 1, 1.5, XLSX_FORMATS);
    xlsx_end_row(&f);
    xlsx_begin_row(&f);
    xlsx_bool(&f, 0, true);
    xlsx_number(&f, 1, -3, XLSX_PLAIN);
    xlsx_end_row(&f);
    assert_true(xlsx_end_sheet(&f, &sheets[0], &e));
    xlsx_begin_sheet(&f, &sheets[1], width);
    assert_true(xlsx_end_sheet(&f, &sheets[1], &e));
    assert_true(xlsx_close(&f, sheets, "A <title>", &e));
}

static const char *part(const char *name)
{
    static char text[1 << 16];
    unzFile zip = unzOpen64(path);
    assert_non_null(zip);
    if (unzLocateFile(zip, name, 1) != UNZ_OK)
        fail_msg("no part %s", name);
    assert_int_equal(unzOpenCurrentFile(zip), UNZ_OK);
    int n = unzReadCurrentFile(zip, text, sizeof text - 1);
    assert_true(n >= 0);
    text[n] = '\0';
    unzClose(zip);
    return text;
}

static void has(const char *name, const char *text)
{
    if (!strstr(part(name), text))
        fail_msg("%s: no %s in %s", name, text, part(name));
}

static void a_book_has_its_cells_and_parts(void **state)
{
    const char *sheet = "xl/worksheets/sheet1.xml", *strings = "xl/sharedStrings.xml",
               *book = "xl/workbook.xml";
    (void)state;
    write_book();
    has(sheet, "<dimension ref=\"A1:B3\"/>");
    has(sheet, "<col min=\"2\" max=\"2\" width=\"13.2109375\"");
    has(sheet, "<row r=\"1\"><c r=\"A1\" s=\"1\" t=\"s\"><v>0</v></c>"
               "<c r=\"B1\" s=\"1\" t=\"s\"><v>1</v></c></row>");
    has(sheet, "<row r=\"2\"><c r=\"A2\" t=\"s\"><v>0</v></c>"
               "<c r=\"B2\" s=\"3\"><v>1.5</v></c></row>");
    has(sheet, "<row r=\"3\"><c r=\"A3\" t=\"b\"><v>1</v></c>"
               "<c r=\"B3\"><v>-3</v></c></row>");
    has(sheet, "<autoFilter ref=\"A1:B3\"/>");
    has(sheet, " tabSelected=\"1\"");
    assert_null(strstr(part("xl/worksheets/sheet2.xml"), "tabSelected"));
    assert_null(strstr(part("xl/worksheets/sheet2.xml"), "autoFilter"));
    has(strings, " count=\"3\" uniqueCount=\"2\"");
    has(strings, "<si><t>name</t></si><si><t>a&lt;b</t></si>");
    has(book, "<sheet name=\"one &amp; two\" sheetId=\"1\" r:id=\"rId1\"/>");
    has(book, "'one &amp; two'!$A$1:$B$3</definedName>");
    assert_null(strstr(part(book), "'empty'!"));
    has("xl/styles.xml", "<numFmt numFmtId=\"164\" formatCode=\"#,##0.00\"/>"
                         "<numFmt numFmtId=\"165\" formatCode=\"0&quot;%&quot;\"/>");
    has("xl/styles.xml", "<cellXfs count=\"5\">");
    has("docProps/core.xml", "<dc:title>A &lt;title&gt;</dc:title>");
    has("docProps/core.xml", "1980-01-01T00:00:00Z");
    has("[Content_Types].xml", "/xl/worksheets/sheet2.xml");
    has("xl/_rels/workbook.xml.rels",
        "Id=\"rId2\" Type=\"" OFFICE "relationships/worksheet\" "
        "Target=\"worksheets/sheet2.xml\"");
    unlink(path);
}

static void outer_space_is_kept(void **state)
{
    (void)state;
    assert_true(is_outer_space(S(" a")) && is_outer_space(S("a\n")));
    assert_false(is_outer_space(S("a b")) || is_outer_space(S("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_letters),
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(a_range_is_of_all_cells),
        cmocka_unit_test(a_book_has_its_cells_and_parts),
        cmocka_unit_test(outer_space_is_kept),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
