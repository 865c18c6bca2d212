#include "analysis/lua/pattern_host.c"

#include "analysis/model/work_facts.h"
#include "ops/op_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

/* One category with two rows, by hand. */
struct bench {
    struct arena perm;
    char *start;
    struct analysis a;
    struct op_call_row first[2];
    struct op_group groups[2];
    struct work_row rows[2];
    struct pattern_host *host;
};

static void bench_open(struct bench *b)
{
    *b = (struct bench){.perm = arena_reserve(64 << 20)};
    b->start = b->perm.at;
    for (int i = 0; i < 2; i++) {
        b->first[i].name = i ? S("aten::bmm") : S("aten::mm");
        b->groups[i].first = &b->first[i];
        b->rows[i] = (struct work_row){.group = &b->groups[i],
                                       .name = b->first[i].name,
                                       .category = WORK_GEMM,
                                       .time_ms = i ? 2.5 : 120.04,
                                       .count = i ? 37632 : 3,
                                       .compute_pct = i ? 0.456 : 45.6};
        b->rows[i].efficiency =
            (struct work_efficiency){.percent = i ? (double)NAN : 23.45,
                                     .bound = i ? BOUND_NONE : BOUND_MEMORY,
                                     .tb_per_s = 0.512,
                                     .peak_tb_per_s = 5.3};
    }
    work_set(&b->perm, &b->rows[0], FACT("M", 131072), FACT("shape", S("(1,`2`)\n")),
             FACT("gemm_type", S("regular")));
    b->a.total_ms = 200;
    b->a.computation_ms = 180;
    b->a.categories[WORK_GEMM] = (struct category_result){.category = WORK_GEMM,
                                                          .rows = b->rows,
                                                          .n_rows = 2,
                                                          .operation_count = 37635,
                                                          .time_ms = 122.54,
                                                          .compute_pct = 46.1};
}

static void bench_load(struct bench *b, const char *builtin, const char *user)
{
    struct pattern_source sources[2] = {
        {S("assets/patterns/gemm.lua"), str_of(builtin)},
        {S("assets/patterns/more.lua"), str_of(user)}};
    struct err e = {0};
    assert_true(
        pattern_host_open(&b->host, &b->perm, sources, user ? 2 : 1, NULL, 0, &e));
}

static void bench_close(struct bench *b)
{
    if (b->host)
        pattern_host_close(b->host);
    arena_release(b->start, &b->perm);
}

static struct pattern_hit *hits_of(struct bench *b, int row, int *n)
{
    return pattern_host_row(b->host, &b->perm, &b->a, &b->rows[row], n);
}

#define PATTERN_OF(id, when, more)                                                     \
    "pattern { id = '" id "', category = 'gemm', summary = 's', when = " when          \
    ", " more "}\n"

#define SAME(s, literal) assert_string_equal(str_c(&b.perm, (s)), (literal))

static void a_row_is_read_and_a_text_filled(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b);
    bench_load(&b,
               PATTERN_OF("one", "function(r) return r.bound == 'memory' end",
                          "title = 'T', issue = '{count} {op} {M} {shape} {gemm_type} "
                          "{time_ms} {p} {efficiency} {tbs}', path_a = '{{x} {K}'"),
               NULL);
    struct pattern_hit *h = hits_of(&b, 0, &n);
    assert_int_equal(n, 1);
    SAME(h[0].id, "one");
    SAME(h[0].title, "T");
    /* Times above 100 ms have one decimal, per cents one from 1; a name cannot leave
     * its backticks, nor start a line. */
    SAME(h[0].issue, "3 `aten::mm` 131072 `(1,'2') ` regular 120.0 45.6 23.5 0.51");
    SAME(h[0].path_a, "{x} unknown");
    SAME(h[0].path_b, "");
    assert_true(isnan(h[0].saving_low_ms) && isnan(h[0].group_efficiency_pct));
    assert_int_equal(h[0].n_rows, 0);
    hits_of(&b, 1, &n);
    assert_int_equal(n, 0);
    assert_int_equal(b.a.n_warnings, 0);
    assert_int_equal(pattern_host_info(b.host, 0).hits, 1);
    bench_close(&b);
}

