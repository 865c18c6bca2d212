#include "stack_files.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/arena_case.h"

/* A thread, two calls in it and one in the second; the first takes no time. */
static struct stack_path at[] = {
    {.ns = 0, .n = 1, .parent = -1, .frame = 0, .depth = 0},
    {.ns = 0, .n = 2, .parent = 0, .frame = 1, .depth = 1},
    {.ns = 700, .n = 3, .parent = 0, .frame = 2, .depth = 1},
    {.ns = 300, .n = 1, .parent = 2, .frame = 1, .depth = 2}};
static struct str frames[] = {S_INIT("python"), S_INIT("a;b"), S_INIT("step")};
static const struct stack_paths paths = {
    .at = at, .frames = frames, .n = 4, .n_frames = 3, .total_ns = 1000};

static struct str written(enum stack_form form)
{
    struct out o;
    out_memory(&o);
    stack_file_write(&o, form, &paths, S("run"));
    return out_text(&o, &a);
}

/* The outermost frame first; a semicolon of a name parts no frames. */
static void test_folded(void **state)
{
    (void)state;
    assert_text(written(STACKS_FOLDED), "python;step 700\n"
                                        "python;step;a:b 300\n");
}

/* A name cannot end a line or command a terminal. */
static void test_folded_control(void **state)
{
    (void)state;
    static struct stack_path one = {.ns = 5, .n = 1, .parent = -1};
    static struct str odd = S_INIT("a\n9;\033[2Jb");
    static const struct stack_paths p = {
        .at = &one, .frames = &odd, .n = 1, .n_frames = 1, .total_ns = 5};
    struct out o;
    out_memory(&o);
    stack_file_write(&o, STACKS_FOLDED, &p, S("run"));
    assert_text(out_text(&o, &a), "a\\x0a9:\\x1b[2Jb 5\n");
}

static void test_speedscope(void **state)
{
    (void)state;
    const char *text = str_c(&a, written(STACKS_SPEEDSCOPE));
    assert_non_null(strstr(text, "\"frames\":[{\"name\":\"python\"},{\"name\":\"a;b\"},"
                                 "{\"name\":\"step\"}]"));
    assert_non_null(strstr(text, "\"samples\":[[0,2],[0,2,1]],\"weights\":[700,300]"));
    assert_non_null(strstr(text, "\"endValue\":1000,"));
    assert_non_null(strstr(text, "\"name\":\"host time\""));
}

/* A sample names its frames from the innermost, from 1; then calls, then ns. */
static void test_sample_of_pprof(void **state)
{
    (void)state;
    const struct stack s = {.frames = {4, 7}, .n = 2, .ns = 9, .calls = 3};
    static const unsigned char want[] = {0x12, 8,  /* a sample of 8 bytes */
                                         0x0a, 2,  /* places */
                                         8,    5,  /* 7 + 1, 4 + 1 */
                                         0x12, 2,  /* values */
                                         3,    9}; /* calls, ns */
    struct out o;
    out_memory(&o);
    pprof_sample(&o, &paths, &s, true);
    assert_int_equal(o.n, sizeof want);
    assert_memory_equal(out_view(&o).p, want, sizeof want);
    out_free(&o);
}

/* The first frame is the string behind the five words that all profiles have. */
static void test_frame_of_pprof(void **state)
{
    (void)state;
    static const unsigned char want[] = {0x22, 6,       /* a location */
                                         8,    1,       /* its number */
                                         0x22, 2, 8, 1, /* its function */
                                         0x2a, 4,       /* a function */
                                         8,    1,       /* its number */
                                         16,   5};      /* its name */
    struct out o;
    out_memory(&o);
    pprof_frame(&o, 1);
    assert_int_equal(o.n, sizeof want);
    assert_memory_equal(out_view(&o).p, want, sizeof want);
    out_free(&o);
}

/* A number of seven bits at a time, which is removed. */
static uint64_t taken(struct str *s)
{
    uint64_t v = 0;
    for (int shift = 0; s->n; shift += 7) {
        unsigned char byte = (unsigned char)s->p[0];
        *s = str_skip(*s, 1);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    return v;
}

/* By profile.proto: two types, two samples, the places and functions of three frames,
 * five words and three names, and a duration in ns. */
static void test_fields_of_pprof(void **state)
{
    (void)state;
    static const struct {
        int field;
        const char *text; /* of a string; NULL: whatever is in it */
    } want[] = {
        {1, NULL},     {1, NULL},    {2, NULL},    {2, NULL},   {4, NULL},
        {5, NULL},     {4, NULL},    {5, NULL},    {4, NULL},   {5, NULL},
        {6, ""},       {6, "calls"}, {6, "count"}, {6, "time"}, {6, "nanoseconds"},
        {6, "python"}, {6, "a;b"},   {6, "step"},  {10, NULL}};
    static unsigned char bytes[4096];
    struct str zipped = written(STACKS_PPROF);
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)zipped.p,
                  .avail_in = (unsigned)zipped.n,
                  .next_out = bytes,
                  .avail_out = sizeof bytes};
    assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    struct str s = {(const char *)bytes, (ptrdiff_t)z.total_out};
    inflateEnd(&z);
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        uint64_t tag = taken(&s), n = taken(&s);
        assert_int_equal(tag >> 3, want[k].field);
        if (want[k].field == 10) {
            assert_int_equal(n, paths.total_ns);
            continue;
        }
        assert_int_equal(tag & 7, 2);
        if (want[k].text)
            assert_text(str_head(s, (ptrdiff_t)n), want[k].text);
        s = str_skip(s, (ptrdiff_t)n);
    }
    assert_int_equal(s.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded),         cmocka_unit_test(test_folded_control),
        cmocka_unit_test(test_speedscope),     cmocka_unit_test(test_sample_of_pprof),
        cmocka_unit_test(test_frame_of_pprof), cmocka_unit_test(test_fields_of_pprof),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
