#include "job/job_bandwidth.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* One all-to-all-v of two ranks, which send and receive so much. */
struct case_job {
    struct arena tmp;
    struct job j;
    struct job_rank ranks[2];
    struct job_member rows[2];
    struct job_signature signatures[2];
    struct job_instance instance;
    struct member_ref members[2];
};

static void make(struct case_job *c, const int64_t *in, const int64_t *out)
{
    *c = (struct case_job){.tmp = arena_reserve(1 << 20)};
    for (int i = 0; i < 2; i++) {
        c->signatures[i] = (struct job_signature){.kind = COLLECTIVE_ALL_TO_ALL_V,
                                                  .in_elements = in[i],
                                                  .out_elements = out[i]};
        c->rows[i].signature = i;
        c->ranks[i].rows = &c->rows[i];
        c->ranks[i].n_rows = 1;
        c->members[i] = (struct member_ref){i, 0};
    }
    c->instance = (struct job_instance){.n_members = 2, .is_complete = true};
    c->j = (struct job){.ranks = c->ranks,
                        .n_ranks = 2,
                        .signatures = c->signatures,
                        .n_signatures = 2,
                        .instances = &c->instance,
                        .n_instances = 1,
                        .members = c->members,
                        .n_members = 2};
    job_find_uneven(c->tmp, &c->j);
}

static void the_less_even_direction_tells(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, (int64_t[]){100, 100}, (int64_t[]){50, 150});
    assert_true(c.j.is_uneven);
    assert_int_equal((int)(100 * c.ranks[0].load_frac), 50);
    assert_int_equal((int)(100 * c.ranks[1].load_frac), 150);
    assert_int_equal((int)(1000 * (double)c.instance.even_frac), 666);
    make(&c, (int64_t[]){50, 150}, (int64_t[]){100, 100});
    assert_int_equal((int)(100 * c.ranks[1].load_frac), 150);
}

static void nothing_is_told_of_sizes_that_are_not_recorded(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, (int64_t[]){100, 100}, (int64_t[]){50, -1});
    assert_true(isnan(c.ranks[0].load_frac));
    assert_int_equal((int)c.instance.even_frac, 1);
    assert_false(c.j.is_uneven);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_less_even_direction_tells),
        cmocka_unit_test(nothing_is_told_of_sizes_that_are_not_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
