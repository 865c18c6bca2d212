#include "compare_cause.c"

#include "report/compare/rank_cause.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { STEPS = 5, CALLS = 4, MS = 1000000 };

/* Steps of 10 ms with four products of 1 ms each, on both sides. */
static struct capture sides[2];
static struct capture_step steps[2][STEPS];
static struct step_span spans[2][STEPS];
static struct capture_event events[2][STEPS * CALLS];
static struct capture_row products[2];
static struct match match;
static struct compared_row row;
static struct compared_bar bars[2];
static struct finding finding;
static int32_t only_row[1];

static struct comparison c;

static void lay_out(int side)
{
    int64_t at = 0;
    sides[side].n_steps = STEPS;
    sides[side].steps = steps[side];
    for (int k = 0; k < STEPS; k++) {
        int64_t length = 10 * MS;
        steps[side][k] = (struct capture_step){at, at + length, k + 3, .steady = true};
        spans[side][k] = (struct step_span){at, at + length};
        for (int i = 0; i < CALLS; i++)
            events[side][k * CALLS + i] =
                (struct capture_event){at + i * MS, at + (i + 1) * MS, .begins = true};
        at += length;
    }
}

static int begin(void **state)
{
    for (int side = 0; side < 2; side++) {
        products[side] =
            (struct capture_row){.name = S("aten::mm"), .dims = S("((8, 8),)")};
        sides[side] = (struct capture){.label = side ? S("new") : S("old"),
                                       .rows = &products[side],
                                       .n_rows = 1,
                                       .events = events[side],
                                       .n_events = STEPS * CALLS};
        lay_out(side);
    }
    match = (struct match){.level = MATCH_CALL,
                           .rows = {only_row, only_row},
                           .n_rows = {1, 1},
                           .n = {20, 20},
                           .n_events = {20, 20},
                           .ns = {20 * MS, 20 * MS},
                           .name = {S("aten::mm"), S("aten::mm")},
                           .kernel = {S("gemm"), S("gemm")}};
    row = (struct compared_row){.match = &match, .of = {&products[0], &products[1]}};
    bars[0] = (struct compared_bar){
        .kind = BAR_CLASS, .name = S("GEMM"), .ns = {20 * MS, 20 * MS}};
    bars[1] = (struct compared_bar){
        .kind = BAR_IDLE, .name = S("idle: Python"), .ns = {30 * MS, 30 * MS}};
    c = (struct comparison){.of = {&sides[0], &sides[1]},
                            .window_ns = {50 * MS, 50 * MS},
                            .device_ns = {20 * MS, 20 * MS},
                            .idle_ns = {30 * MS, 30 * MS},
                            .bars = bars,
                            .n_bars = 2,
                            .rows = &row,
                            .n_rows = 1};
    c.selection = (struct selection){
        .spans = {spans[0], spans[1]}, .n_spans = {STEPS, STEPS}, .n_steps = STEPS};
    return set_up(state);
}

static void longer(int64_t ns, int64_t *part)
{
    c.window_ns[1] += ns;
    *part += ns;
}

/* Kernels of the one class take longer. */
static void work_more(int64_t ns)
{
    longer(ns, &match.ns[1]);
    bars[0].ns[1] += ns;
}

static void says(const char *want)
{
    struct str cause = compare_cause(&a, &c).says;
    if (!str_eq(cause, str_of(want)))
        fail_msg("%.*s", STRF(cause));
}

static void test_noise(void **state)
{
    (void)state;
    says("");
    assert_true(compare_is_noise(&c));
    longer(MS / 2, &c.idle_ns[1]);
    assert_true(compare_is_noise(&c));
    bars[1].ns[1] += 2 * MS; /* of a neighbour in the reference */
    assert_true(compare_is_noise(&c));
    bars[1].ns[1] += MS;
    assert_false(compare_is_noise(&c));
    bars[1].ns[1] -= 3 * MS;
    c.device.verdict = VERDICT_OBSERVED;
    assert_false(compare_is_noise(&c));
}

/* Kernels of one capture that take 2.2 % longer each, and so does the step: captures of
 * one program differ by as much. */
