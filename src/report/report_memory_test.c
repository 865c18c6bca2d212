#include "report_memory.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "base/near_case.h"
#include "ops/op_tables.h"

static struct report_memory filled(const struct memory_peak *m)
{
    static struct report r;
    struct op_tables t = {0};
    struct analysis of = {.memory = m};
    struct report_source s = {.perm = &a, .t = &t, .a = &of};
    report_memory_fill(&s, &r);
    return r.memory;
}

/* 8 GiB reserved, 6 of them allocated: a quarter is not. */
static void test_unused_is_of_what_is_reserved(void **state)
{
    (void)state;
    struct memory_peak m = {.peak_bytes = INT64_C(6) << 30,
                            .reserved_at_peak = INT64_C(8) << 30,
                            .reserved_most = INT64_C(9) << 30};
    assert_near(filled(&m).unused_pct, 25, 1e-9);
    m.reserved_at_peak = -1;
    assert_true(isnan(filled(&m).unused_pct));
    m.reserved_at_peak = INT64_C(8) << 30;
    m.peak_bytes = -1;
    assert_true(isnan(filled(&m).unused_pct));
}

static void test_device_that_is_not_known(void **state)
{
    (void)state;
    struct memory_peak m = {.peak_bytes = 1, .reserved_most = 2};
    struct report_memory r = filled(&m);
    assert_true(isnan(r.device_bytes));
    assert_true(isnan(r.room_bytes));
    r = filled(NULL);
    assert_null(r.of);
    assert_int_equal(r.says.n, 0);
    assert_true(isnan(r.unused_pct));
}

/* Of a device of 16 GiB with at most 9 reserved, 7 are left, however few of the 9 are
 * allocated. */
static void test_room_is_what_was_never_reserved(void **state)
{
    (void)state;
    const double GIB = 1 << 30;
    struct machine_device device = {.name = S("NVIDIA X"), .memory_bytes = 16 * GIB};
    struct machine machine = {.devices = &device, .n_devices = 1};
    struct memory_peak m = {.peak_bytes = INT64_C(6) << 30,
                            .reserved_most = INT64_C(9) << 30};
    struct op_tables t = {.facts.machine = &machine};
    struct analysis of = {.memory = &m};
    struct report_source s = {.perm = &a, .t = &t, .a = &of};
    static struct report r;
    report_memory_fill(&s, &r);
    assert_near(r.memory.device_bytes, 16 * GIB, 1e-9);
    assert_near(r.memory.room_bytes, 7 * GIB, 1e-9);
}

/* The most first, in percent of the peak; what is empty is left out. */
static void test_kinds(void **state)
{
    (void)state;
    struct memory_owner owner = {.kind = MEMORY_BEFORE, .bytes = 200};
    struct memory_peak m = {.peak_bytes = 1000, .owners = &owner, .n_owners = 1};
    m.kind_bytes[MEMORY_BEFORE] = 200;
    m.kind_bytes[MEMORY_ACTIVATION] = 650;
    m.kind_bytes[MEMORY_RESULT] = 150;
    struct report_memory r = filled(&m);
    assert_int_equal(r.n_kinds, 3);
    static const int64_t bytes[] = {650, 200, 150};
    static const double share[] = {65, 20, 15};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(r.kinds[k].bytes, bytes[k]);
        assert_near(r.kinds[k].share_pct, share[k], 1e-9);
    }
    assert_text(r.kinds[0].kind, "activation");
    m.n_owners = 0;
    assert_int_equal(filled(&m).n_kinds, 0);
}

static void test_sentences(void **state)
{
    (void)state;
    struct memory_owner owners[] = {
        {.kind = MEMORY_BEFORE, .op = S("aten::empty"), .bytes = INT64_C(3) << 30},
        {.kind = MEMORY_ACTIVATION, .bytes = INT64_C(2) << 30},
        {.kind = MEMORY_ACTIVATION,
         .op = S("aten::addmm"),
         .module = S("Linear"),
         .bytes = INT64_C(500) << 20}};
    struct memory_peak m = {.peak_bytes = INT64_C(6) << 30,
                            .rise_bytes = INT64_C(3) << 30,
                            .owners = owners,
                            .n_owners = 3};
    m.kind_bytes[MEMORY_BEFORE] = INT64_C(3) << 30;
    assert_text(filled(&m).says,
                "At most 6 GiB are allocated, 3 GiB of that before the recording. "
                "Most of the rest: 500 MiB of `aten::addmm` in `Linear`.");
    m.n_owners = 2;
    assert_text(filled(&m).says, "At most 6 GiB are allocated, 3 GiB of that "
                                 "before the recording.");
    m.n_owners = 0;
    assert_text(filled(&m).says, "At most 6 GiB are allocated, 3 GiB more than "
                                 "when the recording began.");
    m.peak_bytes = -1;
    m.rise_bytes = 512 << 10;
    assert_text(filled(&m).says,
                "Allocated memory rises by up to 512 KiB above what it was when the "
                "recording began. The records have no totals and no addresses, so what "
                "holds it is not known.");
}

/* Outside modules none is named. An owner of less than a hundredth of the peak is not
 * worth a sentence. */
static void test_small_owner(void **state)
{
    (void)state;
    struct memory_owner owner = {
        .kind = MEMORY_ACTIVATION, .op = S("aten::mm"), .bytes = 20 << 20};
    struct memory_peak m = {
        .peak_bytes = INT64_C(2000) << 20, .owners = &owner, .n_owners = 1};
    assert_text(most_of(&a, &m), " Most of the rest: 20 MiB of `aten::mm`.");
    owner.bytes--;
    assert_text(most_of(&a, &m), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unused_is_of_what_is_reserved),
        cmocka_unit_test(test_device_that_is_not_known),
        cmocka_unit_test(test_room_is_what_was_never_reserved),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_small_owner),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
