#include "analysis/lua/lua_chunks.h"

#include "analysis/lua/lua_bytes.h"

#include <lauxlib.h>
#include <string.h>

struct str lua_chunk_of(struct str text)
{
    const char *at = lua_chunks_at;
    uint64_t hash = str_hash(text);
    struct lua_chunk head;
    if (strcmp(at, lua_ident) != 0)
        return (struct str){0};
    for (at += strlen(at) + 1; at < lua_chunks_end; at += head.code_bytes) {
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        if (head.text_hash == hash && head.text_bytes == text.n)
            return (struct str){at, head.code_bytes};
    }
    return (struct str){0};
}

void lua_chunk_load(lua_State *L, struct str text, bool ours, const char *name)
{
    struct str code = ours ? lua_chunk_of(text) : (struct str){0};
    struct str from = code.p ? code : text;
    if (luaL_loadbufferx(L, from.p, (size_t)from.n, name, code.p ? "b" : "t") != LUA_OK)
        lua_error(L);
}
