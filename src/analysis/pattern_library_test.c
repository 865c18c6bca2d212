/* The shipped patterns, each against a row that has the symptom and one that has not.
 */
#include "analysis/lua/pattern_host.h"

#include "analysis/library_case.h"
#include "analysis/model/work_facts.h"
#include "analysis/pattern_cases.h"
#include "base/arena.h"
#include "ops/op_groups.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct arena perm;
    char *start;
    struct analysis a;
    struct pattern_host *host;
    struct work_row rows[2];
    struct op_group group;
    struct op_call_row first;
    struct kernel_detail kernel;
};

static void bench_open(struct bench *b, enum work_category c)
{
    const char *extensions[] = {"assets/extensions/residual_scale.lua",
                                "assets/extensions/softmax_model.lua"};
    *b = (struct bench){.perm = arena_reserve(64 << 20)};
    b->start = b->perm.at;
    b->host = library_open(&b->perm, extensions, 2);
    b->first.name = S("aten::op");
    b->group.first = &b->first;
    b->kernel = (struct kernel_detail){.name = S("k"), .n = 1, .total_us = 6000};
    b->group.kernels = &b->kernel;
    b->group.n_kernels = 1;
    for (int i = 0; i < 2; i++) {
        b->rows[i] = (struct work_row){.group = &b->group,
                                       .name = b->first.name,
                                       .category = c,
                                       .cov = (double)NAN,
                                       .claimed_by = -1};
        b->rows[i].efficiency = (struct work_efficiency){.percent = (double)NAN,
                                                         .tflop_per_s = (double)NAN,
                                                         .tb_per_s = (double)NAN,
                                                         .flop_per_byte = (double)NAN};
    }
    for (int i = 0; i < WORK_CATEGORIES; i++)
        b->a.categories[i].category = (enum work_category)i;
    b->a.computation_ms = 100;
    b->a.categories[c].rows = b->rows;
    b->a.categories[c].n_rows = 2;
}

static void bench_close(struct bench *b)
{
    pattern_host_close(b->host);
    arena_release(b->start, &b->perm);
}

/* "bound=compute efficiency=23 M=256 gemm_type=regular": fields and facts of row 0. */
static void set_row(struct bench *b, struct work_row *r, const char *key,
                    const char *value)
{
    double v = strtod(value, NULL);
    struct work_efficiency *e = &r->efficiency;
    if (strcmp(key, "bound") == 0)
        e->bound = *value == 'c' ? BOUND_COMPUTE : BOUND_MEMORY;
    else if (strcmp(key, "efficiency") == 0)
        e->percent = v;
    else if (strcmp(key, "ai") == 0)
        e->flop_per_byte = v;
    else if (strcmp(key, "p") == 0)
        r->compute_pct = v;
    else if (strcmp(key, "count") == 0)
        r->count = (int64_t)v;
    else if (strcmp(key, "mean_us") == 0)
        r->mean_us = v;
    else if (strcmp(key, "time_ms") == 0)
        r->time_ms = v;
    else if (strcmp(key, "claimed") == 0)
        r->claimed_by = 0;
    else if (strcmp(key, "name") == 0)
        r->name = str_copy(&b->perm, str_of(value));
    else if (work_row_fact_kind(str_of(key)) == FACT_TEXT)
        work_set(&b->perm, r,
                 FACT(str_c(&b->perm, str_of(key)), str_copy(&b->perm, str_of(value))));
    else if (work_row_fact_kind(str_of(key)) == FACT_NUMBER)
        work_set(&b->perm, r, FACT(str_c(&b->perm, str_of(key)), v));
    else
        fail_msg("no such key: %s", key);
}

static void set_category(struct bench *b, struct category_result *c, const char *key,
                         const char *value)
{
    double v = strtod(value, NULL);
    if (strcmp(key, "pc") == 0)
        c->compute_pct = v;
    else if (strcmp(key, "calls") == 0)
        c->operation_count = (int64_t)v;
    else if (work_category_fact_kind(str_of(key)) == FACT_NUMBER)
        work_set(&b->perm, c, FACT(str_c(&b->perm, str_of(key)), v));
    else
        fail_msg("no such key: %s", key);
}

