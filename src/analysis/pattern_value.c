/* Rows, categories and the trace as Lua sees them: read-only objects over the structs,
 * nothing is copied before it is asked for. */
#include "analysis/pattern_host_parts.h"

#include "analysis/work_facts.h"

#include <cjson/cJSON.h>
#include <lauxlib.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { JSON_LEVELS = 8, NAME_BYTES = 4096 };

static const char analysis_key;

static const struct analysis *analysis_of(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &analysis_key);
    const struct analysis *a = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return a;
}

void value_set_analysis(lua_State *L, const struct analysis *a)
{
    lua_pushlightuserdata(L, (void *)(uintptr_t)a); /* Lua knows no const */
    lua_rawsetp(L, LUA_REGISTRYINDEX, &analysis_key);
}

/* ---- objects ------------------------------------------------------------------------
 */

static void push_object(lua_State *L, const char *kind, const void *p)
{
    *(const void **)lua_newuserdatauv(L, sizeof p, 0) = p;
    luaL_setmetatable(L, kind);
}

static const void *object(lua_State *L, int index, const char *kind)
{
    const void **p = luaL_checkudata(L, index, kind);
    return *p;
}

static int same_object(lua_State *L)
{
    const void **a = lua_touserdata(L, 1), **b = lua_touserdata(L, 2);
    lua_pushboolean(L, a && b && *a == *b);
    return 1;
}

void value_push_row(lua_State *L, const struct work_row *row)
{
    push_object(L, "row", row);
}

const struct work_row *value_to_row(lua_State *L, int index)
{
    const void **p = luaL_testudata(L, index, "row");
    return p ? *p : NULL;
}

void value_push_category(lua_State *L, const struct category_result *c)
{
    push_object(L, "category", c);
}

/* ---- parts of values ----------------------------------------------------------------
 */

static void push_str(lua_State *L, struct str s)
{
    s = str_head(s, NAME_BYTES);
    lua_pushlstring(L, s.n ? s.p : "", (size_t)s.n);
}

