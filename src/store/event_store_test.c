#include "store/event_store.c"

#include "base/out.h"
#include "base/python_text.h"
#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <time.h>

static const char small[] =
    "{\"distributedInfo\": {\"rank\": 3}, \"traceEvents\": [\n"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":\"7\","
    "\"ts\":10.5,"
    "\"dur\":2.25,\"args\":{\"External id\":3,\"Sequence number\":9,\"Input "
    "Dims\":[[2,3],[3,4]],"
    "\"Input type\":[\"float\",\"float\"],\"Ev Idx\":0}},\n"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\\u00e9\",\"pid\":0,\"tid\":7,\"ts\":"
    "11,\"dur\":1,"
    "\"args\":{\"correlation\":5,\"stream\":7,\"bytes\":\"64\",\"Collective "
    "name\":\"allreduce\"}},\n"
    "{\"ph\":\"s\",\"id\":5,\"pid\":1,\"tid\":7,\"ts\":10.6,\"cat\":\"ac2g\",\"name\":"
    "\"ac2g\"},\n"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"no "
    "end\",\"pid\":0,\"tid\":7,\"ts\":12},\n"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"back\",\"pid\":0,\"tid\":7,\"ts\":12,"
    "\"dur\":-1},\n"
    "{\"cat\":\"kernel\",\"name\":\"no phase\"},\n"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":7,\"ts\":0,\"args\":{"
    "\"name\":\"main\"}},\n"
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"ts\":0,\"args\":{"
    "\"name\":\"py\"}},\n"
    "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":7,\"ts\":3,"
    "\"args\":{\"Bytes\":-8,\"Device Id\":0}},\n"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":7,\"ts\":"
    "20,"
    "\"dur\":1,\"args\":{\"Input Dims\":[[2,3],[3,4]],\"Input "
    "type\":[\"float\",\"float\"]}}\n"
    "], \"traceName\": \"x.json\"}";

static void check_small(const struct event_store *s)
{
    assert_int_equal(s->n, 3);
    assert_int_equal(s->census.n_events, 10);
    assert_int_equal(s->start_ns[0], 10500);
    assert_int_equal(store_dur_ns(s, 0), 2250);
    assert_int_equal(store_uid(s, 1), 1);
    assert_int_equal(store_uid(s, 2), 9);
    assert_true(str_eq(store_name(s, 1), S("k\xc3\xa9")));
    /* "7" and 7 are one thread; equal arguments are one row of texts. */
    assert_int_equal(s->lane[0], s->lane[2]);
    assert_int_equal(s->name[0], s->name[2]);
    assert_int_equal(store_texts_row(s, 0), store_texts_row(s, 2));
    assert_true(
        str_eq(pool_text(&s->names, store_texts(s, 0)->dims), S("[[2,3],[3,4]]")));
    assert_int_equal(store_sequence(s, 0), 9);
    assert_int_equal(store_correlation(s, 0), NO_ID);
    assert_int_equal(store_correlation(s, 1), 5);
    assert_int_equal(store_stream(s, 1), 7);
    assert_int_equal(store_bytes(s, 1), 64);
    assert_true(str_eq(pool_text(&s->names, store_texts(s, 1)->rest),
                       S("{\"Collective name\":\"allreduce\"}")));
    assert_int_equal(s->n_flows, 1);
    assert_true(s->flows[0].is_start && narrow_value(&s->wide, s->flows[0].id) == 5);
    assert_int_equal(s->census.without_duration, 1);
    assert_int_equal(s->census.negative_duration, 1);
    assert_int_equal(s->census.without_phase, 1);
    const struct lane *lane = &s->lanes[s->lane[0]];
    assert_true(str_eq(pool_text(&s->names, lane->thread_name), S("main")));
    assert_true(str_eq(pool_text(&s->names, lane->process_name), S("py")));
    assert_int_equal(lane->process_label, -1);
    assert_int_equal(s->n_memory, 1);
    assert_int_equal(s->memory[0].bytes, -8);
    assert_int_equal(s->machine.rank, 3);
    assert_ptr_equal(s->abilities, &torch_abilities);
}