static void set_trace(struct bench *b, const char *key, const char *value)
{
    const char *kept = str_c(&b->perm, str_of(key));
    if (work_trace_fact_kind(str_of(key)) == FACT_TEXT)
        work_set(&b->perm, &b->a, FACT(kept, str_copy(&b->perm, str_of(value))));
    else if (work_trace_fact_kind(str_of(key)) == FACT_NUMBER)
        work_set(&b->perm, &b->a, FACT(kept, strtod(value, NULL)));
    else
        fail_msg("no such key: %s", key);
}

/* "trace.training=1" is a fact of the trace. */
static void set_all(struct bench *b, enum work_category c, bool category,
                    const char *what)
{
    char text[400], *save, *word;
    snprintf(text, sizeof text, "%s", what);
    for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        if (strncmp(word, "trace.", 6) == 0)
            set_trace(b, word + 6, value);
        else if (category)
            set_category(b, &b->a.categories[c], word, value);
        else
            set_row(b, &b->rows[0], word, value);
    }
}

static struct pattern_hit *find_hit(struct pattern_hit *h, int n, const char *id)
{
    for (int i = 0; i < n; i++)
        if (str_eq(h[i].id, str_of(id)))
            return &h[i];
    return NULL;
}

/* What a pattern finds in a row or its category, whose bench is to be closed; NULL:
 * nothing. */
static struct pattern_hit *hit_of(struct bench *b, enum work_category c, const char *id,
                                  const char *row, const char *category)
{
    int n_row, n_category;
    bench_open(b, c);
    set_all(b, c, false, row);
    set_all(b, c, true, category);
    struct pattern_hit *of_row =
        pattern_host_row(b->host, &b->perm, &b->a, &b->rows[0], &n_row);
    struct pattern_hit *of_category =
        pattern_host_category(b->host, &b->perm, &b->a, c, &n_category);
    if (b->a.n_warnings)
        fail_msg("%s: %.*s", id, STRF(b->a.warnings[0].text));
    struct pattern_hit *h = find_hit(of_category, n_category, id);
    return h ? h : find_hit(of_row, n_row, id);
}

static bool saves(double ms, double want_ms)
{
    return want_ms == 0 ? isnan(ms)
                        : fabs(ms - (want_ms == NOTHING ? 0 : want_ms)) < 1e-9;
}

static bool says(const struct pattern_hit *h, const char *what)
{
    struct str piece = str_of(what);
    return str_has(h->title, piece) || str_has(h->issue, piece) ||
           str_has(h->path_a, piece) || str_has(h->path_b, piece);
}

static void each_pattern_knows_its_symptom(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *id = cases[i].id, *with = cases[i].with;
        struct bench b;
        struct pattern_hit *h = hit_of(&b, cases[i].c, id, with, cases[i].category);
        if (!h)
            fail_msg("%s does not hit: %s %s", id, with, cases[i].category);
        if (!saves(h->saving_low_ms, cases[i].low_ms) ||
            !saves(h->saving_high_ms, cases[i].high_ms))
            fail_msg("%s saves %g to %g ms: %s", id, h->saving_low_ms,
                     h->saving_high_ms, with);
        if (!says(h, cases[i].says))
            fail_msg("%s says: %.*s\n%.*s\n%.*s\n%.*s", id, STRF(h->title),
                     STRF(h->issue), STRF(h->path_a), STRF(h->path_b));
        bench_close(&b);
        if (hit_of(&b, cases[i].c, id, cases[i].without, cases[i].category_without))
            fail_msg("%s hits: %s %s", id, cases[i].without, cases[i].category_without);
        bench_close(&b);
    }
}

