#include "capture_file.c"

#include "base/file_head.h"
#include "capture/capture_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena a;
static char *start, folder[] = "/tmp/capture_file_test.XXXXXX";

static int set_up(void **state)
{
    (void)state;
    a = arena_reserve((ptrdiff_t)4 << 30);
    start = a.at;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_release(start, &a);
    return rmdir(folder);
}

static const int64_t BEGIN_NS = INT64_C(1751410836000000000);

/* Rows of a product, called in a module, and of an all-reduce. */
static void add_rows(struct capture *c)
{
    c->n_rows = c->n_nodes = 2;
    c->rows = arena_new(&a, struct capture_row, 2);
    c->rows[0] = (struct capture_row){.name = S("aten::mm"),
                                      .category = WORK_GEMM,
                                      .dims = S("((2, 3), \"<\n\")"),
                                      .flop = 1e9,
                                      .byte = (double)NAN,
                                      .node = 1};
    c->rows[1] = (struct capture_row){.name = S("nccl"),
                                      .part = DEVICE_COMM,
                                      .category = WORK_COMMUNICATION,
                                      .unlinked = true};
    c->nodes = arena_new(&a, struct capture_node, 2);
    c->nodes[0].parent = -1;
    c->nodes[1] = (struct capture_node){0, 1, S("nn.Module: Linear"), true};
}

/* Of 100 ns; in each run both. */
static void add_steps(struct capture *c, int n)
{
    c->n_steps = c->ranks.n_collectives = n;
    c->n_events = 2 * n;
    c->events = arena_new(&a, struct capture_event, c->n_events);
    c->steps = arena_new(&a, struct capture_step, n);
    c->ranks.collectives = arena_new(&a, struct capture_collective, n);
    for (int i = 0; i < n; i++) {
        int64_t at_ns = BEGIN_NS + 100 * i;
        c->events[2 * i] =
            (struct capture_event){at_ns, at_ns + 40, S("gemm"), 0, 7, true};
        c->events[2 * i + 1] =
            (struct capture_event){at_ns + 50, at_ns + 60, S("ncclDev"), 1, 9, true};
        c->steps[i] =
            (struct capture_step){at_ns, at_ns + 100, i + 3, S(""), {(double)NAN, 2},
                                  4,     (double)NAN, i > 0, true,  {40}};
        c->ranks.collectives[i] =
            (struct capture_collective){.stream = 9,
                                        .start_ns = at_ns + 50,
                                        .dur_ns = 10,
                                        .sequence = 77 + i,
                                        .sequence_source = SEQUENCE_NUMBER,
                                        .peer = -1,
                                        .issue_ns = 12,
                                        .compute_ns = 40,
                                        .idle_ns = 10,
                                        .cause_ns = {[3] = 7, [13] = 2}};
    }
}

static void add_ranks(struct capture_ranks *r)
{
    static const int32_t ranks[] = {0, 2, 4, 7};
    r->rank = 3;
    r->world_size = 8;
    r->backend = S("nccl");
    r->n_groups = r->n_signatures = r->n_p2p = r->n_blocks = r->n_covers = 1;
    r->groups = arena_new(&a, struct capture_group, 1);
    r->groups[0] = (struct capture_group){
        S("0"), S("tp"), S("pg_config"), 0xfedcba9876543210u, 4, ranks, 4};
    r->signatures = arena_new(&a, struct capture_signature, 1);
    r->signatures[0] = (struct capture_signature){.kind = S("all-reduce"),
                                                  .dtype = S("Float"),
                                                  .name = S("allreduce"),
                                                  .in_elements = 64,
                                                  .out_elements = -1,
                                                  .root = -1,
                                                  .kind_source = FACT_OPERATOR};
    r->covers = arena_new(&a, struct capture_block, 1);
    r->covers[0] = (struct capture_block){BEGIN_NS + 2, 1};
    r->p2p = arena_new(&a, struct capture_collective, 1);
    r->p2p[0] = (struct capture_collective){.peer = 5, .start_ns = BEGIN_NS};
    r->blocks = arena_new(&a, struct capture_block, 1);
    r->blocks[0] = (struct capture_block){BEGIN_NS + 1, 2};
}

