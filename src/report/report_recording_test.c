#include "report_recording.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void note(struct trace_case *c, const char *name, double start_us, double dur_us)
{
    case_event(c, "user_annotation", name, 1, start_us, dur_us, "");
}

static void expect_of(struct trace_case *c, const struct analysis *a, const char *says)
{
    struct report r = {.analysis = a};
    struct report_options o = {0};
    struct report_source s = {&c->perm, &c->tables, a, &o};
    case_open(c, NULL);
    r.meta.has_gpu = c->tables.facts.n_device > 0;
    report_timeline_fill(&s, &r);
    report_recording_fill(&s, &r);
    assert_near(r.recording.before_ms + r.recording.window_ms + r.recording.after_ms,
                r.recording.length_ms, 1e-9);
    if (!str_eq(r.recording.says, str_of(says)))
        fail_msg("got \"%.*s\", want \"%s\"", STRF(r.recording.says), says);
    case_close(c);
}

static void expect(struct trace_case *c, const char *says)
{
    expect_of(c, NULL, says);
}

/* "The window holds 3 decode steps": the count is not said again behind it. */
static void steps_of_one_phase_are_counted_once(void **state)
{
    (void)state;
    for (int64_t told = 2; told <= 3; told++) {
        struct trace_case c;
        struct report_phase phases[2] = {{.id = S("decode"), .phase = PHASE_DECODE}};
        struct report r = {.phases = {.list = phases, .n = 2}};
        struct report_options o = {0};
        case_begin(&c);
        for (int k = 0; k < 3; k++) {
            note(&c, "step[DECODE bs=16]", 100.0 * k, 90);
            case_launch(&c, "gemm", 100.0 * k + 1, 100.0 * k + 10, 80, k + 1);
        }
        struct report_source s = {&c.perm, &c.tables, NULL, &o};
        case_open(&c, NULL);
        phases[0].n_steps = told;
        r.meta.has_gpu = true;
        report_timeline_fill(&s, &r);
        report_recording_fill(&s, &r);
        assert_true(str_starts(r.recording.says, S("3 decode steps: GPU active")));
        assert_int_equal(str_starts(r.recording.beside, S("3 decode steps.")),
                         told == 2);
        assert_int_equal(str_starts(r.recording.beside, S("Not recorded:")), told == 3);
        case_close(&c);
    }
}

/* 10 ms are recorded; the loader waits from 2 on, and 1 ms is computed at the end. */
static void a_first_batch_is_cold(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "main.py(1): main", 0, 10000);
    case_op(&c, "aten::mm", 8990, 20);
    case_op(&c, "aten::random_", 1900, 20); /* the seed of a new loader */
    note(&c, "enumerate(DataLoader)#_SingleProcessDataLoaderIter", 2000, 5000);
    case_launch(&c, "gemm", 8995, 9000, 1000, 1);
    expect(&c,
           "One cold batch: GPU active for 10.0% of the 10.00 ms recorded; percentages "
           "are of 8.00 ms, from the first wait for data to the last device event. "
           "Not recorded: shapes.");
}

/* A server's loader has run for days when a recording of one batch begins. */
static void one_batch_of_a_running_loader_is_not_cold(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "main.py(1): main", 0, 10000);
    case_op(&c, "aten::mm", 8990, 20);
    note(&c, "enumerate(DataLoader)#_SingleProcessDataLoaderIter", 2000, 5000);
    case_launch(&c, "gemm", 8995, 9000, 1000, 1);
    expect(&c, "One batch: GPU active for 10.0% of the 10.00 ms recorded; percentages "
               "are of "
               "8.00 ms, from the first wait for data to the last device event. Not "
               "recorded: shapes.");
}

/* The device most likely works while the host waits 4 ms before its first launch. */
static void a_wait_for_unrecorded_work_is_told(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "main.py(1): main", 0, 10000);
    case_event(&c, "cuda_runtime", "cudaDeviceSynchronize", 1, 100, 4000, "");
    case_op(&c, "aten::mm", 8990, 20);
    case_launch(&c, "gemm", 8995, 9000, 1000, 1);
    expect(&c,
           "GPU active for at least 10.0% of the 10.00 ms recorded: for 4.00 ms the "
           "host waits for unrecorded work; percentages are of 1.00 ms, from the "
           "first to the last device event. Not recorded: steps, shapes.");
}

