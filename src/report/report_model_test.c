#include "report/report_model.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { MOST_ROWS = 8 };

static struct analysis *found;
static struct op_tables tables;
static struct work_row rows[WORK_CATEGORIES][MOST_ROWS];
static struct op_group groups[WORK_CATEGORIES][MOST_ROWS];
static struct report_source s;

static void begin(void)
{
    found = arena_new(&a, struct analysis, 1);
    tables = (struct op_tables){0};
    s = (struct report_source){&a, &tables, found, NULL};
}

static struct work_row *add(enum work_category c, const char *args, double time_ms)
{
    struct category_result *of = &found->categories[c];
    if (!of->n_rows)
        found->by_time[found->n_by_time++] = c;
    of->rows = rows[c];
    struct work_row *row = &rows[c][of->n_rows];
    groups[c][of->n_rows] = (struct op_group){0};
    *row = (struct work_row){
        .group = &groups[c][of->n_rows++], .args = str_of(args), .time_ms = time_ms};
    return row;
}

static void add_product(double k, double time_ms)
{
    work_set(&a, add(WORK_GEMM, "", time_ms), FACT("K", k));
}

static struct module_classes layers_of(int32_t instances)
{
    static struct module_class list[3];
    list[0] = (struct module_class){.name = S("ViTLayerNorm"), .instances = 99};
    list[1] = (struct module_class){.name = S("ViTLayer"), .instances = instances};
    list[2] = (struct module_class){.name = S("Block"), .instances = 1};
    return (struct module_classes){list, 3};
}

/* The width has to have a tenth of the time of products; a hair less is a part of the
 * model, such as the encoder of its text. */
static void a_width_with_a_tenth_of_the_products_is_that_of_the_model(void **state)
{
    (void)state;
    for (int less = 0; less < 2; less++) {
        begin();
        add(WORK_NORM, "(1,77,768) bf16, (768,) bf16", 1);
        add_product(768, less ? 9.9 : 10);
        add_product(3072, less ? 90.1 : 90); /* no width of a normalisation */
        assert_int_equal(hidden_size(&s, a), less ? -1 : 768);
        const struct module_classes m = layers_of(12);
        assert_text(scale(&s, a, &m),
                    less ? "Cannot be inferred from trace" : "hidden 768, 12 layers");
    }
}

static void of_two_widths_the_one_with_more_time_counts(void **state)
{
    (void)state;
    begin();
    add(WORK_NORM, "(8,1024) f32", 1);
    add(WORK_NORM, "(8,4096) f32", 1);
    add_product(1024, 30);
    add_product(4096, 20);
    add_product(4096, 20);
    assert_int_equal(hidden_size(&s, a), 4096);
}

static void one_layer_is_no_scale(void **state)
{
    (void)state;
    begin();
    add(WORK_NORM, "(8,1024) f32", 1);
    add_product(1024, 30);
    struct module_classes m = layers_of(1);
    assert_text(scale(&s, a, &m), "Cannot be inferred from trace");
    m = layers_of(2);
    assert_text(scale(&s, a, &m), "hidden 1024, 2 layers");
}

static void the_first_width_is_the_last_size_of_the_first_tensor(void **state)
{
    (void)state;
    assert_int_equal(first_width(S("(1,25089,768) bf16, (512,) bf16")), 768);
    assert_int_equal(first_width(S("(768,) bf16")), 768);
    assert_int_equal(first_width(S("() f32")), -1);
    assert_int_equal(first_width(S("bf16")), -1);
    assert_int_equal(first_width(S(") (")), -1);
}

