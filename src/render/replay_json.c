#include "render/replay_json.h"

#include "base/out.h"
#include "render/json_text.h"

#include <cjson/cJSON.h>
#include <math.h>

static const char *const fills[REPLAY_FILLS] = {
    [REPLAY_FILL_NONE] = "null",           [REPLAY_FILL_NORMAL] = "\"normal\"",
    [REPLAY_FILL_RANDINT] = "\"randint\"", [REPLAY_FILL_BERNOULLI] = "\"bernoulli\"",
    [REPLAY_FILL_ZEROS] = "\"zeros\"",     [REPLAY_FILL_ONES] = "\"ones\"",
};

static void sizes(struct out *o, const int64_t *at, int32_t n)
{
    out_char(o, '[');
    for (int32_t i = 0; i < n; i++) {
        if (i)
            out_lit(o, ", ");
        out_i64(o, at[i]);
    }
    out_char(o, ']');
}

static void tensor(struct out *o, const struct replay_tensor *t)
{
    out_lit(o, "{\"shape\": ");
    sizes(o, t->shape, t->n_dims);
    out_lit(o, ", \"dtype\": ");
    json_string(o, t->dtype);
    out_lit(o, ", \"strides\": ");
    sizes(o, t->strides, t->n_dims);
    out_lit(o, ", \"storage_offset\": 0, \"init\": ");
    out_c(o, fills[t->fill]);
    if (t->fill == REPLAY_FILL_RANDINT) {
        out_lit(o, ", \"low\": ");
        out_i64(o, t->low);
        out_lit(o, ", \"high\": ");
        out_i64(o, t->high);
    }
    if (t->dtype_assumed)
        out_lit(o, ", \"dtype_assumed\": true");
    if (t->place)
        out_printf(o, ", \"place\": \"%s\"",
                   t->place == REPLAY_PINNED ? "pinned" : "host");
    if (t->strides_assumed)
        out_lit(o, ", \"strides_assumed\": true");
    out_char(o, '}');
}

static void scalar(struct out *o, const struct replay_value *v)
{
    if (v->kind == REPLAY_INT)
        out_i64(o, v->i);
    else if (v->kind == REPLAY_REAL)
        out_real(
            o, v->r); /* 2. stays 2.0: a whole number would change the result's type */
    else if (v->kind == REPLAY_BOOL)
        out_c(o, v->b ? "true" : "false");
    else
        json_string(o, v->text);
}

static void value(struct out *o, const struct replay_value *v)
{
    switch (v->kind) {
    case REPLAY_NULL:
        out_lit(o, "null");
        break;
    case REPLAY_TENSOR:
        tensor(o, v->tensors);
        break;
    case REPLAY_TENSORS:
    case REPLAY_LIST:
        out_char(o, '[');
        for (int32_t i = 0; i < v->n; i++) {
            if (i)
                out_lit(o, ", ");
            if (v->kind == REPLAY_LIST)
                scalar(o, &v->items[i]);
            else
                tensor(o, &v->tensors[i]);
        }
        out_char(o, ']');
        break;
    default:
        scalar(o, v);
    }
}

static void arguments(struct out *o, const struct replay_call *c, bool keyword)
{
    bool some = false;
    out_char(o, '[');
    for (int32_t i = 0; i < c->n_args; i++) {
        const struct replay_arg *a = &c->args[i];
        if (a->keyword != keyword)
            continue;
        out_c(o, some ? ",\n        " : "\n        ");
        some = true;
        out_lit(o, "{\"arg_name\": ");
        json_string(o, a->name);
        out_lit(o, ", \"arg_type\": ");
        json_string(o, a->type);
        out_lit(o, ", \"value\": ");
        value(o, &a->value);
        if (a->is_default)
            out_lit(o, ", \"default\": true");
        if (a->value_assumed)
            out_lit(o, ", \"value_assumed\": true");
        out_char(o, '}');
    }
    out_c(o, some ? "\n      ]" : "]");
}

static void number(struct out *o, const char *key, double v, bool *some)
{
    if (!isfinite(v))
        return;
    out_printf(o, "%s\"%s\": ", *some ? ", " : "", key);
    json_real(o, v);
    *some = true;
}

static void observed(struct out *o, const struct replay_call *c, struct str device)
{
    bool some = device.n > 0;
    out_lit(o, ",\n    \"observed\": {");
    if (some) {
        out_lit(o, "\"device\": ");
        json_string(o, device);
    }
    number(o, "mean_us", c->mean_us, &some);
    number(o, "min_us", c->min_us, &some);
    number(o, "max_us", c->max_us, &some);
    out_c(o, some ? ", \"kernels\": [" : "\"kernels\": [");
    for (int32_t k = 0; k < c->n_kernels; k++) {
        if (k)
            out_lit(o, ", ");
        json_string(o, c->kernels[k]);
    }
    out_lit(o, "]}");
    if (isfinite(c->flop) || isfinite(c->byte)) {
        some = false;
        out_lit(o, ",\n    \"work\": {");
        number(o, "flop", c->flop, &some);
        number(o, "byte", c->byte, &some);
        out_char(o, '}');
    }
}

/* The trace's own text, through a parser: what is embedded is strict JSON. */
static void recorded(struct out *o, const char *key, struct str json, bool last)
{
    cJSON *tree = cJSON_ParseWithLength(json.p, (size_t)json.n);
    out_printf(o, "\n      \"%s\": ", key);
    if (tree)
        json_tree(o, tree, JSON_LINE);
    else
        out_lit(o, "null");
    out_c(o, last ? "}" : ",");
    cJSON_Delete(tree);
}

static void call(struct out *o, const struct replay_call *c, struct str device)
{
    out_lit(o, "  {\n    \"op_name\": ");
    json_string(o, c->op);
    out_lit(o, ",\n    \"count\": ");
    out_i64(o, c->count);
    out_lit(o, ",\n    \"source_uid\": ");
    out_i64(o, c->source_uid);
    out_printf(o, ",\n    \"schema_resolved\": %s", c->schema.n ? "true" : "false");
    if (c->schema.n) {
        out_lit(o, ",\n    \"schema\": ");
        json_string(o, c->schema);
    }
    out_lit(o, ",\n    \"replay_ir\": {\n      \"list_pos_args\": ");
    arguments(o, c, false);
    out_lit(o, ",\n      \"list_kwargs\": ");
    arguments(o, c, true);
    out_lit(o, "\n    }");
    observed(o, c, device);
    out_lit(o, ",\n    \"event\": {");
    recorded(o, "Input Dims", c->recorded.dims, false);
    recorded(o, "Input type", c->recorded.types, false);
    recorded(o, "Input Strides", c->recorded.strides, false);
    recorded(o, "Concrete Inputs", c->recorded.concrete, true);
    out_lit(o, "\n  }");
}

void replay_json(struct out *o, const struct replay_package *p)
{
    out_lit(o, "[\n");
    for (int32_t i = 0; i < p->n_calls; i++) {
        call(o, &p->calls[i], p->device);
        out_c(o, i + 1 < p->n_calls ? ",\n" : "\n");
    }
    out_lit(o, "]\n");
}
