/* replay_json.h - replay_ir.json: the calls of a package, for the runner and for
 * people.
 *
 * A list of one object a call; analysis.md 10.2 has the fields. Names of a trace are
 * values only, never keys or code. */
#ifndef RENDER_REPLAY_JSON_H
#define RENDER_REPLAY_JSON_H

#include "report/replay_set.h"

struct out;

void replay_json(struct out *o, const struct replay_package *p);

#endif