static void test_noise_of_one_capture(void **state)
{
    (void)state;
    c.n_captures[0] = c.n_captures[1] = 1;
    c.device.verdict = VERDICT_OBSERVED;
    c.window_ns[0] = c.window_ns[1] = bars[0].kernel_ns[0] = 20 * MS;
    work_more(MS * 44 / 100);
    bars[0].speed_ns = MS * 44 / 100;
    assert_true(compare_is_noise(&c));
    says("");
    row.judged.verdict = VERDICT_OBSERVED;
    assert_false(compare_is_noise(&c));
    row.judged.verdict = VERDICT_WITHIN_FLOOR;
    match.n[1] = 21; /* a call more */
    assert_false(compare_is_noise(&c));
    match.n[1] = 20;
    bars[0].speed_ns = 0;
    assert_false(compare_is_noise(&c));
    bars[0].speed_ns = MS * 44 / 100;
    c.wall.verdict = VERDICT_OBSERVED;
    assert_false(compare_is_noise(&c));
    c.wall.verdict = VERDICT_WITHIN_FLOOR;
    c.n_captures[1] = 2;
    assert_false(compare_is_noise(&c));
}

static void idle_more(const char *id, const char *issue)
{
    longer(20 * MS, &c.idle_ns[1]);
    bars[1].ns[1] += 20 * MS;
    finding = (struct finding){.id = str_of(id),
                               .category = WORK_CPU_IDLE,
                               .time_ms = 19,
                               .title = S("Do it"),
                               .issue = str_of(issue)};
    sides[1].findings = &finding;
    sides[1].n_findings = 1;
}

static struct capture_row called[3][2];

/* Three operations, of which the host takes 30 % longer for a call of two. */
static void slower_host(void)
{
    static struct match others[3];
    static struct compared_row rows[3];
    for (int i = 0; i < 3; i++) {
        others[i] = match;
        for (int side = 0; side < 2; side++)
            called[i][side] = (struct capture_row){
                .n_calls = 10, .host_ns = side && i < 2 ? 13 * MS : 10 * MS};
        rows[i] = (struct compared_row){.match = &others[i],
                                        .of = {&called[i][0], &called[i][1]}};
    }
    c.rows = rows;
    c.n_rows = 3;
}

/* The sides change places. */
static void less_waiting(void)
{
    for (int i = 0; i < 3; i++) {
        int64_t ns = called[i][0].host_ns;
        called[i][0].host_ns = called[i][1].host_ns;
        called[i][1].host_ns = ns;
    }
    int64_t window_ns = c.window_ns[0], idle_ns = c.idle_ns[0], bar_ns = bars[1].ns[0];
    c.window_ns[0] = c.window_ns[1];
    c.window_ns[1] = window_ns;
    c.idle_ns[0] = c.idle_ns[1];
    c.idle_ns[1] = idle_ns;
    bars[1].ns[0] = bars[1].ns[1];
    bars[1].ns[1] = bar_ns;
    for (int side = 0; side < 2; side++) {
        bool of = !sides[side].n_findings;
        sides[side].findings = of ? &finding : NULL;
        sides[side].n_findings = of;
    }
}

static void test_idle(void **state)
{
    (void)state;
    idle_more("cpu_idle.host_loader.x.none", "Idle in `__next__`; `train` takes most.");
    says("in each step the GPU waits 4.000 ms more for its input (`__next__`)");
    finding.issue = S("");
    says("in each step the GPU waits 4.000 ms more for its input");
    finding.id = S("cpu_idle.host_python.x.none");
    finding.issue = S("The host runs `log` (train.py:91).");
    says("in each step the GPU waits 4.000 ms more while the host runs `log` "
         "(train.py:91)");
    finding.id = S("cpu_idle.host_sync.x.none");
    says("in each step the GPU waits 4.000 ms more because the host waits for it in "
         "`log` (train.py:91)");
    finding.issue = S("");
    says("in each step the GPU waits 4.000 ms more (what would help: Do it)");
    finding.id = S("cpu_idle.host_bound.x.none");
    says("in each step the GPU waits 4.000 ms more for the next launch");
    slower_host();
    says("in each step the GPU waits 4.000 ms more for the next launch: its host takes "
         "30% longer for the same calls");
    less_waiting();
    says("in each step the GPU waits 4.000 ms less for the next launch: its host takes "
         "23% less time for the same calls");
    less_waiting();
    c.rows = &row;
    c.n_rows = 1;
    finding.time_ms = 9; /* less than half of it */
    says("in each step the GPU is idle for 4.000 ms more, most of it: Python");
}

