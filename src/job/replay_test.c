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

/* A rank waits for a collective, and what it starts after that another waits for before
 * it comes to the same: there is an order, but not that of the rank. */
static void an_order_may_not_be_that_of_a_rank(void **state)
{
    struct arena a = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct replay_node of[] = {
        {.before = {-1, -1}, .rank = 0, .instance = 0, .fixed = 1, .dur_ns = 10},
        {.before = {0, -1}, .rank = 0, .instance = -1, .fixed = 1, .dur_ns = 5},
        {.before = {-1, -1}, .rank = 0, .instance = 1, .gap_ns = 7, .fixed = 1},
        {.before = {-1, -1}, .rank = 1, .instance = 1, .fixed = 1},
        {.before = {3, -1}, .rank = 1, .instance = 0, .fixed = 1, .dur_ns = 10}};
    struct replay_graph g = {.nodes = of, .n = 5, .n_instances = 2, .n_ranks = 2};
    double end_ns;
    (void)state;
    replay_prepare(&a, tmp, &g);
    assert_int_equal(g.n_order, g.n);
    replay_run(&g, a, &(struct replay_change){NULL, false}, 1, &end_ns);
    assert_int_equal((int)end_ns, 7 + 10 + 5);
}

enum { RANKS = 37, ROUNDS = 400, EACH = 3, NODES = RANKS * ROUNDS * EACH };

/* Work, a collective of half of the ranks, and work that runs beside it. */
static void make_rounds(struct replay_node *to)
{
    uint64_t random = 7;
    for (int32_t rank = 0, i = 0; rank < RANKS; rank++)
        for (int32_t round = 0; round < ROUNDS; round++)
            for (int k = 0; k < EACH; k++, i++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                to[i] = (struct replay_node){
                    .before = {round || k == 1 ? i - (k == 2 ? 2 : 1) : -1,
                               round && !k ? i - 2 : -1},
                    .rank = rank,
                    .instance = k == 1 ? 2 * round + (rank + round) % 2 : -1,
                    .fixed = 1,
                    .middle = 1,
                    .gap_ns = (double)(random >> 56),
                    .dur_ns = (double)(random >> 44 & 255)};
                to[i].before[0] = !round && k == 2 ? i - 2 : to[i].before[0];
            }
}

/* Ends as they are once no pass over the nodes changes any. */
static double last_end(const struct replay_node *of)
{
    static double end[NODES], from[2 * ROUNDS];
    double last = 0;
    memset(end, 0, sizeof end);
    memset(from, 0, sizeof from);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < NODES; i++) {
            double start = 0;
            for (int k = 0; k < REPLAY_BEFORE; k++)
                if (of[i].before[k] >= 0 && end[of[i].before[k]] > start)
                    start = end[of[i].before[k]];
            start += of[i].gap_ns;
            if (of[i].instance >= 0 && start > from[of[i].instance])
                from[of[i].instance] = start;
            start = of[i].instance >= 0 ? from[of[i].instance] : start;
            changed |= end[i] < start + of[i].dur_ns;
            end[i] = start + of[i].dur_ns;
            last = end[i] > last ? end[i] : last;
        }
    }
    return last;
}

static void many_nodes_end_as_pass_after_pass_tells(void **state)
{
    struct arena a = arena_reserve(1 << 24), tmp = arena_reserve(1 << 24);
    struct replay_node *of = arena_new(&a, struct replay_node, NODES);
    struct replay_graph g = {
        .nodes = of, .n = NODES, .n_instances = 2 * ROUNDS, .n_ranks = RANKS};
    double end_ns;
    (void)state;
    make_rounds(of);
    double want_ns = last_end(of);
    replay_prepare(&a, tmp, &g);
    assert_int_equal(g.n_order, g.n);
    replay_run(&g, a, &(struct replay_change){NULL, false}, 1, &end_ns);
    assert_true(end_ns == want_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changed_is_what_was_recorded),
        cmocka_unit_test(the_last_rank_sets_the_pace),
        cmocka_unit_test(what_waits_for_itself_has_no_order),
        cmocka_unit_test(an_order_may_not_be_that_of_a_rank),
        cmocka_unit_test(many_nodes_end_as_pass_after_pass_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
