#include "finding_savings.c"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A slow product of 1089 us, then a kernel of 5 us: launched at once, or only after the
 * host did something else for 1500 us. */
static void slow_product_and_more(struct trace_case *c, double at_us)
{
    case_begin(c);
    if (at_us > 1109)
        case_frame(c, "src/plan.py(7): plan", 1110, at_us - 1111);
    op(c, "aten::mm", "[256,131072],[131072,512]", 0, "Cijk_a", 20, 1089, 1);
    op(c, "mylib::thing", "[64,64],[]", at_us, "thing_kernel",
       at_us > 1109 ? at_us + 9 : 1109, 5, 2);
}

/* The device waits for the host behind the product: a faster product saves
 * nothing before the host keeps up. Then it saves what it does in a run without the
 * wait. */
static void kernels_behind_the_host_wait_for_it(void **state)
{
    (void)state;
    struct trace_case c;
    slow_product_and_more(&c, 10);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = compute_finding(&a, "aten::mm");
    assert_true(f == &a.findings[0]);
    assert_int_equal(f->until, -1);
    assert_int_equal(f->priority, PRIORITY_CRITICAL);
    double low_ms = f->impact.low_ms, high_ms = f->impact.high_ms;
    assert_near(low_ms, f->part_low * 1.089, 1e-5);
    assert_near(high_ms, f->part_high * 1.089, 1e-5);
    assert_true(low_ms > 0.5 && high_ms < 1.089 - 0.048);
    case_close(&c);

    slow_product_and_more(&c, 2609);
    a = analyse_with(&c, library);
    f = compute_finding(&a, "aten::mm");
    assert_int_equal(a.findings[0].tier, TIER_SYSTEM);
    assert_int_equal(a.findings[0].tier_number, 1);
    assert_near(f->impact.high_ms, 0, 0);
    assert_int_equal(f->until, 0);
    assert_near(f->impact_then.low_ms, low_ms, 0.01);
    assert_near(f->impact_then.high_ms, high_ms, 0.01);
    assert_true(str_starts(f->impact.basis, S("once the host keeps up ")));
    assert_true(f->impact_then.basis.n &&
                str_ends(f->impact.basis, f->impact_then.basis));
    case_close(&c);
}

/* Kernels wait for the host whatever it does; who records that saves nothing yet. */
static void kernels_wait_for_a_host_that_is_not_recorded(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[256,131072],[131072,512]", 0, "Cijk_a", 20, 1089, 1);
    op(&c, "mylib::thing", "[64,64],[]", 2609, "thing_kernel", 2618, 5, 2);
    struct analysis a = analyse_with(&c, library);
    assert_true(a.findings[0].recording);
    assert_near(a.findings[0].impact.high_ms, 0, 0);
    const struct finding *f = compute_finding(&a, "aten::mm");
    assert_int_equal(f->until, 0);
    assert_true(f->impact_then.high_ms > 0.9);
    case_close(&c);
}

/* Both at once save at least what the first does, at most the sum. */
static void the_first_findings_together(void **state)
{
    (void)state;
    struct trace_case c;
    slow_product_and_more(&c, 2609);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = compute_finding(&a, "aten::mm");
    assert_int_equal(a.n_together, 2);
    assert_true(a.together.high_ms >= a.findings[0].impact.high_ms);
    assert_true(a.together.low_ms >= a.findings[0].impact.low_ms);
    assert_true(a.together.high_ms <=
                a.findings[0].impact.high_ms + f->impact_then.high_ms);
    case_close(&c);
}

