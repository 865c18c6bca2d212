/* Properties of comparisons, on small captures made by hand. */
#include "compare_captures.c"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena perm, tmp;

static int set_up(void **state)
{
    (void)state;
    perm = arena_reserve(1 << 26);
    tmp = arena_reserve(1 << 26);
    return 0;
}

enum { ROWS_MAX = 64, EVENTS_MAX = 2048 };

struct made {
    struct capture c;
    struct capture_row rows[ROWS_MAX];
    struct capture_event events[EVENTS_MAX];
    int64_t at_ns;
};

static struct made first, second;

static void begin(struct made *m)
{
    *m = (struct made){0};
    m->c =
        (struct capture){.rows = m->rows, .events = m->events, .has_operators = true};
}

static int row(struct made *m, const char *name, const char *dims,
               enum work_category category, enum device_part part)
{
    for (int i = 0; i < m->c.n_rows; i++)
        if (str_eq(m->rows[i].name, str_of(name)) &&
            str_eq(m->rows[i].dims, str_of(dims)))
            return i;
    m->rows[m->c.n_rows] = (struct capture_row){.name = str_of(name),
                                                .dims = str_of(dims),
                                                .types = S("('float',)"),
                                                .kernel = str_of(name),
                                                .category = category,
                                                .part = part,
                                                .flop = (double)NAN,
                                                .byte = (double)NAN};
    return m->c.n_rows++;
}

static void run(struct made *m, int row, int64_t ns)
{
    struct capture_row *r = &m->rows[row];
    m->events[m->c.n_events++] =
        (struct capture_event){m->at_ns, m->at_ns + ns, r->name, row, 7, true};
    r->n_calls++;
    r->n_events++;
    r->kernel_ns += ns;
    m->at_ns += ns;
}

static void op(struct made *m, const char *name, enum work_category category,
               int64_t ns)
{
    run(m, row(m, name, "((8, 8),)", category, DEVICE_COMPUTE), ns);
}

static void idle(struct made *m, int64_t ns)
{
    m->at_ns += ns;
}

static struct capture *done(struct made *m)
{
    m->c.start_ns = 0;
    m->c.end_ns = m->at_ns;
    return &m->c;
}

static struct comparison compared(const struct capture *x, const struct capture *y)
{
    const struct capture *const sides[2] = {x, y};
    const int one[2] = {1, 1};
    struct comparison_options o = {.floors = NOISE_FLOORS,
                                   .match = {.last = MATCH_CATEGORY}};
    struct comparison c;
    struct err e = {0};
    assert_true(comparison_make(&perm, tmp, sides, one, &o, &c, &e));
    return c;
}

static int64_t diff_of(const struct comparison *c, const char *bar)
{
    for (int i = 0; i < c->n_bars; i++)
        if (str_eq(c->bars[i].name, str_of(bar)))
            return c->bars[i].ns[1] - c->bars[i].ns[0];
    return 0;
}

/* What holds of every comparison: bars are the windows, rows are the captures, parts of
 * a class are its difference. */
static void check_sums(const struct comparison *c)
{
    int64_t bars[2] = {0}, rows[2] = {0}, events[2] = {0};
    for (int i = 0; i < c->n_bars; i++) {
        const struct compared_bar *b = &c->bars[i];
        bars[0] += b->ns[0];
        bars[1] += b->ns[1];
        if (b->kind == BAR_CLASS)
            assert_int_equal(b->count_ns + b->speed_ns + b->only_ns + b->recast_ns +
                                 b->overlap_ns,
                             b->ns[1] - b->ns[0]);
    }
    for (int i = 0; i < c->n_rows; i++) {
        const struct compared_row *r = &c->rows[i];
        assert_int_equal(r->count_ns + r->speed_ns + r->only_ns,
                         r->match->ns[1] - r->match->ns[0]);
        for (int side = 0; side < 2; side++) {
            rows[side] += r->match->ns[side];
            events[side] += r->match->n_events[side];
        }
    }
    for (int side = 0; side < 2; side++) {
        int64_t kernel_ns = 0;
        for (int i = 0; i < c->of[side]->n_events; i++)
            kernel_ns +=
                c->of[side]->events[i].end_ns - c->of[side]->events[i].start_ns;
        assert_int_equal(bars[side], c->window_ns[side]);
        assert_int_equal(rows[side], kernel_ns);
        assert_int_equal(events[side], c->of[side]->n_events);
    }
}

