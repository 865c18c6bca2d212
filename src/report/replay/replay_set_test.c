#include "replay_set.c"

#include "base/machine.h"
#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#include <cmocka.h>

static const char signatures[] =
    "aten::mm(Tensor self, Tensor mat2) -> Tensor\n"
    "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor\n"
    "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> "
    "Tensor(a!)\n"
    "aten::clamp_min_(Tensor(a!) self, Scalar min) -> Tensor(a!)\n"
    "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, "
    "ScalarType? "
    "dtype=None) -> Tensor\n"
    "aten::embedding(Tensor weight, Tensor indices, int padding_idx=-1) -> Tensor\n";

enum { MAX_ROWS = 16 };
static struct arena perm, tmp;

/* A trace of rows that only has what this module looks at. */
static struct op_tables tables;
static struct op_group rows[MAX_ROWS];
static struct op_call_row firsts[MAX_ROWS];
static struct name_pool seen;
static const struct value *values[4 * MAX_ROWS]; /* of those texts */

static void assert_str(struct str s, const char *want)
{
    if (!str_eq(s, str_of(want)))
        fail_msg("'%.*s' is not '%s'", STRF(s), want);
}

/* Equal texts are one value. */
static const struct value *recorded(const char *text)
{
    if (!text)
        return NULL;
    name_id id = pool_add(&seen, str_of(text));
    if (!values[id])
        values[id] = json_value(&perm, str_of(text));
    return values[id];
}

/* A row of `n` calls that take `us` together. */
static void add_row(const char *name, int32_t n, double us, const char *dims,
                    const char *types, const char *strides, const char *concrete)
{
    int32_t i = tables.judged.n++;
    firsts[i] = (struct op_call_row){.name = str_of(name), .uid = 100 + i};
    rows[i] = (struct op_group){
        .first = &firsts[i],
        .args = {recorded(dims), recorded(types), recorded(strides), recorded(concrete),
                 NULL},
        .n = n,
        .direct_us =
            {.n = n, .sum = us, .mean = us / n, .min = us / n / 2, .max = us / n * 2},
    };
    tables.judged.rows = rows;
}

static void add_mm(const char *name, int32_t n, double us, const char *dims)
{
    add_row(name, n, us, dims, "[\"float\", \"float\"]", "[[4, 1], [1, 4]]",
            "[\"\", \"\"]");
}

static int start(void **state)
{
    (void)state;
    tables = (struct op_tables){0};
    memset(values, 0, sizeof values);
    pool_open(&seen);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    pool_close(&seen);
    return 0;
}

static struct replay_set build(const char *const *ops, int32_t n)
{
    struct replay_request r[MAX_ROWS];
    for (int32_t i = 0; i < n; i++)
        r[i].op = str_of(ops[i]);
    return replay_build(&perm, tmp, &tables, str_of(signatures), r, n);
}

static void one_package_holds_all_argument_sets(void **state)
{
    (void)state;
    add_mm("aten::mm", 2, 20.0, "[[8, 4], [4, 2]]");
    add_mm("aten::bmm", 1, 10.0, "[[8, 4], [4, 2]]");
    add_mm("aten::mm", 1, 40.0, "[[16, 4], [4, 2]]");
    add_mm("aten::mm", 3, 30.0, "[[8, 4], [4, 2]]"); /* on another thread */
    struct machine_device gpu = {.name = S("GPU")};
    tables.facts.machine = &(struct machine){.devices = &gpu, .n_devices = 1};
    struct replay_set s = build((const char *[]){"aten::mm"}, 1);
    assert_int_equal(s.n_packages, 1);
    assert_int_equal(s.n_refusals, 0);
    const struct replay_package *p = s.packages;
    assert_str(p->device, "GPU");
    assert_str(p->file, "replay_packages/aten_mm_replay_package.zip");
    assert_int_equal(p->n_calls, 2);
    /* Longest first: 20 + 30 us in 2 + 3 calls, then 40 us; 90 of all 100 us. */
    assert_int_equal(p->calls[0].count, 5);
    assert_true(p->calls[0].mean_us == 10.0);
    assert_true(p->calls[0].min_us == 5.0 && p->calls[0].max_us == 20.0);
    assert_true(p->calls[1].total_us == 40.0);
    assert_true(p->total_us == 90.0 && p->share_pct == 90.0);
    assert_int_equal(p->count, 6);
    assert_str(p->calls[0].args[1].name, "mat2");
    assert_int_equal(p->calls[0].args[1].value.tensors[0].strides[1], 4);
    assert_ptr_equal(replay_package_of(&s, S("aten::mm")), p);
    assert_null(replay_package_of(&s, S("aten::bmm")));
}