/* Shares of computation decide, to the percent. */
static void an_architecture_follows_from_shares(void **state)
{
    static const struct {
        double conv, attention, moe;
        const char *want;
    } cases[] = {{20, 0, 0, "CNN"},
                 {19.9, 0, 0, "Cannot be inferred from trace"},
                 {19.9, 1, 0, "Transformer"},
                 {20, 19.9, 0, "Transformer"},
                 {20, 20, 0, "Hybrid CNN-Transformer"},
                 {0, 30, 5, "MoE Transformer"},
                 {0, 30, 4.9, "Transformer"},
                 {0, 0, 50, "Cannot be inferred from trace"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        if (cases[i].attention > 0)
            add(WORK_SDPA_FWD, "", 1);
        found->categories[WORK_SDPA_FWD].compute_pct = cases[i].attention;
        found->categories[WORK_CONVOLUTION].compute_pct = cases[i].conv;
        found->categories[WORK_MOE_FUSED].compute_pct = cases[i].moe;
        assert_text(architecture(&s), cases[i].want);
    }
}

static void a_recurrence_is_told_by_names(void **state)
{
    (void)state;
    begin();
    add(WORK_OTHER, "", 1)->name = S("aten::_thnn_fused_LSTM_cell");
    assert_text(architecture(&s), "RNN");
}

static void two_precisions_are_mixed_if_each_has_a_fifth(void **state)
{
    static const struct {
        double second_ms;
        const char *want;
    } cases[] = {{20, "BF16"}, {20.1, "BF16/FP8 mixed"}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin();
        double ms = cases[i].second_ms;
        add(WORK_GEMM, "", 100 - ms)->efficiency.compute_spec = S("matrix_bf16");
        add(WORK_GEMM, "", ms)->efficiency.compute_spec = S("matrix_fp8");
        groups[WORK_GEMM][0].compute_spec = groups[WORK_GEMM][1].compute_spec =
            S("matrix_bf16");
        add(WORK_ELEMENTWISE, "", 500)->efficiency.compute_spec = S("vector_fp32");
        assert_text(precision(&s, a), cases[i].want);
    }
}

/* Without products, what the rest computes in, if that is a tenth of the time; indices
 * in 64 bits are no precision. */
static void vectors_tell_the_precision_where_there_are_no_products(void **state)
{
    (void)state;
    for (int ms = 5; ms < 7; ms++) {
        begin();
        add(WORK_ELEMENTWISE, "", ms)->efficiency.compute_spec = S("vector_fp32");
        add(WORK_ELEMENTWISE, "", 50)->efficiency.compute_spec = S("vector_int64");
        assert_text(precision(&s, a),
                    ms == 6 ? "FP32" : "Cannot be inferred from trace");
    }
    begin();
    assert_text(precision(&s, a), "Cannot be inferred from trace");
}

/* A module with a tenth of computation names the model; wrappers do not. */
static void a_model_is_named_by_the_module_with_most_time(void **state)
{
    static struct str chain[] = {S_INIT("DistributedDataParallel"), S_INIT("Llama")};
    const struct module_classes none = {0};
    (void)state;
    for (int enough = 0; enough < 2; enough++) {
        begin();
        found->computation_ms = 100;
        struct work_row *row = add(WORK_GEMM, "", enough ? 10 : 9.9);
        row->module_chain = chain;
        row->n_modules = 2;
        assert_text(model_name(&s, a, &none),
                    enough ? "Llama" : "Cannot be inferred from trace");
    }
}

static void of_equal_modules_the_first_in_byte_order_counts(void **state)
{
    struct module_class list[] = {{.name = S("B"), .outermost_ns = 50},
                                  {.name = S("A"), .outermost_ns = 50}};
    const struct module_classes m = {list, 2};
    (void)state;
    begin();
    tables.facts.time.computation_ns = 100;
    assert_text(model_name(&s, a, &m), "A");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_width_with_a_tenth_of_the_products_is_that_of_the_model),
        cmocka_unit_test(of_two_widths_the_one_with_more_time_counts),
        cmocka_unit_test(one_layer_is_no_scale),
        cmocka_unit_test(the_first_width_is_the_last_size_of_the_first_tensor),
        cmocka_unit_test(an_architecture_follows_from_shares),
        cmocka_unit_test(a_recurrence_is_told_by_names),
        cmocka_unit_test(two_precisions_are_mixed_if_each_has_a_fifth),
        cmocka_unit_test(vectors_tell_the_precision_where_there_are_no_products),
        cmocka_unit_test(a_model_is_named_by_the_module_with_most_time),
        cmocka_unit_test(of_equal_modules_the_first_in_byte_order_counts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
