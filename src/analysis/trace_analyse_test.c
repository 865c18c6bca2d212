#include "analysis/trace_analyse.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/trace_case.h"

static const struct pattern_source library[] = {
    {S_INIT("gemm.lua"),
     S_INIT("pattern { id = 'seen', category = 'gemm', summary = 'any product',\n"
            "  when = function(row) return {products = row.count} end,\n"
            "  issue = '{products} calls of {op}, {M}x{N}x{K}',\n"
            "  path_a = 'fewer' }\n")}};
static const char platform[] = "{\"name\":\"D\",\"mem_bw_gbps\":1000,\"memory_gb\":64,"
                               "\"max_achievable_tflops\":{\"matrix_bf16\":100}}";

/* A trace of `products` matrix products under one frame, in a file; returns its path.
 */
static const char *write_trace(char path[32], const char *frame, int products, int size)
{
    struct trace_case c;
    char more[128];
    snprintf(more, sizeof more,
             "\"Input Dims\":[[%d,%d],[%d,%d]],\"Input "
             "type\":[\"c10::BFloat16\",\"c10::BFloat16\"]",
             size, size, size, size);
    case_begin(&c);
    case_frame(&c, frame, 0, products * 100);
    for (int i = 0; i < products; i++) {
        case_event(&c, "cpu_op", "aten::mm", 1, i * 100 + 1, 50, more);
        case_launch(&c, "gemm_kernel", i * 100 + 5, i * 100 + 10, 20 + i, i + 1);
    }
    out_lit(&c.text, "]}");
    strcpy(path, "/tmp/trace_analyse.XXXXXX");
    int fd = mkstemp(path);
    struct str text = out_view(&c.text);
    assert_int_equal(write(fd, text.p, (size_t)text.n), text.n);
    close(fd);
    out_free(&c.text);
    return path;
}

static void open_result(struct trace_result *t, const char *path,
                        const struct device_spec *device, bool one_thread)
{
    struct trace_options o = {.device = device,
                              .patterns = library,
                              .n_patterns = 1,
                              .one_thread = one_thread};
    struct err e = {0};
    assert_true(trace_analyse(t, &(struct trace_source){.path = path}, &o, &e));
}

/* Everything of a result that another one might disturb: columns, names, costs, rows,
 * call stacks, what Lua said. */
static void tell(struct out *o, const struct trace_result *t)
{
    out_free(o);
    out_memory(o);
    out_printf(o, "%s %d\n", t->store.sha256, t->store.n);
    for (int32_t i = 0; i < t->tables.judged.n; i++) {
        const struct op_group *g = &t->tables.judged.rows[i];
        struct str frame = tree_launcher_path(&t->tree, g->first->event);
        out_printf(o, "%d calls, %g GFLOP, %g us, from %.*s\n", g->n, g->gflop,
                   g->direct_us.sum, STRF(frame));
    }
    for (int i = 0; i < t->analysis.n_findings; i++) {
        const struct finding *f = &t->analysis.findings[i];
        out_printf(o, "%.*s: %.*s (%g ms)\n", STRF(f->id), STRF(f->issue),
                   f->impact.high_ms);
    }
    for (int i = 0; i < pattern_host_count(t->patterns); i++)
        out_printf(o, "%lld hits\n", (long long)pattern_host_info(t->patterns, i).hits);
}

static void assert_same(struct out *a, struct out *b)
{
    if (!str_eq(out_view(a), out_view(b)))
        fail_msg("alone:\n%.*s\nside by side:\n%.*s", STRF(out_view(a)),
                 STRF(out_view(b)));
}

static void test_two_side_by_side(void **state)
{
    (void)state;
    char paths[2][32];
    write_trace(paths[0], "a.py(1): f", 3, 256);
    write_trace(paths[1], "b.py(2): g", 5, 512);
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    struct device_spec device;
    struct err e = {0};
    assert_true(device_parse(&perm, str_of(platform), "d.json", &device, &e));
    struct out alone[2] = {0}, beside = {0};
    struct trace_result t[2];
    for (int k = 0; k < 2; k++) {
        open_result(&t[k], paths[k], &device, true);
        tell(&alone[k], &t[k]);
        trace_close(&t[k]);
    }
    assert_true(str_has(out_view(&alone[0]), S("3 calls of `aten::mm`, 256x256x256")));
    assert_true(str_has(out_view(&alone[0]), S("from a.py(1): f")));
    assert_true(str_has(out_view(&alone[1]), S("5 calls of `aten::mm`, 512x512x512")));
    for (int k = 0; k < 2; k++)
        open_result(&t[k], paths[k], &device, k == 1);
    for (int k = 0; k < 2; k++) {
        tell(&beside, &t[k]);
        assert_same(&alone[k], &beside);
    }
    trace_close(&t[0]);
    tell(&beside, &t[1]); /* outlives the other */
    assert_same(&alone[1], &beside);
    trace_close(&t[1]);
    for (int k = 0; k < 2; k++) {
        out_free(&alone[k]);
        unlink(paths[k]);
    }
    out_free(&beside);
    arena_release(start, &perm);
}

static void test_nothing_is_left_of_a_trace_that_cannot_be_read(void **state)
{
    (void)state;
    struct trace_result t;
    struct trace_options o = {.patterns = library, .n_patterns = 1};
    struct trace_source source = {.path = "/nonexistent/trace.json"};
    for (int k = 0; k < 2; k++) {
        struct err e = {0};
        o.one_thread = k;
        assert_false(trace_analyse(&t, &source, &o, &e));
        assert_int_equal(e.kind, ERR_INPUT);
        assert_null(t.perm_start);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_side_by_side),
        cmocka_unit_test(test_nothing_is_left_of_a_trace_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
