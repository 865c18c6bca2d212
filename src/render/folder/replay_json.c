#include "render/folder/replay_json.h"

#include "base/out.h"
#include "export/json_text.h"
#include "export/json_tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

/* All digits: a double would round a large size. */
static cJSON *whole(int64_t v)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%lld", (long long)v);
    return cJSON_CreateRaw(text);
}

/* 2. stays 2.0: a whole number would change the type of the result. */
static cJSON *real(double v)
{
    struct out o;
    out_memory(&o);
    out_real(&o, v);
    out_char(&o, '\0');
    cJSON *item = cJSON_CreateRaw(out_view(&o).p);
    out_free(&o);
    return item;
}

static cJSON *sizes(const int64_t *at, int32_t n)
{
    cJSON *list = json_list();
    for (int32_t i = 0; i < n; i++)
        json_push(list, whole(at[i]));
    return list;
}

static cJSON *tensor(const struct replay_tensor *t)
{
    static const char *const fills[REPLAY_FILLS] = {
        [REPLAY_FILL_NORMAL] = "normal",       [REPLAY_FILL_RANDINT] = "randint",
        [REPLAY_FILL_BERNOULLI] = "bernoulli", [REPLAY_FILL_ZEROS] = "zeros",
        [REPLAY_FILL_ONES] = "ones",
    };
    cJSON *o =
        json_object(J("shape", sizes(t->shape, t->n_dims)), J("dtype", t->dtype),
                    J("strides", sizes(t->strides, t->n_dims)), J("storage_offset", 0),
                    json_opt("init", str_of(fills[t->fill])));
    if (t->fill == REPLAY_FILL_RANDINT)
        json_put(o, J("low", whole(t->low)), J("high", whole(t->high)));
    if (t->dtype_assumed)
        json_put(o, J("dtype_assumed", t->dtype_assumed));
    if (t->place)
        json_put(o, J("place", t->place == REPLAY_PINNED ? "pinned" : "host"));
    if (t->strides_assumed)
        json_put(o, J("strides_assumed", t->strides_assumed));
    return o;
}

static cJSON *value(const struct replay_value *v)
{
    cJSON *list;
    switch (v->kind) {
    case REPLAY_NULL:
        return cJSON_CreateNull();
    case REPLAY_TENSOR:
        return tensor(v->tensors);
    case REPLAY_INT:
        return whole(v->i);
    case REPLAY_REAL:
        return real(v->r);
    case REPLAY_BOOL:
        return cJSON_CreateBool(v->b);
    case REPLAY_TEXT:
        return json_text(NULL, v->text).value;
    case REPLAY_TENSORS:
    case REPLAY_LIST:
        break;
    }
    list = json_list();
    for (int32_t i = 0; i < v->n; i++)
        json_push(list, v->kind == REPLAY_LIST ? value(&v->items[i])
                                               : tensor(&v->tensors[i]));
    return list;
}

/* `tree` on its own line, after `before`: the break, the indent, the key. */
static void line(struct out *o, const char *before, cJSON *tree)
{
    out_c(o, before);
    json_tree(o, tree, JSON_LINE);
    cJSON_Delete(tree);
}

static void arguments(struct out *o, const struct replay_call *c, bool keyword)
{
    const char *before = "[\n        ";
    for (int32_t i = 0; i < c->n_args; i++) {
        const struct replay_arg *a = &c->args[i];
        if (a->keyword != keyword)
            continue;
        cJSON *arg = json_object(J("arg_name", a->name), J("arg_type", a->type),
                                 J("value", value(&a->value)));
        if (a->is_default)
            json_put(arg, J("default", a->is_default));
        if (a->value_assumed)
            json_put(arg, J("value_assumed", a->value_assumed));
        line(o, before, arg);
        before = ",\n        ";
    }
    out_c(o, before[0] == '[' ? "[]" : "\n      ]");
}

/* An unknown figure is left out. */
static struct json_member known(const char *key, double v)
{
    return json_exact(isfinite(v) ? key : NULL, v);
}

static cJSON *observed(const struct replay_call *c, struct str device)
{
    return json_object(J(device.n ? "device" : NULL, device),
                       known("mean_us", c->mean_us), known("min_us", c->min_us),
                       known("max_us", c->max_us),
                       json_texts("kernels", c->kernels, c->n_kernels));
}

static void call(struct out *o, const struct replay_call *c, struct str device)
{
    line(o, "  {\n    \"op_name\": ", json_text(NULL, c->op).value);
    line(o, ",\n    \"count\": ", whole(c->count));
    line(o, ",\n    \"source_uid\": ", whole(c->source_uid));
    line(o, ",\n    \"schema_resolved\": ", cJSON_CreateBool(c->schema.n > 0));
    if (c->schema.n)
        line(o, ",\n    \"schema\": ", json_text(NULL, c->schema).value);
    out_lit(o, ",\n    \"replay_ir\": {\n      \"list_pos_args\": ");
    arguments(o, c, false);
    out_lit(o, ",\n      \"list_kwargs\": ");
    arguments(o, c, true);
    out_lit(o, "\n    }");
    line(o, ",\n    \"observed\": ", observed(c, device));
    if (isfinite(c->flop) || isfinite(c->byte))
        line(o, ",\n    \"work\": ",
             json_object(known("flop", c->flop), known("byte", c->byte)));
    line(o, ",\n    \"event\": {\n      \"Input Dims\": ",
         json_recorded(c->recorded.dims));
    line(o, ",\n      \"Input type\": ", json_recorded(c->recorded.types));
    line(o, ",\n      \"Input Strides\": ", json_recorded(c->recorded.strides));
    line(o, ",\n      \"Concrete Inputs\": ", json_recorded(c->recorded.concrete));
    out_lit(o, "}\n  }");
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