static struct capture made(int n_steps)
{
    struct capture c = {.start_ns = BEGIN_NS,
                        .end_ns = BEGIN_NS + 100 * n_steps,
                        .computation_ns = 40 * n_steps,
                        .n_idle = 1,
                        .n_setup = 2,
                        .n_findings = 1,
                        .has_shapes = true,
                        .has_parts = true};
    c.origin = (struct capture_origin){
        .tool = S("tracefolio x"), .file = S("t.json"), .bytes = 12, .base_ns = -5};
    add_rows(&c);
    add_ranks(&c.ranks);
    c.ranks.start_ns = c.start_ns;
    c.ranks.end_ns = c.end_ns;
    add_steps(&c, n_steps);
    c.idle = arena_new(&a, struct capture_idle, 1);
    c.idle[0] = (struct capture_idle){S("idle: Python"), 9, -1};
    c.setup = arena_new(&a, struct capture_setup_line, 2);
    c.setup[0] = (struct capture_setup_line){S("device"), S("H100")};
    c.setup[1] = (struct capture_setup_line){S("driver"), S("")};
    c.findings = arena_new(&a, struct finding, 1);
    c.findings[0] = (struct finding){
        .id = S("gemm.x"), .priority = PRIORITY_HIGH, .category = WORK_GEMM};
    return c;
}

static struct str line_of(const struct capture *c)
{
    struct out o;
    out_memory(&o);
    capture_line(&o, c);
    struct str line = out_text(&o, &a);
    return (struct str){str_c(&a, line), line.n};
}

/* What is read and written again is the same line. */
static void test_round_trip(void **state)
{
    (void)state;
    struct capture c = made(3), back;
    struct err e = {0};
    struct str line = line_of(&c);
    assert_true(capture_read(&a, line, CAPTURE_ALL, "f", &back, &e));
    assert_string_equal(line_of(&back).p, line.p);
    assert_int_equal(back.origin.base_ns, BEGIN_NS - 5);
    assert_int_equal(back.events[5].end_ns, 260);
    assert_true(isnan(back.rows[0].byte) && isnan(back.steps[1].requests[0]));
    assert_true(str_eq(back.rows[0].dims, c.rows[0].dims));
    assert_int_equal(back.rows[1].category, WORK_COMMUNICATION);
    assert_int_equal(back.ranks.groups[0].key, 0xfedcba9876543210u);
    assert_int_equal(back.ranks.groups[0].n_ranks, 4);
    assert_int_equal(back.ranks.groups[0].ranks[3], 7);
    assert_int_equal(back.ranks.collectives[2].sequence, 79);
    assert_int_equal(back.ranks.signatures[0].out_elements, -1);
    assert_int_equal(back.findings[0].priority, PRIORITY_HIGH);
    assert_true(capture_read(&a, line, CAPTURE_RANKS_ONLY, "f", &back, &e));
    assert_int_equal(back.n_events, 0);
    assert_int_equal(back.ranks.n_collectives, 3);
}

