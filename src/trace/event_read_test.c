#include "trace/event_read.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { EVENTS = 4000, WINDOW = 4096 };

static char path[] = "/tmp/tracefolio-XXXXXX";

/* Records of all forms, and in some of them odd text between two records. */
static void put_event(struct out *o, int i)
{
    switch (i % 97 == 0 ? 4 : i % 13 == 0 ? 3 : i % 3) {
    case 0:
        out_printf(
            o,
            "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": "
            "1, \"tid\": %d, \"ts\": %d.5, \"dur\": 3, \"args\": {\"External id\": "
            "%d, \"Input Dims\": [[1, 2], []], \"flag\": %d, \"other\": \"x\"}}",
            i % 5, 1000 + i, i, i * 7);
        break;
    case 1:
        out_printf(
            o,
            "{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"f(%d): g\", "
            "\"pid\": 1, \"tid\": 2, \"ts\": %d, \"dur\": 0.%d, \"args\": {\"Python "
            "id\": %d}}",
            i % 50, 1000 + i, i % 10, i);
        break;
    case 2:
        out_printf(
            o,
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\\\"%d\\\"\", \"pid\": "
            "0, \"tid\": 7, \"ts\": %d, \"dur\": 2, \"args\": {\"list\": [{\"a\": "
            "%d}, {\"ph\": \"X\", \"b\": 2}, {\"ph\": %d}], \"correlation\": 9}}",
            i % 50, 1000 + i, i, i * 7);
        break;
    case 3:
        out_printf(o,
                   "{\"name\": \"n%d\", \"ph\": \"s\", \"id\": %d, \"cat\": \"ac2g\", "
                   "\"pid\": 3, \"tid\": \"%d\", \"ts\": \"%d\"}",
                   i, i * 2, i % 4, 1000 + i);
        break;
    default:
        out_printf(o,
                   "{\"ph\": \"i\", \"s\": \", {'ph': \", \"n\": %d, \"v\": [%d, %d]}",
                   i, i, i);
    }
}

static void write_trace(const char *after)
{
    struct err e = {0};
    struct out o;
    assert_true(out_open(&o, path, &e));
    out_lit(&o, "{\"schemaVersion\": 1, \"traceEvents\": [");
    for (int i = 0; i < EVENTS; i++) {
        out_c(&o, i ? ", " : "");
        put_event(&o, i);
    }
    out_c(&o, after);
    assert_true(out_close(&o, &e));
}

static void assert_same_text(struct str a, struct str b)
{
    assert_int_equal(a.n, b.n);
    if (a.n)
        assert_memory_equal(a.p, b.p, (size_t)a.n);
}

static void assert_same_event(const struct event *a, const struct event *b)
{
    const struct event_args *x = event_args(a), *y = event_args(b);
    assert_int_equal(a->uid, b->uid);
    assert_int_equal(a->ph, b->ph);
    assert_int_equal(a->cat, b->cat);
    assert_int_equal(a->start_ns, b->start_ns);
    assert_int_equal(a->dur_ns, b->dur_ns);
    assert_int_equal(a->has_dur, b->has_dur);
    assert_int_equal(a->flow_id, b->flow_id);
    assert_int_equal(a->escaped, b->escaped);
    assert_int_equal(x->external_id, y->external_id);
    assert_int_equal(x->correlation, y->correlation);
    assert_same_text(a->name, b->name);
    assert_same_text(a->pid, b->pid);
    assert_same_text(a->tid, b->tid);
    assert_same_text(x->dims, y->dims);
    assert_same_text(x->rest, y->rest);
}

static struct event_reader *open_reader(bool one_thread)
{
    struct err e = {0};
    struct event_reader *r;
    assert_true(reader_open(
        &r, path,
        (struct source_options){.window_bytes = WINDOW, .one_thread = one_thread},
        false, &e));
    return r;
}

/* Both ways through the trace, record by record; how many were parsed ahead. The reader
 * rests now and then, so that the other thread has time. */
static int read_both(struct err *e, struct err *e2)
{
    struct event_reader *plain = open_reader(true), *ahead = open_reader(false);
    int from_ahead = 0;
    for (;;) {
        const struct event *a = reader_next(plain, e), *b = reader_next(ahead, e2);
        assert_int_equal(!a, !b);
        if (!a || !b)
            break;
        assert_same_event(a, b);
        from_ahead += ahead->served > 0;
        if (a->uid % 64 == 1)
            nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    }
    assert_same_text(out_view(&plain->header), out_view(&ahead->header));
    reader_close(plain);
    reader_close(ahead);
    return from_ahead;
}

static void what_is_parsed_ahead_is_the_same(void **state)
{
    (void)state;
    struct err e = {0}, e2 = {0};
    write_trace("], \"end\": 1}");
    assert_in_range(read_both(&e, &e2), 500, EVENTS);
    assert_int_equal(e.kind, ERR_NONE);
    assert_int_equal(e2.kind, ERR_NONE);
}

