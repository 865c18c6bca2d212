#include "analysis/facts/operand_cast.h"

#include "analysis/model/name_match.h"

event_id cast_around(const struct trace_view *v, event_id op)
{
    event_id up = tree_parent(&v->tree, op);
    while (up >= 0 && name_is(store_name(v->s, up), "aten::to|aten::_to_copy")) {
        op = up;
        up = tree_parent(&v->tree, up);
    }
    return op;
}

/* How many casts of the operator come before this one. */
static int casts_before(const struct trace_view *v, event_id op, event_id to)
{
    const struct call_tree *t = &v->tree;
    int n = 0;
    for (int32_t at = tree_rank(t, op) + 1; t->order[at] != to; at = t->after[at])
        n += v->s->name[t->order[at]] == v->s->name[to];
    return n;
}

int operand_cast(const struct trace_view *v, event_id copy)
{
    event_id to = cast_around(v, copy), op = tree_parent(&v->tree, to);
    if (to == copy || op < 0 || !name_is(store_name(v->s, op), "aten::linear|aten::conv1d|"
                                                 "aten::conv2d|aten::conv3d"))
        return -1;
    const struct op_texts *texts = store_texts(v->s, op);
    const struct value *types = texts ? store_value(v->s, texts->types) : NULL;
    int left = casts_before(v, op, to), k = 0;
    for (; k < value_count(types); k++)
        if (str_eq(value_text(value_at(types, k)), S("float")) && left-- == 0)
            return k;
    return -1;
}