/* Sums hold, and swapped sides give the opposite of each difference. */
static struct comparison both_ways(const struct capture *x, const struct capture *y)
{
    struct comparison c = compared(x, y), back = compared(y, x);
    check_sums(&c);
    check_sums(&back);
    assert_int_equal(c.n_bars, back.n_bars);
    assert_int_equal(c.n_rows, back.n_rows);
    for (int i = 0; i < c.n_bars; i++) {
        const struct compared_bar *p = &c.bars[i], *q = &back.bars[i];
        assert_true(str_eq(p->name, q->name));
        assert_int_equal(p->ns[1] - p->ns[0], -(q->ns[1] - q->ns[0]));
        assert_int_equal(p->count_ns, -q->count_ns);
        assert_int_equal(p->speed_ns, -q->speed_ns);
        assert_int_equal(p->only_ns, -q->only_ns);
        assert_int_equal(p->recast_ns, -q->recast_ns);
        assert_int_equal(p->overlap_ns, -q->overlap_ns);
    }
    int64_t speed = 0, count = 0;
    for (int i = 0; i < c.n_rows; i++) {
        speed += c.rows[i].speed_ns + back.rows[i].speed_ns;
        count += c.rows[i].count_ns + back.rows[i].count_ns;
    }
    assert_int_equal(speed, 0);
    assert_int_equal(count, 0);
    return c;
}

/* Layers of a product, attention and a sum, with idle time behind each. */
static void model(struct made *m, int layers, int64_t gemm_ns)
{
    begin(m);
    for (int i = 0; i < layers; i++) {
        op(m, "aten::mm", WORK_GEMM, gemm_ns);
        op(m, "aten::sdpa", WORK_SDPA_FWD, 50000);
        op(m, "aten::add", WORK_ELEMENTWISE, 20000);
        idle(m, 1000);
    }
    op(m, "aten::argmax", WORK_REDUCE, 5000);
}

static void test_itself(void **state)
{
    (void)state;
    model(&first, 6, 100000);
    struct comparison c = both_ways(done(&first), done(&first));
    assert_int_equal(c.window_ns[1], c.window_ns[0]);
    for (int i = 0; i < c.n_bars; i++)
        assert_int_equal(c.bars[i].ns[1], c.bars[i].ns[0]);
    for (int i = 0; i < c.n_rows; i++) {
        assert_int_equal(c.rows[i].match->level, MATCH_CALL);
        assert_int_equal(c.rows[i].judged.verdict, VERDICT_WITHIN_FLOOR);
        assert_true(c.rows[i].expected.ratio == 1);
    }
    assert_int_equal(c.parity, PARITY_SAME);
    assert_int_equal(c.device.verdict, VERDICT_WITHIN_FLOOR);
    assert_int_equal(c.wall.verdict, VERDICT_WITHIN_FLOOR);
    assert_false(c.drift.found);
}

/* Ten per cent more in one class is one bar, by speed alone. */
static void test_one_class(void **state)
{
    (void)state;
    model(&first, 6, 100000);
    model(&second, 6, 110000);
    struct comparison c = both_ways(done(&first), done(&second));
    assert_string_equal(c.bars[0].name.p, "GEMM");
    assert_int_equal(diff_of(&c, "GEMM"), 60000);
    assert_int_equal(c.bars[0].speed_ns, 60000);
    assert_int_equal(c.bars[1].ns[1] - c.bars[1].ns[0], 0);
    assert_int_equal(c.rows[0].judged.verdict, VERDICT_OBSERVED);
}

