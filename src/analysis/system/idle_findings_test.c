#include "idle_findings.c"

#include "analysis/library_case.h"
#include "analysis/system/host_time.h"
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
    assert_text(f->title, "GPU idle 9.00 ms while the host runs preprocess");
    assert_text(f->issue,
                "The GPU is idle for 9.00 ms (81.8% of the run) while the host runs "
                "`preprocess` (prep.py:368); 7.00 ms of that in `zoom` (zoom.py:7).");
    assert_true(str_starts(f->algorithmic, S("Prepare the next input in a worker")));
    assert_text(f->evidence[0].text,
                "9.00 ms in 1 gap: Python, `preprocess` (prep.py:368).");
    assert_int_equal(f->priority, PRIORITY_CRITICAL);
    assert_near(f->impact.high_ms, 8.995, 1e-6); /* all but the start latency */
    assert_near(f->impact.low_ms, 0.8 * 8.995, 1e-6);
    assert_int_equal(x.r.n_patterns, 1);
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
            assert_int_equal(x.a.findings[0].priority, PRIORITY_MEDIUM);
        close_case(&x);
    }
}

static const struct {
    const char *id, *facts; /* that differ from those of no pattern */
    const char *says;       /* in a title or path */
} cases[] = {
    {"host_bound", "class=host_bound graph_pct=0 repeated_pct=100 steps=3",
     "GPU graph"},
    {"host_bound", "class=host_bound graph_pct=90 repeated_pct=100 dispatch_pct=60",
     "!GPU graph"},
    {"host_bound", "class=host_bound dispatch_pct=60 where=`Linear`",
     "`torch.compile`"},
    {"host_bound", "class=host_bound dispatch_pct=60 compiled_pct=80",
     "!torch.compile"},
    {"host_bound",
     "class=host_bound after_sync_pct=60 sync=aten::item sync_place=t.py:1",
     "Remove or defer the wait in `aten::item` (t.py:1)"},
    {"host_bound", "class=host_bound after_sync_pct=10 sync=aten::item", "!aten::item"},
    {"host_bound",
     "class=host_bound repeated_pct=100 waits_per_step=24 dispatch_pct=60",
     "!GPU graph"},
    {"host_bound",
     "class=host_bound repeated_pct=100 waits_per_step=24 sync=aten::nonzero",
     "it stops 24 times for the GPU, most often in `aten::nonzero`"},
    {"host_bound", "class=host_bound after_sync_pct=60 sync=aten::item",
     "after waits in aten::item"},
    {"host_bound_optimizer",
     "class=host_bound where_most=Optimizer.step#Adam.step where_most_pct=60 "
     "repeated_pct=100",
     "fused=True"},
    {"host_bound_optimizer",
     "class=host_bound where_most=Optimizer.zero_grad#SGD where_most_pct=60",
     "set_to_none=True"},
    {"host_bound",
     "class=host_bound where_most=Optimizer.step#Adam.step where_most_pct=30 "
     "repeated_pct=100",
     "GPU graph"},
    {"host_blocking", "class=host_bound blocking_pct=97 repeated_pct=100",
     "LAUNCH_BLOCKING"},
    {"host_optimizer", "class=dispatch blame=Optimizer.step#SGD.step", "fused=True"},
    {"host_dispatch",
     "class=dispatch blame=Optimizer.step#SGD.step leaf=aten::_fused_sgd_",
     "!fused=True"},
    {"host_optimizer", "class=dispatch blame=Optimizer.zero_grad#SGD",
     "set_to_none=True"},
    {"host_no_input",
     "class=python blame=poll blame_place=selectors.py:451 gaps=5 longest_ms=90",
     "the process that passes them on"},
    {"host_loader",
     "class=python blame=get blame_place=queue.py:154 around=dataloader.py:__next__",
     "add workers"},
    {"host_recompile",
     "class=load blame=catch_errors blame_place=convert_frame.py:1040 in_steps=3",
     "mark_dynamic"},
    {"host_load",
     "class=load blame=catch_errors blame_place=convert_frame.py:1040 in_steps=2",
     "after warm-up"},
    {"host_load", "class=load blame=cuModuleLoadData in_steps=9", "after warm-up"},
    {"host_loader",
     "class=nothing blame=enumerate(DataLoader)#_SingleProcessDataLoaderIter",
     "num_workers"},
    {"host_loader", "class=nothing blame=enumerate(DataLoader)#_MultiProcessingIter",
     "!num_workers"},
    {"host_loader", "class=python blame=poll around=dataloader.py(1310):get_data",
     "do not keep up"},
    {"host_flatten",
     "class=dispatch blame=aten::unflatten_dense_tensors "
     "around=DistributedDataParallel.forward",
     "broadcast_buffers=False"},
    {"host_flatten", "class=dispatch blame=aten::unflatten_dense_tensors",
     "gradient_as_bucket_view"},
    {"host_python", "class=python blame=step graph_pct=80 leaf=plan leaf_pct=60",
     "run `plan` for the next batch"},
    {"host_python", "class=python blame=load leaf=resize leaf_pct=80", "in a worker"},
    {"host_python", "class=python blame=f leaf=g leaf_pct=80", "Make `g` cheaper"},
    {"host_python",
     "class=python blame=f leaf=collect leaf_pct=99 time_ms=40 long_ms=40 "
     "after_sync_pct=99 sync=aten::item",
     "Make `collect` cheaper"},
    {"host_python", "class=python blame=write leaf_place=serialization.py:850",
     "pinned memory"},
    {"host_dispatch",
     "class=dispatch blame=sample leaf=aten::softmax leaf_pct=60 leaf_call_us=3900 "
     "gaps=12",
     "runs on the CPU"},
    {"host_dispatch",
     "class=dispatch blame=sample leaf=aten::softmax leaf_pct=60 leaf_call_us=3900 "
     "gaps=12 leaf_launches=1",
     "!runs on the CPU"},
    {"host_dispatch",
     "class=dispatch blame=aten::arange leaf=aten::arange gaps=1 call_ms=29",
     "warm-up"},
    {"host_runtime", "class=runtime blame=f leaf=cudaGetDeviceProperties",
     "what `cudaGetDeviceProperties` returns"},
    {"host_unseen", "class=nothing has_ops=1", "Python frames"},
    {"host_unseen", "class=nothing has_ops=0", "host activity"},
    {"host_sync",
     "class=sync blame=cudaDeviceSynchronize calls=1 leaf=step leaf_place=t.py:2",
     "`step` (t.py:2) asks for it"},
    {"host_memory", "class=memory blame=hipFree calls=1360 gaps=900",
     "caching allocator is"},
    {"host_memory", "class=memory blame=hipFree calls=3", "warm up"},
    {"host_memory", "class=memory blame=hipFree calls=99 leaf=_cuda_emptyCache",
     "Do not call `empty_cache()`"},
    {"host_memory", "class=memory blame=hipHostMalloc calls=50", "Pinned memory"},
    {"host_load", "class=load blame=hipModuleLoadData", "once per process"},
    {"host_graph", "class=graph blame=hipGraphInstantiate", "recorded once"},
    {"first_launch", "class=first_launch calls=1 leaf=k",
     "the first launch of a kernel"},
    {"first_launch", "class=first_launch calls=9 leaf=k",
     "first launches of 9 kernels"},
    {"slow_launch_call", "class=launch blame=cudaGraphLaunch", "upload it"},
    {"slow_launch_call", "class=launch blame=cudaMemcpyAsync leaf=aten::to", "pinned"},
    {"slow_launch_call", "class=launch blame=cudaLaunchKernel", "queue is full"},
    {"host_bound", "class=host_bound nothing_pct=60", "Record what the host does"},
    {"start_latency", "class=latency blame=after gaps=3", "empty"},
    {"start_latency", "class=latency gaps=1 call_us=5300 longest_ms=5.3",
     "what held the GPU"},
    {"queued_start", "class=queued blame=between_kernels gaps=2",
     "fewer, larger kernels"},
    {"queued_start", "class=queued blame=before_a_collective", "compare the ranks"},
    {"queued_start",
     "class=queued blame=between_kernels gaps=9 time_ms=9 stalled_ms=8 longest_ms=8",
     "Look outside this process"},
    {"unlinked_start", "class=unlinked", "host activity"},
};

