/* copy_source.h - what the host does to make the tensors that it copies to the device.
 *
 * A function of the user that launches nothing but copies to the device makes what they
 * carry. Without frames, operators that compute on the CPU right before the copy do. */
#ifndef ANALYSIS_SYSTEM_COPY_SOURCE_H
#define ANALYSIS_SYSTEM_COPY_SOURCE_H

#include "analysis/model/finding.h"
#include "analysis/stack/tree_index.h"

struct copy_source {
    struct host_span *at; /* calls of such functions, copies included */
    int32_t n;
    int64_t copies; /* that are in one of them */
    double ms;
};

/* Of copies to the device; only what takes a tenth of a millisecond and more beside
 * the copy. */
struct copy_source copy_source_of(struct arena *perm, const struct tree_index *t);

/* Where the host makes most of what such copies bring, the finding takes that away with
 * them, and idle time within it that has a finding of its own, which goes. */
void copy_source_claim(struct arena *perm, struct analysis *a,
                       const struct tree_index *t, struct finding *f);

/* Of copies that operators make one by one, in the directions of the finding: what
 * findings of idle time lie within these operators is theirs, and goes. */
void copy_calls_claim(struct arena *perm, struct arena tmp, struct analysis *a,
                      const struct tree_index *t, struct finding *f);

#endif
