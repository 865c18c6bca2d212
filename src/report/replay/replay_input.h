/* replay_input.h - one call's recorded arguments, as inputs.
 *
 * Input Dims, Input type, Input Strides and Concrete Inputs are lists with one entry
 * per argument. Everything in them is hostile: a call with a size that no tensor can
 * have is not replayed. Does not use signatures. Results live in the given arena. */
#ifndef REPORT_REPLAY_REPLAY_INPUT_H
#define REPORT_REPLAY_REPLAY_INPUT_H

#include "base/value.h"
#include "report/replay/replay_ir.h"

struct arena;

enum replay_input_kind {
    REPLAY_INPUT_ABSENT, /* None, or something the profiler does not record */
    REPLAY_INPUT_TENSOR,
    REPLAY_INPUT_TENSORS,
    REPLAY_INPUT_SCALAR,
    REPLAY_INPUT_LIST, /* of scalars */
    REPLAY_INPUT_OTHER
};

struct replay_input {
    enum replay_input_kind kind;
    struct str type; /* the profiler's word */
    /* Tensors, a scalar or a list; REPLAY_NULL when its value was not recorded. */
    struct replay_value value;
};

/* Older traces have shapes but no strides or values. Tensors without recorded strides
 * are taken to be dense; the signature decides what to pass for a value. */
struct replay_inputs {
    struct replay_input *at;
    int32_t n;
    bool no_strides, no_values;
    struct str reason; /* why the call cannot be replayed; empty: it can */
};

struct replay_inputs replay_inputs_read(struct arena *perm, struct call_args recorded);

/* Why a call without a known signature cannot be replayed: a scalar or a list whose
 * value is not recorded. Empty: it can be. */
struct str replay_missing_value(struct arena *perm, const struct replay_inputs *in);

/* Whether the profiler's word is a tensor's element type that a runner can make. */
bool replay_is_dtype(struct str type);

/* "True", "-3", "0.5", "-inf", "1.+2.j"; REPLAY_NULL for anything else. */
struct replay_value replay_scalar(struct str text);

#endif
