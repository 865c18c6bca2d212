#include "analysis/system/sys_multi_kernel_findings.c"

#include "analysis/model/system_results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct analysis an;
static struct op_tables tables;
static struct multi_kernel_result r;

static int begin(void **state)
{
    (void)state;
    an = (struct analysis){
        .total_ms = 1000, .computation_ms = 400, .exposed_comm_ms = 100};
    r = (struct multi_kernel_result){0};
    return 0;
}

static void saves(struct impact_range x, double low_ms, double high_ms)
{
    if (!(fabs(x.low_ms - low_ms) < 1e-9 && fabs(x.high_ms - high_ms) < 1e-9))
        fail_msg("%g to %g ms, not %g to %g", x.low_ms, x.high_ms, low_ms, high_ms);
    assert_true(fabs(x.high_pct - high_ms / 10) < 1e-9); /* of 1000 ms */
}

/* Copies of medium severity that take a thousandth of the time, or are many. */
static void copies_are_told_if_they_matter(void **state)
{
    struct copy_result c = {.severity = SEVERITY_MEDIUM, .count = 50, .total_us = 1000};
    (void)state;
    assert_true(copies_promoted(&an, &c));
    c.total_us = 999;
    assert_false(copies_promoted(&an, &c));
    c.count = 51;
    assert_true(copies_promoted(&an, &c));
    c.severity = SEVERITY_LOW;
    assert_false(copies_promoted(&an, &c));
}

/* Half of them wait, behind reads that idle time has a finding of. */
static void reads_are_told_as_idle_time(void **state)
{
    struct copy_result c = {.count = 10, .waited_count = 5};
    struct finding idle = {.category = WORK_CPU_IDLE};
    struct system_results system = {.idle.idle_after_sync_pct = 50};
    (void)state;
    assert_false(told_as_idle(&an, &c));
    an.system = &system;
    assert_false(told_as_idle(&an, &c)); /* there is no such finding */
    an.findings = &idle;
    an.n_findings = 1;
    assert_true(told_as_idle(&an, &c));
    c.waited_count = 4;
    assert_false(told_as_idle(&an, &c));
    c.waited_count = 5;
    system.idle.idle_after_sync_pct = 49;
    assert_false(told_as_idle(&an, &c));
    system.idle.expert_turns = 5; /* a size read in each turn of a loop over experts */
    assert_true(told_as_idle(&an, &c));
}

/* A pipeline's bubble shrinks with more micro-batches: 40 ms of waiting, and transfers
 * of 10 ms. */
static void a_bubble_does_not_vanish(void **state)
{
    const struct comm_kind k = {.exposed_us = 50000, .transfer_us = 10000};
    (void)state;
    saves(bubble_impact(&an, &k), 20, 30);
}

static void a_bubble_names_messages_and_ranks(void **state)
{
    (void)state;
    r.comm[COMM_SEND_RECV] = (struct comm_kind){
        .count = 26, .exposed_us = 50000, .transfer_us = 10000, .ranks = 4};
    r.step_count = 2;
    assert_text(
        bubble_clause(&a, &an, &r),
        "; 40.00 ms of that is messages (13 a step, in a group of 4 ranks) that "
        "wait for other stages");
    r.step_count = 0;
    r.comm[COMM_SEND_RECV].ranks = 2; /* each pair of stages has a group */
    r.comm[COMM_ALL_REDUCE].scalars_exposed_us = 6000;
    assert_text(
        bubble_clause(&a, &an, &r),
        "; 40.00 ms of that is messages that wait for other stages, and 6.00 ms "
        "is all-reduces of single values, which wait for the last of them");
}

static void small_copies_may_all_go(void **state)
{
    (void)state;
    saves(all_copies(&an, 50), 40, 50);
    saves(spared_impact(&an, 50000), 40, 50);
}

/* 40 ms of copies, half of them exposed, that pinned memory needs 10 to 20 ms for: of
 * what is saved and of what is left, half counts. */