static void steps(struct trace_case *c, int first, int n)
{
    case_begin(c);
    case_frame(c, "main.py(1): main", 0, 1000.0 * n);
    for (int k = 0; k < n; k++) {
        char name[32];
        snprintf(name, sizeof name, "ProfilerStep#%d", first + k);
        note(c, name, 1000 * k, 1000);
        case_launch(c, "gemm", 1000 * k + 90, 1000 * k + 100, 900, 1 + k);
    }
}

/* Five steps of 10 ms, each with a collective of 1 ms; the first lasts `first_us`. */
static void collective_steps(struct trace_case *c, double first_us)
{
    double at = 0;
    case_begin(c);
    for (int k = 0; k < 5; k++) {
        char name[32];
        double us = k ? 1000 : first_us;
        snprintf(name, sizeof name, "ProfilerStep#%d", 3 + k);
        note(c, name, at, 9000 + us);
        case_launch(c, "ncclDevKernel_AllReduce_Sum", at + 5, at + 10, us, 1 + 2 * k);
        case_launch(c, "gemm", at + 7, at + 10 + us, 8900, 2 + 2 * k);
        at += 9000 + us;
    }
}

static void start_skew_is_in_no_percentage(void **state)
{
    (void)state;
    struct trace_case c;
    collective_steps(&c, 21000);
    expect(&c, "5 warm steps: GPU active for 99.3% of the 70.00 ms recorded; "
               "percentages are "
               "of 50.00 ms, from the first step to the end of the last, without 20.00 "
               "ms in which the first collective waits for other ranks. Not recorded: "
               "operators, call stacks.");
    collective_steps(&c, 9900); /* not ten times the others */
    expect(&c,
           "5 warm steps: GPU active for 99.2% of the 58.90 ms recorded. Not recorded: "
           "operators, call stacks.");
}

/* The device works for the step before until 2 ms behind the beginning of this one. */
static void the_window_begins_behind_what_was_launched_before(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "ProfilerStep#3", 1000, 9000);
    case_kernel(&c, "old", 7, 500, 2500, 91);
    case_launch(&c, "gemm", 3990, 4000, 6000, 1);
    expect(&c, "One warm step: GPU active for 89.5% of the 9.50 ms recorded; "
               "percentages are of 7.00 ms, from the end of what was launched before "
               "the recording to the last device event. Not recorded: operators, call "
               "stacks.");
}

/* Of a profiler that records copies on request, as rocprofv3: some copies are kernels.
 */
static void copies_may_be_kernels(void **state)
{
    (void)state;
    static const char *const kernels[] = {"__amd_rocclr_copyBuffer.kd", "gemm.kd"};
    static const char *const says[] = {"copies by copy engines.", "copies."};
    for (int k = 0; k < 2; k++) {
        struct trace_case c;
        struct report r = {0};
        struct report_options o = {0};
        struct report_source s = {&c.perm, &c.tables, NULL, &o};
        case_begin(&c);
        case_kernel(&c, kernels[k], 7, 0, 100, 1);
        case_open(&c, NULL);
        c.tables.facts.kernels_alone = true;
        r.meta.has_gpu = true;
        report_timeline_fill(&s, &r);
        report_recording_fill(&s, &r);
        struct str want = str_of(says[k]);
        assert_true(str_ends(r.recording.says, want));
        case_close(&c);
    }
}

/* Of four ranks, one or two of which the file holds. */
static void ranks_of_the_same_file_are_recorded(void **state)
{
    (void)state;
    static const int parts[] = {0, 2, 4};
    static const char *const says[] = {"3 of 4 ranks.", "2 of 4 ranks.", "operators."};
    for (int k = 0; k < 3; k++) {
        struct trace_case c;
        struct report r = {0};
        struct report_options o = {0};
        struct report_source s = {&c.perm, &c.tables, NULL, &o};
        struct machine m = {.world_size = 4, .n_parts = parts[k]};
        steps(&c, 5, 3);
        case_open(&c, NULL);
        c.tables.facts.machine = &m;
        r.meta.has_gpu = true;
        report_timeline_fill(&s, &r);
        report_recording_fill(&s, &r);
        struct str want = str_of(says[k]);
        if (!str_ends(r.recording.says, want))
            fail_msg("%.*s", STRF(r.recording.says));
        case_close(&c);
    }
}

static void later_steps_are_warm(void **state)
{
    (void)state;
    struct trace_case c;
    steps(&c, 5, 3);
    expect(&c,
           "3 warm steps: GPU active for 90.0% of the 3.00 ms recorded. Not recorded: "
           "operators.");
}

