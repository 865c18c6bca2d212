#include "xlsx_book.c"

#include "export/table_files.h"
#include "report/table_case.h"

#include <minizip/unzip.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { DATE_S = 315532800 };

static char dir[] = "/tmp/xlsx_book_test.XXXXXX", path[64], *start;
static struct arena tmp;

static int set_up(void **state)
{
    (void)state;
    tmp = arena_reserve(1 << 28);
    start = tmp.at;
    snprintf(path, sizeof path, "%s/a.xlsx", mkdtemp(dir) ? dir : "");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_release(start, &tmp);
    unlink(path);
    return rmdir(dir); /* fails when anything was left behind */
}

static struct table_column three[] = {
    {.title = {"name", sizeof "name" - 1},
     .meaning = {"The operation.", sizeof "The operation." - 1}},
    {.title = {"Kernel Time (µs)_sum", sizeof "Kernel Time (µs)_sum" - 1},
     .meaning = {"Its time.", sizeof "Its time." - 1},
     .unit = UNIT_US},
    {.title = {"count", sizeof "count" - 1},
     .meaning = {"How often.", sizeof "How often." - 1},
     .unit = UNIT_COUNT}};

static struct report_table book_table(const char *name, struct cell *cells, ptrdiff_t n)
{
    return (struct report_table){.name = str_of(name),
                                 .purpose = S("A row is an operation."),
                                 .columns = three,
                                 .cells = cells,
                                 .n_columns = 3,
                                 .n_rows = n};
}

static bool write_to(const char *file, const struct report_table *tables, ptrdiff_t n,
                     struct arena a, struct err *e)
{
    struct table_files f = {.book = file, .date_s = DATE_S};
    return table_files_write(&f, tables, n, a, e);
}

static void write_book(const struct report_table *tables, ptrdiff_t n, struct arena a)
{
    struct err e = {0};
    if (!write_to(path, tables, n, a, &e))
        fail_msg("%s (%s)", e.what, e.doing);
}

/* A part of the workbook as text, in the arena for the rest of the test. */
static const char *part(struct arena *a, const char *name)
{
    unzFile u = unzOpen64(path);
    unz_file_info64 info;
    assert_non_null(u);
    assert_int_equal(unzLocateFile(u, name, 1), UNZ_OK);
    assert_int_equal(unzGetCurrentFileInfo64(u, &info, 0, 0, 0, 0, 0, 0), UNZ_OK);
    char *text = arena_take(a, 1, 1, (ptrdiff_t)info.uncompressed_size + 1);
    assert_int_equal(unzOpenCurrentFile(u), UNZ_OK);
    assert_int_equal(unzReadCurrentFile(u, text, (unsigned)info.uncompressed_size),
                     info.uncompressed_size);
    assert_int_equal(unzCloseCurrentFile(u), UNZ_OK);
    unzClose(u);
    return text;
}

#define assert_has(text, wanted) assert_non_null(strstr((text), (wanted)))

static void test_cells(void **state)
{
    (void)state;
    struct arena a = tmp;
    struct cell cells[] = {
        NAME("aten::mm"),  REAL(12.5), INT(17),        NONE,
        REAL((double)NAN), BOOL(true), TEXT("(1, 2)"), REAL((double)INFINITY),
        INT(INT64_MAX)};
    struct report_table t = book_table("GEMM", cells, 3);
    write_book(&t, 1, a);
    const char *sheet = part(&a, "xl/worksheets/sheet1.xml");
    assert_has(sheet, "<v>12.5</v>");
    assert_has(sheet, "<v>17</v>");
    assert_has(sheet, "<c r=\"C3\" t=\"b\"><v>1</v>");
    assert_null(strstr(sheet, "r=\"A3\"")); /* missing cells are not written */
    assert_null(strstr(sheet, "r=\"B3\""));
    assert_has(sheet, "<c r=\"B4\" t=\"s\">"); /* inf is text */
    assert_has(sheet, "<c r=\"C4\" t=\"s\">"); /* a double cannot hold 2^63 - 1 */
    assert_has(sheet, "state=\"frozen\"");
    assert_has(sheet, "<autoFilter ref=\"A1:C4\"/>");
    const char *strings = part(&a, "xl/sharedStrings.xml");
    assert_has(strings, "9223372036854775807");
    assert_has(strings, "<t>inf</t>");
    assert_has(strings, "Kernel Time (µs)_sum");
    const char *styles = part(&a, "xl/styles.xml");
    assert_has(styles, "wrapText=\"1\"");
    assert_has(styles, "<b/>");
    const char *explained = part(&a, "xl/worksheets/sheet2.xml");
    assert_has(explained, "<dimension ref=\"A1:D5\"/>"); /* header, table, 3 columns */
    assert_has(strings, "A row is an operation.");
    assert_has(strings, "How often.");
    assert_has(part(&a, "xl/workbook.xml"), "<sheet name=\"Columns\" sheetId=\"2\"");
}

