/* layers.h - a model's repeated blocks, one by one: device time of each, forward and
 * backward. Without modules in the trace a period of kernels (layers_period.h) tells
 * them.
 *
 * A layer is an instance of a class of modules ("nn.Module: Block_3") of which three or
 * more ran and that hold other modules; of classes inside one another the outermost
 * counts. Wrappers and containers are none. Backward operators count for the layer of
 * their forward operator. Beside them the classes of all modules. Names are hostile. */
#ifndef ANALYSIS_STACK_LAYERS_H
#define ANALYSIS_STACK_LAYERS_H

#include "analysis/stack/layer_rows.h"

struct analysis;
struct arena;
struct tree_index;

struct layers layers_of(struct arena *perm, struct arena tmp,
                        const struct tree_index *t, const struct analysis *a);

/* Of the class with most of the time: both passes of a layer, a call, in ms; NaN: none.
 */
double layers_call_ms(const struct layers *l);

#endif