/* A rate that is small is not nothing. */
static void small_figures_are_not_zero(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b);
    bench_load(&b,
               PATTERN_OF("small",
                          "function(r) return {a = 0.0049, b = 0.005, c = 0, d_pct = "
                          "0.001} end",
                          "path_a = '{a}, {b}, {c}, {d_pct}'"),
               NULL);
    struct pattern_hit *h = hits_of(&b, 0, &n);
    assert_int_equal(n, 1);
    SAME(h[0].path_a, "less than 0.01, 0.01, 0, less than 0.01");
    bench_close(&b);
}

static void the_unknown_is_no_reason(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b);
    bench_load(
        &b,
        PATTERN_OF("below", "function(r) return r.efficiency < 60 end", "path_a = 'x'")
            PATTERN_OF("above", "function(r) return r.efficiency >= 60 end",
                       "path_a = 'x'")
                PATTERN_OF("k", "function(r) return r.K > 0 or r.K <= 0 end",
                           "path_a = 'x'"),
        NULL);
    hits_of(&b, 1, &n); /* no model: NaN, and every comparison is false */
    assert_int_equal(n, 0);
    bench_close(&b);
}

static void values_of_the_pattern(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b);
    bench_load(&b,
               PATTERN_OF("two",
                          "function(r, c) return {k = 0.125, saving_low_ms = 1, "
                          "saving_high_ms = 2, group_efficiency_pct = 5, rows = "
                          "{c.rows[2], r}, informational = true, gain_pct = 0.256} end",
                          "issue = '{k} {gain_pct}%', cause = function(r, v) "
                          "return v.k > 0 and 'both' or nil end, "
                          "path_b = function(r, v) return r.name .. '{k}' .. v.k end"),
               NULL);
    struct pattern_hit *h = hits_of(&b, 0, &n);
    assert_int_equal(n, 1);
    SAME(h[0].issue, "0.13 0.26%");
    SAME(h[0].cause, "both");
    SAME(h[0].path_b, "aten::mm0.130.125");
    assert_true(h[0].informational && h[0].saving_low_ms == 1 &&
                h[0].saving_high_ms == 2 && h[0].group_efficiency_pct == 5);
    assert_int_equal(h[0].n_rows, 2);
    assert_ptr_equal(h[0].rows[0], &b.rows[1]);
    assert_ptr_equal(h[0].rows[1], &b.rows[0]);
    bench_close(&b);
}

static void a_whole_category(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b);
    bench_load(
        &b,
        PATTERN_OF("sum",
                   "function(c) local n = 0 for _, r in ipairs(c.rows) do n = n + "
                   "r.count end return n == c.count and #c.rows == 2 and "
                   "c.rows[3] == nil and c.rows[1] == c.trace.gemm.rows[1] and "
                   "c.rows[1] ~= c.rows[2] and c.trace.total_ms == 200 and "
                   "c.name == 'gemm' and {n = n, rows = {c.rows[2]}} end",
                   "scope = 'category', path_a = '{n} {op}'"),
        NULL);
    struct pattern_hit *h = pattern_host_category(b.host, &b.perm, &b.a, WORK_GEMM, &n);
    assert_int_equal(n, 1);
    SAME(h[0].path_a, "37635 `aten::bmm`");
    assert_int_equal(h[0].n_rows, 1);
    hits_of(&b, 0, &n); /* it is not a pattern of rows */
    assert_int_equal(n, 0);
    bench_close(&b);
}

static void test_category_of_many_rows(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b);
    bench_load(&b,
               PATTERN_OF("most",
                          "function(c) return #c.rows == 5000 and c.rows[2] and "
                          "c.rows[5001] == nil and {} end",
                          "scope = 'category', path_a = 'x'"),
               NULL);
    b.a.categories[WORK_GEMM].n_rows = PATTERN_ROWS_MOST + 1;
    pattern_host_category(b.host, &b.perm, &b.a, WORK_GEMM, &n);
    assert_int_equal(n, 1);
    bench_close(&b);
}