static void test_more_layers(void **state)
{
    (void)state;
    model(&first, 12, 100000);
    model(&second, 13, 100000);
    struct comparison c = both_ways(done(&first), done(&second));
    assert_int_equal(diff_of(&c, "GEMM"), 100000);
    assert_int_equal(c.bars[0].count_ns, 100000);
    assert_int_equal(c.bars[0].speed_ns, 0);
}

static void test_idle(void **state)
{
    (void)state;
    model(&first, 6, 100000);
    model(&second, 6, 100000);
    second.at_ns += 7000;
    op(&second, "aten::argmax", WORK_REDUCE, 0);
    struct comparison c = both_ways(done(&first), done(&second));
    assert_int_equal(diff_of(&c, "idle"), 7000);
    assert_int_equal(c.idle_ns[1] - c.idle_ns[0], 7000);
}

/* Inserted, removed, and called something else: all stay, and have a size. */
static void test_other_operators(void **state)
{
    (void)state;
    model(&first, 6, 100000);
    op(&first, "aten::removed", WORK_OTHER, 3000);
    model(&second, 6, 100000);
    op(&second, "aten::inserted", WORK_NORM, 4000);
    struct comparison c = both_ways(done(&first), done(&second));
    assert_int_equal(c.level_rows[MATCH_ONLY_REFERENCE], 1);
    assert_int_equal(c.level_rows[MATCH_ONLY_CANDIDATE], 1);
    assert_int_equal(diff_of(&c, "Other"), -3000);
    assert_int_equal(diff_of(&c, "Normalization"), 4000);
}

/* Two kernels in one class against one under another name. */
static void test_fused(void **state)
{
    (void)state;
    model(&first, 6, 100000);
    model(&second, 6, 100000);
    for (int i = 0; i < 6; i++) {
        op(&first, "aten::sigmoid", WORK_TRITON, 9000);
        op(&first, "aten::gate", WORK_TRITON, 8000);
        op(&second, "triton_fused", WORK_TRITON, 10000);
    }
    struct comparison c = both_ways(done(&first), done(&second));
    assert_int_equal(c.level_rows[MATCH_CATEGORY], 1);
    assert_int_equal(c.bars[0].recast_ns, 6 * (10000 - 17000));
    assert_int_equal(c.rows[0].match->n_events[0], 12);
    assert_int_equal(c.rows[0].match->n_events[1], 6);
}

/* Attention by hand against a fused kernel, both under the same operator. */
static void test_same_parent(void **state)
{
    (void)state;
    model(&first, 2, 100000);
    model(&second, 2, 100000);
    op(&first, "aten::bmm", WORK_GEMM, 520000);
    op(&first, "aten::softmax", WORK_REDUCE, 260000);
    op(&second, "flash", WORK_SDPA_FWD, 350000);
    struct capture_node nodes[] = {{.parent = -1},
                                   {.depth = 1, .name = S_INIT("attention")}};
    first.c.nodes = second.c.nodes = nodes;
    first.c.n_nodes = second.c.n_nodes = 2;
    for (int i = 0; i < first.c.n_rows; i++)
        first.rows[i].node = str_eq(first.rows[i].name, S("aten::bmm")) ||
                             str_eq(first.rows[i].name, S("aten::softmax"));
    second.rows[second.c.n_rows - 1].node = 1;
    struct comparison c = both_ways(done(&first), done(&second));
    assert_int_equal(c.level_rows[MATCH_TREE], 1);
    assert_string_equal(c.rows[0].match->name[1].p, "attention");
    assert_int_equal(c.rows[0].match->ns[1] - c.rows[0].match->ns[0], 350000 - 780000);
    assert_int_equal(diff_of(&c, "SDPA"), 350000);
}

