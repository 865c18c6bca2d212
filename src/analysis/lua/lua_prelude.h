/* lua_prelude.h - the globals that a Lua file sees, built in or the user's.
 *
 * Lua's base, table, string, math and utf8 libraries, without anything that reaches
 * outside, reveals addresses, depends on hash order, draws random numbers, or runs long
 * in C, where the step limit does not apply. Replacements are written in Lua, except
 * pattern matching (lua_match.h). */
#ifndef ANALYSIS_LUA_LUA_PRELUDE_H
#define ANALYSIS_LUA_LUA_PRELUDE_H

#include <lua.h>

/* Push the table of globals. */
void lua_prelude_open(lua_State *L);

#endif