/* A loader that has not all of it, beside more reads; one that has more than all of it,
 * beside fewer. */
static void test_loader_beside_reads(void **state)
{
    (void)state;
    idle_more("cpu_idle.host_loader.x.none", "Idle in `__next__`; `train` takes most.");
    for (int side = 0; side < 2; side++) {
        products[side].part = DEVICE_COPY;
        products[side].name = match.name[side] = S("aten::item");
    }
    match.n[0] = STEPS;
    match.n[1] = 2 * STEPS;
    says("in each step the GPU waits 4.000 ms more for its input (`__next__`)");
    finding.time_ms = 15;
    says("in each step the GPU waits 4.000 ms more for its input (`__next__`), and "
         "because the host of `new` waits for it in `item()`, 2 times a step against "
         "1");
    match.n[0] = 2 * STEPS;
    match.n[1] = STEPS;
    says("in each step the GPU waits 4.000 ms more for its input (`__next__`)");
    finding.time_ms = 25;
    says("in each step the GPU waits 4.000 ms more for its input (`__next__`), though "
         "less in `item()`, 1 times a step against 2");
}

/* A read that is as often as before, and a loader that is longer behind it. */
static void test_loader_behind_a_read(void **state)
{
    struct finding both[2];
    (void)state;
    idle_more("cpu_idle.host_sync.x.none", "The host waits in `item` (train.py:70).");
    says("in each step the GPU waits 4.000 ms more because the host waits for it in "
         "`item` (train.py:70)");
    both[0] = both[1] = finding;
    both[1].id = S("cpu_idle.host_loader.x.none");
    both[1].issue = S("Idle in `__next__`; `train` takes most.");
    both[1].time_ms = 6;
    sides[1].findings = both;
    sides[1].n_findings = 2;
    says("in each step the GPU waits 4.000 ms more for its input (`__next__`)");
    both[1].time_ms = 4;
    says("in each step the GPU waits 4.000 ms more because the host waits for it in "
         "`item` (train.py:70)");
}

/* A read that is as often as before does not tell what takes longer behind it. */
static void test_same_reads(void **state)
{
    (void)state;
    idle_more("cpu_idle.host_sync.x.none", "The host waits in `item` (train.py:70).");
    products[0].part = products[1].part = DEVICE_COPY;
    products[0].name = products[1].name = S("aten::item");
    says("in each step the GPU waits 4.000 ms more after its host has waited for it in "
         "`item` (train.py:70), as often as before: what the host does until it "
         "launches again takes longer");
    match.n[1]++;
    says("in each step the GPU waits 4.000 ms more because the host of `new` waits for "
         "it in `aten::mm`, 4.2 times a step against 4");
}

/* Communication that takes longer where the step does not; of a clock, kernels that
 * both run. */
static void test_hidden_and_pace(void **state)
{
    (void)state;
    products[0].part = products[1].part = DEVICE_COMM;
    match.ns[1] = 30 * MS;
    says("communication takes 50.0% longer, which computation hides as before");
    bars[0] = (struct compared_bar){
        .kind = BAR_COMM, .name = S("exposed communication"), .ns = {0, 10 * MS}};
    says("communication takes 50.0% longer, but other parts together make up for it");
    bars[1].ns[1] -= 9 * MS;
    says("communication takes 50.0% longer, but idle: Python takes 1.800 ms a step "
         "less");
    bars[1].ns[1] += 9 * MS;
    bars[0].ns[1] = 0;
    c.wall.verdict = VERDICT_OBSERVED;
    says("");
    c.drift = (struct drift){true, 1.1, 30, 1};
    c.parity = PARITY_OTHER_WORK;
    says("kernels that both run take 10.0% longer: clock, power or temperature of the "
         "GPU, not the program");
}