/* Each wrong in another way, in one file with one that is right. */
static void failures_are_named_once_and_the_rest_goes_on(void **state)
{
    (void)state;
    static const struct {
        const char *when, *more, *why;
    } bad[] = {
        {"function(r) return r.no_such end", "path_a = 'x'", "a row has no 'no_such'"},
        {"function(r) return 5 end", "path_a = 'x'", "when must return true"},
        {"function(r) return 'yes' end", "path_a = 'x'", "when must return true"},
        {"function(r) error(setmetatable({}, {})) end", "path_a = 'x'",
         "global 'setmeta"},
        {"function(r) error({}) end", "path_a = 'x'", "with a table instead"},
        {"function(r) while true do end end", "path_a = 'x'",
         "more than 1000000 steps"},
        {"function(r) local t = {} while true do t[#t + 1] = {} end end",
         "path_a = 'x'", "stopped"},
        {"function(r) r.time_ms = 0 end", "path_a = 'x'",
         "attempt to index a row value"},
        {"function(r) return {rows = {1}} end", "path_a = 'x'", "rows[1] is not a row"},
        {"function(r) return {rows = 3} end", "path_a = 'x'", "rows must be a list"},
        {"function(r) return {saving_low_ms = 'x'} end", "path_a = 'x'",
         "must be a number"},
        {"function(r) return {saving_low_ms = -1} end", "path_a = 'x'", "is negative"},
        {"function(r) return {saving_low_ms = 2, saving_high_ms = 1} end",
         "path_a = 'x'", "below saving_low_ms"},
        {"function(r) return true end", "path_a = '{nothing}'", "no value is called"},
        {"function(r) return true end", "path_a = '{open'", "not closed"},
        {"function(r) return true end", "path_a = '{kernels}'", "not a text"},
        {"function(r) return {x = {}} end", "path_a = '{x}'", "not a text"},
        {"function(r) return true end", "path_a = function() return {} end",
         "must be a text"},
        {"function(r) return true end", "path_a = ('x'):rep(5000)", "longer than 4096"},
        {"function(r) return true end", "path_a = function() error('no') end", ": no"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bench b;
        char text[800];
        int n;
        bench_open(&b);
        snprintf(
            text, sizeof text,
            "pattern { id = 'bad', category = 'gemm', summary = 's', when = %s, "
            "%s}\n" PATTERN_OF("good", "function() return true end", "path_a = 'x'"),
            bad[i].when, bad[i].more);
        bench_load(&b, text, NULL);
        for (int again = 0; again < 3; again++) {
            struct pattern_hit *h = hits_of(&b, 0, &n);
            assert_int_equal(n, 1);
            SAME(h[0].id, "good");
        }
        assert_int_equal(b.a.n_warnings, 1);
        const char *warning = str_c(&b.perm, b.a.warnings[0].text);
        if (!strstr(warning, bad[i].why) ||
            !strstr(warning,
                    "pattern bad of gemm.lua failed and is left out: gemm.lua:"))
            fail_msg("%s: %s", bad[i].why, warning);
        assert_true(b.a.warnings[0].failure && pattern_host_info(b.host, 0).failed);
        SAME(b.a.warnings[0].source, "gemm");
        bench_close(&b);
    }
}

/* Declarations that are wrong are left out and named; the others of the file stand. */
static void wrong_entries(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"pattern {}", "id must be a text"},
        {"pattern {id = 5}", "id must be a text"},
        {"pattern {id = 'a\\nb'}", "not one line"},
        {"pattern {id = 'a', category = 'gem'}", "is not one of gemm, sdpa_fwd"},
        {"pattern {id = 'a', category = 'gemm'}", "summary must be a text"},
        {"pattern {id = 'a', category = 'gemm', summary = 's'}",
         "when must be a function"},
        {PATTERN_OF("a", "known", ""), "path_a or path_b is needed"},
        {PATTERN_OF("a", "known", "path_a = 5"), "path_a must be a text or a function"},
        {PATTERN_OF("a", "known", "path_a = 'x', scope = 'all'"), "scope must be row"},
        {PATTERN_OF("a", "known", "path_a = 'x', unless = known"), "counter is needed"},
        {PATTERN_OF("a", "known", "path_a = 'x', counter = 'x'"),
         "unless must be a function"},
        {PATTERN_OF("a", "known", "path_a = 'x', about = 'x'"), "about belongs to"},
        {PATTERN_OF("a", "known", "path_a = 'x', informational = 1"),
         "must be true or"},
        {PATTERN_OF("a", "known", "path_a = 'x', informatoinal = true"),
         "is not a known key"},
        {PATTERN_OF("a", "known",
                    "path_a = 'x', k6 = 1, k3 = 1, k1 = 1, k2 = 1, k5 = 1"),
         "left out: k1 is not a known key"},
        {"category {category = 'gemm'}", "either op or match is needed"},
        {"model {op = 'a', category = 'gemm'}", "cost must be a function"},
        {"model {op = 'a', category = 'gemm', cost = known, unit = 'x'}",
         "unit must be"},
        {"pattern(5)", "the rest of gemm.lua is left out"},
        {"x = ", "the rest of gemm.lua is left out"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bench b;
        char text[800];
        int n;
        bench_open(&b);
        snprintf(text, sizeof text, "%s%s",
                 i + 2 < sizeof bad / sizeof *bad
                     ? PATTERN_OF("good", "function() return true end", "path_a = 'x'")
                     : "",
                 bad[i][0]);
        bench_load(&b, text,
                   PATTERN_OF("other", "function() return true end", "path_a = 'x'"));
        hits_of(&b, 0, &n);
        assert_int_equal(n, i + 2 < sizeof bad / sizeof *bad ? 2 : 1);
        assert_int_equal(b.a.n_warnings, 1);
        const char *warning = str_c(&b.perm, b.a.warnings[0].text);
        if (!strstr(warning, bad[i][1]))
            fail_msg("%s: %s", bad[i][1], warning);
        bench_close(&b);
    }
}

