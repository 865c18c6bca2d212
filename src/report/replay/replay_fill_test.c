#include "replay_fill.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const int64_t matrix[] = {512, 64}, dense[] = {64, 1}, row[] = {141},
                     one[] = {1};

static struct replay_tensor tensor_of(const char *dtype, const int64_t *shape,
                                      int32_t n)
{
    return (struct replay_tensor){.shape = shape,
                                  .strides = n == 2 ? dense : one,
                                  .n_dims = n,
                                  .dtype = str_of(dtype)};
}

static struct replay_arg arg_of(const char *name, struct replay_tensor *t)
{
    return (struct replay_arg){
        .name = str_of(name),
        .type = S("Tensor"),
        .value = {.kind = REPLAY_TENSOR, .tensors = t, .n = 1},
    };
}

static struct replay_arg int_arg(const char *name, int64_t i)
{
    return (struct replay_arg){
        .name = str_of(name), .type = S("int"), .value = {.kind = REPLAY_INT, .i = i}};
}

static void types_decide_where_no_rule_does(void **state)
{
    static const struct {
        const char *dtype;
        enum replay_fill want;
    } all[] = {
        {"float", REPLAY_FILL_NORMAL},
        {"double", REPLAY_FILL_NORMAL},
        {"c10::Half", REPLAY_FILL_NORMAL},
        {"c10::BFloat16", REPLAY_FILL_NORMAL},
        {"c10::Float8_e4m3fn", REPLAY_FILL_NORMAL},
        {"c10::complex<float>", REPLAY_FILL_NORMAL},
        {"bool", REPLAY_FILL_BERNOULLI},
        {"long int", REPLAY_FILL_RANDINT},
        {"int", REPLAY_FILL_RANDINT},
        {"short int", REPLAY_FILL_RANDINT},
        {"signed char", REPLAY_FILL_RANDINT},
        {"unsigned char", REPLAY_FILL_RANDINT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct replay_tensor t = tensor_of(all[i].dtype, row, 1);
        struct replay_arg a = arg_of("self", &t);
        replay_fill_args(S("custom::op"), &a, 1);
        assert_int_equal(t.fill, all[i].want);
        assert_int_equal(t.high, all[i].want == REPLAY_FILL_RANDINT ? 2 : 0);
    }
}

static void an_index_stays_within_what_it_points_into(void **state)
{
    (void)state;
    struct replay_tensor weight = tensor_of("c10::Half", matrix, 2),
                         index = tensor_of("long int", row, 1);
    struct replay_arg e[] = {arg_of("weight", &weight), arg_of("indices", &index)};
    replay_fill_args(S("aten::embedding"), e, 2);
    assert_int_equal(weight.fill, REPLAY_FILL_NORMAL);
    assert_int_equal(index.fill, REPLAY_FILL_RANDINT);
    assert_int_equal(index.high, 512);
    /* index_select(self[512, 64], dim, index): the size of that dimension. */
    struct replay_arg s[] = {arg_of("self", &weight), int_arg("dim", -1),
                             arg_of("index", &index)};
    replay_fill_args(S("aten::index_select"), s, 3);
    assert_int_equal(index.high, 64);
    s[1].value.i = 0;
    replay_fill_args(S("aten::index_select"), s, 3);
    assert_int_equal(index.high, 512);
    s[1].value.i = 7; /* no such dimension: what is safe for most */
    replay_fill_args(S("aten::index_select"), s, 3);
    assert_int_equal(index.high, 2);
    /* nll_loss_forward(self[512, 64], target): one of 64 classes. */
    struct replay_arg n[] = {arg_of("self", &weight), arg_of("target", &index)};
    replay_fill_args(S("aten::nll_loss_forward"), n, 2);
    assert_int_equal(index.high, 64);
    /* max_pool2d backward: a place in a plane of 512 x 64. */
    struct replay_arg p[] = {arg_of("self", &weight), arg_of("indices", &index)};
    replay_fill_args(S("aten::max_pool2d_with_indices_backward"), p, 2);
    assert_int_equal(index.high, 512 * 64);
    struct replay_arg b[] = {int_arg("num_weights", 1000), arg_of("indices", &index)};
    replay_fill_args(S("aten::embedding_dense_backward"), b, 2);
    assert_int_equal(index.high, 1000);
    /* The same word in an operator of someone else's means nothing. */
    replay_fill_args(S("custom::embedding"), e, 2);
    assert_int_equal(index.high, 2);
}

static void what_is_overwritten_is_not_filled(void **state)
{
    (void)state;
    struct replay_tensor self = tensor_of("float", matrix, 2),
                         src = tensor_of("float", matrix, 2);
    struct replay_arg a[] = {arg_of("self", &self), arg_of("src", &src)};
    replay_fill_args(S("aten::copy_"), a, 2);
    assert_int_equal(self.fill, REPLAY_FILL_NONE);
    assert_int_equal(src.fill, REPLAY_FILL_NORMAL);
    a[1].keyword = true;
    a[1].type = S("Tensor(a!)");
    replay_fill_args(S("aten::mul"), a, 2);
    assert_int_equal(self.fill, REPLAY_FILL_NORMAL);
    assert_int_equal(src.fill, REPLAY_FILL_NONE);
}

static void a_product_that_is_too_large_is_no_bound(void **state)
{
    static const int64_t huge[] = {0, INT64_C(1) << 52, INT64_C(1) << 52};
    static const int64_t strides[] = {1, 1, 1};
    (void)state;
    struct replay_tensor t = tensor_of("float", huge, 3),
                         index = tensor_of("int", row, 1);
    t.strides = strides;
    struct replay_arg a[] = {arg_of("self", &t), arg_of("indices", &index)};
    replay_fill_args(S("aten::max_pool2d_with_indices_backward"), a, 2);
    assert_int_equal(index.high, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_decide_where_no_rule_does),
        cmocka_unit_test(an_index_stays_within_what_it_points_into),
        cmocka_unit_test(what_is_overwritten_is_not_filled),
        cmocka_unit_test(a_product_that_is_too_large_is_no_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
