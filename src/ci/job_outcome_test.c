#include "job_outcome.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "base/near_case.h"

static const char *text_in(const cJSON *row, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(row, key));
    return text ? text : "(none)";
}

static double number_in(const cJSON *row, const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(row, key));
}

/* A finding of rank 3 in a job of 2 ms, of which waiting is 400 us. */
static cJSON *late(struct job_rank r)
{
    struct job j = {.identity_ns = 2000000, .wait_ns = 400000};
    cJSON *list = cJSON_CreateArray();
    r.rank = 3;
    put_late(&a, list, &j, &r);
    assert_int_equal(cJSON_GetArraySize(list), 1);
    return list;
}

/* 5 % of the run is much, and a little less is not. */
static void test_severity(void **state)
{
    (void)state;
    static const struct {
        int64_t save_ns;
        const char *severity;
        double pct;
    } of[] = {{100000, "high", 5}, {98000, "medium", 4.9}, {0, "medium", 0}};
    for (int k = 0; k < 3; k++) {
        cJSON *list = late((struct job_rank){
            .has_whatif = true, .save_ns = of[k].save_ns, .blame = 100000});
        const cJSON *row = list->child;
        assert_string_equal(text_in(row, "severity"), of[k].severity);
        assert_near(number_in(row, "gain_low_pct"), of[k].pct, 1e-9);
        assert_near(number_in(row, "gain_high_pct"), of[k].pct, 1e-9);
        assert_int_equal((int)number_in(row, "gain_low_ns"), of[k].save_ns);
        assert_int_equal((int)number_in(row, "gain_high_ns"), of[k].save_ns);
        cJSON_Delete(list);
    }
}

static void test_gain_that_is_not_known(void **state)
{
    (void)state;
    static const struct job_rank of[] = {
        {.has_whatif = false, .save_ns = 1000000, .blame = 1},
        {.has_whatif = true, .save_ns = -1, .blame = 1}};
    static const char *const gains[] = {"gain_low_pct", "gain_high_pct", "gain_low_ns",
                                        "gain_high_ns"};
    for (int k = 0; k < 2; k++) {
        cJSON *list = late(of[k]);
        assert_string_equal(text_in(list->child, "severity"), "medium");
        for (int g = 0; g < 4; g++)
            assert_true(cJSON_IsNull(cJSON_GetObjectItem(list->child, gains[g])));
        cJSON_Delete(list);
    }
}

static void test_what_it_says(void **state)
{
    (void)state;
    cJSON *list = late((struct job_rank){.cause = S("launches late"), .blame = 100000});
    assert_string_equal(
        text_in(list->child, "issue"),
        "Rank 3 is late (launches late) and causes 25% of the waiting of all ranks.");
    assert_string_equal(text_in(list->child, "title"),
                        "Find out why rank 3 is late: launches late");
    assert_string_equal(text_in(list->child, "action"),
                        "Compare rank 3 with another one: tracefolio compare "
                        "CAPTURES:rank=N CAPTURES:rank=3 -o difference.");
    cJSON_Delete(list);
    list = late((struct job_rank){.blame = 0});
    assert_string_equal(
        text_in(list->child, "issue"),
        "Rank 3 is late (mixed) and causes 0% of the waiting of all ranks.");
    cJSON_Delete(list);
}

static void test_checks(void **state)
{
    (void)state;
    struct job_check checks[] = {
        {.what = S("Clocks"), .says = S("agree"), .good = true, .evaluated = true},
        {.what = S("Ranks"), .says = S("one is missing"), .evaluated = true},
        {.what = S("Steps"), .says = S("none"), .good = true}};
    struct job_report r = {.n_checks = 3};
    for (int k = 0; k < 3; k++)
        r.checks[k] = checks[k];
    cJSON *o = cJSON_CreateObject();
    put_checks(&a, o, &r);
    const cJSON *list = cJSON_GetObjectItem(cJSON_GetObjectItem(o, "checks"), "list");
    static const char *const results[] = {"passed", "warning", "not_evaluated"};
    assert_int_equal(cJSON_GetArraySize(list), 3);
    for (int k = 0; k < 3; k++)
        assert_string_equal(text_in(cJSON_GetArrayItem(list, k), "result"), results[k]);
    assert_string_equal(text_in(cJSON_GetArrayItem(list, 1), "value"),
                        "one is missing");
    cJSON_Delete(o);
}

/* Of the mean of two ranks against that of four; a part that stays is left out. */
static void test_changes(void **state)
{
    (void)state;
    struct job_outline ref = {.n_ranks = 2}, cand = {.n_ranks = 4};
    ref.parts[JOB_PART_COMPUTE].sum_ns = 2000; /* 1000 */
    cand.parts[JOB_PART_COMPUTE].sum_ns = 4000;
    ref.parts[JOB_PART_WAIT].sum_ns = 600; /* 300 */
    cand.parts[JOB_PART_WAIT].sum_ns = 800;
    ref.parts[JOB_PART_IDLE].sum_ns = 100; /* 50 */
    cand.parts[JOB_PART_IDLE].sum_ns = 1000;
    struct job_comparison c = {.of = {&ref, &cand}};
    cJSON *o = cJSON_CreateObject();
    put_changes(&a, o, &c);
    const cJSON *list = cJSON_GetObjectItem(o, "changes");
    assert_int_equal(cJSON_GetArraySize(list), 2);
    const cJSON *most = cJSON_GetArrayItem(list, 0),
                *next = cJSON_GetArrayItem(list, 1);
    assert_int_equal((int)number_in(most, "ref_ns"), 50);
    assert_int_equal((int)number_in(most, "cand_ns"), 250);
    assert_int_equal((int)number_in(next, "ref_ns"), 300);
    assert_int_equal((int)number_in(next, "cand_ns"), 200);
    assert_text(job_part_word(JOB_PART_IDLE), text_in(most, "label"));
    assert_text(job_part_word(JOB_PART_WAIT), text_in(next, "label"));
    cJSON_Delete(o);
}

/* The first sentence is the text, those behind it the lead. */
static void test_verdict(void **state)
{
    (void)state;
    const struct str sentences[] = {S("Rank 3 is late"), S("It launches late"),
                                    S("Look there")};
    static const char *const leads[] = {"", "", "It launches late.",
                                        "It launches late. Look there."};
    for (int n = 0; n <= 3; n++) {
        cJSON *o = cJSON_CreateObject();
        put_verdict(&a, o, "job", sentences, n);
        const cJSON *verdict = cJSON_GetObjectItem(o, "verdict");
        assert_string_equal(text_in(verdict, "text"), n ? "Rank 3 is late." : "");
        assert_string_equal(text_in(verdict, "lead"), leads[n]);
        cJSON_Delete(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_severity),
        cmocka_unit_test(test_gain_that_is_not_known),
        cmocka_unit_test(test_what_it_says),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_verdict),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
