/* replay_set.h - builds the replay packages that run operations alone.
 *
 * One package per operation, with all its distinct argument sets, longest first; an
 * operation that cannot be replayed gets the reason. The caller chooses the operations.
 * Built from the op tables alone: no events, no names of files or machines. Everything
 * lives in `perm` or is lent by the tables. */
#ifndef REPORT_REPLAY_REPLAY_SET_H
#define REPORT_REPLAY_REPLAY_SET_H

#include "ops/op_tables.h"
#include "report/replay/replay_input.h"

struct arena;

/* An operation's name; if none has it, every operation whose name contains the text,
 * ignoring case. */
struct replay_request {
    struct str op;
};

/* One argument set of one operation. Times are of device work, in us. */
struct replay_call {
    struct str op;
    struct str schema; /* the signature that fits; empty: the runner looks for one */
    struct replay_arg *args;
    int32_t n_args;
    struct call_args recorded;
    bool folded; /* stands for several argument sets, and has none */
    int32_t source_uid; /* of the first call in the trace */
    int64_t count;      /* calls in the trace */
    double total_us, mean_us, min_us, max_us;
    double flop, byte; /* of one call by the performance model; NaN: no model */
    bool strides_assumed, values_assumed; /* the trace does not have them */
    struct str *kernels;
    int32_t n_kernels;
};

struct replay_package {
    struct str op;     /* hostile, as is the next */
    struct str device; /* that the trace is from; empty: unknown */
    struct str file;   /* "replay_packages/aten_bmm_replay_package.zip" */
    struct replay_call *calls;
    int32_t n_calls;
    int32_t n_left_out; /* argument sets left out, and why the first was */
    struct str left_out_reason;
    int64_t count;
    double total_us, share_pct; /* of the calls in it; of kernel time */
};

struct replay_refusal {
    struct str op, reason;
    double total_us, share_pct; /* 0 if the trace has no such operation */
};

struct replay_set {
    struct replay_package *packages;
    struct replay_refusal *refusals;
    int32_t n_packages, n_refusals;
};

/* `schemas`: assets/replay/op_schemas.txt, lent for the life of the set. Packages
 * follow the order of the requests, each operation once. */
struct replay_set replay_build(struct arena *perm, struct arena tmp,
                               const struct op_tables *t, struct str schemas,
                               const struct replay_request *requests, int32_t n);

/* The operations of "aten::mm, aten::add", as a user lists them; lent by `list`. */
struct replay_request *replay_requests(struct arena *perm, struct str list, int32_t *n);

/* Requests for the `n` operations with the most time, or all if n < 0. */
struct replay_request *replay_top(struct arena *perm, struct arena tmp,
                                  const struct op_tables *t, int32_t n,
                                  int32_t *n_found);

/* Why an operation of that name cannot be called alone; empty: worth trying. */
struct str replay_name_reason(struct str op);

/* The package of an operation, or NULL. */
const struct replay_package *replay_package_of(const struct replay_set *s,
                                               struct str op);

/* "aten::bmm" as the stem of a file: "aten_bmm". */
struct str replay_file_stem(struct arena *perm, struct str op);

#endif
