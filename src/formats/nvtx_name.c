#include "formats/nvtx_name.h"

#include <string.h>

/* The value at the beginning, up to the next ',' outside brackets. */
static struct str value_at(struct str rest)
{
    const char *p = rest.p, *end = rest.p + rest.n;
    ptrdiff_t depth = 0;
    while (p < end && (depth > 0 || *p != ',')) {
        depth += *p == '[' ? 1 : *p == ']' ? -1 : 0;
        p++;
        while (depth > 0 && p < end && *p < '[') /* digits, blanks and commas */
            p++;
    }
    return (struct str){rest.p, p - rest.p};
}

/* What PyTorch writes behind a name. */
enum { SEQUENCE, NUMBER, SIZES, PARTS };
static const struct str keys[PARTS] = {[SEQUENCE] = S_INIT(", seq = "),
                                       [NUMBER] = S_INIT(", op_id = "),
                                       [SIZES] = S_INIT(", sizes = ")};

/* Where each begins first; -1: nowhere. Texts have many commas, and few '='. */
static void find_parts(struct str text, ptrdiff_t at[PARTS])
{
    const char *p = text.p, *end = text.p + text.n;
    for (int k = 0; k < PARTS; k++)
        at[k] = -1;
    while (p < end && (p = memchr(p, '=', (size_t)(end - p)))) {
        ptrdiff_t n = p - text.p;
        for (int k = 0; k < PARTS; k++) {
            ptrdiff_t from = n + 2 - keys[k].n;
            if (at[k] < 0 && from >= 0 && str_starts(str_skip(text, from), keys[k]))
                at[k] = from;
        }
        p++;
    }
}

bool nvtx_is_operator(struct str name)
{
    static const struct str backward = S_INIT("autograd::engine::evaluate_function: ");
    if (str_starts(name, backward))
        name = str_skip(name, backward.n);
    bool odd = name.n && (memchr(name.p, ' ', (size_t)name.n) ||
                          memchr(name.p, '#', (size_t)name.n));
    return !odd && !str_starts(name, S("nccl:"));
}

void nvtx_name(struct event *ev, struct str text)
{
    ptrdiff_t at[PARTS], n = text.n;
    bool recorded = false;
    find_parts(text, at);
    for (int k = 0; k < PARTS; k++) {
        recorded |= at[k] >= 0;
        n = at[k] >= 0 && at[k] < n ? at[k] : n;
    }
    ev->name = str_head(text, n);
    ev->cat = recorded && nvtx_is_operator(ev->name) ? CAT_CPU_OP : CAT_ANNOTATION;
    if (ev->cat != CAT_CPU_OP)
        return;
    struct event_args *a = event_args_set(ev);
    struct str value[PARTS];
    for (int k = 0; k < PARTS; k++)
        value[k] = at[k] < 0 ? S("") : value_at(str_skip(text, at[k] + keys[k].n));
    if (!str_int(value[SEQUENCE], &a->sequence) || a->sequence < 0)
        a->sequence = NO_ID;
    a->dims = value[SIZES];
}
