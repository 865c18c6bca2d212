#include "analysis/lua/lua_chunks.c"

#include "base/arena.h"
#include "base/file_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct str prelude(void)
{
    return (struct str){lua_prelude_at, lua_prelude_end - lua_prelude_at};
}

static void code_is_of_one_text(void **state)
{
    (void)state;
    char changed[16384];
    struct str text = prelude();
    assert_in_range(text.n, 1, sizeof changed);
    assert_non_null(lua_chunk_of(text).p);
    memcpy(changed, text.p, (size_t)text.n);
    changed[text.n / 2] ^= 1;
    assert_null(lua_chunk_of((struct str){changed, text.n}).p);
    assert_null(lua_chunk_of(str_head(text, text.n - 1)).p);
    assert_null(lua_chunk_of(S("")).p);
}

/* What is called the same, at the same lines, however it was loaded. */
static void code_is_the_text(void **state)
{
    (void)state;
    lua_State *L = luaL_newstate();
    lua_Debug here[2];
    assert_non_null(L);
    for (int ours = 0; ours < 2; ours++) {
        lua_chunk_load(L, prelude(), ours, "=prelude");
        lua_getinfo(L, ">S", &here[ours]);
    }
    assert_string_equal(here[0].short_src, "prelude");
    assert_string_equal(here[1].short_src, here[0].short_src);
    assert_int_equal(here[1].lastlinedefined, here[0].lastlinedefined);
    lua_close(L);
}

static int load_code(lua_State *L)
{
    struct str code = lua_chunk_of(prelude());
    lua_chunk_load(L, code, false, "=user");
    return 0;
}

static void users_code_is_refused(void **state)
{
    (void)state;
    lua_State *L = luaL_newstate();
    lua_pushcfunction(L, load_code);
    assert_int_equal(lua_pcall(L, 0, 0, 0), LUA_ERRRUN);
    assert_non_null(strstr(lua_tostring(L, -1), "binary chunk"));
    lua_close(L);
}

static void pattern_files_are_compiled(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 24);
    char *start = a.at;
    static const char *const some[] = {"assets/patterns/gemm.lua",
                                       "assets/patterns/host.lua",
                                       "assets/patterns/unknown.lua"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct str text;
        struct err e = {0};
        assert_true(file_head(&a, some[i], 1 << 20, &text, &e));
        assert_non_null(lua_chunk_of(text).p);
    }
    arena_release(start, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(code_is_of_one_text),
                                       cmocka_unit_test(code_is_the_text),
                                       cmocka_unit_test(users_code_is_refused),
                                       cmocka_unit_test(pattern_files_are_compiled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
