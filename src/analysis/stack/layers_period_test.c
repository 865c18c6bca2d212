#include "layers_period.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct layers find(struct trace_case *c)
{
    case_open(c, NULL);
    return layers_by_period(&c->perm, c->tmp, &c->view);
}

/* Kernels of a layer, 10 us each and 1 us apart; of the fourth the second takes 20. */
static double layer(struct trace_case *c, double at, int k, int *id)
{
    static const char *const names[] = {"norm", "qkv", "attention", "proj", "mlp"};
    for (int i = 0; i < 5; i++) {
        double us = k == 3 && i == 1 ? 20 : 10;
        case_launch(c, names[i], 2.0 * *id, at, us, *id);
        at += us + 1;
        ++*id;
    }
    return at;
}

/* Three steps of an embedding, six layers and a head. */
static void a_period_of_kernels_is_a_layer(void **state)
{
    (void)state;
    struct trace_case c;
    int id = 1;
    double at = 10000;
    case_begin(&c);
    for (int step = 0; step < 3; step++) {
        case_launch(&c, "embed", 2.0 * id, at, 10, id);
        id++;
        at += 11;
        for (int k = 0; k < 6; k++)
            at = layer(&c, at, k, &id);
        case_launch(&c, "head", 2.0 * id, at, 10, id);
        id++;
        at += 50;
    }
    struct layers l = find(&c);
    assert_int_equal(l.period, 5);
    assert_int_equal(l.n, 6);
    assert_int_equal(l.n_classes, 1);
    assert_int_equal(l.rows[0].calls, 3);
    assert_int_equal(l.rows[0].kernels, 15);
    assert_int_equal(l.rows[0].forward_ns, 150000);
    assert_int_equal(l.rows[0].idle_ns, 12000);
    assert_int_equal(l.rows[3].forward_ns, 180000);
    case_close(&c);
}

/* The same iteration again and again is no layer of it. */
static void iterations_are_none(void **state)
{
    (void)state;
    struct trace_case c;
    int id = 1;
    case_begin(&c);
    for (int step = 0; step < 8; step++) {
        char name[32];
        snprintf(name, sizeof name, "ProfilerStep#%d", step);
        case_event(&c, "user_annotation", name, 1, 200.0 * step, 200, "");
        id = 1 + 10 * step;
        for (int i = 0; i < 5; i++, id++)
            case_launch(&c,
                        i == 0   ? "a"
                        : i == 1 ? "b"
                        : i == 2 ? "c"
                        : i == 3 ? "d"
                                 : "e",
                        200.0 * step + 10 * i, 200.0 * step + 20 * i + 5, 10, id);
    }
    assert_int_equal(find(&c).period, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_period_of_kernels_is_a_layer),
                                       cmocka_unit_test(iterations_are_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
