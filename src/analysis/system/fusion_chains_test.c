#include "fusion_chains.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define POINTWISE "void at::native::vectorized_elementwise_kernel<4, f>"
#define REDUCTION "void at::native::reduce_kernel<512, 1, r>"

/* "[8,64,256]", "[[8,64,256],[8,64,1]]": shapes as recorded. */
struct step {
    const char *op, *kernel, *dims;
};

static void add_steps(struct trace_case *c, double at, const struct step *steps, int n)
{
    for (int k = 0; k < n; k++) {
        char more[200];
        snprintf(more, sizeof more, "\"Input Dims\":%s", steps[k].dims);
        double t = at + 20 * k;
        case_event(c, "cpu_op", steps[k].op, 1, t, 10, more);
        case_launch(c, steps[k].kernel, t + 1, 10000 + t, 5, (int)t + 1);
    }
}

/* Chains of the steps, as "2 3": kernels of each. */
static void expect(const struct step *steps, int n, const char *want)
{
    struct trace_case c;
    case_begin(&c);
    add_steps(&c, 10, steps, n);
    case_open(&c, NULL);
    struct kernel_chains got = kernel_chains_find(&c.perm, c.tmp, &c.view);
    char text[100] = "";
    for (int32_t k = 0; k < got.n; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", k ? " " : "",
                 got.first[k + 1] - got.first[k]);
    assert_string_equal(text, want);
    case_close(&c);
}

#define X                   "[[8,64,256]]"
#define XX                  "[[8,64,256],[8,64,256]]"
#define EXPECT(steps, want) expect(steps, (int)(sizeof(steps) / sizeof *(steps)), want)

static const struct step norm[] = {
    {"aten::pow", POINTWISE, X},
    {"aten::mean", REDUCTION, X},
    {"aten::add", POINTWISE, "[[8,64,1],[]]"},
    {"aten::rsqrt", POINTWISE, "[[8,64,1]]"},
    {"aten::mul", POINTWISE, "[[8,64,256],[8,64,1]]"},
};

/* Of a rotary embedding: joined halves are a step, a cache that grows is none. */
static void a_cache_that_grows_is_no_step(void **state)
{
    (void)state;
    struct step steps[] = {
        {"aten::mul", POINTWISE, XX},
        {"aten::neg", POINTWISE, X},
        {"aten::cat", POINTWISE, "[[[8,32,256],[8,32,256]],[]]"},
        {"aten::add", POINTWISE, XX},
        {"aten::cat", POINTWISE, "[[[8,900,256],[8,64,256]],[]]"},
    };
    EXPECT(steps, "4");
    steps[4].dims = "[[[8,500,256],[8,64,256]],[]]";
    EXPECT(steps, "5");
}

/* A weight of as many elements as what the chain makes, which autocast casts for a
 * layer behind it: with types, it is that layer's second operand, or its first. */
static void a_cast_of_a_weight_is_no_step(void **state)
{
    (void)state;
    for (int weight = 0; weight < 2; weight++) {
        struct trace_case c;
        char args[200];
        case_begin(&c);
        const struct step steps[] = {{"aten::add", POINTWISE, XX},
                                     {"aten::mul", POINTWISE, XX}};
        add_steps(&c, 10, steps, 2);
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[8,64,256],[256,512]],\"Input type\":[\"%s\","
                 "\"float\"]",
                 weight ? "c10::Half" : "float");
        case_event(&c, "cpu_op", "aten::linear", 1, 100, 30, args);
        case_op(&c, "aten::to", 105, 20);
        case_event(&c, "cpu_op", "aten::copy_", 1, 108, 10,
                   "\"Input Dims\":[[512,256],[512,256]]");
        case_launch(&c, POINTWISE, 110, 11000, 5, 900);
        case_open(&c, NULL);
        struct kernel_chains got = kernel_chains_find(&c.perm, c.tmp, &c.view);
        assert_int_equal(got.n, 1);
        assert_int_equal(got.first[1], weight ? 2 : 3);
        case_close(&c);
    }
}

