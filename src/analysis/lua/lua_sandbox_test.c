#include "analysis/lua/lua_sandbox.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Run a file; what went wrong, or the empty text. */
static const char *run(const char *text)
{
    static struct sandbox_error e;
    struct lua_sandbox s;
    lua_sandbox_open(&s, S("/home/somebody/x.lua"));
    e.text[0] = '\0';
    bool done = lua_sandbox_load(&s, str_of(text), &e);
    assert_int_equal(done, e.text[0] == '\0');
    assert_int_equal(lua_gettop(s.L), 0);
    lua_sandbox_close(&s);
    return e.text;
}

#define FINE(text) assert_string_equal(run(text), "")

static void fails(const char *text, const char *with)
{
    const char *why = run(text);
    if (!strstr(why, with))
        fail_msg("%s\n  said: %s\n  not: %s", text, why, with);
    assert_null(strstr(why, "somebody")); /* no path */
}

static void ordinary_lua_runs(void **state)
{
    (void)state;
    FINE("local t = {3, 1, 2} table.sort(t) assert(table.concat(t, ',') == '1,2,3')");
    FINE("local s = 0 for i, v in ipairs {5, 6} do s = s + i * v end assert(s == 17)");
    FINE("assert(('ab'):upper() .. #'xyz' == 'AB3')");
    FINE("assert(math.floor(2.5) == 2 and 7 // 2 == 3 and utf8.len('\xc3\xa4') == 1)");
    FINE("assert(not known(0/0) and not known(nil) and not known('') and known(0))");
}

static void errors_are_one_line_without_a_path(void **state)
{
    (void)state;
    assert_string_equal(run("local x = nil\nx.y = 1"),
                        "x.lua:2: attempt to index a nil value (local 'x')");
    assert_string_equal(run("error('two\\nlines')"), "x.lua:1: two lines");
    fails("error({})", "x.lua: failed with a table instead of a message");
    fails("error()", "x.lua: failed with a nil instead of a message");
    fails("x = = 1", "x.lua:1: unexpected symbol");
    fails("error(('m'):rep(9000))", "x.lua:1: mmm"); /* cut, not overrun */
}

/* Nothing that reaches outside, tells an address, or escapes the limits. */
static void what_is_not_there(void **state)
{
    (void)state;
    static const char *const absent[] = {"io",           "os",
                                         "package",      "debug",
                                         "require",      "load",
                                         "loadfile",     "dofile",
                                         "loadstring",   "collectgarbage",
                                         "print",        "coroutine",
                                         "pcall",        "xpcall",
                                         "next",         "setmetatable",
                                         "getmetatable", "rawset",
                                         "rawget",       "rawequal",
                                         "rawlen",       "_G",
                                         "warn",         "string.dump",
                                         "string.pack",  "string.unpack",
                                         "math.random",  "math.randomseed",
                                         "table.move",   "utf8.codes"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        char text[80];
        snprintf(text, sizeof text, "assert(%s == nil)", absent[i]);
        FINE(text);
    }
    fails("return ('x').dump(function() end)", "attempt to call a nil value");
    fails("return '1' + 1", "attempt to perform arithmetic on a string value");
    fails("\x1bLua", "attempt to load a binary chunk");
}

static void addresses_and_hash_order_do_not_show(void **state)
{
    (void)state;
    FINE("assert(tostring({}) == 'table' and tostring(known) == 'function')");
    fails("string.format('%p', 'x')", "format has no %p here");
    fails("string.format('%-8p', 'x')", "format has no %p here");
    fails("string.format('%s', {})", "format expects texts and numbers, not a table");
    FINE("local t = {b = 1, a = 2, [10] = 3, [2] = 4}\n"
         "local s = ''\n"
         "for k, v in pairs(t) do s = s .. k .. v .. ';' end\n"
         "assert(s == '24;103;a2;b1;', s)");
    fails("for k in pairs {[{}] = 1} do end", "pairs expects keys");
}

/* The order of equal members is theirs, and does not come from a clock. */
static void sorting_is_stable(void **state)
{
    (void)state;
    FINE("local t = {}\n"
         "for i = 1, 500 do t[i] = {i % 7, i} end\n"
         "table.sort(t, function(a, b) return a[1] < b[1] end)\n"
         "for i = 2, 500 do\n"
         "  local a, b = t[i - 1], t[i]\n"
         "  assert(a[1] < b[1] or (a[1] == b[1] and a[2] < b[2]))\n"
         "end");
    FINE("local t = {} table.sort(t) assert(#t == 0)");
    FINE("local t = {1, 2, 3} table.sort(t, function() return true end)"); /* ends */
}

