/* replay_input.h - what the profiler recorded of one call's arguments, read from its
 * four texts.
 *
 * Input Dims, Input type, Input Strides and Concrete Inputs are lists with one place an
 * argument. Everything in them is hostile: a size that no tensor can have is a reason
 * not to replay the call. Knows nothing of signatures. Results lie in the given arena.
 */
#ifndef REPORT_REPLAY_INPUT_H
#define REPORT_REPLAY_INPUT_H

#include "report/replay_ir.h"

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

/* Strides and values came to traces later than shapes. Tensors are taken to be dense
 * where no strides are recorded; what to pass for a value is up to the signature. */
struct replay_inputs {
    struct replay_input *at;
    int32_t n;
    bool no_strides, no_values;
    struct str reason; /* why the call cannot be replayed; empty: it can */
};

/* Texts as in the trace; p NULL or empty: the key was absent. */
struct replay_texts {
    struct str dims, types, strides, concrete;
};

struct replay_inputs replay_inputs_read(struct arena *perm, struct replay_texts t);

/* Why a call without a known signature cannot be replayed: a scalar or a list whose
 * value is not recorded. Empty: there is none. */
struct str replay_missing_value(struct arena *perm, const struct replay_inputs *in);

/* Whether the profiler's word is a tensor's element type that a runner can make. */
bool replay_is_dtype(struct str type);

/* "True", "-3", "0.5", "-inf", "1.+2.j"; REPLAY_NULL when it is none of them. */
struct replay_value replay_scalar(struct str text);

#endif