/* The table above leaves none out; the two that have no row of their own are named. */
static void every_pattern_has_a_case(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, WORK_GEMM);
    for (int i = 0; i < pattern_host_count(b.host); i++) {
        struct pattern_info info = pattern_host_info(b.host, i);
        struct str id = info.id;
        bool found =
            str_eq(id, S("unfused_attention")) ||
            str_eq(id, S("user.residual_scale")) ||
            str_eq(id, S("dense_embedding_gradient")) || /* optimizer_findings_test */
            str_eq(id, S("foreach_optimizer")) ||        /* the same */
            str_eq(id, S("reordered_cache")) ||          /* cache_finding_test */
            str_eq(id, S("dequantised_by_hand")) ||      /* cast_finding_test */
            str_eq(id, S("casts_around_norm")) ||        /* the same */
            str_eq(id, S("quantised_in_steps")) ||       /* the same */
            str_eq(id, S("fp32_part")) ||                /* the same */
            str_eq(id, S("logprob_passes")) ||           /* logits_read_test */
            str_eq(id, S("repeated_heads")) ||           /* repeated_work_test */
            str_eq(id, S("repeated_context")) ||         /* repeated_work_test */
            str_eq(id, S("searched_for_each_size")) ||   /* the same */
            str_eq(id, S("sorted_index_gradient")) ||    /* the same */
            str_eq(id, S("deterministic_sums")) ||       /* the same */
            str_eq(id, S("message_passing")) ||          /* the same */
            str_eq(info.category, S("cpu_idle")) ||      /* idle_findings_test */
            str_eq(info.category, S("multi_kernel")) ||  /* pattern_advice_test */
            str_eq(info.category, S("kernel_fusion"));
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            found |= str_eq(id, str_of(cases[k].id));
        if (!found)
            fail_msg("no case for %.*s", STRF(id));
    }
    assert_int_equal(pattern_host_faults(b.host), 0);
    bench_close(&b);
}

/* A row of which nothing is known meets none but the one that says so. */
static void nothing_known_is_no_symptom(void **state)
{
    (void)state;
    for (int c = WORK_GEMM; c <= WORK_OTHER; c++) {
        struct bench b;
        int n;
        bench_open(&b, (enum work_category)c);
        struct pattern_hit *h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
        assert_int_equal(n, 1);
        assert_true(str_eq(h[0].id, S("general_unmodelled")));
        pattern_host_category(b.host, &b.perm, &b.a, (enum work_category)c, &n);
        assert_int_equal(n, 0);
        assert_int_equal(b.a.n_warnings, 0);
        bench_close(&b);
    }
}

