#include "compare/match_sequence.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { EVENTS = 64, ROWS = 8 };

#define GEMM  "Cijk_Ailk_Bljk_BBS"
#define NORM  "rms_norm_kernel"
#define OTHER "vectorized_elementwise_kernel"

/* A side: its events follow each other on a stream, each with a row for its name. */
struct side {
    struct capture c;
    struct capture_event events[EVENTS];
    struct capture_row rows[ROWS];
    uint8_t replayed[ROWS];
    struct step_span span;
    int64_t at_ns;
};

static struct side sides[2];
static struct match_list list;

static void begin(void)
{
    list = (struct match_list){0};
    for (int k = 0; k < 2; k++) {
        sides[k] = (struct side){.span = {.start_ns = 0, .end_ns = 1 << 20}};
        sides[k].c.events = sides[k].events;
        sides[k].c.rows = sides[k].rows;
    }
}

static void event(int k, const char *name, int stream, int64_t ns)
{
    struct side *s = &sides[k];
    int row = 0;
    while (row < s->c.n_rows && !str_eq(s->rows[row].name, str_of(name)))
        row++;
    if (row == s->c.n_rows) {
        s->rows[s->c.n_rows++] = (struct capture_row){
            .name = str_of(name), .part = DEVICE_COMPUTE, .category = WORK_OTHER};
        s->replayed[row] = 1;
    }
    s->events[s->c.n_events++] = (struct capture_event){.start_ns = s->at_ns,
                                                        .end_ns = s->at_ns + ns,
                                                        .kernel = str_of(name),
                                                        .row = row,
                                                        .stream = stream};
    s->at_ns += ns;
}

static bool matched(void)
{
    struct arena scratch = arena_reserve(16 << 20), first = scratch;
    struct match_side of[2];
    uint8_t *replayed[2];
    for (int k = 0; k < 2; k++) {
        of[k] = (struct match_side){&sides[k].c, NULL, &sides[k].span, 1};
        replayed[k] = sides[k].replayed;
    }
    bool some = match_sequences(&a, scratch, of, replayed, &list);
    arena_release(first.at, &scratch);
    return some;
}

static void row_is(int i, const char *reference, int64_t ns_0, const char *candidate,
                   int64_t ns_1)
{
    if (i >= list.n)
        fail_msg("%d rows", list.n);
    const struct match *m = &list.rows[i];
    assert_text(m->name[0], reference);
    assert_text(m->name[1], candidate);
    assert_int_equal(m->ns[0], ns_0);
    assert_int_equal(m->ns[1], ns_1);
}

static void variants_of_a_kernel_have_one_name(void **state)
{
    (void)state;
    assert_text(short_name(S("void norm<float, 4>(float*)")), "norm");
    assert_text(short_name(S("Cijk_Ailk_Bljk_BBS_BH_MT256x256x32")),
                "Cijk_Ailk_Bljk_BBS_BH");
    assert_text(short_name(S("triton_poi_fused_12")), "triton_poi_fused");
    assert_text(short_name(S("kernel(int)")), "kernel");
    assert_text(short_name(S("7")), "7");
    assert_text(short_name(S("<x>")), "<x>");
}

/* A layer of three kernels, six times; the candidate's GEMM has other tiles, and its
 * recording begins within a layer. */
static void layers_are_compared_slot_by_slot(void **state)
{
    (void)state;
    begin();
    for (int k = 0; k < 6; k++) {
        event(0, GEMM "_MT128x128x32", 7, 50);
        event(0, NORM, 7, 10);
        event(0, OTHER, 7, 5);
        event(1, NORM, 7, 11);
        event(1, OTHER, 7, 5);
        event(1, GEMM "_MT256x256x64", 7, 40);
    }
    assert_true(matched());
    assert_true(list.periods.aligned);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(list.periods.period[k], 3);
        assert_int_equal(list.periods.repeats[k], 6);
    }
    assert_int_equal(list.n, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(list.rows[i].level, MATCH_SEQUENCE);
        assert_int_equal(list.rows[i].n[0], 6);
        assert_int_equal(list.rows[i].n_events[1], 6);
    }
    for (int i = 0; i < 3; i++)
        if (str_eq(list.rows[i].name[0], S(NORM)))
            row_is(i, NORM, 60, NORM, 66);
        else if (str_eq(list.rows[i].name[0], S(OTHER)))
            row_is(i, OTHER, 30, OTHER, 30);
        else
            row_is(i, GEMM "_MT128x128x32", 300, GEMM "_MT256x256x64", 240);
}

/* Too few for a period: whole sequences. What only one side has is a row of its own. */
static void short_sequences_are_aligned_as_they_are(void **state)
{
    (void)state;
    begin();
    event(0, NORM, 7, 10);
    event(0, GEMM, 7, 50);
    event(1, NORM, 7, 12);
    event(1, OTHER, 7, 5);
    event(1, GEMM, 7, 40);
    assert_true(matched());
    assert_false(list.periods.aligned);
    assert_int_equal(list.n, 3);
    row_is(0, NORM, 10, NORM, 12);
    row_is(1, "", 0, OTHER, 5);
    row_is(2, GEMM, 50, GEMM, 40);
    assert_int_equal(list.rows[1].first_row[0], -1);
    assert_int_equal(list.rows[1].first_row[1], 1);
}

