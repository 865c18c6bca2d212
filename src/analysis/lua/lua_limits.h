/* lua_limits.h - limits of a Lua state: steps, memory, and processor time.
 *
 * Limits apply within a call, from lua_limits_begin to lua_limits_end. All are
 * deterministic except processor time, which only a deliberately slow file reaches. */
#ifndef ANALYSIS_LUA_LUA_LIMITS_H
#define ANALYSIS_LUA_LUA_LIMITS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SANDBOX_CALL_STEPS = 1000000,     /* per call; a step is one Lua instruction */
    SANDBOX_FILE_STEPS = 200000000,   /* over all calls into one file */
    SANDBOX_BYTES = 16 << 20,         /* held at once */
    SANDBOX_CALL_TRAFFIC = 256 << 20, /* bytes asked for during one call */
    SANDBOX_TEXT_BYTES = 64 << 10,    /* the longest text */
    SANDBOX_SOURCE_BYTES = 256 << 10,
    SANDBOX_FILE_CPU_S = 10
};

/* Of a state, whichever file runs in it. */
struct lua_memory {
    ptrdiff_t bytes;
    int64_t traffic_left;
    bool in_call;
};

/* Of a file. */
struct lua_limits {
    int64_t steps_left, file_steps_left, cpu_ns_left;
    int64_t looked_ns; /* when the call was last looked at; -1: not yet */
};

/* A new state in this memory, which must not move until it is closed. */
lua_State *lua_limits_state(struct lua_memory *m);
struct lua_limits lua_limits_file(void);
struct lua_limits *lua_limits_of(lua_State *L); /* of the file that runs */

/* Count the steps that Lua runs from now on. */
void lua_limits_watch(lua_State *L);

void lua_limits_begin(lua_State *L, struct lua_memory *m, struct lua_limits *l);
void lua_limits_end(struct lua_memory *m);

/* Use up steps; a Lua error if none are left. For loops written in C. */
void lua_limits_spend(lua_State *L, int64_t steps);

#endif