/* Where the host reads a value more often, nothing hides what it does next. */
static void test_added_read(void **state)
{
    (void)state;
    static struct match reads[2];
    static struct compared_row rows[2];
    static const struct capture_row copy = {.name = S_INIT("aten::_local_scalar_dense"),
                                            .part = DEVICE_COPY};
    idle_more("cpu_idle.host_python.x.none", "The host runs `log` (train.py:91).");
    reads[0] = (struct match){.n = {5, 10}, .name = {copy.name, copy.name}};
    rows[0] = row;
    rows[1] = (struct compared_row){.match = &reads[0], .of = {&copy, &copy}};
    c.rows = rows;
    c.n_rows = 2;
    says(
        "in each step the GPU waits 4.000 ms more because the host of `new` waits for "
        "it in `item()`, 2 times a step against 1, before it runs `log` (train.py:91)");
    finding.title = S("Defer the wait in item() (step, train.py:70): it keeps the host "
                      "from running ahead");
    says("in each step the GPU waits 4.000 ms more because the host of `new` waits for "
         "it in `item()` (step, train.py:70), 2 times a step against 1, before it "
         "runs `log` (train.py:91)");
    assert_ptr_equal(compare_remedy(&c), &finding);
    reads[0].n[1] = 5;
    says("in each step the GPU waits 4.000 ms more while the host runs `log` "
         "(train.py:91)");
}

/* A finding that both sides have is no cause, unless it grew. */
static void test_old_finding(void **state)
{
    (void)state;
    idle_more("cpu_idle.host_python.x.none", "Runs `log`.");
    sides[0].findings = &finding;
    sides[0].n_findings = 1;
    says("in each step the GPU is idle for 4.000 ms more, most of it: Python");
}

static void test_outlier(void **state)
{
    (void)state;
    for (int k = 2; k < STEPS; k++) {
        spans[1][k].end_ns += 30 * MS;
        spans[1][k].start_ns += k > 2 ? 30 * MS : 0;
        steps[1][k].start_ns = spans[1][k].start_ns;
    }
    steps[1][2].parts_ns[CAPTURE_PARTS - 1] = 30 * MS;
    longer(30 * MS, &c.idle_ns[1]);
    says("step 5 of `new` takes 40.000 ms, 30.000 ms more than the median step, in "
         "which the GPU waits");
    steps[1][2].parts_ns[CAPTURE_PARTS - 1] = 0;
    steps[1][2].parts_ns[WORK_GEMM] = 30 * MS;
    says("step 5 of `new` takes 40.000 ms, 30.000 ms more than the median step, "
         "30.000 ms of it GEMM");
    for (int k = 0; k < STEPS; k++) {
        steps[1][k].steady = true;
        steps[1][k].parts_ns[WORK_GEMM] = k == 2 ? 36 * MS : 9 * MS;
        steps[1][k].parts_ns[WORK_NORM] = k == 2 ? 4 * MS : MS;
    }
    says(
        "step 5 of `new` takes 40.000 ms, 30.000 ms more than the median step, all its "
        "kernels 4.0 times as long");
}

/* Every second step waits for its input. */
static void test_every_step(void **state)
{
    static struct step_span many[2][12];
    static struct capture_step named[12];
    (void)state;
    for (int side = 0; side < 2; side++) {
        int64_t at = 0;
        for (int k = 0; k < 12; k++) {
            bool far = side && k % 3 == 1;
            many[side][k] =
                (struct step_span){.start_ns = at, .end_ns = at + (far ? 25 : 10) * MS};
            if (side)
                named[k] = (struct capture_step){.start_ns = at,
                                                 .number = k,
                                                 .parts_ns[CAPTURE_PARTS - 1] =
                                                     far ? 15 * MS : 0};
            at = many[side][k].end_ns;
        }
        c.selection.spans[side] = many[side];
        c.selection.n_spans[side] = 12;
    }
    sides[1].steps = named;
    sides[1].n_steps = 12;
    c.selection.n_steps = 12;
    idle_more("cpu_idle.host_loader.x.none", "Idle in `__next__`.");
    longer(40 * MS, &c.idle_ns[1]);
    finding.time_ms = 59;
    says("every 3rd step of `new` takes 15.000 ms more than the median step, in which "
         "the GPU waits for its input (`__next__`)");
    assert_ptr_equal(compare_cause(&a, &c).steps.remedy, &finding);
    many[0][4].end_ns += 25 * MS; /* the other side has nearly as much of it */
    many[0][8].end_ns += 25 * MS;
    says("in each step the GPU waits 5.000 ms more for its input (`__next__`)");
}

