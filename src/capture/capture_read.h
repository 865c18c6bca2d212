/* capture_read.h - a capture from its line in a capture file.
 *
 * Checks what it reads: rows name rows and texts that are there, times fit together, so
 * that whoever uses the capture need not. Unknown keys are skipped. */
#ifndef CAPTURE_CAPTURE_READ_H
#define CAPTURE_CAPTURE_READ_H

#include "base/err.h"
#include "capture/capture.h"

struct arena;

enum capture_wanted {
    CAPTURE_ALL,
    CAPTURE_RANKS_ONLY /* no events, gaps or findings, and operators only if there are
                          no collectives: for jobs */
};

/* `line` as of capture_lines_next, and `file`, which errors name, must live as long as
 * the capture. */
MUST_CHECK bool capture_read(struct arena *perm, struct str line,
                             enum capture_wanted wanted, const char *file,
                             struct capture *c, struct err *e);

#endif
