/* annotations.h - lines of a build's log that its host shows beside the change.
 *
 * GitHub reads workflow commands (::error title=...::text); GitLab has none, and gets
 * coloured lines. At most ANNOTATIONS_MAX: a host shows no more of one step. */
#ifndef CI_ANNOTATIONS_H
#define CI_ANNOTATIONS_H

#include "base/out.h"
#include "ci/source_place.h"

struct cJSON;

enum { ANNOTATIONS_MAX = 10 };

enum annotation_host { ANNOTATE_NONE, ANNOTATE_GITHUB, ANNOTATE_GITLAB };

MUST_CHECK bool annotations_read(const char *text, enum annotation_host *host,
                                 struct err *e);

/* Gates that did not pass, then findings that are not waived, gravest first. `places`:
 * of findings, as sarif_tree has them. */
void annotations_write(struct out *o, enum annotation_host host,
                       const struct cJSON *summary, const struct source_place *places);

#endif
