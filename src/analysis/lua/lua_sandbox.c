#include "analysis/lua/lua_sandbox.h"

#include "analysis/lua/lua_chunks.h"
#include "analysis/lua/lua_prelude.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct lua_sandbox *lua_sandbox_of(lua_State *L)
{
    return (struct lua_sandbox *)lua_limits_of(L);
}

/* The globals of a file are in the registry. */
static void push_globals(lua_State *L, const struct lua_sandbox *s)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, s);
}

/* An error can be any value; it is reported as one line without control characters. */
static void describe(struct lua_sandbox *s, int status, struct sandbox_error *e)
{
    lua_State *L = s->L;
    if (status == LUA_ERRMEM)
        snprintf(
            e->text, sizeof e->text,
            "%s: stopped: needs more memory than a file may have (%d MiB, %d KiB in "
            "one text)",
            s->name, SANDBOX_BYTES >> 20, SANDBOX_TEXT_BYTES >> 10);
    else if (lua_type(L, -1) != LUA_TSTRING)
        snprintf(e->text, sizeof e->text, "%s: failed with a %s instead of a message",
                 s->name, luaL_typename(L, -1));
    else {
        /* Our own errors, from C or the prelude, do not name the calling file. */
        const char *text = lua_tostring(L, -1);
        bool named = strncmp(text, s->name, strlen(s->name)) == 0;
        snprintf(e->text, sizeof e->text, "%s%s%s", named ? "" : s->name,
                 named ? "" : ": ", text);
    }
    for (char *p = e->text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = ' ';
}

bool lua_sandbox_do(struct lua_sandbox *s, lua_CFunction f, void *context,
                    struct sandbox_error *e)
{
    int top = lua_gettop(s->L);
    lua_limits_begin(s->L, s->shared, &s->limits);
    lua_pushcfunction(s->L, f);
    lua_pushlightuserdata(s->L, context);
    int status = lua_pcall(s->L, 1, 0, 0);
    lua_limits_end(s->shared);
    if (status != LUA_OK)
        describe(s, status, e);
    lua_settop(s->L, top);
    return status == LUA_OK;
}

void lua_sandbox_functions(lua_State *L, const luaL_Reg *list)
{
    push_globals(L, lua_sandbox_of(L));
    luaL_setfuncs(L, list, 0);
    lua_pop(L, 1);
}

struct source {
    struct str text;
    const char *name;
    bool ours;
};

static int load_source(lua_State *L)
{
    const struct source *source = lua_touserdata(L, 1);
    const char *chunk = lua_pushfstring(L, "=%s", source->name);
    if (source->text.n > SANDBOX_SOURCE_BYTES)
        luaL_error(L, "%s: longer than %d KiB", source->name,
                   SANDBOX_SOURCE_BYTES >> 10);
    lua_chunk_load(L, source->text, source->ours, chunk);
    push_globals(L, lua_sandbox_of(L));
    lua_setupvalue(L, -2, 1); /* _ENV */
    lua_call(L, 0, 0);
    return 0;
}

bool lua_sandbox_load(struct lua_sandbox *s, struct str text, struct sandbox_error *e)
{
    struct source source = {text, s->name, s->shared != &s->memory};
    return lua_sandbox_do(s, load_source, &source, e);
}

static void set_name(struct lua_sandbox *s, struct str path)
{
    ptrdiff_t at = path.n;
    while (at > 0 && path.p[at - 1] != '/')
        at--;
    struct str last = str_head(str_skip(path, at), (ptrdiff_t)sizeof s->name - 1);
    for (ptrdiff_t i = 0; i < last.n; i++) {
        unsigned char c = (unsigned char)last.p[i];
        s->name[i] = c < 0x20 || c == 0x7f ? '?' : last.p[i];
    }
    s->name[last.n] = '\0';
}

static int open_libraries(lua_State *L)
{
    lua_prelude_open(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, lua_sandbox_of(L));
    return 0;
}

static int copy_globals(lua_State *L)
{
    const struct lua_sandbox *other = lua_touserdata(L, 1);
    lua_newtable(L);
    push_globals(L, other);
    for (lua_pushnil(L); lua_next(L, -2);) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_settable(L, -5);
    }
    lua_pop(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, lua_sandbox_of(L));
    return 0;
}

static void begin(struct lua_sandbox *s, struct str path, lua_CFunction make,
                  struct lua_sandbox *other)
{
    struct sandbox_error e;
    *s = (struct lua_sandbox){.limits = lua_limits_file()};
    set_name(s, path);
    s->shared = other ? other->shared : &s->memory;
    s->L = other ? other->L : lua_limits_state(&s->memory);
    bool made = lua_sandbox_do(s, make, other, &e);
    assert(made && "the prelude is ours");
    (void)made;
}

void lua_sandbox_open(struct lua_sandbox *s, struct str path)
{
    begin(s, path, open_libraries, NULL);
    lua_limits_watch(s->L);
}

void lua_sandbox_open_in(struct lua_sandbox *s, struct lua_sandbox *other,
                         struct str path)
{
    begin(s, path, copy_globals, other);
}

void lua_sandbox_close(struct lua_sandbox *s)
{
    if (s->shared == &s->memory)
        lua_close(s->L);
    *s = (struct lua_sandbox){0};
}
