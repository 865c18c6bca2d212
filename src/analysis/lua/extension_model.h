/* extension_model.h - users' performance models, which perf/ asks before its own. */
#ifndef ANALYSIS_LUA_EXTENSION_MODEL_H
#define ANALYSIS_LUA_EXTENSION_MODEL_H

#include "ops/op_cost.h"

struct pattern_host;

/* For struct cost_cache; NULL if no file declares a model. */
const struct cost_override *pattern_host_models(struct pattern_host *h);

#endif
