/* operand_cast.h - which operand of a layer autocast casts: its input, or a parameter
 * that could be stored in the other type.
 *
 * Autocast runs the operator again inside itself, on what it has cast before:
 * `aten::linear` above `aten::to`, `aten::_to_copy` and `aten::copy_`, an operand that
 * is in fp32 after the other. */
#ifndef ANALYSIS_FACTS_OPERAND_CAST_H
#define ANALYSIS_FACTS_OPERAND_CAST_H

#include "ops/trace_view.h"

/* Position of the operand that a copy makes for a linear layer or a convolution: 0 for
 * its input, 1 and 2 for its weight and bias; -1: none, or no types are recorded. */
int operand_cast(const struct trace_view *v, event_id copy);

/* The outermost of the operators around one that do nothing but cast, or itself. */
event_id cast_around(const struct trace_view *v, event_id op);

#endif
