#include "expert_loop.c"

#include "analysis/system/follow_case.h"

/* What a turn has; 20 us each, every 100 us. */
struct like {
    int turns, matmuls;
    bool asks;
    const char *adds;
};

static void turn(struct trace_case *c, double at_us, const struct like *like, int k)
{
    double now = at_us;
    if (like->asks) {
        case_op(c, "aten::where", now, 20);
        case_op(c, "aten::nonzero", now + 1, 18);
        case_call(c, "cudaStreamSynchronize", now + 5, 10, 0);
    }
    case_op(c, "aten::index", now += 20, 5);
    for (int m = 0; m < like->matmuls; m++)
        case_op(c, "aten::mm", now += 10, 5);
    case_op(c, like->adds, now += 10, 10);
    case_launch(c, "k", now + 2, now + 4, 3, k + 1);
}

static struct expert_loops loops_of(struct follow_case *x, const struct like *like)
{
    case_begin(&x->c);
    case_launch(&x->c, "k0", 1, 2, 5, 999);
    for (int k = 0; k < like->turns; k++)
        turn(&x->c, 100 + 100 * k, like, k);
    open_follow(x);
    return expert_loops_find(&x->c.perm, &x->t);
}

static void a_loop_asks_gathers_multiplies_and_adds(void **state)
{
    (void)state;
    const struct like likes[] = {
        {8, 2, true, "aten::index_add_"},   {16, 3, true, "aten::index_put_"},
        {7, 3, true, "aten::index_add_"},   /* few turns */
        {16, 3, false, "aten::index_add_"}, /* a graph's messages */
        {16, 1, true, "aten::index_add_"},  /* a sparse convolution */
        {16, 3, true, "aten::add_"},        /* all tokens: nothing is scattered */
    };
    for (size_t k = 0; k < sizeof likes / sizeof *likes; k++) {
        struct follow_case x;
        struct expert_loops l = loops_of(&x, &likes[k]);
        assert_int_equal(l.n, k < 2);
        assert_int_equal(l.turns, k < 2 ? likes[k].turns : 0);
        if (l.n) {
            int32_t lane = l.rows[0].lane;
            int64_t start_ns = l.rows[0].start_ns, end_ns = l.rows[0].end_ns;
            assert_ptr_equal(expert_loop_at(&l, lane, start_ns), &l.rows[0]);
            assert_null(expert_loop_at(&l, lane, start_ns - 1));
            assert_null(expert_loop_at(&l, lane, end_ns));
            assert_null(expert_loop_at(&l, lane + 1, start_ns));
        }
        case_close(&x.c);
    }
}

/* Waits and launches of the loop are one group; without the loop, two. */
static void its_gaps_are_one_group(void **state)
{
    (void)state;
    for (int matmuls = 1; matmuls < 3; matmuls++) {
        struct follow_case x;
        const struct like like = {12, matmuls, true, "aten::index_add_"};
        loops_of(&x, &like);
        int loops = 0, waits = 0;
        for (int32_t k = 0; k < x.r.n_groups; k++) {
            loops += str_eq(x.r.groups[k].blame, S("expert loop"));
            waits += x.r.groups[k].class == IDLE_SYNC;
        }
        assert_int_equal(loops, matmuls == 2);
        assert_int_equal(waits, matmuls == 1);
        assert_int_equal(x.r.expert_turns, matmuls == 2 ? 12 : 0);
        case_close(&x.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_asks_gathers_multiplies_and_adds),
        cmocka_unit_test(its_gaps_are_one_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
