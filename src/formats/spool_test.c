#include "formats/spool.c"

#include "trace/file_kind.h"

#include <zstd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TEXT_BYTES = 300000 };
static char text[TEXT_BYTES], packed[TEXT_BYTES];

/* Through a pipe or a file; the whole of the copy, or an error. */
static bool spools(const char *bytes, size_t n, struct err *e)
{
    char path[] = "/tmp/tracefolio-XXXXXX", back[TEXT_BYTES];
    int fd = mkstemp(path);
    struct file_kind k;
    struct trace_file f;
    assert_int_equal(write(fd, bytes, n), n);
    lseek(fd, 0, SEEK_SET);
    unlink(path);
    file_kind_look(&k, fd);
    bool done = spool_file(&f, "label", &k, (struct source_options){0}, e);
    file_kind_done(&k);
    if (!done)
        return false;
    assert_int_equal(f.bytes, TEXT_BYTES);
    assert_int_equal(pread(f.fd, back, TEXT_BYTES, 0), TEXT_BYTES);
    assert_memory_equal(back, text, TEXT_BYTES);
    assert_int_equal(strlen(f.sha256), SHA256_HEX_BYTES - 1);
    close(f.fd);
    return true;
}

static void plain_and_packed(void **state)
{
    (void)state;
    for (int i = 0; i < TEXT_BYTES; i++)
        text[i] = (char)(i * 2654435761u >> 13);
    size_t n = ZSTD_compress(packed, sizeof packed, text, TEXT_BYTES, 1);
    struct err e = {0};
    assert_true(spools(text, TEXT_BYTES, &e));
    if (ZSTD_isError(n))
        n = 0; /* random bytes may not get smaller */
    assert_true(n == 0 || spools(packed, n, &e));
}

static void a_copy_has_a_limit(void **state)
{
    (void)state;
    memset(text, 'a', sizeof text);
    size_t n = ZSTD_compress(packed, sizeof packed, text, TEXT_BYTES, 1);
    struct err e = {0};
    copy_bytes_most = TEXT_BYTES;
    assert_true(spools(packed, n, &e));
    copy_bytes_most = TEXT_BYTES - 1;
    assert_false(spools(packed, n, &e));
    assert_non_null(strstr(e.what, "which is the limit"));
    e = (struct err){0};
    assert_true(spools(text, TEXT_BYTES, &e)); /* no copy is made */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_and_packed),
                                       cmocka_unit_test(a_copy_has_a_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
