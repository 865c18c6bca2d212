#include "compare_layer_words.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { LAYERS = 4, MS = 1000000 };

static struct capture sides[2];
static struct capture_layer layers[2][LAYERS];
static struct capture_measure measured[2][2];
static struct comparison c;

/* Four layers of one call, forward and backward, of each side: `was` ms each, and now.
 * Half of what was recorded is compared: 20 ms, and the layers' difference more. */
static void lay_out(double was, const double now[LAYERS], const char *name)
{
    double more_ms = 0;
    for (int k = 0; k < LAYERS; k++) {
        struct capture_layer l = {.class = S("Block"),
                                  .name = str_printf(&a, "%s%d", name, k + 1),
                                  .calls = 1};
        l.forward_ns = llround(was * MS / 4);
        l.backward_ns = llround(was * MS) - l.forward_ns;
        layers[0][k] = l;
        layers[0][k].class = S("Before");
        layers[0][k].name = str_printf(&a, "before.%d", k);
        l.forward_ns = llround(now[k] * MS / 4);
        l.backward_ns = llround(now[k] * MS) - l.forward_ns;
        layers[1][k] = l;
        more_ms += (now[k] - was) / 2;
    }
    for (int side = 0; side < 2; side++)
        sides[side] = (struct capture){.layers = layers[side],
                                       .n_layers = LAYERS,
                                       .start_ns = 5 * MS,
                                       .end_ns = 45 * MS};
    sides[1].end_ns += llround(2 * more_ms * MS);
    c = (struct comparison){.of = {&sides[0], &sides[1]},
                            .window_ns = {20 * MS, 20 * MS + llround(more_ms * MS)}};
}

static void one_layer_makes_the_difference(void **state)
{
    static const struct {
        double now[LAYERS];
        const char *name, *want;
    } cases[] = {
        {{2, 2, 3, 2},
         "h.",
         "layer 3 of 4 (`h.3`) takes 50.0% longer, 0.500 ms more, and the other 3 take "
         "as long as before"},
        {{2, 1, 2, 2},
         "layer ",
         "layer 2 of 4 takes 50.0% less time, 0.500 ms less, and the other 3 take as "
         "long as before"},
        {{2.1, 2, 2.9, 2},
         "h.",
         "layer 3 of 4 (`h.3`) takes 45.0% longer, 0.450 ms more, and the other 3 take "
         "1.7% longer"},
        {{2.5, 2, 3, 2}, "h.", ""},  /* two thirds */
        {{2, 2, 2.19, 2}, "h.", ""}, /* too little */
        {{2.3, 1.9, 2.9, 1.8},
         "h.", /* 90 % of it, which others take back */
         "layer 3 of 4 (`h.3`) takes 45.0% longer, 0.450 ms more, and the other 3 take "
         "as long as before"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        lay_out(2, cases[k].now, cases[k].name);
        assert_text(compare_layer_alone(&a, &c), cases[k].want);
    }
    lay_out(2, cases[0].now, "h.");
    c.selection.n_steps = 2;
    assert_text(
        compare_layer_alone(&a, &c),
        "layer 3 of 4 (`h.3`) takes 50.0% longer, 0.250 ms a step more, and the "
        "other 3 take as long as before");
    c.window_ns[1] += MS / 2; /* half of it is of something else */
    assert_text(compare_layer_alone(&a, &c), "");
    lay_out(2, cases[0].now, "h.");
    layers[1][3].calls = 0; /* not recorded */
    assert_text(compare_layer_alone(&a, &c), "");
}

static void all_layers_are_alike(void **state)
{
    static const struct {
        double now[LAYERS];
        const char *want;
    } cases[] = {
        {{3, 3, 3, 3}, ", in all 4 layers of `Block` alike (50.0% longer)"},
        {{3, 3.08, 2.94, 3},
         ", in all 4 layers of `Block` alike (47.0% to 54.0% longer)"},
        {{1, 1.02, 0.96, 1},
         ", in all 4 layers of `Block` alike (49.0% to 52.0% less time)"},
        {{3, 3.14, 2.94, 3}, ""}, /* too far from the mean */
        {{3, 3, 2.86, 3}, ""},
        {{2.05, 2.05, 2.05, 2.05}, ""}, /* too little */
        {{2.1, 2.1, 1.99, 2.1}, ""},    /* one is shorter */
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        lay_out(2, cases[k].now, "h.");
        assert_text(compare_layers_alike(&a, &c), cases[k].want);
    }
    lay_out(2, cases[0].now, "h.");
    for (int k = 0; k < 2 * LAYERS; k++)
        layers[k / LAYERS][k % LAYERS].class = S("period of 12 kernels");
    assert_text(compare_layers_alike(&a, &c), ", in all 4 layers alike (50.0% longer)");
    c.window_ns[1] += 4 * MS;
    assert_text(compare_layers_alike(&a, &c), "");
}

/* 8 breaks of 9 ms, where 2 took 1 ms, and 10 ms more of idle time. */
static void breaks_make_the_gpu_wait(void **state)
{
    static const struct {
        double breaks, ms, idle_ms;
        const char *want;
    } cases[] = {
        {8, 9, 10,
         ": the host leaves compiled code 8 times (2 in the reference), for 9.000 ms"},
        {3, 7, 10,
         ": the host leaves compiled code 3 times (2 in the reference), for 7.000 ms"},
        {2.9, 9, 10, ""}, /* less than one more */
        {8, 6.9, 10, ""}, /* not most of it */
        {8, 9, -1, ""},   /* the GPU waits less */
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        lay_out(2, (const double[LAYERS]){2, 2, 2, 2}, "h.");
        for (int side = 0; side < 2; side++) {
            measured[side][0] = (struct capture_measure){measure_name(MEASURED_BREAKS),
                                                         side ? cases[k].breaks : 2};
            measured[side][1] = (struct capture_measure){measure_name(MEASURED_BREAK),
                                                         side ? cases[k].ms : 1};
            sides[side].measured = measured[side];
            sides[side].n_measured = 2;
        }
        c.idle_ns[0] = MS;
        c.idle_ns[1] = MS + llround(cases[k].idle_ms * MS);
        assert_text(compare_breaks_said(&a, &c), cases[k].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_layer_makes_the_difference),
        cmocka_unit_test(all_layers_are_alike),
        cmocka_unit_test(breaks_make_the_gpu_wait),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