/* Sizes are added up too: of copies, and of allocations that come and go. */
static void test_sizes_add_up(void **state)
{
    (void)state;
    struct event_store s;
    struct err e = {0};
    const char *json =
        "[{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"a\",\"ts\":1,\"dur\":1,"
        "\"args\":{\"bytes\":1152921504606846000}},"
        "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"b\",\"ts\":2,\"dur\":1,"
        "\"args\":{\"bytes\":977}},"
        "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"c\",\"ts\":3,\"dur\":1,"
        "\"args\":{\"bytes\":976}},"
        "{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":3,\"args\":{\"Bytes\":"
        "-9223372036854775807}},"
        "{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":3,\"args\":{\"Bytes\":0,\"Total "
        "Allocated\":1152921504606846977}},"
        "{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":3,\"args\":{\"Bytes\":0}}]";
    assert_true(case_store(&s, json, 0, &e));
    assert_int_equal(s.n, 2); /* a and c: 2^60 bytes together */
    assert_int_equal(s.n_memory, 1);
    assert_int_equal(s.census.out_of_bounds, 3);
    store_close(&s);
}

/* Nine events of 16 years each at 9e9 s, and one of them at 0: what is kept adds up. */
static void test_times_add_up(void **state)
{
    static const char *const starts[] = {"9e15", "-9e15", "0", "2.2e15", "-2.2e15"};
    struct event_store s;
    struct err e = {0};
    struct out json;
    (void)state;
    out_memory(&json);
    out_lit(&json, "[");
    for (int i = 0; i < 50; i++)
        out_printf(&json,
                   "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,"
                   "\"tid\":7,\"ts\":%s,\"dur\":5e14}",
                   i ? "," : "", starts[i % 5]);
    out_lit(&json, "]");
    out_char(&json, '\0');
    assert_true(case_store(&s, out_view(&json).p, 0, &e));
    out_free(&json);
    assert_int_equal(s.n, 2); /* at 0 and 2.2e15 us; 3 x 5e17 ns are more than 2^60 */
    assert_int_equal(s.census.out_of_bounds, 48);
    int64_t sum = 0, apart;
    for (event_id i = 0; i < s.n; i++) {
        assert_false(__builtin_add_overflow(sum, store_dur_ns(&s, i), &sum));
        for (event_id k = 0; k < s.n; k++)
            assert_false(
                __builtin_sub_overflow(store_end_ns(&s, i), s.start_ns[k], &apart));
    }
    store_close(&s);
}

/* 80,000 labels and lanes: once each label was held against every lane. */
static void test_many_labels(void **state)
{
    enum { LANES = 80000 };
    struct event_store s;
    struct err e = {0};
    struct out json;
    (void)state;
    out_memory(&json);
    out_lit(&json, "[");
    for (int i = 0; i < LANES; i++)
        out_printf(&json,
                   "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%d,"
                   "\"args\":{\"name\":\"t%d\"}},"
                   "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,"
                   "\"args\":{\"name\":\"p%d\"}},"
                   "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,"
                   "\"tid\":%d,\"ts\":1,\"dur\":1},\n",
                   i, i, i, i);
    out_lit(&json, "{}]");
    out_char(&json, '\0');
    clock_t start = clock();
    assert_true(case_store(&s, out_view(&json).p, 0, &e));
    assert_true(clock() - start <
                15 * CLOCKS_PER_SEC); /* 0.1 s, it was 23 s; sanitized 4 s */
    out_free(&json);
    assert_int_equal(s.n_lanes, LANES);
    const struct lane *last = &s.lanes[s.lane[LANES - 1]];
    assert_true(str_eq(pool_text(&s.names, last->thread_name), S("t79999")));
    assert_true(str_eq(pool_text(&s.names, s.lanes[0].process_name), S("p79999")));
    store_close(&s);
}

