#include "analysis/extension_model.h"

#include "analysis/pattern_host_parts.h"
#include "ops/op_cost.h"
#include "perf/dtype.h"

#include <cjson/cJSON.h>
#include <lauxlib.h>
#include <math.h>
#include <string.h>

enum { PRECISION_BYTES = 16, PARAM_TEXT_BYTES = 200 };

/* ---- what a file may ask of a call --------------------------------------------------
 */

static const char call_functions[] =
    "function quote(name) return '`' .. name:gsub('`', \"'\") .. '`' end\n"
    "local nan = 0 / 0\n"
    "local function place(list, i)\n"
    "  if type(list) ~= 'table' then return nil end\n"
    "  return list[i < 0 and #list + 1 + i or i]\n"
    "end\n"
    "function rank(call, i)\n"
    "  local s = place(call.dims, i)\n"
    "  return type(s) == 'table' and #s or nan\n"
    "end\n"
    "function dim(call, i, j)\n"
    "  local d = place(place(call.dims, i), j)\n"
    "  return type(d) == 'number' and d or nan\n"
    "end\n"
    "function numel(call, i)\n"
    "  local n = 1.0\n"
    "  local s = place(call.dims, i)\n"
    "  if type(s) ~= 'table' then return nan end\n"
    "  for _, d in ipairs(s) do n = n * (type(d) == 'number' and d or nan) end\n"
    "  return n\n"
    "end\n"
    "function dtype(call, i)\n"
    "  local t = place(call.types, i)\n"
    "  return type(t) == 'string' and t or ''\n"
    "end\n"
    "function element_bytes(call, i) return type_bytes(dtype(call, i)) end\n"
    "function precision(call, i) return type_precision(dtype(call, i)) end\n"
    "function concrete(call, i)\n"
    "  local v = place(call.concrete, i)\n"
    "  return v == nil and '' or type(v) == 'table' and '' or tostring(v)\n"
    "end\n"
    "function concrete_number(call, i) return tonumber(concrete(call, i)) or nan end\n"
    "function concrete_true(call, i)\n"
    "  return concrete(call, i):lower() == 'true'\n"
    "end\n"
    "function contiguous(call, i)\n"
    "  local s, st = place(call.dims, i), place(call.strides, i)\n"
    "  if type(s) ~= 'table' or type(st) ~= 'table' or #s ~= #st then return false "
    "end\n"
    "  local want = 1\n"
    "  for k = #s, 1, -1 do\n"
    "    if s[k] ~= 1 and st[k] ~= want then return false end\n"
    "    want = want * s[k]\n"
    "  end\n"
    "  return true\n"
    "end\n";

static struct str check_str(lua_State *L, int i)
{
    size_t n;
    const char *p = luaL_checklstring(L, i, &n);
    return (struct str){p, (ptrdiff_t)n};
}

static int type_bytes(lua_State *L)
{
    lua_pushnumber(L, dtype_bytes(check_str(L, 1)));
    return 1;
}

static int type_precision(lua_State *L)
{
    struct str s = dtype_precision(check_str(L, 1));
    lua_pushlstring(L, s.p, (size_t)s.n);
    return 1;
}

void model_open(lua_State *L)
{
    lua_pushcfunction(L, type_bytes);
    lua_sandbox_global(L, "type_bytes");
    lua_pushcfunction(L, type_precision);
    lua_sandbox_global(L, "type_precision");
}

struct str model_functions(void)
{
    return str_of(call_functions);
}

/* ---- a call as Lua sees it ----------------------------------------------------------
 */

static void set_list(lua_State *L, const char *key, const struct cJSON *list)
{
    value_push_json_tree(L, list);
    lua_setfield(L, -2, key);
}

static void push_call(lua_State *L, const struct op_call *call)
{
    lua_newtable(L);
    lua_pushlstring(L, call->name.p, (size_t)call->name.n);
    lua_setfield(L, -2, "name");
    set_list(L, "dims", call->dims);
    set_list(L, "types", call->types);
    set_list(L, "strides", call->strides);
    set_list(L, "concrete", call->concrete);
    lua_newtable(L);
    for (int i = 0; i < call->n_kernels; i++) {
        lua_pushlstring(L, call->kernels[i].p, (size_t)call->kernels[i].n);
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

static int run_when(lua_State *L)
{
    struct model_job *job = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, job->m->when);
    push_call(L, job->call);
    lua_call(L, 1, 1);
    job->applies = lua_toboolean(L, -1);
    return 0;
}

/* ---- figures ------------------------------------------------------------------------
 */

/* NaN is an argument that was not there; a negative figure is a mistake of the model.
 */
static double result_number(lua_State *L, const char *key)
{
    int type = lua_getfield(L, 2, key);
    if (type != LUA_TNUMBER && type != LUA_TNIL)
        luaL_error(L, "%s must be a number, not a %s", key, luaL_typename(L, -1));
    double v = type == LUA_TNUMBER ? lua_tonumber(L, -1) : (double)NAN;
    lua_pop(L, 1);
    if (v < 0)
        luaL_error(L, "%s is negative", key);
    return v;
}

static struct str result_precision(lua_State *L, struct arena *perm)
{
    if (lua_getfield(L, 2, "precision") == LUA_TNIL)
        return S("");
    struct str s = check_str(L, -1);
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
                   str_copy(job->perm, str_head(check_str(L, -1), PARAM_TEXT_BYTES)));
        break;
    default:
        luaL_error(L, "params.%s is a %s", k, luaL_typename(L, -1));
    }
}

/* In the order of the keys: the order of a Lua table is none. */
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
            lua_sandbox_spend(L, 1);
            if (lua_type(L, -2) != LUA_TSTRING)
                luaL_error(L, "params must have names");
            struct str key = check_str(L, -2);
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
        lua_pushlstring(L, last.p, (size_t)last.n);
        lua_rawget(L, list);
        add_param(L, job, last);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static int run_cost(lua_State *L)
{
    struct model_job *job = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, job->m->cost);
    push_call(L, job->call);
    lua_call(L, 1, 1);
    job->applies = lua_toboolean(L, 2);
    if (!job->applies)
        return 0;
    if (lua_type(L, 2) != LUA_TTABLE)
        luaL_error(L, "%s: cost must return a table, not a %s", job->m->file->box.name,
                   luaL_typename(L, 2));
    job->flop = result_number(L, "flop");
    job->byte = result_number(L, "byte");
    job->precision = result_precision(L, job->perm);
    read_params(L, job);
    return 0;
}

/* ---- the hook -----------------------------------------------------------------------
 */

static void model_failed(struct host_model *m, const struct sandbox_error *e)
{
    struct pattern_host *h = m->host;
    m->failed = true;
    host_warn(h, str_of(m->file->box.name),
              str_printf(h->perm,
                         "model %.*s of %s failed, its rows have no figures: %s",
                         STRF(m->op), m->file->box.name, e->text));
}

/* perf_model.cost of every user model: `a->model` tells which. */
static void user_cost(struct op_args *a, struct cost *c)
{
    /* The model was made in extension_declare.c and is the first member there. */
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
    m->calls += isfinite(job.flop) != 0; /* NaN: not known, no figure */
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

/* The file that was named last is asked first. */
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
