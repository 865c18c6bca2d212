#include "analysis/system/system_advice.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* Of less than 64 KiB each, or more than fifty of less than 20 us. */
static void copies_may_be_small(void **state)
{
    struct copy_result c = {.count = 10, .bytes = 655359, .total_us = 1000};
    (void)state;
    assert_true(copies_are_small(&c));
    c.bytes = 655360;
    assert_false(copies_are_small(&c));
    c.bytes = -1; /* not recorded */
    assert_false(copies_are_small(&c));
    c.count = 51;
    c.total_us = 51 * 19.9;
    assert_true(copies_are_small(&c));
    c.total_us = 51 * 20;
    assert_false(copies_are_small(&c));
    c.count = 50;
    c.total_us = 1;
    assert_false(copies_are_small(&c));
    c.count = 0;
    assert_false(copies_are_small(&c));
}

/* Of 100 us, of which pinned memory needs 30, half are exposed. */
static void pinning_has_its_share(void **state)
{
    struct copy_result c = {
        .total_us = 100, .slow_us = 30, .exposed_us = 50, .pageable_count = 1};
    (void)state;
    assert_true(pin_saves_pct(&c) == 70);
    assert_true(fabs(pinned_ms(&c) - 0.015) < 1e-12);
    c.pageable_count = 0;
    assert_true(pinned_ms(&c) == 0);
    c.slow_us = 0;
    assert_true(pin_saves_pct(&c) == 0);
}

/* As many copies of as many bytes, within a tenth, come back. */
static void what_autograd_saves_comes_back(void **state)
{
    struct op_share hook = {.caller = S("torch/autograd/graph.py(30): pack_to_cpu")};
    struct copy_result copies[COPY_DIRECTIONS] = {0};
    (void)state;
    copies[COPY_D2H] =
        (struct copy_result){.count = 10, .bytes = 1000, .ops = {hook}, .n_ops = 1};
    copies[COPY_H2D] = (struct copy_result){.count = 11, .bytes = 1100};
    assert_true(moves_saved(COPY_D2H, copies));
    assert_true(moves_saved(COPY_H2D, copies));
    copies[COPY_H2D].bytes = 1101;
    assert_false(moves_saved(COPY_H2D, copies));
    copies[COPY_H2D].bytes = 900;
    assert_true(moves_saved(COPY_H2D, copies));
    copies[COPY_H2D].count = 12;
    assert_false(moves_saved(COPY_H2D, copies));
    copies[COPY_D2H].n_ops = 0;
    assert_false(moves_saved(COPY_D2H, copies));
}

static void copies_have_their_makers(void **state)
{
    struct copy_result c = {.n_ops = 3};
    (void)state;
    c.ops[0] = (struct op_share){.name = S("mylib::gather"), .count = 1, .total_us = 5};
    c.ops[1] =
        (struct op_share){.name = S("ddp.reducer::copy"), .count = 2, .total_us = 7};
    c.ops[2] = (struct op_share){
        .caller = S("x.py(3): broadcast_coalesced"), .count = 4, .total_us = 9};
    assert_true(copies_are_of_library(&c));
    assert_int_equal(copies_of_wrapper(&c, true).count, 2);
    assert_true(copies_of_wrapper(&c, true).total_us == 7);
    assert_int_equal(copies_of_wrapper(&c, false).count, 4);
    assert_true(copies_of_wrapper(&c, false).total_us == 9);
    c.ops[0].name = S("aten::copy_");
    assert_false(copies_are_of_library(&c) || is_of_optimizer(&c));
    c.ops[0].user = S("deepspeed/runtime/zero/stage3.py(9): step");
    assert_true(is_of_optimizer(&c));
    assert_text(started_by(&a, &(struct copy_result){0}), "by the runtime");
    c.ops[0].user = S("");
    assert_text(started_by(&a, &c), "by `aten::copy_`");
}

/* What computation is left to hide communication: of gradients, that of the backward.
 */
static void room_is_what_computes_alone(void **state)
{
    struct analysis an = {.computation_ms = 300, .exposed_comm_ms = 40};
    struct multi_kernel_result r = {.comm_merged_ms = 140, .backward_us = 180000};
    (void)state;
    assert_true(comm_room_ms(&an, &r) == 200); /* 100 ms run beside it */
    r.comm[COMM_ALL_REDUCE] = (struct comm_kind){
        .count = 1, .exposed_us = 40000, .backward_exposed_us = 20001};
    assert_true(comm_room_ms(&an, &r) == 80);
    r.comm[COMM_ALL_REDUCE].backward_exposed_us = 20000; /* not most of it */
    assert_true(comm_room_ms(&an, &r) == 200);
    an.computation_ms = 90;
    assert_true(comm_room_ms(&an, &r) == 0);
}

/* Of calls of one size, with four fifths of the time: what the fastest does not need.
 */
static void waiting_shows_in_calls_that_are_alike(void **state)
{
    struct comm_kind k = {.total_us = 100, .alike_us = 80, .transfer_us = 20};
    (void)state;
    assert_true(collective_waits_pct(&k) == 75);
    k.alike_us = 79;
    assert_true(collective_waits_pct(&k) == 0);
    k.alike_us = 80;
    k.transfer_us = 90;
    assert_true(collective_waits_pct(&k) == 0);
    assert_true(calls_in_a_row(&(struct comm_kind){.rows = 4, .in_rows = 10}) == 2.5);
    assert_true(calls_in_a_row(&(struct comm_kind){0}) == 0);
}

static void hits_are_joined(void **state)
{
    const struct pattern_hit hits[] = {
        {.id = S("a"), .path_a = S("Pin."), .path_b = S("")},
        {.id = S("b"),
         .title = S("Pin it"),
         .path_a = S("Or not."),
         .path_b = S("Tune.")}};
    (void)state;
    assert_text(hits_text(&a, hits, 2, false), "Pin. Or not.");
    assert_text(hits_text(&a, hits, 2, true), "Tune.");
    assert_text(hits_title(hits, 2), "Pin it");
    assert_text(hits_title(hits, 1), "");
    assert_true(hits_have(hits, 2, S("b")) && !hits_have(hits, 1, S("b")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_may_be_small),
        cmocka_unit_test(pinning_has_its_share),
        cmocka_unit_test(what_autograd_saves_comes_back),
        cmocka_unit_test(copies_have_their_makers),
        cmocka_unit_test(room_is_what_computes_alone),
        cmocka_unit_test(waiting_shows_in_calls_that_are_alike),
        cmocka_unit_test(hits_are_joined),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