/* Four waits, each for another function: each set saves what its findings do. */
static void sets_save_what_is_in_them(void **state)
{
    static const char *const frames[] = {"a.py(7): plan", "b.py(7): sample",
                                         "c.py(7): tokenize", "d.py(7): log_all"};
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "mylib::thing", "[64,64],[]", 0, "thing_kernel", 9, 5, 1);
    for (int k = 0, at_us = 20; k < 4; at_us += 1040 + 200 * k++) {
        case_frame(&c, frames[k], at_us, 1000 + 200 * k);
        op(&c, "mylib::thing", "[64,64],[]", at_us + 1010 + 200 * k, "thing_kernel",
           at_us + 1020 + 200 * k, 5, k + 2);
    }
    struct analysis a = analyse_with(&c, library);
    assert_int_equal(a.n_sets, 16);
    for (unsigned of = 0; of < 16; of++) {
        double low_ms = 0, high_ms = 0;
        for (int k = 0; k < 4; k++)
            if (of >> k & 1) {
                low_ms += a.findings[k].impact.low_ms;
                high_ms += a.findings[k].impact.high_ms;
            }
        assert_near(a.sets[of].low_ms, low_ms, 1e-9);
        assert_near(a.sets[of].high_ms, high_ms, 1e-9);
    }
    case_close(&c);
}

/* The host takes 100 us for each kernel of 90 us. Shorter kernels save nothing by
 * themselves; with cheap launches they save as much as if there were no host, on top of
 * the gaps. */
static void kernels_count_together_with_cheap_launches(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "train.py(9): step", 0, 6100);
    for (int k = 0; k < 60; k++)
        op(&c, "aten::mm", "[256,4096],[4096,512]", 100 * k, "Cijk_a", 100 * k + 4, 90,
           k + 1);
    struct analysis a = analyse_with(&c, library);
    const struct finding *host = of_pattern(&a, "host_bound"),
                         *f = compute_finding(&a, "aten::mm");
    assert_true(host && host->impact.high_ms > 0.4);
    assert_near(f->impact.high_ms, 0, 0.1);
    assert_ptr_equal(&a.findings[f->until], host);
    assert_true(f->impact_then.high_ms > 2);
    assert_int_equal(a.n_together, 2);
    assert_near(a.together.high_ms, host->impact.high_ms + f->impact_then.high_ms, 0.1);
    assert_true(a.together.low_ms > host->impact.low_ms + 0.5 * f->impact_then.low_ms);
    assert_int_equal(a.n_sets, 4); /* none, each alone, both */
    assert_near(a.sets[0].high_ms, 0, 0);
    for (int k = 0; k < 2; k++)
        assert_near(a.sets[1 << k].high_ms,
                    a.findings[a.stages[k].finding].impact.high_ms, 0);
    assert_near(a.sets[3].high_ms, a.together.high_ms, 0);
    case_close(&c);
}

/* What saves less than a tenth of a per cent, today and behind the host, is no bar, nor
 * is what the lists of first findings leave out. */
static void only_what_is_seen_is_replayed_together(void **state)
{
    (void)state;
    struct analysis a = {.total_ms = 100};
    struct finding f = {.until = -1, .impact.high_ms = 0.1, .priority = PRIORITY_LOW};
    assert_false(is_seen(&a, &f));
    f.priority = PRIORITY_MEDIUM;
    assert_true(is_seen(&a, &f));
    f.impact.high_ms = 0.09;
    f.impact_then.high_ms = 5; /* of no finding that it waits for */
    assert_false(is_seen(&a, &f));
    f.until = 0;
    assert_true(is_seen(&a, &f));
    f.title = S("Profile the host"); /* no fix */
    assert_false(is_seen(&a, &f));
}

/* A third of device time has no launch: the replay says little, so the saving stays a
 * share of time. */
static void without_launches_savings_are_shares(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[256,131072],[131072,512]", 0, "Cijk_a", 20, 1089, 1);
    case_kernel(&c, "unlinked", 7, 5000, 500, 77);
    struct analysis a = analyse(&c);
    const struct finding *f = compute_finding(&a, "aten::mm");
    assert_false(a.replay.usable);
    assert_true(a.replay.exact);
    assert_true(f->impact.high_ms > 0.9);
    assert_true(
        str_ends(f->impact.basis, S("a share of time, for lack of launch calls")));
    assert_int_equal(a.n_together, 0);
    case_close(&c);
}

