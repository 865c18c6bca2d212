/* replay_ir.h - a call of an operator, described well enough to repeat it.
 *
 * Plain values in no format: shapes, strides and types of tensors, scalars, lists, and
 * how to fill each tensor. It holds no weights, code or paths. Everything lives in the
 * builder's arena (replay_set.h) or is lent by the trace; a copy keeps both. */
#ifndef REPORT_REPLAY_REPLAY_IR_H
#define REPORT_REPLAY_REPLAY_IR_H

#include "base/str.h"

enum replay_fill {
    REPLAY_FILL_NONE, /* left as it is: the call overwrites it */
    REPLAY_FILL_NORMAL,
    REPLAY_FILL_RANDINT, /* whole numbers in [low, high) */
    REPLAY_FILL_BERNOULLI,
    REPLAY_FILL_ZEROS,
    REPLAY_FILL_ONES,
    REPLAY_FILLS
};

enum replay_place { REPLAY_ON_DEVICE, REPLAY_ON_HOST, REPLAY_PINNED };

struct replay_tensor {
    const int64_t *shape, *strides; /* elements; both of n_dims */
    int32_t n_dims;
    struct str dtype; /* as the profiler spells it */
    bool
        dtype_assumed; /* a member of a list, whose type the profiler does not record */
    enum replay_fill fill;
    int64_t low, high; /* of REPLAY_FILL_RANDINT */
    enum replay_place place;
    bool strides_assumed; /* not recorded: taken to be dense, last dimension first */
};

enum replay_value_kind {
    REPLAY_NULL, /* an optional argument that was absent */
    REPLAY_TENSOR,
    REPLAY_TENSORS,
    REPLAY_INT,
    REPLAY_REAL,
    REPLAY_BOOL,
    REPLAY_TEXT, /* a number that JSON cannot hold: inf, nan, 1.+2.j */
    REPLAY_LIST  /* of the four above */
};

struct replay_value {
    enum replay_value_kind kind;
    int64_t i;
    double r;
    bool b;
    struct str text;
    struct replay_tensor *tensors; /* one, or n of a list */
    struct replay_value *items;
    int32_t n;
};

struct replay_arg {
    struct str name, type; /* as in the operator's signature, or inferred */
    struct replay_value value;
    bool keyword;       /* may only be passed by name */
    bool is_default;    /* not recorded, and left out: the signature has a default */
    bool value_assumed; /* not recorded: a value that does not change the work */
};

#endif
