#include "perf/param_list.h"

#include "base/arena.h"
#include "base/out.h"
#include "perf/op_args.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>

static void add(struct param_list *l, const char *key, enum perf_kind kind,
                struct str text, struct str repr)
{
    assert(l->n < PARAMS_MAX);
    l->at[l->n++] = (struct perf_param){key, kind, text, repr};
}

/* Zero has no sign in an integer. */
static void put_int(struct out *o, double v)
{
    out_printf(o, "%.0f", v + 0.0);
}

void python_quote(struct out *o, struct str v)
{
    bool doubled = str_has(v, S("'")) && !str_has(v, S("\""));
    char quote = doubled ? '"' : '\'';
    out_char(o, quote);
    for (ptrdiff_t i = 0; i < v.n; i++) {
        unsigned char c = (unsigned char)v.p[i];
        if (c == '\\' || c == (unsigned char)quote)
            out_printf(o, "\\%c", c);
        else if (c == '\n' || c == '\r' || c == '\t')
            out_printf(o, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        else if (c < 0x20 || c == 0x7f)
            out_printf(o, "\\x%02x", c);
        else
            out_char(o, (char)c);
    }
    out_char(o, quote);
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

static void put_scalar(struct out *o, const cJSON *v)
{
    if (cJSON_IsString(v))
        python_quote(o, str_of(v->valuestring));
    else if (cJSON_IsBool(v))
        out_str(o, python_bool(cJSON_IsTrue(v)));
    else if (cJSON_IsNumber(v) && v->valuedouble == floor(v->valuedouble))
        put_int(o, v->valuedouble);
    else if (cJSON_IsNumber(v))
        out_real(o, v->valuedouble);
    else
        out_lit(o, "None");
}

/* Operands of a tensor list are one level deeper; cJSON bounds how deep an array nests,
 * and shapes are two levels at most, so deeper ones are cut to None. */
static void put_json(struct out *o, const cJSON *v, int depth)
{
    if (!cJSON_IsArray(v)) {
        put_scalar(o, v);
        return;
    }
    if (depth == 0) {
        out_lit(o, "None");
        return;
    }
    int n = 0;
    out_char(o, '(');
    for (const cJSON *x = v->child; x; x = x->next, n++) {
        if (n)
            out_lit(o, ", ");
        put_json(o, x, depth - 1);
    }
    out_c(o, n == 1 ? ",)" : ")");
}

void python_json(struct out *o, const cJSON *v)
{
    put_json(o, v, 4);
}

void param_none(struct param_list *l, const char *key)
{
    add(l, key, PERF_NONE, S("None"), S("None"));
}

void param_bool(struct param_list *l, const char *key, bool v)
{
    add(l, key, PERF_BOOL, python_bool(v), python_bool(v));
}

void param_int(struct param_list *l, const char *key, double v)
{
    if (isnan(v)) {
        param_none(l, key);
        return;
    }
    struct str text = str_printf(l->perm, "%.0f", v + 0.0);
    add(l, key, PERF_INT, text, text);
}

void param_real(struct param_list *l, const char *key, double v)
{
    char buf[32];
    int n = real_text(buf, v);
    struct str text = str_copy(l->perm, (struct str){buf, n});
    add(l, key, PERF_REAL, text, text);
}

void param_text(struct param_list *l, const char *key, struct str v)
{
    if (!v.p) {
        param_none(l, key);
        return;
    }
    struct out o;
    out_memory(&o);
    python_quote(&o, v);
    add(l, key, PERF_TEXT, str_copy(l->perm, v), out_text(&o, l->perm));
}

void param_python(struct param_list *l, const char *key, struct str text)
{
    add(l, key, PERF_TUPLE, text, text);
}

void param_json(struct param_list *l, const char *key, const cJSON *v)
{
    if (!v || cJSON_IsNull(v)) {
        param_none(l, key);
        return;
    }
    struct out o;
    out_memory(&o);
    python_json(&o, v);
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
            python_quote(&o, v[i]);
        else
            out_lit(&o, "None");
    }
    out_c(&o, n == 1 ? ",)" : ")");
    param_python(l, key, out_text(&o, l->perm));
}