/* On request no saving is claimed for the system; its findings keep their place. */
static void savings_of_the_system_are_left_out(void **state)
{
    (void)state;
    struct trace_case c;
    slow_product_and_more(&c, 2609);
    case_open(&c, &device);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct analysis a =
        analysis_run(&c.perm, c.tmp, &c.tables, &t, library,
                     (struct analysis_options){.idle_threshold_pct = IDLE_THRESHOLD_PCT,
                                               .no_system_impact = true});
    assert_int_equal(a.findings[0].tier, TIER_SYSTEM);
    assert_true(isnan(a.findings[0].impact.high_ms));
    assert_true(isnan(a.findings[0].impact.low_pct));
    assert_near(compute_finding(&a, "aten::mm")->impact.high_ms, 0, 0);
    case_close(&c);
}

/* 40 collectives of 30 us in the backward pass, for each of which the host works 100 us
 * and the device waits. */
static struct impact_range launched_one_by_one(const char *op_name, const char *kernel)
{
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "work", 1, 10, 100, 900);
    case_op(&c, "autograd::engine::evaluate_function: AccumulateGrad", 100, 4100);
    for (int k = 0; k < 40; k++) {
        case_op(&c, op_name, 105 + 100.0 * k, 98);
        case_call(&c, "cudaLaunchKernel", 190 + 100.0 * k, 5, k + 1);
        case_kernel(&c, kernel, 22, 200 + 100.0 * k, 30, k + 1);
    }
    case_launch(&c, "work", 4210, 4220, 1000, 901);
    struct analysis a = analyse_with(&c, library);
    struct impact_range x = {0};
    for (int k = 0; k < a.n_findings; k++)
        if (a.findings[k].category == WORK_MULTI_KERNEL)
            x = a.findings[k].impact;
    case_close(&c);
    return x;
}

/* One bucket leaves one call of 40: 39 times 98 us of the host go with the kernels.
 * Nothing merges an all-to-all, and while the host is behind, shorter ones save
 * nothing. */
static void merging_collectives_saves_their_calls(void **state)
{
    (void)state;
    struct impact_range x =
        launched_one_by_one("c10d::allreduce_", "ncclDevKernel_AllReduce_Sum_f32");
    assert_true(x.high_ms > 3.5 && x.high_ms < 4.1);
    assert_true(x.low_ms > 0.75 * x.high_ms);
    x = launched_one_by_one("c10d::alltoall_base_", "ncclKernel_SendRecv");
    assert_true(x.high_ms < 1.2);
}

/* item() after a kernel of 5 ms, then `n` times after a kernel of 2 us each. */
static double saved_without_items(int n)
{
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[256,131072],[131072,512]", 0, "Cijk_a", 20, 5000, 1);
    for (int k = 0; k <= n; k++) {
        double at = k ? 5000 + 100 * k : 100, until = k ? at + 14 : 5030;
        if (k)
            op(&c, "mylib::score", "[64],[64]", at - 40, "score_kernel", at - 34, 2,
               100 + k);
        case_op(&c, "aten::item", at, until - at + 12);
        case_call(&c, "cudaMemcpyAsync", at + 1, until - at, 200 + k);
        case_copy(&c, "Memcpy DtoH (Device -> Pageable)", until - 4, 1, 200 + k, 4);
        case_call(&c, "cudaStreamSynchronize", until + 2, 4, 300 + k);
    }
    op(&c, "mylib::score", "[64],[64]", 5060 + 100 * n, "score_kernel", 5070 + 100 * n,
       2, 2);
    struct analysis a = analyse_with(&c, library);
    double ms = -1;
    for (int i = 0; i < a.n_findings; i++)
        if (a.findings[i].idle && a.findings[i].idle->class == IDLE_SYNC)
            ms = a.findings[i].impact.high_ms;
    case_close(&c);
    return ms;
}