/* Numbers beyond 64 bits are no integers, which a sanitizer checks. */
static void test_numbers_of_any_size(void **state)
{
    (void)state;
    struct arena a = tmp;
    struct cell cells[] = {NAME("a"), REAL(9.3e18),           INT(1),
                           NAME("b"), REAL(-1e300),           INT(-999999999999999),
                           NAME("c"), REAL(999999999999999.), INT(1000000000000000)};
    struct report_table t = book_table("sizes", cells, 3);
    write_book(&t, 1, a);
    const char *sheet = part(&a, "xl/worksheets/sheet1.xml");
    assert_has(sheet, "<v>9.3e+18</v>");
    assert_has(sheet, "<v>-1e+300</v>");
    assert_has(sheet, "<v>-999999999999999</v>");
    assert_has(sheet, "<v>999999999999999</v>");
    assert_has(sheet, "<v>1000000000000000");
}

static void test_no_rows_and_no_tables(void **state)
{
    (void)state;
    struct arena a = tmp;
    struct report_table t = book_table("GEMM", NULL, 0);
    write_book(&t, 1, a);
    assert_has(part(&a, "xl/worksheets/sheet1.xml"), "<autoFilter ref=\"A1:C1\"/>");
    t.n_columns = 0;
    write_book(&t, 1, a);
    write_book(NULL, 0, a);
    assert_has(part(&a, "xl/workbook.xml"), "<sheet name=\"Columns\" sheetId=\"1\"");
}

static void test_hostile_texts(void **state)
{
    (void)state;
    struct arena a = tmp;
    struct cell cells[] = {NAME("=HYPERLINK(\"http://x\")"),
                           NAME("http://example.org/"),
                           NAME("mailto:a@b"),
                           NAME("a\0b\x1b\xFF"),
                           NAME("</t><evil/>&"),
                           NAME("_x0041_B"),
                           NAME("\xEF\xBF\xBF"),
                           NAME(" lead"),
                           NAME("")};
    struct report_table t = book_table("hostile", cells, 3);
    write_book(&t, 1, a);
    const char *sheet = part(&a, "xl/worksheets/sheet1.xml");
    assert_null(strstr(sheet, "<f>"));
    assert_null(strstr(sheet, "hyperlink"));
    const char *strings = part(&a, "xl/sharedStrings.xml");
    assert_has(strings, "<t>=HYPERLINK(&quot;http://x&quot;)</t>");
    assert_has(strings, "<t>a\\x00b\\x1b\\xff</t>");
    assert_has(strings, "<t>&lt;/t&gt;&lt;evil/&gt;&amp;</t>");
    assert_has(strings, "<t>_x005F_x0041_B</t>");
    assert_has(strings, "<t>\xEF\xBF\xBD</t>");
}

/* 40,000 characters of two bytes: 32,767 stay. Of 20,000 beyond the first plane, which
 * count twice, 16,383 (twice that is 32,766; one more would be 32,768). */
static void test_long_cells(void **state)
{
    (void)state;
    struct arena a = tmp;
    char *micro = arena_take(&a, 1, 1, 80000), *face = arena_take(&a, 1, 1, 80000);
    for (int i = 0; i < 80000; i++) {
        micro[i] = "\xC2\xB5"[i % 2];
        face[i] = "\xF0\x9F\x98\x80"[i % 4];
    }
    struct arena b = a;
    assert_int_equal(cell_text(&b, (struct str){micro, 80000}).n, 2 * 32767);
    assert_int_equal(cell_text(&b, (struct str){face, 80000}).n, 4 * 16383);
    struct cell cells[] = {{CELL_NAME, {.text = {micro, 80000}}},
                           {CELL_NAME, {.text = {face, 80000}}},
                           NONE};
    struct report_table t = book_table("long", cells, 1);
    write_book(&t, 1, a);
    assert_true(strlen(part(&a, "xl/sharedStrings.xml")) > 2 * 32767 + 4 * 16383);
}

