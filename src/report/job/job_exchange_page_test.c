#include "report/job/job_exchange_page.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST_RANKS = 64 };

/* A job of n ranks in which each sends one element to each of its group. */
struct exchange_case {
    struct arena a;
    struct job j;
    struct job_group g;
    struct job_rank ranks[MOST_RANKS];
    struct job_member row;
    struct job_signature s;
    struct job_document d;
};

static const struct job_section *section_of(struct exchange_case *c, int n)
{
    struct str split = S("[");
    c->a = arena_reserve(1 << 24);
    for (int i = 0; i < n; i++)
        split = str_printf(&c->a, "%.*s%s1", STRF(split), i ? ", " : "");
    split = str_printf(&c->a, "%.*s]", STRF(split));
    c->s = (struct job_signature){.kind = COLLECTIVE_ALL_TO_ALL_V,
                                  .dtype = S("BFloat16"),
                                  .in_split = split,
                                  .in_elements = n,
                                  .out_elements = n};
    c->g = (struct job_group){.size = n};
    for (int i = 0; i < n; i++)
        c->ranks[i] = (struct job_rank){.rank = i, .rows = &c->row, .n_rows = 1};
    c->j = (struct job){.groups = &c->g,
                        .n_groups = 1,
                        .signatures = &c->s,
                        .n_signatures = 1,
                        .ranks = c->ranks,
                        .n_ranks = n,
                        .n_expected = n};
    struct arena tmp = arena_reserve(1 << 24);
    struct job_maker m = {.perm = &c->a, .tmp = tmp, .j = &c->j, .d = &c->d};
    struct job_page *p = job_page_add(&c->a, &c->d, "groups.html", "Groups", "");
    job_exchange_section(&m, p);
    return &p->sections[0];
}

static bool says(const struct job_section *s, const char *words)
{
    for (int i = 0; i < s->n_paras; i++)
        if (str_find(s->paras[i], str_of(words)) >= 0)
            return true;
    return false;
}

static void few_ranks_have_a_column_each(void **state)
{
    struct exchange_case c = {0};
    const struct job_section *s = section_of(&c, 4);
    (void)state;
    assert_int_equal(s->table.n_columns, 3 + 4);
    assert_true(says(s, "The darker a cell"));
    assert_false(says(s, "in all"));
}

/* Nothing is said of cells that are not there. */
static void with_many_the_table_has_totals_and_the_words_say_so(void **state)
{
    struct exchange_case c = {0};
    const struct job_section *s = section_of(&c, 40);
    (void)state;
    assert_int_equal(s->table.n_columns, 4);
    assert_true(says(s, "Each receives about as much"));
    assert_true(says(s, "sends to up to 40 ranks"));
    assert_false(says(s, "The darker a cell"));
    assert_false(says(s, "not in the table"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_ranks_have_a_column_each),
        cmocka_unit_test(with_many_the_table_has_totals_and_the_words_say_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
