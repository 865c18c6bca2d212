#include "analysis/lua/extension_model.h"

#include "analysis/lua/lua_bytes.h"
#include "analysis/lua/pattern_host_parts.h"
#include "ops/op_cost.h"
#include "perf/dtype.h"
#include "perf/own/kernel_types.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

enum { PRECISION_BYTES = 16, PARAM_TEXT_BYTES = 200 };

static int type_bytes(lua_State *L)
{
    lua_pushnumber(L, dtype_bytes(host_text(L, 1)));
    return 1;
}

static int type_precision(lua_State *L)
{
    struct str s = dtype_precision(host_text(L, 1));
    host_push_text(L, s);
    return 1;
}

static int kernel_bytes(lua_State *L)
{
    lua_pushnumber(L, kernel_type_bytes(host_text(L, 1)));
    return 1;
}

void model_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"type_bytes", type_bytes},
                                         {"type_precision", type_precision},
                                         {"kernel_bytes", kernel_bytes},
                                         {NULL, NULL}};
    lua_sandbox_functions(L, functions);
}

struct str model_functions(void)
{
    return (struct str){extension_call_at, extension_call_end - extension_call_at};
}

static void set_list(lua_State *L, const char *key, const struct value *list)
{
    value_push_recorded(L, list);
    lua_setfield(L, -2, key);
}

static void push_call(lua_State *L, const struct op_call *call)
{
    lua_newtable(L);
    host_push_text(L, call->name);
    lua_setfield(L, -2, "name");
    set_list(L, "dims", call->args.dims);
    set_list(L, "types", call->args.types);
    set_list(L, "strides", call->args.strides);
    set_list(L, "concrete", call->args.concrete);
    lua_newtable(L);
    for (int i = 0; i < call->n_kernels; i++) {
        host_push_text(L, call->kernels[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "kernels");
}

struct model_job {
    struct host_model *m;
    const struct op_call *call;
    bool applies;
    struct arena *perm;
    double flop, byte;
    struct str precision;
    struct param_list *params;
};

/* Call a function of the model with the call: its answer is at 2. */
static void ask_model(lua_State *L, struct model_job *job, int function)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, function);
    push_call(L, job->call);
    lua_call(L, 1, 1);
    job->applies = lua_toboolean(L, 2);
}

static int run_when(lua_State *L)
{
    struct model_job *job = lua_touserdata(L, 1);
    ask_model(L, job, job->m->when);
    return 0;
}

static struct str result_precision(lua_State *L, struct arena *perm)
{
    if (lua_getfield(L, 2, "precision") == LUA_TNIL)
        return S("");
    struct str s = host_text(L, -1);
    for (ptrdiff_t i = 0; i < s.n; i++)
        if (s.n > PRECISION_BYTES ||
            !strchr("abcdefghijklmnopqrstuvwxyz0123456789_", s.p[i]))
            luaL_error(L, "precision must be a word such as bf16");
    s = str_copy(perm, s);
    lua_pop(L, 1);
    return s;
}

static void add_param(lua_State *L, struct model_job *job, struct str key)
{
    const char *k = str_c(job->perm, key);
    if (job->params->n == PARAMS_MAX)
        luaL_error(L, "more than %d params", PARAMS_MAX);
    switch (lua_type(L, -1)) {
    case LUA_TBOOLEAN:
        param_bool(job->params, k, lua_toboolean(L, -1));
        break;
    case LUA_TNUMBER: {
        double v = lua_tonumber(L, -1);
        if (v == floor(v))
            param_int(job->params, k, v);
        else
            param_real(job->params, k, v);
        break;
    }
    case LUA_TSTRING:
        param_text(job->params, k,
                   str_copy(job->perm, str_head(host_text(L, -1), PARAM_TEXT_BYTES)));
        break;
    default:
        luaL_error(L, "params.%s is a %s", k, luaL_typename(L, -1));
    }
}

