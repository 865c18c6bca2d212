#include "store/counter_samples.c"

#include "trace/event.h"
#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct taking {
    struct counter_samples samples;
    struct counter_reader reader;
    struct name_pool names;
};

static struct taking begin(void)
{
    struct taking t = {0};
    pool_open(&t.names);
    return t;
}

static void end(struct taking *t)
{
    counter_reader_close(&t->reader);
    counter_samples_close(&t->samples);
    pool_close(&t->names);
}

static void take(struct taking *t, const char *name, int64_t ns, const char *args)
{
    struct event ev = {.name = str_of(name), .pid = S("0"), .start_ns = ns};
    event_args_set(&ev)->rest = str_of(args);
    counter_take(&t->samples, &t->reader, &t->names, &ev, 3, json_value);
}

/* A record of two numbers is of two counters; the same name has the same. */
static void each_number_is_a_counter(void **state)
{
    (void)state;
    struct taking t = begin();
    take(&t, "clock", 10, "{\"sclk\":1500,\"mclk\":900.5}");
    take(&t, "clock", 20, "{\"mclk\":901}");
    const struct counter_samples *s = &t.samples;
    assert_int_equal(s->n_tracks, 2);
    assert_int_equal(s->n, 3);
    assert_int_equal(s->tracks[0].n, 1);
    assert_int_equal(s->tracks[1].n, 2);
    assert_int_equal(s->tracks[1].lane, 3);
    assert_true(str_eq(pool_text(&t.names, s->tracks[1].key), S("mclk")));
    assert_true(str_eq(pool_text(&t.names, s->tracks[1].name), S("clock")));
    assert_true(s->at[2].track == 1 && s->at[2].at_ns == 20 && s->at[2].value == 901);
    assert_int_equal(counter_samples_bytes(s), 3 * sizeof(struct counter_sample) +
                                                   2 * sizeof(struct counter_track));
    end(&t);
}

static void what_is_no_number_is_left_out(void **state)
{
    (void)state;
    struct taking t = begin();
    take(&t, "c", 1, "{\"a\":\"12\",\"b\":[1],\"c\":null,\"d\":true,\"e\":1e300}");
    take(&t, "c", 2, "[1,2]");
    take(&t, "c", 3, "");
    assert_int_equal(t.samples.n, 0);
    assert_int_equal(t.samples.n_tracks, 0);
    take(&t, "c", 4, "{\"e\":-1e30}");
    assert_int_equal(t.samples.n, 1);
    end(&t);
}

/* Names beyond any profiler's, and thousands of them: what is known goes on. */
static void tracks_are_limited(void **state)
{
    (void)state;
    struct taking t = begin();
    char name[600];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    take(&t, name, 1, "{\"v\":1}");
    assert_int_equal(t.samples.n, 0);
    for (int k = 0; k < 2 * COUNTER_TRACKS_MOST; k++) {
        snprintf(name, sizeof name, "counter %d", k);
        take(&t, name, k, "{\"v\":1}");
    }
    assert_int_equal(t.samples.n_tracks, COUNTER_TRACKS_MOST);
    assert_int_equal(t.samples.n, COUNTER_TRACKS_MOST);
    take(&t, "counter 7", 9000, "{\"v\":2}");
    assert_int_equal(t.samples.tracks[7].n, 2);
    end(&t);
}

/* Columns grow; what was there stays. */
static void many_samples_of_one_counter(void **state)
{
    (void)state;
    struct taking t = begin();
    for (int k = 0; k < 50000; k++) {
        char args[32];
        snprintf(args, sizeof args, "{\"v\":%d}", k);
        take(&t, "c", k, args);
    }
    assert_int_equal(t.samples.n, 50000);
    assert_true(t.samples.at[20000].value == 20000 && t.samples.at[0].at_ns == 0);
    end(&t);
}

/* Process, name and key of 512 bytes, with what parts them, are a counter; of one more
 * they are none. */
static void names_are_as_long_as_they_may_be(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct taking t = begin();
        char name[512] = "";
        memset(name, 'n', (size_t)(512 - 4 + more)); /* "0", two marks and "v" */
        take(&t, name, 10, "{\"v\":1}");
        assert_int_equal(t.samples.n, !more);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_number_is_a_counter),
        cmocka_unit_test(what_is_no_number_is_left_out),
        cmocka_unit_test(tracks_are_limited),
        cmocka_unit_test(names_are_as_long_as_they_may_be),
        cmocka_unit_test(many_samples_of_one_counter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
