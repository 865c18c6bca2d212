#include "capture/trace_capture.c"

#include "analysis/model/system_results.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct trace_case k;
static struct trace_result t;

/* A made trace as the analysis has it, before any analyser has run. */
static struct capture made(void)
{
    static const struct system_results none;
    case_open(&k, NULL);
    t = (struct trace_result){.store = k.store, .view = k.view, .tables = k.tables};
    t.view.s = &t.store;
    t.tree = tree_index_build(&k.perm, k.tmp, &t.view);
    return capture_of_work(&k.perm, k.tmp, &t, &none, S("case"));
}

static const struct capture_row *row_of(const struct capture *c, const char *kernel,
                                        const char *parent)
{
    for (int32_t i = 0; i < c->n_rows; i++)
        if (str_eq(c->rows[i].kernel, str_of(kernel)) &&
            (!parent || str_eq(c->rows[i].parent, str_of(parent))))
            return &c->rows[i];
    fail_msg("no row of %s in %s", kernel, parent ? parent : "any");
    return NULL;
}

static void layers_are_folded(void **state)
{
    (void)state;
    assert_text(without_index(S("nn.Module: Attention_3")), "nn.Module: Attention");
    assert_text(without_index(S("nn.Module: Attention_31")), "nn.Module: Attention");
    assert_text(without_index(S("Conv2d")), "Conv2d");
    assert_text(without_index(S("x_")), "x_");
    assert_text(without_index(S("7")), "7");
}

/* The same product in two layers is one row, in the head another. */
static void rows_are_by_operator_and_module(void **state)
{
    (void)state;
    case_begin(&k);
    for (int i = 0; i < 2; i++) {
        char module[64];
        snprintf(module, sizeof module, "nn.Module: Block_%d", i);
        case_frame(&k, module, 100 * i, 50);
        case_op(&k, "aten::mm", 100 * i + 5, 10);
        case_launch(&k, "gemm", 100 * i + 6, 100 * i + 20, 30 + 10 * i, 1 + i);
    }
    case_frame(&k, "nn.Module: Head", 200, 50);
    case_op(&k, "aten::mm", 205, 20);
    case_launch(&k, "gemm", 206, 220, 10, 3);
    case_launch(&k, "reduce", 208, 230, 5, 4);
    struct capture c = made();
    assert_int_equal(c.n_rows, 2);
    const struct capture_row *block = row_of(&c, "gemm", "nn.Module: Block"),
                             *head = row_of(&c, "gemm", "nn.Module: Head");
    assert_text(block->name, "aten::mm");
    assert_int_equal(block->n_calls, 2);
    assert_int_equal(block->n_events, 2);
    assert_int_equal(block->kernel_ns, 70000);
    assert_int_equal(block->host_ns, 20000);
    assert_int_equal(head->n_calls, 1); /* of two kernels */
    assert_int_equal(head->n_events, 2);
    assert_int_equal(head->kernel_ns, 15000);
    assert_int_equal(head->host_ns, 20000);
    assert_int_equal(c.n_events, 4);
    assert_true(c.events[2].begins && !c.events[3].begins);
    assert_int_equal(c.events[0].start_ns, 20000);
    assert_int_equal(c.nodes[block->node].depth, 1);
    assert_int_equal(c.nodes[block->node].parent, 0);
    assert_true(c.nodes[block->node].module);
    assert_int_equal(c.start_ns, 20000);
    assert_int_equal(c.end_ns, 235000);
    assert_int_equal(c.computation_ns, 85000);
    assert_int_equal(c.idle_ns, 215000 - 85000);
    case_close(&k);
}