static void pinning_saves_what_the_link_does_not_need(void **state)
{
    struct copy_time t = {
        .all = 40, .exposed = 20, .slow = 20, .fast = 10, .room = 400};
    struct machine_device device = {.memory_bytes = 199};
    struct machine machine = {.devices = &device, .n_devices = 1};
    (void)state;
    an.tables = &tables;
    tables.facts.machine = NULL; /* how much memory there is nobody knows */
    r.copies[COPY_H2D].bytes = 200;
    r.step_count = 2;
    saves(host_impact(&an, &t), 10, 15 + 5);
    saves(kept_impact(&an, &r, &t), 10, 20);
    tables.facts.machine = &machine;
    saves(kept_impact(&an, &r, &t), 10, 20);
    device.memory_bytes = 200; /* twice what a step copies: all of it may stay */
    saves(kept_impact(&an, &r, &t), 16, 20);
    r.copies[COPY_H2D].bytes = 0; /* no sizes are recorded */
    saves(kept_impact(&an, &r, &t), 10, 20);
    r.copies[COPY_H2D].bytes = 200;
    tables.facts.machine = NULL;
    t.room = 22; /* 20 of that hides copies already */
    saves(host_impact(&an, &t), 10, 15 + 2);
    saves(kept_impact(&an, &r, &t), 10,
          20); /* nothing is copied: all that is exposed */
    t.room = 10;
    saves(host_impact(&an, &t), 10, 15);
    t.room = 400;
    t.is_pinned = true; /* then it is only hidden */
    saves(host_impact(&an, &t), 16, 20);
    an.computation_ms = 25;
    saves(host_impact(&an, &t), 4, 5);
}

static void copies_of_a_finding_are_summed(void **state)
{
    struct copy_result c = {.count = 4,
                            .pinned_count = 4,
                            .bytes = 4 << 20,
                            .total_us = 4000,
                            .exposed_us = 3000,
                            .gaps_us = 2000,
                            .slow_us = 1000,
                            .fast_us = 500,
                            .room_us = 9000};
    struct copy_time t = {.is_pinned = true};
    (void)state;
    add_copies(&t, &c);
    c.pinned_count = 3;
    c.count = 5;
    add_copies(&t, &c);
    assert_true(t.all == 8 && t.exposed == 6 && t.gaps == 4 && t.slow == 2 &&
                t.fast == 1 && t.room == 18);
    assert_true(t.are_large && !t.is_pinned);
    t = (struct copy_time){.is_pinned = true};
    c.bytes = 5 * 1024; /* of 1 KiB each */
    add_copies(&t, &c);
    assert_false(t.are_large);
}

static void a_copy_says_what_runs_beside_it(void **state)
{
    struct finding f = {.count = 1, .time_ms = 20};
    struct copy_result copies[COPY_DIRECTIONS] = {
        [COPY_D2H] = {.count = 48}, [COPY_H2D] = {.count = 51}};
    (void)state;
    assert_text(copy_issue(&a, &f, copies, 20, 0),
                "1 memory copy takes 20.00 ms while nothing else runs.");
    f.count = 2;
    assert_text(copy_issue(&a, &f, copies, 5, 0.1),
                "2 memory copies take 20.00 ms; for 5.00 ms of it nothing else runs.");
    assert_text(copy_issue(&a, &f, copies, 5, 0.2),
                "2 memory copies take 20.00 ms; for 5.00 ms of it nothing else runs, "
                "and the GPU is then idle for 0.200 ms right after them.");
    f.copies = 1u << COPY_D2H | 1u << COPY_H2D;
    f.count = 99;
    assert_text(copy_issue(&a, &f, copies, 20, 0),
                "48 memory copies to the host and 51 to the GPU take 20.00 ms while "
                "nothing else runs.");
}

/* Calls of 30 us could take 8 to 15; calls of 10 us save at most a fifth. */
static void one_shot_kernels_have_a_latency(void **state)
{
    struct comm_kind k = {.exposed_us = 60000, .median_us = 30};
    (void)state;
    saves(latency_impact(&an, &k), 30, 44);
    k.median_us = 10;
    saves(latency_impact(&an, &k), 0, 12);
    k.median_us = 5;
    saves(latency_impact(&an, &k), 0, 0);
}

/* Large all-reduces, 80% of 50 ms, reach a tenth of the link; all of the 100 ms
 * that are exposed may reach 80% of it. 90% are of calls that take as
 * long as each other. */
static void a_link_could_carry_more(void **state)
{
    (void)state;
    struct comm_kind *k = &r.comm[COMM_ALL_REDUCE];
    *k = (struct comm_kind){.exposed_us = 50000,
                            .total_us = 100,
                            .large_us = 80,
                            .large_bytes = 40000,
                            .alike_us = 60,
                            .transfer_us = 60};
    saves(transport_impact(&an, &r, COMM_ALL_REDUCE, 10), 24, 87.5);
    k->alike_us = k->transfer_us = 90;
    saves(transport_impact(&an, &r, COMM_ALL_REDUCE, 10), 27, 87.5);
    k->transfer_us = 45; /* half of that they wait */
    saves(transport_impact(&an, &r, COMM_ALL_REDUCE, 10), 24, 87.5);
    assert_true(usual_link(&an, COMM_ALL_REDUCE, 50) == 50);
}

