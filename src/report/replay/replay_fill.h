/* replay_fill.h - how to fill the tensors of a call.
 *
 * A trace does not record tensor values. Random numbers do for most operators; an index
 * must lie within the tensor it points into, and outputs need no value. */
#ifndef REPORT_REPLAY_REPLAY_FILL_H
#define REPORT_REPLAY_REPLAY_FILL_H

#include "report/replay/replay_ir.h"

/* Set fill, low and high of every tensor of `args`.
 *
 *   op  without overload: "aten::embedding"
 *
 * Uses argument names ("indices") if the signature is known, else only types. */
void replay_fill_args(struct str op, struct replay_arg *args, int32_t n);

/* A number to pass for an argument whose value is not recorded, if any number will do:
 * a factor or a limit changes the result, not the work. False if it would change the
 * work, as would a dimension, a flag or an exponent. */
bool replay_assume(struct str arg, struct replay_value *v);

#endif