/* Other streams are joined by class, and the time in the compared steps alone counts.
 */
static void the_rest_is_joined_by_class(void **state)
{
    (void)state;
    begin();
    for (int k = 0; k < 2; k++) {
        event(k, NORM, 7, 100);
        event(k, GEMM "_MT16x16", 9, 20 + k);
        event(k, GEMM "_MT32x32", 9, 30);
    }
    sides[1].span.end_ns = 141; /* 20 of the last 30 ns */
    assert_true(matched());
    assert_int_equal(list.n, 2);
    row_is(0, NORM, 100, NORM, 100);
    row_is(1, GEMM "_MT16x16", 50, GEMM "_MT16x16", 41);
    assert_int_equal(list.rows[1].class_ns[1][WORK_OTHER], 41);
}

/* The stream with most time leads, whatever comes first; rows that no graph replays
 * take no part, and a side without any has nothing to compare. */
static void what_takes_part_is_replayed(void **state)
{
    (void)state;
    begin();
    for (int k = 0; k < 2; k++) {
        event(k, OTHER, 3, 20);
        event(k, NORM, 7, 30);
        event(k, GEMM, 5, 500);
        sides[k].replayed[2] = 0;
    }
    struct match_side s = {&sides[0].c, NULL, &sides[0].span, 1};
    assert_int_equal(main_stream(a, &s, sides[0].replayed), 7);
    sides[0].events[0].end_ns =
        sides[0].events[0].start_ns + 30; /* as long: the first */
    assert_int_equal(main_stream(a, &s, sides[0].replayed), 3);
    sides[0].events[0].end_ns = sides[0].events[0].start_ns + 20;
    assert_true(matched());
    assert_int_equal(list.n, 2); /* the GEMM is in none */
    row_is(0, NORM, 30, NORM, 30);
    row_is(1, OTHER, 20, OTHER, 20);
    list = (struct match_list){0};
    sides[1].replayed[0] = sides[1].replayed[1] = 0;
    assert_false(matched());
    assert_int_equal(list.n, 0);
}

/* Slots 0 and 2 match; what is between two matches is one row, of both sides. */
static void what_lies_between_two_matches_is_one_row(void **state)
{
    static const int32_t to[] = {0, -1, -1, 2};
    int32_t of_a[4], of_b[4], *of[] = {of_a, of_b};
    (void)state;
    assert_int_equal(number_rows(to, 4, 4, of), 4);
    static const int32_t want_a[] = {0, 1, 1, 2}, want_b[] = {0, 1, 2, 3};
    assert_memory_equal(of_a, want_a, sizeof want_a);
    assert_memory_equal(of_b, want_b, sizeof want_b);
}

/* A sum of parts beside the product that it belongs to; not so of elementwise work. */
static void what_a_kernel_was_split_into_stays_together(void **state)
{
    static const uint8_t paired[] = {1, 0, 0, 1};
    struct token t[] = {{0, KERNEL_GEMM},
                        {1, KERNEL_GEMM},
                        {2, KERNEL_NORMALIZATION},
                        {3, KERNEL_NORMALIZATION}};
    int32_t of[] = {0, 1, 2, 3};
    (void)state;
    fold_neighbours(t, 4, of, paired);
    assert_int_equal(of[1], 0);
    assert_int_equal(of[2], 3);
    for (int i = 0; i < 4; i++) {
        t[i].class = KERNEL_ELEMENTWISE;
        of[i] = i;
    }
    fold_neighbours(t, 4, of, paired);
    assert_int_equal(of[1], 1);
    assert_int_equal(of[2], 2);
}

/* The most frequent name of each slot; of equally frequent ones the first to be so. */
static void a_slot_is_what_it_mostly_is(void **state)
{
    struct token t[] = {{9, 0}, {1, 0}, {2, 0}, {1, 0}, {3, 0},
                        {4, 0}, {3, 0}, {2, 0}, {4, 0}};
    struct token slots[2];
    struct sequence q = {.tokens = t, .start = 1, .period = 2, .repeats = 4};
    (void)state;
    consensus(a, &q, slots); /* 1 1 4 2 and 2 3 3 4 */
    assert_int_equal(slots[0].id, 1);
    assert_int_equal(slots[1].id, 3);
    q.repeats = 2; /* 2 and 3: once each */
    consensus(a, &q, slots);
    assert_int_equal(slots[1].id, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_of_a_kernel_have_one_name),
        cmocka_unit_test(layers_are_compared_slot_by_slot),
        cmocka_unit_test(short_sequences_are_aligned_as_they_are),
        cmocka_unit_test(the_rest_is_joined_by_class),
        cmocka_unit_test(what_takes_part_is_replayed),
        cmocka_unit_test(what_lies_between_two_matches_is_one_row),
        cmocka_unit_test(what_a_kernel_was_split_into_stays_together),
        cmocka_unit_test(a_slot_is_what_it_mostly_is),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
