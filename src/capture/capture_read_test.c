#include "capture/capture_read.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define HEAD  CAPTURE_FIRST_BYTES ",\"_version\":1,\"strings\":[\"all-reduce\"],"
#define KINDS "\"signatures\":{\"group\":[-1,-1],\"kind\":[0,0]}}"

static bool reads(const char *line, struct capture *c, struct err *e)
{
    static char *start;
    static struct arena a;
    if (start)
        arena_release(start, &a);
    a = arena_reserve(1 << 22);
    start = a.at;
    *e = (struct err){0};
    return capture_read(&a, str_of(line), CAPTURE_RANKS_ONLY, "x.json", c, e);
}

static void refuses(const char *columns, const char *why)
{
    char line[1000];
    struct capture c;
    struct err e;
    snprintf(line, sizeof line, HEAD "\"collectives\":%s," KINDS, columns);
    assert_false(reads(line, &c, &e));
    if (!strstr(e.what, why))
        fail_msg("%s: %s", columns, e.what);
}

static void columns_become_rows(void **state)
{
    struct capture c;
    struct err e;
    (void)state;
    assert_true(reads(HEAD
                      "\"meta\":{\"recording\":{\"start_ns\":-7,\"end_ns\":"
                      "2305843009213693952}},"
                      "\"new\":{\"key\":[[1],{}]},\"collectives\":{\"dur_ns\": [ 5 ,"
                      "2305843009213693950 ],\"of_later\":[1,2,3,\"]\"],"
                      "\"signature\":[1,0],\"start_ns_delta\":[-7,9]}," KINDS,
                      &c, &e));
    const struct capture_collective *x = c.ranks.collectives;
    assert_int_equal(c.ranks.n_collectives, 2);
    assert_int_equal(x[0].dur_ns, 5);
    assert_int_equal(x[1].dur_ns, (INT64_C(1) << 61) - 2);
    assert_int_equal(x[0].start_ns, -7);
    assert_int_equal(x[1].start_ns, 2); /* -7 + 9 */
    assert_int_equal(x[0].signature, 1);
    assert_int_equal(x[0].copy_ns, 0); /* not there */
    assert_true(str_eq(c.ranks.signatures[1].kind, S("all-reduce")));
    assert_true(
        reads(HEAD "\"collectives\":{\"dur_ns\":[ ],\"signature\":[]}," KINDS, &c, &e));
    assert_int_equal(c.ranks.n_collectives, 0);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    refuses("{\"dur_ns\":[1,2],\"signature\":[0]}", "several lengths");
    refuses("{\"dur_ns\":[1],\"signature\":[0,1]}", "several lengths");
    refuses("{\"dur_ns\":[1,2],\"signature\":[]}", "signature");
    refuses("{\"dur_ns\":[1,],\"signature\":[0,0]}", "dur_ns");
    refuses("{\"dur_ns\":[1.5],\"signature\":[0]}", "several lengths");
    refuses("{\"dur_ns\":[\"1\"],\"signature\":[0]}", "dur_ns");
    refuses("{\"dur_ns\":[[1]],\"signature\":[0]}", "dur_ns");
    refuses("{\"dur_ns\":[01],\"signature\":[0]}", "dur_ns");
    refuses("{\"dur_ns\":[-],\"signature\":[0]}", "dur_ns");
    refuses("{\"dur_ns\":[9223372036854775808],\"signature\":[0]}", "dur_ns");
    refuses("{\"dur_ns\":[-9223372036854775808],\"signature\":[0]}", "dur_ns");
    refuses("{\"dur_ns\":[2305843009213693953],\"signature\":[0]}", "dur_ns");
    refuses("{\"dur_ns\":[99999999999999999999],\"signature\":[0]}", "dur_ns");
    refuses("{\"dur_ns\":[1],\"signature\":[2]}", "not there");
    refuses("{\"dur_ns\":[-1],\"signature\":[0]}", "outside the recording");
    refuses("{\"dur_ns\":[1],\"signature\":[0]}", "outside the recording");
    refuses("{\"compute_ns\":[1],\"signature\":[0]}", "outside the recording");
    refuses("{\"idle_ns\":[-1],\"signature\":[0]}", "outside the recording");
    refuses("{\"peer\":[-2],\"signature\":[0]}", "a rank that cannot be");
    refuses("{\"start_ns_delta\":[0,-1],\"signature\":[0,0]}", "not by start");
    refuses("{\"start_ns_delta\":[2305843009213693952,2305843009213693952],"
            "\"signature\":[0,0]}",
            "start_ns_delta");
}

static void what_is_no_json_is_refused(void **state)
{
    static const char *const lines[] = {HEAD "\"collectives\":{\"dur_ns\":[1",
                                        HEAD "\"collectives\":{\"dur_ns\":[1]",
                                        HEAD "\"collectives\":{\"dur_ns\":[1],}}",
                                        HEAD "\"collectives\":{\"dur_ns\"[1]}}",
                                        HEAD "\"collectives\"",
                                        HEAD "}"};
    struct capture c;
    struct err e;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_false(reads(lines[i], &c, &e));
}

/* A column of zeros is small when it is packed, and its rows are not. */
static void rows_are_bounded_by_their_text(void **state)
{
    (void)state;
    enum { ROWS = 100000 };
    static char line[2 * ROWS + 1000];
    struct capture c;
    struct err e;
    int n = snprintf(line, sizeof line, HEAD "\"collectives\":{\"peer\":[0");
    for (int i = 1; i < ROWS; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, ",0");
    snprintf(line + n, sizeof line - (size_t)n, "]}," KINDS);
    assert_false(reads(line, &c, &e));
    assert_non_null(strstr(e.what, "more rows than its columns have values"));
}

struct late_start {
    int64_t end_ns, number, start_ns;
};

static FIELDS(late_start, SPAN("dur_ns", NS, start_ns, end_ns), F(number, NUMBER));

/* Wherever the two lie in a row. */
static void an_end_is_its_start_and_its_length(void **state)
{
    struct late_start list[] = {{.end_ns = 5, .number = 70, .start_ns = 100},
                                {.end_ns = 0, .number = 80, .start_ns = -3}};
    const struct rows rows = {(char *)list, 2, sizeof *list};
    (void)state;
    add_begins(late_start_fields(), &rows);
    assert_int_equal(list[0].end_ns, 105);
    assert_int_equal(list[1].end_ns, -3);
    assert_int_equal(list[0].number, 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_become_rows),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(rows_are_bounded_by_their_text),
        cmocka_unit_test(an_end_is_its_start_and_its_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
