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

/* Gaps of 100 us before a copy, a little less behind a wait, and 10 us at the end. */
static struct gap_row three_gaps[] = {
    {.start_ns = 5000, .dur_ns = 100000, .after = 1, .sync = -1},
    {.start_ns = 300000, .dur_ns = 99999, .after = 0, .sync = 0},
    {.start_ns = 500000, .dur_ns = 10000, .after = -1, .sync = -1}};

struct parts_case {
    struct arena a;
    struct event_store s;
    struct idle_gaps g;
    struct idle_result r;
    struct building b;
    struct late_part late;
    struct follow f;
};

static void begin_parts(struct parts_case *x)
{
    static uint8_t cats[] = {CAT_KERNEL, CAT_MEMCPY}, input[3];
    static int64_t start_ns[] = {10, 20, 20};
    static struct sync_point syncs[] = {{.op = -1}};
    *x = (struct parts_case){.a = arena_reserve(1 << 20)};
    x->s = (struct event_store){.cat = cats, .start_ns = start_ns};
    x->g = (struct idle_gaps){.rows = three_gaps, .n = 3, .syncs = syncs};
    x->r = (struct idle_result){.groups = arena_new(&x->a, struct idle_group, 1),
                                .n_groups = 1};
    x->r.groups[0].class = IDLE_PYTHON;
    x->b = (struct building){.last_call = -1, .last_gap = -1};
    memset(input, INPUT_NONE, sizeof input);
    x->f = (struct follow){.perm = &x->a,
                           .tmp = &x->a,
                           .s = &x->s,
                           .g = &x->g,
                           .r = &x->r,
                           .b = &x->b,
                           .input = input,
                           .behind = &x->late,
                           .tallies = tallies_make(&x->a, &x->s)};
}

static void add_part(struct parts_case *x, int gap, enum idle_class class, int64_t ns)
{
    x->f.gap = gap;
    x->f.row = &three_gaps[gap];
    x->f.gap_us = (double)three_gaps[gap].dur_ns / 1e3;
    add_sum(&x->f, 0, class, (struct part_sum){ns, ns / 2}, -1);
}

static void parts_of_gaps_add_up_in_their_group(void **state)
{
    struct parts_case x;
    const struct idle_group *g;
    (void)state;
    begin_parts(&x);
    g = x.r.groups;
    add_part(&x, 0, IDLE_PYTHON, 70000);
    add_part(&x, 0, IDLE_CPU_WORK, 30000);
    assert_int_equal(g->gaps, 1); /* two parts of one */
    assert_int_equal(g->calls, 1);
    assert_int_equal(g->copy_gaps, 1);
    assert_near(g->after_sync_us, 0, 0);
    x.late.hides = true;
    add_part(&x, 1, IDLE_PYTHON, 50000);
    x.late.hides = false;
    add_part(&x, 1, IDLE_PYTHON, 49999);
    add_part(&x, 2, IDLE_PYTHON, 10000);
    assert_int_equal(g->gaps, 3);
    assert_int_equal(g->copy_gaps, 1);
    assert_int_equal(g->total_ns, 209999);
    assert_int_equal(g->longest_part_ns, 35000);
    assert_near(g->class_us[IDLE_PYTHON], 179.999, 1e-9);
    assert_near(g->class_us[IDLE_CPU_WORK], 30, 1e-9);
    assert_near(g->long_us, 100, 1e-9); /* of 100 us and more */
    assert_near(g->max_us, 100, 1e-9);
    assert_int_equal(g->longest_from_ns, 5000);
    assert_near(g->after_sync_us, 99.999, 1e-9);
    assert_near(g->hidden_without_us, 50, 1e-9);
    assert_int_equal(x.f.tallies.n, 1);
    assert_int_equal(x.f.tallies.rows[0].kind, TALLY_SYNC);
    assert_int_equal(x.f.tallies.rows[0].ns, 99999);
    assert_int_equal(x.r.class_ns[IDLE_PYTHON], 179999);
    assert_int_equal(x.f.class_ns[IDLE_CPU_WORK], 30000);
    x.r.groups[0].class = IDLE_SYNC; /* a wait is not behind one */
    add_part(&x, 1, IDLE_SYNC, 1000);
    assert_near(g->after_sync_us, 99.999, 1e-9);
}

/* What operators compute may be of values of the device; what else the host does before
 * an input is copied makes that input. As a recording begins, all of it is its start.
 */
static void a_part_is_in_the_pool_of_its_cause(void **state)
{
    static const struct {
        enum input_gap input;
        bool starts;
        enum idle_class class;
        enum idle_pool pool;
    } cases[] = {{INPUT_NONE, false, IDLE_PYTHON, POOL_HOST},
                 {INPUT_MADE, false, IDLE_CPU_WORK, POOL_INPUT},
                 {INPUT_OR_DETOUR, false, IDLE_PYTHON, POOL_INPUT},
                 {INPUT_OR_DETOUR, false, IDLE_CPU_WORK, POOL_HOST},
                 {INPUT_NONE, true, IDLE_PYTHON, POOL_START},
                 {INPUT_NONE, true, IDLE_SYNC, POOL_CALLS}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct parts_case x;
        uint8_t input[] = {cases[k].input, 0, 0};
        begin_parts(&x);
        x.f.input = input;
        x.f.starts = cases[k].starts;
        add_part(&x, 0, cases[k].class, 400);
        add_part(&x, 0, cases[k].class, 600);
        for (int p = 0; p < IDLE_POOLS; p++)
            assert_int_equal(x.r.groups[0].pool_ns[p],
                             p == (int)cases[k].pool ? 1000 : 0);
    }
}

