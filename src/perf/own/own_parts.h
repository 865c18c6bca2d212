/* own_parts.h - what the files of own models share; nobody else's. */
#ifndef PERF_OWN_OWN_PARTS_H
#define PERF_OWN_OWN_PARTS_H

#include "perf/cost.h"

struct own_model {
    struct perf_model base; /* first: a->model is it */
    int reads;              /* tensors that are read; those after them are results */
    double flop;            /* of each element */
    const char *names;
};

/* The row of the model that is being evaluated. */
const struct own_model *own_row(const struct op_args *a);

/* Bytes of an element of a recorded tensor type, in lower case as tensors have it; NaN
 * for anything else, such as "Scalar", "Int" or "TensorList". */
double own_bytes(struct str type);

/* Whether operand i is a tensor of known type. */
bool own_is_tensor(const struct op_args *a, int i);

/* Elements of operand i, of shape s, in memory: an expanded dimension (stride 0) is one
 * element, read again and again. */
double own_stored(const struct op_args *a, int i, const struct shape *s);

/* Bytes of operand i, which must be a tensor, in memory. */
double own_size(struct op_args *a, int i);

/* Bytes of an element by the template arguments of the kernels' names, for lists of
 * tensors, whose type is not recorded. NaN: the names do not tell. */
double own_kernel_bytes(const struct op_call *call);

/* Name without namespace, and without the '_' of operators that work in place. */
struct str own_bare(struct str op_name);
bool own_in_place(struct str op_name);

/* Elements of the result if dimension `dim` of `s` (negative: from the end) becomes n.
 */
double own_replaced(struct op_args *a, const struct shape *s, double dim, double n);

/* Sets figures and the parameters read_bytes and written_bytes; the type may be empty.
 */
void own_moved(struct cost *c, double read, double written, double flop,
               struct str type);

/* The model functions, in own_*.c. */
#define OWN(id, unit, function, ...) void function(struct op_args *a, struct cost *c);
#include "perf/own/own_models.def"
#undef OWN

#endif
