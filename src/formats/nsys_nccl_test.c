#include "nsys_nccl.c"

#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two threads, whose ranges come in any order: on each, what begins last before a time,
 * and of two that begin at once the inner one. */
static void a_launch_is_of_the_innermost_range(void **state)
{
    (void)state;
    struct range ranges[] = {
        {.thread = 2, .start_ns = 10, .end_ns = 90, .name = "other thread"},
        {.thread = 1, .start_ns = 20, .end_ns = 30, .name = "inner"},
        {.thread = 1, .start_ns = 50, .end_ns = 60, .name = "later"},
        {.thread = 1, .start_ns = 20, .end_ns = 45, .name = "outer"}};
    struct nsys_nccl *n = calloc(1, sizeof *n);
    assert_non_null(n);
    n->ranges = ranges;
    n->n = 4;
    qsort(ranges, 4, sizeof *ranges, by_thread_and_start);
    assert_int_equal(range_at(n, 1, 19), -1);
    assert_string_equal(ranges[range_at(n, 1, 20)].name, "inner");
    assert_string_equal(ranges[range_at(n, 1, 49)].name, "inner");
    assert_string_equal(ranges[range_at(n, 1, 50)].name, "later");
    assert_string_equal(ranges[range_at(n, 2, 50)].name, "other thread");
    assert_int_equal(range_at(n, 3, 50), -1);
    free(n);
}

/* By nvToolsExtPayload.h: int, unsigned int, long, unsigned long, long long, unsigned
 * long long; numbers of 32 and of 64 bits, with a sign and without; a size. */
static void widths_are_those_of_the_header(void **state)
{
    static const int64_t four[] = {5, 6, 15, 16}, eight[] = {7, 8, 9, 10, 17, 18, 22};
    int n = 0;
    (void)state;
    for (size_t k = 0; k < sizeof four / sizeof *four; k++)
        assert_int_equal(width_of(four[k]), 4);
    for (size_t k = 0; k < sizeof eight / sizeof *eight; k++)
        assert_int_equal(width_of(eight[k]), 8);
    for (int64_t type = -2; type < 100; type++)
        n += width_of(type) > 0;
    assert_int_equal(n, 4 + 7);
    assert_int_equal(field_of(S("NCCL communicator ID")), COMMUNICATOR);
    assert_int_equal(field_of(S("Message size [bytes]")), BYTES);
    assert_int_equal(field_of(S("No. of ranks")), RANKS);
    assert_int_equal(field_of(S("Root")), ROOT);
    assert_int_equal(field_of(S("Peer rank")), PEER);
    assert_int_equal(field_of(S("Reduction operation")), FIELDS);
}

/* Of four ranks, 100 bytes: NCCL says the smaller side. */
static void the_larger_side_is_that_of_all_ranks(void **state)
{
    (void)state;
    enum { SAME = 100, ALL = 400 };
    static const struct {
        const char *name;
        enum kind kind;
        int64_t in, out;
    } cases[] = {{"allreduce", COLLECTIVE, SAME, SAME},
                 {"allgather", COLLECTIVE, SAME, ALL},
                 {"reduce_scatter", COLLECTIVE, ALL, SAME},
                 {"send", SEND, SAME, -1},
                 {"recv", RECV, -1, SAME}};
    struct nsys_nccl *n = calloc(1, sizeof *n);
    struct sqlite_source s = {.perm = arena_reserve(1 << 20)};
    char *start = s.perm.at;
    struct range r = {.fields = {[COMMUNICATOR] = 9, [BYTES] = SAME}};
    struct message m;
    assert_non_null(n);
    n->ranges = &r;
    n->ranks.width = 1;
    *sqlite_row_add(&s, &n->ranks, 9) = 4;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        r.kind = cases[k].kind;
        r.name = cases[k].name;
        assert_true(message_of(n, 0, &m));
        assert_int_equal(m.in, cases[k].in);
        assert_int_equal(m.out, cases[k].out);
    }
    arena_release(start, &s.perm);
    free(n);
}

/* Two sends and a receive in a group: one kernel moves all of it. */
static void a_group_moves_what_all_its_calls_do(void **state)
{
    (void)state;
    struct range ranges[] = {
        {.thread = 1, .kind = GROUP_START},
        {.thread = 1, .kind = SEND, .fields = {[COMMUNICATOR] = 9, [BYTES] = 100}},
        {.thread = 1, .kind = RECV, .fields = {[COMMUNICATOR] = 9, [BYTES] = 50}},
        {.thread = 1, .kind = SEND, .fields = {[COMMUNICATOR] = 9, [BYTES] = 200}},
        {.thread = 1, .kind = GROUP_END}};
    struct nsys_nccl *n = calloc(1, sizeof *n);
    struct message m;
    assert_non_null(n);
    n->ranges = ranges;
    n->n = 5;
    assert_true(message_of(n, 4, &m));
    assert_int_equal(m.in, 300);
    assert_int_equal(m.out, 50);
    assert_int_equal(m.communicator, 9);
    free(n);
}