static void an_unknown_signature_is_left_to_the_runner(void **state)
{
    (void)state;
    add_row("vllm::op", 1, 1.0, "[[4], [], []]", "[\"float\", \"Scalar\", \"\"]",
            "[[1], [], []]", "[\"\", \"2.\", \"\"]");
    struct replay_set s = build((const char *[]){"vllm::op"}, 1);
    const struct replay_call *c = s.packages[0].calls;
    assert_int_equal(c->schema.n, 0);
    assert_str(c->args[0].name, "arg0");
    assert_str(c->args[1].type, "float");
    assert_int_equal(c->args[2].value.kind, REPLAY_NULL);
}

static void a_name_may_be_a_part(void **state)
{
    (void)state;
    add_mm("aten::mm", 1, 10.0, "[[8, 4], [4, 2]]");
    add_mm("aten::addmm", 1, 30.0, "[[8, 4], [4, 2]]");
    add_mm("aten::add", 1, 20.0, "[[8, 4], [4, 2]]");
    struct replay_set s = build((const char *[]){"MM", "aten::mm", "nothing", ""}, 4);
    assert_int_equal(s.n_packages, 2); /* once each, longest first */
    assert_str(s.packages[0].op, "aten::addmm");
    assert_str(s.packages[1].op, "aten::mm");
    assert_int_equal(s.n_refusals, 2);
    assert_str(s.refusals[0].reason,
               "no operation of that name has device work in this trace");
    assert_str(s.refusals[1].op, "");
    int32_t n;
    struct replay_request *top = replay_top(&perm, tmp, &tables, 2, &n);
    assert_int_equal(n, 2);
    assert_str(top[0].op, "aten::addmm");
    assert_str(top[1].op, "aten::add");
    replay_top(&perm, tmp, &tables, -1, &n);
    assert_int_equal(n, 3);
    struct replay_request *list = replay_requests(&perm, S(",aten::mm , ,x,"), &n);
    assert_int_equal(n, 2);
    assert_str(list[0].op, "aten::mm");
    assert_str(list[1].op, "x");
}

static void what_cannot_be_replayed_says_why(void **state)
{
    static const char *const ops[] = {
        "nccl:all_reduce",
        "hipGraphLaunch->kernel<a::b> (Synthetic Op)",
        "cuLaunchKernelEx->kernel (Synthetic Op)",
        "aten::sort->void kernel<a::b>() (Synthetic Op)",
        "Torch-Compiled Region->triton__0d1 (Synthetic Op)",
        "pseudo_op::moe",
        "triton_poi_fused_0",
        "torch::autograd::CppNode<X>",
        "cudaMemcpyAsync",
        "customflash",
        "aten::index",
        "aten::none",
    };
    static const char *const why[] = {
        "communication: it needs the other ranks",
        "a kernel of a captured graph: the trace does not say which operator it came "
        "from, nor its arguments",
        "a kernel launched outside any operator: there is nothing to call by name",
        "a kernel that an operator launches besides the operators it calls, which "
        "count on their own: it cannot be called alone",
        "a kernel of compiled code or of an annotated region: no operator that could "
        "be called by name launched it",
        "a step inside a fused kernel, not an operator",
        "a kernel generated for one compiled model: its code is not in the trace",
        "an autograd node: only the backward pass can run it",
        "a runtime call, not an operator",
        "not the name of an operator: an annotation, or code that is not in the "
        "framework's registry",
        "its argument 'indices' (Tensor?[]) is not recorded",
        "no shapes are recorded",
    };
    enum { N = sizeof ops / sizeof *ops };
    (void)state;
    for (int i = 0; i < N - 1; i++)
        add_row(ops[i], 1, 1.0, "[[4], []]", "[\"float\", \"\"]", "[[1], []]",
                "[\"\", \"\"]");
    add_row(ops[N - 1], 1, 4.0, NULL, NULL, NULL, NULL);
    struct replay_set s = build(ops, N);
    assert_int_equal(s.n_packages, 0);
    assert_int_equal(s.n_refusals, N);
    for (int i = 0; i < N; i++)
        assert_str(s.refusals[i].reason, why[i]);
    assert_true(s.refusals[0].share_pct > 6.6 &&
                s.refusals[0].share_pct < 6.7); /* 1 of 15 us */
}