static void lists_and_texts(void **state)
{
    (void)state;
    FINE("local t = {1, 3} table.insert(t, 2, 2) table.insert(t, 4)\n"
         "assert(table.concat(t) == '1234' and table.remove(t, 1) == 1)\n"
         "assert(table.remove(t) == 4 and table.concat(t) == '23')\n"
         "assert(table.remove({}) == nil)");
    fails("table.insert({}, 5, 1)", "no such place");
    FINE("assert(('a-b-c'):gsub('-', '+') == 'a+b+c')");
    FINE("assert(('abc'):gsub('%w', '%0%0', 2) == 'aabbc')");
    FINE("assert(('hello'):gsub('', '.') == '.h.e.l.l.o.')");
    FINE("assert(('x=1'):gsub('(%w)=(%w)', '%2=%1') == '1=x')");
    FINE("assert(('a b'):gsub('%w', {a = 'A'}) == 'A b')");
    FINE("assert(('a b'):gsub('%w', function(c) return c .. c end) == 'aa bb')");
    FINE("local n = 0 for k, v in ('a=1,b=2'):gmatch('(%w)=(%w)') do\n"
         "n = n + 1 assert(k .. v == 'a1' or k .. v == 'b2') end assert(n == 2)");
    FINE("assert(('abc'):byte(-1) == 99 and ('x'):rep(3, '-') == 'x-x-x')");
}

static void loops_end(void **state)
{
    (void)state;
    fails("while true do end",
          "x.lua:1: stopped: one call took more than 1000000 steps");
    fails("repeat local x = {} until false", "stopped");
    fails("local function f() return f() end f()", "stopped");
    fails("for i = 1, 1e18 do end", "stopped");
    fails("local t = {} t[1] = t while true do t = t[1] end", "stopped");
}

static void recursion_ends(void **state)
{
    (void)state;
    fails("local function f() return 1 + f() end f()", "x.lua");
    fails("local function f(...) return f(1, ...) + 1 end f()", "x.lua");
    fails("local function f(s) return (s:gsub('.', f)) end f('x')", "x.lua");
    fails("local t = {1, 2, 3} table.sort(t, function(a, b)\n"
          "  local function g() return 1 + g() end return g() end)",
          "x.lua");
}

static void memory_ends(void **state)
{
    (void)state;
    fails("local t = {} for i = 1, 1e9 do t[i] = {i} end", "more memory");
    fails("local s = 'x' while true do s = s .. s end", "more memory");
    fails("local t = {} for i = 1, 1e7 do t[i] = ('x'):rep(60000) .. i end", "x.lua");
    /* Nothing kept, but gigabytes copied. */
    fails("local s = ('x'):rep(60000) for i = 1, 1e6 do local t = s .. i end", "x.lua");
    fails("table.concat({('x'):rep(60000), ('x'):rep(60000)})", "more memory");
}

/* Inside C no instruction is counted: what could run long there is bounded otherwise.
 */
static void long_calls_into_c_end(void **state)
{
    (void)state;
    fails("string.rep('', 1e15)", "rep: too long");
    fails("('x'):rep(1e9)", "rep: too long");
    fails("('x'):rep(2, ('y'):rep(60000))", "rep: too long");
    fails("('x'):rep(0/0)", "x.lua");
    fails("local s = ('a'):rep(4000) s:find(('.-'):rep(20) .. 'b')", "stopped");
    fails("local s = ('a'):rep(4000) s:match(('a*'):rep(30) .. 'b')", "stopped");
    fails("local s, part = ('a'):rep(60000), ('a'):rep(30000) .. 'b'\n"
          "for i = 1, 100 do s:find(part, 1, true) end",
          "stopped");
    fails("local s = ('('):rep(60000) s:gsub('%b()', '')", "stopped");
    fails("local t = {} for i = 0, 62 do t[1 << i] = 1 end\n"
          "for i = 1, 1e4 do table.insert(t, 1, 0) end",
          "stopped");
    fails("table.unpack({}, 1, 1e6)", "unpack: at most 200");
    fails("('x'):rep(1000):byte(1, -1)", "byte: at most 200");
    fails("string.format('%99999d', 1)", "x.lua");
    fails("('x'):find(('('):rep(250))", "x.lua");
}