static void test_row(void **state)
{
    (void)state;
    work_more(10 * MS);
    says("`aten::mm` on ((8, 8),) takes 50.0% longer per call, 2.000 ms a step more");
    static struct capture_node nodes[] = {{.parent = -1},
                                          {0, 1, S_INIT("nn.Module: MLP"), true}};
    sides[1].nodes = nodes;
    products[1].node = 1;
    match.level = MATCH_PATH;
    says("`aten::mm` in `MLP` on ((8, 8),) takes 50.0% longer per call, 2.000 ms a "
         "step more");
    match.level = MATCH_CALL;
    row.count_ns = 10 * MS;
    match.n[1] = 30;
    says("`aten::mm` on ((8, 8),) is called 6 times in place of 4, 2.000 ms a step "
         "more");
    match.n[0] = 0;
    says("`aten::mm` on ((8, 8),) is only in `new`: 2.000 ms a step");
}

static void test_class(void **state)
{
    (void)state;
    longer(10 * MS, &bars[0].ns[1]);
    bars[0].kernel_ns[0] = 20 * MS;
    bars[0].speed_ns = 8 * MS;
    says("GEMM takes 40.0% longer for the same calls, 1.600 ms a step more");
    static struct match other;
    static struct compared_row both[2];
    products[0].dims = products[1].dims = S("");
    match.ns[1] += 5 * MS; /* two have all of it, half each */
    other = match;
    other.name[0] = other.name[1] = S("aten::bmm");
    both[0] = both[1] = row;
    both[1].match = &other;
    c.rows = both;
    c.n_rows = 2;
    says(
        "`aten::mm` takes 25.0% longer per call, 1.000 ms a step more, and `aten::bmm` "
        "takes 25.0% longer per call, 1.000 ms a step more");
    other.ns[1] -= 3 * MS; /* and others the rest */
    says("GEMM takes 40.0% longer for the same calls, 1.600 ms a step more");
}

/* One of the four calls of each step takes twice its time. */
static void test_place(void **state)
{
    (void)state;
    for (int k = 0; k < STEPS; k++)
        events[1][k * CALLS + 2].end_ns += MS;
    row.speed_ns = STEPS * MS;
    work_more(STEPS * MS);
    says("call 3 of 4 in a step of `aten::mm` on ((8, 8),) takes 100.0% longer, 1.000 "
         "ms a step more");
    static struct capture_node nodes[] = {{.parent = -1},
                                          {0, 1, S_INIT("nn.Module: MLP"), true}};
    static struct match others[3];
    static struct compared_row rows[4];
    rows[0] = row;
    for (int k = 1; k < 4; k++) { /* once in each of four layers */
        others[k - 1] = match;
        rows[k] = (struct compared_row){.match = &others[k - 1], .of = {&products[0]}};
    }
    sides[1].nodes = nodes;
    products[1].node = 1;
    match.level = MATCH_PATH;
    c.rows = rows;
    c.n_rows = 4;
    says("in layer 3 of 4 `aten::mm` in `MLP` on ((8, 8),) takes 100.0% longer, "
         "1.000 ms a step more");
    others[0].n[1] = 10; /* two others are not enough */
    says("call 3 of 4 in a step of `aten::mm` in `MLP` on ((8, 8),) takes 100.0% "
         "longer, 1.000 ms a step more");
    match.level = MATCH_CALL;
    c.rows = &row;
    c.n_rows = 1;
    for (int k = 0; k < STEPS; k++)
        events[1][k * CALLS + 1].end_ns += MS;
    work_more(STEPS * MS);
    row.speed_ns = 2 * STEPS * MS;
    says("`aten::mm` on ((8, 8),) takes 50.0% longer per call, 2.000 ms a step more");
}

