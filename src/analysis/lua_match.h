/* lua_match.h - Lua's patterns, with every step paid for.
 *
 * The same language as string.find of Lua 5.4 (reference manual, 6.4.1): classes, sets,
 * * + - ?, captures and places, %b, %f, anchors. Lua's own matcher may try for hours
 * inside one call; this one takes its steps from the sandbox. */
#ifndef ANALYSIS_LUA_MATCH_H
#define ANALYSIS_LUA_MATCH_H

#include <lua.h>

int lua_match_find(lua_State *L);  /* find(s, pattern [, init [, plain]]) */
int lua_match_match(lua_State *L); /* match(s, pattern [, init]) */

#endif
