/* waiver.h - a finding that a team lives with until a date, and which findings it
 * names.
 *
 * Nothing here asks what day it is: ci/waivers.h reads the list and drops what is over.
 */
#ifndef REPORT_WAIVER_H
#define REPORT_WAIVER_H

#include "base/str.h"

struct waiver {
    struct str id;    /* of the finding, or the key of its kind */
    struct str until; /* the last day, "2026-12-31" */
    struct str why;
    int line; /* of the file it was read from, from 1 */
};

/* Whether a waiver is of the finding with this key and id, both of summary.json. */
bool waiver_names(const struct waiver *w, struct str key, struct str id);

/* The first of `n` waivers that names the finding; NULL: none. */
const struct waiver *waiver_find(const struct waiver *w, int n, struct str key,
                                 struct str id);

#endif
