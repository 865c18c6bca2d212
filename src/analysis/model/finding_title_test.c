#include "finding_title.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct arena memory;
static char *start;

static int setup(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 20);
    start = memory.at;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_release(start, &memory);
    return 0;
}

static struct finding titled(const char *text, const char *module)
{
    struct finding f = {0};
    finding_title(&memory, &f, str_of(text), str_of(module));
    return f;
}

static void assert_title(const char *text, const char *module, const char *want)
{
    struct finding f = titled(text, module);
    assert_string_equal(str_c(&memory, f.title), want);
}

/* Names lose backticks, namespaces and wrappings, and what is too long. */
static void names_are_shortened(void **state)
{
    (void)state;
    assert_title("Fuse `aten::mul` with its neighbours", "",
                 "Fuse mul with its neighbours");
    assert_title("Run `<built-in method poll of object>` less", "", "Run poll less");
    assert_title("Fuse `Optimizer.step#Adam.step`", "", "Fuse Adam.step");
    assert_title("Tune `aten::_fused_adamw_`", "", "Tune fused_adamw_");
    assert_title("Tune `triton_poi_fused_add_addmm_mul_native_layer_norm_7`", "",
                 "Tune triton_poi_fused_add_addmm_mul_native...");
    assert_title("Defer `AscendCL@aclrtSynchronizeStreamWithTimeout`", "",
                 "Defer aclrtSynchronizeStreamWithTimeout");
    assert_title("Compile the code inside `## backward ##`", "",
                 "Compile the code inside backward");
    assert_title("Run `###` once", "", "Run ### once");
    assert_title("A ` alone", "", "A ` alone");
    struct finding f = titled("Run `aten::mm` of `Net`", "");
    assert_int_equal(f.title_at, 4);
    assert_int_equal(f.title_op, 2);
}

static void a_module_is_added_where_it_fits(void **state)
{
    (void)state;
    assert_title("Fuse `aten::mul`", "Mlp", "Fuse mul in Mlp");
    assert_title("Fuse the chain in `Mlp`", "Mlp", "Fuse the chain in Mlp");
    assert_title("Compile `Mlp`", "Mlp", "Compile Mlp");
    assert_title("Compile `f: g`: it launches too slowly", "Mlp",
                 "Compile f: g in Mlp: it launches too slowly");
    const char *full = "Store the operands of a matrix product in the layout that it "
                       "needs, as it is now";
    assert_title(full, "BertSdpaSelfAttention", full);
    struct finding f = titled(
        "A title that is by much and by far longer than any heading has room for "
        "so that its end is cut off here `x`",
        "");
    assert_true(f.title.n <= TITLE_MOST);
    assert_true(str_ends(f.title, S("...")));
    assert_int_equal(f.title_op, 0);
    assert_title("Run `_execution_device` (pipeline_utils.py:1135) for the next input "
                 "in a thread, or on the GPU",
                 "",
                 "Run _execution_device (pipeline_utils.py:1135) for the next input "
                 "in a thread");
}

/* A place in the program is no end of an action, though it has a comma. */
static void an_action_ends_outside_parentheses(void **state)
{
    (void)state;
    struct str title =
        S("Defer the wait in item() (forward, model.py:289), or drop it");
    assert_string_equal(str_c(&memory, str_head(title, title_action_end(title))),
                        "Defer the wait in item() (forward, model.py:289)");
}

/* Behind "First, ", an action begins as any word does; a name stays as it is. */
static void a_title_within_a_sentence(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"Fuse `Mul`", "fuse Mul"},
                                           {"`Mul` first", "Mul first"},
                                           {"GPU first", "GPU first"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct finding f = titled(cases[k][0], "");
        assert_string_equal(str_c(&memory, title_within(&memory, &f)), cases[k][1]);
    }
}

/* Of what nothing is fixed yet. */
static void a_measurement_is_no_fix(void **state)
{
    (void)state;
    assert_true(title_asks_to_measure(S("Profile the launch code")));
    assert_true(title_asks_to_measure(S("Find what the all-to-all waits for")));
    assert_true(title_asks_to_measure(S("Log clock and power")));
    assert_false(title_asks_to_measure(S("Log metrics in a background thread")));
    assert_false(title_asks_to_measure(S("Find another solver")));
    assert_false(title_asks_to_measure(S("Profiles")));
}

/* The words and the list of efforts say the same of each action. */
static void what_takes_a_profiling_run_is_a_measurement(void **state)
{
    (void)state;
    FILE *f = fopen("assets/efforts.tsv", "rb");
    char line[200];
    int n = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        struct str rest = str_of(line), begins = str_take(&rest, S("\t"));
        if (*line == '#')
            continue;
        bool measures = str_eq(str_take(&rest, S("\t")), S("a profiling run"));
        struct str title = say(&memory, "{} x", said(begins));
        if (title_asks_to_measure(title) != measures)
            fail_msg("%.*s", STRF(title));
        n += measures;
    }
    fclose(f);
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_shortened),
        cmocka_unit_test(a_module_is_added_where_it_fits),
        cmocka_unit_test(an_action_ends_outside_parentheses),
        cmocka_unit_test(a_title_within_a_sentence),
        cmocka_unit_test(a_measurement_is_no_fix),
        cmocka_unit_test(what_takes_a_profiling_run_is_a_measurement),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
