#include "job/job_whatif.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { RANKS = 4, INSTANCES = 24 };

static struct job_rank ranks[RANKS];
static struct job_instance instances[INSTANCES];
static struct job_group groups[2];
static struct job_signature signatures[2];
static struct str hosts[2];
static struct job j;

static void begin(int n_instances)
{
    memset(ranks, 0, sizeof ranks);
    memset(instances, 0, sizeof instances);
    memset(groups, 0, sizeof groups);
    memset(signatures, 0, sizeof signatures);
    hosts[0] = S("n03");
    hosts[1] = S("");
    for (int i = 0; i < RANKS; i++)
        ranks[i].rank = 10 + i;
    j = (struct job){.ranks = ranks,
                     .n_ranks = RANKS,
                     .instances = instances,
                     .n_instances = n_instances,
                     .groups = groups,
                     .n_groups = 2,
                     .signatures = signatures,
                     .n_signatures = 2,
                     .hosts = hosts,
                     .has_several = true};
}

/* Of twenty transfers of 100 to 119 ns, two are better than the best tenth: 102. One
 * that waits for someone unknown counts for nothing; a size of its own has no other. */
static void transfers_can_be_as_the_best_tenth(void **state)
{
    (void)state;
    begin(22);
    for (int i = 0; i < 20; i++)
        instances[i] =
            (struct job_instance){.is_decomposed = true, .min_dur_ns = 119 - i};
    instances[20].min_dur_ns = 10; /* not decomposed */
    instances[21] =
        (struct job_instance){.signature = 1, .is_decomposed = true, .min_dur_ns = 500};
    struct job_graph w = {.j = &j, .perm = &a, .tmp = a};
    const double *ns = best_transfers(&w);
    for (int i = 0; i < 17; i++)
        assert_true(ns[i] == 102);
    for (int i = 17; i < 22; i++)
        assert_true(ns[i] == -1);
}

static void uneven_and_slow_transfers_can_be_as_others(void **state)
{
    bool any = false;
    (void)state;
    begin(3);
    for (int i = 0; i < 3; i++)
        instances[i] = (struct job_instance){
            .is_decomposed = true, .min_dur_ns = 1000, .even_frac = 0.96F};
    const double *ns = even_transfers(&a, &j, &any);
    assert_false(any);
    assert_true(ns[0] == -1);
    instances[1].even_frac = 0.5F;
    instances[2].even_frac = 0.5F;
    instances[2].is_decomposed = false;
    ns = even_transfers(&a, &j, &any);
    assert_true(any && ns[0] == -1 && ns[1] == 500 && ns[2] == -1);

    any = false;
    groups[1].slow_ratio = 4;
    instances[1].group = 1;
    usual_transfers(&a, &j, &any);
    assert_false(any); /* slower, but not so that it counts */
    groups[1].is_slow = true;
    ns = usual_transfers(&a, &j, &any);
    assert_true(any && ns[0] == -1 && ns[1] == 250);
}

/* An all-reduce of 1 MB among 4 moves 1.5 MB over a link: 5 us at 300 GB/s, 30 us at
 * 50 between nodes. Without a peak it may take no time at all. */
static void what_is_bare_takes_what_the_link_needs(void **state)
{
    bool any = false;
    int64_t usual_ns[] = {700, 800};
    (void)state;
    begin(3);
    signatures[0] =
        (struct job_signature){.kind = COLLECTIVE_ALL_REDUCE, .bytes = 1000000};
    groups[0].size = groups[1].size = 4;
    groups[1].crosses_nodes = true;
    instances[1].group = 1;
    j.options.link_gb_s[0] = 300;
    j.options.link_gb_s[1] = 50;
    const double *ns = bare_transfers(&a, &j, &any);
    assert_true(!any && ns[0] == -1 && ns[1] == -1);
    instances[0].may_lack_last = instances[1].may_lack_last = true;
    ns = bare_transfers(&a, &j, &any);
    assert_true(any && ns[0] == 5000 && ns[1] == 30000 && ns[2] == -1);
    j.options.link_gb_s[0] = (double)NAN;
    ns = bare_transfers(&a, &j, &any);
    assert_true(ns[0] == 0);

    j.usual_ns = usual_ns;
    instances[2].lacks_last = true;
    instances[2].signature = 1;
    ns = joined_transfers(&a, &j);
    assert_true(ns[0] == -1 && ns[2] == 800);
}

/* A rank that begins at 20 of 100 leaves 80 to compare; nearly all is all, and half is
 * too little. */
