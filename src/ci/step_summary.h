/* step_summary.h - the run as markdown for the page of a build, and as a comment.
 *
 * In parts, most important first. A host drops a summary that is too long as a whole:
 * at most SUMMARY_BYTES_MAX are written, and with what the file already holds at most
 * HOST_BYTES_MAX. Parts that do not fit are left out from the end, which a line says.
 */
#ifndef CI_STEP_SUMMARY_H
#define CI_STEP_SUMMARY_H

#include "base/arena.h"
#include "base/out.h"

struct cJSON;

enum { SUMMARY_BYTES_MAX = 60000, HOST_BYTES_MAX = 1 << 20 };

/* Within `room` bytes; what does not fit is left out. Nothing if not even the verdict
 * fits. */
MUST_CHECK bool step_summary_write(struct out *o, const struct cJSON *view,
                                   int64_t room, struct arena tmp, struct err *e);

/* After what the file holds. */
MUST_CHECK bool step_summary_append(const char *path, const struct cJSON *view,
                                    struct arena tmp, struct err *e);

/* comment.md: the same after a line by which a bot finds its comment. */
MUST_CHECK bool comment_write(struct out *o, const struct cJSON *view, struct arena tmp,
                              struct err *e);

#endif