static void a_copy_from_the_host_has_its_source_there(void **state)
{
    static struct kernel_detail kernels[] = {
        {.name = S_INIT("Memcpy HtoD (Pageable -> Device)")},
        {.name = S_INIT("Memcpy DtoH (Device -> Pinned)")},
        {.name = S_INIT("Memcpy DtoD (Device -> Device)")}};
    static const enum replay_place want[][2] = {
        {REPLAY_ON_DEVICE, REPLAY_ON_HOST},
        {REPLAY_PINNED, REPLAY_ON_DEVICE},
        {REPLAY_ON_DEVICE, REPLAY_ON_DEVICE},
    };
    (void)state;
    for (int i = 0; i < 3; i++) {
        char *dims = str_c(&perm, str_printf(&perm, "[[%d], [%d]]", i + 1, i + 1));
        add_row("aten::copy_", 1, 3.0 - i, dims, "[\"float\", \"float\"]", "[[1], [1]]",
                "[\"\", \"\"]");
        rows[i].placed = &kernels[i];
        rows[i].n_placed = 1;
    }
    struct replay_set s = build((const char *[]){"aten::copy_"}, 1);
    const struct replay_call *c = s.packages[0].calls;
    for (int i = 0; i < 3; i++)
        for (int side = 0; side < 2; side++)
            assert_int_equal(c[i].args[side].value.tensors[0].place, want[i][side]);
}

static void without_strides_tensors_are_dense(void **state)
{
    (void)state;
    add_row("aten::mm", 1, 1.0, "[[8, 4], [4, 2]]", "[\"float\", \"float\"]", NULL,
            "[\"\", \"\"]");
    struct replay_set s = build((const char *[]){"aten::mm"}, 1);
    const struct replay_call *c = s.packages[0].calls;
    assert_true(c->strides_assumed && !c->values_assumed);
    assert_true(c->args[1].value.tensors[0].strides_assumed);
    assert_int_equal(c->args[1].value.tensors[0].strides[0], 2);
    assert_int_equal(c->args[1].value.tensors[0].strides[1], 1);
    add_mm("aten::mm", 1, 2.0, "[[8, 4], [4, 2]]");
    s = build((const char *[]){"aten::mm"}, 1);
    assert_false(s.packages[0].calls[0].strides_assumed);
    assert_true(s.packages[0].calls[1].strides_assumed);
}

/* PyTorch recorded shapes years before values: see what is done about each argument. */
static void without_values_numbers_are_assumed_where_any_would_do(void **state)
{
    (void)state;
    add_row("aten::add_", 1, 4.0, "[[8], [8], []]", "[\"float\", \"float\", \"Int\"]",
            NULL, NULL);
    add_row("aten::clamp_min_", 1, 3.0, "[[8], []]", "[\"float\", \"Double\"]", NULL,
            NULL);
    add_row("aten::sum", 1, 2.0, "[[8], [], [], []]",
            "[\"float\", \"\", \"Scalar\", \"\"]", NULL, NULL);
    add_row("vllm::op", 1, 1.0, "[[8], []]", "[\"float\", \"Scalar\"]", NULL, NULL);
    struct replay_set s = build(
        (const char *[]){"aten::add_", "aten::clamp_min_", "aten::sum", "vllm::op"}, 4);
    assert_int_equal(s.n_packages, 2);
    const struct replay_call *add = s.packages[0].calls, *clamp = s.packages[1].calls;
    assert_true(add->values_assumed && add->strides_assumed);
    assert_true(add->args[2].is_default && !add->args[2].value_assumed);
    assert_true(clamp->args[1].value_assumed && !clamp->args[1].is_default);
    assert_int_equal(clamp->args[1].value.kind, REPLAY_REAL); /* it was a Double */
    assert_str(s.refusals[0].reason, "its argument 'dim' (int[1]?) is not recorded");
    assert_str(s.refusals[1].reason, "the value of argument 2 is not recorded");
}

static void argument_sets_that_cannot_be_replayed_are_left_out(void **state)
{
    (void)state;
    add_mm("aten::mm", 1, 40.0, "[[8, 4], [4, -2]]");
    add_mm("aten::mm", 1, 60.0, "[[8, 4], [4, 2]]");
    struct replay_set s = build((const char *[]){"aten::mm"}, 1);
    assert_int_equal(s.packages[0].n_calls, 1);
    assert_int_equal(s.packages[0].n_left_out, 1);
    assert_str(s.packages[0].left_out_reason,
               "argument 2 has no shape and strides that a tensor can have");
    assert_true(s.packages[0].share_pct == 60.0);
}

