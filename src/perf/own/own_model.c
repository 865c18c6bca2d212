#include "perf/own/own_model.h"

#include "base/name_memo.h"
#include "perf/own/own_parts.h"

#include <stddef.h>

#define OWN(id, unit, function, reads, flop, names)                                    \
    {{id, "", NULL, -1, UNIT_##unit, false, PERF_MODELS, function}, reads, flop, names},
static const struct own_model rows[] = {
#include "perf/own/own_models.def"
};
#undef OWN

enum { ROWS = sizeof rows / sizeof *rows, NOT_LISTED = UINT16_MAX };

const struct own_model *own_row(const struct op_args *a)
{
    _Static_assert(offsetof(struct own_model, base) == 0, "a->model is a row");
    return (const struct own_model *)(const void *)a->model;
}

static uint64_t row_of_id(struct str id)
{
    uint64_t i = 0;
    while (i < ROWS && !str_eq(str_of(rows[i].base.id), id))
        i++;
    return i < ROWS ? i : NOT_LISTED;
}

/* Operations of XLA are named by what they are, in no namespace, and a number:
 * "loop_add_fusion.2", "cublas-gemm". */
static uint64_t row_of_xla(struct str name)
{
    ptrdiff_t n = name.n;
    while (n > 0 && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
        n--;
    if (n > 0 && n < name.n && name.p[n - 1] == '.')
        name.n = n - 1;
    if (str_has(name, S("::")))
        return NOT_LISTED;
    if (str_starts(name, S("cudnn-conv")) || str_starts(name, S("cublas-")) ||
        str_among(name, "dot convolution"))
        return row_of_id(S("own_xla_product"));
    return str_ends(name, S("fusion")) ||
                   str_among(name,
                             "copy transpose convert reduce add subtract multiply "
                             "divide maximum minimum exponential tanh concatenate "
                             "select")
               ? row_of_id(S("own_xla"))
               : NOT_LISTED;
}

static uint64_t find_row(struct str name)
{
    struct str bare = own_bare(name);
    for (int i = 0; i < ROWS; i++)
        if (str_among(bare, rows[i].names))
            return (uint64_t)i;
    return row_of_xla(name);
}

const struct perf_model *own_model_of(struct str op_name)
{
    static struct name_memo memo;
    uint64_t row = name_memo_ask(&memo, op_name, find_row);
    return row == NOT_LISTED ? NULL : &rows[row].base;
}
