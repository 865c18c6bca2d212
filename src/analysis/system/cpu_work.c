#include "analysis/system/cpu_work.h"

#include "analysis/model/name_match.h"
#include "base/name_memo.h"

/* Operators that make, view or read a tensor take long only where something is in their
 * way. Those of other namespaces mark the backward pass, collectives and the profiler.
 */
static uint64_t computes_by_name(struct str name)
{
    ptrdiff_t at = str_find(name, S("::"));
    return at > 0 && !name_begins(name, "autograd::|torch::|c10d::|profiler::") &&
           !name_is(str_skip(name, at + 2),
                    "empty|empty_like|empty_strided|resize_|zeros|zeros_like|ones|full|"
                    "set_|view|as_strided|_reshape_alias|_unsafe_view|slice|narrow|"
                    "select|transpose|permute|expand|reshape|detach|alias|t|squeeze|"
                    "unsqueeze|split|chunk|unbind|flatten|lift_fresh|to|_to_copy|item|"
                    "_local_scalar_dense|is_nonzero|pin_memory|_pin_memory");
}

bool cpu_work_computes(const struct tree_index *t, event_id i)
{
    enum { LEAST_NS = 50000 };
    static struct name_memo memo;
    const struct event_store *s = t->v->s;
    int64_t dur_ns = store_dur_ns(s, i), own_ns = dur_ns;
    int32_t launched;
    if (s->cat[i] != CAT_CPU_OP || dur_ns < LEAST_NS ||
        !name_memo_ask(&memo, store_name(s, i), computes_by_name))
        return false;
    (void)launch_range(&t->v->launch, &t->v->tree, i, &launched);
    event_id below = launched ? -1 : tree_first_child(t, i);
    for (; below >= 0; below = tree_next_sibling(t, below))
        own_ns -= store_dur_ns(s, below);
    return !launched && own_ns >= LEAST_NS && 2 * own_ns >= dur_ns;
}