/* A payload of schema 3 of domain 7, whose body has 24 bytes behind the header. */
static struct str payload_of(int64_t communicator, int64_t bytes, int32_t ranks,
                             int32_t root)
{
    static char of[HEADER_BYTES + 24];
    const int64_t head[] = {7, 3, 24, HEADER_BYTES, communicator, bytes};
    memcpy(of, head, sizeof head);
    memcpy(of + sizeof head, &ranks, 4);
    memcpy(of + sizeof head + 4, &root, 4);
    return (struct str){of, sizeof of};
}

static void range(struct sqlite_source *s, struct nsys_nccl *n, const char *name,
                  int64_t start_ns, struct str payload)
{
    const struct event ev = {
        .name = str_of(name), .start_ns = start_ns, .dur_ns = 50, .has_dur = true};
    nsys_nccl_range(s, n, 1, &ev, payload);
}

static void launch(struct sqlite_source *s, struct nsys_nccl *n, int64_t start_ns,
                   int64_t id)
{
    struct event ev = {.name = S_INIT("cudaLaunchKernel"),
                       .start_ns = start_ns,
                       .dur_ns = 5,
                       .has_dur = true};
    event_args_set(&ev)->correlation = id;
    nsys_nccl_call(s, n, 1, &ev);
}

static void put_is(struct nsys_nccl *n, int64_t id, const char *want)
{
    struct out o;
    out_memory(&o);
    nsys_nccl_put(&o, n, id);
    if (!str_eq(out_view(&o), str_of(want)))
        fail_msg("%.*s, not %s", STRF(out_view(&o)), want);
    out_free(&o);
}

/* Three calls of NCCL, with one kernel, two and one; what they say, and what a kernel
 * then says of them. */
static void a_kernel_has_what_its_call_says(void **state)
{
    (void)state;
    struct nsys_nccl *n = calloc(1, sizeof *n);
    struct sqlite_source s = {.perm = arena_reserve(1 << 20)};
    char *start = s.perm.at;
    assert_non_null(n);
    n->schemas[0] = (struct schema){.domain = 7, .id = 4};
    n->schemas[1] = (struct schema){.domain = 8, .id = 3};
    n->schemas[2] = (struct schema){.domain = 7,
                                    .id = 3,
                                    .fields = {[COMMUNICATOR] = {0, 8},
                                               [BYTES] = {8, 8},
                                               [RANKS] = {16, 4},
                                               [ROOT] = {20, 4}}};
    n->n_schemas = 3;
    struct str payload = payload_of(-2, 100, 4, 1);
    range(&s, n, "ncclAllGather", 100, payload);
    range(&s, n, "ncclAllReduce", 200, payload);
    payload.n--; /* cut short */
    range(&s, n, "ncclBroadcast", 300, payload);
    range(&s, n, "ncclCommInitRank", 400, payload);
    range(&s, n, "aten::mm", 500, payload);
    assert_int_equal(n->n, 3);
    launch(&s, n, 90, 9); /* before any */
    launch(&s, n, 110, 11);
    launch(&s, n, 112, 12); /* of the driver, in the runtime's */
    launch(&s, n, 210, 21);
    launch(&s, n, 215, 22);
    launch(&s, n, 349, 31);
    launch(&s, n, 350, 32);
    put_is(n, 11, "\"nccl\":[\"allgather\",100,400,-2,4,1,null,null],");
    put_is(n, 12, "\"nccl\":[\"allgather\",100,400,-2,4,1,null,null],");
    put_is(n, 9, "");
    put_is(n, 21, "");
    put_is(n, 31, "\"nccl\":[\"broadcast\",null,null,null,null,null,null,null],");
    put_is(n, 32, "");
    arena_release(start, &s.perm);
    free(n);
}