static void test_hidden_less(void **state)
{
    (void)state;
    bars[1].kind = BAR_COMM;
    longer(10 * MS, &bars[1].ns[1]);
    products[0].part = products[1].part = DEVICE_COMM;
    says("computation hides 2.000 ms less of the communication, which takes as long as "
         "before");
    match.ns[1] += 8 * MS;
    says("communication takes 40.0% longer, and 2.000 ms more of it is not hidden");
    assert_int_equal(compare_cause(&a, &c).kind, CAUSE_TRANSFERS);
}

/* Copies that one side alone makes. */
static void test_added_copies(void **state)
{
    (void)state;
    bars[1].kind = BAR_COPY;
    longer(10 * MS, &bars[1].ns[1]);
    products[0].part = products[1].part = DEVICE_COPY;
    products[0].kernel = products[1].kernel = S("Memcpy HtoD (Pageable -> Device)");
    products[0].dims = products[1].dims = S("");
    match.name[0] = match.name[1] = S("aten::copy_");
    match.ns[0] = match.n[0] = 0;
    match.ns[1] = 10 * MS;
    says("`aten::copy_`, a copy to the GPU, is only in `new`: 2.000 ms a step");
}

/* Neither has most of the difference alone, and a part that is large is told too. */
static void test_two_causes(void **state)
{
    (void)state;
    idle_more("cpu_idle.host_loader.x.none", "Idle in `__next__`.");
    work_more(15 * MS);
    says("in each step the GPU waits 4.000 ms more for its input (`__next__`), and "
         "`aten::mm` on ((8, 8),) takes 75.0% longer per call, 3.000 ms a step more");
    work_more(-12 * MS); /* 3 of 23 */
    says("in each step the GPU waits 4.000 ms more for its input (`__next__`)");
    work_more(37 * MS);
    says("`aten::mm` on ((8, 8),) takes 200.0% longer per call, 8.000 ms a step more, "
         "and in each step the GPU "
         "waits 4.000 ms more for its input (`__next__`)");
}

static void test_pace(void **state)
{
    (void)state;
    longer(10 * MS, &bars[0].ns[1]);
    c.drift = (struct drift){true, 0.92, 9, 1};
    says("all kernels take 8.0% less time: clock, power or temperature of the GPU, "
         "not the program");
    longer(-10 * MS, &bars[0].ns[1]); /* and it waits: the clock is not all */
    c.drift.factor = 1.5;
    work_more(10 * MS);
    idle_more("cpu_idle.host_loader.x.none", "Idle in `__next__`.");
    says("in each step the GPU waits 4.000 ms more for its input (`__next__`), and all "
         "kernels take 50.0% longer: clock, power or temperature of the GPU, not the "
         "program");
    c.drift.factor = 0.9; /* which is no reason to take longer */
    work_more(-12 * MS);
    says("in each step the GPU waits 4.000 ms more for its input (`__next__`)");
}

/* Another operator in its place is named beside it. */
static void test_other_operator(void **state)
{
    (void)state;
    work_more(10 * MS);
    match.name[1] = S("cudnn::mm");
    says("`cudnn::mm` in place of `aten::mm` takes 50.0% longer per call, 2.000 ms a "
         "step more");
}

static void test_exchange(void **state)
{
    (void)state;
    static struct match other;
    static struct compared_row both[2];
    other = match;
    other.name[0] = other.name[1] = S("aten::softmax");
    products[0].dims = products[1].dims = S("");
    match.ns[1] -= 5 * MS;
    other.ns[1] += 5 * MS;
    both[0] = row;
    both[1] = row;
    both[1].match = &other;
    c.rows = both;
    c.n_rows = 2;
    says("`aten::mm` takes 1.000 ms less and `aten::softmax` 1.000 ms more");
    assert_false(compare_is_noise(&c));
    c.window_ns[1] += 5 * MS; /* neither has most of it, both together do */
    other.ns[1] += 5 * MS;
    says("`aten::mm` takes 1.000 ms less and `aten::softmax` 2.000 ms more");
}

static void says_of_rank(enum rank_cause want, const char *because)
{
    struct rank_cause_said said = compare_rank_cause(&a, a, &c);
    if (said.cause != want || !str_eq(said.because, str_of(because)))
        fail_msg("%d %.*s", said.cause, STRF(said.because));
}

