#include "analysis/system/turn_loops.h"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct writer {
    struct trace_case c;
    double at;
    int n;
};

static void call(struct writer *w, const char *name, const char *dims)
{
    op(&w->c, name, dims, w->at, "kernel", w->at + 6, 3, ++w->n);
    w->at += 10;
}

/* `parts` tensors joined behind the operators that `what` names: "abab" and so on, of
 * which m is a matmul, i a sum by index. */
static void write_loop(struct writer *w, const char *what, int parts)
{
    struct out dims;
    out_memory(&dims);
    *w = (struct writer){.at = 10};
    case_begin(&w->c);
    for (; *what; what++)
        call(w,
             *what == 'a'   ? "aten::abs"
             : *what == 'm' ? "aten::mm"
             : *what == 'i' ? "aten::index_add_"
                            : "aten::log",
             "[8,64],[64,64]");
    char text[300];
    int n = snprintf(text, sizeof text, "[");
    for (int k = 0; k < parts; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s[8,64]", k ? "," : "");
    snprintf(text + n, sizeof text - (size_t)n, "]");
    call(w, "aten::stack", text);
}

static void equal_turns_are_a_loop(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        int parts, turns, ops;
    } cases[] = {{"mabababab", 4, 4, 2},
                 {"aaaabaaaabaaaabaaaab", 4, 4, 5}, /* a turn with turns of its own */
                 {"mababab", 4, 0, 0},              /* three turns of four parts */
                 {"maaaaaaaaa", 10, 9, 1},          /* and a part from elsewhere */
                 {"mababab", 3, 0, 0},              /* few */
                 {"maiaiaiai", 4, 0, 0}};           /* experts have their own */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct writer w;
        write_loop(&w, cases[k].what, cases[k].parts);
        case_open(&w.c, &device);
        struct tree_index t = tree_index_build(&w.c.perm, w.c.tmp, &w.c.view);
        struct turn_loops l = turn_loops_find(&w.c.perm, w.c.tmp, &t);
        if (l.turns != cases[k].turns || l.ops != cases[k].ops)
            fail_msg("%s: %d of %d", cases[k].what, l.turns, l.ops);
        case_close(&w.c);
    }
}

/* 4 turns of 20 us on the host, of which three go. */
static void the_turns_become_one_call(void **state)
{
    (void)state;
    struct writer w;
    write_loop(&w, "mabababab", 4);
    struct analysis a = analyse_with(&w.c, library);
    const struct finding *f = of_pattern(&a, "turn_by_turn");
    assert_non_null(f);
    assert_text(f->title, "Compute the 4 turns of a loop in one batched call");
    assert_true(str_has(f->issue, S("calls `abs`, `log` 4 times")));
    assert_near(f->impact.high_ms, 0.06, 0.004); /* and no gap before what is gone */
    assert_true(f->impact.low_ms > 0.8 * f->impact.high_ms);
    case_close(&w.c);
}

/* The first turn waits for what ran before the loop: its 10 ms are no part of it. */
static void the_first_turn_may_wait_for_earlier_work(void **state)
{
    (void)state;
    struct writer w = {.at = 10};
    case_begin(&w.c);
    for (int k = 0; k < 8; k++) {
        call(&w, k % 2 ? "aten::log" : "aten::abs", "[8,64]");
        w.at += k ? 0 : 10000;
    }
    call(&w, "aten::stack", "[[8,64],[8,64],[8,64],[8,64]]");
    struct analysis a = analyse_with(&w.c, library);
    const struct finding *f = of_pattern(&a, "turn_by_turn");
    assert_null(f); /* less than a tenth of the time */
    case_close(&w.c);
}

/* `images` times levels of two operators, joined behind by three, then one more for
 * each image: an outer loop, unless that is a layer. The joins of an image's results
 * are of the loop inside, not of turns that are images. */
