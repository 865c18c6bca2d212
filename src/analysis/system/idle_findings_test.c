#include "idle_findings.c"

#include "analysis/library_case.h"
#include "analysis/system/host_time.h"
#include "analysis/system/idle_cases.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct idle_case {
    struct trace_case c;
    struct tree_index t;
    struct analysis a;
    struct idle_result r;
};

static void find(struct idle_case *x, double threshold_pct)
{
    case_open(&x->c, NULL);
    x->t = tree_index_build(&x->c.perm, x->c.tmp, &x->c.view);
    struct idle_gaps g = idle_gaps_find(&x->c.perm, x->c.tmp, &x->t);
    x->a = case_analysis(&x->c);
    x->a.patterns = library_open(&x->c.perm, NULL, 0);
    x->r = (struct idle_result){0};
    struct host_time host = host_time_build(&x->c.perm, x->c.tmp, &x->t);
    idle_count(x->c.tmp, &x->a, &x->c.view, &x->r);
    idle_analyse(&x->c.perm, x->c.tmp, &x->a, &host, &g, &x->r);
    idle_findings(&x->c.perm, &x->a, &x->t, &x->r, threshold_pct);
}

static void close_case(struct idle_case *x)
{
    assert_int_equal(x->a.n_warnings, 0);
    pattern_host_close(x->a.patterns);
    case_close(&x->c);
}

/* 1 ms of work, then preprocess for 9 ms, 7 of these in zoom. */
static void a_group_is_a_finding(void **state)
{
    (void)state;
    struct idle_case x;
    case_begin(&x.c);
    case_frame(&x.c, "main.py(1): main", 0, 30000);
    case_launch(&x.c, "k0", 5, 10, 1000, 1);
    case_frame(&x.c, "src/prep.py(368): preprocess", 900, 9100);
    case_frame(&x.c, "src/zoom.py(7): zoom", 2000, 7000);
    case_launch(&x.c, "k1", 10005, 10010, 1000, 2);
    find(&x, 50);
    assert_int_equal(x.a.n_findings, 1);
    const struct finding *f = &x.a.findings[0];
    assert_text(f->id, "cpu_idle.host_python.preprocess__prep_py_368.none");
    assert_text(f->title,
                "Run zoom (zoom.py:7) one batch ahead in a thread, or on the GPU");
    assert_text(f->issue,
                "The GPU is idle for 9.00 ms (81.8% of the run) while the host runs "
                "`preprocess` (prep.py:368); `zoom` (zoom.py:7) takes 7.00 ms of it.");
    assert_true(str_starts(f->algorithmic, S("Prepare the next input in a thread")));
    assert_text(f->evidence[0].text,
                "9.00 ms in 1 gap: Python, `preprocess` (prep.py:368).");
    assert_near(f->impact.high_ms, 8.995, 1e-6); /* all but the start latency */
    assert_near(f->impact.low_ms, 0.8 * 8.995, 1e-6);
    assert_int_equal(x.r.n_patterns, 1);
    close_case(&x);
}

/* Two nodes of a graph, 2 ms apart: they need not be neighbours, and nobody else holds
 * the device. */
static void gaps_of_graphs_blame_no_other_process(void **state)
{
    (void)state;
    struct idle_case x;
    case_begin(&x.c);
    case_call(&x.c, "cudaGraphLaunch", 5, 5, 1);
    case_kernel(&x.c, "node", 7, 20, 1500, 1);
    case_kernel(&x.c, "node", 7, 3520, 1500, 1);
    find(&x, 50);
    assert_int_equal(x.a.n_findings, 1);
    assert_text(x.a.findings[0].title,
                "Record the nodes of GPU graphs: the GPU waits between or after them");
    assert_int_equal(x.r.pool_ns[POOL_GRAPH], 2000000);
    close_case(&x);
}

/* A library is set up for 4 ms in the first product: another such call in the second
 * one makes it a part of each. */
