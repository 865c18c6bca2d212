/* Texts of patterns: "{B} products of {M}x{K}" becomes a sentence.
 *
 * Numbers are written by their unit, which is the end of their name. Names that the
 * trace brings are set in backticks and cannot break out of them; {{ is a brace. */
#include "analysis/pattern_host_parts.h"

#include "analysis/name_match.h"
#include "analysis/number_text.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

enum { TEXT_BYTES = 4096, KEY_BYTES = 64, NAME_BYTES = 100 };

struct fill {
    lua_State *L;
    struct arena *perm;
    int values; /* index of a table, or of nil */
    const struct work_row *row;
    char *text;
    ptrdiff_t n;
};

/* Whatever a trace may name as it likes. */
static const char *const quoted[] = {"op",
                                     "name",
                                     "shape",
                                     "kernel",
                                     "kernel_short",
                                     "module",
                                     "chain_module",
                                     "lowering_kernel",
                                     "lowering_shape",
                                     "args",
                                     "triton_ops",
                                     "launcher",
                                     "library",
                                     "input_shape",
                                     "filter_shape",
                                     "communication_ops",
                                     "chain_ops",
                                     "chain_slowest"};

static void put(struct fill *f, const char *p, ptrdiff_t n)
{
    if (n > TEXT_BYTES - f->n)
        luaL_error(f->L, "a text is longer than %d bytes", TEXT_BYTES);
    for (ptrdiff_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        f->text[f->n++] = c < 0x20 || c == 0x7f ? ' ' : p[i];
    }
}

static void put_str(struct fill *f, struct str s)
{
    put(f, s.p, s.n);
}

/* ---- values -------------------------------------------------------------------------
 */

static bool ends(const char *key, const char *unit)
{
    return str_ends(str_of(key), str_of(unit));
}

static struct str number_text(struct fill *f, const char *key, double v)
{
    if (str_starts(str_of(key), S("expected_"))) /* of a table: 50-70 % */
        return text_trimmed(f->perm, v);
    if (ends(key, "_ms") || ends(key, "_us"))
        return text_ms(f->perm, v);
    if (ends(key, "_pct") || ends(key, "efficiency") || strcmp(key, "p") == 0 ||
        strcmp(key, "q") == 0 || strcmp(key, "pcat") == 0 || strcmp(key, "pc") == 0)
        return text_pct(f->perm, v);
    if (v > 0 && v < 0.005)
        return S("less than 0.01");
    return text_trimmed(f->perm, v);
}

static bool is_quoted(const char *key)
{
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++)
        if (strcmp(quoted[i], key) == 0)
            return true;
    return false;
}

static void put_name(struct fill *f, struct str s)
{
    s = name_without_launcher(s);
    bool cut = s.n > NAME_BYTES;
    s = str_head(s, NAME_BYTES);
    while (cut && s.n > 0 && ((unsigned char)s.p[s.n] & 0xc0) == 0x80)
        s.n--; /* not inside a character */
    put(f, "`", 1);
    for (ptrdiff_t i = 0; i < s.n; i++)
        put(f, s.p[i] == '`' ? "'" : s.p + i, 1);
    put(f, cut ? "...`" : "`", cut ? 4 : 1);
}

/* The value on the top of the stack. */
static void put_value(struct fill *f, const char *key, bool of_row)
{
    size_t n;
    const char *p;
    switch (lua_type(f->L, -1)) {
    case LUA_TNUMBER:
        put_str(f, number_text(f, key, lua_tonumber(f->L, -1)));
        break;
    case LUA_TBOOLEAN:
        put_str(f, lua_toboolean(f->L, -1) ? S("yes") : S("no"));
        break;
    case LUA_TSTRING:
        p = lua_tolstring(f->L, -1, &n);
        if (n == 0)
            put_str(f, S("not known"));
        else if (of_row && is_quoted(key))
            put_name(f, (struct str){p, (ptrdiff_t)n});
        else
            put(f, p, (ptrdiff_t)n);
        break;
    default:
        luaL_error(f->L, "{%s} is a %s, which is no text", key,
                   luaL_typename(f->L, -1));
    }
}

static void put_placeholder(struct fill *f, struct str name)
{
    char key[KEY_BYTES];
    if (name.n == 0 || name.n >= KEY_BYTES)
        luaL_error(f->L, "a placeholder is empty or too long");
    memcpy(key, name.p, (size_t)name.n);
    key[name.n] = '\0';
    int top = lua_gettop(f->L);
    if (lua_type(f->L, f->values) == LUA_TTABLE &&
        lua_getfield(f->L, f->values, key) != LUA_TNIL)
        put_value(f, key, false);
    else if (f->row && value_push_row_field(f->L, f->row, key))
        put_value(f, key, true);
    else
        luaL_error(f->L, "nothing is known as {%s}", key);
    lua_settop(f->L, top);
}

/* ---- texts --------------------------------------------------------------------------
 */

static void fill_text(struct fill *f, struct str s)
{
    for (ptrdiff_t i = 0; i < s.n; i++) {
        if (s.p[i] != '{') {
            put(f, s.p + i, 1);
        } else if (i + 1 < s.n && s.p[i + 1] == '{') {
            put(f, "{", 1);
            i++;
        } else {
            ptrdiff_t end = str_find(str_skip(s, i), S("}"));
            if (end < 0)
                luaL_error(f->L, "a placeholder is not closed");
            put_placeholder(f, str_head(str_skip(s, i + 1), end - 1));
            i += end;
        }
    }
}

struct str text_of_field(lua_State *L, struct arena *perm, int pattern,
                         const char *field, int values, const struct work_row *row)
{
    int top = lua_gettop(L);
    struct fill f = {.L = L, .perm = perm, .values = values, .row = row};
    if (lua_getfield(L, pattern, field) == LUA_TFUNCTION) {
        if (row)
            value_push_row(L, row);
        else
            lua_pushnil(L);
        lua_pushvalue(L, values);
        lua_call(L, 2, 1);
    }
    if (lua_isnil(L, -1)) {
        lua_settop(L, top);
        return S("");
    }
    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_error(L, "%s must be a text, not a %s", field, luaL_typename(L, -1));
    size_t n;
    const char *p = lua_tolstring(L, -1, &n);
    char text[TEXT_BYTES];
    f.text = text;
    fill_text(&f, (struct str){p, (ptrdiff_t)n});
    lua_settop(L, top);
    return str_copy(perm, (struct str){text, f.n});
}
