#include "base/written_files.h"

#include "base/file_queue.h"
#include "base/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char dir[] = "/tmp/written_files_test.XXXXXX";
static char path[80];

static void write_bytes(int n)
{
    struct out o;
    struct err e = {0};
    assert_true(out_open(&o, path, &e));
    for (int i = 0; i < n; i++)
        out_char(&o, (char)('a' + i % 7));
    assert_true(out_close(&o, &e));
}

static void assert_known_as_it_is(void)
{
    struct written_file known;
    char hex[SHA256_HEX_BYTES];
    int64_t bytes = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && sha256_file(fd, hex, &bytes));
    close(fd);
    assert_true(written_files_find(path, &known));
    assert_int_equal(known.bytes, bytes);
    assert_string_equal(known.sha256, hex);
}

static void what_is_written_is_known_until_the_end(void **state)
{
    (void)state;
    struct written_file known;
    write_bytes(3);
    assert_false(written_files_find(path, &known));
    written_files_start();
    static const int sizes[] = {0, 1, 1 << 16, 300000, 5};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        write_bytes(sizes[k]);
        assert_known_as_it_is();
    }
    written_files_end();
    assert_false(written_files_find(path, &known));
}

static void what_waits_in_the_queue_is_known(void **state)
{
    (void)state;
    struct written_file known;
    struct err e = {0};
    written_files_start();
    file_queue_start();
    write_bytes(12345);
    assert_true(written_files_find(path, &known));
    assert_int_equal(known.bytes, 12345);
    assert_true(file_queue_finish(&e));
    assert_known_as_it_is();
    written_files_end();
}

static void a_known_digest_is_taken_over(void **state)
{
    (void)state;
    struct written_file known;
    struct err e = {0};
    struct out o;
    char hex[SHA256_HEX_BYTES];
    sha256_hex_of(S("abc"), hex);
    for (int listed = 0; listed < 2; listed++) {
        if (listed)
            written_files_start();
        assert_true(out_open(&o, path, &e));
        out_known(&o, hex);
        out_lit(&o, "abc");
        assert_true(out_close(&o, &e));
        assert_int_equal(written_files_find(path, &known), listed);
    }
    assert_known_as_it_is();
    written_files_end();
}

static void what_another_library_wrote_is_known_once_read(void **state)
{
    (void)state;
    struct written_file known;
    write_bytes(70000);
    written_files_read(path);
    assert_false(written_files_find(path, &known)); /* files are not added */
    written_files_start();
    written_files_read(path);
    assert_known_as_it_is();
    written_files_read("/no such file");
    assert_false(written_files_find("/no such file", &known));
    written_files_end();
}

static void a_failed_file_is_unknown(void **state)
{
    (void)state;
    struct written_file known;
    struct out o;
    struct err e = {0};
    written_files_start();
    assert_true(out_open(&o, "/dev/full", &e));
    out_char(&o, 'x');
    assert_false(out_close(&o, &e));
    assert_false(written_files_find("/dev/full", &known));
    written_files_end();
}

static int remove_dir(void **state)
{
    (void)state;
    return unlink(path) | rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_known_until_the_end),
        cmocka_unit_test(what_waits_in_the_queue_is_known),
        cmocka_unit_test(a_known_digest_is_taken_over),
        cmocka_unit_test(what_another_library_wrote_is_known_once_read),
        cmocka_unit_test(a_failed_file_is_unknown),
    };
    if (!mkdtemp(dir))
        return 1;
    snprintf(path, sizeof path, "%s/file", dir);
    return cmocka_run_group_tests(tests, NULL, remove_dir);
}
