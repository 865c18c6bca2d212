/* replay_json.h - replay_ir.json: the calls of a package, for the runner and for
 * people.
 *
 * A list with one object per call; analysis.md 10.2 lists the fields. Names from the
 * trace are only values, never keys or code. */
#ifndef RENDER_FOLDER_REPLAY_JSON_H
#define RENDER_FOLDER_REPLAY_JSON_H

#include "report/replay/replay_set.h"

struct out;

void replay_json(struct out *o, const struct replay_package *p);

#endif
