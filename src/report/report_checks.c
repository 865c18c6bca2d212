#include "report/report_checks.h"

enum { MAX_CHECKS = 40 };

struct str check_result_word(enum report_check_result result)
{
    static const struct str words[] = {[CHECK_PASSED] = S_INIT("passed"),
                                       [CHECK_WARNING] = S_INIT("warning"),
                                       [CHECK_FAILED] = S_INIT("failed"),
                                       [CHECK_NOT_EVALUATED] = S_INIT("not_evaluated")};
    return words[result];
}

static int weight(enum report_check_result c)
{
    static const int weights[] = {[CHECK_FAILED] = 0,
                                  [CHECK_WARNING] = 1,
                                  [CHECK_NOT_EVALUATED] = 2,
                                  [CHECK_PASSED] = 3};
    return weights[c];
}

/* Insertion: a few dozen, and equal ones keep their order. */
static void sort_by_weight(struct report_check *c, int n)
{
    for (int i = 1; i < n; i++) {
        struct report_check x = c[i];
        int k = i;
        for (; k > 0 && weight(c[k - 1].result) > weight(x.result); k--)
            c[k] = c[k - 1];
        c[k] = x;
    }
}

static void add_warning(struct report *r, struct str source, struct str text,
                        bool failure)
{
    for (int k = 0; k < r->n_warning_list; k++)
        if (str_eq(r->warnings[k].text, text))
            return;
    r->warnings[r->n_warning_list++] = (struct report_warning){source, text, failure};
}

/* A row above its roof and an analysis that failed have warnings of their own. */
static bool is_told_one_by_one(const struct report_check *c)
{
    return str_eq(c->id, S("efficiency")) || str_eq(c->id, S("analyses"));
}

/* Failed analyses, then what the analysis warns of, then the checks: what was found,
 * and what to do about it. */
static void list_warnings(const struct report_source *s, struct report *r)
{
    const struct analysis *a = s->a;
    r->warnings =
        arena_new(s->perm, struct report_warning, a->n_warnings + r->n_checks);
    for (int failures = 1; failures >= 0; failures--)
        for (int k = 0; k < a->n_warnings; k++)
            if (a->warnings[k].failure == (bool)failures)
                add_warning(r, a->warnings[k].source, a->warnings[k].text, failures);
    for (int k = 0; k < r->n_checks; k++) {
        const struct report_check *c = &r->checks[k];
        if (c->result != CHECK_WARNING && c->result != CHECK_FAILED)
            continue;
        if (!is_told_one_by_one(c))
            add_warning(r, c->id,
                        str_printf(s->perm, "%.*s%s%.*s", STRF(c->value),
                                   c->what_to_do.n ? " " : "", STRF(c->what_to_do)),
                        false);
    }
}

void report_checks_fill(const struct report_source *s, struct report *r)
{
    struct check_list l = {s, r, s->perm, MAX_CHECKS};
    r->checks = arena_new(s->perm, struct report_check, MAX_CHECKS);
    checks_of_trace(&l);
    checks_of_hidden(&l);
    checks_of_analysis(&l);
    sort_by_weight(r->checks, r->n_checks);
    for (int k = 0; k < r->n_checks; k++)
        r->n_checked[r->checks[k].result]++;
    list_warnings(s, r);
}
