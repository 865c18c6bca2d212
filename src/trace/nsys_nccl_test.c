#include "nsys_nccl.c"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_is_of_the_innermost_range),
        cmocka_unit_test(the_larger_side_is_that_of_all_ranks),
        cmocka_unit_test(a_group_moves_what_all_its_calls_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
