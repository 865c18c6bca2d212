/* extension_model.h - performance models of users: what perf/ asks before its own. */
#ifndef ANALYSIS_EXTENSION_MODEL_H
#define ANALYSIS_EXTENSION_MODEL_H

#include "ops/op_cost.h"

struct pattern_host;

/* For struct cost_cache; NULL when no file has a model. */
const struct cost_override *pattern_host_models(struct pattern_host *h);

#endif
