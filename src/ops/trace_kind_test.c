#include "ops/trace_kind.c"

#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define X(CAT, NAME)                                                                   \
    "{\"ph\":\"X\",\"cat\":\"" CAT "\",\"name\":\"" NAME                               \
    "\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}"
#define M(NAME, KEY, TEXT)                                                             \
    "{\"ph\":\"M\",\"name\":\"" NAME "\",\"pid\":1,\"tid\":0,\"args\":{\"" KEY         \
    "\":\"" TEXT "\"}}"
#define OP X("cpu_op", "aten::mm")

struct kind_case {
    const char *events;
    enum trace_kind kind;
    int64_t launches;
    const char *vendor;
};

static void is_of(const struct kind_case *c)
{
    char json[800];
    struct event_store s;
    struct err e = {0};
    snprintf(json, sizeof json, "{\"traceEvents\":[%s]}", c->events);
    assert_true(case_store(&s, json, 0, &e));
    struct trace_kind_facts f = trace_kind_of(&s);
    assert_int_equal(f.kind, c->kind);
    assert_int_equal(f.launches, c->launches);
    assert_true(str_eq(f.vendor, str_of(c->vendor)));
    store_close(&s);
}

static void what_runs_tells_the_kind(void **state)
{
    static const struct kind_case cases[] = {
        {OP "," X("kernel", "gemm"), TRACE_DEVICE, 0, ""},
        {X("gpu_memcpy", "Memcpy HtoD"), TRACE_DEVICE, 0, ""},
        {X("gpu_memset", "Memset (Device)"), TRACE_DEVICE, 0, ""},
        {OP "," X("cuda_runtime", "cudaMalloc"), TRACE_HOST, 0, ""},
        {X("cuda_runtime", "cudaMalloc"), TRACE_HOST, 0, ""},
        {OP "," X("cuda_runtime", "cudaLaunchKernel") "," X(
             "cuda_runtime", "hipExtModuleLaunchKernel") "," X("cpu_op", "launch"),
         TRACE_LOST_KERNELS, 2, ""},
        {X("cpu_op", "aten::_mps_convolution"), TRACE_APPLE_GPU, 0, ""},
        {X("cpu_op", "launch"), TRACE_HOST, 0, ""},
        {X("dynamo_timed", "compile"), TRACE_COMPILE_LOG, 0, ""},
        {X("renderer", "paint"), TRACE_FOREIGN, 0, ""}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        is_of(&cases[k]);
}

static void a_process_tells_the_vendor(void **state)
{
    static const struct kind_case cases[] = {
        {M("process_name", "name", "Ascend Hardware") "," OP, TRACE_HOST, 0,
         "Ascend NPU"},
        {M("process_name", "name", "/device:TPU:0") "," OP, TRACE_HOST, 0,
         "Google TPU"},
        {M("process_name", "name", "a NeuronCore") "," OP, TRACE_HOST, 0,
         "Trainium NeuronCore"},
        {M("process_name", "name", "XPU 0") "," OP, TRACE_HOST, 0, ""},
        {M("process_labels", "labels", "NPU") "," OP, TRACE_HOST, 0, "Ascend NPU"},
        {M("process_labels", "labels", "XPU 0") "," OP, TRACE_HOST, 0, "Intel XPU"},
        {M("process_labels", "labels", "MTIA 1") "," OP, TRACE_HOST, 0,
         "MTIA accelerator"},
        {M("process_labels", "labels", "HPU 0") "," OP, TRACE_HOST, 0, "Gaudi HPU"},
        {M("process_labels", "labels", "GPU 0") "," OP, TRACE_HOST, 0, ""}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        is_of(&cases[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_tells_the_kind),
        cmocka_unit_test(a_process_tells_the_vendor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
