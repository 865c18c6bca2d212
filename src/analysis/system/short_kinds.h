/* short_kinds.h - short gaps that another action ends than the rest of them.
 *
 * Many short gaps are one group, as a step that is launched faster has none of them.
 * But gradients that are freed need no launch to set them to zero, and code that is
 * compiled already needs something else than code that is not. Where such gaps are
 * neither nearly all nor few, they are a group of their own. So are those before copies
 * to the device, if they are half of all or more: no compiler prepares data. */
#ifndef ANALYSIS_SYSTEM_SHORT_KINDS_H
#define ANALYSIS_SYSTEM_SHORT_KINDS_H

#include "analysis/system/host_time.h"
#include "analysis/system/idle_gaps.h"
#include "analysis/system/launched_within.h"

enum short_kind { SHORT_LAUNCH, SHORT_ZEROS, SHORT_COMPILED, SHORT_SENT, SHORT_KINDS };

struct short_kinds {
    struct named_spans zeros; /* annotations around what sets gradients to zero */
    bool apart[SHORT_KINDS];
};

struct short_kinds short_kinds_find(struct arena *perm, const struct host_time *host,
                                    const struct idle_gaps *g);

/* Of a gap before a launch call. */
enum short_kind short_kind_of(const struct short_kinds *k, const struct host_time *host,
                              const struct gap_row *gap);

#endif
