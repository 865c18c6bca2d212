#include "compare_action.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { MS = 1000000 };

/* A candidate of 35 ms against 15 ms, by one operation; each side was recorded once. */
static struct capture sides[2];
static struct match match;
static struct compared_row row;
static struct finding findings[2];
static struct comparison c;
static struct compare_acted_on on;

static int begin(void **state)
{
    findings[0] = (struct finding){.title = S("Not told"), .informational = true};
    findings[1] = (struct finding){.id = S("cpu_idle.host_loader.x.none"),
                                   .category = WORK_CPU_IDLE,
                                   .time_ms = 19,
                                   .title = S("Add workers: the loader is slow")};
    sides[0] = (struct capture){.label = S("old")};
    sides[1] =
        (struct capture){.label = S("new"), .findings = findings, .n_findings = 2};
    match = (struct match){.level = MATCH_CALL,
                           .n = {4, 4},
                           .ns = {10 * MS, 30 * MS},
                           .n_events = {4, 4},
                           .kernel = {S("gemm"), S("gemm")},
                           .name = {S("aten::mm"), S("aten::mm")}};
    row = (struct compared_row){
        .match = &match,
        .expected = {.ratio = 3, .low = 0.5, .high = 1.58, .saving_ns = 2.0 * MS}};
    c = (struct comparison){.of = {&sides[0], &sides[1]},
                            .n_captures = {1, 1},
                            .window_ns = {15 * MS, 35 * MS},
                            .wall = {.verdict = VERDICT_LARGE_ONCE},
                            .rows = &row,
                            .n_rows = 1};
    on = (struct compare_acted_on){.cause = {.kind = CAUSE_KERNELS}};
    return set_up(state);
}

static void says(const char *want)
{
    struct str told = compare_action(&a, &c, &on);
    if (!str_eq(told, str_of(want)))
        fail_msg("%.*s", STRF(told));
}

static void test_kernels(void **state)
{
    (void)state;
    says("run `aten::mm` alone on both sides: the kernel is the same, so its data, the "
         "clock or what runs beside it differs");
    match.kernel[1] = S("gemm_splitk");
    says("find out what chose another kernel for `aten::mm`");
    match.n[1] = 8;
    says("find out why `aten::mm` is called more often");
    match.n[0] = 0;
    says("find out why `new` runs `aten::mm`, which `old` does not");
    on.unexpected = &row; /* on other hardware, that goes first */
    says("look first at `aten::mm` on `new`: 3.00 times the time of `old` where 1.58 "
         "was expected from the hardware, up to 2.000 ms");
}

/* The finding that grew; without one, where to look. */
static void test_idle(void **state)
{
    (void)state;
    on.cause.kind = CAUSE_IDLE;
    c.idle_ns[1] = 20 * MS;
    says("in `new`, add workers: the loader is slow");
    /* Late launches: why the host is slower, if it is. */
    struct match others[3];
    struct compared_row rows[3], one = row;
    struct capture_row calls[3][2];
    findings[1].id = S("cpu_idle.host_bound.x.none");
    for (int i = 0; i < 3; i++) {
        others[i] = match;
        for (int side = 0; side < 2; side++)
            calls[i][side] = (struct capture_row){.n_calls = 10,
                                                  .host_ns = side ? 13 * MS : 10 * MS};
        rows[i] = (struct compared_row){.match = &others[i],
                                        .of = {&calls[i][0], &calls[i][1]}};
    }
    says("in `new`, add workers: the loader is slow");
    c.rows = rows;
    c.n_rows = 3;
    says(
        "find out why the host of `new` is slower: its CPU and clock, other processes, "
        "or code around the same operators; next, add workers: the loader is slow");
    c.rows = &row;
    row = one;
    c.n_rows = 1;
    findings[1].id = S("cpu_idle.host_loader.x.none");
    findings[1].time_ms = 2;
    says("see in the timeline of `new` what its GPU waits for (tracefolio analyze)");
    static const struct capture_row copy = {.name = S_INIT("aten::item"),
                                            .part = DEVICE_COPY};
    match.n[1] = 8;
    row.of[1] = &copy;
    match.name[1] = copy.name;
    says("in `new`, drop the added `item()`, or read the value a step later: the host "
         "waits there until the queue is empty");
    on.cause.kind = CAUSE_EXPOSED;
    says("see in both timelines what ran beside the transfers of `old` and does not in "
         "`new`");
    on.cause.kind = CAUSE_TRANSFERS;
    says(
        "find out why the transfers of `new` take longer: their size, the link, or for "
        "collectives a rank that arrives late (tracefolio job)");
}

