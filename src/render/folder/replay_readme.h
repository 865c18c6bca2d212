/* replay_readme.h - README.md of a replay package: what it holds and how to run it.
 *
 * The head is templates/md/replay_readme.md, the rest assets/replay/README.md. */
#ifndef RENDER_FOLDER_REPLAY_README_H
#define RENDER_FOLDER_REPLAY_README_H

#include "base/err.h"
#include "base/out.h"
#include "report/replay/replay_set.h"

MUST_CHECK bool replay_readme(struct out *o, const struct replay_package *p,
                              struct arena tmp, struct err *e);

#endif