static void refused(struct str line, const char *says)
{
    struct capture c;
    struct err e = {0};
    assert_false(capture_read(&a, line, CAPTURE_ALL, "f", &c, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    if (!strstr(e.what, says))
        fail_msg("%s, not %s", e.what, says);
    assert_non_null(strstr(e.what, says));
}

static struct str with(struct str line, const char *from, const char *to)
{
    ptrdiff_t at = str_find(line, str_of(from));
    assert_true(at >= 0);
    return str_printf(&a, "%.*s%s%s", (int)at, line.p, to,
                      line.p + at + (ptrdiff_t)strlen(from));
}

/* Whatever does not fit together is refused, and so is a version of tomorrow. */
static void test_damaged(void **state)
{
    (void)state;
    struct capture c = made(2);
    struct str line = line_of(&c);
    refused(with(line, "\"_version\":1", "\"_version\":2"), "version 2");
    refused(with(line, "\"row\":[0,1,0,1]", "\"row\":[0,1,0,2]"), "not there");
    refused(with(line, "\"row\":[0,1,0,1]", "\"row\":[0,1,0]"), "lengths");
    refused(with(line, "\"row\":[0,1,0,1]", "\"row\":[0,1,0,0.5]"), "events: ");
    refused(with(line, "\"start_ns_delta\":[0,50,50,50]",
                 "\"start_ns_delta\":[0,50,-60,50]"),
            "by start");
    refused(with(line, "\"dur_ns\":[40,10,40,10]", "\"dur_ns\":[40,10,40,-1]"),
            "dur_ns");
    refused(with(line, "\"dur_ns\":[40,10,40,10]",
                 "\"dur_ns\":[40,2305843009213693952,40,1]"),
            "too long");
    refused(with(line, "\"strings\":[", "\"strings\":[]}["), "events: kernel");
    refused(with(line, "\"parent\":[-1,0]", "\"parent\":[-1,1]"), "paths");
    refused(with(line, "\"node\":[1,0]", "\"node\":[2,0]"), "operators");
    refused(with(line, "[0,2,3]", "[0,2,9999999]"), "ranks");
    refused(str_head(line, 1), "first bytes");
    for (ptrdiff_t n = S(CAPTURE_FIRST_BYTES).n; n < line.n - 2; n++) {
        struct str cut = {str_c(&a, str_head(line, n)), n};
        refused(cut, "not a capture file");
    }
}

/* Without its events a capture brings counts of its calls, which must fit its rows. */
static void test_histograms(void **state)
{
    (void)state;
    struct capture c = made(2), back;
    struct err e = {0};
    struct capture_bin bins[] = {{0, 85, 7}, {1, 90, 1}, {1, 95, 2}};
    c.bins = bins;
    c.n_bins = 3;
    assert_int_equal(str_find(line_of(&c), S("histograms")), -1);
    c.n_events = 0;
    struct str line = line_of(&c);
    assert_true(capture_read(&a, line, CAPTURE_ALL, "f", &back, &e));
    assert_int_equal(back.n_bins, 3);
    assert_true(back.bins[2].row == 1 && back.bins[2].bin == 95 && back.bins[2].n == 2);
    assert_true(str_eq(line, line_of(&back)));
    refused(with(line, "\"row\":[0,1,1]", "\"row\":[0,1,9]"), "histograms");
    refused(with(line, "\"row\":[0,1,1]", "\"row\":[1,1,0]"), "histograms");
    refused(with(line, "\"bin\":[85,90,95]", "\"bin\":[85,90,9999]"), "histograms");
    refused(with(line, "\"n\":[7,1,2]", "\"n\":[7,1,0]"), "histograms");
}

/* What a newer version adds is skipped. */
static void test_unknown_keys(void **state)
{
    (void)state;
    struct capture c = made(2), back;
    struct err e = {0};
    struct str line =
        with(line_of(&c), "\"gaps\":{", "\"future\":[{}],\"gaps\":{\"x\":[1],");
    assert_true(capture_read(&a, line, CAPTURE_ALL, "f", &back, &e));
    assert_int_equal(back.n_idle, 1);
}

/* Members and lines join. */
static void test_joined_files(void **state)
{
    (void)state;
    struct capture c = made(2);
    struct err e = {0};
    struct str path = str_printf(&a, "%s/c.gz", folder), gz, line;
    struct capture_lines l;
    assert_true(capture_write(&c, path.p, a, &e));
    assert_true(file_head(&a, path.p, 1 << 20, &gz, &e));
    FILE *f = fopen(path.p, "ab");
    assert_int_equal(fwrite(gz.p, 1, (size_t)gz.n, f), gz.n);
    fclose(f);
    assert_true(capture_is_file(path.p));
    assert_true(capture_lines_open(&l, path.p, &e));
    struct str want = line_of(&c);
    int64_t line_at[2];
    for (int i = 0; i < 2; i++) {
        assert_true(capture_lines_next(&l, &line, &e));
        assert_int_equal(line.n, want.n - 1);
        assert_memory_equal(line.p, want.p, (size_t)line.n);
        line_at[i] = l.line_at;
    }
    assert_false(capture_lines_next(&l, &line, &e));
    assert_int_equal(e.kind, ERR_NONE);
    capture_lines_close(&l);
    assert_int_equal(line_at[0], 0);
    assert_int_equal(line_at[1], gz.n);
    /* The second alone, and then nothing. */
    assert_true(capture_lines_open_at(&l, path.p, line_at[1], &e));
    assert_true(capture_lines_next(&l, &line, &e));
    assert_memory_equal(line.p, want.p, (size_t)line.n);
    assert_false(capture_lines_next(&l, &line, &e));
    assert_int_equal(e.kind, ERR_NONE);
    capture_lines_close(&l);
    unlink(path.p);
}

/* Lines of plain text are found one after the other. */
static void test_lines_of_plain_text(void **state)
{
    (void)state;
    struct str path = str_printf(&a, "%s/plain", folder), line;
    struct capture_lines l;
    struct err e = {0};
    FILE *f = fopen(path.p, "wb");
    fputs("first\nsecond\n", f);
    fclose(f);
    assert_true(capture_lines_open(&l, path.p, &e));
    for (int i = 0; i < 2; i++) {
        assert_true(capture_lines_next(&l, &line, &e));
        assert_int_equal(l.line_at, -1);
    }
    capture_lines_close(&l);
    unlink(path.p);
}

/* A file above the bound keeps the events of fewer steps, spread over all. */
static void test_bound(void **state)
{
    (void)state;
    enum { STEPS = 1 << 17 };
    struct capture c = made(STEPS), back;
    struct err e = {0};
    struct str path = str_printf(&a, "%s/c.gz", folder), gz, line;
    struct capture_lines l;
    uint64_t random = 1;
    int kept = 0;
    for (int i = 0; i < c.n_events; i++) {
        random = random * 6364136223846793005u + 1;
        c.events[i].end_ns -= (int64_t)(random >> 61);
        c.events[i].stream = (int32_t)(random >> 40);
    }
    c.ranks.n_collectives = 0;
    assert_true(capture_write(&c, path.p, a, &e));
    assert_true(file_head(&a, path.p, 8 << 20, &gz, &e));
    assert_in_range(gz.n, CAPTURE_BYTES_MAX / 8, CAPTURE_BYTES_MAX);
    assert_true(capture_lines_open(&l, path.p, &e));
    assert_true(capture_lines_next(&l, &line, &e));
    assert_true(capture_read(&a, line, CAPTURE_ALL, "f", &back, &e));
    for (int i = 0; i < back.n_steps; i++)
        kept += back.steps[i].kept;
    assert_int_equal(back.n_steps, STEPS);
    assert_in_range(kept, 16, STEPS - 1);
    assert_int_equal(back.n_events, 2 * kept);
    assert_true(back.steps[STEPS - 1].kept && !back.steps[0].steady);
    capture_lines_close(&l);
    unlink(path.p);
}

/* As many shapes as there are calls: the longest stay, nothing of the sum is lost. */
static void test_many_rows(void **state)
{
    (void)state;
    enum { ROWS = 150000 };
    struct capture c = made(2), back;
    struct err e = {0};
    struct str path = str_printf(&a, "%s/c.gz", folder), gz, line;
    struct capture_lines l;
    uint64_t random = 1;
    int64_t sum_ns = 0, calls = 0;
    struct capture_row *rows = arena_new(&a, struct capture_row, ROWS);
    for (int i = 0; i < ROWS; i++) {
        random = random * 6364136223846793005u + 1;
        rows[i] = c.rows[0];
        rows[i].dims = str_printf(&a, "((%llu,),)", (unsigned long long)random);
        rows[i].kernel_ns = (int64_t)(random >> 50);
        rows[i].category = i % 2 ? WORK_GEMM : WORK_NORM;
        rows[i].n_calls = 2;
        sum_ns += rows[i].kernel_ns;
    }
    c.rows = rows;
    c.n_rows = ROWS;
    assert_true(capture_write(&c, path.p, a, &e));
    assert_true(file_head(&a, path.p, 8 << 20, &gz, &e));
    assert_true(gz.n < CAPTURE_BYTES_MAX);
    assert_true(capture_lines_open(&l, path.p, &e));
    assert_true(capture_lines_next(&l, &line, &e));
    assert_true(capture_read(&a, line, CAPTURE_ALL, "f", &back, &e));
    assert_int_equal(back.n_rows, 602);
    for (int i = 0; i < back.n_rows; i++) {
        sum_ns -= back.rows[i].kernel_ns;
        calls += back.rows[i].n_calls;
    }
    assert_int_equal(sum_ns, 0);
    assert_int_equal(calls, 2 * ROWS);
    assert_true(str_ends(back.rows[601].name, S(" operators)")));
    capture_lines_close(&l);
    unlink(path.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_histograms),   cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_joined_files), cmocka_unit_test(test_lines_of_plain_text),
        cmocka_unit_test(test_bound),        cmocka_unit_test(test_many_rows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
