#include "finding_context.c"

#include "analysis/model/finding_title.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What takes a profiling run is what asks to measure, so its saving is at stake. */
static void what_measures_takes_a_profiling_run(void **state)
{
    struct str lines = bundle_file(S("assets/efforts.tsv"));
    int n = 0;
    (void)state;
    while (lines.n > 0) {
        char title[128];
        struct str line = str_take(&lines, S("\n")), begins = str_take(&line, S("\t"));
        snprintf(title, sizeof title, "%.*s it", STRF(begins));
        bool measures = str_eq(str_take(&line, S("\t")), S("a profiling run"));
        if (title_asks_to_measure(str_of(title)) != measures)
            fail_msg("%s", title);
        n += measures;
    }
    assert_true(n > 8);
}

static const char *text_of(const cJSON *c, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItem(c, key));
}

/* The longest beginning counts, wherever it stands in the list. */
static void efforts_are_those_of_the_longest_beginning(void **state)
{
    static const char *const cases[][3] = {
        {"Add DataLoader workers: 4", "one setting", "data loading"},
        {"Balance the load", "one setting", "model code"},
        {"Balance the experts of MoE", "a few lines", "model code"},
        {"Capture the step", "a rewrite of the step", "model code"},
        {"Capture each GPU graph once", "a few lines", "model code"},
        {"Compare the ranks", "a profiling run", "profiling"},
        {"Decode more requests at once", "a larger batch", "model code"},
        {"Fuse `aten::mul` with its neighbours", "a compiler or a fused kernel",
         "model code"},
        {"Keep the clock", "one setting", "cluster"},
        {"Let kernels wait", "a few lines", "launch"},
        {"Log the clock", "a profiling run", "cluster"},
        {"Log metrics in the background", "a few lines", "model code"},
        {"Record shapes", "a new recording", "profiling"},
        {"Replace the loop", "a rewrite of a function", "model code"},
        {"Run the model channels-last", "one line", "model code"},
        {"Tune the kernel", "a new kernel", "kernel library"},
        {"Use TF32", "one line", "model code"},
        {"Whatever else", "", ""}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cJSON *c = cJSON_CreateObject();
        add_effort(c, str_of(cases[k][0]));
        const char *effort = text_of(c, "effort"), *who = text_of(c, "who");
        assert_string_equal(effort ? effort : "", cases[k][1]);
        assert_string_equal(who ? who : "", cases[k][2]);
        cJSON_Delete(c);
    }
}

/* A cell is one of few words, and a beginning is listed once: here it is found first.
 */
static void every_line_has_an_effort_and_someone(void **state)
{
    static const char efforts[] =
        "|one setting|one line|a few lines|a larger batch|a rewrite of a function|"
        "a rewrite of the step|a compiler or a fused kernel|a new kernel|"
        "a new recording|a profiling run|";
    static const char people[] =
        "|model code|data loading|launch|cluster|kernel library|profiling|";
    struct str lines = bundle_file(S("assets/efforts.tsv"));
    (void)state;
    while (lines.n > 0) {
        char word[80];
        struct str line = str_take(&lines, S("\n")), begins = str_take(&line, S("\t"));
        if (str_starts(begins, S("#")))
            continue;
        struct str effort = str_take(&line, S("\t"));
        snprintf(word, sizeof word, "|%.*s|", STRF(effort));
        if (!strstr(efforts, word))
            fail_msg("%.*s: %s", STRF(begins), word);
        snprintf(word, sizeof word, "|%.*s|", STRF(line));
        if (!strstr(people, word))
            fail_msg("%.*s: %s", STRF(begins), word);
        snprintf(word, sizeof word, "\n%.*s\t", STRF(begins));
        struct str all = bundle_file(S("assets/efforts.tsv"));
        all = str_skip(all, str_find(all, str_of(word)) + 1);
        assert_true(all.p + begins.n + effort.n + line.n + 3 == lines.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_measures_takes_a_profiling_run),
        cmocka_unit_test(efforts_are_those_of_the_longest_beginning),
        cmocka_unit_test(every_line_has_an_effort_and_someone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