/* A table of lanes that grows may move: each lane is in the one that is kept. */
static void test_more_lanes_than_room(void **state)
{
    enum { LANES = 270000 };
    struct event_store s;
    struct err e = {0};
    struct out json;
    char tid[16];
    (void)state;
    out_memory(&json);
    out_lit(&json, "[");
    for (int i = 0; i < LANES; i++)
        out_printf(&json,
                   "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,"
                   "\"tid\":%d,\"ts\":1,\"dur\":1},",
                   i);
    out_lit(&json, "{}]");
    out_char(&json, '\0');
    assert_true(case_store(&s, out_view(&json).p, 0, &e));
    out_free(&json);
    assert_int_equal(s.n_lanes, LANES);
    for (int i = 0; i < LANES; i++) {
        snprintf(tid, sizeof tid, "%d", i);
        assert_true(str_eq(pool_text(&s.names, s.lanes[i].tid), str_of(tid)));
    }
    store_close(&s);
}

static void test_the_same_through_every_window(void **state)
{
    (void)state;
    for (ptrdiff_t window = 0; window <= 64; window++) {
        struct event_store s;
        struct err e = {0};
        assert_true(case_store(&s, small, window, &e));
        check_small(&s);
        store_close(&s);
    }
}

/* Cut anywhere, a trace is refused with the place where it ends. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    char part[sizeof small];
    for (size_t n = 1; n + 1 < sizeof small; n += 3) {
        struct event_store s;
        struct err e = {0};
        memcpy(part, small, n);
        part[n] = '\0';
        assert_false(case_store(&s, part, 0, &e));
        assert_int_equal(e.kind, ERR_INPUT);
        assert_int_equal(e.offset, n);
    }
}

static void refuses(const char *json, const char *word)
{
    struct event_store s;
    struct err e = {0};
    assert_false(case_store(&s, json, 0, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    if (!strstr(e.what, word))
        fail_msg("%s: '%s' lacks '%s'", json, e.what, word);
}

static void test_refusals_say_what(void **state)
{
    (void)state;
    refuses("", "empty");
    refuses("   ", "empty");
    refuses("hello", "not a trace of a known format");
    refuses("{\"a\": 1}", "traceEvents");
    refuses("{\"traceEvents\": []} x", "unexpected data after the end");
    refuses("{\"traceEvents\": [{}, ]}", "expected a value");
    refuses("{\"traceEvents\": [{\"ph\" \"X\"}]}", "expected ':'");
    refuses("{\"traceEvents\": [] \"b\": 1}", "expected ','");
}

static void test_bare_arrays(void **state)
{
    (void)state;
    const char *const forms[] = {
        "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":1}]",
        "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":1}\n"};
    for (int i = 0; i < 2; i++) {
        struct event_store s;
        struct err e = {0};
        assert_true(case_store(&s, forms[i], 0, &e));
        assert_int_equal(s.n, 1);
        assert_int_equal(s.census.unclosed_array, i);
        store_close(&s);
    }
}

static void test_broken_utf8_is_counted(void **state)
{
    (void)state;
    struct event_store s;
    struct err e = {0};
    assert_true(
        case_store(&s,
                   "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\xff\",\"ts\":1,"
                   "\"dur\":1},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\xff\","
                   "\"ts\":\"2.5\",\"dur\":1}]",
                   0, &e));
    assert_int_equal(s.census.repaired_names, 1);
    assert_int_equal(s.start_ns[1], 2500); /* a number written as a string */
    store_close(&s);
}

/* One event with an argument of a megabyte, through a window of 64 bytes: still quick.
 */
static void test_a_long_value(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    char *json = malloc(BYTES + 256);
    assert_non_null(json);
    strcpy(json,
           "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"ts\":1,\"dur\":1,\"args\":{\"Input "
           "Dims\":\"");
    size_t n = strlen(json);
    memset(json + n, 'x', BYTES);
    strcpy(json + n + BYTES, "\"}}]");
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s, json, 64, &e));
    assert_int_equal(pool_text(&s.names, store_texts(&s, 0)->dims).n, BYTES + 2);
    store_close(&s);
    free(json);
}

