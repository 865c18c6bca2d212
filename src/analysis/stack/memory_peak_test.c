#include "analysis/stack/memory_peak.h"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { KIB = 1024 };

/* `more` totals are left out where total is negative. */
static void record(struct trace_case *c, double us, int tid, int64_t addr,
                   int64_t bytes, int64_t total, int64_t reserved)
{
    char totals[96] = "", address[48] = "";
    if (total >= 0)
        snprintf(totals, sizeof totals,
                 ",\"Total Allocated\":%lld,\"Total Reserved\":%lld", (long long)total,
                 (long long)reserved);
    if (addr)
        snprintf(address, sizeof address, ",\"Addr\":%lld", (long long)addr);
    out_printf(&c->text,
               "%s{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":9,\"tid\":%d,"
               "\"ts\":%.3f,\"args\":{\"Bytes\":%lld,\"Device Type\":1,\"Device Id\":0"
               "%s%s}}",
               c->n_events++ ? ",\n" : "", tid, us, (long long)bytes, address, totals);
}

static const struct memory_owner *held_by(const struct memory_peak *m, const char *op)
{
    for (int32_t i = 0; i < m->n_owners; i++)
        if (str_eq(m->owners[i].op, str_of(op)))
            return &m->owners[i];
    fail_msg("nothing is held by %s", op);
    return NULL;
}

/* 1,000 KiB are there before. A forward pass keeps 100 KiB of a product in a module for
 * the backward pass, frees 30 KiB in the operator, and 7 KiB after it; the backward
 * pass leaves a gradient of 50 KiB. */
static void write_step(struct trace_case *c)
{
    case_begin(c);
    case_frame(c, "nn.Module: Linear_3", 0, 100);
    case_event(c, "cpu_op", "aten::addmm", 1, 10, 40, "");
    case_event(c, "cpu_op", "aten::empty", 1, 11, 2, "");
    record(c, 12, 1, 0x1000, 100 * KIB, 1100 * KIB, 2000 * KIB);
    record(c, 20, 1, 0x2000, 30 * KIB, 1130 * KIB, 2000 * KIB);
    record(c, 45, 1, 0x2000, -30 * KIB, 1100 * KIB, 2000 * KIB);
    case_event(c, "cpu_op", "aten::gelu", 1, 60, 10, "");
    record(c, 61, 1, 0x3000, 7 * KIB, 1107 * KIB, 2000 * KIB);
    case_event(c, "cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 2,
               200, 100, "");
    case_event(c, "cpu_op", "aten::mm", 2, 210, 20, "");
    record(c, 220, 2, 0x4000, 50 * KIB, 1157 * KIB, 2000 * KIB);
    record(c, 250, 2, 0x1000, -100 * KIB, 1057 * KIB, 2000 * KIB);
    record(c, 400, 1, 0x3000, -7 * KIB, 1050 * KIB, 2000 * KIB);
}

static int64_t kib_at(const struct memory_peak *m, enum memory_kind kind, double us)
{
    int bin = (int)((us - 12) / (400 - 12 + 0.001) * MEMORY_BINS);
    return m->kind_bins[kind][bin] / KIB;
}

static void kinds_hold_memory_as_long_as_it_is_theirs(void **state)
{
    (void)state;
    struct trace_case c;
    write_step(&c);
    case_open(&c, NULL);
    const struct memory_peak *m = memory_peak_of(&c.perm, c.tmp, &c.view);
    for (int b = 0; b < MEMORY_BINS; b++)
        assert_int_equal(m->kind_bins[MEMORY_BEFORE][b], 1000 * KIB);
    assert_int_equal(kib_at(m, MEMORY_ACTIVATION, 20), 100);
    assert_int_equal(kib_at(m, MEMORY_ACTIVATION, 220), 100);
    assert_int_equal(kib_at(m, MEMORY_ACTIVATION, 260), 0);
    assert_int_equal(kib_at(m, MEMORY_WORKSPACE, 30), 30);
    assert_int_equal(kib_at(m, MEMORY_WORKSPACE, 50), 0);
    assert_int_equal(kib_at(m, MEMORY_GRADIENT, 200), 0);
    assert_int_equal(kib_at(m, MEMORY_GRADIENT, 400), 50);
    assert_int_equal(kib_at(m, MEMORY_RESULT, 300), 7);
    case_close(&c);
}

static void the_peak_is_held_by_places_that_add_up(void **state)
{
    (void)state;
    struct trace_case c;
    write_step(&c);
    case_open(&c, NULL);
    const struct memory_peak *m = memory_peak_of(&c.perm, c.tmp, &c.view);
    assert_non_null(m);
    assert_int_equal(m->peak_bytes, 1157 * KIB);
    assert_int_equal(m->rise_bytes, 157 * KIB);
    assert_int_equal(m->peak_ns, 208000);
    assert_int_equal(m->reserved_most, 2000 * KIB);
    assert_int_equal(m->n_owners, 4);
    assert_int_equal(m->owners[0].kind, MEMORY_BEFORE);
    assert_int_equal(m->owners[0].bytes, 1000 * KIB);
    const struct memory_owner *o = held_by(m, "aten::addmm");
    assert_int_equal(o->bytes, 100 * KIB);
    assert_int_equal(o->kind, MEMORY_ACTIVATION);
    assert_true(str_eq(o->module, S("Linear")));
    assert_int_equal(held_by(m, "aten::gelu")->kind, MEMORY_RESULT);
    assert_int_equal(held_by(m, "aten::mm")->kind, MEMORY_GRADIENT);
    int64_t sum = 0;
    for (int32_t i = 0; i < m->n_owners; i++)
        sum += m->owners[i].bytes;
    assert_int_equal(sum, m->peak_bytes);
    case_close(&c);
}

static void a_workspace_is_freed_by_its_operator(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(&c, "cpu_op", "aten::conv2d", 1, 10, 40, "");
    record(&c, 20, 1, 0x2000, 30 * KIB, 30 * KIB, -1);
    record(&c, 45, 1, 0x2000, -30 * KIB, 0, -1);
    case_open(&c, NULL);
    const struct memory_peak *m = memory_peak_of(&c.perm, c.tmp, &c.view);
    assert_int_equal(m->n_owners, 1);
    assert_int_equal(held_by(m, "aten::conv2d")->kind, MEMORY_WORKSPACE);
    case_close(&c);
}

/* As in 2021: neither totals nor addresses. */
static void without_totals_only_the_rise_is_known(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    record(&c, 20, 1, 0, 30 * KIB, -1, -1);
    record(&c, 30, 1, 0, -30 * KIB, -1, -1);
    record(&c, 40, 1, 0, 20 * KIB, -1, -1);
    case_open(&c, NULL);
    const struct memory_peak *m = memory_peak_of(&c.perm, c.tmp, &c.view);
    assert_int_equal(m->peak_bytes, -1);
    assert_int_equal(m->rise_bytes, 30 * KIB);
    assert_int_equal(m->n_owners, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peak_is_held_by_places_that_add_up),
        cmocka_unit_test(kinds_hold_memory_as_long_as_it_is_theirs),
        cmocka_unit_test(a_workspace_is_freed_by_its_operator),
        cmocka_unit_test(without_totals_only_the_rise_is_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
