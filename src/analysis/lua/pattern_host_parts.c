#include "analysis/lua/pattern_host_parts.h"

#include "analysis/lua/lua_match.h"

#include <lauxlib.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Room for a name of 400 bytes, a file name of 64, and a sandbox error. */
enum { HOST_WARNING_BYTES = 1024 };

void host_warn(struct host_file *f, struct str source, const char *fmt, ...)
{
    struct pattern_host *h = f->host;
    char text[HOST_WARNING_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    arena_grow(h->perm, h->warnings, h->n_warnings);
    h->warnings[h->n_warnings++] =
        (struct warning){source.n ? source : str_of(f->box.name),
                         str_copy(h->perm, str_of(text)), true, f->user};
}

struct host_file *host_file_of(lua_State *L)
{
    return (struct host_file *)lua_sandbox_of(L);
}

struct str host_text(lua_State *L, int index)
{
    size_t n;
    const char *p = luaL_checklstring(L, index, &n);
    return (struct str){p, (ptrdiff_t)n};
}

void host_push_text(lua_State *L, struct str s)
{
    lua_pushlstring(L, s.n ? s.p : "", (size_t)s.n);
}

bool host_get(lua_State *L, int index, const char *key, int type, const char *must_be)
{
    if (lua_type(L, index) != LUA_TTABLE)
        lua_pushnil(L);
    else if (lua_getfield(L, index, key) != LUA_TNIL && lua_type(L, -1) != type)
        luaL_error(L, "%s must be %s, not a %s", key, must_be, luaL_typename(L, -1));
    return !lua_isnil(L, -1);
}

double host_get_figure(lua_State *L, int index, const char *key)
{
    bool given = host_get(L, index, key, LUA_TNUMBER, "a number");
    double v = given ? lua_tonumber(L, -1) : (double)NAN;
    lua_pop(L, 1);
    if (v < 0)
        luaL_error(L, "%s is negative", key);
    return v;
}

struct name_job {
    struct str pattern, name;
    bool found;
};

static int run_match(lua_State *L)
{
    struct name_job *job = lua_touserdata(L, 1);
    lua_pushcfunction(L, lua_match_find);
    host_push_text(L, job->name);
    host_push_text(L, job->pattern);
    lua_call(L, 2, 1);
    job->found = !lua_isnil(L, -1);
    return 0;
}

bool host_op_matches(struct host_file *f, struct str op, bool is_pattern,
                     struct str name)
{
    struct name_job job = {op, name, false};
    struct sandbox_error e;
    if (!is_pattern)
        return str_eq(op, name);
    return lua_sandbox_do(&f->box, run_match, &job, &e) && job.found;
}