/* What differs only behind the cut stays apart; a whole character is left out. */
static void test_a_long_name_is_cut(void **state)
{
    (void)state;
    static const char *const ends[] = {"a", "b", "a"};
    struct out json;
    struct event_store s;
    struct err e = {0};
    out_memory(&json);
    for (int i = 0; i < 3; i++) {
        out_c(&json, i ? "\"}," : "[");
        out_lit(&json,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":1,\"name\":\"");
        for (int k = 0; k < NAME_BYTES_MOST - 1; k++)
            out_char(&json, 'x');
        out_lit(&json, "\xC3\xA9");
        out_c(&json, ends[i]);
    }
    out_lit(&json, "\"}]");
    out_char(&json, '\0');
    assert_true(case_store(&s, out_view(&json).p, 0, &e));
    assert_int_equal(s.census.cut_names, 3);
    assert_int_equal(store_name(&s, 0).n, NAME_BYTES_MOST - 1 + 20);
    assert_int_equal(s.name[0], s.name[2]);
    assert_int_not_equal(s.name[0], s.name[1]);
    assert_int_equal(s.census.repaired_names, 0);
    store_close(&s);
    out_free(&json);
}

/* Names of processes of any length tell lanes apart, short ones between long ones too.
 */
static void test_long_lanes(void **state)
{
    (void)state;
    static const int bytes[] = {3, 300, 300, 3, 127, 129, 300};
    struct out json;
    out_memory(&json);
    out_lit(&json, "[");
    for (int i = 0; i < 7; i++) {
        out_printf(&json,
                   "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":%d,"
                   "\"dur\":1,\"tid\":1,\"pid\":\"",
                   i ? "," : "", i);
        for (int k = 0; k < bytes[i]; k++)
            out_char(&json, 'p');
        out_lit(&json, "\"}");
    }
    out_lit(&json, "]");
    out_char(&json, '\0');
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s, out_view(&json).p, 0, &e));
    static const int lanes[] = {0, 1, 1, 0, 2, 3, 1};
    assert_int_equal(s.n, 7);
    assert_int_equal(s.n_lanes, 4);
    for (int i = 0; i < 7; i++)
        assert_int_equal(s.lane[i], lanes[i]);
    store_close(&s);
    out_free(&json);
}

/* Elements that are not events leave gaps, a long one too, and every other event is a
 * Python frame: places, rows and numbers of any size are those that were written. */
static bool is_event(int32_t uid)
{
    return uid % 3 != 1 && (uid < 100 || uid > 400);
}

static void test_places_and_numbers(void **state)
{
    (void)state;
    enum { ELEMENTS = 1000 };
    struct out json;
    out_memory(&json);
    out_lit(&json, "[");
    for (int64_t uid = 0; uid < ELEMENTS; uid++)
        out_printf(&json,
                   "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"a\",\"ts\":1,"
                   "\"dur\":%lld,\"args\":{\"correlation\":%lld}}",
                   uid ? "," : "",
                   !is_event((int32_t)uid) ? "unknown"
                   : uid % 2               ? "python_function"
                                           : "cpu_op",
                   (long long)(uid * uid * 10), (long long)(uid << 29));
    out_lit(&json, "]");
    out_char(&json, '\0');
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s, out_view(&json).p, 0, &e));
    event_id i = 0;
    int32_t row = 0;
    for (int32_t uid = 0; uid < ELEMENTS; uid++) {
        if (!is_event(uid))
            continue;
        assert_int_equal(store_uid(&s, i), uid);
        assert_int_equal(store_row(&s, i), uid % 2 ? -1 : row++);
        assert_int_equal(store_dur_ns(&s, i), (int64_t)uid * uid * 10000);
        assert_int_equal(store_correlation(&s, i),
                         uid % 2 ? NO_ID : (int64_t)uid << 29);
        assert_int_equal(store_stream(&s, i++), NO_ID);
    }
    assert_int_equal(s.n, i);
    assert_int_equal(s.n_details, row);
    store_close(&s);
    out_free(&json);
}

