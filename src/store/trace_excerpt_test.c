#include "trace_excerpt.c"

#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

static const char trace[] =
    "{\"traceEvents\":["
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":9,\"tid\":1,\"args\":{\"name\":"
    "\"main "
    "\\\"q\\\"\"}},"
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"whole\",\"pid\":9,\"tid\":1,"
    "\"ts\":0,\"dur\":100000},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"before\",\"pid\":9,\"tid\":1,\"ts\":"
    "10,"
    "\"dur\":5},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"a\\u0000\\\\\\u202e\",\"pid\":9,"
    "\"tid\":1,\"ts\":1000.25,\"dur\":7.5,\"args\":{\"correlation\":3}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1010."
    "001,"
    "\"dur\":2,\"args\":{\"correlation\":3,\"stream\":7}},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"after\",\"pid\":9,\"tid\":1,\"ts\":"
    "5000,"
    "\"dur\":5}]}";

/* 1000 to 1100 us: 200 us more on both sides. "before" and "after" lie outside, the
 * frame around everything reaches in. What is written reads back as a trace with the
 * same times. */
static void an_excerpt_reads_back(void **state)
{
    (void)state;
    struct event_store s, again;
    struct err e = {0};
    assert_true(case_store(&s, trace, 0, &e));
    struct trace_excerpt c = trace_excerpt_around(&s, 1000000, 1100000);
    assert_int_equal(c.from_ns, 800000);
    assert_int_equal(c.to_ns, 1300000);
    assert_int_equal(c.n_events, 3);
    char path[32];
    case_file(path, "", 0);
    assert_true(trace_excerpt_write(&s, &c, path, &e));
    struct store_options o = {0};
    assert_true(store_read(&again, path, &o, &e));
    unlink(path);
    assert_int_equal(again.n, 3);
    assert_int_equal(again.start_ns[1], 1000250);
    assert_int_equal(store_dur_ns(&again, 1), 7500);
    assert_int_equal(again.start_ns[2], 1010001);
    assert_int_equal(again.cat[2], CAT_KERNEL);
    assert_int_equal(store_correlation(&again, 2), 3);
    assert_int_equal(store_stream(&again, 2), 7);
    assert_true(str_eq(store_name(&again, 1), store_name(&s, 2)));
    assert_int_equal(again.n_labels, 1);
    store_close(&s);
    store_close(&again);
}

/* 1000 to 2000 us: the counter stood at 3.5 before, then 4 (5 is older than that, and
 * later in the file), becomes 6 inside, and 7 at the end, which is not in the window.
 * The other has two keys. */
static void counters_of_a_window(void **state)
{
    (void)state;
    static const char with[] =
        "{\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":1,\"ts\":"
        "1200,\"dur\":9},"
        "{\"ph\":\"C\",\"name\":\"Power "
        "\\\"W\\\"\",\"pid\":1,\"ts\":100,\"args\":{\"\":3."
        "5}},"
        "{\"ph\":\"C\",\"name\":\"Power "
        "\\\"W\\\"\",\"pid\":1,\"ts\":900,\"args\":{\"\":4}},"
        "{\"ph\":\"C\",\"name\":\"Power "
        "\\\"W\\\"\",\"pid\":1,\"ts\":900,\"args\":{\"\":4.5}},"
        "{\"ph\":\"C\",\"name\":\"Power "
        "\\\"W\\\"\",\"pid\":1,\"ts\":200,\"args\":{\"\":5}},"
        "{\"ph\":\"C\",\"name\":\"Power \\\"W\\\"\",\"pid\":1,\"ts\":1500.25,\"args\":{"
        "\"\":6}},"
        "{\"ph\":\"C\",\"name\":\"Power "
        "\\\"W\\\"\",\"pid\":1,\"ts\":2000,\"args\":{\"\":7}},"
        "{\"ph\":\"C\",\"name\":\"clock\",\"pid\":1,\"ts\":1100,\"args\":{\"sm\":1980,"
        "\"mem\":0.1}}]}";
    struct event_store s, again;
    struct err e = {0};
    assert_true(case_store(&s, with, 0, &e));
    struct trace_excerpt c = {.from_ns = 1000000, .to_ns = 2000000, .shift_ns = 500};
    trace_excerpt_count(&s, &c);
    assert_int_equal(c.n_events, 1);
    assert_true(c.bytes >= 4 * EVENT_BYTES);
    char path[32];
    case_file(path, "", 0);
    assert_true(trace_excerpt_write(&s, &c, path, &e));
    struct store_options o = {0};
    assert_true(store_read(&again, path, &o, &e));
    unlink(path);
    const struct counter_samples *k = &again.counters;
    assert_int_equal(k->n, 4);
    assert_int_equal(k->n_tracks, 3);
    assert_true(str_eq(pool_text(&again.names, k->tracks[0].name), S("Power \"W\"")));
    assert_int_equal(k->at[0].at_ns, 1000500);
    assert_true(k->at[0].value == 4.5F); /* the last of both at that time */
    assert_int_equal(k->at[1].at_ns, 1500750);
    assert_true(k->at[1].value == 6);
    assert_true(str_eq(pool_text(&again.names, k->tracks[1].key), S("sm")));
    assert_true(k->at[3].value == 0.1F);
    store_close(&s);
    store_close(&again);
}

