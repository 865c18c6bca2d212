#include "analysis/lua/lua_limits.h"

#include "base/arena.h"
#include "base/small_blocks.h"

#include <assert.h>
#include <lauxlib.h>
#include <time.h>

enum { STEPS_BETWEEN_LOOKS = 1000 };

struct lua_limits *lua_limits_of(lua_State *L)
{
    return *(struct lua_limits **)lua_getextraspace(L);
}

/* `old` of a new object is its type (lua.h, lua_Alloc). Freeing and shrinking never
 * fail, as Lua requires. */
static void *take(void *memory, void *p, size_t old, size_t size)
{
    struct lua_memory *m = memory;
    ptrdiff_t had = p ? (ptrdiff_t)old : 0;
    if (size == 0) {
        m->bytes -= had;
        return small_resize(p, (size_t)had, 0);
    }
    ptrdiff_t more = (ptrdiff_t)size - had;
    if (more > 0 && m->in_call) {
        bool long_text = !p && old == LUA_TSTRING && size > SANDBOX_TEXT_BYTES;
        if (long_text || more > SANDBOX_BYTES - m->bytes ||
            (ptrdiff_t)size > m->traffic_left)
            return NULL;
        m->traffic_left -= (ptrdiff_t)size;
    }
    m->bytes += more;
    return small_resize(p, (size_t)had, size);
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
    struct lua_limits *l = lua_limits_of(L);
    l->steps_left -= steps;
    l->file_steps_left -= steps;
    if (l->steps_left < 0)
        stop(L, level, "one call", SANDBOX_CALL_STEPS, "steps");
    if (l->file_steps_left < 0)
        stop(L, level, "the file", SANDBOX_FILE_STEPS, "steps");
}

void lua_limits_spend(lua_State *L, int64_t steps)
{
    spend(L, steps, 1);
}

/* A call's time is counted from its first look: asking the clock takes longer than most
 * calls do, and there are thousands. */
static void look(lua_State *L, lua_Debug *where)
{
    (void)where;
    struct lua_limits *l = lua_limits_of(L);
    spend(L, STEPS_BETWEEN_LOOKS, 0);
    int64_t now_ns = cpu_ns();
    if (l->looked_ns >= 0)
        l->cpu_ns_left -= now_ns - l->looked_ns;
    l->looked_ns = now_ns;
    if (l->cpu_ns_left < 0)
        stop(L, 0, "the file", SANDBOX_FILE_CPU_S, "s");
}

lua_State *lua_limits_state(struct lua_memory *m)
{
    *m = (struct lua_memory){0};
    lua_State *L = lua_newstate(take, m);
    if (!L)
        arena_full();
    return L;
}

struct lua_limits lua_limits_file(void)
{
    return (struct lua_limits){.file_steps_left = SANDBOX_FILE_STEPS,
                               .cpu_ns_left = SANDBOX_FILE_CPU_S * INT64_C(1000000000)};
}

void lua_limits_watch(lua_State *L)
{
    lua_sethook(L, look, LUA_MASKCOUNT, STEPS_BETWEEN_LOOKS);
}

void lua_limits_begin(lua_State *L, struct lua_memory *m, struct lua_limits *l)
{
    assert(!m->in_call); /* no call inside a call */
    *(struct lua_limits **)lua_getextraspace(L) = l;
    l->looked_ns = -1;
    l->steps_left = SANDBOX_CALL_STEPS;
    m->traffic_left = SANDBOX_CALL_TRAFFIC;
    m->in_call = true;
}

void lua_limits_end(struct lua_memory *m)
{
    m->in_call = false;
}