/* Python frames have no details, and so take no memory for them. */
static void test_frames_without_details(void **state)
{
    (void)state;
    enum { FRAMES = 20000, PAGE = 4096, ALLOWED = 4096 };
    struct out json;
    out_memory(&json);
    out_lit(&json, "[");
    for (int i = 0; i < FRAMES; i++)
        out_printf(&json,
                   "%s{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\","
                   "\"ts\":%d,\"dur\":1}",
                   i ? "," : "", i);
    out_lit(&json, "]");
    out_char(&json, '\0');
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s, out_view(&json).p, 0, &e));
    assert_int_equal(s.n, FRAMES);
    assert_int_equal(s.n_details, 0);
#ifndef ARENA_GUARDED
    unsigned char there[FRAMES * sizeof *s.details / PAGE];
    ptrdiff_t pages = 0;
    assert_int_equal(mincore(s.details, sizeof there * PAGE, there), 0);
    for (size_t i = 0; i < sizeof there; i++)
        pages += there[i] & 1;
    assert_true(pages <= ALLOWED * (ptrdiff_t)sizeof *s.details / PAGE + 1);
#endif
    store_close(&s);
    out_free(&json);
}

/* Names and arguments are what each event says, whichever came after the one before. */
static void test_any_order_of_names(void **state)
{
    (void)state;
    enum { EVENTS = 600, NAMES = 7 };
    static int kinds[EVENTS];
    struct out o;
    out_memory(&o);
    out_lit(&o, "{\"traceEvents\":[");
    for (int i = 0; i < EVENTS; i++) {
        kinds[i] = (i * i / 3 + i % 5) % NAMES; /* 0: no name, no arguments */
        out_printf(&o,
                   "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%.*s\","
                   "\"ts\":%d,\"dur\":1,\"args\":{",
                   i ? "," : "", kinds[i], "aaaaaaaa", i);
        if (kinds[i])
            out_printf(&o, "\"Input Dims\":[%d],\"Input type\":[\"t%d\"]", kinds[i] % 3,
                       kinds[i] % 2);
        out_lit(&o, "}}");
    }
    out_lit(&o, "]}");
    out_char(&o, '\0');
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s, out_view(&o).p, 0, &e));
    assert_int_equal(s.n, EVENTS);
    assert_int_equal(s.n_texts, 6); /* of 2 and 3 */
    for (int i = 0; i < EVENTS; i++) {
        const struct op_texts *x = store_texts(&s, i);
        char dims[8], types[8];
        snprintf(dims, sizeof dims, "[%d]", kinds[i] % 3);
        snprintf(types, sizeof types, "[\"t%d\"]", kinds[i] % 2);
        assert_int_equal(store_name(&s, i).n, kinds[i]);
        assert_int_equal(x != NULL, kinds[i] > 0);
        if (x) {
            assert_true(str_eq(pool_text(&s.names, x->dims), str_of(dims)));
            assert_true(str_eq(pool_text(&s.names, x->types), str_of(types)));
        }
    }
    store_close(&s);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: memory is asked for ahead a limited number of times. */
        cmocka_unit_test(test_frames_without_details),
        cmocka_unit_test(test_any_order_of_names),
        cmocka_unit_test(test_times_add_up),
        cmocka_unit_test(test_sizes_add_up),
        cmocka_unit_test(test_many_labels),
        cmocka_unit_test(test_more_lanes_than_room),
        cmocka_unit_test(test_the_same_through_every_window),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_refusals_say_what),
        cmocka_unit_test(test_bare_arrays),
        cmocka_unit_test(test_broken_utf8_is_counted),
        cmocka_unit_test(test_a_long_value),
        cmocka_unit_test(test_a_long_name_is_cut),
        cmocka_unit_test(test_long_lanes),
        cmocka_unit_test(test_places_and_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