static void what_happens_once_saves_nothing(void **state)
{
    (void)state;
    for (int recurs = 0; recurs < 2; recurs++) {
        struct idle_case x;
        case_begin(&x.c);
        case_launch(&x.c, "k0", 5, 10, 1000, 1);
        for (int k = 0; k < 2; k++) {
            case_op(&x.c, "aten::addmm", 1100 + 10000 * k, 5000);
            if (k == 0 || recurs)
                case_call(&x.c, "cudaFree", 1200 + 10000 * k, 4000, 0);
            case_launch(&x.c, "gemm", 6000 + 10000 * k, 6010 + 10000 * k,
                        recurs ? 5000 : 9900, 2 + k);
        }
        find(&x, 0);
        const struct finding *f = &x.a.findings[0];
        assert_text(f->pattern, recurs ? "host_memory" : "host_set_up");
        assert_true(recurs ? f->impact.high_ms > 3.9 : !(f->impact.high_ms > 0));
        close_case(&x);
    }
}

/* The host schedules for 2 ms, prepares for 2 ms and launches for 0.9 ms, then is 14 ms
 * ahead: three causes, one recording, and no saving. */
static void the_start_of_a_recording_is_one_finding(void **state)
{
    (void)state;
    struct idle_case x;
    case_begin(&x.c);
    case_frame(&x.c, "loop.py(1): event_loop", 0, 30000);
    case_launch(&x.c, "k0", 5, 10, 5, 1);
    case_frame(&x.c, "src/plan.py(7): plan", 20, 1980);
    case_launch(&x.c, "k1", 2005, 2015, 5, 2);
    case_frame(&x.c, "src/prepare.py(9): prepare", 2021, 1970);
    case_call(&x.c, "cudaGraphLaunch", 4100, 900, 3);
    case_kernel(&x.c, "moe", 7, 5000, 7000, 3);
    case_kernel(&x.c, "gemm", 7, 12001, 7000, 3);
    find(&x, 50);
    assert_int_equal(x.a.n_findings, 1);
    const struct finding *f = &x.a.findings[0];
    assert_text(f->pattern, "host_start");
    assert_true(f->recording && !(f->impact.high_ms > 0));
    assert_near(f->time_ms, (double)x.r.pool_ns[POOL_START] / 1e6, 1e-9);
    assert_int_equal(x.r.pool_ns[POOL_START], 4980000);
    assert_int_equal(x.r.pool_ns[POOL_HOST], 0);
    close_case(&x);
}

/* 2 ms of 200 are 1 %, 1 ms is less. */
static void small_groups_are_none_unless_asked_for(void **state)
{
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        struct idle_case x;
        case_begin(&x.c);
        case_frame(&x.c, "main.py(1): main", 0, 300000);
        case_launch(&x.c, "k0", 5, 10, 100000, 1);
        case_launch(&x.c, "k1", 101005, 101010, 100000, 2);
        find(&x, asked ? 0 : 50);
        assert_int_equal(x.a.n_findings, asked);
        if (asked)
            assert_true(x.a.findings[0].asked);
        close_case(&x);
    }
}

static void told(struct arena *perm, const struct finding *f, const char *const *want,
                 int n)
{
    for (int k = 0; k < f->n_evidence && k < n; k++)
        assert_string_equal(str_c(perm, f->evidence[k].text), want[k]);
    assert_int_equal(f->n_evidence, n);
}
#define TOLD(f, ...)                                                                   \
    do {                                                                               \
        static const char *const want[] = {__VA_ARGS__};                               \
        told(&perm, f, want, (int)(sizeof want / sizeof *want));                       \
    } while (0)