static void a_norm_between_products_is_a_chain(void **state)
{
    (void)state;
    struct step with[7] = {{"aten::mm", "Cijk_Ailk", XX}};
    memcpy(with + 1, norm, sizeof norm);
    with[6] = with[0];
    EXPECT(norm, "5");
    EXPECT(with, "5");
}

static void what_ends_a_chain(void **state)
{
    (void)state;
    static const struct step between[] = {
        {"aten::mm", "Cijk_Ailk", XX},
        {"aten::add", "triton_poi_fused_add_0", XX},
        {"aten::_flash_attention_forward", "attn_fwd", X},
        {"aten::mul", "some_fused_kernel_elementwise", XX},
        {"aten::fill_", POINTWISE, X},
        {"aten::native_batch_norm", "batch_norm_collect_statistics_kernel", X},
        {"c10d::allreduce_", "ncclDevKernel_AllReduce_Sum_f32", X},
        {"vendor::norm", "rms_norm_kernel", X},
        {"aten::add", POINTWISE, "[[7,31],[7,31]]"},     /* not of these tensors */
        {"aten::add_", POINTWISE, "[[],[],[]]"},         /* a counter */
        {"aten::add_", POINTWISE, "[[7,31,256],[256]]"}, /* a vector of its own */
    };
    for (size_t k = 0; k < sizeof between / sizeof *between; k++) {
        struct step steps[5] = {norm[0], norm[1], between[k], norm[3], norm[4]};
        EXPECT(steps, "2 2");
    }
}

/* The gradient is set to zero before the loss writes into it: with the softmax behind,
 * three kernels of one chain. Zeros of anything else are of none. */
static void zeros_of_a_loss_are_of_its_chain(void **state)
{
    (void)state;
    for (int of_loss = 0; of_loss < 2; of_loss++) {
        struct trace_case c;
        case_begin(&c);
        char more[] = "\"Input Dims\":[[8,64,256],[8,64,256]]";
        case_event(&c, "cpu_op", of_loss ? "aten::nll_loss_backward" : "aten::mine", 1,
                   10, 30, more);
        case_event(&c, "cpu_op", "aten::zero_", 1, 11, 10, more);
        case_event(&c, "cpu_op", "aten::fill_", 1, 12, 8, more);
        case_launch(&c, POINTWISE, 13, 10000, 5, 1);
        case_launch(&c, POINTWISE, 25, 10010, 5, 2);
        case_event(&c, "cpu_op", "aten::_log_softmax_backward_data", 1, 50, 10, more);
        case_launch(&c, POINTWISE, 51, 10020, 5, 3);
        case_open(&c, NULL);
        struct kernel_chains got = kernel_chains_find(&c.perm, c.tmp, &c.view);
        assert_int_equal(got.n, 1);
        assert_int_equal(got.first[1], of_loss ? 3 : 2);
        case_close(&c);
    }
}

static void separate_tensors_are_no_chain(void **state)
{
    (void)state;
    static const struct step scaled[] = {{"aten::mul_", POINTWISE, X},
                                         {"aten::mul_", POINTWISE, X},
                                         {"aten::mul_", POINTWISE, X}},
                             summed[] = {{"aten::add", POINTWISE, XX},
                                         {"aten::add", POINTWISE, XX},
                                         {"aten::relu", POINTWISE, X}};
    EXPECT(scaled, "");
    EXPECT(summed, "3");
}

static void what_recurs_at_once_is_a_chain_each(void **state)
{
    (void)state;
    static const struct step rotary[] = {
        {"aten::mul", POINTWISE, "[[8,64,256],[1,64,256]]"},
        {"aten::neg", POINTWISE, "[[8,64,128]]"},
        {"aten::cat", "CatArrayBatchedCopy", "[[],[]]"},
        {"aten::add", POINTWISE, XX},
    };
    struct step twice[10] = {{"aten::silu", POINTWISE, X},
                             {"aten::relu", POINTWISE, X}};
    memcpy(twice + 2, rotary, sizeof rotary);
    memcpy(twice + 6, rotary, sizeof rotary);
    EXPECT(rotary, "4");
    EXPECT(twice, "2 4 4");
}

