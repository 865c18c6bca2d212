/* path_redact.h - what a text keeps of the paths of the machine that wrote it.
 *
 *   of a library      the part below site-packages or lib/python3.11: "torch/nn/m.py"
 *   else, internal    the part below a home folder or the top folder, marked as a part:
 *                     "/home/eve/vit/train.py" is ".../vit/train.py". Only what is
 * surely a file: below a folder that machines have, or with an ending. What is below
 * /tmp, the code that compilers make, stays whole else              the name of the
 * file
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
