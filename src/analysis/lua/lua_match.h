/* lua_match.h - Lua's pattern matching, with every step counted.
 *
 * The language of string.find in Lua 5.4 (reference manual, 6.4.1): classes, sets, * +
 * - ?, captures and places, %b, %f, anchors. Lua's own matcher can run for hours inside
 * one call, where no hook fires; this one counts against the sandbox's steps. Limiting
 * text length or wildcards would rule out patterns that are needed: three runs of
 * digits in a 1,000-byte kernel name take 10^9 steps at worst. A time limit would
 * differ between machines. */
#ifndef ANALYSIS_LUA_LUA_MATCH_H
#define ANALYSIS_LUA_LUA_MATCH_H

#include <lua.h>

int lua_match_find(lua_State *L);  /* find(s, pattern [, init [, plain]]) */
int lua_match_match(lua_State *L); /* match(s, pattern [, init]) */

#endif
