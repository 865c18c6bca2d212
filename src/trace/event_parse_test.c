#include "event_parse.c"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { TEXT_BYTES = 512 };

struct parsed {
    char text[TEXT_BYTES + PIECE_BYTES]; /* what the event points into */
    struct out rest;
    struct event ev;
    ptrdiff_t end; /* of the record; -1: it is none */
};

static void parse(struct event_parser *ps, const char *record, struct parsed *o)
{
    *o = (struct parsed){.end = -1};
    assert_true(strlen(record) < TEXT_BYTES);
    strcpy(o->text, record);
    out_memory(&o->rest);
    ps->rest = &o->rest;
    ps->scan.end = o->text + strlen(record);
    ps->scan.state = SCAN_OK;
    const char *p = event_parse(ps, &o->ev, o->text);
    o->end = p ? p - o->text : -1;
}

static void assert_same_text(struct str a, struct str b)
{
    assert_int_equal(a.n, b.n);
    if (a.n)
        assert_memory_equal(a.p, b.p, (size_t)a.n);
}

static void assert_same(const struct event *a, const struct event *b)
{
    assert_int_equal(a->ph, b->ph);
    assert_int_equal(a->cat, b->cat);
    assert_int_equal(a->escaped, b->escaped);
    assert_int_equal(a->has_start, b->has_start);
    assert_int_equal(a->has_dur, b->has_dur);
    assert_int_equal(a->start_ns, b->start_ns);
    assert_int_equal(a->dur_ns, b->dur_ns);
    assert_int_equal(a->flow_id, b->flow_id);
    assert_int_equal(a->has_args, b->has_args);
    assert_int_equal(a->args.correlation, b->args.correlation);
    assert_same_text(a->name, b->name);
    assert_same_text(a->pid, b->pid);
    assert_same_text(a->tid, b->tid);
    assert_same_text(a->args.dims, b->args.dims);
    assert_same_text(a->args.rest, b->args.rest);
}

/* With a parser that has read others, and with one that has not. */
static void says_the_same(struct event_parser *used, const char *record)
{
    struct out rest;
    struct event_parser new;
    struct parsed a, b;
    parser_open(&new, &rest);
    parse(used, record, &a);
    parse(&new, record, &b);
    assert_int_equal(a.end, b.end);
    assert_int_equal(used->scan.state, new.scan.state);
    if (a.end >= 0)
        assert_same(&a.ev, &b.ev);
    out_free(&a.rest);
    out_free(&b.rest);
    parser_close(&new);
}

static const char *const records[] = {
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"pid\": 1, \"tid\": 2, "
    "\"ts\": 1.5, \"dur\": 2, \"args\": {\"k\": 1}}",
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"b\", \"pid\": 1, \"tid\": 23, "
    "\"ts\": 1.5, \"dur\": 2}",
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"c\", \"pid\": \"1\", \"tid\": "
    "\"s 7\", \"ts\": 3, \"dur\": 4, \"args\": {\"correlation\": 7}}",
    "{\"ph\":\"f\",\"id\":7,\"pid\":1,\"tid\":2,\"ts\":4,\"cat\":\"ac2g\","
    "\"name\":\"ac2g\",\"bp\":\"e\"}",
    "{\"ph\": \"f\", \"id\": 8, \"pid\": 1, \"tid\": 2, \"ts\": 4, \"name\": \"x\", "
    "\"cat\": \"ac2g\"}",
    /* The last one counts, in one text between values that vary and across two. */
    "{\"pid\": 1, \"pid\": 22, \"ph\": \"XX\", \"ph\": \"i\", \"name\": \"\\n\", "
    "\"pid\": 333, \"cat\": \"kernel\", \"cat\": 5, \"ts\": 1}",
    "{\"ph\": \"X\", \"tid\": [1, {\"a\": 2}], \"pid\": null, \"name\": \"d\"}",
    "{\"name\": \"e\", \"ph\": \"X\", \"pid\": \"a process with a name that is longer "
    "than what is compared at once\", \"ts\": 5}",
    "{\"ph\": \"X\", \"cat\": \"cpu_op\"}",
    "{ \"ph\" : \"X\" , \"cat\" : \"cpu_op\" , \"name\" : \"f\" , \"dur\" : 1 }",
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"g\", \"args\": {\"Input Dims\": "
    "[[1, 2], []], \"k\": [1], \"m\": \"x\"}, \"ts\": 5}",
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"g\", \"args\": {\"Input Dims\": "
    "[[1, 2], [], \"k\": [1]}, \"ts\": 5}",
    "{}",
    "null",
    /* Not JSON. */
    "{, \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\"}",
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": , \"pid\": 1}",
    "{\"name\": \"a\" \"pid\": 1, \"tid\": 2, \"ts\": 1}",
    "{\"name\": \"a\", \"pid\": 01, \"tid\": 2, \"ts\": 1}",
};
enum { RECORDS = sizeof records / sizeof *records };

