#include "average_loops.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct turn {
    const char *op, *more; /* dims of the other argument, and the third as recorded */
    const char *third;
};

struct averages {
    struct turn turn[4];
    int turns;
    bool one_size;
    const char *around; /* an annotation */
    int32_t want;       /* loops */
    double moved;       /* of what one call moves */
};

static void add_operator(struct trace_case *c, double at, const struct turn *x,
                         int columns)
{
    char more[300], other[40];
    bool number = str_eq(str_of(x->more), S("[]"));
    snprintf(other, sizeof other, number ? "[]" : "[64,%d]", columns);
    snprintf(
        more, sizeof more,
        "\"Input Dims\":[[64,%d],%s,[]],\"Input type\":[\"float\",\"%s\",\"Scalar\"],"
        "\"Concrete Inputs\":[\"\",\"\",\"%s\"]",
        columns, other, number ? "double" : "float", x->third);
    case_event(c, "cpu_op", x->op, 1, at, 8, more);
    case_launch(c, "kernel", at + 1, at + 5, 3, 1 + c->n_events);
}

static void check(const struct averages *x)
{
    struct trace_case c;
    double at = 10;
    case_begin(&c);
    for (int k = 0; k < x->turns; k++)
        for (int i = 0; i < 4 && x->turn[i].op; i++, at += 10)
            add_operator(&c, at, &x->turn[i], x->one_size ? 8 : 8 + k % 3);
    if (x->around)
        case_event(&c, "user_annotation", x->around, 1, 5, at, "");
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct average_loops l = average_loops_find(&c.perm, c.tmp, &t);
    assert_int_equal(l.n, x->want);
    if (l.n) {
        assert_int_equal(l.turns, x->turns);
        assert_int_equal(l.at[0].turns, x->turns);
        assert_true(l.at[0].start_ns == c.store.start_ns[l.first]);
        assert_true(l.moved > x->moved * l.least * 0.999 &&
                    l.moved < x->moved * l.least * 1.001);
    }
    case_close(&c);
}

#define SCALE                                                                          \
    {                                                                                  \
        "aten::mul_", "[]", ""                                                         \
    }
#define SCALED                                                                         \
    {                                                                                  \
        "aten::mul", "[]", ""                                                          \
    }
#define ADDS(alpha)                                                                    \
    {                                                                                  \
        "aten::add_", "", alpha                                                        \
    }

static const struct averages cases[] = {
    {{SCALE, ADDS("0.0001")}, 20, false, NULL, 1, 5 / 3.0},
    {{{"aten::lerp_", "", "0.001"}}, 20, false, NULL, 1, 1},
    {{SCALED, SCALED, {"aten::add", "", "1"}, {"aten::copy_", "", ""}},
     20,
     false,
     NULL,
     1,
     3},
    /* momentum, or a number that is not recorded; few; one tensor; an optimizer's */
    {{SCALE, ADDS("1")}, 20, false, NULL, 0, 0},
    {{SCALE, ADDS("")}, 20, false, NULL, 0, 0},
    {{{"aten::lerp_", "", "0.5"}}, 20, false, NULL, 0, 0},
    {{SCALE, ADDS("0.0001")}, 15, false, NULL, 0, 0},
    {{SCALE, ADDS("0.0001")}, 20, true, NULL, 0, 0},
    {{SCALE, ADDS("0.1")}, 20, false, "Optimizer.step#Own.step", 0, 0},
    {{SCALED, SCALED, {"aten::add", "", "1"}}, 20, false, NULL, 0, 0},
};

static void averages_are_known_by_their_operators(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check(&cases[k]);
}

/* Without shapes: `ops` of a turn, `turns` times, each with a kernel of that name but
 * those that launch nothing; `other` launches work behind turn 40. */
struct unsized {
    const char *ops[9], *kernel, *frames[2], *around, *other;
    int turns;
    int32_t want; /* turns */
};

static void check_unsized(const struct unsized *x)
{
    struct trace_case c;
    double at = 10, end = 10 + 100.0 * (x->turns + 1);
    case_begin(&c);
    for (int k = 0; k < 2 && x->frames[k]; k++)
        case_frame(&c, x->frames[k], 5 + k, end - 2 * k);
    if (x->around)
        case_event(&c, "user_annotation", x->around, 1, 4, end + 10, "");
    for (int k = 0; k < x->turns; k++, at = 10 + 100.0 * k)
        for (int i = 0; i < 10; i++, at += 10) {
            const char *op = i < 9 ? x->ops[i] : k == 40 ? x->other : NULL;
            if (!op)
                continue;
            case_op(&c, op, at, 8);
            if (!str_has(str_of(op), S("detach")))
                case_launch(&c, x->kernel, at + 1, at + 5, 3, 1 + c.n_events);
        }
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct average_loops l = average_loops_find(&c.perm, c.tmp, &t);
    assert_false(l.sized);
    assert_int_equal(l.turns, x->want);
    assert_int_equal(l.n, x->want > 0);
    if (l.n && x->frames[0])
        assert_true(str_eq(l.frame, str_of(x->frames[0])));
    case_close(&c);
}