/* Four launches that keep the device waiting for 100 us each. */
static void a_launch_is_told_by_its_parts(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    struct idle_group g = {.class = IDLE_HOST_BOUND,
                           .gaps = 4,
                           .total_ns = 400000,
                           .class_us = {[IDLE_PYTHON] = 100,
                                        [IDLE_DISPATCH] = 80,
                                        [IDLE_RUNTIME] = 40,
                                        [IDLE_LAUNCH] = 60,
                                        [IDLE_LATENCY] = 20,
                                        [IDLE_NOTHING] = 60},
                           .where = {{.name = S("forward"), .total_us = 120},
                                     {.name = S("step"), .total_us = 80}},
                           .n_where = 2,
                           .compiled_us = 100};
    struct idle_result r = {.avg_compute_us = 12};
    struct finding f = {.count = 0};
    launch_evidence(&perm, &f, true, &r, &g);
    TOLD(&f,
         "A launch keeps the GPU waiting for 100.0 µs: Python 25.0, operator dispatch "
         "20.0, launch and other runtime calls 25.0, start latency 5.0, nothing "
         "recorded 15.0; the mean kernel takes 12.0 µs.",
         "Most of it is in `forward` (0.120 ms), `step` (0.080 ms).",
         "25.0% of it is below a compiled region.");
    g.where[1].total_us = 79;
    g.class_us[IDLE_NOTHING] = g.compiled_us = 0;
    f = (struct finding){.count = 0};
    launch_evidence(&perm, &f, false, &r, &g);
    TOLD(&f,
         "A launch keeps the GPU waiting for 100.0 µs: Python not recorded, operator "
         "dispatch 20.0, launch and other runtime calls 25.0, start latency 5.0; the "
         "mean kernel takes 12.0 µs.",
         "Its largest parts are in `forward` (0.120 ms), `step` (0.079 ms).");
    arena_release(start, &perm);
}

/* 5 ms in three gaps. */
static void gaps_are_told_by_their_longest(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    struct idle_group g = {.class = IDLE_PYTHON,
                           .gaps = 3,
                           .total_ns = 5000000,
                           .max_us = 2000,
                           .longest_part_ns = 1500000,
                           .blame = S("prep"),
                           .blame_place = S("x.py:3"),
                           .leaf = S("zoom"),
                           .leaf_us = 3000,
                           .sync = S("aten::item"),
                           .after_sync_us = 500,
                           .per_step_us = 2500};
    const struct analysis an = {.total_ms = 100};
    const struct idle_result r = {.n_groups = 0};
    struct finding f = {.count = 0};
    group_evidence(&perm, &an, &f, &r, &g);
    TOLD(&f, "5.00 ms in 3 gaps, the longest 2.00 ms: Python, `prep` (x.py:3).",
         "3.00 ms of that: `zoom`.",
         "0.500 ms of that begins while the host waits for the GPU, most often in "
         "`aten::item`.",
         "Per step: 2.50 ms.");
    g.max_us = 6000;
    g.after_sync_us = 499;
    g.per_step_us = 4996;
    g.leaf = g.blame;
    f = (struct finding){.count = 0};
    group_evidence(&perm, &an, &f, &r, &g);
    TOLD(&f,
         "5.00 ms in 3 gaps, in parts of at most 1.50 ms: Python, `prep` (x.py:3).");
    arena_release(start, &perm);
}

/* A saving that the pattern knows is at most the idle time; a recording saves none. */
static void a_group_saves_what_its_pattern_says(void **state)
{
    (void)state;
    const struct analysis an = {.total_ms = 100};
    const struct idle_group g = {.total_ns = 5000000};
    struct pattern_hit hit = {.saving_low_ms = (double)NAN,
                              .saving_high_ms = (double)NAN};
    assert_near(group_impact(&an, &g, &hit).low_ms, 4, 1e-12);
    assert_near(group_impact(&an, &g, &hit).high_pct, 5, 1e-12);
    hit.saving_low_ms = 2;
    hit.saving_high_ms = 9;
    assert_near(group_impact(&an, &g, &hit).low_ms, 2, 0);
    assert_near(group_impact(&an, &g, &hit).high_ms, 5, 1e-12);
    hit.recording = true;
    assert_near(group_impact(&an, &g, &hit).high_ms, 0, 0);
}

