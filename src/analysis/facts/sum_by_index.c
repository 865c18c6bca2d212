#include "analysis/facts/sum_by_index.h"

#include "analysis/model/name_match.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

struct str sum_by_index(const struct trace_view *v, const struct op_call_row *call)
{
    static const struct {
        const char *above;
        struct str sum;
    } sums[] = {{"aten::index_add", S_INIT("index_add")},
                {"aten::scatter_add", S_INIT("scatter_add")},
                {"UnsafeIndexBackward", S_INIT("interpolation or padding")}};
    event_id i = call->event;
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_parent(&v->tree, i))
        for (size_t s = 0; s < sizeof sums / sizeof *sums; s++)
            if (name_has(store_name(v->s, i), sums[s].above))
                return sums[s].sum;
    return S("");
}