/* Old recordings have stacks as texts of operators, without times. */
static void callers_are_recorded_without_times(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "ProfilerStep#3", 0, 1000);
    case_event(&c, "cpu_op", "aten::mm", 1, 10, 20,
               "\"Input Dims\":[[8,8],[8,8]],\"Call stack\":\"a.py(3): f;b.py(4): g\"");
    case_launch(&c, "gemm", 11, 50, 950, 1);
    expect(&c, "One warm step: GPU active for 95.0% of the 1.00 ms recorded. Not "
               "recorded: times of Python code.");
}

/* Nothing marks a step: what recurs is told with its length. */
static void what_recurs_without_marks_is_told(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 8; k++)
        case_launch(&c, k % 2 ? "act" : "gemm", 100 * k + 1, 100 * k + 10, 90, 1 + k);
    expect(&c,
           "4 rounds of 2 kernels: GPU active for 90.1% of the 0.799 ms recorded. Not "
           "recorded: operators, call stacks.");
}

/* The profiler counts its own steps: a process may have run for days before step 0. */
static void the_first_step_is_the_profilers(void **state)
{
    (void)state;
    struct trace_case c;
    steps(&c, 0, 3);
    expect(&c, "3 steps, the profiler's first among them: GPU active for 90.0% of the "
               "3.00 ms recorded"
               ". Not recorded: operators.");
    steps(&c, 0, 1);
    expect(&c, "One step: GPU active for 90.0% of the 1.00 ms recorded. Not recorded: "
               "operators.");
}

/* Three steps of 1 ms, of which 2.7 ms are busy; idle time as given, in us. */
static void idle_steps(double launch_us, double input_us, const char *says)
{
    struct trace_case c;
    struct system_results results = {.idle = {.status = ANALYSER_OK}};
    results.idle.class_ns[IDLE_FIRST_LAUNCH] = (int64_t)(launch_us * 1e3);
    results.idle.pool_ns[POOL_INPUT] = (int64_t)(input_us * 1e3);
    steps(&c, 0, 3);
    expect_of(&c, &(struct analysis){.system = &results}, says);
}

static void first_launches_are_cold(void **state)
{
    (void)state;
    idle_steps(300, 0,
               "3 cold steps, the profiler's first among them: GPU active for 90.0% of "
               "the 3.00 ms "
               "recorded. Not recorded: operators.");
    idle_steps(290, 0,
               "3 steps, the profiler's first among them: GPU active for 90.0% of the "
               "3.00 ms recorded"
               ". Not recorded: operators.");
    idle_steps(100, 2100, /* of 0.9 ms that are no waiting for data */
               "3 cold steps, the profiler's first among them: GPU active for 90.0% of "
               "the 3.00 ms "
               "recorded. Not recorded: operators.");
}

static void compiling_again_and_again_is_neither_cold_nor_warm(void **state)
{
    (void)state;
    struct trace_case c;
    struct system_results results = {.idle = {.status = ANALYSER_OK}};
    struct idle_group group = {.class = IDLE_LOAD, .total_ns = 2000000};
    struct finding f = {.pattern = S("host_recompile"), .idle = &group};
    results.idle.class_ns[IDLE_LOAD] = group.total_ns;
    steps(&c, 5, 3);
    expect_of(&c,
              &(struct analysis){.system = &results, .findings = &f, .n_findings = 1},
              "3 steps: GPU active for 90.0% of the 3.00 ms recorded. Not recorded: "
              "operators.");
}

static void what_nothing_tells_is_not_said(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "gemm", 0, 10, 990, 1);
    expect(&c, "GPU active for 99.0% of the 1.00 ms recorded. Not recorded: steps, "
               "operators, call stacks.");
    case_begin(&c);
    case_op(&c, "aten::mm", 0, 20);
    expect(&c, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_one_phase_are_counted_once),
        cmocka_unit_test(a_first_batch_is_cold),
        cmocka_unit_test(a_wait_for_unrecorded_work_is_told),
        cmocka_unit_test(start_skew_is_in_no_percentage),
        cmocka_unit_test(the_window_begins_behind_what_was_launched_before),
        cmocka_unit_test(copies_may_be_kernels),
        cmocka_unit_test(ranks_of_the_same_file_are_recorded),
        cmocka_unit_test(later_steps_are_warm),
        cmocka_unit_test(callers_are_recorded_without_times),
        cmocka_unit_test(what_recurs_without_marks_is_told),
        cmocka_unit_test(compiling_again_and_again_is_neither_cold_nor_warm),
        cmocka_unit_test(one_batch_of_a_running_loader_is_not_cold),
        cmocka_unit_test(the_first_step_is_the_profilers),
        cmocka_unit_test(first_launches_are_cold),
        cmocka_unit_test(what_nothing_tells_is_not_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