/* Row 0 is fine, row 1 is not: the hit on row 0 no longer stands. */
static void a_late_failure_takes_back_what_was_said(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b);
    bench_load(&b,
               PATTERN_OF("late", "function(r) return r.name == 'aten::mm' or 5 end",
                          "path_a = 'x'")
                   PATTERN_OF("good", "function(r) return true end", "path_a = 'x'"),
               NULL);
    struct pattern_hit *h = hits_of(&b, 0, &n);
    assert_int_equal(n, 2);
    assert_true(pattern_host_stands(b.host, &h[0]));
    hits_of(&b, 1, &n);
    assert_int_equal(n, 1);
    assert_false(pattern_host_stands(b.host, &h[0]));
    assert_true(pattern_host_stands(b.host, &h[1]));
    bench_close(&b);
}

static void order_and_replacing(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b);
    bench_load(
        &b,
        "pattern { id = 'general', category = 'any', summary = 's', path_a = 'x', "
        "when = function() return true end }\n" PATTERN_OF(
            "first", "function() return true end", "path_a = 'old'")
            PATTERN_OF("second", "function() return true end", "path_a = 'x'"),
        PATTERN_OF("third", "function() return true end", "path_a = 'x'")
            PATTERN_OF("first", "function() return true end", "path_a = 'new'"));
    assert_int_equal(pattern_host_count(b.host), 4);
    struct pattern_hit *h = hits_of(&b, 0, &n);
    assert_int_equal(n, 4);
    SAME(h[0].id, "first");
    SAME(h[0].path_a, "new");
    SAME(h[1].id, "second");
    SAME(h[2].id, "third");
    SAME(h[3].id, "general");
    assert_int_equal(h[3].order, 3);
    SAME(pattern_host_info(b.host, 0).file, "more.lua");
    SAME(pattern_host_info(b.host, 3).category, "any");
    bench_close(&b);
}

static void advice_for_what_is_found_in_c(void **state)
{
    (void)state;
    struct bench b;
    struct pattern_hit hit;
    struct work_fact values[] = {FACT("lo", 3), FACT("what", S("it"))};
    bench_open(&b);
    bench_load(
        &b,
        "pattern { id = 'u', category = 'sdpa_fwd', summary = 's', scope = 'advice', "
        "path_a = '{lo}x for {what}' }",
        NULL);
    assert_true(pattern_host_advice(b.host, &b.perm, &b.a, S("u"), values, 2, &hit));
    SAME(hit.path_a, "3x for it");
    assert_false(pattern_host_advice(b.host, &b.perm, &b.a, S("v"), values, 2, &hit));
    assert_false(pattern_host_advice(b.host, &b.perm, &b.a, S("u"), values, 1, &hit));
    assert_int_equal(b.a.n_warnings, 1); /* {what} is not known */
    bench_close(&b);
}

