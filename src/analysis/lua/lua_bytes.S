/* lua_bytes.S - the Lua files of this folder, byte for byte, in read-only memory. */
        .section .rodata
#define LUA(name, path) \
        .globl name##_at; name##_at: .incbin path; \
        .globl name##_end; name##_end: .byte 0;
LUA(lua_prelude, "src/analysis/lua/lua_prelude.lua")
LUA(extension_call, "src/analysis/lua/extension_call.lua")
LUA(lua_chunks, LUA_CHUNKS)
        .section .note.GNU-stack, "", %progbits