static void savings_and_texts(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b, WORK_GEMM);
    set_all(&b, WORK_GEMM, false, "B=37632 M=8 N=64 K=64 count=96 roofline_ms=0.1866");
    struct pattern_hit *h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
    assert_string_equal(
        str_c(&b.perm, h[0].issue),
        "96 calls compute 37632 matmuls of 8x64 by 64x64, too little work "
        "each for the device.");
    assert_non_null(strstr(str_c(&b.perm, h[0].path_b), "(0.187 ms)"));
    bench_close(&b);

    /* A quarter of the chain's time is a quarter of its saving: 1/4 of 2 ms. */
    bench_open(&b, WORK_NORM);
    set_all(&b, WORK_NORM, false,
            "chain_next=elementwise chain_light=1 chain_kernels=3 chain_ops=a "
            "chain_instances=2 time_ms=1 chain_ms=4 chain_saving_ms=2");
    h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
    assert_true(h[0].saving_low_ms == 0.4 && h[0].saving_high_ms == 0.5);
    bench_close(&b);
    bench_open(&b, WORK_ELEMENTWISE);
    set_all(&b, WORK_ELEMENTWISE, false,
            "chain_light=1 chain_kernels=3 chain_ops=a chain_instances=2 time_ms=1 "
            "chain_ms=4 chain_saving_ms=2");
    h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
    assert_true(h[0].saving_low_ms == 0.4 && h[0].saving_high_ms == 0.5);
    bench_close(&b);

    /* 60% of the peak of TF32 (4 ms) where that is advised too, to 80% of 16 bits' (2).
     */
    for (int tf32 = 0; tf32 < 2; tf32++) {
        bench_open(&b, WORK_GEMM);
        set_all(&b, WORK_GEMM, false,
                "fp32_kernel=1 mean_us=500 time_ms=20 half_ms=2 tf32_ms=4 "
                "trace.matrix_units=1");
        if (tf32)
            set_all(&b, WORK_GEMM, false, "trace.tf32_units=1");
        h = pattern_host_category(b.host, &b.perm, &b.a, WORK_GEMM, &n);
        assert_int_equal(n, 1);
        assert_true(fabs(h[0].saving_low_ms - (20 - (tf32 ? 4 : 2) / 0.6)) < 1e-9);
        assert_true(fabs(h[0].saving_high_ms - (20 - 2 / 0.8)) < 1e-9);
        bench_close(&b);
    }

    /* In fp64: half, or what fp32 leaves of arithmetic at half to 80% of its peak, or
     * the part that it reaches now; of a sine at half to 80% of the memory's. */
    static const struct {
        const char *facts;
        double low_ms, high_ms;
    } fp64[] = {
        {"kernel=dgemm name=aten::mm time_ms=20", 8, 10},
        {"kernel=dgemm name=aten::mm time_ms=20 fp32_ms=1 efficiency=88", 18, 18.75},
        {"kernel=dgemm name=aten::mm time_ms=20 fp32_ms=1 efficiency=20", 15, 15},
        {"kernel=k dtype=fp64 name=aten::mul time_ms=20 efficiency=20", 8, 10},
        {"kernel=k dtype=fp64 name=aten::sin time_ms=20 efficiency=20", 16, 17.5},
        {"kernel=k dtype=fp64 name=aten::sin time_ms=20 efficiency=90", 8, 10}};
    for (size_t k = 0; k < sizeof fp64 / sizeof *fp64; k++) {
        bench_open(&b, WORK_GEMM);
        set_all(&b, WORK_GEMM, false, fp64[k].facts);
        h = pattern_host_category(b.host, &b.perm, &b.a, WORK_GEMM, &n);
        assert_int_equal(n, 1);
        assert_true(fabs(h[0].saving_low_ms - fp64[k].low_ms) < 1e-9);
        assert_true(fabs(h[0].saving_high_ms - fp64[k].high_ms) < 1e-9);
        bench_close(&b);
    }
}

/* Of 17 calls of 6 us, 8 could go: 48 us, or the part that the roofline leaves. What
 * has no other right behind it is not merged. */
static void short_calls_are_merged_or_get_more_work(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *title;
        double high_ms;
    } rows[] = {{"efficiency=4 adjoining_calls=8",
                 "Merge `aten::op` calls that share an operand", 0.048},
                {"efficiency=75 best_pct=90 adjoining_calls=8",
                 "Merge `aten::op` calls that share an operand", 0.25 * 0.102},
                {"efficiency=4",
                 "Raise the batch for `aten::op`: a call is as short as its launch",
                 (double)NAN}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct bench b;
        int n;
        bench_open(&b, WORK_GEMM);
        set_all(&b, WORK_GEMM, false,
                "bound=memory ai=90 time_criterion=1 mean_us=6 count=17 "
                "time_ms=0.102");
        set_all(&b, WORK_GEMM, false, rows[k].facts);
        struct pattern_hit *h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
        assert_true(n > 0);
        assert_string_equal(str_c(&b.perm, h[0].title), rows[k].title);
        assert_true(isnan(rows[k].high_ms)
                        ? isnan(h[0].saving_high_ms)
                        : fabs(h[0].saving_high_ms - rows[k].high_ms) < 1e-9);
        bench_close(&b);
    }
}

/* Two kernels of one template have one short name: 12 ms are 6% of compute, and 4 ms of
 * the other 2%. */