static void test_sheet_names(void **state)
{
    (void)state;
    char names[8][4 * XLSX_NAME_MAX + 1];
    struct xlsx_book b = {.sheet_names = names};
    assert_string_equal(sheet_name(&b, S("unified_perf_summary_kl_overlap_x")),
                        "unified_perf_summary_kl_overlap");
    assert_string_equal(sheet_name(&b, S("UNIFIED_perf_summary_kl_overlap_y")),
                        "UNIFIED_perf_summary_kl_overl~2");
    assert_string_equal(sheet_name(&b, S("a/b:c*[d]'")), "a_b_c__d__");
    assert_string_equal(sheet_name(&b, S("History")), "History~2");
    assert_string_equal(sheet_name(&b, S("")), "Sheet");
    assert_string_equal(sheet_name(&b, S("")), "Sheet~2");
}

static ptrdiff_t read_all(char *buf, ptrdiff_t room)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(buf, 1, (size_t)room, f);
    fclose(f);
    return (ptrdiff_t)n;
}

static void test_same_bytes_a_second_later(void **state)
{
    (void)state;
    static char first[1 << 16], again[1 << 16];
    struct arena a = tmp;
    struct cell cells[] = {NAME("aten::mm"), REAL(0.1), INT(1)};
    struct report_table t[] = {book_table("a", cells, 1), book_table("b", cells, 1)};
    write_book(t, 2, a);
    ptrdiff_t n = read_all(first, sizeof first);
    sleep(2); /* a zip counts in steps of two */
    write_book(t, 2, a);
    assert_int_equal(read_all(again, sizeof again), n);
    assert_memory_equal(first, again, (size_t)n);
    assert_has(part(&a, "docProps/core.xml"), "1980-01-01T00:00:00Z");
    assert_has(part(&a, "docProps/core.xml"), "<dc:creator></dc:creator>");
}

static void test_many_rows(void **state)
{
    (void)state;
    struct arena a = tmp;
    ptrdiff_t most = CELLS_MAX / 3, n = most + 2;
    struct cell *cells = arena_new(&a, struct cell, 3 * n);
    cells[3 * most - 1] = (struct cell){.kind = CELL_INT, .as.i = 41};
    cells[3 * most] = (struct cell){.kind = CELL_INT, .as.i = 42};
    struct report_table t = book_table("many", cells, n);
    write_book(&t, 1, a);
    const char *sheet = part(&a, "xl/worksheets/sheet1.xml");
    assert_has(sheet, "<v>41</v>");
    assert_null(strstr(sheet, "<v>42</v>"));
    assert_has(part(&a, "xl/sharedStrings.xml"),
               "It has the first 349525 of 349527 rows; the CSV file has all.");
}

static void test_no_folder_and_full_disk(void **state)
{
    (void)state;
    struct cell cells[] = {NAME("aten::mm"), REAL(0.1), INT(1)};
    struct report_table t = book_table("a", cells, 1);
    struct err e = {0}, full = {0};
    assert_false(write_to("/nonexistent/a.xlsx", &t, 1, tmp, &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
    assert_false(write_to("/dev/full", &t, 1, tmp, &full));
    assert_string_equal(full.what, "cannot be written: No space left on device");
}

/* No file may grow beyond 64 kB. */
static void test_disk_full_on_the_way(void **state)
{
    (void)state;
    struct arena a = tmp;
    uint32_t random = 1;
    struct cell *cells = arena_new(&a, struct cell, 3 * 100);
    for (int i = 0; i < 300; i++) { /* what cannot be made much shorter */
        char *text = arena_take(&a, 1, 1, 7000);
        for (int k = 0; k < 7000; k++) {
            random = random * 1664525 + 1013904223;
            text[k] = (char)('a' + (random >> 24) % 26);
        }
        cells[i] = (struct cell){CELL_NAME, {.text = {text, 7000}}};
    }
    struct report_table t = book_table("a", cells, 100);
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 1 << 16;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    struct err e = {0};
    bool good = write_to(path, &t, 1, a, &e);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(good);
    assert_int_equal(e.kind, ERR_OUTPUT);
    assert_has(e.what, "cannot be written");
    assert_int_equal(access(path, F_OK), -1);
    write_book(&t, 1, a); /* and without the limit it can be written */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_numbers_of_any_size),
        cmocka_unit_test(test_no_rows_and_no_tables),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_long_cells),
        cmocka_unit_test(test_sheet_names),
        cmocka_unit_test(test_same_bytes_a_second_later),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_no_folder_and_full_disk),
        cmocka_unit_test(test_disk_full_on_the_way),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
