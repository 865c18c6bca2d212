#include "analysis/facts/operand_cast.h"

#include "analysis/model/name_match.h"

/* Autocast's own nesting; a trace may say anything. */
enum { CASTS_DEEP = 4, CALLS_BEFORE = 16 };

event_id cast_around(const struct trace_view *v, event_id op)
{
    for (int k = 0; k < CASTS_DEEP; k++) {
        event_id up = tree_parent(&v->tree, op);
        if (up < 0 || !name_is(store_name(v->s, up), "aten::to|aten::_to_copy"))
            break;
        op = up;
    }
    return op;
}

/* How many casts of the operator come before this one; -1: more calls than a layer has.
 */
static int casts_before(const struct trace_view *v, event_id op, event_id to)
{
    const struct call_tree *t = &v->tree;
    int32_t at = tree_rank(t, op) + 1;
    int n = 0;
    for (int k = 0; k < CALLS_BEFORE; k++, at = t->after[at]) {
        if (t->order[at] == to)
            return n;
        n += v->s->name[t->order[at]] == v->s->name[to];
    }
    return -1;
}

int operand_cast(const struct trace_view *v, event_id copy)
{
    event_id to = cast_around(v, copy), op = tree_parent(&v->tree, to);
    if (to == copy || op < 0 ||
        !name_is(store_name(v->s, op), "aten::linear|aten::conv1d|"
                                       "aten::conv2d|aten::conv3d"))
        return -1;
    const struct op_texts *texts = store_texts(v->s, op);
    const struct value *types = texts ? store_value(v->s, texts->types) : NULL;
    int left = casts_before(v, op, to);
    for (int k = 0; left >= 0 && k < value_count(types); k++)
        if (str_eq(value_text(value_at(types, k)), S("float")) && left-- == 0)
            return k;
    return -1;
}
