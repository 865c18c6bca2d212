/* Rows, categories and the trace as Lua sees them: read-only objects over the structs;
 * values are copied only when read. */
#include "analysis/lua/pattern_host_parts.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/work_facts.h"
#include "base/describe.h"
#include "ops/op_tables.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

enum { VALUE_LEVELS = 8, NAME_BYTES = 4096 };

static const char analysis_key;
static const char row_kind[] = "row", category_kind[] = "category",
                  trace_kind[] = "trace", group_kind[] = "group", rows_kind[] = "rows";

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

static void push_object(lua_State *L, const char *kind, const void *p)
{
    *(const void **)lua_newuserdatauv(L, sizeof p, 0) = p;
    luaL_setmetatable(L, kind);
}

/* The same for what one pattern after the other is asked about: a kept object of it is
 * pushed again, as long as it is the last one of its kind. */
static void push_kept(lua_State *L, const char *kind, const void *p)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, kind) == LUA_TUSERDATA &&
        *(const void **)lua_touserdata(L, -1) == p)
        return;
    lua_pop(L, 1);
    push_object(L, kind, p);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, kind);
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
    push_kept(L, row_kind, row);
}

const struct work_row *value_to_row(lua_State *L, int index)
{
    const void **p = luaL_testudata(L, index, row_kind);
    return p ? *p : NULL;
}

void value_push_category(lua_State *L, const struct category_result *c)
{
    push_kept(L, category_kind, c);
}

void value_push_trace(lua_State *L)
{
    push_kept(L, trace_kind, analysis_of(L));
}

void value_push_group(lua_State *L, const struct group_facts *g)
{
    push_object(L, group_kind, g);
}

static void push_str(lua_State *L, struct str s)
{
    host_push_text(L, str_head(s, NAME_BYTES));
}