static void what_is_compared_is_recorded_on_all_ranks(void **state)
{
    static const struct {
        int64_t start_ns, want_ns;
    } cases[] = {{20, 80}, {6, 94}, {5, 0}, {49, 51}, {50, 0}};
    struct rank_step steps[] = {{.start_ns = 0, .end_ns = 30},
                                {.start_ns = 30, .end_ns = 35},
                                {.start_ns = 35, .end_ns = 70}};
    int32_t step_at[] = {0, 2};
    (void)state;
    begin(0);
    j.end_ns = 100;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ranks[2].start_ns = cases[i].start_ns;
        assert_int_equal(compared_ns(&j), cases[i].want_ns);
    }
    ranks[0].steps = steps; /* two of its three steps are of all ranks: 65 of 100 */
    ranks[0].n_steps = 3;
    ranks[0].step_at = step_at;
    j.n_steps = 2;
    ranks[2].start_ns = 20;
    ranks[2].n_steps = 2;
    assert_int_equal(compared_ns(&j), 80); /* who has fewer steps is not named */
    ranks[2].is_named = true;
    assert_int_equal(compared_ns(&j), 65);
    ranks[2].n_steps = 3;
    assert_int_equal(compared_ns(&j), 80);
}

/* Of one rank that is named, what it saves is known already. */
static void one_that_is_named_saves_what_it_does(void **state)
{
    static int32_t named[] = {2, 0};
    (void)state;
    for (int shown = 0; shown < 2; shown++) {
        begin(0);
        ranks[0].save_ns = 7;
        ranks[2].save_ns = 120;
        ranks[2].has_whatif = true;
        j.named = named;
        j.n_named = 1;
        j.identity_ns = 1000;
        j.whatif_shown = shown;
        job_what_if_fixed(&a, a, &j);
        assert_int_equal(j.named_ns, shown ? 880 : -1);
        assert_int_equal(j.even_ns, -1);
    }
}

static void a_replay_has_to_be_allowed(void **state)
{
    (void)state;
    begin(0);
    ranks[0].n_rows = 60;
    ranks[1].n_rows = 40;
    j.options.max_pairs = 100;
    assert_true(is_allowed(&a, &j));
    j.options.max_pairs = 99;
    assert_false(is_allowed(&a, &j));
    assert_text(j.no_replay,
                "the ranks have 100 collectives, and --max-pairs allows 99");
    j.no_replay = S("");
    j.options.max_pairs = 0;
    j.options.max_bytes = job_bytes(100) + 6400;
    assert_true(is_allowed(&a, &j));
    j.options.max_bytes = 999999;
    ranks[0].n_rows = 60000;
    assert_false(is_allowed(&a, &j));
    double mb = (job_bytes(60040) + 64 * 60040) / 1e6;
    assert_true(mb > 10);
    assert_true(str_eq(j.no_replay,
                       str_printf(&a,
                                  "a replay would take about %.0f MB of memory, and "
                                  "--max-memory allows 1 MB",
                                  ceil(mb))));
    ranks[0].n_rows = 60;
    j.no_replay = S("");
    j.options.max_bytes = job_bytes(100) + 6399;
    assert_false(is_allowed(&a, &j));
    j.no_replay = S("");
    j.clock_free = true;
    assert_false(is_allowed(&a, &j));
    assert_text(j.no_replay, "the clocks of the ranks disagree");
    j.options.clock = CLOCK_NONE;
    assert_false(is_allowed(&a, &j));
    assert_text(j.no_replay, "--clock none: ranks have no time in common");
    j.has_several = false;
    assert_false(is_allowed(&a, &j));
    assert_text(j.no_replay, "no collective of a rank is found on another");
}

/* Two ranks that work 100 and 80 ns and meet at the end; fixed or as the middle one,
 * either takes half. */
static struct job_graph two_ranks(struct replay_node nodes[2])
{
    for (int i = 0; i < 2; i++)
        nodes[i] = (struct replay_node){.before = {-1, -1},
                                        .rank = i,
                                        .instance = -1,
                                        .fixed = 0.5F,
                                        .middle = 0.5F,
                                        .dur_ns = i ? 80 : 100};
    j.n_ranks = 2;
    j.identity_ns = 100;
    j.ideal_ns = 50;
    struct job_graph w = {.j = &j, .perm = &a};
    w.g = (struct replay_graph){.nodes = nodes, .n = 2, .n_ranks = 2};
    w.tmp = arena_first_half(&a);
    replay_prepare(&a, w.tmp, &w.g);
    return w;
}

