/* replay_fill.h - with what the tensors of a call are filled.
 *
 * The values of a trace are not recorded. Random numbers do for most operators; an
 * index must lie within what it points into, and what the call overwrites needs no
 * value. */
#ifndef REPORT_REPLAY_FILL_H
#define REPORT_REPLAY_FILL_H

#include "report/replay_ir.h"

/* Set fill, low and high of every tensor of `args`.
 *
 *   op  without overload: "aten::embedding"
 *
 * Names of arguments count where the signature is known ("indices"), else only types.
 */
void replay_fill_args(struct str op, struct replay_arg *args, int32_t n);

/* A number to pass for an argument whose value is not recorded, where any would do: a
 * factor or a limit changes what comes out, not what is computed. False: it would not,
 * as a dimension, a flag or an exponent. */
bool replay_assume(struct str arg, struct replay_value *v);

#endif