/* Longer sequences are more of the same work, not slower kernels; nor are other
 * operators. */
static void test_late_by_size(void **state)
{
    (void)state;
    sides[0].has_shapes = true;
    bars[0].ns[1] += 5 * MS;
    bars[0].kernel_ns[0] = 20 * MS;
    bars[0].speed_ns = 5 * MS;
    c.level_ns[MATCH_NAME][0] = c.level_ns[MATCH_NAME][1] = 19 * MS; /* of 20 */
    c.gflop[0] = 10;
    c.gflop[1] = 25;
    c.parity = PARITY_OTHER_WORK;
    says_of_rank(RANK_CAUSE_WORK, "its tensors are larger: the same operators compute "
                                  "2.5 times the FLOP in a step");
    c.level_ns[MATCH_NAME][1] = 17 * MS;
    says_of_rank(RANK_CAUSE_KERNEL, "kernels take 25.0% longer for the same calls");
    c.level_ns[MATCH_NAME][1] = 19 * MS;
    c.gflop[1] = 10.4;
    says_of_rank(RANK_CAUSE_KERNEL, "kernels take 25.0% longer for the same calls");
}

/* Waiting for the late rank makes the window of both equally long. */
static void test_late_rank(void **state)
{
    (void)state;
    says_of_rank(RANK_CAUSE_NONE, "");
    bars[0].ns[1] += 5 * MS;
    bars[0].kernel_ns[0] = 20 * MS;
    says_of_rank(RANK_CAUSE_WORK, "there is 25.0% more to compute");
    bars[0].speed_ns = 5 * MS;
    says_of_rank(RANK_CAUSE_KERNEL, "kernels take 25.0% longer for the same calls");
    row.speed_ns = 5 * MS;
    match.ns[1] += 5 * MS;
    says_of_rank(RANK_CAUSE_KERNEL,
                 "`aten::mm` on ((8, 8),) takes 25.0% longer per call");
    c.drift = (struct drift){.found = true, .factor = 1.25};
    says_of_rank(
        RANK_CAUSE_CLOCKS,
        "all kernels take 25.0% longer: clock, power or temperature of the GPU, "
        "not the program");
    bars[0].ns[1] -= 15 * MS;
    says_of_rank(RANK_CAUSE_NONE, ""); /* it is the quicker one */
}

static void test_late_host(void **state)
{
    (void)state;
    idle_more("cpu_idle.host_loader.x.none", "Idle in `__next__`.");
    says_of_rank(RANK_CAUSE_INPUT, "the GPU waits for its input (`__next__`)");
    finding.id = S("cpu_idle.host_sync.x.none");
    says_of_rank(RANK_CAUSE_WAITS, "the host waits for the GPU in `__next__`");
    slower_host();
    says_of_rank(RANK_CAUSE_HOST, "the host takes 30% longer for the same calls");
    finding.id = S("cpu_idle.host_loader.x.none"); /* which a slow host alone is not */
    says_of_rank(RANK_CAUSE_INPUT, "the GPU waits for its input (`__next__`)");
}

static void test_late_copies(void **state)
{
    (void)state;
    bars[1].kind = BAR_COPY;
    bars[1].ns[1] += 8 * MS;
    products[1].part = DEVICE_COPY;
    products[1].kernel = S("Memcpy DtoH (Device -> Pageable)");
    match.ns[0] = match.n[0] = 0;
    match.ns[1] = 8 * MS;
    says_of_rank(RANK_CAUSE_COPIES,
                 "there are 20 copies to the host (8.0 ms) that other "
                 "ranks do not make, as for a checkpoint");
    match.n[0] = 20;
    match.ns[0] = 3 * MS;
    says_of_rank(RANK_CAUSE_WAITS, "copies to the host take 1.000 ms more in a step");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_noise, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_noise_of_one_capture, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_idle, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_loader_beside_reads, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_hidden_and_pace, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_loader_behind_a_read, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_same_reads, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_added_read, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_old_finding, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_outlier, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_every_step, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_added_copies, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_other_operator, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_row, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_class, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_place, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_hidden_less, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_two_causes, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_pace, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_exchange, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_late_by_size, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_late_rank, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_late_host, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_late_copies, begin, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
