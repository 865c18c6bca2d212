/* tlparse_folder.h - the folder that tlparse makes of TORCH_TRACE, to link to.
 *
 * It holds index.html and a folder for each attempt to compile a version of a frame:
 * "-_0_2_0" is compiled autograd (none), frame 0, version 2, attempt 0; older ones are
 * "0_2_0". The page names what is in each below "[0/2]", or "[0/2_1]" of attempt 1.
 * Names alone are read, nothing that is in a file. */
#ifndef COMMANDS_TLPARSE_FOLDER_H
#define COMMANDS_TLPARSE_FOLDER_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct publish;
struct report_options;

/* A link to each version of a frame in `folder`, from the pages of the report. Fails
 * where it is no folder of tlparse's. */
MUST_CHECK bool tlparse_read(struct arena *perm, const char *folder,
                             const struct publish *report, struct report_options *o,
                             struct err *e);

#endif
