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

static uint64_t find_row(struct str name)
{
    struct str bare = own_bare(name);
    for (int i = 0; i < ROWS; i++)
        if (str_among(bare, rows[i].names))
            return (uint64_t)i;
    return NOT_LISTED;
}

const struct perf_model *own_model_of(struct str op_name)
{
    static struct name_memo memo;
    uint64_t row = name_memo_ask(&memo, op_name, find_row);
    return row == NOT_LISTED ? NULL : &rows[row].base;
}
