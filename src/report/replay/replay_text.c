#include "report/replay/replay_text.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "base/out.h"

enum { TENSORS_SHOWN = 8 };

/* Whether the strides are those of a new tensor; for a size of 1 they do not matter. */
static bool is_dense(const struct replay_tensor *t)
{
    int64_t step = 1;
    for (int32_t d = 0; d < t->n_dims; d++)
        if (t->shape[d] == 0)
            return true;
    for (int32_t d = t->n_dims - 1; d >= 0; d--) {
        if (t->shape[d] > 1 && t->strides[d] != step)
            return false;
        step *= t->shape[d]; /* no more than its elements, which can be counted */
    }
    return true;
}

static void add_tensor(struct out *o, const struct replay_tensor *t)
{
    out_str(o, t->dtype);
    out_char(o, '[');
    for (int32_t d = 0; d < t->n_dims; d++) {
        if (d)
            out_char(o, 'x');
        out_i64(o, t->shape[d]);
    }
    out_char(o, ']');
    if (is_dense(t))
        return;
    for (int32_t d = 0; d < t->n_dims; d++) {
        out_c(o, d ? ", " : " strides (");
        out_i64(o, t->strides[d]);
    }
    out_char(o, ')');
}

static void add_tensors(struct out *o, const struct replay_arg *a)
{
    const struct replay_value *v = &a->value;
    out_str(o, a->name);
    out_char(o, ' ');
    if (v->kind == REPLAY_TENSORS)
        out_printf(o, "%d x ", (int)v->n);
    add_tensor(o, &v->tensors[0]);
    if (v->kind == REPLAY_TENSORS && v->n > 1)
        out_lit(o, " and alike");
}

struct str replay_tensors_text(struct arena *a, const struct replay_call *c)
{
    struct out o;
    int shown = 0;
    out_memory(&o);
    for (int32_t i = 0; i < c->n_args; i++) {
        const struct replay_value *v = &c->args[i].value;
        if ((v->kind != REPLAY_TENSOR && v->kind != REPLAY_TENSORS) || v->n == 0)
            continue;
        if (shown == TENSORS_SHOWN) {
            out_lit(&o, ", ...");
            break;
        }
        if (shown++)
            out_lit(&o, ", ");
        add_tensors(&o, &c->args[i]);
    }
    struct str text = str_copy(a, shown ? out_view(&o) : S("no tensors"));
    out_free(&o);
    return text;
}

struct str replay_spread_text(struct arena *a, const struct replay_call *c)
{
    struct str least = number_us(a, c->min_us), most = number_us(a, c->max_us);
    return str_eq(least, most) ? least
                               : str_printf(a, "%.*s to %.*s", STRF(least), STRF(most));
}

struct replay_assumed replay_assumed(const struct replay_package *p)
{
    struct replay_assumed all = {false, false};
    for (int32_t i = 0; i < p->n_calls; i++) {
        all.strides |= p->calls[i].strides_assumed;
        all.values |= p->calls[i].values_assumed;
    }
    return all;
}

#define STRIDES_ASSUMED                                                                \
    "Strides are not in the trace: every tensor is contiguous here, and where it was " \
    "transposed or channels last another kernel may have run."
#define VALUES_ASSUMED                                                                 \
    "Numbers passed are not in the trace: defaults, or ones that do not change the "   \
    "work, are passed here."

struct str replay_assumed_text(struct replay_assumed all)
{
    return all.strides && all.values ? S(STRIDES_ASSUMED " " VALUES_ASSUMED)
           : all.strides             ? S(STRIDES_ASSUMED)
           : all.values              ? S(VALUES_ASSUMED)
                                     : S("");
}