static void a_call_that_starts_no_later_is_not_a_new_one(void **state)
{
    struct parts_case x;
    (void)state;
    begin_parts(&x);
    assert_true(is_new_call(&x.f, &x.b, 0));
    assert_false(is_new_call(&x.f, &x.b, 0));
    assert_true(is_new_call(&x.f, &x.b, 1));
    assert_false(is_new_call(&x.f, &x.b, 2));
    assert_false(is_new_call(&x.f, &x.b, 0));
}

static void parts_that_meet_are_one_span(void **state)
{
    struct parts_case x;
    (void)state;
    begin_parts(&x);
    x.f.starts = true;
    parts_add_span(&x.f, 0, 4, 7, 0, 10);
    assert_int_equal(x.f.n_spans, 0); /* it may never recur */
    x.f.starts = false;
    parts_add_span(&x.f, 0, 4, 7, 10, 20);
    parts_add_span(&x.f, 0, 4, 8, 20, 30);
    assert_int_equal(x.f.n_spans, 1);
    assert_int_equal(x.f.spans[0].span.start_ns, 10);
    assert_int_equal(x.f.spans[0].span.end_ns, 30);
    assert_int_equal(x.f.spans[0].span.event, 7);
    parts_add_span(&x.f, 0, 4, 8, 31, 40);
    parts_add_span(&x.f, 0, 5, 8, 40, 50);
    parts_add_span(&x.f, 1, 5, 8, 50, 60);
    assert_int_equal(x.f.n_spans, 4);
}

/* The most that is read at once; of unknown size, from then on unknown. */
static void results_are_as_large_as_the_largest_copy(void **state)
{
    struct trace_case c;
    event_id copies[4];
    int n = 0;
    (void)state;
    case_begin(&c);
    case_copy(&c, "Memcpy DtoH", 10, 5, 1, 100);
    case_copy(&c, "Memcpy DtoH", 20, 5, 2, 300);
    case_copy(&c, "Memcpy DtoH", 30, 5, 3, 200);
    case_launch(&c, "unsized", 35, 40, 5, 4);
    case_open(&c, NULL);
    for (event_id i = 0; i < c.view.s->n; i++)
        if (c.view.s->cat[i] == CAT_MEMCPY || c.view.s->cat[i] == CAT_KERNEL)
            copies[n++] = i;
    assert_int_equal(n, 4);
    struct follow f = {.perm = &c.perm, .s = c.view.s};
    struct idle_group g = {0};
    add_results(&f, &g, copies[0], 7);
    add_results(&f, &g, copies[0], 7); /* another part of the same gap */
    assert_int_equal(g.results_bytes, 100);
    assert_int_equal(g.n_results, 1);
    add_results(&f, &g, copies[1], 7);
    add_results(&f, &g, copies[2], 7);
    assert_int_equal(g.results_bytes, 300);
    assert_int_equal(g.n_results, 3);
    assert_int_equal(g.results[2], copies[2]);
    add_results(&f, &g, copies[3], 7);
    assert_int_equal(g.results_bytes, -1);
    add_results(&f, &g, copies[1], 7);
    assert_int_equal(g.results_bytes, -1);
    assert_int_equal(g.results_ns, 42);
    case_close(&c);
}

static void compiled_pieces_are_told_apart(void **state)
{
    struct parts_case x;
    struct piece_sums sums = {.compiled_ns = 2000};
    (void)state;
    begin_parts(&x);
    x.f.row = three_gaps;
    sums.of[IDLE_PYTHON] = (struct part_sum){3000, 3000};
    parts_add_sums(&x.f, 0, &sums, -1);
    parts_add_sums(&x.f, 0, &sums, -1);
    assert_near(x.r.groups[0].compiled_us, 4, 1e-9);
    assert_int_equal(x.r.groups[0].total_ns, 6000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_of_one_code_go_together),
        cmocka_unit_test(calls_in_gaps_are_named),
        cmocka_unit_test(a_log_is_no_cost_of_launching),
        cmocka_unit_test(operators_tell_a_loop),
        cmocka_unit_test(parts_of_gaps_add_up_in_their_group),
        cmocka_unit_test(a_part_is_in_the_pool_of_its_cause),
        cmocka_unit_test(a_call_that_starts_no_later_is_not_a_new_one),
        cmocka_unit_test(parts_that_meet_are_one_span),
        cmocka_unit_test(results_are_as_large_as_the_largest_copy),
        cmocka_unit_test(compiled_pieces_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
