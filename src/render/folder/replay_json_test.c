#include "replay_json.c"

#include "base/arena.h"
#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <stdio.h>

static const int64_t shape[] = {16, 559}, strides[] = {1, 1024}, four[] = {4},
                     one[] = {1};

static struct replay_tensor tensor_of(const char *dtype, enum replay_fill fill)
{
    return (struct replay_tensor){.shape = four,
                                  .strides = one,
                                  .n_dims = 1,
                                  .dtype = str_of(dtype),
                                  .fill = fill};
}

static void assert_value(struct replay_value v, const char *want)
{
    struct out o;
    out_memory(&o);
    line(&o, "", value(&v));
    if (!str_eq(out_view(&o), str_of(want)))
        fail_msg("%.*s\nis not\n%s", STRF(out_view(&o)), want);
    out_free(&o);
}

static void strides_that_are_not_dense(void **state)
{
    (void)state;
    struct replay_tensor t = {.shape = shape,
                              .strides = strides,
                              .n_dims = 2,
                              .dtype = S("float"),
                              .fill = REPLAY_FILL_NORMAL};
    assert_value((struct replay_value){.kind = REPLAY_TENSOR, .tensors = &t, .n = 1},
                 "{\"shape\": [16, 559], \"dtype\": \"float\", \"strides\": [1, 1024], "
                 "\"storage_offset\": 0, \"init\": \"normal\"}");
}

static void half_and_bfloat16_keep_their_names(void **state)
{
    static const char *const names[] = {"c10::Half", "c10::BFloat16"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char want[200];
        struct replay_tensor t = tensor_of(names[i], REPLAY_FILL_NORMAL);
        snprintf(want, sizeof want,
                 "{\"shape\": [4], \"dtype\": \"%s\", \"strides\": [1], "
                 "\"storage_offset\": 0, \"init\": \"normal\"}",
                 names[i]);
        assert_value(
            (struct replay_value){.kind = REPLAY_TENSOR, .tensors = &t, .n = 1}, want);
    }
}

static void integers_come_with_their_range(void **state)
{
    (void)state;
    struct replay_tensor t = tensor_of("long int", REPLAY_FILL_RANDINT);
    t.high = 512;
    assert_value(
        (struct replay_value){.kind = REPLAY_TENSOR, .tensors = &t, .n = 1},
        "{\"shape\": [4], \"dtype\": \"long int\", \"strides\": [1], "
        "\"storage_offset\": 0, \"init\": \"randint\", \"low\": 0, \"high\": 512}");
}

static void a_tensor_without_dimensions(void **state)
{
    (void)state;
    struct replay_tensor t = tensor_of("bool", REPLAY_FILL_BERNOULLI);
    t.n_dims = 0;
    assert_value((struct replay_value){.kind = REPLAY_TENSOR, .tensors = &t, .n = 1},
                 "{\"shape\": [], \"dtype\": \"bool\", \"strides\": [], "
                 "\"storage_offset\": 0, \"init\": \"bernoulli\"}");
}

static void lists_of_tensors(void **state)
{
    (void)state;
    struct replay_tensor t[2] = {tensor_of("float", REPLAY_FILL_NONE),
                                 tensor_of("float", REPLAY_FILL_ZEROS)};
    t[1].dtype_assumed = true;
    assert_value(
        (struct replay_value){.kind = REPLAY_TENSORS, .tensors = t, .n = 2},
        "[{\"shape\": [4], \"dtype\": \"float\", \"strides\": [1], \"storage_offset\": "
        "0, "
        "\"init\": null}, {\"shape\": [4], \"dtype\": \"float\", \"strides\": [1], "
        "\"storage_offset\": 0, \"init\": \"zeros\", \"dtype_assumed\": true}]");
}

/* A reader must see what is not from the trace. */
static void what_is_assumed_or_elsewhere_is_marked(void **state)
{
    (void)state;
    struct replay_tensor t = tensor_of("float", REPLAY_FILL_NORMAL);
    t.strides_assumed = true;
    t.place = REPLAY_PINNED;
    assert_value((struct replay_value){.kind = REPLAY_TENSOR, .tensors = &t, .n = 1},
                 "{\"shape\": [4], \"dtype\": \"float\", \"strides\": [1], "
                 "\"storage_offset\": 0, \"init\": \"normal\", "
                 "\"place\": \"pinned\", \"strides_assumed\": true}");
    struct replay_arg a = {.name = S("min"),
                           .type = S("Scalar"),
                           .value = {.kind = REPLAY_INT},
                           .value_assumed = true};
    struct replay_call c = {.args = &a, .n_args = 1};
    struct out o;
    out_memory(&o);
    arguments(&o, &c, false);
    assert_true(str_has(out_view(&o), S("\"value\": 0, \"value_assumed\": true}")));
    out_free(&o);
}