#define UPDATE      "aten::mul", "aten::mul", "aten::add", "aten::copy_"
#define BLEND       "aten::mul_", "aten::add_"
#define ADAM        "aten::addcmul_", "aten::sqrt", "aten::div", "aten::add_", "aten::addcdiv_"
#define BY_NUMBER   "vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float>"
#define BY_TENSOR   "vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float>"
#define ADDS_NUMBER "vectorized_elementwise_kernel<4, CUDAFunctorOnSelf_add<float>"

static const struct unsized averages_unsized[] = {
    {{UPDATE}, BY_NUMBER, .turns = 64, .want = 64},
    {{"aten::detach", UPDATE}, BY_NUMBER, .turns = 64, .want = 64},
    {{"aten::lerp_"}, "lerp", .turns = 64, .want = 64},
    {{UPDATE},
     "k",
     {"model_ema.py(130): update", "model_ema.py(131): <lambda>"},
     .turns = 64,
     .want = 64},
    {{BLEND}, "k", {"train.py(30): update_ema"}, .turns = 64, .want = 64},
    {{BLEND}, "k", {"src/ema.py(30): __call__"}, .turns = 64, .want = 64},
    {{BLEND}, "k", {"sac.py(9): soft_update"}, .turns = 64, .want = 64},
    {{"aten::lerp_"},
     "k",
     {"torch/optim/swa_utils.py(30): update_parameters"},
     .turns = 64,
     .want = 64},
    /* too few; not in a row; of tensors, no numbers */
    {{UPDATE}, BY_NUMBER, .turns = 63},
    {{UPDATE}, BY_NUMBER, .other = "aten::sum", .turns = 100},
    {{UPDATE}, BY_NUMBER, .other = "aten::copy_", .turns = 100},
    {{UPDATE}, BY_TENSOR, .turns = 100},
    {{UPDATE}, ADDS_NUMBER, .turns = 100},
    {{"aten::mul", "aten::mul", "aten::add"}, BY_NUMBER, .turns = 100},
};

/* What optimizers, clipping and accumulation launch tensor by tensor. */
static const struct unsized others_unsized[] = {
    {{BLEND, "aten::add_"}, "k", .turns = 100},               /* momentum */
    {{"aten::add", BLEND, "aten::add_"}, "k", .turns = 100},  /* and weight decay */
    {{"aten::mul_", BLEND, "aten::add_"}, "k", .turns = 100}, /* decoupled */
    {{BLEND, "aten::add", "aten::add_"}, "k", .turns = 100},  /* Nesterov's */
    {{"aten::mul_", "aten::addcmul_"}, "k", .turns = 100},
    {{BLEND}, "k", .turns = 100}, /* momentum, or decay and update, in own loops */
    {{BLEND}, "k", {"sgd.py(9): step"}, .turns = 100},
    {{BLEND}, "k", {"schema.py(9): apply"}, .turns = 100},
    {{"aten::lerp_", "aten::mul_", ADAM}, "k", .turns = 100},
    {{"aten::mul_", "aten::lerp_", "aten::mul_", ADAM}, "k", .turns = 100},
    {{BLEND, "aten::mul_", ADAM}, "k", .turns = 100},
    {{"aten::clone", "aten::mul_", "aten::add", "aten::sign_", "aten::add_", BLEND},
     "k",
     .turns = 100},                            /* Lion */
    {{"aten::mul_"}, "k", .turns = 100},       /* clipping */
    {{"aten::mul_"}, BY_TENSOR, .turns = 100}, /* by a norm */
    {{"aten::linalg_vector_norm"}, "k", .turns = 100},
    {{"aten::mul_", "aten::copy_"}, "k", .turns = 100},
    {{"aten::mul", "aten::add", "aten::copy_"}, "k", .turns = 100},
    {{"aten::add_"}, "k", .turns = 100}, /* accumulation */
    {{"aten::copy_"}, "k", .turns = 100},
    {{"aten::lerp_"}, "k", .around = "Optimizer.step#Muon.step", .turns = 100},
    {{UPDATE}, "k", .around = "Optimizer.step#Own.step", .turns = 100},
    {{"aten::lerp_"}, "k", {"muon.py(60): step"}, .turns = 100},
    {{UPDATE}, "k", {"torch/optim/sgd.py(3): _single_tensor_sgd"}, .turns = 100},
    {{UPDATE},
     "k",
     {"train.py(1): update_ema", "own_optimizer.py(3): apply"},
     .turns = 100},
};

static void without_shapes_long_rows_of_one_form_are_averages(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof averages_unsized / sizeof *averages_unsized; k++)
        check_unsized(&averages_unsized[k]);
}

static void without_shapes_optimizers_and_clipping_are_none(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof others_unsized / sizeof *others_unsized; k++)
        check_unsized(&others_unsized[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages_are_known_by_their_operators),
        cmocka_unit_test(without_shapes_long_rows_of_one_form_are_averages),
        cmocka_unit_test(without_shapes_optimizers_and_clipping_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