static void push_strs(lua_State *L, const struct str *s, int n)
{
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        push_str(L, s[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_json(lua_State *L, const struct cJSON *v, int level)
{
    luaL_checkstack(L, 4, "nested lists");
    if (cJSON_IsNumber(v)) {
        lua_pushnumber(L, v->valuedouble);
    } else if (cJSON_IsString(v)) {
        push_str(L, str_of(v->valuestring));
    } else if (cJSON_IsBool(v)) {
        lua_pushboolean(L, cJSON_IsTrue(v));
    } else {
        lua_newtable(L);
        int n = 0;
        const struct cJSON *i;
        if (cJSON_IsArray(v) && level < JSON_LEVELS)
            cJSON_ArrayForEach(i, v)
            {
                lua_sandbox_spend(L, 1);
                push_json(L, i, level + 1);
                lua_rawseti(L, -2, ++n);
            }
    }
}

void value_push_json_tree(lua_State *L, const struct cJSON *v)
{
    push_json(L, v, 0);
}

/* Freed by Lua, also when pushing fails half-way. */
static int free_json(lua_State *L)
{
    struct cJSON **v = lua_touserdata(L, 1);
    cJSON_Delete(*v);
    *v = NULL;
    return 0;
}

static void push_json_text(lua_State *L, struct str text)
{
    struct cJSON **v = lua_newuserdatauv(L, sizeof *v, 0);
    *v = NULL;
    luaL_setmetatable(L, "json");
    if (text.n)
        *v = cJSON_ParseWithLength(text.p, (size_t)text.n);
    push_json(L, *v, 0);
    cJSON_Delete(*v);
    *v = NULL;
    lua_remove(L, -2);
}

/* ---- a row --------------------------------------------------------------------------
 */

#define AT(member) offsetof(struct work_row, member)
static const struct {
    const char *key;
    size_t at; /* of a double */
} row_numbers[] = {
    {"time_ms", AT(time_ms)},
    {"mean_us", AT(mean_us)},
    {"p", AT(compute_pct)},
    {"pcat", AT(category_pct)},
    {"q", AT(total_pct)},
    {"efficiency", AT(efficiency.percent)},
    {"tflops", AT(efficiency.tflop_per_s)},
    {"tbs", AT(efficiency.tb_per_s)},
    {"ai", AT(efficiency.flop_per_byte)},
    {"peak_tflops", AT(efficiency.peak_tflop_per_s)},
    {"peak_tbs", AT(efficiency.peak_tb_per_s)},
    {"cov", AT(cov)},
};
#undef AT

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool push_row_number(lua_State *L, const struct work_row *r, const char *key)
{
    for (size_t i = 0; i < sizeof row_numbers / sizeof *row_numbers; i++)
        if (is(row_numbers[i].key, key)) {
            double v;
            memcpy(&v, (const char *)r + row_numbers[i].at, sizeof v);
            bool unknown_peak = v == 0 && strncmp(key, "peak", 4) == 0;
            lua_pushnumber(L, unknown_peak ? (double)NAN : v);
            return true;
        }
    if (is(key, "count"))
        lua_pushinteger(L, r->count);
    else if (is(key, "top_rank"))
        lua_pushinteger(L, r->top_rank);
    else if (is(key, "claimed"))
        lua_pushinteger(L, r->claimed_by >= 0);
    else if (is(key, "warning"))
        lua_pushboolean(L, r->efficiency.warning);
    else if (is(key, "anomaly"))
        lua_pushboolean(L, r->efficiency.anomaly);
    else if (is(key, "high_variance"))
        lua_pushboolean(L, r->high_variance);
    else
        return false;
    return true;
}

static struct str bound_name(enum roofline_bound b)
{
    return b == BOUND_COMPUTE ? S("compute") : b == BOUND_MEMORY ? S("memory") : S("");
}

static bool push_row_text(lua_State *L, const struct work_row *r, const char *key)
{
    const struct op_call_row *first = r->group ? r->group->first : NULL;
    struct str s;
    if (is(key, "name") || is(key, "op"))
        s = first ? first->name : S("");
    else if (is(key, "op_category"))
        s = first ? first->category : S("");
    else if (is(key, "category"))
        s = work_category_name(r->category);
    else if (is(key, "bound"))
        s = bound_name(r->efficiency.bound);
    else if (is(key, "spec"))
        s = r->efficiency.compute_spec;
    else if (is(key, "args"))
        s = r->args;
    else if (is(key, "library"))
        s = r->library;
    else if (is(key, "launcher"))
        s = r->launcher_path;
    else
        return false;
    push_str(L, s);
    return true;
}

static void push_kernels(lua_State *L, const struct op_group *g)
{
    lua_newtable(L);
    for (int32_t i = 0; g && i < g->n_kernels; i++) {
        const struct kernel_detail *k = &g->kernels[i];
        lua_createtable(L, 0, 4);
        push_str(L, k->name);
        lua_setfield(L, -2, "name");
        lua_pushinteger(L, k->n);
        lua_setfield(L, -2, "count");
        lua_pushnumber(L, k->total_us);
        lua_setfield(L, -2, "total_us");
        lua_pushnumber(L, k->mean_us);
        lua_setfield(L, -2, "mean_us");
        lua_rawseti(L, -2, i + 1);
    }
}

static struct str argument_text(lua_State *L, const struct work_row *r, const char *key)
{
    const struct analysis *a = analysis_of(L);
    const struct op_texts *t = r->group ? r->group->texts : NULL;
    if (!t || !a || !a->tables)
        return S("");
    name_id id = is(key, "dims")      ? t->dims
                 : is(key, "types")   ? t->types
                 : is(key, "strides") ? t->strides
                                      : t->concrete;
    return pool_text(&a->tables->view->s->names, id);
}

static bool push_row_list(lua_State *L, const struct work_row *r, const char *key)
{
    if (is(key, "kernels"))
        push_kernels(L, r->group);
    else if (is(key, "modules"))
        push_strs(L, r->module_chain, r->n_modules);
    else if (is(key, "dims") || is(key, "types") || is(key, "strides") ||
             is(key, "concrete"))
        push_json_text(L, argument_text(L, r, key));
    else
        return false;
    return true;
}

static bool push_fact(lua_State *L, const struct work_fact *facts, int n,
                      enum fact_kind kind, const char *key)
{
    if (kind == FACT_NONE)
        return false;
    for (int i = 0; i < n; i++)
        if (is(facts[i].key, key)) {
            if (kind == FACT_TEXT)
                push_str(L, facts[i].text);
            else
                lua_pushnumber(L, facts[i].number);
            return true;
        }
    if (kind == FACT_TEXT)
        lua_pushliteral(L, "");
    else
        lua_pushnumber(L, (double)NAN);
    return true;
}

bool value_push_row_field(lua_State *L, const struct work_row *r, const char *key)
{
    return push_row_number(L, r, key) || push_row_text(L, r, key) ||
           push_row_list(L, r, key) ||
           push_fact(L, r->facts, r->n_facts, work_row_fact_kind(str_of(key)), key);
}

static int row_index(lua_State *L)
{
    const struct work_row *r = object(L, 1, "row");
    const char *key = luaL_checkstring(L, 2);
    if (!value_push_row_field(L, r, key))
        return luaL_error(L, "a row has no '%s'", key);
    return 1;
}

/* ---- a category, and the trace ------------------------------------------------------
 */

static int rows_index(lua_State *L)
{
    const struct category_result *c = object(L, 1, "rows");
    lua_Integer i = luaL_checkinteger(L, 2);
    if (i < 1 || i > c->n_rows)
        lua_pushnil(L);
    else
        value_push_row(L, &c->rows[i - 1]);
    return 1;
}

static int rows_length(lua_State *L)
{
    const struct category_result *c = object(L, 1, "rows");
    lua_pushinteger(L, c->n_rows);
    return 1;
}

static int category_index(lua_State *L)
{
    const struct category_result *c = object(L, 1, "category");
    const char *key = luaL_checkstring(L, 2);
    if (is(key, "name"))
        push_str(L, work_category_name(c->category));
    else if (is(key, "rows"))
        push_object(L, "rows", c);
    else if (is(key, "trace"))
        push_object(L, "trace", analysis_of(L));
    else if (is(key, "count"))
        lua_pushinteger(L, c->operation_count);
    else if (is(key, "time_ms"))
        lua_pushnumber(L, c->time_ms);
    else if (is(key, "pc"))
        lua_pushnumber(L, c->compute_pct);
    else if (is(key, "q"))
        lua_pushnumber(L, c->total_pct);
    else if (is(key, "average_efficiency"))
        lua_pushnumber(L, c->average_efficiency_pct);
    else if (!push_fact(L, c->facts, c->n_facts, work_category_fact_kind(str_of(key)),
                        key))
        return luaL_error(L, "a category has no '%s'", key);
    return 1;
}

static int trace_index(lua_State *L)
{
    const struct analysis *a = object(L, 1, "trace");
    const char *key = luaL_checkstring(L, 2);
    if (is(key, "total_ms"))
        lua_pushnumber(L, a->total_ms);
    else if (is(key, "computation_ms"))
        lua_pushnumber(L, a->computation_ms);
    else if (is(key, "idle_ms"))
        lua_pushnumber(L, a->idle_ms);
    else if (is(key, "exposed_comm_ms"))
        lua_pushnumber(L, a->exposed_comm_ms);
    else if (is(key, "exposed_memcpy_ms"))
        lua_pushnumber(L, a->exposed_memcpy_ms);
    else {
        for (int c = 0; c < WORK_CATEGORIES; c++)
            if (str_eq(work_category_name((enum work_category)c), str_of(key))) {
                value_push_category(L, &a->categories[c]);
                return 1;
            }
        return luaL_error(L, "the trace has no '%s'", key);
    }
    return 1;
}

static void open_kind(lua_State *L, const char *kind, lua_CFunction index)
{
    luaL_newmetatable(L, kind);
    lua_pushcfunction(L, index);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, same_object);
    lua_setfield(L, -2, "__eq");
}

void value_open(lua_State *L)
{
    open_kind(L, "row", row_index);
    open_kind(L, "category", category_index);
    open_kind(L, "trace", trace_index);
    open_kind(L, "rows", rows_index);
    lua_pushcfunction(L, rows_length);
    lua_setfield(L, -2, "__len");
    luaL_newmetatable(L, "json");
    lua_pushcfunction(L, free_json);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 5);
}
