/* lua_bytes.h - the Lua files of this folder, embedded by lua_bytes.S. */
#ifndef ANALYSIS_LUA_LUA_BYTES_H
#define ANALYSIS_LUA_LUA_BYTES_H

extern const char lua_prelude_at[], lua_prelude_end[];
extern const char extension_call_at[], extension_call_end[];
extern const char lua_chunks_at[], lua_chunks_end[]; /* lua_chunks.h */

#endif