static void push_strs(lua_State *L, const struct str *s, int n)
{
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        push_str(L, s[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_value(lua_State *L, const struct value *v, int level)
{
    luaL_checkstack(L, 4, "nested lists");
    if (value_is(v, VALUE_NUMBER)) {
        lua_pushnumber(L, v->number);
    } else if (value_is(v, VALUE_TEXT)) {
        push_str(L, value_text(v));
    } else if (value_is(v, VALUE_BOOL)) {
        lua_pushboolean(L, v->number != 0);
    } else {
        lua_newtable(L);
        for (int i = 0; level < VALUE_LEVELS && i < value_count(v); i++) {
            lua_limits_spend(L, 1);
            push_value(L, &v->items[i], level + 1);
            lua_rawseti(L, -2, i + 1);
        }
    }
}

void value_push_recorded(lua_State *L, const struct value *v)
{
    push_value(L, v, 0);
}

static double known_peak(double v)
{
    return v != 0 ? v : (double)NAN;
}

TELL(double, peak_tflops, work_row, known_peak(it->efficiency.peak_tflop_per_s));
TELL(double, peak_tbs, work_row, known_peak(it->efficiency.peak_tb_per_s));
TELL(int64_t, claimed, work_row, it->claimed_by >= 0);
TELL(struct str, op_category, work_row,
     it->group && it->group->first ? it->group->first->category : S(""));

static FIELDS(work_row, F(time_ms, MS), F(mean_us, US), AS("p", compute_pct, PCT),
              AS("pcat", category_pct, PCT), AS("q", total_pct, PCT),
              AS("efficiency", efficiency.percent, PCT),
              AS("tflops", efficiency.tflop_per_s, RATE),
              AS("tbs", efficiency.tb_per_s, RATE),
              AS("ai", efficiency.flop_per_byte, RATE),
              CALL(peak_tflops, RATE, peak_tflops), CALL(peak_tbs, RATE, peak_tbs),
              F(cov, RATE), F(count, COUNT), AS("warning", efficiency.warning, FLAG),
              AS("anomaly", efficiency.anomaly, FLAG), F(high_variance, FLAG),
              F(name, TEXT), AS("op", name, TEXT),
              AS("spec", efficiency.compute_spec, TEXT), F(args, TEXT),
              F(library, TEXT), AS("launcher", launcher_path, TEXT),
              CALL(claimed, COUNT, claimed), F(top_rank, NUMBER),
              CALL(op_category, TEXT, op_category),
              ENUM(category, work_category_name, WORK_CATEGORIES),
              ENUM_AS("bound", efficiency.bound, bound_word, BOUND_MEMORY + 1));
static FIELDS(category_result, AS("count", operation_count, COUNT), F(time_ms, MS),
              AS("pc", compute_pct, PCT), AS("q", total_pct, PCT),
              AS("average_efficiency", average_efficiency_pct, PCT));
static FIELDS(analysis, F(total_ms, MS), F(computation_ms, MS), F(idle_ms, MS),
              F(exposed_comm_ms, MS), F(exposed_memcpy_ms, MS));

static bool is(const char *a, const char *b)
{
    return *a == *b && strcmp(a, b) == 0;
}

static bool push_field(lua_State *L, const struct description *d, const void *object,
                       const char *key)
{
    const struct field *f = field_of(d, key);
    if (!f)
        return false;
    struct field_value v = field_value(f, &(struct described){.of = object});
    if (v.kind == FIELD_REAL)
        lua_pushnumber(L, v.real);
    else if (v.kind == FIELD_TEXT)
        push_str(L, v.text);
    else if (v.kind == FIELD_BOOL)
        lua_pushboolean(L, v.flag);
    else
        lua_pushinteger(L, v.whole);
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

static bool push_row_list(lua_State *L, const struct work_row *r, const char *key)
{
    const struct call_args args = r->group ? r->group->args : (struct call_args){0};
    if (is(key, "kernels"))
        push_kernels(L, r->group);
    else if (is(key, "modules"))
        push_strs(L, r->module_chain, r->n_modules);
    else if (is(key, "dims"))
        value_push_recorded(L, args.dims);
    else if (is(key, "types"))
        value_push_recorded(L, args.types);
    else if (is(key, "strides"))
        value_push_recorded(L, args.strides);
    else if (is(key, "concrete"))
        value_push_recorded(L, args.concrete);
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
                push_str(L, work_fact_str(&facts[i]));
            else
                lua_pushnumber(L, work_fact_real(&facts[i]));
            return true;
        }
    if (kind == FACT_TEXT)
        lua_pushliteral(L, "");
    else
        lua_pushnumber(L, (double)NAN);
    return true;
}

static bool push_row_fact(lua_State *L, const struct work_row *r, const char *key)
{
    enum fact_kind kind = work_row_fact_kind(str_of(key));
    if (kind == FACT_TEXT)
        push_str(L, work_text(r, key));
    else if (kind == FACT_NUMBER)
        lua_pushnumber(L, work_number(r, key));
    return kind != FACT_NONE;
}

bool value_push_row_field(lua_State *L, const struct work_row *r, const char *key)
{
    return push_field(L, work_row_fields(), r, key) || push_row_list(L, r, key) ||
           push_row_fact(L, r, key);
}

static int row_index(lua_State *L)
{
    const struct work_row *r = object(L, 1, row_kind);
    const char *key = luaL_checkstring(L, 2);
    if (!value_push_row_field(L, r, key))
        return luaL_error(L, "a row has no '%s'", key);
    return 1;
}

bool value_push_group_field(lua_State *L, const struct group_facts *g, const char *key)
{
    for (int i = 0; i < g->n; i++)
        if (is(g->facts[i].key, key)) {
            if (g->facts[i].text)
                push_str(L, work_fact_str(&g->facts[i]));
            else
                lua_pushnumber(L, g->facts[i].number);
            return true;
        }
    return false;
}

static int group_index(lua_State *L)
{
    const struct group_facts *g = object(L, 1, group_kind);
    const char *key = luaL_checkstring(L, 2);
    if (!value_push_group_field(L, g, key))
        return luaL_error(L, "a group has no '%s'", key);
    return 1;
}

static lua_Integer rows_seen(const struct category_result *c)
{
    return c->n_rows < PATTERN_ROWS_MOST ? c->n_rows : PATTERN_ROWS_MOST;
}

static int rows_index(lua_State *L)
{
    const struct category_result *c = object(L, 1, rows_kind);
    lua_Integer i = luaL_checkinteger(L, 2);
    if (i < 1 || i > rows_seen(c))
        lua_pushnil(L);
    else
        push_object(L, row_kind, &c->rows[i - 1]);
    return 1;
}

static int rows_length(lua_State *L)
{
    const struct category_result *c = object(L, 1, rows_kind);
    lua_pushinteger(L, rows_seen(c));
    return 1;
}

static int category_index(lua_State *L)
{
    const struct category_result *c = object(L, 1, category_kind);
    const char *key = luaL_checkstring(L, 2);
    if (is(key, "name"))
        push_str(L, work_category_name(c->category));
    else if (is(key, "rows"))
        push_object(L, rows_kind, c);
    else if (is(key, "trace"))
        value_push_trace(L);
    else if (!push_field(L, category_result_fields(), c, key) &&
             !push_fact(L, c->facts, c->n_facts, work_category_fact_kind(str_of(key)),
                        key))
        return luaL_error(L, "a category has no '%s'", key);
    return 1;
}

static int trace_index(lua_State *L)
{
    const struct analysis *a = object(L, 1, trace_kind);
    const char *key = luaL_checkstring(L, 2);
    if (push_field(L, analysis_fields(), a, key) ||
        push_fact(L, a->facts, a->n_facts, work_trace_fact_kind(str_of(key)), key))
        return 1;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        if (str_eq(work_category_name((enum work_category)c), str_of(key))) {
            value_push_category(L, &a->categories[c]);
            return 1;
        }
    return luaL_error(L, "the trace has no '%s'", key);
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
    open_kind(L, row_kind, row_index);
    open_kind(L, category_kind, category_index);
    open_kind(L, trace_kind, trace_index);
    open_kind(L, group_kind, group_index);
    open_kind(L, rows_kind, rows_index);
    lua_pushcfunction(L, rows_length);
    lua_setfield(L, -2, "__len");
    lua_pop(L, 5);
}