static void kernels_of_one_name_are_told_together(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b, WORK_OTHER);
    set_all(&b, WORK_OTHER, false,
            "kernel=ns::moe<1> time_ms=12 trace.unmodelled_pct=51 trace.unknown_pct=6 "
            "trace.unknown_ms=12 trace.unknown_kernel=ns::moe<1> trace.unknown_grid=g "
            "trace.unknown_caller=c trace.unknown_command=m trace.unknown_calls=1");
    b.rows[1].time_ms = 4;
    work_set(&b.perm, &b.rows[1], FACT("kernel", S("ns::moe<2>")));
    b.kernel = (struct kernel_detail){.name = S("ns::moe<1>"), .n = 1};
    b.kernel.total_us = 12000;
    struct pattern_hit *h =
        pattern_host_category(b.host, &b.perm, &b.a, WORK_OTHER, &n);
    assert_int_equal(n, 1);
    assert_true(str_has(h[0].issue, S("others of this name take 4.00 ms more, 8.0% of "
                                      "compute with it. No model")));
    work_set(&b.perm, &b.rows[1], FACT("kernel", S("ns::other<2>")));
    h = pattern_host_category(b.host, &b.perm, &b.a, WORK_OTHER, &n);
    assert_false(str_has(h[0].issue, S("of this name")));
    bench_close(&b);
}

/* A cache that grows token by token, and tensors of like size. */
static void what_grows_is_appended_to(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *launcher, *title;
        double low_ms;
    } grown[] = {
        {"largest_part_pct=99", "", "Append to a preallocated tensor", 9},
        {"largest_part_pct=50", "", "Write into a preallocated tensor", 5},
        {"p=7", "", "Write into a preallocated tensor", 5},
        {"p=20", "transformers/cache_utils.py(542): update",
         "Use a StaticCache: `aten::cat` in update (cache_utils.py:542)", 9},
        {"p=19", "transformers/cache_utils.py(542): update",
         "Write into a preallocated tensor", 5},
        {"p=20", "model.py(12): update", "Write into a preallocated tensor", 5}};
    for (size_t k = 0; k < sizeof grown / sizeof *grown; k++) {
        struct bench b;
        int n;
        bench_open(&b, WORK_OTHER);
        set_all(&b, WORK_OTHER, false,
                "subcategory=cat_split of_wrapper=0 name=aten::cat p=7 time_ms=10");
        set_all(&b, WORK_OTHER, false, grown[k].facts);
        b.rows[0].launcher_path = str_of(grown[k].launcher);
        struct pattern_hit *h =
            pattern_host_category(b.host, &b.perm, &b.a, WORK_OTHER, &n);
        assert_int_equal(n, 1);
        assert_true(str_has(h[0].title, str_of(grown[k].title)));
        assert_true(fabs(h[0].saving_low_ms - grown[k].low_ms) < 1e-9);
        bench_close(&b);
    }
}

/* What is fused already is to be tuned, not fused. */
static void only_what_is_not_fused_is_fused(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *title;
    } rows[] = {{"name=aten::mul", "Fuse "},
                {"name=aten::_fused_adamw_", "Tune the kernel of "},
                {"name=mylib::mul", "Tune the kernel of "}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct bench b;
        int n;
        bench_open(&b, WORK_ELEMENTWISE);
        set_all(&b, WORK_ELEMENTWISE, false, "efficiency=29 mean_us=20 p=1");
        set_all(&b, WORK_ELEMENTWISE, false, rows[k].facts);
        struct pattern_hit *h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
        assert_int_equal(n, 1);
        assert_true(str_starts(h[0].title, str_of(rows[k].title)));
        assert_int_equal(h[0].path_a.n > 0, k == 0);
        bench_close(&b);
    }
}