static void absent_optional_arguments_are_null(void **state)
{
    (void)state;
    assert_value((struct replay_value){.kind = REPLAY_NULL}, "null");
}

static void scalars(void **state)
{
    (void)state;
    assert_value((struct replay_value){.kind = REPLAY_INT, .i = INT64_MAX},
                 "9223372036854775807");
    assert_value((struct replay_value){.kind = REPLAY_REAL, .r = 2.0}, "2.0");
    assert_value((struct replay_value){.kind = REPLAY_REAL, .r = 1e-12}, "1e-12");
    assert_value((struct replay_value){.kind = REPLAY_BOOL, .b = true}, "true");
    assert_value((struct replay_value){.kind = REPLAY_TEXT, .text = S("-inf")},
                 "\"-inf\"");
    struct replay_value items[] = {{.kind = REPLAY_INT, .i = -1},
                                   {.kind = REPLAY_BOOL}};
    assert_value((struct replay_value){.kind = REPLAY_LIST, .items = items, .n = 2},
                 "[-1, false]");
    assert_value((struct replay_value){.kind = REPLAY_LIST}, "[]");
}

/* A name may hold anything: it is one string, and the document parses. */
static void hostile_names_are_values(void **state)
{
    static const char name[] = "a::b\"}],\n{\"x\": \0 \xff </script> {{y}} \\";
    (void)state;
    struct arena perm = arena_reserve(1 << 16);
    char *start = perm.at;
    struct str kernel = {name, sizeof name - 1};
    struct replay_tensor t = tensor_of("float", REPLAY_FILL_NORMAL);
    struct replay_arg args[] = {
        {.name = S("self"),
         .type = S("Tensor"),
         .value = {.kind = REPLAY_TENSOR, .tensors = &t, .n = 1}},
        {.name = S("p"), .type = S("str"), .keyword = true, .is_default = true}};
    struct replay_call c = {
        .op = kernel,
        .args = args,
        .n_args = 2,
        .recorded = {json_value(&perm, S("[[4]]")),
                     json_value(&perm, S("[\"fl</script>\"]")),
                     json_value(&perm, S("broken")), NULL, NULL},
        .count = 3,
        .mean_us = 1.5,
        .min_us = (double)NAN,
        .flop = 64,
        .byte = (double)NAN,
        .kernels = &kernel,
        .n_kernels = 1,
    };
    struct replay_package p = {
        .op = kernel, .device = kernel, .calls = &c, .n_calls = 1};
    struct out o;
    out_memory(&o);
    replay_json(&o, &p);
    cJSON *doc = cJSON_ParseWithLength(out_view(&o).p, (size_t)out_view(&o).n);
    assert_non_null(doc);
    assert_int_equal(cJSON_GetArraySize(doc), 1);
    assert_int_equal(cJSON_GetArraySize(doc->child), 8);
    cJSON *ir = cJSON_GetObjectItem(doc->child, "replay_ir");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(ir, "list_pos_args")), 1);
    assert_true(cJSON_IsTrue(
        cJSON_GetObjectItem(cJSON_GetObjectItem(ir, "list_kwargs")->child, "default")));
    cJSON *seen = cJSON_GetObjectItem(doc->child, "observed");
    assert_true(cJSON_GetObjectItem(seen, "mean_us")->valuedouble == 1.5);
    assert_true(cJSON_IsString(cJSON_GetObjectItem(seen, "device")));
    assert_null(cJSON_GetObjectItem(seen, "min_us")); /* not a number: left out */
    cJSON *event = cJSON_GetObjectItem(doc->child, "event");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(event, "Input Strides")));
    assert_true(cJSON_IsArray(cJSON_GetObjectItem(event, "Input Dims")));
    cJSON_Delete(doc);
    arena_release(start, &perm);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_that_are_not_dense),
        cmocka_unit_test(half_and_bfloat16_keep_their_names),
        cmocka_unit_test(integers_come_with_their_range),
        cmocka_unit_test(a_tensor_without_dimensions),
        cmocka_unit_test(lists_of_tensors),
        cmocka_unit_test(what_is_assumed_or_elsewhere_is_marked),
        cmocka_unit_test(absent_optional_arguments_are_null),
        cmocka_unit_test(scalars),
        cmocka_unit_test(hostile_names_are_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