/* A finding about 10 ms saves no more, unless it takes calls of the host away too. */
static void no_more_is_saved_than_the_time_it_is_about(void **state)
{
    (void)state;
    struct finding f = {.time_ms = 10};
    struct impact_range x = {0, 0, 12, 15, S("")};
    bound_by_time(&f, &x, 10);
    assert_near(x.high_ms, 10.1, 1e-12);
    assert_near(x.low_ms, 10.1, 1e-12);
    f.copies = 1;
    x.high_ms = 15;
    bound_by_time(&f, &x, 12); /* with the gaps behind them */
    assert_near(x.high_ms, 12.12, 1e-12);
    f.impact.high_ms = x.high_ms = 19;
    bound_by_time(&f, &x, 12); /* which says what else goes */
    assert_near(x.high_ms, 19, 1e-12);
    f.copies = 0;
    f.merged_part = 0.5;
    bound_by_time(&f, &x, 10);
    assert_near(x.high_ms, 19, 1e-12);
    f.about = ABOUT_OPTIMIZER; /* whose time has its kernels and gaps */
    bound_by_time(&f, &x, 10);
    assert_near(x.high_ms, 10.1, 1e-12);
}

/* Where what goes is known, all of it at best, and at least 90% up to its end:
 * the host of `plan`, 1498 us, for which the device waits. */
static void what_goes_is_cut_up_to_its_end(void **state)
{
    (void)state;
    struct trace_case c;
    slow_product_and_more(&c, 2609);
    case_open(&c, &device);
    struct schedule o = schedule_build(&c.perm, c.tmp, &c.view);
    event_id plan = case_find(&c, "src/plan.py(7): plan", 0);
    struct host_span gone = {c.store.lane[plan], c.store.start_ns[plan],
                             store_end_ns(&c.store, plan)};
    struct finding f = {.gone = &gone, .n_gone = 1, .until = -1};
    struct analysis an = {.findings = &f, .n_findings = 1};
    struct device_events none = {0};
    struct replays r = {.a = &an, .events = &none, .w = what_if_open(&c.perm, &o)};
    struct impact_range x = {0};
    ask_range(&r, 0, (struct part){0.5, 0.5}, &x);
    run(&r);
    assert_near(x.high_ms, 1.498, 1e-6);
    assert_near(x.low_ms, 0.9 * 1.498, 1e-6);
    gone.end_ns = gone.start_ns + 98000; /* the rest of it stays */
    ask_range(&r, 0, (struct part){0.5, 0.5}, &x);
    run(&r);
    assert_near(x.high_ms, 0.098, 1e-6);
    case_close(&c);
}

/* Where queued work stands still: 80 % to all of what is long; between streams, gaps of
 * more than 20 us each; nothing of what the host does. */
static void stalls_of_queued_work_are_claimed(void **state)
{
    (void)state;
    struct analysis an = {.total_ms = 200};
    struct idle_group g = {
        .class = IDLE_QUEUED, .stalled_us = 500, .gaps = 3, .total_ns = 900000};
    struct finding f = {.idle = &g};
    claim_stalls(&an, &f);
    assert_near(f.impact.low_ms, 0.4, 1e-12);
    assert_near(f.impact.high_ms, 0.5, 1e-12);
    assert_near(f.impact_kernel.high_pct, 0.25, 1e-12);
    assert_true(same_ends(&f.impact, &f.impact_kernel));
    f.impact.low_ms = 0.3;
    assert_false(same_ends(&f.impact, &f.impact_kernel));
    f.impact = f.impact_kernel;
    f.impact.high_ms = 0.6;
    assert_false(same_ends(&f.impact, &f.impact_kernel));
    g.stalled_us = 0;
    g.crosses = true;
    claim_stalls(&an, &f);
    assert_near(f.impact.low_ms, 0, 0);
    assert_near(f.impact.high_ms, 0.9, 1e-12);
    g.total_ns = 60000;
    claim_stalls(&an, &f);
    assert_near(f.impact.high_ms, 0, 0);
    assert_true(str_starts(f.impact.basis, S("none: ")));
    g.stalled_us = 500;
    g.class = IDLE_PYTHON;
    claim_stalls(&an, &f);
    assert_near(f.impact.high_ms, 0, 0);
}

