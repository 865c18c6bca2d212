#include "base/file_queue.h"

#include "base/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 200 };

static char dir[] = "/tmp/file_queue_test.XXXXXX";

static void file_path(char path[80], int k)
{
    snprintf(path, 80, "%s/%d", dir, k);
}

/* The k-th file holds its number k times. */
static void write_numbers(int k)
{
    char path[80];
    struct out o;
    struct err e = {0};
    file_path(path, k);
    assert_true(out_open(&o, path, &e));
    for (int i = 0; i < k; i++)
        out_i64(&o, k);
    assert_true(out_close(&o, &e));
    memset(path, 'x', sizeof path); /* it was lent until then */
}

static void every_file_is_whole_at_the_end(void **state)
{
    (void)state;
    struct err e = {0};
    file_queue_start();
    assert_true(file_queue_runs());
    for (int k = 0; k < FILES; k++)
        write_numbers(k);
    char last[80];
    file_path(last, FILES - 1);
    assert_true(file_queue_finish(&e));
    assert_false(file_queue_runs());
    for (int k = 0; k < FILES; k++) {
        char path[80];
        struct stat st;
        file_path(path, k);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, k * (k < 10 ? 1 : k < 100 ? 2 : 3));
        unlink(path);
    }
}

static void the_first_failure_is_told_at_the_end(void **state)
{
    (void)state;
    struct err e = {0};
    struct out o;
    file_queue_start();
    write_numbers(1);
    for (int k = 0; k < FILES; k++) {
        char path[80];
        snprintf(path, sizeof path, "%s/none/%d", dir, k);
        assert_true(out_open(&o, path, &e));
        out_lit(&o, "text");
        assert_true(out_close(&o, &e));
    }
    assert_false(file_queue_finish(&e));
    char expected[80];
    snprintf(expected, sizeof expected, "%s/none/0", dir);
    assert_string_equal(e.file, expected);
    assert_int_equal(e.kind, ERR_OUTPUT);
    assert_true(file_queue_finish(&e)); /* no longer runs */
    char path[80];
    file_path(path, 1);
    assert_int_equal(unlink(path), 0);
}

static void large_files_wait_for_room(void **state)
{
    (void)state;
    enum { BYTES = 4 << 20, LARGE = 12 };
    char *text = malloc(BYTES), path[80];
    struct err e = {0};
    assert_non_null(text);
    memset(text, 'a', BYTES);
    file_queue_start();
    for (int k = 0; k < LARGE; k++) {
        struct out o;
        file_path(path, k);
        assert_true(out_open(&o, path, &e));
        out_bytes(&o, text, BYTES);
        assert_true(out_close(&o, &e));
    }
    assert_true(file_queue_finish(&e));
    for (int k = 0; k < LARGE; k++) {
        struct stat st;
        file_path(path, k);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, BYTES);
        unlink(path);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_whole_at_the_end),
        cmocka_unit_test(the_first_failure_is_told_at_the_end),
        cmocka_unit_test(large_files_wait_for_room),
    };
    if (!mkdtemp(dir))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(dir);
    return failed;
}
