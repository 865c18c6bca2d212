#include "idle_parts.c"

#include "analysis/system/follow_case.h"

/* 12 launches of kernels of 10 us, with 150 us of Python before each: a log that is
 * written is work of its own; what calls an operator, takes 80 us, or writes nothing,
 * belongs to the launches. */
static void a_log_is_no_cost_of_launching(void **state)
{
    (void)state;
    for (int like = 0; like < 4; like++) {
        struct follow_case x;
        case_begin(&x.c);
        case_frame(&x.c, "train.py(1): step", 0, 9000);
        for (int k = 0; k < 12; k++) {
            double at = 200.0 * k + 10;
            case_launch(&x.c, "k", at, at + 5, 10, 1 + k);
            case_frame(&x.c, "monitor.py(31): write_scalar", at + 20,
                       like == 2 ? 80 : 150);
            case_frame(&x.c,
                       like == 3 ? "pytorch_utils.py(186): chunk"
                                 : "event_file_writer.py(7): add_event",
                       at + 22, 70);
            if (like == 1)
                case_op(&x.c, "aten::view", at + 30, 5);
        }
        open_follow(&x);
        const struct idle_group *own = NULL, *launches = NULL;
        for (int32_t k = 0; k < x.r.n_groups; k++) {
            const struct idle_group *g = &x.r.groups[k];
            own = g->class == IDLE_PYTHON ? g : own;
            launches = g->class == IDLE_HOST_BOUND ? g : launches;
        }
        assert_non_null(launches);
        assert_int_equal(own != NULL, like == 0);
        if (own) {
            assert_text(own->blame, "write_scalar");
            assert_int_equal(own->total_ns, 11 * 150000);
        }
        case_close(&x.c);
    }
}

/* Ten times the host waits for a kernel in nonzero and, right behind it, for another in
 * item, which leaves less idle time. In one function both go with its code; in two,
 * each has its own. */
static void waits_of_one_code_go_together(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        struct follow_case x;
        case_begin(&x.c);
        for (int k = 0; k < 10; k++) {
            double at = 1000.0 * k;
            case_frame(&x.c, "model.py(7): unpad", at + 5, apart ? 285 : 500);
            if (apart)
                case_frame(&x.c, "model.py(9): count", at + 295, 210);
            case_op(&x.c, "aten::nonzero", at + 10, 270);
            case_launch(&x.c, "k", at + 12, at + 15, 100, 2 * k + 1);
            case_call(&x.c, "cudaStreamSynchronize", at + 20, 100, 0);
            case_op(&x.c, "aten::item", at + 300, 200);
            case_launch(&x.c, "k", at + 302, at + 310, 50, 2 * k + 2);
            case_call(&x.c, "cudaStreamSynchronize", at + 310, 60, 0);
        }
        open_follow(&x);
        int found = 0;
        for (int32_t k = 0; k < x.r.n_groups; k++) {
            const struct idle_group *g = &x.r.groups[k];
            if (g->class != IDLE_SYNC)
                continue;
            found++;
            assert_true(g->n_waits == 10 || (!apart && g->n_waits == 20));
        }
        assert_int_equal(found, 2);
        int32_t all = 0;
        for (int32_t k = 0; k < x.r.n_groups; k++)
            all += x.r.groups[k].n_waits;
        assert_int_equal(all, apart ? 20 : 30);
        case_close(&x.c);
    }
}

/* Two gaps of Python around a step's border: the calls that begin and end in them are
 * named, not the loop around all, nor what these call in turn. */
static void calls_in_gaps_are_named(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_frame(&x.c, "engine/core.py(1): loop", 0, 9000);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    for (int k = 0; k < 2; k++) {
        double at = 4000.0 * k;
        case_frame(&x.c, "engine/core.py(9): finish", at + 100, 1000);
        case_frame(&x.c, "engine/text.py(3): detokenize", at + 150, 900);
        case_frame(&x.c, "sched/scheduler.py(7): schedule", at + 1200, 1500);
        case_launch(&x.c, "k1", at + 3000, at + 3010, 1500, 2 + k);
    }
    open_follow(&x);
    const struct idle_group *g = &x.r.groups[0];
    assert_int_equal(g->class, IDLE_PYTHON);
    assert_int_equal(g->n_where, 2);
    assert_text(g->where[0].name, "schedule");
    assert_text(g->where[0].caller, "scheduler.py:7");
    assert_near(g->where[0].total_us, 2 * 1500, 1e-9);
    assert_text(g->where[1].name, "finish");
    assert_near(g->where[1].total_us, 1000, 1e-9); /* later it begins before the gap */
    case_close(&x.c);
}

/* Without frames, 120 slices of 10 us on the host, 30 us apart, with a view in each: a
 * loop that nothing else tells of. */
static void operators_tell_a_loop(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    for (int k = 0; k < 120; k++) {
        case_op(&x.c, "aten::slice", 30 + 30.0 * k, 10);
        case_op(&x.c, "aten::as_strided", 32 + 30.0 * k, 5);
    }
    case_launch(&x.c, "k1", 4000, 4010, 10, 2);
    open_follow(&x);
    const struct idle_group *g = &x.r.groups[0];
    assert_int_equal(g->class, IDLE_NOTHING);
    assert_int_equal(g->n_where, 1);
    assert_text(g->where[0].name, "aten::slice");
    assert_int_equal(g->where[0].count, 120);
    assert_near(g->where[0].total_us, 1200, 1e-9);
    case_close(&x.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_of_one_code_go_together),
        cmocka_unit_test(calls_in_gaps_are_named),
        cmocka_unit_test(a_log_is_no_cost_of_launching),
        cmocka_unit_test(operators_tell_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