/* A finding as it is after its replay saved 6 to 9 of 10 ms. */
static struct finding settled(struct finding f, double taken_ms)
{
    static char room[1 << 12];
    struct arena perm = {.at = room, .end = room + sizeof room};
    const struct analysis an = {.total_ms = 10};
    f.impact = f.impact_kernel = (struct impact_range){60, 90, 6, 9, S_INIT("b")};
    f.issue = S("Slow.");
    settle_finding(&perm, &an, &f, taken_ms, true);
    return f;
}

static void a_replay_is_bounded_by_what_it_is_about(void **state)
{
    (void)state;
    struct finding f = settled((struct finding){.time_ms = 20}, 9.9);
    assert_near(f.impact.low_ms, 6, 0);
    assert_near(f.impact_kernel.high_ms, 9, 0);
    assert_true(str_eq(f.impact.basis, S("b, replayed")));
    f = settled((struct finding){.time_ms = 20}, 10.1);
    assert_true(
        str_eq(f.impact.basis, S("b, replayed: other waits take over the rest")));
    f = settled((struct finding){.time_ms = 20, .recording = true}, 10.1);
    assert_true(str_eq(f.impact.basis, S("b")));
    f = settled((struct finding){.time_ms = 5}, 7); /* 1 % more than it takes away */
    assert_near(f.impact.low_ms, 6, 0);
    assert_near(f.impact.high_ms, 7.07, 1e-12);
    assert_near(f.over.low_ms, 0, 0);
    assert_near(f.over.high_ms, 1.93, 1e-12);
    f = settled((struct finding){.about = ABOUT_PACE, .part_high = 0.7, .whole_ms = 8},
                9);
    assert_near(f.impact.low_ms, 5.6, 1e-12);
    assert_near(f.impact.high_ms, 5.6, 1e-12);
    f = settled((struct finding){.category = WORK_MULTI_KERNEL,
                                 .part_low = 0.25,
                                 .part_high = 0.75,
                                 .whole_ms = 8},
                9);
    assert_near(f.impact.low_ms, 2, 1e-12);
    assert_near(f.impact.high_ms, 6, 1e-12);
    f = settled((struct finding){.category = WORK_MULTI_KERNEL,
                                 .part_low = 0.25,
                                 .part_high = 0.75,
                                 .whole_ms = 20,
                                 .reorders = true},
                9); /* from what the replay saves on */
    assert_near(f.impact.low_ms, 9, 1e-12);
    assert_near(f.impact.high_ms, 15, 1e-12);
    assert_true(str_eq(f.impact.basis, S("b")));
    const struct idle_group between = {.total_ns = 3000000};
    f = settled(
        (struct finding){.tier = TIER_FUSION, .time_ms = 4, .between = &between}, 9);
    assert_near(f.impact.high_ms, 7, 1e-12);
}

/* Copies spare calls of the host where they save more than half above what they take;
 * where the host reads a few long ones, no more than they take. */
