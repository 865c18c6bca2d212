/* finding_title.h - what a finding is called: what to do, and to what.
 *
 * A title is written with names of the trace in backticks, as any text of a pattern is.
 * Readers see it without them, its names shortened: "Fuse mul with its neighbours". */
#ifndef ANALYSIS_MODEL_FINDING_TITLE_H
#define ANALYSIS_MODEL_FINDING_TITLE_H

#include "analysis/model/finding.h"

enum { TITLE_MOST = 90 }; /* bytes */

/* Sets title, title_at and title_op. " in MODULE" is added if it is known, the title
 * has no place yet, and there is room. */
void finding_title(struct arena *a, struct finding *f, struct str text,
                   struct str module);

/* "poll" of "<built-in method poll of object>", "mul" of "aten::mul", at most 40 bytes.
 */
struct str title_name(struct arena *a, struct str name);

/* Where the action of a title ends and the reason behind it begins: bytes of "Compile the
 * step" in "Compile the step: the host launches too slowly". */
ptrdiff_t title_action_end(struct str text);

/* "Profile the host in step": whether a title asks to find something out, which by
 * itself saves nothing. */
bool title_asks_to_measure(struct str title);

/* "fuse mul" of "Fuse mul": a title behind other words. Names keep their case. */
struct str title_within(struct arena *a, const struct finding *f);

#endif