/* Other shapes match by name; without shapes on one side, too. */
static void test_shapes(void **state)
{
    (void)state;
    begin(&first);
    begin(&second);
    run(&first, row(&first, "aten::mm", "((8, 8),)", WORK_GEMM, DEVICE_COMPUTE), 10);
    run(&second, row(&second, "aten::mm", "((9, 8),)", WORK_GEMM, DEVICE_COMPUTE), 12);
    run(&first, row(&first, "aten::add", "((8, 8),)", WORK_OTHER, DEVICE_COMPUTE), 10);
    run(&second, row(&second, "aten::add", "", WORK_OTHER, DEVICE_COMPUTE), 10);
    struct comparison c = both_ways(done(&first), done(&second));
    assert_int_equal(c.level_rows[MATCH_NAME], 2);
    assert_int_equal(c.parity, PARITY_OTHER_WORK);
}

/* Ranges of NVTX hold sizes, and no types: the same work as a recording that has both,
 * unless a size differs. */
static void test_types_of_one_side(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        begin(&first);
        begin(&second);
        const char *dims = other ? "((9, 8),)" : "((8, 8),)";
        run(&first, row(&first, "aten::mm", "((8, 8),)", WORK_GEMM, DEVICE_COMPUTE),
            90000);
        run(&second, row(&second, "aten::mm", dims, WORK_GEMM, DEVICE_COMPUTE), 90000);
        for (int i = 0; i < first.c.n_rows; i++) {
            first.rows[i].types = S("('float',)");
            first.rows[i].flop = 1e9;
            second.rows[i].types = S("");
            second.rows[i].flop = (double)NAN;
        }
        struct comparison c = both_ways(done(&first), done(&second));
        assert_int_equal(c.parity, other ? PARITY_OTHER_WORK : PARITY_SAME);
        assert_int_equal(c.level_rows[MATCH_DIMS], !other);
        assert_true(other || c.matched_frac[0] == 1);
    }
}

/* The order of independent work does not matter. */
static void test_order(void **state)
{
    (void)state;
    begin(&first);
    begin(&second);
    op(&first, "aten::mm", WORK_GEMM, 500);
    op(&first, "aten::add", WORK_ELEMENTWISE, 300);
    op(&second, "aten::add", WORK_ELEMENTWISE, 300);
    op(&second, "aten::mm", WORK_GEMM, 500);
    struct comparison c = both_ways(done(&first), done(&second));
    for (int i = 0; i < c.n_bars; i++)
        assert_int_equal(c.bars[i].ns[1], c.bars[i].ns[0]);
}

static void test_empty_side(void **state)
{
    (void)state;
    model(&first, 2, 100000);
    begin(&second);
    struct comparison c = both_ways(done(&first), done(&second));
    assert_int_equal(c.window_ns[1], 0);
    assert_int_equal(c.level_rows[MATCH_ONLY_REFERENCE], 4);
    begin(&first);
    c = both_ways(done(&first), done(&second));
    assert_int_equal(c.n_rows, 0);
}

/* Copies, communication, and kernels beside them. */
static void test_parts(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct made *m = k ? &second : &first;
        model(m, 3, 100000);
        run(m, row(m, "Memcpy", "", WORK_OTHER, DEVICE_COPY), 1000 * (k + 1));
        run(m, row(m, "nccl", "", WORK_COMMUNICATION, DEVICE_COMM), 2000);
        m->at_ns -= 500 * k; /* the next kernel hides some of it */
        op(m, "aten::mm", WORK_GEMM, 100000);
    }
    struct comparison c = both_ways(done(&first), done(&second));
    assert_int_equal(diff_of(&c, "exposed copies"), 1000);
    assert_int_equal(diff_of(&c, "exposed communication"), -500);
}

/* Layers in a GPU graph, of other kernels on each side: slot against slot. */
static void replay(struct made *m, const char *const *kernels, int n, int layers,
                   int64_t ns)
{
    begin(m);
    for (int i = 0; i < layers; i++)
        for (int k = 0; k < n; k++)
            op(m, kernels[k],
               str_has(str_of(kernels[k]), S("gemm")) ? WORK_GEMM : WORK_ELEMENTWISE,
               ns);
    for (int i = 0; i < m->c.n_rows; i++)
        m->rows[i].replayed = true;
}