/* 200,000 frames are some 50 MB: they are left out, and the operator stays. */
static void frames_give_way(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    out_lit(
        &o,
        "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":"
        "1,\"tid\":1,\"ts\":0,\"dur\":9}");
    for (int k = 0; k < 200000; k++)
        out_printf(
            &o,
            ",{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\",\"pid\":1,"
            "\"tid\":2,\"ts\":%d,\"dur\":1}",
            k % 10);
    out_lit(&o, "]}");
    out_char(&o, '\0');
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s, out_view(&o).p, 0, &e));
    out_free(&o);
    struct trace_excerpt c = trace_excerpt_around(&s, 0, 10000);
    assert_int_equal(c.least_frame_ns, INT64_MAX);
    assert_int_equal(c.n_events, 1);
    store_close(&s);
}

/* Of 10 ms on 4,000 pixels, one pixel is 2.5 us. */
static void frames_too_short_to_see(void **state)
{
    (void)state;
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s,
                           "{\"traceEvents\":["
                           "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,"
                           "\"tid\":1,\"ts\":0,\"dur\":1},"
                           "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\","
                           "\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":2},"
                           "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"g\","
                           "\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":3}]}",
                           0, &e));
    assert_int_equal(trace_excerpt_around(&s, 0, 10000000).n_events, 2);
    assert_int_equal(trace_excerpt_around(&s, 0, 1000000).n_events, 3);
    store_close(&s);
}

static const char with_args[] =
    "{\"traceEvents\":["
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":9,\"tid\":0,\"args\":{\"name\":"
    "\"py\"}},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":9,\"tid\":1,\"ts\":10,"
    "\"dur\":5,\"args\":{\"Input Dims\":[[2,[]],\"\\\"q\"],\"Concrete "
    "Inputs\":[NaN,true,null,"
    "1e9],\"Ev \\u0000 Idx\":{\"a\":[]}}}]}";

/* Arguments are JSON whatever was recorded; times are behind the shift; processes of
 * several traces stay apart. */
static void traces_share_a_file(void **state)
{
    (void)state;
    struct event_store s;
    struct err e = {0};
    struct excerpt_file f;
    struct out gz;
    assert_true(case_store(&s, with_args, 0, &e));
    struct trace_excerpt c = {.from_ns = 0,
                              .to_ns = 20000,
                              .has_args = true,
                              .shift_ns = -10001,
                              .process = S("rank 7")};
    excerpt_begin(&f, S("{"));
    excerpt_add(&f, &s, &c);
    c.process = S("rank 8");
    c.place = 1;
    excerpt_add(&f, &s, &c);
    assert_int_equal(f.n, 4);
    out_lit(&f.o, "]}");
    out_char(&f.o, '\0');
    cJSON *all = cJSON_Parse(out_view(&f.o).p);
    assert_non_null(all);
    cJSON *events = cJSON_GetObjectItem(all, "traceEvents");
    assert_int_equal(cJSON_GetArraySize(events), 6); /* with the order of processes */
    cJSON *op = cJSON_GetArrayItem(events, 5);
    assert_string_equal(cJSON_GetObjectItem(op, "pid")->valuestring, "rank 8: 9");
    assert_true(cJSON_GetObjectItem(op, "ts")->valuedouble == -0.001);
    char *args = cJSON_PrintUnformatted(cJSON_GetObjectItem(op, "args"));
    assert_string_equal(args, "{\"Input Dims\":[[2,[]],\"\\\"q\"],\"Concrete Inputs\":"
                              "[null,true,null,1000000000],\"Ev \":{\"a\":[]}}");
    cJSON_free(args);
    cJSON_Delete(all);
    out_memory(&gz);
    excerpt_end(&f, &gz);
    assert_true(gz.n > 20 && !gz.failed);
    out_free(&gz);
    store_close(&s);
}

/* Packed in several parts while it is made. */
static void a_long_excerpt_reads_back(void **state)
{
    (void)state;
    enum { EVENTS = 9000 };
    struct event_store s, again;
    struct err e = {0};
    struct out text;
    out_memory(&text);
    out_lit(&text, "{\"traceEvents\":[");
    for (int i = 0; i < EVENTS; i++)
        out_printf(&text,
                   "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::op%d\","
                   "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1}",
                   i ? "," : "", i, 1000 + 2 * i);
    out_lit(&text, "]}");
    out_char(&text, '\0');
    assert_true(case_store(&s, out_view(&text).p, 0, &e));
    out_free(&text);
    struct trace_excerpt c = {.from_ns = 0, .to_ns = INT64_MAX};
    char path[32];
    case_file(path, "", 0);
    assert_true(trace_excerpt_write(&s, &c, path, &e));
    struct store_options o = {0};
    assert_true(store_read(&again, path, &o, &e));
    unlink(path);
    assert_int_equal(again.n, EVENTS);
    for (event_id i = 0; i < EVENTS; i++) {
        assert_true(str_eq(store_name(&again, i), store_name(&s, i)));
        assert_int_equal(again.start_ns[i], s.start_ns[i]);
    }
    store_close(&again);
    store_close(&s);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s, trace, 0, &e));
    struct trace_excerpt c = trace_excerpt_around(&s, 1000000, 1100000);
    assert_false(trace_excerpt_write(&s, &c, "/dev/full", &e));
    assert_true(e.kind != ERR_NONE);
    store_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_of_a_window),
        cmocka_unit_test(an_excerpt_reads_back),
        cmocka_unit_test(a_long_excerpt_reads_back),
        cmocka_unit_test(frames_give_way),
        cmocka_unit_test(frames_too_short_to_see),
        cmocka_unit_test(traces_share_a_file),
        cmocka_unit_test(a_full_disk_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
