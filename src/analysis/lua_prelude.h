/* lua_prelude.h - what a Lua file of ours or of a user finds in its room.
 *
 * Lua's own base, table, string, math and utf8, less everything that reaches outside,
 * tells addresses, depends on the order of a hash, draws random numbers, or runs long
 * in C where no limit on steps holds. What is replaced is written in Lua, except
 * matching (lua_match.h). */
#ifndef ANALYSIS_LUA_PRELUDE_H
#define ANALYSIS_LUA_PRELUDE_H

#include <lua.h>

/* Push the table of globals. */
void lua_prelude_open(lua_State *L);

#endif