/* Two parameters of one size, of which the second has no decay. */
static void an_update_ends_with_its_parameter(void **state)
{
    (void)state;
    static const struct step adam[] = {
        {"aten::mul_", POINTWISE, X},      {"aten::lerp_", POINTWISE, XX},
        {"aten::addcmul_", POINTWISE, XX}, {"aten::addcdiv_", POINTWISE, XX},
        {"aten::lerp_", POINTWISE, XX},    {"aten::addcmul_", POINTWISE, XX},
        {"aten::addcdiv_", POINTWISE, XX},
    };
    EXPECT(adam, "4 3");
}

#define TO_BF16(from) XX ",\"Input type\":[\"c10::BFloat16\",\"" from "\"]"

/* A weight of 8 bits as large as what is added before: not made by that chain, and no
 * chain before the matmul that reads it. A picture is one with what normalises it. */
static void numbers_of_8_bits_begin_a_chain(void **state)
{
    (void)state;
    static const struct step add = {"aten::add", POINTWISE, XX},
                             relu = {"aten::relu", POINTWISE, X},
                             cast = {"aten::copy_", POINTWISE, TO_BF16("signed char")},
                             wide = {"aten::copy_", POINTWISE, TO_BF16("float")},
                             mul = {"aten::mul", POINTWISE, X},
                             mm = {"aten::mm", "Cijk_Ailk", "[[4,64],[8,64,256]]"},
                             other = {"aten::mm", "Cijk_Ailk", "[[8,64,256],[256,9]]"};
    const struct step weight[] = {add, relu, cast, mul, mm},
                      picture[] = {add, relu, cast, mul, other},
                      casts[] = {add, relu, wide, mul, mm},
                      made[] = {cast, relu, cast, mul};
    EXPECT(weight, "2");
    EXPECT(picture, "2 2");
    EXPECT(casts, "4");
    EXPECT(made, "4");
}

static void each_stream_has_its_own(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    add_steps(&c, 10, norm, 5);
    case_kernel(&c, "Cijk_Ailk", 8, 10015, 60, 999); /* beside the chain */
    case_open(&c, NULL);
    struct kernel_chains got = kernel_chains_find(&c.perm, c.tmp, &c.view);
    assert_int_equal(got.n, 1);
    assert_int_equal(got.first[1], 5);
    assert_int_equal(got.kernels[0], case_find(&c, POINTWISE, 0));
    case_close(&c);
}

/* A cast and a sum for each of three parameters of like sizes: three chains where
 * autograd adds gradients up, one where the operators are a model's own. */
static void each_gradient_is_a_chain(void **state)
{
    (void)state;
    for (int autograd = 0; autograd < 2; autograd++) {
        struct trace_case c;
        case_begin(&c);
        for (int k = 0; k < 3; k++) {
            static const char *const dims_of[] = {
                "[[64,256],[64,256]]", "[[64,128],[64,128]]", "[[64,64],[64,64]]"};
            const char *dims = dims_of[k];
            const struct step steps[] = {{"aten::copy_", POINTWISE, dims},
                                         {"aten::add_", POINTWISE, dims}};
            add_steps(&c, 10 + 100 * k, steps, 2);
            if (autograd)
                case_event(&c, "cpu_op", "torch::autograd::AccumulateGrad", 1,
                           29 + 100 * k, 15, "");
        }
        case_open(&c, NULL);
        struct kernel_chains got = kernel_chains_find(&c.perm, c.tmp, &c.view);
        assert_int_equal(got.n, autograd ? 3 : 1);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cast_of_a_weight_is_no_step),
        cmocka_unit_test(each_gradient_is_a_chain),
        cmocka_unit_test(a_cache_that_grows_is_no_step),
        cmocka_unit_test(a_norm_between_products_is_a_chain),
        cmocka_unit_test(what_ends_a_chain),
        cmocka_unit_test(zeros_of_a_loss_are_of_its_chain),
        cmocka_unit_test(separate_tensors_are_no_chain),
        cmocka_unit_test(what_recurs_at_once_is_a_chain_each),
        cmocka_unit_test(an_update_ends_with_its_parameter),
        cmocka_unit_test(numbers_of_8_bits_begin_a_chain),
        cmocka_unit_test(each_stream_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
