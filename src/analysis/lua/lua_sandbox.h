/* lua_sandbox.h - one Lua file, with globals and limits of its own.
 *
 * A file of a user's has a state of its own, so changes to the libraries affect no
 * other file. The built-in files are in one state, whose libraries are made once: each
 * has a copy of the globals, and its own steps and time. Of users' files only source
 * text is read; ours come compiled (lua_chunks.h). There are no metatables, coroutines,
 * protected calls or bytecode; lua_prelude.h has the libraries. Every call terminates, if only at a limit (lua_limits.h) or with an
 * error.
 *
 * Creating any Lua value can raise an error, so such code runs inside lua_sandbox_do.
 *  */
#ifndef ANALYSIS_LUA_LUA_SANDBOX_H
#define ANALYSIS_LUA_LUA_SANDBOX_H

#include "analysis/lua/lua_limits.h"
#include "base/str.h"

#include <lauxlib.h>

struct sandbox_error {
    char text[240]; /* "gemm.lua:12: attempt ...": one line, no path */
};

struct lua_sandbox {
    struct lua_limits limits;  /* first: see lua_sandbox_of */
    struct lua_memory memory;  /* of the state, if it is this file's */
    struct lua_memory *shared; /* of the state */
    lua_State *L;
    char name[64]; /* of the file, without folders */
};

/* `path` may have folders; only its last part is shown. The sandbox must not move until
 * it is closed. */
void lua_sandbox_open(struct lua_sandbox *s, struct str path);

/* In the state of `other`, which is closed after it: with the globals that are there
 * now. Both are ours, as neither is safe from the other. */
void lua_sandbox_open_in(struct lua_sandbox *s, struct lua_sandbox *other,
                         struct str path);
void lua_sandbox_close(struct lua_sandbox *s);

/* Run f with `context` as its light userdata argument, within the limits. f may take
 * memory from an arena; anything else may leak, because an error jumps out of f. */
bool lua_sandbox_do(struct lua_sandbox *s, lua_CFunction f, void *context,
                    struct sandbox_error *e);

/* Compile a file and run it. */
bool lua_sandbox_load(struct lua_sandbox *s, struct str text, struct sandbox_error *e);

/* Inside a call. Make C functions globals of the file; a NULL name ends the list. */
void lua_sandbox_functions(lua_State *L, const luaL_Reg *list);
struct lua_sandbox *lua_sandbox_of(lua_State *L);

#endif