static void test_sequence(void **state)
{
    (void)state;
    const char *const x[] = {"qkv_gemm", "flash_attn_fwd", "out_gemm", "silu_kernel",
                             "mul_kernel"};
    const char *const y[] = {"nvjet_gemm_a", "fmha_kernel", "nvjet_gemm_b",
                             "vectorized_elementwise_kernel"};
    replay(&first, x, 5, 8, 3000);
    replay(&second, y, 4, 8, 2000);
    struct comparison c = both_ways(done(&first), done(&second));
    assert_true(c.matches.periods.aligned);
    assert_int_equal(c.matches.periods.period[0], 5);
    assert_int_equal(c.matches.periods.period[1], 4);
    assert_int_equal(c.matches.periods.repeats[0], 8);
    assert_int_equal(c.level_ns[MATCH_SEQUENCE][1], 8 * 4 * 2000);
    replay(&second, y, 4, 7, 2000);
    c = both_ways(done(&first), done(&second));
    assert_false(c.matches.periods.aligned);
    /* The same names need no sequence. */
    replay(&second, x, 5, 8, 2000);
    c = both_ways(done(&first), done(&second));
    assert_int_equal(c.level_rows[MATCH_SEQUENCE], 0);
}

/* A product whose parts are summed by a kernel of its own is one row with the product
 * that needs none: swapped sides too. */
static void test_sequence_parts(void **state)
{
    (void)state;
    const char *const x[] = {"qkv_gemm", "flash_attn_fwd", "out_gemm", "silu_kernel"};
    const char *const y[] = {"nvjet_gemm_a", "fmha_kernel", "nvjet_gemm_b",
                             "cublasLt::splitKreduce_kernel",
                             "vectorized_elementwise_kernel"};
    replay(&first, x, 4, 8, 3000);
    replay(&second, y, 5, 8, 2000);
    struct comparison c = both_ways(done(&first), done(&second));
    int parts = 0;
    for (int32_t i = 0; i < c.n_rows; i++) {
        const struct match *m = c.rows[i].match;
        assert_int_equal(m->level, MATCH_SEQUENCE);
        parts += m->n_events[0] == 8 && m->n_events[1] == 16;
    }
    assert_int_equal(c.n_rows, 4);
    assert_int_equal(parts, 1);
}

/* Other work: what is matched by a name alone, or takes far longer, is not rated. */
static void test_other_work_is_not_rated(void **state)
{
    (void)state;
    static const struct device_spec device = {.name = S_INIT("X")};
    begin(&first);
    begin(&second);
    op(&first, "aten::mm", WORK_GEMM, 100000);
    op(&second, "aten::mm", WORK_GEMM, 2500000);
    op(&first, "aten::gone", WORK_OTHER, 900000);
    op(&second, "aten::come", WORK_OTHER, 900000);
    first.c.device = second.c.device = &device;
    struct comparison c = compared(done(&first), done(&second));
    assert_true(parity_is_other_work(c.parity));
    for (int32_t i = 0; i < c.n_rows; i++) {
        assert_int_equal(c.rows[i].expected.class, EXPLAINED_NOT_RATED);
        assert_true(c.rows[i].expected.reason.n > 0);
    }
}

/* All kernels slower by one factor, a little apart: the machine's state. */
static void test_drift(void **state)
{
    (void)state;
    static char names[25][24];
    begin(&first);
    begin(&second);
    for (int i = 0; i < 25; i++) {
        snprintf(names[i], sizeof names[i], "aten::op%d", i);
        op(&first, names[i], WORK_OTHER, 100000);
        op(&second, names[i], WORK_OTHER, 105000 + 10 * i);
    }
    struct comparison c = compared(done(&first), done(&second));
    assert_true(c.drift.found);
    assert_true(c.drift.factor > 1.05 && c.drift.factor < 1.053);
    second.rows[0].name = first.rows[0].name;
    begin(&second);
    for (int i = 0; i < 25; i++)
        op(&second, names[i], WORK_OTHER, i ? 100000 : 300000);
    c = compared(done(&first), done(&second));
    assert_false(c.drift.found);
}