/* Of several kernels that with most time names a row, the first of equals. */
static void a_row_has_the_kernel_with_most_time(void **state)
{
    (void)state;
    case_begin(&k);
    case_op(&k, "aten::sum", 0, 30);
    case_launch(&k, "a", 1, 10, 10, 1);
    case_launch(&k, "b", 2, 20, 6, 2);
    case_launch(&k, "b", 3, 30, 6, 3);
    struct capture c = made();
    assert_int_equal(c.n_rows, 1);
    assert_text(c.rows[0].kernel, "b");
    assert_int_equal(c.rows[0].kernel_ns, 22000);
    case_close(&k);
    case_begin(&k);
    case_op(&k, "aten::sum", 0, 30);
    case_launch(&k, "a", 1, 10, 10, 1);
    case_launch(&k, "b", 2, 20, 10, 2);
    c = made();
    assert_text(c.rows[0].kernel, "a");
    case_close(&k);
}

/* Collectives are of no operator: a row for each name, and no computation. */
static void collectives_are_rows_by_name(void **state)
{
    (void)state;
    case_begin(&k);
    case_op(&k, "aten::mm", 0, 10);
    case_launch(&k, "gemm", 1, 10, 10, 1);
    for (int i = 0; i < 2; i++)
        case_launch(&k, "ncclDevKernel_AllReduce_Sum_f32", 12 + i, 30 + 20 * i, 10,
                    2 + i);
    struct capture c = made();
    const struct capture_row *comm = row_of(&c, "ncclDevKernel_AllReduce_Sum_f32", "");
    assert_int_equal(comm->part, DEVICE_COMM);
    assert_int_equal(comm->category, WORK_COMMUNICATION);
    assert_text(comm->base, "communication");
    assert_int_equal(comm->n_calls, 2);
    assert_int_equal(comm->kernel_ns, 20000);
    assert_false(comm->unlinked);
    assert_int_equal(c.exposed_comm_ns, 20000);
    assert_int_equal(c.ranks.n_collectives, 2);
    case_close(&k);
}

/* A copy of an operator is a part of its own; what no call launched is said to be so.
 */
static void parts_of_the_device_are_apart(void **state)
{
    (void)state;
    case_begin(&k);
    case_op(&k, "aten::to", 0, 20);
    case_launch(&k, "cast", 1, 10, 10, 1);
    case_call(&k, "hipMemcpyAsync", 5, 1, 2);
    case_copy(&k, "Memcpy HtoD", 30, 7, 2, 4096);
    case_kernel(&k, "alone", 7, 50, 4, 99);
    struct capture c = made();
    const struct capture_row *copy = row_of(&c, "Memcpy HtoD", NULL);
    assert_int_equal(copy->part, DEVICE_COPY);
    assert_int_equal(copy->kernel_ns, 7000);
    assert_int_equal(copy->n_calls, 1);
    assert_text(copy->name, "aten::to->Memcpy HtoD (Synthetic Op)");
    const struct capture_row *alone = row_of(&c, "alone", NULL);
    assert_true(alone->unlinked);
    assert_int_equal(c.unlinked_ns, 4000);
    assert_int_equal(row_of(&c, "cast", NULL)->part, DEVICE_COMPUTE);
    case_close(&k);
}

static void a_capture_knows_where_it_is_from(void **state)
{
    char file[] = "/data/run/t.json";
    (void)state;
    case_begin(&k);
    case_launch(&k, "x", 1, 10, 10, 1);
    struct capture c = made();
    assert_text(c.label, "case");
    t.store.file = file;
    t.store.machine.base_exact_ns = 77;
    struct capture_origin from = origin_of(&t);
    assert_text(from.file, "t.json");
    assert_int_equal(from.base_ns, 77);
    assert_int_equal(from.trace_base_ns, 77);
    t.store.machine.base_exact_ns = BASE_MAX_NS + 1; /* with which no time fits */
    assert_int_equal(origin_of(&t).base_ns, 0);
    t.store.machine.base_exact_ns = -1;
    assert_int_equal(origin_of(&t).base_ns, 0);
    case_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_folded),
        cmocka_unit_test(rows_are_by_operator_and_module),
        cmocka_unit_test(a_row_has_the_kernel_with_most_time),
        cmocka_unit_test(collectives_are_rows_by_name),
        cmocka_unit_test(parts_of_the_device_are_apart),
        cmocka_unit_test(a_capture_knows_where_it_is_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