static void a_part_is_no_worse_than_the_whole(void **state)
{
    (void)state;
    static const double shares_pct[] = {50.5, 30.5, 10.5, 3.5, 2.9};
    static const enum severity want[] = {SEVERITY_CRITICAL, SEVERITY_HIGH,
                                         SEVERITY_MEDIUM, SEVERITY_LOW, SEVERITY_NONE};
    struct idle_result r = {.severity = SEVERITY_CRITICAL};
    for (int k = 0; k < 5; k++)
        assert_int_equal(group_severity(&r, shares_pct[k]), want[k]);
    r.severity = SEVERITY_LOW;
    assert_int_equal(group_severity(&r, 50.5), SEVERITY_MEDIUM);
    assert_int_equal(group_severity(&r, 10.5), SEVERITY_MEDIUM);
    assert_int_equal(group_severity(&r, 3.5), SEVERITY_LOW);
}

static void the_device_that_decides_is_named(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    struct idle_result r = {.device = S("1")};
    assert_string_equal(str_c(&perm, of_which(&perm, &r, S("The GPU is idle."))),
                        "GPU 1 is idle.");
    assert_string_equal(str_c(&perm, of_which(&perm, &r, S("So the GPU waits."))),
                        "So GPU 1 waits.");
    assert_string_equal(str_c(&perm, of_which(&perm, &r, S("GPUs wait."))),
                        "GPUs wait.");
    r.device = S("");
    assert_string_equal(str_c(&perm, of_which(&perm, &r, S("The GPU is idle."))),
                        "The GPU is idle.");
    arena_release(start, &perm);
}

/* Code checks sizes in two compiled regions: one setting, which saves in both. */
static void one_setting_saves_in_all_places(void **state)
{
    (void)state;
    struct idle_case x;
    case_begin(&x.c);
    for (int k = 0; k < 40; k++) {
        double at_us = 10000 * k;
        case_launch(&x.c, "k", at_us, at_us + 10, 1000, k + 1);
        case_frame(&x.c,
                   k % 2 ? "a.py(1): Call CompiledFxGraph a"
                         : "b.py(1): Call CompiledFxGraph b",
                   at_us + 1000, 8900);
        for (int i = 0; i < 170; i++)
            case_frame(&x.c, "<built-in function assert_size_stride>",
                       at_us + 1100 + 50 * i, 40);
    }
    find(&x, 50);
    assert_int_equal(x.a.n_findings, 1);
    const struct finding *f = &x.a.findings[0];
    assert_text(f->pattern, "host_size_asserts");
    assert_near(f->impact.low_ms, 0.3 * 39 * 169 * 0.05, 1e-6);
    assert_near(f->impact.high_ms, 39 * 169 * 0.05, 1e-6);
    close_case(&x);
}

/* Half of the idle time is most of it. */
static void shares_of_idle_time_are_told(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    const struct analysis an = {.total_ms = 100};
    struct idle_result r = {.start_gaps = 2, .ahead_ns = 14000000};
    r.class_ns[IDLE_PYTHON] = 7000000;
    r.class_ns[IDLE_SYNC] = 3000000;
    struct finding f = {.time_ms = 5};
    say_idle_share(&perm, &an, &f, &r);
    assert_string_equal(str_c(&perm, f.priority_basis),
                        "5.0% of total time, most of idle time");
    f.time_ms = 4.9;
    say_idle_share(&perm, &an, &f, &r);
    assert_string_equal(str_c(&perm, f.priority_basis),
                        "4.9% of total time, part of idle time");
    r.pool_ns[POOL_START] = 6000000;
    all_of_start(&perm, &an, &f, &r);
    assert_near(f.time_ms, 6, 1e-12);
    assert_int_equal(f.count, 2);
    assert_string_equal(str_c(&perm, f.priority_basis), "6.0% of total time");
    TOLD(&f, "6.00 ms in 2 gaps before the first launches; behind the last launch call "
             "the GPU works for 14.00 ms.");
    arena_release(start, &perm);
}