static void a_record_says_what_it_says(void **state)
{
    (void)state;
    struct event_parser ps;
    parser_open(&ps, NULL);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < RECORDS; i++)
            for (int k = 0; k < RECORDS; k++) {
                says_the_same(&ps, records[i]);
                says_the_same(&ps, records[k]);
            }
    parser_close(&ps);
}

/* What is known of a record is no record before its end is there. */
static void a_record_is_cut(void **state)
{
    (void)state;
    struct event_parser ps;
    char part[TEXT_BYTES];
    parser_open(&ps, NULL);
    for (int i = 0; i < RECORDS; i++)
        for (size_t n = 0; n < strlen(records[i]); n++) {
            memcpy(part, records[i], n);
            part[n] = '\0';
            says_the_same(&ps, records[i]);
            says_the_same(&ps, part);
        }
    parser_close(&ps);
}

/* More lanes than there is room for pieces, and back to the first. */
static void many_lanes(void **state)
{
    (void)state;
    struct event_parser ps;
    char record[TEXT_BYTES];
    parser_open(&ps, NULL);
    for (int i = 0; i < 5 * PIECES_MAX; i++) {
        snprintf(record, sizeof record,
                 "{\"ph\": \"X\", \"name\": \"a\", \"pid\": %d, \"tid\": %d, \"ts\": "
                 "%d, \"dur\": 1}",
                 i % 3, i % (2 * PIECES_MAX), i);
        says_the_same(&ps, record);
        assert_in_range(ps.pieces.n, 1, PIECES_MAX);
    }
    parser_close(&ps);
}

/* The third of like records is not read member by member: from the second on it is
 * known what begins a record after one like it. */
static void a_piece_is_known_again(void **state)
{
    (void)state;
    struct event_parser ps;
    struct parsed o;
    parser_open(&ps, NULL);
    for (int i = 0; i < 2; i++) {
        parse(&ps, records[0], &o);
        out_free(&o.rest);
        assert_int_equal(ps.pieces.n, 4); /* up to name, ts, dur and args */
    }
    assert_int_equal(ps.pieces.first->facts.cat, CAT_CPU_OP);
    assert_true(ps.pieces.at[1].facts.has_pid && ps.pieces.at[1].facts.has_tid);
    guess_open(&ps.members); /* of which nothing is known any more */
    parse(&ps, records[0], &o);
    assert_int_equal(o.end, strlen(records[0]));
    assert_int_equal(ps.members.n, 0);
    assert_same_text(o.ev.tid, S("2"));
    out_free(&o.rest);
    parser_close(&ps);
}

/* Keys in order of the alphabet, as tools write them: arguments come first. */
static void arguments_before_what_they_are_of(void **state)
{
    (void)state;
    struct event_parser ps;
    struct parsed first, sorted;
    parser_open(&ps, NULL);
    for (int k = 0; k < 3; k++) { /* the first is guessed from, the others by it */
        parse(&ps,
              "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,"
              "\"ts\":1,\"dur\":2,\"args\":{\"correlation\":3,\"grid\":[1,1,1]}}",
              &first);
        parse(&ps,
              "{\"args\":{\"correlation\":3,\"grid\":[1,1,1]},\"cat\":\"kernel\","
              "\"dur\":2,\"name\":\"k\",\"ph\":\"X\",\"pid\":0,\"tid\":7,\"ts\":1}",
              &sorted);
        assert_true(sorted.end > 0);
        assert_int_equal(sorted.ev.args.correlation, 3);
        assert_same(&first.ev, &sorted.ev);
        out_free(&first.rest);
        out_free(&sorted.rest);
    }
    parse(&ps,
          "{\"args\":{\"name\":\"python\"},\"name\":\"process_name\",\"ph\":\"M\","
          "\"pid\":9,\"tid\":0}",
          &sorted);
    assert_same_text(sorted.ev.args.text, S("python"));
    out_free(&sorted.rest);
    parser_close(&ps);
}

static void copies_by_their_arguments(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"\"copy kind\":\"DtoH\",\"src kind\":\"device\",\"dst kind\":\"pageable\"",
         "Memcpy DtoH (Device -> Pageable)"},
        {"\"copy kind\":\"HtoD\",\"src kind\":7,\"dst kind\":\"device\"",
         "Memcpy HtoD"},
        {"\"copy kind\":12", "Memcpy"},
        {"\"copy kind\":\"", "Memcpy"},
        {"\"bytes\":4", "Memcpy"},
    };
    struct event_parser ps;
    parser_open(&ps, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char record[TEXT_BYTES];
        struct parsed o;
        snprintf(record, sizeof record,
                 "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy\",\"ts\":1,"
                 "\"dur\":2,\"args\":{%s%s}}",
                 cases[k][0], k == 3 ? "\"" : "");
        parse(&ps, record, &o);
        assert_true(o.end > 0);
        assert_same_text(o.ev.name, str_of(cases[k][1]));
        out_free(&o.rest);
    }
    parser_close(&ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_says_what_it_says),
        cmocka_unit_test(a_record_is_cut),
        cmocka_unit_test(many_lanes),
        cmocka_unit_test(a_piece_is_known_again),
        cmocka_unit_test(arguments_before_what_they_are_of),
        cmocka_unit_test(copies_by_their_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