/* Two captures a side: ranges decide, in rows as in totals. */
static void test_several_captures(void **state)
{
    (void)state;
    static struct made m[4];
    static const int64_t gemm_ns[] = {100000, 103000, 110000, 112000};
    struct capture sides[2][2];
    for (int i = 0; i < 4; i++) {
        model(&m[i], 6, gemm_ns[i]);
        sides[i / 2][i % 2] = *done(&m[i]);
    }
    const struct capture *const lent[2] = {sides[0], sides[1]};
    const int two[2] = {2, 2};
    struct comparison_options o = {.floors = NOISE_FLOORS,
                                   .match = {.last = MATCH_CATEGORY}};
    struct comparison c;
    struct err e = {0};
    assert_true(comparison_make(&perm, tmp, lent, two, &o, &c, &e));
    const struct judgement *j = &c.rows[0].judged;
    assert_string_equal(c.rows[0].match->name[0].p, "aten::mm");
    assert_int_equal(j->verdict, VERDICT_SEPARATED);
    assert_true(j->n[0] == 2 && j->value[0] == 100000 && j->value[1] == 110000);
    assert_int_equal(c.device.verdict, VERDICT_SEPARATED);
    for (int side = 0; side < 2; side++) { /* what tables show is what is judged */
        assert_true(c.device.value[side] == (double)c.device_ns[side]);
        assert_true(c.wall.value[side] == (double)c.window_ns[side]);
    }
    const struct capture *const of[] = {&sides[1][1], &sides[0][0], &sides[0][1]};
    assert_int_equal(capture_median(tmp, of, 3), 2);
    assert_int_equal(capture_median(tmp, of, 2), 1);
    assert_int_equal(c.rows[1].judged.verdict, VERDICT_WITHIN_FLOOR);
    model(&m[1], 6, 111000); /* the ranges meet */
    sides[0][1] = *done(&m[1]);
    assert_true(comparison_make(&perm, tmp, lent, two, &o, &c, &e));
    assert_int_equal(c.rows[0].judged.verdict, VERDICT_OVERLAPPING);
}

/* A further capture has steps of its own: here two, where the other side has one. */
static void a_class_is_of_the_steps_of_its_capture(void **state)
{
    (void)state;
    struct step_span one = {0, 50}, two[] = {{0, 100000}, {100000, 200000}};
    struct selection s = {.spans = {&one, two}, .n_spans = {1, 2}};
    begin(&second);
    for (int i = 0; i < 4; i++)
        op(&second, "aten::mm", WORK_GEMM, 50000);
    run(&second, row(&second, "nccl", "", WORK_GEMM, DEVICE_COMM), 100);
    assert_true(class_means(&tmp, done(&second), &s, 1)[WORK_GEMM] == 100000);
    s.n_spans[1] = 0;
    assert_true(class_means(&tmp, done(&second), &s, 1)[WORK_GEMM] == 0);
}

