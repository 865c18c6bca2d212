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

static const struct exchange_said *said_of(struct exchange_case *c, int n)
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
    return job_exchange(&m);
}

static const struct job_table *table_of(const struct exchange_case *c)
{
    assert_int_equal(c->d.n_shown, 1);
    return c->d.shown[0].table;
}

static void few_ranks_have_a_column_each(void **state)
{
    struct exchange_case c = {0};
    const struct exchange_said *s = said_of(&c, 4);
    const struct job_table *t = table_of(&c);
    (void)state;
    assert_int_equal(t->n_columns, 3 + 4);
    assert_true(s->has_matrix && s->is_even && !s->is_uneven);
    assert_int_equal(t->n_rows, 4);
    assert_true(str_eq(t->columns[0].title, S("Rank")));
    assert_true(str_eq(t->columns[3].title, S("To 0")));
    assert_true(str_eq(job_cell(t, 1, 4)->text, S("0.000")));
    assert_int_equal(job_cell(t, 1, 4)->heat, JOB_HEATS);
}

/* Nothing is said of cells that are not there. */
static void with_many_the_table_has_totals_and_the_words_say_so(void **state)
{
    struct exchange_case c = {0};
    const struct exchange_said *s = said_of(&c, 40);
    (void)state;
    assert_int_equal(table_of(&c)->n_columns, 4);
    assert_true(s->is_split && s->is_even && s->is_sized);
    assert_false(s->has_matrix);
    assert_int_equal(s->most_to, 40);
    assert_true(str_eq(s->unit_word, S("rank")));
}

static void who_gets_most_is_told(void **state)
{
    struct exchange_case c = {0};
    struct arena tmp = arena_reserve(1 << 20);
    (void)state;
    said_of(&c, 2);
    c.s.in_split = S("[1000000, 3000000]");
    c.s.in_elements = c.s.out_elements = 4000000;
    c.d = (struct job_document){0};
    struct job_maker m = {.perm = &c.a, .tmp = tmp, .j = &c.j, .d = &c.d};
    const struct exchange_said *s = job_exchange(&m);
    assert_true(s->is_uneven && !s->is_even);
    assert_int_equal(s->busiest, 1);
    assert_true(s->got_mb == 12 && s->mean_mb == 8 && s->times == 1.5);
}

static void without_any_nothing_is_told(void **state)
{
    struct exchange_case c = {0};
    struct arena tmp = arena_reserve(1 << 20);
    (void)state;
    said_of(&c, 2);
    c.s.kind = COLLECTIVE_ALL_REDUCE;
    struct job_maker m = {.perm = &c.a, .tmp = tmp, .j = &c.j, .d = &c.d};
    assert_null(job_exchange(&m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_ranks_have_a_column_each),
        cmocka_unit_test(with_many_the_table_has_totals_and_the_words_say_so),
        cmocka_unit_test(who_gets_most_is_told),
        cmocka_unit_test(without_any_nothing_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