static struct turn_loops levels_of(int images, int levels, const char *between)
{
    struct writer w = {.at = 10};
    char parts[300];
    int n = snprintf(parts, sizeof parts, "[");
    case_begin(&w.c);
    for (int k = 0; k < levels; k++)
        n += snprintf(parts + n, sizeof parts - (size_t)n, "%s[8,64]", k ? "," : "");
    snprintf(parts + n, sizeof parts - (size_t)n, "]");
    for (int step = 0; step < 2; step++) {
        call(&w, "aten::convolution", "[8,64],[64,64]");
        for (int i = 0; i < images; i++) {
            for (int k = 0; k < levels; k++) {
                call(&w, "aten::abs", "[8,64]");
                call(&w, "aten::log", "[8,64]");
            }
            for (int k = 0; k < 3; k++)
                call(&w, "aten::cat", parts);
            op(&w.c, between, "[8,64],[64,64]", w.at, between, w.at + 6, 3, ++w.n);
            w.at += 10;
        }
    }
    case_open(&w.c, &device);
    struct tree_index t = tree_index_build(&w.c.perm, w.c.tmp, &w.c.view);
    struct turn_loops l = turn_loops_find(&w.c.perm, w.c.tmp, &t);
    int64_t end_ns = INT64_MIN;
    for (int32_t k = 0; k < l.n; k++) {
        assert_true(l.spans[k].start_ns >= end_ns);
        end_ns = l.spans[k].end_ns;
    }
    /* A turn and what is behind its joins, of 10 us each. */
    if (l.inner)
        assert_int_equal(l.spans[0].end_ns - l.spans[0].start_ns,
                         (images * (2 * levels + 4) * 10 - 10 + 8) * 1000);
    case_close(&w.c);
    return l;
}

static void loops_in_each_turn_are_one_loop(void **state)
{
    (void)state;
    struct turn_loops l = levels_of(7, 5, "aten::sort");
    assert_int_equal(l.n, 2);
    assert_int_equal(l.turns, 7);
    assert_int_equal(l.inner, 5);
    l = levels_of(3, 5, "aten::sort"); /* few turns */
    assert_int_equal(l.n, 6);
    assert_int_equal(l.turns, 5);
    assert_int_equal(l.inner, 0);
    l = levels_of(7, 5, "gemm"); /* layers */
    assert_int_equal(l.n, 14);
    assert_int_equal(l.turns, 5);
}

/* `n` calls of a module, each of a part and unlike the one before, joined behind; with
 * `between`, a kernel runs between them. */
static struct turn_loops calls_of(int n, const char *part, bool between, const char *in)
{
    struct trace_case c;
    double at = 110;
    int k = 0;
    case_begin(&c);
    case_frame(&c, "train.py(66): augment_batch", 100, 10000);
    for (int i = 0; i < n; i++, at += 100) {
        case_op(&c, part, at, 5);
        case_frame(&c, "nn.Module: Augment_0", at + 10, 60);
        case_op(&c, in, at + 12, 20);
        case_launch(&c, "k", at + 14, at + 20, 3, ++k);
        if (i % 2) {
            case_op(&c, "aten::flip", at + 40, 20);
            case_launch(&c, "k", at + 42, at + 50, 3, ++k);
        }
        if (between) {
            case_op(&c, "aten::argmax", at + 80, 10);
            case_launch(&c, "k", at + 82, at + 84, 3, ++k);
        }
    }
    case_frame(&c, "<built-in method stack of type object>", at, 20);
    case_op(&c, "aten::stack", at + 2, 10);
    case_launch(&c, "k", at + 4, at + 10, 3, ++k);
    case_open(&c, &device);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct turn_loops l = turn_loops_find(&c.perm, c.tmp, &t);
    if (l.n)
        assert_text(turn_ops_text(&c.perm, &t, &l), "`Augment`");
    case_close(&c);
    return l;
}

static void calls_of_one_module_for_each_part_are_a_loop(void **state)
{
    (void)state;
    assert_int_equal(calls_of(9, "aten::select", false, "aten::mul").turns, 9);
    assert_int_equal(calls_of(9, "aten::select", false, "aten::mul").n, 1);
    assert_int_equal(calls_of(7, "aten::select", false, "aten::mul").n, 0);
    assert_int_equal(calls_of(9, "aten::view", false, "aten::mul").n, 0);
    assert_int_equal(calls_of(9, "aten::view", false, "aten::select").turns, 9);
    assert_int_equal(calls_of(9, "aten::select", true, "aten::mul").n, 0);
    assert_int_equal(calls_of(9, "aten::select", false, "aten::lstm_cell").n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_turns_are_a_loop),
        cmocka_unit_test(calls_of_one_module_for_each_part_are_a_loop),
        cmocka_unit_test(the_turns_become_one_call),
        cmocka_unit_test(the_first_turn_may_wait_for_earlier_work),
        cmocka_unit_test(loops_in_each_turn_are_one_loop),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
