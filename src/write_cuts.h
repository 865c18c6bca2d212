/* write_cuts.h - small traces of the longest gaps, for a viewer of events.
 *
 * Planned before the site is written, so that its pages can link them; written after.
 * The store stays open until then. */
#ifndef WRITE_CUTS_H
#define WRITE_CUTS_H

#include "base/arena.h"
#include "render/publish.h"
#include "report/report.h"
#include "store/trace_cut.h"

enum { CUTS_MAX = 3 };

struct cut_plan {
    struct trace_cut cuts[CUTS_MAX];
    struct str files[CUTS_MAX]; /* "cuts/gap-1.json.gz" */
    int n;
};

/* Names the cuts in the gaps of report.detail, which must be filled. */
struct cut_plan cuts_plan(struct arena *perm, const struct event_store *s,
                          const struct report *r);

MUST_CHECK bool cuts_write(const struct cut_plan *c, const struct event_store *s,
                           const struct publish *p, struct arena tmp, struct err *e);

#endif
