/* report_checks.h - what may not be relied on: a list of checks, made in two parts.
 *
 * A check says what was measured, what the limit is, which numbers it affects and what
 * to do about it. "Not evaluated" is a result of its own. */
#ifndef REPORT_REPORT_CHECKS_H
#define REPORT_REPORT_CHECKS_H

#include "report/report_parts.h"

struct check_list {
    const struct report_source *s;
    struct report *r;
    struct arena *perm;
    int cap;
};

/* `value` is a whole sentence. */
void check_put(struct check_list *l, const char *id, const char *name,
               enum report_check_result result, struct str value, const char *limit,
               const char *affects, const char *what_to_do);

/* Device work that GPU graphs replay, of all kernels of the timeline. */
struct graph_work {
    int64_t launches, ns, all_ns;
};
struct graph_work graph_work_of(const struct trace_view *v);

void checks_of_trace(struct check_list *l, struct arena tmp);
void checks_of_analysis(struct check_list *l, struct arena tmp);

/* A check by id, or NULL. */
const struct report_check *report_check_find(const struct report *r, const char *id);

#endif
