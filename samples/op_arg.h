/* op_arg.h - the arguments of an operator as the profiler records them.
 *
 * A plain value: an operator's list is a compound literal at the call. */
#ifndef SAMPLE_OP_ARG_H
#define SAMPLE_OP_ARG_H

#include <stdint.h>

enum { ARG_RANKS = 5 };

struct op_arg {
    const char *type;
    const char *text; /* of a scalar, without characters that JSON would escape */
    int rank;
    int64_t dim[ARG_RANKS], stride[ARG_RANKS];
};

extern const char BF16[], F32[], I64[], I32[], BOOL[];

/* Row-major tensors of one to four dimensions. */
struct op_arg tensor1(const char *type, int64_t a);
struct op_arg tensor2(const char *type, int64_t a, int64_t b);
struct op_arg tensor3(const char *type, int64_t a, int64_t b, int64_t c);
struct op_arg tensor4(const char *type, int64_t a, int64_t b, int64_t c, int64_t d);
struct op_arg tensor0(const char *type);

/* The same tensor seen with its last two dimensions swapped, or dimensions 1 and 2. */
struct op_arg tensor_transposed(struct op_arg t);
struct op_arg tensor_swapped12(struct op_arg t);

struct op_arg scalar(const char *text);
struct op_arg scalar_list(const char *text);
struct op_arg tensor_list(void);
struct op_arg absent(void);

/* How many elements; a scalar or a 0-d tensor has one. */
double arg_elements(struct op_arg a);

#endif