/* A limit that was met once is met at once the next time, and others are not. */
static void a_file_has_a_total(void **state)
{
    (void)state;
    struct lua_sandbox s;
    struct sandbox_error e;
    lua_sandbox_open(&s, S("y.lua"));
    s.limits.file_steps_left = 2500;
    assert_true(lua_sandbox_load(&s, S("for i = 1, 100 do end"), &e));
    assert_false(lua_sandbox_load(&s, S("while true do end"), &e));
    assert_non_null(strstr(e.text, "the file took more than"));
    assert_false(lua_sandbox_load(&s, S("for i = 1, 2000 do end"), &e));
    lua_sandbox_close(&s);
}

/* The last resort: instructions that each take long, such as comparing long texts. */
static void processor_time_ends(void **state)
{
    (void)state;
    struct lua_sandbox s;
    struct sandbox_error e;
    lua_sandbox_open(&s, S("z.lua"));
    s.limits.cpu_ns_left = 2000000;
    assert_false(
        lua_sandbox_load(&s,
                         S("local a = ('x'):rep(60000) local b = a .. 'y' a = a .. "
                           "'z' local n = 0 for i = 1, 3e5 do if a < b then n = n "
                           "+ 1 end end"),
                         &e));
    assert_string_equal(e.text, "z.lua:1: stopped: the file took more than 10 s");
    lua_sandbox_close(&s);
}

/* What one file breaks is its own. */
static void rooms_are_apart(void **state)
{
    (void)state;
    struct lua_sandbox a, b;
    struct sandbox_error e;
    lua_sandbox_open(&a, S("a.lua"));
    lua_sandbox_open(&b, S("b.lua"));
    assert_true(lua_sandbox_load(&a, S("string.find = nil math = nil x = 1"), &e));
    assert_true(lua_sandbox_load(
        &b, S("assert(('ab'):find('b') == 2 and math and not x)"), &e));
    lua_sandbox_close(&a);
    lua_sandbox_close(&b);
}

/* Files in one state share libraries, and nothing else. */
static void files_in_one_state(void **state)
{
    (void)state;
    struct lua_sandbox room, a, b;
    struct sandbox_error e;
    lua_sandbox_open(&room, S("room"));
    assert_true(lua_sandbox_load(&room, S("function twice(n) return 2 * n end"), &e));
    lua_sandbox_open_in(&a, &room, S("a.lua"));
    lua_sandbox_open_in(&b, &room, S("b.lua"));
    a.limits.file_steps_left = 2500;
    assert_true(lua_sandbox_load(&a, S("x = twice(1) twice = nil"), &e));
    assert_false(lua_sandbox_load(&a, S("while true do end"), &e));
    assert_string_equal(e.text, "a.lua:1: stopped: the file took more than 200000000 "
                                "steps");
    assert_true(lua_sandbox_load(&b, S("assert(not x and twice(2) == 4)"), &e));
    assert_false(lua_sandbox_load(&b, S("local t = {} while true do t = {t} end"), &e));
    assert_non_null(strstr(e.text, "b.lua"));
    assert_true(lua_sandbox_load(&b, S("for i = 1, 100000 do x = {i} end"), &e));
    lua_sandbox_close(&a);
    lua_sandbox_close(&b);
    lua_sandbox_close(&room);
}

static void long_sources_and_odd_names(void **state)
{
    (void)state;
    static char big[SANDBOX_SOURCE_BYTES + 2];
    struct lua_sandbox s;
    struct sandbox_error e;
    memset(big, ' ', sizeof big);
    lua_sandbox_open(&s,
                     S("a/b\n\x01name-that-is-longer-than-sixty-three-bytes-and-so-is-"
                       "cut-somewhere.lua"));
    assert_int_equal(strlen(s.name), 63);
    assert_true(s.name[1] == '?' && s.name[2] == '?');
    assert_false(lua_sandbox_load(&s, (struct str){big, sizeof big}, &e));
    assert_true(lua_sandbox_load(&s, (struct str){big, sizeof big - 2}, &e));
    lua_sandbox_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_lua_runs),
        cmocka_unit_test(errors_are_one_line_without_a_path),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(addresses_and_hash_order_do_not_show),
        cmocka_unit_test(sorting_is_stable),
        cmocka_unit_test(lists_and_texts),
        cmocka_unit_test(loops_end),
        cmocka_unit_test(recursion_ends),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(long_calls_into_c_end),
        cmocka_unit_test(a_file_has_a_total),
        cmocka_unit_test(processor_time_ends),
        cmocka_unit_test(rooms_are_apart),
        cmocka_unit_test(files_in_one_state),
        cmocka_unit_test(long_sources_and_odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
