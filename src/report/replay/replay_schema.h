/* replay_schema.h - operator signatures, and which of them fits a recorded call.
 *
 * The signatures are a text, one per line, as PyTorch prints them:
 *
 *   aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1) -> Tensor
 *
 * Lines that are empty, start with '#' or cannot be parsed are skipped. The text is
 * lent for the life of the index; everything else lives in the arena. */
#ifndef REPORT_REPLAY_REPLAY_SCHEMA_H
#define REPORT_REPLAY_REPLAY_SCHEMA_H

#include "report/replay/replay_input.h"

enum schema_base {
    SCHEMA_TENSOR,
    SCHEMA_BOOL,
    SCHEMA_INT,
    SCHEMA_FLOAT,
    SCHEMA_SCALAR,
    SCHEMA_DTYPE,  /* ScalarType, recorded as a number */
    SCHEMA_OPAQUE, /* str, MemoryFormat, Device, Layout, Generator: never recorded */
    SCHEMA_UNKNOWN
};

struct schema_arg {
    struct str type, name;
    enum schema_base base;
    bool optional, list, optional_items, keyword, written, has_default;
};

struct schema {
    struct str text, op, overload; /* "aten::add", "Tensor" or empty */
    struct schema_arg *args;
    int32_t n_args;
};

struct schema_index {
    struct str *lines; /* signatures, by name; those of one operator in file order */
    ptrdiff_t n;
};

struct schema_index schema_index_build(struct arena *perm, struct str text);

/* One signature; false if the line is not one. */
bool schema_parse(struct arena *perm, struct str line, struct schema *s);

enum schema_match {
    SCHEMA_FITS,
    SCHEMA_NOT_KNOWN,   /* no such operator, or none of its signatures fits */
    SCHEMA_NOT_RECORDED /* one would fit if an argument's value had been recorded */
};

/* The first signature of `op` ("aten::add", or "aten::add.Tensor") that takes the
 * inputs.
 *
 *   s        the signature when it fits
 *   missing  the argument when it is not recorded */
enum schema_match schema_find(struct arena *perm, const struct schema_index *x,
                              struct str op, const struct replay_inputs *in,
                              struct schema *s, struct schema_arg *missing);

#endif