/* The keys that idle_facts_of fills; texts first. */
static const char *const text_keys[] = {
    "class",       "blame", "blame_place", "around", "leaf",       "leaf_place",
    "what",        "sync",  "sync_place",  "where",  "where_most", "code",
    "code_place",  "loop",  "parts",       "root",   "stacks_how", "activities_how",
    "root_beside", "eager", "eager_place"};
/* clang-format off */
static const char *const number_keys[] = {"size_asserts", "size_asserts_ms", 
    "gaps", "calls", "time_ms", "share_pct", "idle_pct", "leaf_ms", "call_ms",
    "call_us", "long_ms", "longest_ms", "longest_part_ms", "per_step_ms", "steps",
    "leaf_pct", "after_sync_pct", "hidden_without_pct", "compiled_pct", "python_pct",
    "dispatch_pct", "runtime_pct", "latency_pct", "nothing_pct", "launches_per_s",
    "gap_us", "launches_per_step", "has_ops", "kernel_us", "graph_pct", "repeated_pct",
    "where_most_pct", "stalled_ms", "late_ms", "inside_ms", "input_pct", "leaf_call_us",
    "leaf_launches", "reads_device", "waits", "waits_per_step", "blocking_pct",
    "in_steps", "in_step_ms", "results_pct", "every_nth", "first_step", "leaf_usual_us",
    "leaf_only_calls", "leaf_is_code", "leaf_in_operator", "has_frames", "has_stacks",
    "has_shapes", "resumes", "regions", "versions", "has_loader", "sets_up", "given_back", "taken",
    "repeated", "freed_to_repeat", "emptied", "reserved_gib", "device_gib", "first_call", "leads",
    "start_pct", "start_ms", "start_share_pct", "beside_ms", "captures", "recaptures",
    "compiled_captures", "expert_turns", "results_bytes", "loop_calls", "is_jax", "nan_checks_pct", "nan_device_ms",
    "nan_nodes_pct", "training", "launches", "adapters", "stops",
    "stop_kinds", "stop_ms", "longest_stop_ms", "waits_beside", "sends", "foreach_calls",
    "type_checks", "single_calls", "sparse_calls", "copy_gaps", "eager_ms"};
/* clang-format on */
enum { N_TEXTS = sizeof text_keys / sizeof *text_keys };
enum { N_NUMBERS = sizeof number_keys / sizeof *number_keys };

/* The value of KEY in "KEY=VALUE ...", or NULL. */
static const char *value_of(struct arena *a, const char *all, const char *key)
{
    char *word, *save, *copy = str_c(a, str_of(all));
    for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        size_t n = strlen(key);
        if (strncmp(word, key, n) != 0 || word[n] != '=')
            continue;
        for (char *p = word; *p; p++) /* a blank, as ends a word */
            *p = *p == '+' ? ' ' : *p;
        return word + n + 1;
    }
    return NULL;
}

static bool ask(struct pattern_host *h, struct arena *perm, const char *facts,
                struct pattern_hit *hit)
{
    struct analysis a = {0};
    struct idle_facts f = {.n = 0};
    for (int k = 0; k < N_TEXTS; k++) {
        const char *v = value_of(perm, facts, text_keys[k]);
        if (!v && !strcmp(text_keys[k], "stacks_how"))
            v = "with_stack=True";
        if (!v && !strcmp(text_keys[k], "what"))
            v = value_of(perm, facts, "blame");
        idle_text(&f, text_keys[k], v ? str_of(v) : S(""));
    }
    for (int k = 0; k < N_NUMBERS; k++) {
        const char *v = value_of(perm, facts, number_keys[k]);
        idle_number(&f, number_keys[k], v ? atof(v) : 0);
    }
    static const char *const of_the_report[] = {"stacks_asked", "step_late"};
    for (int k = 0; k < 2; k++) {
        const char *v = value_of(perm, facts, of_the_report[k]);
        idle_number(&f, of_the_report[k], v ? atof(v) : 0);
    }
    const char *tokens = value_of(perm, facts, "trace.decode_tokens");
    if (tokens)
        work_set(perm, &a, FACT("decode_tokens", atof(tokens)));
    bool found = pattern_host_group(h, perm, &a, f.list, f.n, hit);
    assert_int_equal(a.n_warnings, 0);
    return found;
}

