/* check_list.h - the list of checks and their results.
 *
 * A check is a row of a table: what is measured, the limit, which numbers it affects,
 * what to do about it, and the function that measures. "Not evaluated" is a separate
 * result. */
#ifndef REPORT_CHECK_LIST_H
#define REPORT_CHECK_LIST_H

#include "report/report_parts.h"

struct check_list {
    const struct report_source *s;
    struct report *r;
    struct arena *perm;
    int cap;
};

/* A text that is not NULL replaces the table's. */
struct measured {
    enum report_check_result result;
    struct str value; /* a whole sentence; empty: no such check */
    const char *limit, *affects, *what_to_do;
};

struct check {
    const char *id, *name,
        *otherwise; /* what is so if it passed, and what if it did not */
    const char *limit, *affects;
    const char *what_to_do; /* unless it passed */
    struct measured (*measure)(const struct check_list *l);
};

static inline struct measured warn_unless(bool good, struct str value)
{
    return (struct measured){good ? CHECK_PASSED : CHECK_WARNING, value, 0, 0, 0};
}

static inline struct measured fail_unless(bool good, struct str value)
{
    return (struct measured){good ? CHECK_PASSED : CHECK_FAILED, value, 0, 0, 0};
}

/* Nothing to measure; `what_to_do`, unless empty, says how to change that. */
static inline struct measured not_evaluated(struct str why, const char *what_to_do)
{
    return (struct measured){CHECK_NOT_EVALUATED, why, 0, 0, what_to_do};
}

void check_all(struct check_list *l, const struct check *checks, int n);

/* A check by id, or NULL. */
const struct report_check *report_check_find(const struct report *r, const char *id);

#endif
