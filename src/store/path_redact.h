/* path_redact.h - what a text keeps of the paths of the machine that wrote it.
 *
 *   of a library   the part below site-packages or lib/python3.11: "torch/nn/m.py"
 *   project        the part below a home folder or the top folder, marked as a part:
 *                  "/home/eve/vit/train.py" is ".../vit/train.py"
 *   name           the name of the file
 *
 * The second row is of PATH_KEEPS_PROJECT, and only what is surely a file has one:
 * below a folder that machines have, or with an ending. What is below /tmp, the code
 * that compilers make, stays whole. The third is of PATH_KEEPS_NAME.
 *
 * Windows's paths are paths. A frame of Python may have spaces in its path. */
#ifndef STORE_PATH_REDACT_H
#define STORE_PATH_REDACT_H

#include "base/arena.h"
#include "base/str.h"

/* Before a part of a path of which more was known. */
#define PATH_PART_MARK ".../"

enum path_keeps { PATH_KEEPS_PROJECT, PATH_KEEPS_NAME };

/* The text itself if there is no path in it. */
struct str path_redact(struct arena *a, struct str text, enum path_keeps keeps);

#endif