static void a_rank_saves_what_nobody_else_takes(void **state)
{
    struct replay_node nodes[2];
    int32_t list[] = {0, 1};
    (void)state;
    begin(0);
    struct job_graph w = two_ranks(nodes);
    fix_alone(&w, list, 2);
    assert_int_equal(ranks[0].save_ns, 20); /* then the other takes 80 */
    assert_int_equal(ranks[1].save_ns, 0);
    assert_int_equal(ranks[0].add_ns, 50); /* 100 instead of 50 */
    assert_int_equal(ranks[1].add_ns, 30);
    assert_true(ranks[0].has_whatif && ranks[1].has_whatif && !ranks[2].has_whatif);
    fix_in_turn(&w, list, 2);
    assert_int_equal(j.n_curve, 3);
    assert_int_equal(j.curve[0].rank, -1);
    assert_int_equal(j.curve[0].total_ns, 100);
    assert_int_equal(j.curve[1].rank, 0);
    assert_int_equal(j.curve[1].total_ns, 80);
    assert_int_equal(j.curve[2].rank, 1);
    assert_int_equal(j.curve[2].total_ns, 50);
}

/* Of two that save as much, the lower number, however they are listed. */
static void equal_ranks_are_fixed_by_number(void **state)
{
    struct replay_node nodes[2];
    int32_t list[] = {1, 0};
    (void)state;
    begin(0);
    struct job_graph w = two_ranks(nodes);
    ranks[0].save_ns = ranks[1].save_ns = 10;
    fix_in_turn(&w, list, 2);
    assert_int_equal(j.curve[1].rank, 0);
    assert_int_equal(j.curve[1].total_ns, 90);
}

static void ranks_are_fixed_by_node_and_by_role(void **state)
{
    (void)state;
    begin(0);
    ranks[1].node = ranks[3].node = 1;
    ranks[2].role = ranks[3].role = 7;
    for (int i = 0; i < RANKS; i++)
        ranks[i].own_blame = 1 << i;
    struct sets s = sets_by(&a, &a, &j, FIX_NODE);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.of[1].n_ranks, 2);
    assert_int_equal(s.of[1].ranks[0], 1);
    assert_int_equal(s.of[1].ranks[1], 3);
    assert_int_equal(s.of[1].node, 1);
    assert_true(s.blame[0] == 1 + 4 && s.blame[1] == 2 + 8);
    assert_text(set_text(&a, &j, &s.of[0]), "n03");
    assert_text(set_text(&a, &j, &s.of[1]), "node 1");
    s = sets_by(&a, &a, &j, FIX_ROLE);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.of[1].node, -1);
    assert_true(s.blame[1] == 4 + 8);
    assert_text(set_text(&a, &j, &s.of[1]), "2 ranks as rank 12");
    s.of[1].n_ranks = 1;
    assert_text(set_text(&a, &j, &s.of[1]), "1 rank as rank 12");
}

/* Who is ahead in a cause does not make up for who is late by it. */
static void lateness_of_a_cause_is_of_who_is_late(void **state)
{
    struct job_fix m = {0};
    int copies = 0;
    (void)state;
    begin(0);
    while (cause_part(copies) != SEGMENT_COPY)
        copies++;
    ranks[0].late.part_ns[SEGMENT_COPY] = 30;
    ranks[1].late.part_ns[SEGMENT_COPY] = -50;
    ranks[3].late.part_ns[SEGMENT_COPY] = 5;
    assert_int_equal(late_by(&j, copies, &a, &m), 35);
    assert_int_equal(m.n_ranks, 2);
    assert_int_equal(m.ranks[0], 0);
    assert_int_equal(m.ranks[1], 3);
}

static void what_leaves_least_comes_first(void **state)
{
    struct job_fix list[] = {{.total_ns = 90, .node = 0},
                             {.total_ns = 70, .node = 1},
                             {.total_ns = 90, .node = 2}};
    int32_t places[] = {5, 6, 7};
    (void)state;
    begin(0);
    struct job_graph w = {.j = &j, .perm = &a, .tmp = arena_first_half(&a)};
    add_fixes(&w, list, 3);
    assert_int_equal(j.n_fixes, 3);
    assert_int_equal(j.fixes[0].node, 1);
    assert_int_equal(j.fixes[1].node, 0);
    assert_int_equal(j.fixes[2].node, 2);
    sort_by_total(w.tmp, places, (const int64_t[]){3, 1, 2}, 3);
    assert_int_equal(places[0], 6);
    assert_int_equal(places[1], 7);
    assert_int_equal(places[2], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_can_be_as_the_best_tenth),
        cmocka_unit_test(uneven_and_slow_transfers_can_be_as_others),
        cmocka_unit_test(what_is_bare_takes_what_the_link_needs),
        cmocka_unit_test(what_is_compared_is_recorded_on_all_ranks),
        cmocka_unit_test(one_that_is_named_saves_what_it_does),
        cmocka_unit_test(a_replay_has_to_be_allowed),
        cmocka_unit_test(a_rank_saves_what_nobody_else_takes),
        cmocka_unit_test(equal_ranks_are_fixed_by_number),
        cmocka_unit_test(ranks_are_fixed_by_node_and_by_role),
        cmocka_unit_test(lateness_of_a_cause_is_of_who_is_late),
        cmocka_unit_test(what_leaves_least_comes_first),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
