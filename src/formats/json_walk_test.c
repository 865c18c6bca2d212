#include "formats/json_walk.c"

#include "base/arena.h"
#include "base/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static bool into_two(const struct json_walk *w, bool is_list)
{
    (void)is_list;
    return w->depth < 3;
}

/* "key/key=value " for each value, or the error. */
static const char *walk(const char *json, ptrdiff_t window)
{
    static char said[1024];
    char path[] = "/tmp/json-walk-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, json, strlen(json)), strlen(json));
    struct json_walk w = {.goes_into = into_two};
    struct err e = {0};
    struct str value;
    int n = 0;
    said[0] = '\0';
    assert_true(json_walk_open(
        &w, path, (struct source_options){.window_bytes = window, .one_thread = true},
        &e));
    while (json_walk_next(&w, &value, &e)) {
        for (int k = 0; k < w.depth; k++)
            n += snprintf(said + n, sizeof said - (size_t)n, "/%s", w.level[k].key);
        n += snprintf(said + n, sizeof said - (size_t)n, "=%.*s ", STRF(value));
    }
    snprintf(said + n, sizeof said - (size_t)n, "%s", e.what);
    json_walk_close(&w);
    unlink(path);
    close(fd);
    return said;
}

static void values_of_any_shape(void **state)
{
    (void)state;
    static const char json[] = " {\"a\" : [1, {\"b\":[true,[] ] , \"c\":{} }, []],"
                               "\"d\":-12.5e3,\"e\":\"x\\\"]\" } ";
    for (ptrdiff_t window = 0; window < 20; window++)
        assert_string_equal(
            walk(json, window),
            "/a/=1 /a//b=[true,[] ] /a//c={} /d=-12.5e3 /e=\"x\\\"]\" ");
    for (ptrdiff_t window = 0; window < 4; window++) {
        assert_string_equal(walk("[]", window), "");
        assert_string_equal(walk("[{}]", window), "");
    }
}

static void what_is_no_json(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "{\"a\":1,}", "{\"a\" 1}", "[1 2]", "{1:2}", "[1]]", "[tru]", "{\"a\":1}x"};
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++)
        for (ptrdiff_t window = 0; window < 4; window++)
            assert_non_null(strstr(walk(broken[k], window), "not valid JSON"));
    static const char *const cut[] = {"", "{", "[1", "{\"a\":[1,", "{\"a\"", "[[[[1]"};
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++)
        for (ptrdiff_t window = 0; window < 4; window++)
            assert_non_null(strstr(walk(cut[k], window), "cut off after"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_of_any_shape),
                                       cmocka_unit_test(what_is_no_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