/* Evidence of the facts and of the trace, and what contradicts it. */
static void advice_is_gated(void **state)
{
    (void)state;
    struct bench b;
    int n;
    struct work_fact values[] = {FACT("few", 3)};
    bench_open(&b);
    bench_load(
        &b,
        "pattern { id = 'u', category = 'gemm', summary = 's', scope = 'advice', "
        "about = 'it', counter = 'copies are pinned', when = function(it, trace) "
        "return it.few < 4 and {many = 2 * it.few} end, unless = function(it, trace) "
        "return trace.pinned_copies > 0 end, path_a = '{few} of {many}' }\n"
        "pattern { id = 'v', category = 'gemm', summary = 's', scope = 'advice', "
        "about = 'it', when = function(it) return it.few > 3 end, path_a = 'no' }\n"
        "pattern { id = 'w', category = 'gemm', summary = 's', scope = 'advice', "
        "about = 'else', path_a = 'no' }\n",
        NULL);
    struct pattern_hit *h =
        pattern_host_about(b.host, &b.perm, &b.a, S("it"), values, 1, &n);
    assert_int_equal(n, 1);
    SAME(h[0].path_a, "3 of 6");
    work_set(&b.perm, &b.a, FACT("pinned_copies", 1));
    pattern_host_about(b.host, &b.perm, &b.a, S("it"), values, 1, &n);
    assert_int_equal(n, 0);
    assert_int_equal(b.a.n_warnings, 0);
    pattern_host_about(NULL, &b.perm, &b.a, S("it"), values, 1, &n);
    assert_int_equal(n, 0);
    SAME(pattern_host_info(b.host, 0).counter, "copies are pinned");
    bench_close(&b);
}

static void categories_by_name_and_pattern(void **state)
{
    (void)state;
    struct bench b;
    enum work_category c;
    bench_open(&b);
    bench_load(&b,
               "category {match = '^mylib::', category = 'norm'}\n"
               "category {op = 'mylib::mm', category = 'gemm'}\n"
               "category {match = '(', category = 'other'}\n", /* matches nothing */
               NULL);
    assert_true(pattern_host_category_of(b.host, S("mylib::x"), &c) && c == WORK_NORM);
    assert_true(pattern_host_category_of(b.host, S("mylib::mm"), &c) && c == WORK_GEMM);
    assert_false(pattern_host_category_of(b.host, S("yourlib::x"), &c));
    bench_close(&b);
}

static void user_files(void **state)
{
    (void)state;
    char path[] = "/tmp/pattern-XXXXXX";
    int fd = mkstemp(path);
    const char text[] =
        PATTERN_OF("mine", "function() return true end", "path_a = 'x'");
    const char *files[] = {path, "/no/such/file.lua"};
    struct bench b;
    struct err e = {0};
    bench_open(&b);
    assert_true(write(fd, text, sizeof text - 1) == sizeof text - 1);
    close(fd);
    assert_true(pattern_host_open(&b.host, &b.perm, NULL, 0, files, 1, &e));
    assert_true(pattern_host_info(b.host, 0).user);
    SAME(pattern_host_info(b.host, 0).file, strrchr(path, '/') + 1);
    assert_true(pattern_host_user_hash(b.host) ==
                str_hash(((struct str){text, sizeof text - 1})));
    pattern_host_close(b.host);
    assert_false(pattern_host_open(&b.host, &b.perm, NULL, 0, files, 2, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    unlink(path);
    arena_release(b.start, &b.perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_category_of_many_rows),
        cmocka_unit_test(a_row_is_read_and_a_text_filled),
        cmocka_unit_test(small_figures_are_not_zero),
        cmocka_unit_test(the_unknown_is_no_reason),
        cmocka_unit_test(values_of_the_pattern),
        cmocka_unit_test(a_whole_category),
        cmocka_unit_test(failures_are_named_once_and_the_rest_goes_on),
        cmocka_unit_test(wrong_entries),
        cmocka_unit_test(a_late_failure_takes_back_what_was_said),
        cmocka_unit_test(order_and_replacing),
        cmocka_unit_test(advice_for_what_is_found_in_c),
        cmocka_unit_test(advice_is_gated),
        cmocka_unit_test(categories_by_name_and_pattern),
        cmocka_unit_test(user_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
