#include "trace/nvtx_name.h"

/* The value behind `key`, up to the next ", " outside brackets; n == 0: none. */
static struct str value_of(struct str text, struct str key)
{
    ptrdiff_t at = str_find(text, key), depth = 0, n = 0;
    if (at < 0)
        return S("");
    struct str rest = str_skip(text, at + key.n);
    for (; n < rest.n && (depth > 0 || rest.p[n] != ','); n++)
        depth += rest.p[n] == '[' ? 1 : rest.p[n] == ']' ? -1 : 0;
    return str_head(rest, n);
}

bool nvtx_is_operator(struct str name)
{
    static const struct str backward = S_INIT("autograd::engine::evaluate_function: ");
    if (str_starts(name, backward))
        name = str_skip(name, backward.n);
    for (ptrdiff_t i = 0; i < name.n; i++)
        if (name.p[i] == ' ' || name.p[i] == '#')
            return false;
    return !str_starts(name, S("nccl:"));
}

void nvtx_name(struct event *ev, struct str text)
{
    static const struct str seq = S_INIT(", seq = "), id = S_INIT(", op_id = "),
                            sizes = S_INIT(", sizes = ");
    ptrdiff_t at_id = str_find(text, id), at_seq = str_find(text, seq),
              at_sizes = str_find(text, sizes);
    ptrdiff_t n = text.n;
    n = at_id >= 0 ? at_id : n;
    n = at_sizes >= 0 && at_sizes < n ? at_sizes : n;
    n = at_seq >= 0 && at_seq < n ? at_seq : n;
    ev->name = str_head(text, n);
    bool recorded = at_id >= 0 || at_seq >= 0 || at_sizes >= 0;
    ev->cat = recorded && nvtx_is_operator(ev->name) ? CAT_CPU_OP : CAT_ANNOTATION;
    if (ev->cat != CAT_CPU_OP)
        return;
    struct event_args *a = event_args_set(ev);
    struct str tail = str_skip(text, n);
    if (!str_int(value_of(tail, seq), &a->sequence) || a->sequence < 0)
        a->sequence = NO_ID;
    a->dims = value_of(tail, sizes);
}