static void copies_spare_calls(void **state)
{
    (void)state;
    struct finding f = {.time_ms = 3, .copies = 1u << COPY_D2H, .count = 30};
    struct finding few = f;
    few.count = 29;
    assert_near(settled(f, 5.9).impact.high_ms, 9, 0);
    assert_near(settled(f, 6).impact.high_ms, 6.06, 1e-12);
    assert_near(settled(few, 5.9).impact.high_ms, 3, 0);
    few.copies = 1u << COPY_H2D;
    assert_near(settled(few, 5.9).impact.high_ms, 9, 0);
    assert_true(
        str_ends(settled(f, 5).issue, S("calls for them delay what follows by more.")));
    f.count = 1;
    f.copies = 1u << COPY_H2D;
    assert_true(str_has(settled(f, 5).issue, S("calls for it delay")));
    assert_true(str_eq(settled(f, 6).issue, S("Slow.")));
    f = (struct finding){.time_ms = 3, .merged_part = 0.5, .count = 30};
    assert_true(str_has(settled(f, 5).issue, S("calls for them delay")));
    f.time_ms = 20; /* less than the calls take themselves */
    assert_true(str_eq(settled(f, 5).issue, S("Slow.")));
}

/* Without launch calls: three devices that work 8 ms, 6 of them the wall time, save a
 * share of that; idle time is of all of them. */
static void shares_are_of_wall_time(void **state)
{
    (void)state;
    static char room[1 << 12];
    struct arena perm = {.at = room, .end = room + sizeof room};
    struct device_uses uses = {
        .n = 3,
        .busy_ns = 6000000,
        .of = {{.busy_ns = 1000000}, {.busy_ns = 5000000}, {.busy_ns = 2000000}}};
    struct trace_view view = {.devices = &uses};
    struct op_tables tables = {.view = &view};
    struct finding f[3] = {{.tier = TIER_COMPUTE}, {.tier = TIER_SYSTEM}, {.count = 0}};
    struct projection_row row = {.e2e_pct = 40};
    struct analysis an = {
        .findings = f, .n_findings = 3, .total_ms = 10, .tables = &tables};
    for (int k = 0; k < 3; k++)
        f[k].impact = f[k].impact_kernel =
            (struct impact_range){20, 40, 2, 4, S_INIT("b")};
    f[0].projection = &row;
    f[0].n_projection = 1;
    f[2].informational = true;
    say_shares(&perm, &an);
    assert_near(f[0].impact.low_ms, 1.5, 1e-12);
    assert_near(f[0].impact.high_ms, 3, 1e-12);
    assert_near(f[0].impact_kernel.high_pct, 30, 1e-9);
    assert_near(row.e2e_pct, 30, 1e-9);
    assert_near(f[1].impact.high_ms, 4, 0);
    assert_true(str_ends(f[1].impact.basis, S("for lack of launch calls")));
    assert_true(str_eq(f[2].impact.basis, S("b")));
    uses.n = 0;
    assert_near(wall_part(&an), 1, 0);
}

/* What one finding cannot save, though its replay does, no set of it saves either; but
 * no set saves less than one of it alone. */
static void a_set_is_bounded_as_its_findings_are(void **state)
{
    (void)state;
    struct finding f[] = {{.impact = {0, 0, 490, 620, S_INIT("")}, .over = {140, 16}},
                          {.impact = {0, 0, 15, 15, S_INIT("")}}};
    struct analysis an = {.findings = f, .n_together = 2, .total_ms = 1000};
    an.stages[0].finding = 0;
    an.stages[1].finding = 1;
    struct impact_range x = {0, 0, 645, 651, S("")};
    bound_set(&an, 3, &x);
    assert_near(x.low_ms, 505, 1e-9);
    assert_near(x.high_ms, 635, 1e-9);
    assert_near(x.high_pct, 63.5, 1e-9);
    x = (struct impact_range){0, 0, 600, 610, S("")};
    bound_set(&an, 3, &x);
    assert_near(x.low_ms, 490, 1e-9);
    assert_near(x.high_ms, 620, 1e-9);
    x = (struct impact_range){0, 0, 20, 20, S("")};
    bound_set(&an, 2, &x); /* of which the first is not */
    assert_near(x.low_ms, 20, 1e-9);
}

