/* replay_readme.h - README.md of a replay package: what this one holds, how to run it.
 *
 * The head is made from the package, the rest is assets/replay/README.md. */
#ifndef RENDER_REPLAY_README_H
#define RENDER_REPLAY_README_H

#include "base/out.h"
#include "report/replay_set.h"

struct arena;

void replay_readme(struct out *o, const struct replay_package *p, struct arena tmp);

#endif