/* What to do, without figures of time: those are in the issue. */
static bool is_action(struct str title)
{
    return title.n > 0 && title.n <= TITLE_MOST && title.p[0] >= 'A' &&
           title.p[0] <= 'Z' && !str_starts(title, S("GPU idle")) &&
           !str_has(title, S(" ms")) && !str_has(title, S("%")) &&
           !str_has(title, S("unknown"));
}

static void each_pattern_knows_its_group(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(256 << 20);
    char *start = perm.at;
    struct pattern_host *h = library_open(&perm, NULL, 0);
    struct pattern_hit hit;
    assert_false(ask(h, &perm, "class=other", &hit));
    assert_false(
        ask(h, &perm, "class=nothing has_ops=1 share_pct=4 stacks_asked=1", &hit));
    assert_false(ask(h, &perm, "class=queued kernel_us=20 call_us=1", &hit));
    assert_true(ask(h, &perm,
                    "class=queued blame=between_copies kernel_us=20 call_us=1", &hit));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_true(ask(h, &perm, cases[k].facts, &hit));
        assert_text(hit.id, cases[k].id);
        bool absent = cases[k].says[0] == '!'; /* from what to do */
        struct str issue = absent ? S("") : hit.issue;
        struct str all = str_printf(&perm, "%.*s %.*s %.*s", STRF(hit.title),
                                    STRF(hit.path_a), STRF(issue));
        struct finding f = {0};
        finding_title(&perm, &f, hit.title, S(""));
        if (!is_action(f.title) || str_has(f.title, S("...")))
            fail_msg("%s: %.*s", cases[k].facts, STRF(f.title));
        if (str_has(all, str_of(cases[k].says + absent)) == absent)
            fail_msg("%s: %.*s", cases[k].facts, STRF(all));
    }
    for (int i = 0; i < pattern_host_count(h); i++)
        if (str_eq(pattern_host_info(h, i).category, S("cpu_idle")) &&
            pattern_host_info(h, i).hits == 0) /* every pattern has a case */
            fail_msg("no case for %.*s", STRF(pattern_host_info(h, i).id));
    pattern_host_close(h);
    arena_release(start, &perm);
}

/* Calls that take memory are not those of the call that the group is named after, and
 * shorter gaps are told elsewhere. */
static void issues_count_what_they_name(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *says;
    } texts[] = {
        {"class=memory blame=cudaFree calls=248 given_back=240 taken=220",
         "248 of them, 0.000 ms each. The trace has 240 that return memory to the "
         "driver "
         "and "
         "220 that take it."},
        {"class=memory blame=cudaFree calls=24 given_back=240 taken=0",
         "inside `cudaFree`, 24 of 240 calls"},
        {"class=nothing input_pct=90 gaps=3 has_ops=1 time_ms=4 long_ms=4",
         "input is copied to it, in 3 gaps of 1 ms and more."},
        {"class=nothing input_pct=90 gaps=3 has_ops=1 time_ms=2.6 long_ms=2.6",
         "input is copied to it, in parts of 3 gaps of 1 ms and more."},
        {"class=nothing input_pct=90 gaps=3 has_ops=1 time_ms=2.6 long_ms=2",
         "input is copied to it, in parts of 3 gaps."},
    };
    struct arena perm = arena_reserve(256 << 20);
    char *start = perm.at;
    struct pattern_host *h = library_open(&perm, NULL, 0);
    struct pattern_hit hit;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        assert_true(ask(h, &perm, texts[k].facts, &hit));
        if (!str_has(hit.issue, str_of(texts[k].says)))
            fail_msg("%s: %.*s", texts[k].facts, STRF(hit.issue));
    }
    pattern_host_close(h);
    arena_release(start, &perm);
}