/* In the same words, at the same byte. */
static void a_fault_is_the_same(void **state)
{
    (void)state;
    static const char *const after[] = {", {\"ph\": \"X\", \"ts\": 01}]}",
                                        ", {\"ph\": ", "]", " {\"ph\": \"X\"}]}",
                                        ", {\"ph\": \"X\"} x"};
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        struct err e = {0}, e2 = {0};
        write_trace(after[i]);
        assert_true(read_both(&e, &e2) > 0);
        assert_int_equal(e.kind, ERR_INPUT);
        assert_int_equal(e2.kind, ERR_INPUT);
        assert_string_equal(e.what, e2.what);
        assert_int_equal(e.offset, e2.offset);
    }
}

/* A batch that does not begin at the start of a record is not used. */
static void a_wrong_place_is_not_taken(void **state)
{
    (void)state;
    static const char text[] = "{\"ph\": \"X\", \"args\": {\"l\": [1, {\"ph\": 2}, "
                               "{\"ph\": 3}, 4]}}, {\"ph\": \"i\"}";
    struct event_reader *r = open_reader(true);
    memcpy(r->mark, ", {\"ph\"", 7);
    r->mark_n = 7;
    char data[sizeof text + SOURCE_PAD_BYTES] = {0};
    memcpy(data, text, sizeof text);
    read_ahead(r, 3, data, sizeof text - 1);
    assert_int_equal(r->batches[3].n, 2); /* {"ph": 2} and {"ph": 3} */
    r->batch = &r->batches[3];
    r->at = data;
    assert_null(next_ahead(r));
    r->at = r->batches[3].begin;
    assert_non_null(next_ahead(r));
    assert_non_null(next_ahead(r));
    assert_null(next_ahead(r));
    assert_string_equal(r->at, " 4]}}, {\"ph\": \"i\"}");
    r->at = "";
    reader_close(r);
}

/* Many small records are not all parsed ahead: one takes a hundred times its bytes. */
static void a_batch_has_an_end(void **state)
{
    (void)state;
    enum { RECORD = 8 };
    static char data[3 * BATCH_MAX * RECORD + SOURCE_PAD_BYTES];
    struct event_reader *r = open_reader(true);
    for (int i = 0; i < 3 * BATCH_MAX; i++)
        memcpy(data + i * RECORD, "{\"a\":1},", RECORD);
    memcpy(r->mark, ",{\"a\"", 5);
    r->mark_n = 5;
    read_ahead(r, 0, data, 3 * BATCH_MAX * RECORD);
    assert_int_equal(r->batches[0].n, BATCH_MAX);
    assert_int_equal(r->batches[0].cap, BATCH_MAX);
    assert_ptr_equal(r->batches[0].begin, data + RECORD);
    assert_ptr_equal(r->batches[0].end, data + RECORD * (BATCH_MAX + 1));
    reader_close(r);
}

static char header[256];

/* Reads the text with a small window; how many records, and the error. */
static int records_of(const char *text, struct source_end *end, struct err *e)
{
    struct out o;
    struct err none = {0};
    assert_true(out_open(&o, path, &none));
    out_c(&o, text);
    assert_true(out_close(&o, &none));
    struct event_reader *r = open_reader(true);
    int n = 0;
    while (reader_next(r, e))
        n++;
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    *end = reader_end(r, &perm);
    arena_release(start, &perm);
    snprintf(header, sizeof header, "%.*s", STRF(out_view(&r->header)));
    reader_close(r);
    return n;
}

static void elements_that_are_no_records_are_counted(void **state)
{
    (void)state;
    struct source_end end;
    struct err e = {0};
    assert_int_equal(
        records_of("[0,null , [1,{}],{\"ph\":\"X\"},\"{\",-1.5,{}, 7]", &end, &e), 2);
    assert_int_equal(e.kind, ERR_NONE);
    assert_int_equal(end.n_elements, 8);
    assert_int_equal(end.n_void, 6);
    assert_int_equal(records_of("[0,1,]", &end, &e), 0);
    assert_int_equal(e.offset, 5);
    assert_non_null(strstr(e.what, "expected a value"));
    e = (struct err){0};
    records_of("{\"traceEvents\":[0,1 2]}", &end, &e);
    assert_int_equal(e.offset, 20);
}

static void what_is_no_trace_is_not_called_invalid(void **state)
{
    (void)state;
    struct source_end end;
    struct err e = {0};
    records_of("42", &end, &e);
    assert_int_equal(e.offset, 0);
    assert_true(str_starts(str_of(e.what), S("not a trace: it begins with neither")));
    e = (struct err){0};
    records_of("[42,}", &end, &e);
    assert_true(str_starts(str_of(e.what), S("not valid JSON: expected a value")));
}

static void numbers_that_json_does_not_have_are_seen(void **state)
{
    (void)state;
    static const char *const with[] = {"[{\"args\":{\"a\":NaN}}]",
                                       "[{\"ph\":\"X\",\"dur\":-Infinity}]",
                                       "{\"a\":[inf],\"traceEvents\":[]}",
                                       "[{\"cat\":\"python_function\",\"args\":nan}]"};
    struct source_end end;
    for (int i = 0; i < 4; i++) {
        struct err e = {0};
        records_of(with[i], &end, &e);
        assert_int_equal(e.kind, ERR_NONE);
        assert_true(end.saw_nan);
    }
    struct err e = {0};
    records_of("[{\"a\":\"NaN\",\"b\":null,\"c\":[true,false,-1e9]}]", &end, &e);
    assert_false(end.saw_nan);
}

