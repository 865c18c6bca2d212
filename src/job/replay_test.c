#include "job/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Two ranks that work for 100 and 300 ns and meet for 50. */
static const struct replay_node nodes[] = {{.before = {-1, -1},
                                            .rank = 0,
                                            .fixed = 1,
                                            .middle = 2,
                                            .instance = -1,
                                            .dur_ns = 100},
                                           {.before = {0, -1},
                                            .rank = 0,
                                            .fixed = 1,
                                            .middle = 1,
                                            .instance = 0,
                                            .dur_ns = 50},
                                           {.before = {-1, -1},
                                            .rank = 1,
                                            .fixed = 0.5F,
                                            .middle = 0.5F,
                                            .instance = -1,
                                            .dur_ns = 300},
                                           {.before = {2, -1},
                                            .rank = 1,
                                            .fixed = 1,
                                            .middle = 1,
                                            .instance = 0,
                                            .dur_ns = 50}};

static struct replay_graph graph_of(struct arena *a)
{
    static struct replay_node copy[4];
    struct replay_graph g = {.nodes = copy, .n = 4, .n_instances = 1, .n_ranks = 2};
    memcpy(copy, nodes, sizeof copy);
    struct arena tmp = arena_reserve(1 << 20);
    replay_prepare(a, tmp, &g);
    return g;
}

static void nothing_changed_is_what_was_recorded(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct replay_graph g = graph_of(&a);
    double end_ns;
    (void)state;
    assert_int_equal(g.n_order, g.n);
    replay_run(&g, a, &(struct replay_change){NULL, false}, 1, &end_ns);
    assert_int_equal((int)end_ns, 350);
}

static void the_last_rank_sets_the_pace(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct replay_graph g = graph_of(&a);
    static const uint8_t late[] = {REPLAY_AS_IS, REPLAY_FIXED},
                         early[] = {REPLAY_FIXED, REPLAY_AS_IS};
    struct replay_change changes[] = {{late, false}, {early, false}};
    double end_ns[2];
    (void)state;
    replay_run(&g, a, changes, 2, end_ns);
    assert_int_equal((int)end_ns[0], 150 + 50);
    assert_int_equal((int)end_ns[1], 300 + 50);
}

static void what_waits_for_itself_has_no_order(void **state)
{
    struct arena a = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct replay_node circle[] = {{.before = {1, -1}, .instance = -1, .dur_ns = 1},
                                   {.before = {0, -1}, .instance = -1, .dur_ns = 1}};
    struct replay_graph g = {.nodes = circle, .n = 2, .n_ranks = 1};
    (void)state;
    replay_prepare(&a, tmp, &g);
    assert_int_equal(g.n_order, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changed_is_what_was_recorded),
        cmocka_unit_test(the_last_rank_sets_the_pace),
        cmocka_unit_test(what_waits_for_itself_has_no_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
