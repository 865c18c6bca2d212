#include "page_replay.c"
#include "render/text/template_bundle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena perm, tmp;

static struct replay_file file = {12700, "ab"};

static struct str page_of(const struct replay_set *s)
{
    struct template_set templates = template_bundled(&perm);
    struct out o;
    struct err e = {0};
    cJSON *c = cJSON_CreateObject();
    replay_page_fill(c, &(struct report){0}, s, &file, tmp);
    out_memory(&o);
    if (!page_body(&o, &templates, "replay.html", c, &e))
        fail_msg("%s", e.what);
    cJSON_Delete(c);
    return out_text(&o, &perm);
}

static void a_package_is_shown_with_its_figures(void **state)
{
    struct replay_call c = {.mean_us = 28.552, .min_us = 21.041, .max_us = 39.42};
    struct replay_package p = {.op = S("aten::mm"),
                               .file = S("replay_packages/aten_mm_replay_package.zip"),
                               .calls = &c,
                               .n_calls = 1,
                               .n_left_out = 2,
                               .left_out_reason = S("no strides are recorded"),
                               .count = 17,
                               .total_us = 485.4,
                               .share_pct = 63.857};
    struct replay_set s = {.packages = &p, .n_packages = 1};
    (void)state;
    struct str page = page_of(&s);
    assert_true(
        str_has(page, S("One package holds one argument set and 63.9% of kernel")));
    assert_true(
        str_has(page, S("href=\"replay_packages/aten_mm_replay_package.zip\">"
                        "aten_mm_replay_package.zip</a> (12.4\u00a0KiB, zip)")));
    assert_true(str_has(
        page, S(">28.55<br><span class=\"detail spread\">21.04 to 39.42</span>")));
    assert_true(str_has(page, S("no tensors")));
    assert_false(str_has(page, S("contiguous")));
    c.strides_assumed = true;
    page = page_of(&s);
    assert_true(str_has(page, S("every tensor is contiguous here")));
    assert_true(str_has(page, S("<span class=\"detail\">strides assumed</span>")));
    assert_true(
        str_has(page, S("left out: 2 argument sets (no strides are recorded)")));
    assert_true(str_has(page, S("<td class=\"n\">17</td>")));
    assert_false(str_has(page, S("What cannot be replayed")));
}

static void hostile_names_stay_text(void **state)
{
    struct replay_call c = {0};
    struct replay_package p = {.op = S("</td><script>alert(1)</script>{{x}}\n"),
                               .file = S("replay_packages/x_replay_package.zip"),
                               .calls = &c,
                               .n_calls = 1};
    struct replay_refusal r = {S("<img src=x onerror=y>\"'"), S("because of <b>"), 0,
                               0};
    struct replay_set s = {
        .packages = &p, .refusals = &r, .n_packages = 1, .n_refusals = 1};
    (void)state;
    struct str page = page_of(&s);
    assert_false(str_has(page, S("<script")));
    assert_false(str_has(page, S("<img")));
    assert_false(str_has(page, S("<b>")));
    assert_true(str_has(page, S("&lt;script")));
    assert_true(str_has(page, S("because of &lt;b&gt;")));
}

static void nothing_made_says_why(void **state)
{
    struct replay_set s = {0};
    struct replay_refusal r = {S("nccl:x"),
                               S("communication: it needs the other ranks"), 0, 5};
    (void)state;
    assert_true(str_has(page_of(&s), S("more than 10% of compute time")));
    s.refusals = &r;
    s.n_refusals = 1;
    struct str page = page_of(&s);
    assert_true(str_has(page, S("the reasons are below")));
    assert_true(str_has(page, S("it needs the other ranks")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_package_is_shown_with_its_figures),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(nothing_made_says_why),
    };
    perm = arena_reserve(1 << 26);
    tmp = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