/* Weights of 8 bits are not to be quantised. */
static void what_is_quantised_stays(void **state)
{
    (void)state;
    static const struct {
        enum work_category c;
        const char *facts;
        bool advised;
    } rows[] = {
        {WORK_GEMM, "bound=memory M=8 N=16384 K=512", true},
        {WORK_GEMM, "bound=memory M=8 N=16384 K=512 time_ms=1 quantized=1", false},
        {WORK_GEMM, "bound=memory M=8 N=16384 K=512 time_ms=1 kernel=Marlin", false},
        {WORK_MOE_FUSED, "bound=memory bottleneck=1 kernel=fused_moe_kernel", true},
        {WORK_MOE_FUSED, "bound=memory bottleneck=1 kernel=moe_fp8_w8a8", false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct bench b;
        int n;
        bench_open(&b, rows[k].c);
        set_all(&b, rows[k].c, false, rows[k].facts);
        struct pattern_hit *h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
        assert_true(n > 0);
        assert_int_equal(str_has(h[0].title, S("quantise")), rows[k].advised);
        assert_int_equal(str_has(h[0].path_a, S("quantise")) ||
                             str_has(h[0].path_a, S("8 bits")),
                         rows[k].advised);
        bench_close(&b);
    }
}

static void savings_of_few_blocks(void **state)
{
    (void)state;
    struct bench b;
    struct pattern_hit *h;
    int n;
    /* Ten of 100 SMs: a tenth of 8 ms is left at best, of memory's pace four tenths. */
    bench_open(&b, WORK_OTHER);
    set_all(&b, WORK_OTHER, false,
            "blocks=10 sms=100 units=SMs time_ms=8 kernel=k grid=g");
    h = pattern_host_category(b.host, &b.perm, &b.a, WORK_OTHER, &n);
    assert_int_equal(n, 1);
    assert_true(fabs(h[0].saving_low_ms - 4.8) < 1e-9 &&
                fabs(h[0].saving_high_ms - 7.2) < 1e-9);
    bench_close(&b);

    /* Calls of 8 us take little longer than a launch: two to four are to be one. */
    bench_open(&b, WORK_OTHER);
    set_all(&b, WORK_OTHER, false,
            "blocks=10 sms=100 units=SMs time_ms=8 count=1000 kernel=k grid=g");
    h = pattern_host_category(b.host, &b.perm, &b.a, WORK_OTHER, &n);
    assert_int_equal(n, 1);
    assert_true(h[0].saving_low_ms == 4 && h[0].saving_high_ms == 6);
    assert_string_equal(str_c(&b.perm, h[0].title),
                        "Merge or fuse the calls of k, each of at most 10 blocks");
    bench_close(&b);

    /* One such call cannot be merged with another. */
    bench_open(&b, WORK_OTHER);
    b.a.computation_ms = 0.1;
    set_all(&b, WORK_OTHER, false,
            "blocks=1 sms=100 units=SMs time_ms=0.008 count=1 kernel=k grid=g");
    h = pattern_host_category(b.host, &b.perm, &b.a, WORK_OTHER, &n);
    assert_int_equal(n, 1);
    assert_string_equal(str_c(&b.perm, h[0].title),
                        "Fuse k with its neighbours: it has at most 1 block");
    assert_true(str_starts(h[0].path_a, S("Fuse it with the kernel")));
    bench_close(&b);

    /* A larger batch does not help one row. */
    bench_open(&b, WORK_OTHER);
    set_all(&b, WORK_OTHER, false,
            "blocks=1 sms=80 units=SMs time_ms=8 kernel=gatherTopK grid=g");
    h = pattern_host_category(b.host, &b.perm, &b.a, WORK_OTHER, &n);
    assert_int_equal(n, 1);
    assert_string_equal(str_c(&b.perm, h[0].title),
                        "Split the rows of topk: gatherTopK has at most 1 block");
    assert_true(str_starts(h[0].path_a, S("Pick in two stages: ")));
    bench_close(&b);

    bench_open(&b, WORK_CONVOLUTION);
    set_all(&b, WORK_CONVOLUTION, false, "transpose_ms=4.215");
    set_all(&b, WORK_CONVOLUTION, true,
            "transpose_overhead_pct=41.9 transpose_ms=4.215 transpose_count=4");
    h = pattern_host_category(b.host, &b.perm, &b.a, WORK_CONVOLUTION, &n);
    assert_int_equal(n, 1);
    assert_true(h[0].n_rows == 1 && h[0].rows[0] == &b.rows[0]);
    assert_true(fabs(h[0].saving_low_ms - 3.372) < 1e-12 &&
                h[0].saving_high_ms == 4.215);
    assert_string_equal(str_c(&b.perm, h[0].issue),
                        "Layout conversions take 41.9% of convolution time (4.22 ms).");
    bench_close(&b);
}

/* PyTorch has a format for images, another for volumes, and none for sequences. */
static void channels_last_is_named_by_its_dimensions(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *title, *path;
    } formats[] = {{"conv_layout_rank=1", "Run the Conv1d layers", "x.unsqueeze(2)"},
                   {"conv_layout_rank=2", "Run the model", "=torch.channels_last)"},
                   {"conv_layout_rank=3", "Run the model", "=torch.channels_last_3d)"}};
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        struct bench b;
        int n;
        char facts[200];
        snprintf(facts, sizeof facts,
                 "transpose_overhead_pct=41.9 transpose_ms=4.215 transpose_count=4 %s",
                 formats[k].facts);
        bench_open(&b, WORK_CONVOLUTION);
        set_all(&b, WORK_CONVOLUTION, false, "transpose_ms=4.215");
        set_all(&b, WORK_CONVOLUTION, true, facts);
        struct pattern_hit *h =
            pattern_host_category(b.host, &b.perm, &b.a, WORK_CONVOLUTION, &n);
        assert_int_equal(n, 1);
        assert_true(str_starts(h[0].title, str_of(formats[k].title)));
        assert_true(str_has(h[0].path_a, str_of(formats[k].path)));
        bench_close(&b);
    }
}

