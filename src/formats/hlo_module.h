/* hlo_module.h - shapes of XLA's operations, from the HLO that a profile holds.
 *
 * Field numbers are those of xla/service/hlo.proto and xla/xla_data.proto. An operation
 * gets arguments only if its sizes say what it must do: a fusion that slices what it is
 * given, or writes into it, moves less than the sizes of its operands. */
#ifndef FORMATS_HLO_MODULE_H
#define FORMATS_HLO_MODULE_H

#include "base/int_map.h"
#include "base/name_pool.h"
#include "base/out.h"

/* As PyTorch records arguments, in JSON. */
struct hlo_args {
    name_id dims, types; /* of operands */
    name_id rest;        /* "Result Dims", "Result type" and what a product sums over */
    name_id collective;  /* members of what its kernel is given; -1: it is none, and of
                            one the others are empty */
    bool is_call;        /* of a library, which may launch several kernels */
};

struct hlo_modules {
    struct name_pool *texts; /* lent */
    struct name_pool keys;   /* of operations: module and name */
    struct hlo_args *args;   /* by key */
    int32_t max;
    struct out key, dims, types, rest;
    struct arena memory; /* of one module */
    char *start;
};

void hlo_open(struct hlo_modules *h, struct name_pool *texts);
void hlo_close(struct hlo_modules *h);

/* Reads an HloProto; `module` is the number that launches name it by. What is broken in
 * it has no arguments. Linear in its bytes. */
void hlo_read(struct hlo_modules *h, int64_t module, struct str proto);

/* NULL: nothing is known of it. */
const struct hlo_args *hlo_args_of(struct hlo_modules *h, int64_t module,
                                   struct str operation);

#endif
