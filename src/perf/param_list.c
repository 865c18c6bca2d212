#include "perf/param_list.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/python_text.h"
#include "perf/op_args.h"

#include <assert.h>
#include <math.h>

static void add(struct param_list *l, const char *key, enum perf_kind kind,
                struct str text)
{
    assert(l->n < PARAMS_MAX && text.n <= INT32_MAX);
    l->at[l->n++] = (struct perf_param){key, text.p, (int32_t)text.n, kind};
}

void python_param(struct out *o, const struct perf_param *p)
{
    if (p->kind == PERF_TEXT)
        python_string(o, perf_param_str(p));
    else
        out_str(o, perf_param_str(p));
}

/* Zero has no sign in an integer. */
static void put_int(struct out *o, double v)
{
    out_printf(o, "%.0f", v + 0.0);
}

void python_shape(struct out *o, const struct shape *s)
{
    out_char(o, '(');
    for (int i = 0; i < s->rank; i++) {
        if (i)
            out_lit(o, ", ");
        put_int(o, s->dim[i]);
    }
    out_c(o, s->rank == 1 ? ",)" : ")");
}

struct str python_bool(bool v)
{
    return v ? S("True") : S("False");
}

void param_none(struct param_list *l, const char *key)
{
    add(l, key, PERF_NONE, S("None"));
}

void param_bool(struct param_list *l, const char *key, bool v)
{
    add(l, key, PERF_BOOL, python_bool(v));
}

void param_int(struct param_list *l, const char *key, double v)
{
    if (isnan(v)) {
        param_none(l, key);
        return;
    }
    add(l, key, PERF_INT, str_printf(l->perm, "%.0f", v + 0.0));
}

void param_int_list(struct param_list *l, const struct int_param *v)
{
    for (; v->key; v++)
        param_int(l, v->key, v->v);
}

void param_real(struct param_list *l, const char *key, double v)
{
    char buf[32];
    int n = real_text(buf, v);
    add(l, key, PERF_REAL, str_copy(l->perm, (struct str){buf, n}));
}

void param_text(struct param_list *l, const char *key, struct str v)
{
    if (v.p)
        add(l, key, PERF_TEXT, str_copy(l->perm, v));
    else
        param_none(l, key);
}

void param_python(struct param_list *l, const char *key, struct str text)
{
    add(l, key, PERF_TUPLE, text);
}

void param_value(struct param_list *l, const char *key, const struct value *v)
{
    if (!v || v->kind == VALUE_NULL) {
        param_none(l, key);
        return;
    }
    struct out o;
    out_memory(&o);
    python_value(&o, v, true);
    param_python(l, key, out_text(&o, l->perm));
}

void param_shape(struct param_list *l, const char *key, const struct shape *s)
{
    struct out o;
    out_memory(&o);
    python_shape(&o, s);
    param_python(l, key, out_text(&o, l->perm));
}

void param_texts(struct param_list *l, const char *key, const struct str *v, int n)
{
    struct out o;
    out_memory(&o);
    out_char(&o, '(');
    for (int i = 0; i < n; i++) {
        if (i)
            out_lit(&o, ", ");
        if (v[i].p)
            python_string(&o, v[i]);
        else
            out_lit(&o, "None");
    }
    out_c(&o, n == 1 ? ",)" : ")");
    param_python(l, key, out_text(&o, l->perm));
}