/* A loader that has not all of it leaves the rest to a read that was added. */
static void test_loader_and_read(void **state)
{
    static const struct capture_row copy = {.name = S_INIT("aten::item"),
                                            .part = DEVICE_COPY};
    (void)state;
    on.cause.kind = CAUSE_IDLE;
    c.idle_ns[1] = 20 * MS;
    match.n[1] = 8;
    match.name[1] = copy.name;
    row.of[1] = &copy;
    says("in `new`, add workers: the loader is slow");
    findings[1].time_ms = 15;
    says("in `new`, add workers: the loader is slow; and drop the added `item()`, or "
         "read the value a step later: the host waits there until the queue is empty");
}

/* Computing in a type that is wider takes longer: what to do is the type, not what its
 * analysis has first. */
static void test_wider_type(void **state)
{
    static const struct capture_row narrow = {.types = S_INIT("('c10::BFloat16',)")},
                                    wide = {.types = S_INIT("('float',)")};
    (void)state;
    match.level = MATCH_DIMS;
    row.of[0] = &narrow;
    row.of[1] = &wide;
    for (int side = 0; side < 2; side++)
        c.level_ns[MATCH_DIMS][side] = c.device_ns[side] = 20 * MS;
    on.same_task = true;
    says("compute in bf16 again, as `old` does, unless the results of `new` have to be "
         "more exact");
}

/* What is shorter stays; nobody acts on what was seen once and may be noise. */
static void test_nothing_to_fix(void **state)
{
    (void)state;
    c.window_ns[1] = 10 * MS;
    says("keep what changed; next in `new`: add workers: the loader is slow");
    sides[1].n_findings = 1;
    says("keep what changed");
    on.cause.kind = CAUSE_NONE;
    c.wall.verdict = VERDICT_WITHIN_FLOOR;
    says("nothing");
    on.cause.kind = CAUSE_HIDDEN;
    says("nothing: computation hides it");
    c.wall.verdict = VERDICT_NOT_JUDGED;
    says("record each side again first; one recording a side does not show whether the "
         "difference lasts");
    on.cause = (struct compare_cause){.kind = CAUSE_STEP, .steps.step = 7};
    says("nothing in `new`; compare again without step 7 of `old` (--steps)");
    on.cause.steps.side = 1;
    says("find out what step 7 of `new` does; the other steps account for little of "
         "the difference");
    on.cause.steps.n_steps = 3;
    says("find out what step 7 of `new` and those like it do; the other steps "
         "account for little of the difference");
    static const struct finding loader = {.title = S_INIT("Add workers: it waits")};
    on.cause.steps.remedy = &loader;
    says("in `new`, add workers: it waits; the other steps account for little of the "
         "difference");
    on.cause.steps.side = 0;
    says("keep what changed: `new` has no such steps");
    on.cause.kind = CAUSE_PACE;
    says("nothing in the program; lock the clock of the GPU, or let it cool, and "
         "record again");
    on.noise = true;
    says("nothing");
}

static void test_other_work(void **state)
{
    (void)state;
    c.parity = PARITY_OTHER_WORK;
    says("nothing follows for either side; compare recordings of the same work");
    on.unknown = true;
    says("record operators and shapes on both sides, then compare again");
    on.unknown = false;
    on.same_task = true;
    says("run `aten::mm` alone on both sides: the kernel is the same, so its data, the "
         "clock or what runs beside it differs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kernels, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_idle, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_loader_and_read, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_wider_type, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_to_fix, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_other_work, begin, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