static void elements_have_a_limit(void **state)
{
    (void)state;
    struct source_end end;
    struct err e = {0};
    elements_most = 4;
    assert_int_equal(records_of("[{},0,0,{}]", &end, &e), 2);
    assert_int_equal(e.kind, ERR_NONE);
    assert_int_equal(records_of("[{},0,0,{},{}]", &end, &e), 2);
    assert_string_equal(e.what, "more than 4 elements, which is the limit; record a "
                                "shorter trace");
    e = (struct err){0};
    assert_int_equal(records_of("[0,0,0,0,0]", &end, &e), 0);
    assert_non_null(strstr(e.what, "more than 4 elements"));
    elements_most = INT32_MAX;
}

static char *spaced(const char *before, int n, char c, const char *after)
{
    size_t k = strlen(before);
    char *text = malloc(k + (size_t)n + strlen(after) + 1);
    assert_non_null(text);
    memcpy(text, before, k);
    memset(text + k, c, (size_t)n);
    strcpy(text + k + (size_t)n, after);
    return text;
}

static void space_and_records_have_limits(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after, *what;
        char filler;
        int64_t offset;
    } cases[] = {
        {"", "[{}]", NULL, ' ', 0},
        {"[{}", ",{}]", NULL, '\n', 0},
        {"[{},", "{}]", NULL, ' ', 0},
        {"{\"a\":1,", "\"traceEvents\":[]}", NULL, ' ', 0},
        {"[{}]", "", NULL, ' ', 0},
        {"[{\"name\":\"", "\"}]", "a record of more than 20000 bytes", 'x', 1},
        {"[{", "}]", "a record of more than 20000 bytes", ' ', 1},
        {"[1,[", "]]", "a record of more than 20000 bytes", ' ', 3},
        {"{\"a\":\"", "\"}", "a value beside traceEvents of more than 30000", 'x', 1},
    };
    record_bytes_most = 20000;
    member_bytes_most = 30000;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct source_end end;
        struct err e = {0};
        char *text = spaced(cases[i].before, 60000, cases[i].filler, cases[i].after);
        records_of(text, &end, &e);
        free(text);
        if (!cases[i].what) {
            assert_int_equal(e.kind, ERR_NONE);
            continue;
        }
        if (!strstr(e.what, cases[i].what))
            fail_msg("%zu: %s", i, e.what);
        assert_int_equal(e.offset, cases[i].offset);
    }
    record_bytes_most = 1 << 25;
    member_bytes_most = 1 << 28;
}

/* The window that is too long for a value may hold its end: that is no better. */
static void a_value_has_its_limit_exactly(void **state)
{
    (void)state;
    enum { MOST = 20000 };
    for (int n = MOST / 2; n < 2 * MOST; n += 500) {
        struct source_end end;
        struct err e = {0};
        member_bytes_most = MOST;
        char *text = spaced("{\"a\":\"", n, 'x', "\",\"traceEvents\":[]}");
        records_of(text, &end, &e);
        assert_int_equal(e.kind, n < MOST - 10 ? ERR_NONE : ERR_INPUT);
        free(text);
    }
    member_bytes_most = 1 << 28;
}

/* Space before a record is not kept: the window stays as it was. */
static void space_is_forgotten(void **state)
{
    (void)state;
    struct source_end end;
    struct err e = {0};
    record_bytes_most = 2 * WINDOW;
    char *text = spaced("[{}, ", 1 << 20, ' ', "{\"name\": \"x\"}]");
    assert_int_equal(records_of(text, &end, &e), 2);
    assert_int_equal(e.kind, ERR_NONE);
    free(text);
    record_bytes_most = 1 << 25;
}

static void the_header_has_a_limit(void **state)
{
    (void)state;
    struct source_end end;
    struct err e = {0};
    header_bytes_most = 20;
    records_of("{\"a\":1,\"b\":2,\"c\":\"0123456789\",\"d\":4,\"traceEvents\":[]}",
               &end, &e);
    assert_int_equal(e.kind, ERR_NONE);
    assert_string_equal(header, "{\"a\":1,\"b\":2,\"d\":4}");
    header_bytes_most = 1 << 24;
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_parsed_ahead_is_the_same),
        cmocka_unit_test(a_fault_is_the_same),
        cmocka_unit_test(a_wrong_place_is_not_taken),
        cmocka_unit_test(a_batch_has_an_end),
        cmocka_unit_test(elements_that_are_no_records_are_counted),
        cmocka_unit_test(what_is_no_trace_is_not_called_invalid),
        cmocka_unit_test(numbers_that_json_does_not_have_are_seen),
        cmocka_unit_test(elements_have_a_limit),
        cmocka_unit_test(space_and_records_have_limits),
        cmocka_unit_test(space_is_forgotten),
        cmocka_unit_test(a_value_has_its_limit_exactly),
        cmocka_unit_test(the_header_has_a_limit),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
