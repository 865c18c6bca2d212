/* badge.h - badge.svg: one figure of a run, to stand in a README.
 *
 * Under 2 kB, in a system font, with a table of widths of its own: no font is asked. */
#ifndef CI_BADGE_H
#define CI_BADGE_H

#include "base/arena.h"
#include "base/out.h"

struct cJSON;

/* `metric`: a dotted name of summary.json, "busy" or "gates"; NULL: what the gates come
 * to, or how busy the GPU was where there is none. */
MUST_CHECK bool badge_write(struct out *o, const struct cJSON *view, const char *metric,
                            struct arena tmp, struct err *e);

#endif
