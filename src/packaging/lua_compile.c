/* lua_compile.c - `lua_compile OUT NAME=FILE...`, while building: the Lua files that
 * ship inside, compiled, as analysis/lua/lua_chunks.h reads them. Errors say NAME. */
#include "analysis/lua/lua_chunks.h"
#include "base/arena.h"
#include "base/file_head.h"
#include "base/terminal.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fails(const char *which, const char *what)
{
    terminal_line(stderr, "lua_compile: %s: %s", which, what);
    exit(1);
}

static int append(lua_State *L, const void *p, size_t n, void *to)
{
    (void)L;
    out_bytes(to, p, (ptrdiff_t)n);
    return 0;
}

/* Names and lines stay: what fails says where. */
static void compile(struct out *to, const char *name, struct str text)
{
    struct out code;
    lua_State *L = luaL_newstate();
    out_memory(&code);
    if (!L || luaL_loadbufferx(L, text.p, (size_t)text.n, name, "t") != LUA_OK ||
        lua_dump(L, append, &code, 0))
        fails(name, L ? lua_tostring(L, -1) : "no memory");
    struct lua_chunk head = {str_hash(text), (uint32_t)text.n, (uint32_t)code.n};
    out_bytes(to, &head, sizeof head);
    out_str(to, out_view(&code));
    out_free(&code);
    lua_close(L);
}

static void compile_file(struct out *to, struct arena tmp, char *argument)
{
    enum { BYTES_MAX = 1 << 20 };
    struct str text;
    struct err e = {0};
    char *path = strchr(argument, '=');
    if (!path)
        fails(argument, "is not NAME=FILE");
    *path++ = '\0';
    if (!file_head(&tmp, path, BYTES_MAX, &text, &e))
        fails(path, e.what);
    compile(to, str_c(&tmp, str_printf(&tmp, "=%s", argument)), text);
}

int main(int argc, char **argv)
{
    struct arena tmp = arena_reserve(1 << 24);
    struct out to;
    struct err e = {0};
    if (argc < 2 || !out_open(&to, argv[1], &e))
        fails(argc < 2 ? "OUT" : argv[1], e.what);
    out_bytes(&to, lua_ident, (ptrdiff_t)strlen(lua_ident) + 1);
    for (int i = 2; i < argc; i++)
        compile_file(&to, tmp, argv[i]);
    if (!out_close(&to, &e))
        fails(argv[1], e.what);
    return 0;
}
