/* write_excerpts.h - small traces of the longest gaps, for a viewer of events.
 *
 * Planned before the report is built, so that it can name them; written after. The
 * store stays open until then. */
#ifndef WRITE_EXCERPTS_H
#define WRITE_EXCERPTS_H

#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "render/folder/publish.h"
#include "store/trace_excerpt.h"

enum { EXCERPTS_MAX = 3 };

/* By the index of the gap: the first few that fit. */
struct excerpt_plan {
    struct trace_excerpt excerpts[IDLE_TOP_GAPS];
    struct str files[IDLE_TOP_GAPS]; /* "cuts/gap-1.json.gz"; empty: none is written */
};

/* `origin_ns`: the start of the timeline, from which the gaps count. */
struct excerpt_plan excerpts_plan(struct arena *perm, const struct event_store *s,
                                  int64_t origin_ns,
                                  const struct system_results *found);

MUST_CHECK bool excerpts_write(const struct excerpt_plan *p,
                               const struct event_store *s,
                               const struct publish *folder, struct arena tmp,
                               struct err *e);

#endif
