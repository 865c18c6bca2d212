#include "formats/hlo_collective.c"

#include "base/wire_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { F32 = 11, BF16 = 16, TUPLE = 13 };

/* Written from the inside out. */
static struct out instruction, shape, part, list;

static void array(struct out *o, uint64_t type, uint64_t n)
{
    put_number(o, SHAPE_TYPE, type);
    put_number(o, SHAPE_DIMS, n);
}

static void group(struct out *o, uint32_t field, uint64_t from, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++)
        put_number(&part, GROUP_IDS, from + k);
    put_message(o, field, &part);
}

static const struct hlo_devices unknown = {0, 0}, eight = {1, 8};

/* What is said of the instruction, which is emptied. */
static void assert_put(const char *opcode, struct hlo_devices devices,
                       const char *expected)
{
    struct out o;
    out_memory(&o);
    put_text(&instruction, OPCODE, str_of(opcode));
    put_message(&instruction, SHAPE, &shape);
    array(&part, F32, 64);
    hlo_collective_put(&o, out_view(&instruction), out_view(&part), devices);
    part.n = instruction.n = 0;
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, expected);
    out_free(&o);
}

#define EVEN ",\"In split size\":\"[]\",\"Out split size\":\"[]\""
#define SIZES(in, out, type)                                                           \
    ",\"In msg nelems\":" in ",\"Out msg nelems\":" out ",\"dtype\":\"" type "\""

static void sizes_and_members(void **state)
{
    (void)state;
    array(&shape, F32, 64);
    group(&instruction, GROUPS, 0, 2);
    assert_put(
        "all-reduce-start", unknown,
        "\"Collective name\":\"all-reduce\"" SIZES(
            "64", "64",
            "Float") ",\"Group size\":2,\"Process Group Name\":\"all 2 devices\","
                     "\"Process Group Ranks\":\"[0, 1]\"" EVEN);
    /* Which of two groups a device is in is not said. */
    array(&shape, F32, 16);
    group(&instruction, GROUPS, 0, 4);
    group(&instruction, GROUPS, 4, 4);
    assert_put("reduce-scatter", unknown,
               "\"Collective name\":\"reduce-scatter\"" SIZES(
                   "64", "16", "Float") ",\"Group size\":4" EVEN);
    /* Operands, then results. */
    array(&part, BF16, 64);
    put_message(&shape, SHAPE_TUPLE, &part);
    array(&part, BF16, 512);
    put_message(&shape, SHAPE_TUPLE, &part);
    put_number(&part, IOTA_GROUPS, 2);
    put_number(&part, IOTA_SIZE, 8);
    put_message(&list, LIST_IOTA, &part);
    put_message(&instruction, DEVICE_LIST, &list);
    assert_put("all-gather-start", unknown,
               "\"Collective name\":\"all-gather\"" SIZES(
                   "64", "512", "BFloat16") ",\"Group size\":8" EVEN);
}

static void members_that_are_not_listed(void **state)
{
    (void)state;
    array(&shape, F32, 64);
    assert_put(
        "all-to-all", eight,
        "\"Collective name\":\"all-to-all\"" SIZES(
            "64", "64",
            "Float") ",\"Group size\":8,\"Process Group Name\":\"all 8 devices\","
                     "\"Process Group Ranks\":\"[0, 1, 2, 3, 4, 5, 6, 7]\"" EVEN);
    array(&shape, F32, 64);
    assert_put("all-reduce", unknown,
               "\"Collective name\":\"all-reduce\"" SIZES("64", "64", "Float") EVEN);
    /* 64 each of 4. */
    array(&shape, F32, 256);
    assert_put("all-gather", unknown,
               "\"Collective name\":\"all-gather\"" SIZES(
                   "64", "256", "Float") ",\"Group size\":4" EVEN);
    /* The groups are of replicas, and joined over an unknown number of partitions. */
    array(&shape, F32, 64);
    group(&instruction, GROUPS, 0, 2);
    put_number(&instruction, CHANNEL, 1);
    assert_put("all-reduce", unknown,
               "\"Collective name\":\"all-reduce\"" SIZES("64", "64", "Float") EVEN);
    array(&shape, F32, 64);
    assert_put("collective-permute", eight,
               "\"Collective name\":\"collective-permute\"" SIZES("64", "64", "Float")
                   EVEN);
}

static void sizes_of_several_arrays(void **state)
{
    (void)state;
    array(&part, BF16, 100);
    put_message(&shape, SHAPE_TUPLE, &part);
    array(&part, F32, 10);
    put_message(&shape, SHAPE_TUPLE, &part);
    assert_put("all-reduce", unknown,
               "\"Collective name\":\"all-reduce\"" SIZES("240", "240", "bytes") EVEN);
    array(&shape, TUPLE + 4, 10); /* a token has no size */
    assert_put("all-reduce", unknown, "\"Collective name\":\"all-reduce\"" EVEN);
    array(&shape, F32, INT32_MAX);
    for (int k = 0; k < 3; k++)
        put_number(&shape, SHAPE_DIMS, INT32_MAX);
    assert_put("all-reduce", unknown, "\"Collective name\":\"all-reduce\"" EVEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_and_members),
                                       cmocka_unit_test(members_that_are_not_listed),
                                       cmocka_unit_test(sizes_of_several_arrays)};
    struct out *const all[] = {&instruction, &shape, &part, &list};
    for (int k = 0; k < 4; k++)
        out_memory(all[k]);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int k = 0; k < 4; k++)
        out_free(all[k]);
    return failed;
}
