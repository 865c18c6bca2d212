#include "render/text/job_words.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#undef F /* of describe.h, not of context.h */
#include "base/arena_case.h"
#include "base/describe.h"

static void a_line_is_what_its_mark_says(void **state)
{
    static const char *const lines[] = {"lost, as there is no page",
                                        "= a.html First page",
                                        "? What is it?",
                                        "lost, as there is no section",
                                        "== one Title of it",
                                        "A sentence",
                                        "",
                                        "=another sentence",
                                        "* shown Its caption",
                                        "== two None",
                                        "* unknown Nothing of that name",
                                        "- b.html Under it",
                                        "== three Third"};
    struct job_shown shown = {.name = S("shown")};
    struct job_document d = {.shown = &shown, .n_shown = 1};
    struct job_words w = {.d = &d};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        read_line(&a, &w, str_of(lines[i]));
    assert_int_equal(w.n_pages, 2);
    const struct words_page *p = w.pages;
    assert_text(p->file, "a.html");
    assert_text(p->title, "First page");
    assert_text(p->question, "What is it?");
    assert_false(p->under);
    assert_int_equal(p->n_sections, 2);
    assert_text(p->sections[0].id, "one");
    assert_text(p->sections[0].title, "Title of it");
    assert_int_equal(p->sections[0].n_paras, 2);
    assert_text(p->sections[0].paras[1], "=another sentence");
    assert_ptr_equal(p->sections[0].shown, &shown);
    assert_text(p->sections[0].caption, "Its caption");
    assert_null(p->sections[1].shown);
    assert_true(w.pages[1].under);
    assert_text(w.pages[1].sections[0].title, "Third");
}

/* Of a job that tells nothing: what is always there. */
static void every_page_has_its_question_and_sections(void **state)
{
    static const struct description none = {0};
    struct job_document d = {.words = S("job"), .facts = &none, .of = &none};
    struct arena tmp = arena_reserve(1 << 20);
    struct job_words w;
    struct err e = {0};
    (void)state;
    assert_true(job_words_read(&a, tmp, &d, &w, &e));
    assert_int_equal(w.n_pages, 7); /* without steps */
    for (int i = 0; i < w.n_pages; i++) {
        const struct words_page *p = &w.pages[i];
        assert_true(str_ends(p->file, S(".html")) && p->title.n && p->question.n);
        for (int k = 0; k < p->n_sections; k++)
            assert_true(p->sections[k].id.n && p->sections[k].title.n);
    }
}

/* A job whose group is called so. */
struct told {
    struct str verdict;
};

static struct field_items verdict_of(const struct described *in)
{
    return (struct field_items){.first = in->of, .n = 1};
}

static FIELDS(told, CALL_LIST(verdict, text, verdict_of));

/* Neither a page nor a section comes from a name. */
static void a_name_stays_in_its_line(void **state)
{
    struct told told = {S("Rank 1\n= evil.html Evil\r\n== x X\n* shown Y")};
    struct job_document d = {
        .words = S("job_compare"), .facts = told_fields(), .of = &told};
    struct arena tmp = arena_reserve(1 << 20);
    struct job_words w;
    struct err e = {0};
    (void)state;
    assert_true(job_words_read(&a, tmp, &d, &w, &e));
    assert_int_equal(w.n_pages, 3);
    assert_text(w.pages[0].file, "index.html");
    assert_int_equal(w.pages[0].sections[0].n_paras, 1);
    assert_text(w.pages[0].sections[0].paras[0],
                "Rank 1\\n= evil.html Evil\\u{d}\\n== x X\\n* shown Y");
    /* What is not told is not there. */
    assert_text(w.pages[0].sections[2].title, "Where the time of the mean rank goes");
    assert_text(w.pages[0].sections[3].paras[0], "No rank of either job is late");
}

static void numbers_are_those_of_sentences(void **state)
{
    static const struct {
        bool (*write)(struct out *o, struct arena tmp, const cJSON *v, int n);
        double v;
        const char *want;
    } cases[] = {{filter_took, 905123, "905 µs"},  {filter_took, 19.7e6, "19.7 ms"},
                 {filter_in_ms, 1234567, "1.235"}, {filter_d0, 41.5, "42"},
                 {filter_d1, 3.14159, "3.1"},      {filter_d2, 1, "1.00"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct out o;
        cJSON v = {.type = cJSON_Number, .valuedouble = cases[i].v};
        out_memory(&o);
        assert_true(cases[i].write(&o, a, &v, 0));
        assert_text(out_view(&o), cases[i].want);
        out_free(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_what_its_mark_says),
        cmocka_unit_test(every_page_has_its_question_and_sections),
        cmocka_unit_test(a_name_stays_in_its_line),
        cmocka_unit_test(numbers_are_those_of_sentences),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