/* The keys that group_facts fills; texts first. */
static const char *const text_keys[] = {
    "class", "blame", "blame_place", "around", "leaf",      "leaf_place",
    "what",  "sync",  "sync_place",  "where",  "where_most"};
static const char *const number_keys[] = {"gaps",           "calls",
                                          "time_ms",        "share_pct",
                                          "idle_pct",       "leaf_ms",
                                          "call_ms",        "call_us",
                                          "long_ms",        "longest_ms",
                                          "per_step_ms",    "steps",
                                          "leaf_pct",       "after_sync_pct",
                                          "compiled_pct",   "python_pct",
                                          "dispatch_pct",   "runtime_pct",
                                          "latency_pct",    "nothing_pct",
                                          "launches_per_s", "launches_per_step",
                                          "has_ops",        "kernel_us",
                                          "graph_pct",      "repeated_pct",
                                          "where_most_pct", "stalled_ms",
                                          "leaf_call_us",   "leaf_launches",
                                          "waits",          "waits_per_step",
                                          "blocking_pct",   "in_steps"};
enum { N_TEXTS = sizeof text_keys / sizeof *text_keys };
enum { N_NUMBERS = sizeof number_keys / sizeof *number_keys };

/* The value of KEY in "KEY=VALUE ...", or NULL. */
static const char *value_of(struct arena *a, const char *all, const char *key)
{
    char *word, *save, *copy = str_c(a, str_of(all));
    for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        size_t n = strlen(key);
        if (!strncmp(word, key, n) && word[n] == '=')
            return word + n + 1;
    }
    return NULL;
}

