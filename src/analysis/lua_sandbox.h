/* lua_sandbox.h - one Lua file in a room of its own, with limits.
 *
 * Each file has a state of its own, so what one does to its libraries no other sees.
 * Only text is compiled. There are no metatables, no coroutines, no protected calls and
 * no bytecode; libraries are those of lua_prelude.h. Every call ends: after so many
 * steps, with so much memory, on an error. Deterministic, but for a last limit on
 * processor time, which only a file made to be slow will meet.
 *
 * Code that makes Lua values may fail at any of them: it runs inside lua_sandbox_do. */
#ifndef ANALYSIS_LUA_SANDBOX_H
#define ANALYSIS_LUA_SANDBOX_H

#include "base/str.h"

#include <lua.h>

enum {
    SANDBOX_CALL_STEPS = 1000000,     /* of one call; a step is one Lua instruction */
    SANDBOX_FILE_STEPS = 200000000,   /* of all calls into one file */
    SANDBOX_BYTES = 16 << 20,         /* held at one time */
    SANDBOX_CALL_TRAFFIC = 256 << 20, /* bytes asked for during one call */
    SANDBOX_TEXT_BYTES = 64 << 10,    /* the longest text */
    SANDBOX_SOURCE_BYTES = 256 << 10,
    SANDBOX_FILE_CPU_S = 10
};

struct sandbox_error {
    char text[240]; /* "gemm.lua:12: attempt ...": one line, no path */
};

struct lua_sandbox {
    lua_State *L;
    char name[64]; /* of the file, without folders */
    ptrdiff_t bytes;
    int64_t steps_left, file_steps_left, traffic_left, cpu_ns_left;
    bool protected; /* inside a call: limits hold */
    void *host;     /* whatever the caller's C functions need */
};

/* `path` may have folders; only its last part is shown. The sandbox must stay where it
 * is until it is closed. */
void lua_sandbox_open(struct lua_sandbox *s, struct str path);
void lua_sandbox_close(struct lua_sandbox *s);

/* Run f with `context` as its light userdata argument, within the limits. Memory that f
 * takes from an arena is good; any other may leak, since an error jumps out of f. */
bool lua_sandbox_do(struct lua_sandbox *s, lua_CFunction f, void *context,
                    struct sandbox_error *e);

/* Compile a file and run it. */
bool lua_sandbox_load(struct lua_sandbox *s, struct str text, struct sandbox_error *e);

/* Inside a call. Make a C function or a value on the stack a global of the file. */
void lua_sandbox_global(lua_State *L, const char *name); /* pops the value */
struct lua_sandbox *lua_sandbox_of(lua_State *L);

/* Take steps from what is left; an error when nothing is. For loops written in C. */
void lua_sandbox_spend(lua_State *L, int64_t steps);

#endif
