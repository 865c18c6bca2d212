#include "store_redact.c"

#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char json[] =
    "{\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"/home/eve/a/train.py(3): "
    "main\","
    "\"ts\":1,\"dur\":90,\"pid\":1,\"tid\":1},"
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"/opt/v/lib/python3.10/"
    "site-packages/torch/nn/m.py(7): call\",\"ts\":2,\"dur\":80,\"pid\":1,\"tid\":1},"
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: "
    "Secret_12\",\"ts\":3,"
    "\"dur\":70,\"pid\":1,\"tid\":1},"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#4\",\"ts\":4,"
    "\"dur\":60,\"pid\":1,\"tid\":1},"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"our "
    "trick\",\"ts\":5,\"dur\":50,"
    "\"pid\":1,\"tid\":1},"
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"torchvision/models/"
    "resnet.py(89): forward\",\"ts\":6,\"dur\":45,\"pid\":1,\"tid\":1},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::div\",\"ts\":6,\"dur\":40,"
    "\"pid\":1,"
    "\"tid\":1},"
    "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":1,\"tid\":0,\"args\":{"
    "\"labels\":\"eve's box\"}},"
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":"
    "\"eve\"}}]}";

static void assert_names(enum redact_level level, const char *const *want)
{
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s, json, 0, &e));
    store_redact(&s, level);
    assert_int_equal(s.n, 7);
    for (int32_t i = 0; i < s.n; i++) {
        struct str name = store_name(&s, i);
        assert_int_equal(name.n, strlen(want[i]));
        assert_memory_equal(name.p, want[i], (size_t)name.n);
    }
    assert_int_equal(s.lanes[0].process_name < 0, level != REDACT_INTERNAL);
    assert_int_equal(s.lanes[0].process_label < 0, level != REDACT_INTERNAL);
    assert_true(plain_label(&s, pool_add(&s.names, S("GPU 7"))) >= 0);
    assert_true(plain_label(&s, pool_add(&s.names, S("GPU of eve"))) < 0);
    assert_true(plain_label(&s, pool_add(&s.names, S("CPU"))) >= 0);
    store_close(&s);
}

static void test_levels(void **state)
{
    (void)state;
    assert_names(REDACT_INTERNAL,
                 (const char *const[]){".../a/train.py(3): main",
                                       "torch/nn/m.py(7): call", "nn.Module: Secret_12",
                                       "ProfilerStep#4", "our trick",
                                       "torchvision/models/resnet.py(89): forward",
                                       "aten::div"});
    assert_names(REDACT_PARTNER,
                 (const char *const[]){"train.py(3): main", "torch/nn/m.py(7): call",
                                       "nn.Module: Secret_12", "ProfilerStep#4",
                                       "our trick", "torchvision/models/resnet.py(89): forward",
                                       "aten::div"});
    assert_names(REDACT_PUBLIC, (const char *const[]){
                                    "source-1.py(3): function-1",
                                    "torch/nn/m.py(7): call", "nn.Module: module-1_12",
                                    "ProfilerStep#4", "annotation-1",
                                    "torchvision/source-2.py(89): function-2",
                                    "aten::div"});
}

static void test_shapes(void **state)
{
    (void)state;
    static const char text[] =
        "{\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"ts\":1,\"dur\":5,"
        "\"pid\":1,\"tid\":1,\"args\":{\"Input Dims\":[[4096,8]],\"Input "
        "type\":[\"float\"],"
        "\"Input Strides\":[[8,1]],\"Concrete "
        "Inputs\":[\"4096\"],\"grid\":[4096,1,1]}},"
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\",\"ts\":7,"
        "\"dur\":5,\"pid\":1,\"tid\":1,\"args\":{\"Collective "
        "name\":\"allreduce\",\"In msg nelems\":9}}]}";
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s, text, 0, &e));
    assert_int_equal(s.n_texts, 2);
    assert_true(store_texts(&s, 0)->dims >= 0 && store_texts(&s, 0)->rest >= 0);
    store_hide_shapes(&s);
    const struct op_texts *mm = store_texts(&s, 0), *comms = store_texts(&s, 1);
    assert_true(mm->dims < 0 && mm->strides < 0 && mm->concrete < 0 && mm->rest < 0);
    assert_true(mm->types >= 0 && comms->rest >= 0 && s.shapes_hidden);
    store_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels),
                                       cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
