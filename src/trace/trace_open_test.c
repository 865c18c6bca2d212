#include "trace/trace_open.c"

#include "base/arena.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char one[] = "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,"
                          "\"dur\":2}]}";

/* Events of these bytes, from a file or from a pipe; -1: an error, and e says which. */
static int events_of(const void *bytes, size_t n, bool from_pipe, struct err *e)
{
    struct event_source events;
    struct source_options o = {0};
    char path[] = "/tmp/tracefolio-XXXXXX";
    int fd = mkstemp(path), ends[2], count = 0;
    assert_int_equal(write(fd, bytes, n), n);
    close(fd);
    if (from_pipe) {
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], bytes, n), n);
        close(ends[1]);
        o.from_fd = true;
        o.fd = ends[0];
    }
    bool opens = trace_open(&events, path, o, e);
    unlink(path);
    if (!opens)
        return -1;
    while (events.next(events.state, e))
        count++;
    events.close(events.state);
    return e->kind == ERR_NONE ? count : -1;
}

static void packed_in_any_way(void **state)
{
    (void)state;
    unsigned char gz[256], zst[256];
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (unsigned char *)(uintptr_t)one;
    z.avail_in = sizeof one - 1;
    z.next_out = gz;
    z.avail_out = sizeof gz;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t n_gz = z.total_out,
           n_zst = ZSTD_compress(zst, sizeof zst, one, sizeof one - 1, 3);
    deflateEnd(&z);
    for (int from_pipe = 0; from_pipe < 2; from_pipe++) {
        struct err e = {0};
        assert_int_equal(events_of(one, sizeof one - 1, from_pipe, &e), 1);
        assert_int_equal(events_of(gz, n_gz, from_pipe, &e), 1);
        assert_int_equal(events_of(zst, n_zst, from_pipe, &e), 1);
    }
}

static void assert_error(const char *bytes, const char *word)
{
    struct err e = {0};
    assert_int_equal(events_of(bytes, strlen(bytes), false, &e), -1);
    if (!strstr(e.what, word))
        fail_msg("'%s' lacks '%s'", e.what, word);
}

static void what_is_no_trace_is_told_so(void **state)
{
    (void)state;
    assert_error("hello", "known format: JSON of rocprofv3, Chrome JSON");
    assert_error("PK\3\4....", "zip archive");
    assert_error("", "empty");
    assert_error("\x1f\x8b\x08", "gzip data ends too early");
    struct err e = {0};
    assert_false(refuse_report("a/b.nsys-rep", &e));
    assert_non_null(strstr(e.what, "nsys export --type sqlite"));
}

/* Of every format, so that an unknown file is never taken for one. */
static void names_fit_into_one_line(void **state)
{
    (void)state;
    struct err e = {0};
    assert_false(refuse_unknown("x", S(""), &e));
    assert_non_null(strstr(e.what, formats[FORMATS - 1].name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packed_in_any_way),
                                       cmocka_unit_test(what_is_no_trace_is_told_so),
                                       cmocka_unit_test(names_fit_into_one_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