/* A variable to be set, NCCL_DEBUG, or a module, torch._inductor, is no prose. */
static bool prose_says(struct str text, struct str word)
{
    for (ptrdiff_t k = 0; k + word.n < text.n; k++)
        if (str_has_nocase(str_head(str_skip(text, k), word.n), word) &&
            text.p[k + word.n] != '_' && !(k && text.p[k - 1] == '_'))
            return true;
    return false;
}

/* analysis.md 6.6: words that prose of ours must not have. Comments are prose, too. */
static void no_vendor_words_and_no_unseen_causes(void **state)
{
    (void)state;
    static const char *const words[] = {
        "CUDA",       "HIP ",     "NCCL",          "RCCL",    "cuBLAS",    "hipBLAS",
        "rocBLAS",    "CUTLASS",  "Tensile",       "cuDNN",   "MIOpen",    "nsight",
        "rocprof",    "Inductor", "bank conflict", "coalesc", "occupancy", "cache hit",
        "cache miss", "spill",    "divergence"};
    struct arena a = arena_reserve(4 << 20);
    char *start = a.at;
    for (int i = 0; i < LIBRARY_FILES; i++) {
        struct str path = str_printf(&a, "assets/patterns/%s.lua", library_names[i]);
        struct str text = library_file(&a, str_c(&a, path));
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (prose_says(text, str_of(words[w])))
                fail_msg("%s says %s", library_names[i], words[w]);
    }
    arena_release(start, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grows_is_appended_to),
        cmocka_unit_test(each_pattern_knows_its_symptom),
        cmocka_unit_test(every_pattern_has_a_case),
        cmocka_unit_test(nothing_known_is_no_symptom),
        cmocka_unit_test(savings_and_texts),
        cmocka_unit_test(kernels_of_one_name_are_told_together),
        cmocka_unit_test(short_calls_are_merged_or_get_more_work),
        cmocka_unit_test(only_what_is_not_fused_is_fused),
        cmocka_unit_test(what_is_quantised_stays),
        cmocka_unit_test(savings_of_few_blocks),
        cmocka_unit_test(no_vendor_words_and_no_unseen_causes),
        cmocka_unit_test(channels_last_is_named_by_its_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
