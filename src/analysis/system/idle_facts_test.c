#include "idle_facts.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct facts_case {
    struct trace_case c;
    struct tree_index t;
    struct analysis a;
    struct idle_result r;
    struct idle_group g;
    struct idle_facts f;
};

/* Frames of a loader, of compiled code and of adapters, a read of the device in
 * aten::item, and a copy to it in aten::to. */
static void open_facts(struct facts_case *x)
{
    static const char *const names[] = {
        "prep.py(8): prepare",
        "prep.py(8): prepare",
        "prep.py(8): prepare",
        "nn.Module: lora.Linear_0",
        "peft/tuners/lora/layer.py(3): forward",
        "peft/tuners/lora/layer.py(3): forward",
        "peft/tuners/lora/model.py(9): inject",
        "torch/nn/modules/module.py(1): _call_impl",
        "Torch-Compiled Region: 3/0",
        "Torch-Compiled Region: 3/2",
        "Torch-Compiled Region: 12/1",
        "<eval_with_key>(1): torch_dynamo_resume_in_f_at_9"};
    static const double us[] = {4, 30, 6, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    *x = (struct facts_case){.g = {.event = -1}};
    case_begin(&x->c);
    for (size_t k = 0; k < sizeof us / sizeof *us; k++)
        case_frame(&x->c, names[k], 100 * (double)k, us[k]);
    case_op(&x->c, "aten::item", 2000, 50);
    case_call(&x->c, "cudaMemcpyAsync", 2010, 30, 1);
    case_copy(&x->c, "Memcpy DtoH (Device -> Pinned)", 2020, 10, 1, 8);
    case_op(&x->c, "aten::to", 3000, 50);
    case_call(&x->c, "cudaMemcpyAsync", 3010, 30, 2);
    case_copy(&x->c, "Memcpy HtoD (Pinned -> Device)", 3020, 10, 2, 8);
    case_open(&x->c, NULL);
    x->t = tree_index_build(&x->c.perm, x->c.tmp, &x->c.view);
    x->a = case_analysis(&x->c);
}

static const struct work_fact *fact(struct facts_case *x, const char *key)
{
    x->f.n = 0;
    idle_facts_of(&x->c.perm, &x->a, &x->t, &x->r, &x->g, &x->f);
    for (int k = 0; k < x->f.n; k++)
        if (!strcmp(x->f.list[k].key, key))
            return &x->f.list[k];
    fail_msg("no %s", key);
    return NULL;
}

static double number(struct facts_case *x, const char *key)
{
    return fact(x, key)->number;
}

static struct str text(struct facts_case *x, const char *key)
{
    const struct work_fact *f = fact(x, key);
    return (struct str){f->text, f->n};
}

/* No two figures are the same. */
static void fill(struct facts_case *x)
{
    x->g = (struct idle_group){
        .class = IDLE_SYNC,
        .blame = S("blame"),
        .blame_place = S("b.py:1"),
        .leaf = S("leaf"),
        .leaf_place = S("l.py:2"),
        .code = S("code"),
        .code_place = S("c.py:3"),
        .sync = S("sync"),
        .sync_place = S("s.py:4"),
        .around = S("around"),
        .root = S("root"),
        .root_beside = S("beside"),
        .leaf_is_code = true,
        .gaps = 50,
        .copy_gaps = 3,
        .calls = 40,
        .total_ns = 1000000000,
        .pool_ns = {[POOL_START] = 610000000, [POOL_INPUT] = 620000000},
        .results_ns = 630000000,
        .results_bytes = 77,
        .longest_part_ns = 4000000,
        .leaf_us = 510000,
        .long_us = 5200,
        .max_us = 5300,
        .per_step_us = 5400,
        .compiled_us = 150000,
        .after_sync_us = 160000,
        .hidden_without_us = 170000,
        .leaf_call_us = 18,
        .late_us = 190000,
        .stalled_us = 20500,
        .leaf_launches = true,
        .sets_up = true,
        .event = -1};
    static const enum idle_class classes[] = {IDLE_PYTHON, IDLE_DISPATCH, IDLE_RUNTIME,
                                              IDLE_LAUNCH, IDLE_LATENCY,  IDLE_NOTHING};
    for (int k = 0; k < 6; k++)
        x->g.class_us[classes[k]] = 1e4 * (1 << k);
    x->g.where[0] = (struct op_share){S("load"), S("w.py:5"), 9, 260000, S(""), 0};
    x->g.where[1] = (struct op_share){S("step"), S(""), 8, 100000, S(""), 0};
    x->g.where[2] = (struct op_share){S("log"), S("w.py:7"), 7, 99000, S(""), 0};
    x->g.n_where = 3;
    x->r = (struct idle_result){
        .sync_point_count = 301,
        .avg_compute_us = 30.5,
        .graph_kernel_pct = 31.5,
        .beside_ns = 32000000,
        .pool_ns = {[POOL_START] = 33000000},
        .expert_turns = 304,
        .stops = {305, 306, 307000000, 308000000},
        .captures = 309,
        .recaptures = 310,
        .compiled_captures = 311,
        .launch = {.launches = 400, .calls = 313, .blocking = 100, .per_step = 31.25},
        .given_back = 314,
        .taken = 315,
        .allocations_repeated = 316,
        .freed_to_repeat = 317,
        .emptied = 318,
        .has_loader = true};
    x->a.total_ms = 5000;
}

static const struct {
    const char *key;
    double value;
} figures[] = {{"gaps", 50},
               {"copy_gaps", 3},
               {"calls", 40},
               {"time_ms", 1000},
               {"share_pct", 20},
               {"leaf_ms", 510},
               {"call_ms", 25},
               {"call_us", 25000},
               {"long_ms", 5.2},
               {"longest_ms", 5.3},
               {"longest_part_ms", 4},
               {"stalled_ms", 20.5},
               {"late_ms", 190},
               {"inside_ms", 810},
               {"per_step_ms", 5.4},
               {"where_most_pct", 26},
               {"leaf_call_us", 18},
               {"leaf_launches", 1},
               {"sets_up", 1},
               {"leaf_is_code", 1},
               {"leaf_in_operator", 0},
               {"leaf_pct", 51},
               {"after_sync_pct", 16},
               {"hidden_without_pct", 17},
               {"compiled_pct", 15},
               {"python_pct", 1},
               {"dispatch_pct", 2},
               {"runtime_pct", 12},
               {"latency_pct", 16},
               {"nothing_pct", 32},
               {"gap_us", 20000},
               {"start_pct", 61},
               {"start_ms", 33},
               {"start_share_pct", 0.66},
               {"results_bytes", 77},
               {"results_pct", 63},
               {"input_pct", 62},
               {"waits", 301},
               {"blocking_pct", 25},
               {"launches_per_s", 63},
               {"launches_per_step", 31.25},
               {"launches", 313},
               {"kernel_us", 30.5},
               {"graph_pct", 31.5},
               {"expert_turns", 304},
               {"captures", 309},
               {"recaptures", 310},
               {"compiled_captures", 311},
               {"beside_ms", 32},
               {"stops", 305},
               {"stop_kinds", 306},
               {"stop_ms", 307},
               {"longest_stop_ms", 308},
               {"given_back", 314},
               {"taken", 315},
               {"repeated", 316},
               {"freed_to_repeat", 317},
               {"emptied", 318},
               {"has_loader", 1},
               {"has_ops", 1},
               {"has_frames", 1},
               {"has_stacks", 1},
               {"reserved_gib", 0},
               {"loop_calls", 0},
               {"adapters", 0},
               {"resumes", 0},
               {"first_call", 0}};

static const struct {
    const char *key, *value;
} words[] = {{"class", "sync"},
             {"blame", "blame"},
             {"blame_place", "b.py:1"},
             {"leaf", "leaf"},
             {"leaf_place", "l.py:2"},
             {"what", "blame"},
             {"code", "code"},
             {"code_place", "c.py:3"},
             {"sync", "sync"},
             {"sync_place", "s.py:4"},
             {"around", "around"},
             {"root", "root"},
             {"root_beside", "beside"},
             {"where_most", "load"},
             {"where", "`load`, `step`, `log`"},
             {"loop", ""},
             {"parts", "`load` (w.py:5) 260.0 ms, `step` 100.0 ms"}};

static void each_figure_is_under_its_key(void **state)
{
    (void)state;
    struct facts_case x;
    open_facts(&x);
    fill(&x);
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        if (!(fabs(number(&x, figures[k].key) - figures[k].value) < 1e-9))
            fail_msg("%s: %g, not %g", figures[k].key, number(&x, figures[k].key),
                     figures[k].value);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        assert_text(text(&x, words[k].key), words[k].value);
    x.g.blame = S("");
    x.g.root = S("");
    assert_text(text(&x, "what"), "leaf");
    assert_text(text(&x, "root_beside"), "");
    x.g.class = IDLE_NOTHING;
    assert_text(text(&x, "parts"), "");
    assert_text(text(&x, "loop"), "load");
    assert_near(number(&x, "loop_calls"), 9, 1e-9);
    assert_text(
        idle_where_text(&x.c.perm, &x.g, true),
        "`load` (`w.py:5`, 260.0 ms), `step` (100.0 ms), `log` (`w.py:7`, 99.00 ms)");
    case_close(&x.c);
}

/* Of prepare the median call; of a frame that only calls others none is its own. */
static void a_frame_pauses(void **state)
{
    (void)state;
    struct facts_case x;
    open_facts(&x);
    fill(&x);
    x.g.class = IDLE_PYTHON;
    x.g.longest_part_ns = 10000000;
    x.g.leaf_event = case_find(&x.c, "prep.py(8): prepare", 0) + 1;
    assert_near(number(&x, "leaf_usual_us"), 6, 1e-9);
    assert_near(number(&x, "leaf_only_calls"), 0, 1e-9);
    x.g.longest_part_ns--;
    assert_true(isnan(number(&x, "leaf_usual_us")));
    x.g.leaf_event =
        case_find(&x.c, "torch/nn/modules/module.py(1): _call_impl", 0) + 1;
    assert_near(number(&x, "leaf_only_calls"), 1, 1e-9);
    case_close(&x.c);
}

/* Region 3 in two versions, 12 in its second one alone. */
static void names_tell_of_compiled_code_and_adapters(void **state)
{
    (void)state;
    struct facts_case x;
    open_facts(&x);
    x.g.class = IDLE_HOST_BOUND;
    assert_near(number(&x, "regions"), 2, 1e-9);
    assert_near(number(&x, "versions"), 2, 1e-9);
    assert_near(number(&x, "resumes"), 1, 1e-9);
    assert_near(number(&x, "adapters"), 2,
                1e-9); /* calls of forward: modules are fewer */
    assert_false(idle_has_loader(&x.c.store));
    case_close(&x.c);
}

static void waits_read_or_send(void **state)
{
    (void)state;
    struct facts_case x;
    open_facts(&x);
    x.g.class = IDLE_SYNC;
    x.g.event = case_find(&x.c, "aten::item", 0);
    assert_near(number(&x, "reads_device"), 1, 1e-9);
    assert_near(number(&x, "sends"), 0, 1e-9);
    x.g.event = case_find(&x.c, "aten::to", 0);
    assert_near(number(&x, "reads_device"), 0, 1e-9);
    assert_near(number(&x, "sends"), 1, 1e-9);
    struct idle_span waits[] = {{.event = case_find(&x.c, "cudaMemcpyAsync", 0)},
                                {.event = case_find(&x.c, "cudaMemcpyAsync", 0)},
                                {.event = case_find(&x.c, "cudaMemcpyAsync", 1)}};
    x.g.waits = waits;
    x.g.n_waits = 3;
    assert_near(number(&x, "waits_beside"), 1, 1e-9); /* in aten::item, twice */
    x.g.class = IDLE_PYTHON;
    assert_near(number(&x, "sends"), 0, 1e-9);
    case_close(&x.c);
}

/* Rows of 8, 1 and 3 calls: with as many as steps they recur. */
static void calls_recur(void **state)
{
    (void)state;
    struct facts_case x;
    open_facts(&x);
    struct work_row rows[] = {{.count = 8}, {.count = 1}, {.count = 3}};
    x.a.categories[WORK_OTHER].rows = rows;
    x.a.categories[WORK_OTHER].n_rows = 3;
    assert_true(isnan(repeated_pct(&x.a, &x.c.store, 1)));
    x.c.store.n_texts = 1;
    assert_near(repeated_pct(&x.a, &x.c.store, 3), 100 * 11.0 / 12, 1e-9);
    assert_near(repeated_pct(&x.a, &x.c.store, 4), 100 * 8.0 / 12, 1e-9);
    case_close(&x.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_figure_is_under_its_key),
        cmocka_unit_test(a_frame_pauses),
        cmocka_unit_test(names_tell_of_compiled_code_and_adapters),
        cmocka_unit_test(waits_read_or_send),
        cmocka_unit_test(calls_recur),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