/* 170 ms of one, 174 with the second: the third's own bound takes 4 of them away. */
static void one_more_fix_saves_no_less(void **state)
{
    (void)state;
    struct finding f[3] = {{.time_ms = 0}};
    struct analysis an = {.findings = f, .n_together = 3, .total_ms = 1000};
    struct impact_range *sets = an.sets;
    for (int k = 0; k < 3; k++)
        an.stages[k].finding = k;
    static const double ms[] = {0, 170, 20, 174, 10, 171, 30, 170};
    for (int of = 0; of < 8; of++)
        sets[of] = (struct impact_range){0, 0, ms[of] - 10, ms[of], S("")};
    bound_steps(&an, true);
    assert_near(sets[3].high_ms, 174, 1e-12);
    assert_near(sets[5].high_ms, 171, 1e-12);
    assert_near(sets[7].high_ms, 174, 1e-12);
    assert_near(sets[7].low_ms, 164, 1e-12);
    assert_near(sets[7].high_pct, 17.4, 1e-9);
    sets[7].high_ms = 170;
    sets[5].high_ms = 0; /* not asked for: stages alone are */
    bound_steps(&an, false);
    assert_near(sets[7].high_ms, 174, 1e-12);
}

/* 50 ms of waits give no more than that on top of the rest, though together they would
 * save 200. */
static void one_more_fix_saves_no_more_than_its_time(void **state)
{
    (void)state;
    const struct idle_group waits = {.class = IDLE_SYNC};
    struct finding f[] = {{.time_ms = 110}, {.time_ms = 50, .idle = &waits}};
    struct analysis an = {.findings = f, .n_together = 2, .total_ms = 1000};
    static const double ms[] = {0, 100, 40, 200};
    an.stages[0].finding = 0;
    an.stages[1].finding = 1;
    for (int of = 0; of < 4; of++)
        an.sets[of] = (struct impact_range){0, 0, ms[of], ms[of], S("")};
    bound_steps(&an, true);
    assert_near(an.sets[3].high_ms, 150.5, 1e-9);
    assert_near(an.sets[3].low_ms, 150.5, 1e-9);
    f[1].n_gone = 1; /* and what the host does */
    an.sets[3].high_ms = an.sets[3].low_ms = 200;
    f[0].n_gone = 1;
    bound_steps(&an, true);
    assert_near(an.sets[3].high_ms, 200, 1e-9);
}

/* Each wait but the first is short, as the device has caught up; without the first
 * alone the second would wait as long. Without all, the host runs ahead of the long
 * kernel: what it does between them, 90 us each, is hidden. */
static void without_an_operator_none_of_its_waits_is_left(void **state)
{
    (void)state;
    assert_near(saved_without_items(10), 1.0, 0.1);
    assert_near(saved_without_items(14), 1.4, 0.15); /* of more, a loop is found */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_behind_the_host_wait_for_it),
        cmocka_unit_test(kernels_wait_for_a_host_that_is_not_recorded),
        cmocka_unit_test(the_first_findings_together),
        cmocka_unit_test(sets_save_what_is_in_them),
        cmocka_unit_test(kernels_count_together_with_cheap_launches),
        cmocka_unit_test(only_what_is_seen_is_replayed_together),
        cmocka_unit_test(without_launches_savings_are_shares),
        cmocka_unit_test(savings_of_the_system_are_left_out),
        cmocka_unit_test(merging_collectives_saves_their_calls),
        cmocka_unit_test(without_an_operator_none_of_its_waits_is_left),
        cmocka_unit_test(no_more_is_saved_than_the_time_it_is_about),
        cmocka_unit_test(what_goes_is_cut_up_to_its_end),
        cmocka_unit_test(stalls_of_queued_work_are_claimed),
        cmocka_unit_test(a_replay_is_bounded_by_what_it_is_about),
        cmocka_unit_test(copies_spare_calls),
        cmocka_unit_test(shares_are_of_wall_time),
        cmocka_unit_test(a_set_is_bounded_as_its_findings_are),
        cmocka_unit_test(one_more_fix_saves_no_less),
        cmocka_unit_test(one_more_fix_saves_no_more_than_its_time),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