static void names_cannot_leave_the_folder(void **state)
{
    static const char *const names[][2] = {
        {"aten::bmm", "aten_bmm"},
        {"../../etc/passwd", "etc_passwd"},
        {"/abs", "abs"},
        {"..", "op"},
        {"", "op"},
        {"___", "op"},
        {".hidden", "hidden"},
        {"a\\b", "a_b"},
        {"C:\\x", "C_x"},
        {"a\n\r\"<>|b", "a_b"},
        {"caf\xc3\xa9", "caf"},
        {"a-b.c_d", "a-b.c_d"},
        {"{{x}}", "x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_str(replay_file_stem(&perm, str_of(names[i][0])), names[i][1]);
    assert_str(replay_file_stem(&perm, S("a\0b")), "a_b");
    /* Too long: 76 bytes, '_' and the hash of the whole name. */
    char longer[200];
    memset(longer, 'x', sizeof longer);
    struct str stem = replay_file_stem(&perm, (struct str){longer, sizeof longer});
    assert_int_equal(stem.n, 85);
    assert_int_equal(stem.p[76], '_');
    longer[199] = 'y';
    struct str other = replay_file_stem(&perm, (struct str){longer, sizeof longer});
    assert_false(str_eq(stem, other));
    /* FNV-1a of "a", as its authors give it. */
    assert_int_equal(fnv_1a(S("a")), 0xe40c292c);
}

static void names_that_become_equal_are_told_apart(void **state)
{
    (void)state;
    add_mm("aten::mm", 1, 10.0, "[[8, 4], [4, 2]]");
    add_mm("aten::mm_", 1, 9.0, "[[8, 4], [4, 2]]");
    add_mm("aten::MM", 1, 8.0, "[[8, 4], [4, 2]]");
    struct replay_set s =
        build((const char *[]){"aten::mm", "aten::mm_", "aten::MM"}, 3);
    assert_int_equal(s.n_packages, 3);
    assert_str(s.packages[0].file, "replay_packages/aten_mm_replay_package.zip");
    for (int i = 1; i < 3; i++) {
        assert_int_equal(s.packages[i].file.n, s.packages[0].file.n + HASH_BYTES);
        assert_false(str_eq_nocase(s.packages[i].file, s.packages[i - 1].file));
    }
}

static void operator_names(void **state)
{
    (void)state;
    assert_true(is_operator_name(S("aten::add")));
    assert_true(is_operator_name(S("_C::rotary_embedding")));
    assert_true(is_operator_name(S("aten::add.Tensor")));
    assert_false(is_operator_name(S("aten::")));
    assert_false(is_operator_name(S("::add")));
    assert_false(is_operator_name(S("a::b::c")));
    assert_false(is_operator_name(S("aten::add; rm -rf")));
    assert_false(is_operator_name(S("aten::1x")));
    assert_false(is_operator_name(S("aten::a.")));
}

/* A trace that names them is not enough for a package that would run them. */
static void what_may_touch_files_is_not_packaged(void **state)
{
    (void)state;
    static const char *const no[] = {"aten::save",          "aten::from_file",
                                     "aten::from_file.out", "image::write_file",
                                     "mylib::scale",        "aten2::mm"};
    static const char *const yes[] = {"aten::mm", "aten::add.Tensor", "vllm::op",
                                      "_C::rotary_embedding", "aten::upload"};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_true(str_has(replay_name_reason(str_of(no[i])), S("files")));
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_str(replay_name_reason(str_of(yes[i])), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_package_holds_all_argument_sets, start,
                                        stop),
        cmocka_unit_test_setup_teardown(an_unknown_signature_is_left_to_the_runner,
                                        start, stop),
        cmocka_unit_test_setup_teardown(a_name_may_be_a_part, start, stop),
        cmocka_unit_test_setup_teardown(what_cannot_be_replayed_says_why, start, stop),
        cmocka_unit_test_setup_teardown(a_copy_from_the_host_has_its_source_there,
                                        start, stop),
        cmocka_unit_test_setup_teardown(without_strides_tensors_are_dense, start, stop),
        cmocka_unit_test_setup_teardown(
            without_values_numbers_are_assumed_where_any_would_do, start, stop),
        cmocka_unit_test_setup_teardown(
            argument_sets_that_cannot_be_replayed_are_left_out, start, stop),
        cmocka_unit_test(names_cannot_leave_the_folder),
        cmocka_unit_test_setup_teardown(names_that_become_equal_are_told_apart, start,
                                        stop),
        cmocka_unit_test(operator_names),
        cmocka_unit_test(what_may_touch_files_is_not_packaged),
    };
    perm = arena_reserve(1 << 26);
    tmp = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