/* In key order: a Lua table has no order. */
static void read_params(lua_State *L, struct model_job *job)
{
    if (lua_getfield(L, 2, "params") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    luaL_checktype(L, -1, LUA_TTABLE);
    int list = lua_gettop(L);
    struct str last = S("");
    for (bool more = true; more;) {
        struct str next = S("");
        more = false;
        for (lua_pushnil(L); lua_next(L, list); lua_pop(L, 1)) {
            lua_limits_spend(L, 1);
            if (lua_type(L, -2) != LUA_TSTRING)
                luaL_error(L, "params must have names");
            struct str key = host_text(L, -2);
            if (key.n == 0 || key.n > PARAM_TEXT_BYTES ||
                memchr(key.p, '\0', (size_t)key.n))
                luaL_error(L, "params must have short names");
            if (str_cmp(key, last) > 0 && (!more || str_cmp(key, next) < 0)) {
                next = key;
                more = true;
            }
        }
        if (!more)
            break;
        last = str_copy(job->perm, next);
        host_push_text(L, last);
        lua_rawget(L, list);
        add_param(L, job, last);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* A misspelt key would be a figure that is silently unknown. The first by name, as the
 * order of a Lua table changes. */
static void check_keys(lua_State *L)
{
    static const char known[] = "flop byte precision params";
    const char *unknown = NULL;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        lua_limits_spend(L, 1);
        const char *key =
            lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "[...]";
        if (!str_among(str_of(key), known) && (!unknown || strcmp(key, unknown) < 0))
            unknown = key;
    }
    if (unknown)
        luaL_error(L,
                   "cost has the key %s; those known are flop, byte, precision and "
                   "params",
                   unknown);
}

static int run_cost(lua_State *L)
{
    struct model_job *job = lua_touserdata(L, 1);
    ask_model(L, job, job->m->cost);
    if (!job->applies)
        return 0;
    if (lua_type(L, 2) != LUA_TTABLE)
        luaL_error(L, "%s: cost must return a table, not a %s", job->m->file->box.name,
                   luaL_typename(L, 2));
    check_keys(L);
    job->flop = host_get_figure(L, 2, "flop");
    job->byte = host_get_figure(L, 2, "byte");
    job->precision = result_precision(L, job->perm);
    read_params(L, job);
    return 0;
}

static void model_failed(struct host_model *m, const struct sandbox_error *e)
{
    m->failed = true;
    host_warn(m->file, S(""), "model %.*s of %s failed, its rows have no figures: %s",
              STRF(m->op), m->file->box.name, e->text);
}

/* perf_model.cost of every user model: `a->model` says which. */
static void user_cost(struct op_args *a, struct cost *c)
{
    /* extension_declare.c makes the model, as the first member of its struct. */
    struct host_model *m = (struct host_model *)(uintptr_t)a->model;
    struct model_job job = {.m = m,
                            .call = a->call,
                            .perm = a->perm,
                            .params = &c->params,
                            .precision = S("")};
    struct sandbox_error e;
    if (m->failed) {
        args_fail(a);
        return;
    }
    bool ran = lua_sandbox_do(&m->file->box, run_cost, &job, &e);
    if (!ran)
        model_failed(m, &e);
    if (!ran || !job.applies) {
        args_fail(a);
        return;
    }
    m->calls += isfinite(job.flop) != 0; /* NaN: unknown, no figure */
    c->flop = job.flop;
    c->byte = job.byte;
    c->precision = job.precision;
}

static bool applies(struct host_model *m, const struct op_call *call)
{
    struct model_job job = {.m = m, .call = call};
    struct sandbox_error e;
    if (!host_op_matches(m->file, m->op, m->is_pattern, call->name))
        return false;
    if (m->when == LUA_NOREF || m->failed)
        return true;
    if (lua_sandbox_do(&m->file->box, run_when, &job, &e))
        return job.applies;
    model_failed(m, &e);
    return true;
}

/* The file named last is asked first. */
static const struct perf_model *find_model(void *context, const struct op_call *call)
{
    struct pattern_host *h = context;
    for (int i = h->n_models - 1; i >= 0; i--)
        if (applies(h->models[i], call))
            return &h->models[i]->base;
    return NULL;
}

const struct cost_override *pattern_host_models(struct pattern_host *h)
{
    if (h->n_models == 0)
        return NULL;
    for (int i = 0; i < h->n_models; i++)
        h->models[i]->base.cost = user_cost;
    h->override = (struct cost_override){h, find_model};
    return &h->override;
}
