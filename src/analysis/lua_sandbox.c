#include "analysis/lua_sandbox.h"

#include "analysis/lua_prelude.h"
#include "base/arena.h"

#include <assert.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS_BETWEEN_LOOKS = 1000 };

/* Where the table of the file's globals lies in the registry. */
static const char globals_key;

struct lua_sandbox *lua_sandbox_of(lua_State *L)
{
    return *(struct lua_sandbox **)lua_getextraspace(L);
}

/* ---- limits -------------------------------------------------------------------------
 */

/* `old` of a new object is its type (lua.h, lua_Alloc). Freeing and shrinking never
 * fail, as Lua demands. */
static void *take(void *sandbox, void *p, size_t old, size_t size)
{
    struct lua_sandbox *s = sandbox;
    ptrdiff_t had = p ? (ptrdiff_t)old : 0;
    if (size == 0) {
        s->bytes -= had;
        free(p);
        return NULL;
    }
    ptrdiff_t more = (ptrdiff_t)size - had;
    if (more > 0 && s->protected) {
        bool long_text = !p && old == LUA_TSTRING && size > SANDBOX_TEXT_BYTES;
        if (long_text || more > SANDBOX_BYTES - s->bytes ||
            (ptrdiff_t)size > s->traffic_left)
            return NULL;
        s->traffic_left -= (ptrdiff_t)size;
    }
    void *q = realloc(p, size);
    if (!q)
        arena_full();
    s->bytes += more;
    return q;
}

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* `level`: where Lua was, 0 from a hook and 1 from a function of C. */
static void stop(lua_State *L, int level, const char *what, int limit, const char *unit)
{
    luaL_where(L, level);
    lua_pushfstring(L, "stopped: %s took more than %d %s", what, limit, unit);
    lua_concat(L, 2);
    lua_error(L);
}

static void spend(lua_State *L, int64_t steps, int level)
{
    struct lua_sandbox *s = lua_sandbox_of(L);
    s->steps_left -= steps;
    s->file_steps_left -= steps;
    if (s->steps_left < 0)
        stop(L, level, "one call", SANDBOX_CALL_STEPS, "steps");
    if (s->file_steps_left < 0)
        stop(L, level, "the file", SANDBOX_FILE_STEPS, "steps");
}

void lua_sandbox_spend(lua_State *L, int64_t steps)
{
    spend(L, steps, 1);
}

static void look(lua_State *L, lua_Debug *where)
{
    (void)where;
    spend(L, STEPS_BETWEEN_LOOKS, 0);
    if (cpu_ns() > lua_sandbox_of(L)->cpu_ns_left)
        stop(L, 0, "the file", SANDBOX_FILE_CPU_S, "s");
}

/* ---- calls --------------------------------------------------------------------------
 */

/* An error is any value; what is said of it is one line without control characters. */
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
        /* One of ours, from C or from the prelude, does not say which file asked. */
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
    assert(!s->protected); /* no call inside a call */
    int top = lua_gettop(s->L);
    int64_t began = cpu_ns();
    s->cpu_ns_left += began; /* as a time of day, for look() */
    s->steps_left = SANDBOX_CALL_STEPS;
    s->traffic_left = SANDBOX_CALL_TRAFFIC;
    s->protected = true;
    lua_pushcfunction(s->L, f);
    lua_pushlightuserdata(s->L, context);
    int status = lua_pcall(s->L, 1, 0, 0);
    s->protected = false;
    s->cpu_ns_left -= cpu_ns();
    if (status != LUA_OK)
        describe(s, status, e);
    lua_settop(s->L, top);
    return status == LUA_OK;
}

void lua_sandbox_global(lua_State *L, const char *name)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &globals_key);
    lua_insert(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

struct source {
    struct str text;
    const char *name;
};

static int load_source(lua_State *L)
{
    const struct source *source = lua_touserdata(L, 1);
    const char *chunk = lua_pushfstring(L, "=%s", source->name);
    if (source->text.n > SANDBOX_SOURCE_BYTES)
        luaL_error(L, "%s: longer than %d KiB", source->name,
                   SANDBOX_SOURCE_BYTES >> 10);
    if (luaL_loadbufferx(L, source->text.p, (size_t)source->text.n, chunk, "t") !=
        LUA_OK)
        lua_error(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &globals_key);
    lua_setupvalue(L, -2, 1); /* _ENV */
    lua_call(L, 0, 0);
    return 0;
}

bool lua_sandbox_load(struct lua_sandbox *s, struct str text, struct sandbox_error *e)
{
    struct source source = {text, s->name};
    return lua_sandbox_do(s, load_source, &source, e);
}

/* ---- the state ----------------------------------------------------------------------
 */

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
    lua_rawsetp(L, LUA_REGISTRYINDEX, &globals_key);
    return 0;
}

void lua_sandbox_open(struct lua_sandbox *s, struct str path)
{
    *s = (struct lua_sandbox){.file_steps_left = SANDBOX_FILE_STEPS,
                              .cpu_ns_left = SANDBOX_FILE_CPU_S * INT64_C(1000000000)};
    set_name(s, path);
    s->L = lua_newstate(take, s);
    if (!s->L)
        arena_full();
    *(struct lua_sandbox **)lua_getextraspace(s->L) = s;
    struct sandbox_error e;
    bool opened = lua_sandbox_do(s, open_libraries, NULL, &e);
    assert(opened && "the prelude is ours");
    (void)opened;
    lua_sethook(s->L, look, LUA_MASKCOUNT, STEPS_BETWEEN_LOOKS);
}

void lua_sandbox_close(struct lua_sandbox *s)
{
    if (s->L)
        lua_close(s->L);
    *s = (struct lua_sandbox){0};
}
