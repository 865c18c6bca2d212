/* lua_chunks.h - the Lua files that ship inside, compiled when the program was built:
 * parsing them would take a tenth of a short run.
 *
 * lua_ident of the library that compiled them, with its zero, then for each file a head
 * and its code. Found by content, so code never stands for another text. */
#ifndef ANALYSIS_LUA_LUA_CHUNKS_H
#define ANALYSIS_LUA_LUA_CHUNKS_H

#include "base/str.h"

#include <lua.h>

struct lua_chunk {
    uint64_t text_hash; /* str_hash */
    uint32_t text_bytes, code_bytes;
};

/* The code of one of our own texts; p is NULL if it was not compiled, or by another
 * release of Lua than the one that runs. */
struct str lua_chunk_of(struct str text);

/* Inside a call: push the function that a text is. Text of a user's is compiled here.
 */
void lua_chunk_load(lua_State *L, struct str text, bool ours, const char *name);

#endif