static bool ask(struct pattern_host *h, struct arena *perm, const char *facts,
                struct pattern_hit *hit)
{
    struct analysis a = {0};
    struct facts f = {.n = 0};
    for (int k = 0; k < N_TEXTS; k++) {
        const char *v = value_of(perm, facts, text_keys[k]);
        text(&f, text_keys[k], v ? str_of(v) : S(""));
    }
    for (int k = 0; k < N_NUMBERS; k++) {
        const char *v = value_of(perm, facts, number_keys[k]);
        number(&f, number_keys[k], v ? atof(v) : 0);
    }
    bool found = pattern_host_group(h, perm, &a, f.list, f.n, hit);
    assert_int_equal(a.n_warnings, 0);
    return found;
}

static void each_pattern_knows_its_group(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(256 << 20);
    char *start = perm.at;
    struct pattern_host *h = library_open(&perm, NULL, 0);
    struct pattern_hit hit;
    assert_false(ask(h, &perm, "class=other", &hit));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_true(ask(h, &perm, cases[k].facts, &hit));
        assert_text(hit.id, cases[k].id);
        struct str all =
            str_printf(&perm, "%.*s %.*s", STRF(hit.title), STRF(hit.path_a));
        bool absent = cases[k].says[0] == '!';
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

/* The facts of a real group are those that the cases above use. */
static void facts_have_the_keys(void **state)
{
    (void)state;
    struct idle_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_launch(&x.c, "k1", 95, 100, 10, 2);
    find(&x, 50);
    struct facts f = {.n = 0};
    group_facts(&x.c.perm, &x.a, &x.t, &x.r, &x.r.groups[0], &f);
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
    struct facts f = {.n = 0};
    text(&f, "class", S("python")); /* which the built-in library knows, too */
    text(&f, "blame", S("prep"));
    text(&f, "leaf", S("zoom"));
    assert_true(pattern_host_group(h, &perm, &a, f.list, f.n, &hit));
    assert_text(hit.id, "mine");
    assert_text(hit.title, "Idle in prep");
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
        cmocka_unit_test(small_groups_are_none_unless_asked_for),
        cmocka_unit_test(each_pattern_knows_its_group),
        cmocka_unit_test(facts_have_the_keys),
        cmocka_unit_test(users_patterns_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
