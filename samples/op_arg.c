#include "op_arg.h"

const char BF16[] = "c10::BFloat16", F32[] = "float", I64[] = "long int", I32[] = "int",
           BOOL[] = "bool";

static struct op_arg tensor(const char *type, int rank, const int64_t *dim)
{
    struct op_arg t = {.type = type, .text = "", .rank = rank};
    int64_t step = 1;
    for (int i = rank; i-- > 0;) {
        t.dim[i] = dim[i];
        t.stride[i] = step;
        step *= dim[i];
    }
    return t;
}

struct op_arg tensor0(const char *type)
{
    return (struct op_arg){.type = type, .text = ""};
}

struct op_arg tensor1(const char *type, int64_t a)
{
    return tensor(type, 1, (int64_t[]){a});
}

struct op_arg tensor2(const char *type, int64_t a, int64_t b)
{
    return tensor(type, 2, (int64_t[]){a, b});
}

struct op_arg tensor3(const char *type, int64_t a, int64_t b, int64_t c)
{
    return tensor(type, 3, (int64_t[]){a, b, c});
}

struct op_arg tensor4(const char *type, int64_t a, int64_t b, int64_t c, int64_t d)
{
    return tensor(type, 4, (int64_t[]){a, b, c, d});
}

static void swap_dims(struct op_arg *t, int i, int j)
{
    int64_t dim = t->dim[i], stride = t->stride[i];
    t->dim[i] = t->dim[j];
    t->stride[i] = t->stride[j];
    t->dim[j] = dim;
    t->stride[j] = stride;
}

struct op_arg tensor_transposed(struct op_arg t)
{
    swap_dims(&t, t.rank - 2, t.rank - 1);
    return t;
}

struct op_arg tensor_swapped12(struct op_arg t)
{
    swap_dims(&t, 1, 2);
    return t;
}

struct op_arg scalar(const char *text)
{
    return (struct op_arg){.type = "Scalar", .text = text};
}

struct op_arg scalar_list(const char *text)
{
    return (struct op_arg){.type = "ScalarList", .text = text};
}

struct op_arg tensor_list(void)
{
    return (struct op_arg){.type = "TensorList", .text = ""};
}

struct op_arg absent(void)
{
    return (struct op_arg){.type = "", .text = ""};
}

double arg_elements(struct op_arg a)
{
    double n = 1;
    for (int i = 0; i < a.rank; i++)
        n *= (double)a.dim[i];
    return n;
}