/* Steps: warm-up left out, as many of both, numbers of the user's. */
static void test_steps(void **state)
{
    (void)state;
    struct capture_step steps[2][4];
    struct made *m[2] = {&first, &second};
    for (int k = 0; k < 2; k++) {
        model(m[k], 8, 100000);
        for (int i = 0; i < 4 - k; i++)
            steps[k][i] = (struct capture_step){.start_ns = 342000 * i,
                                                .end_ns = 342000 * (i + 1),
                                                .number = 10 + i,
                                                .steady = i > 0};
        m[k]->c.steps = steps[k];
        m[k]->c.n_steps = 4 - k;
    }
    struct comparison c = compared(done(&first), done(&second));
    assert_int_equal(c.selection.n_steps, 2);
    assert_int_equal(c.selection.n_left_out[0], 2);
    assert_int_equal(c.window_ns[0], 2 * 342000);
    struct step_choice choice;
    struct selection s;
    struct err e = {0};
    const struct capture *const of[2] = {&first.c, &second.c};
    assert_true(step_choice_read("10-11,11-12", &choice, &e));
    assert_true(selection_make(&perm, tmp, of, &choice, &s, &e));
    assert_int_equal(s.spans[1][0].start_ns, 342000);
    assert_true(step_choice_read("13", &choice, &e));
    assert_false(selection_make(&perm, tmp, of, &choice, &s, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    const char *const wrong[] = {"x", "5-4", "-3", "1,y"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct err no = {0};
        assert_false(step_choice_read(wrong[i], &choice, &no));
    }
}

/* Four steps, of which `order` says which are long: three products, or one. */
static void steps_in_order(struct made *m, struct capture_step steps[4],
                           const char *order)
{
    begin(m);
    for (int i = 0; i < 4; i++) {
        int64_t start_ns = m->at_ns;
        for (int k = 0; k < (order[i] == 'l' ? 3 : 1); k++)
            op(m, "aten::mm", WORK_GEMM, 100000);
        steps[i] = (struct capture_step){.start_ns = start_ns,
                                         .end_ns = m->at_ns,
                                         .number = i,
                                         .steady = true,
                                         .kept = true};
    }
    m->c.steps = steps;
    m->c.n_steps = 4;
}

/* The same lengths in another order are the same work. */
static void test_order_of_steps(void **state)
{
    (void)state;
    static const struct {
        const char *order[2];
        int n_steps;
        int64_t window_ns;
    } cases[] = {{{"llss", "slsl"}, 4, 800000},
                 {{"lsss", "ssll"}, 3, 500000}, /* one long, two short of both */
                 {{"llll", "ssss"}, 4, 1200000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct capture_step steps[2][4];
        steps_in_order(&first, steps[0], cases[i].order[0]);
        steps_in_order(&second, steps[1], cases[i].order[1]);
        struct comparison c = compared(done(&first), done(&second));
        assert_int_equal(c.selection.n_steps, cases[i].n_steps);
        assert_int_equal(c.window_ns[0], cases[i].window_ns);
        assert_int_equal(c.window_ns[1] == c.window_ns[0], i < 2);
        assert_true(i == 2 || c.parity == PARITY_SAME);
        assert_true(i == 2 || c.device.verdict == VERDICT_WITHIN_FLOOR);
    }
}

/* A prefill is not compared with a decode; of decodes, the nearest load. */
static void test_load(void **state)
{
    (void)state;
    const double nan = (double)NAN;
    struct capture_step x[] = {
        {0, 10, 0, S_INIT("prefill"), {1, 0}, 500, nan, true, true, {0}},
        {10, 20, 1, S_INIT("decode"), {0, 8}, 8, nan, true, true, {0}},
        {20, 30, 2, S_INIT("decode"), {0, 32}, 32, nan, true, true, {0}}};
    struct capture_step y[] = {
        {0, 12, 0, S_INIT("decode"), {0, 30}, 30, nan, true, true, {0}},
        {12, 20, 1, S_INIT("decode"), {0, 90}, 90, nan, true, true, {0}}};
    begin(&first);
    begin(&second);
    first.c.steps = x;
    first.c.n_steps = 3;
    second.c.steps = y;
    second.c.n_steps = 2;
    first.at_ns = 30;
    second.at_ns = 20;
    struct comparison c = compared(done(&first), done(&second));
    assert_true(c.selection.by_load);
    assert_int_equal(c.selection.n_steps, 2);
    assert_int_equal(c.selection.spans[0][0].start_ns, 10);
    assert_true(c.selection.load_pct > 1000); /* 8 against 90 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_itself),
        cmocka_unit_test(test_one_class),
        cmocka_unit_test(test_more_layers),
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_fused),
        cmocka_unit_test(test_other_operators),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_types_of_one_side),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_empty_side),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_same_parent),
        cmocka_unit_test(test_several_captures),
        cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_sequence_parts),
        cmocka_unit_test(test_other_work_is_not_rated),
        cmocka_unit_test(a_class_is_of_the_steps_of_its_capture),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_order_of_steps),
        cmocka_unit_test(test_load),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
