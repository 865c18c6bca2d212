/* replay_text.h - descriptions of a replay package's calls, for pages and its
 * README. */
#ifndef REPORT_REPLAY_REPLAY_TEXT_H
#define REPORT_REPLAY_REPLAY_TEXT_H

#include "report/replay/replay_set.h"

/* "self float[8x4], mat2 float[4x2] strides (1, 4)": the tensors, and strides that are
 * not dense. */
struct str replay_tensors_text(struct arena *a, const struct replay_call *c);

/* "809.00 to 813.00" us, or one of them if they are equal. */
struct str replay_spread_text(struct arena *a, const struct replay_call *c);

/* Sentences on what the trace did not record about some of the calls, or empty. */
struct replay_assumed {
    bool strides, values;
};

struct replay_assumed replay_assumed(const struct replay_package *p);
struct str replay_assumed_text(struct replay_assumed all);

#endif
