#include "formats/trace_open.c"

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

/* As gzip; at most 256 bytes. */
static size_t pack(const void *bytes, size_t n, unsigned char *to)
{
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (unsigned char *)(uintptr_t)bytes;
    z.avail_in = (uInt)n;
    z.next_out = to;
    z.avail_out = 256;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    n = z.total_out;
    deflateEnd(&z);
    return n;
}

static void packed_in_any_way(void **state)
{
    (void)state;
    unsigned char gz[256], zst[256];
    size_t n_gz = pack(one, sizeof one - 1, gz),
           n_zst = ZSTD_compress(zst, sizeof zst, one, sizeof one - 1, 3);
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
    assert_error("----------  ------------\n Name   Self CPU", "key_averages()");
    assert_error("<!DOCTYPE html><title>404</title>", "a web page");
    assert_error("<!DOCTYPE html><link href=\"tracefolio.css\">", "a page of a report");
    assert_error("\x1f\x8b\x08", "gzip data ends too early");
    unsigned char twice[256], once[256];
    size_t n_once = pack(one, sizeof one - 1, once), n = pack(once, n_once, twice);
    struct err e = {0}, e2 = {0}, e3 = {0};
    assert_int_equal(events_of(twice, n, false, &e), -1);
    assert_non_null(strstr(e.what, "compressed twice"));
    assert_false(refuse_report("a/b.nsys-rep", &e2));
    assert_non_null(strstr(e2.what, "nsys export --type sqlite"));
    assert_false(refuse_report("a/b.ncu-rep", &e3));
    assert_non_null(strstr(e3.what, "Nsight Compute"));
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