/* The facts of a real group are those that the cases above use. */
static void facts_have_the_keys(void **state)
{
    (void)state;
    struct idle_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_launch(&x.c, "k1", 95, 100, 10, 2);
    find(&x, 50);
    struct idle_facts f = {.n = 0};
    idle_facts_of(&x.c.perm, &x.a, &x.t, &x.r, &x.r.groups[0], &f);
    assert_int_equal(f.n, N_TEXTS + N_NUMBERS);
    for (int k = 0; k < f.n; k++) {
        bool known = false;
        for (int i = 0; i < N_TEXTS; i++)
            known |= f.list[k].text && !strcmp(f.list[k].key, text_keys[i]);
        for (int i = 0; i < N_NUMBERS; i++)
            known |= !f.list[k].text && !strcmp(f.list[k].key, number_keys[i]);
        if (!known)
            fail_msg("%s", f.list[k].key);
    }
    close_case(&x);
}

/* A user's file is asked first, and an unknown fact is a warning. */
static void users_patterns_come_first(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(256 << 20);
    char *start = perm.at;
    static const char mine[] =
        "pattern {id = 'wrong', category = 'cpu_idle', scope = 'idle', "
        "summary = 's', path_a = 'x', "
        "when = function(g) return g.nothing_such end}\n"
        "pattern {id = 'mine', category = 'cpu_idle', scope = 'idle', "
        "summary = 's', title = 'Idle in {blame}', path_a = '{blame}', "
        "when = function(g) return g.leaf == 'zoom' end}";
    char path[] = "/tmp/idle_findings_test.XXXXXX";
    const char *extension = path;
    int fd = mkstemp(path);
    assert_true(write(fd, mine, sizeof mine - 1) == (ssize_t)sizeof mine - 1);
    close(fd);
    struct analysis a = {0};
    struct pattern_hit hit;
    struct pattern_host *h = library_open(&perm, &extension, 1);
    unlink(path);
    struct idle_facts f = {.n = 0};
    idle_text(&f, "class", S("python")); /* which the built-in library knows, too */
    idle_text(&f, "blame", S("prep"));
    idle_text(&f, "leaf", S("zoom"));
    assert_true(pattern_host_group(h, &perm, &a, f.list, f.n, &hit));
    assert_text(hit.id, "mine");
    assert_text(hit.title, "Idle in `prep`");
    assert_text(hit.path_a, "`prep`");
    assert_int_equal(a.n_warnings, 1);
    assert_true(str_has(a.warnings[0].text, S("a group has no 'nothing_such'")));
    pattern_host_close(h);
    arena_release(start, &perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_is_a_finding),
        cmocka_unit_test(gaps_of_graphs_blame_no_other_process),
        cmocka_unit_test(what_happens_once_saves_nothing),
        cmocka_unit_test(the_start_of_a_recording_is_one_finding),
        cmocka_unit_test(small_groups_are_none_unless_asked_for),
        cmocka_unit_test(a_launch_is_told_by_its_parts),
        cmocka_unit_test(gaps_are_told_by_their_longest),
        cmocka_unit_test(a_group_saves_what_its_pattern_says),
        cmocka_unit_test(a_part_is_no_worse_than_the_whole),
        cmocka_unit_test(the_device_that_decides_is_named),
        cmocka_unit_test(shares_of_idle_time_are_told),
        cmocka_unit_test(one_setting_saves_in_all_places),
        cmocka_unit_test(each_pattern_knows_its_group),
        cmocka_unit_test(facts_have_the_keys),
        cmocka_unit_test(issues_count_what_they_name),
        cmocka_unit_test(users_patterns_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
