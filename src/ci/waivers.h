/* waivers.h - findings that a team has agreed to live with until a date.
 *
 *   # finding   until       why
 *   f-1a2b3c4d  2026-12-31  the vendor's fix comes with 6.5 (PERF-1234)
 *
 * A line each; the finding by its id or its key of summary.json. A waiver holds up to
 * and including its date. The date of the run comes from the command line, never from a
 * clock: the same command gives the same result on every day. */
#ifndef CI_WAIVERS_H
#define CI_WAIVERS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "report/waiver.h"

struct waivers {
    struct waiver *at;
    int n;
    struct str today; /* "2026-01-31" */
};

/* Whether a text is a date of the calendar, "2026-01-31". */
bool date_is_good(struct str date);

/* `today`: of this run. */
MUST_CHECK bool waivers_read(struct arena *perm, const char *path, struct str today,
                             struct waivers *w, struct err *e);

bool waiver_is_over(const struct waivers *w, const struct waiver *of);

#endif
