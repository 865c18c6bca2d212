/* own_model.h - models of operators that the reference does not describe.
 *
 * They serve the analysis, the site and the data files of the analysis; the tables of
 * the reference leave their cells blank. FLOP are counted as the reference counts those
 * of its element-wise models: one for each operation on an element. */
#ifndef PERF_OWN_OWN_MODEL_H
#define PERF_OWN_OWN_MODEL_H

#include "perf/perf_model.h"

/* The model of an operator by its exact name, or NULL. */
const struct perf_model *own_model_of(struct str op_name);

#endif
