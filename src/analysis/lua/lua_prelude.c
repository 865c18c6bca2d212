#include "analysis/lua/lua_prelude.h"

#include "analysis/lua/lua_bytes.h"
#include "analysis/lua/lua_chunks.h"
#include "analysis/lua/lua_match.h"

#include <lauxlib.h>
#include <lualib.h>

void lua_prelude_open(lua_State *L)
{
    struct str text = {lua_prelude_at, lua_prelude_end - lua_prelude_at};
    lua_chunk_load(L, text, true, "=prelude");
    luaL_requiref(L, "_G", luaopen_base, 0);
    luaL_requiref(L, "string", luaopen_string, 0);
    luaL_requiref(L, "table", luaopen_table, 0);
    luaL_requiref(L, "math", luaopen_math, 0);
    luaL_requiref(L, "utf8", luaopen_utf8, 0);
    lua_pushcfunction(L, lua_match_find);
    lua_pushcfunction(L, lua_match_match);
    lua_call(L, 7, 2);
    /* s:find() goes through the texts' metatable, which gets only the safe functions:
     * no arithmetic on texts either. */
    lua_newtable(L);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "");
    lua_insert(L, -2);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}
