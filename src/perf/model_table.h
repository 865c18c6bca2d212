/* model_table.h - every model, and every operator name that is known.
 *
 * Constant data. Families are numbered in the order of the report's sheets. */
#ifndef PERF_MODEL_TABLE_H
#define PERF_MODEL_TABLE_H

#include "perf/cost.h"

extern const struct perf_model perf_models[PERF_MODELS];
extern const char *const perf_families[PERF_FAMILIES];

#endif