static void calls_are_known_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name, *word;
        enum kind kind;
    } calls[] = {{"ncclGroupStart", NULL, GROUP_START},
                 {"ncclGroupEnd", NULL, GROUP_END},
                 {"ncclSend", "send", SEND},
                 {"ncclRecv", "recv", RECV},
                 {"ncclAllReduce", "allreduce", COLLECTIVE},
                 {"ncclAllGather", "allgather", COLLECTIVE},
                 {"ncclReduceScatter", "reduce_scatter", COLLECTIVE},
                 {"ncclBroadcast", "broadcast", COLLECTIVE},
                 {"ncclReduce", "reduce", COLLECTIVE},
                 {"ncclCommInitRank", NULL, OTHER}};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        const char *word;
        assert_int_equal(kind_of(str_of(calls[k].name), &word), calls[k].kind);
        assert_int_equal(!word, !calls[k].word);
        if (word)
            assert_string_equal(word, calls[k].word);
    }
}

/* A send has a target, a receive a source; rank 0 is one. */
static void peers_are_of_one_side(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct nsys_nccl *n = calloc(1, sizeof *n);
        struct sqlite_source s = {.perm = arena_reserve(1 << 20)};
        char *start = s.perm.at;
        assert_non_null(n);
        n->schemas[0] = (struct schema){
            .domain = 7, .id = 3, .fields = {[BYTES] = {8, 8}, [PEER] = {20, 4}}};
        n->n_schemas = 1;
        range(&s, n, k ? "ncclSend" : "ncclRecv", 100, payload_of(9, 0, 4, 0));
        launch(&s, n, 110, 11);
        put_is(n, 11,
               k ? "\"nccl\":[\"send\",0,null,null,null,null,null,0],"
                 : "\"nccl\":[\"recv\",null,0,null,null,null,0,null],");
        arena_release(start, &s.perm);
        free(n);
    }
}

static void a_group_of_what_has_no_size_has_none(void **state)
{
    (void)state;
    struct range ranges[] = {
        {.thread = 1, .kind = GROUP_START},
        {.thread = 1, .kind = SEND, .fields = {[COMMUNICATOR] = 9, [BYTES] = 100}},
        {.thread = 1, .kind = SEND, .fields = {[COMMUNICATOR] = 9, [BYTES] = 50}},
        {.thread = 1, .kind = GROUP_END}};
    struct nsys_nccl *n = calloc(1, sizeof *n);
    struct message m;
    assert_non_null(n);
    n->ranges = ranges;
    n->n = 4;
    assert_true(message_of(n, 3, &m));
    ranges[1].fields[BYTES] = NO_ID;
    assert_false(message_of(n, 3, &m));
    ranges[1].fields[BYTES] = BYTES_MOST;
    assert_false(message_of(n, 3, &m));
    ranges[1].fields[BYTES] = BYTES_MOST - 1; /* and the sum is none */
    ranges[2].fields[COMMUNICATOR] = 8;
    assert_false(message_of(n, 3, &m));
    ranges[2].fields[COMMUNICATOR] = 9;
    ranges[2].kind = COLLECTIVE;
    assert_false(message_of(n, 3, &m));
    free(n);
}

static void what_a_kernel_says_is_read_back(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    struct collective c = no_collective;
    nsys_nccl_collective(
        &perm, json_value(&perm, S("{\"nccl\":[\"allgather\",100,400,-2,4,1,2,3]}")),
        &c);
    assert_int_equal(c.kind, COLLECTIVE_ALL_GATHER);
    assert_true(str_eq(c.name, S("allgather")));
    assert_true(str_eq(c.dtype, S("bytes")));
    assert_true(str_eq(c.group_name, S("0xfffffffffffffffe")));
    const int64_t numbers[] = {c.in_elements, c.out_elements, c.group_size,
                               c.root,        c.source,       c.target};
    static const int64_t want[] = {100, 400, 4, 1, 2, 3};
    for (int k = 0; k < 6; k++)
        assert_int_equal(numbers[k], want[k]);
    c = no_collective; /* no bytes, and the other side is not recorded */
    nsys_nccl_collective(&perm, json_value(&perm, S("{\"nccl\":[\"send\",0,null]}")),
                         &c);
    assert_true(str_eq(c.dtype, S("bytes")));
    assert_null(c.group_name.p);
    arena_release(start, &perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_is_of_the_innermost_range),
        cmocka_unit_test(widths_are_those_of_the_header),
        cmocka_unit_test(the_larger_side_is_that_of_all_ranks),
        cmocka_unit_test(a_group_moves_what_all_its_calls_do),
        cmocka_unit_test(a_group_of_what_has_no_size_has_none),
        cmocka_unit_test(a_kernel_has_what_its_call_says),
        cmocka_unit_test(calls_are_known_by_name),
        cmocka_unit_test(peers_are_of_one_side),
        cmocka_unit_test(what_a_kernel_says_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