/* Half of what is no wait: of 100 us of two kinds, 50 are transfer. */
static void half_of_transfers_is_left(void **state)
{
    (void)state;
    assert_true(shortened_ms(&r, 8) == 8);
    r.comm[COMM_ALL_REDUCE] = (struct comm_kind){.transfer_us = 30, .total_us = 60};
    r.comm[COMM_ALL_GATHER] = (struct comm_kind){.transfer_us = 20, .total_us = 40};
    assert_true(shortened_ms(&r, 8) == 6);
    r.comm[COMM_ALL_GATHER].transfer_us = 900;
    assert_true(shortened_ms(&r, 8) == 4);
}

/* Five of ten reads are taken away by two findings about idle time. */
static void reads_may_go_with_idle_time(void **state)
{
    (void)state;
    struct idle_group g = {.gaps = 1};
    struct finding list[] = {
        {.idle = &g, .n_gpu = 3}, {.n_gpu = 90}, {.idle = &g, .n_gpu = 2}};
    struct copy_result c = {.count = 10};
    an.findings = list;
    an.n_findings = 3;
    assert_true(taken_by_idle(&an, &c));
    c.count = 11;
    assert_false(taken_by_idle(&an, &c));
}

/* 80 ms are exposed, of which 10 are transfer. */
static void waiting_ends_or_is_shared(void **state)
{
    struct comm_kind k = {.exposed_us = 80000, .transfer_us = 10000};
    (void)state;
    saves(waiting_impact(&an, &k), 35, 70);
    k.transfer_us = 90000;
    saves(waiting_impact(&an, &k), 0, 0);
}

static void half_the_bytes_take_half_as_long(void **state)
{
    struct comm_kind k = {.wide_us = 50000};
    (void)state;
    saves(narrow_impact(&an, &k), 20, 25);
    k.wide_us = 900000; /* no more than is exposed */
    saves(narrow_impact(&an, &k), 80, 100);
}

/* 100 ms are exposed: 80 can be hidden if there is as much computation. */
static void exposed_communication_may_be_hidden(void **state)
{
    (void)state;
    r.comm_merged_ms = 300; /* of 400 ms of computation, 200 run beside it */
    saves(comm_impact(&an, &r), 80, 100);
    an.computation_ms =
        250; /* 50 are left: the rest may be waiting, or half transfer */
    saves(comm_impact(&an, &r), 50, 50 + 50);
    r.comm[COMM_ALL_REDUCE].total_us = 100;
    r.comm[COMM_ALL_REDUCE].transfer_us = 50;
    saves(comm_impact(&an, &r), 50, 50 + 50 * 0.75);
    assert_true(shortened_ms(&r, 50) == 37.5);
    an.computation_ms = 249;
    assert_true(is_too_much(&an, &r));
    an.computation_ms = 250;
    assert_false(is_too_much(&an, &r)); /* half of what is exposed */
}

static void what_is_left_out_saves_its_own(void **state)
{
    struct pattern_hit hit = {.id = S("scalar_collectives")};
    (void)state;
    r.comm[COMM_ALL_REDUCE] =
        (struct comm_kind){.count = 1, .exposed_us = 9, .scalars_exposed_us = 3};
    assert_true(spared_exposed_us(&r, &hit, 1) == 3);
    assert_true(isnan(spared_exposed_us(&r, &hit, 0)));
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(copies_are_told_if_they_matter),
        CASE(reads_are_told_as_idle_time),
        CASE(a_bubble_does_not_vanish),
        CASE(a_bubble_names_messages_and_ranks),
        CASE(small_copies_may_all_go),
        CASE(pinning_saves_what_the_link_does_not_need),
        CASE(copies_of_a_finding_are_summed),
        CASE(a_copy_says_what_runs_beside_it),
        CASE(one_shot_kernels_have_a_latency),
        CASE(a_link_could_carry_more),
        CASE(half_of_transfers_is_left),
        CASE(reads_may_go_with_idle_time),
        CASE(waiting_ends_or_is_shared),
        CASE(half_the_bytes_take_half_as_long),
        CASE(exposed_communication_may_be_hidden),
        CASE(what_is_left_out_saves_its_own),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
