/* Texts of patterns: "{B} products of {M}x{K}" becomes a sentence.
 *
 * Numbers are formatted by their unit, the end of their name. Names from the trace are
 * put in backticks and cannot break out of them; {{ is a brace. */
#include "analysis/lua/pattern_host_parts.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "base/utf8.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 4096, KEY_BYTES = 64, NAME_BYTES = 100 };

struct fill {
    lua_State *L;
    struct arena *perm;
    struct text_source from;
    char *text;
    ptrdiff_t n;
};

/* Everything that a trace may name freely. */
static const char quoted[] =
    " op name shape kernel kernel_short module chain_module lowering_kernel "
    "lowering_shape args triton_ops launcher library input_shape filter_shape "
    "communication_ops chain_ops chain_slowest blame leaf sync what code root "
    "where_most ";

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
    char word[KEY_BYTES + 2];
    snprintf(word, sizeof word, " %s ", key);
    return strstr(quoted, word) != NULL;
}

static void put_name(struct fill *f, struct str s)
{
    s = name_without_launcher(s);
    bool cut = s.n > NAME_BYTES;
    s = utf8_head(s, NAME_BYTES);
    put(f, "`", 1);
    for (ptrdiff_t i = 0; i < s.n; i++)
        put(f, s.p[i] == '`' ? "'" : s.p + i, 1);
    put(f, cut ? "...`" : "`", cut ? 4 : 1);
}

/* The value on the top of the stack. */
static void put_value(struct fill *f, const char *key, bool of_row)
{
    struct str s;
    switch (lua_type(f->L, -1)) {
    case LUA_TNUMBER:
        put_str(f, number_text(f, key, lua_tonumber(f->L, -1)));
        break;
    case LUA_TBOOLEAN:
        put_str(f, lua_toboolean(f->L, -1) ? S("yes") : S("no"));
        break;
    case LUA_TSTRING:
        s = host_text(f->L, -1);
        if (s.n == 0)
            put_str(f, S("unknown"));
        else if (of_row && is_quoted(key))
            put_name(f, s);
        else
            put_str(f, s);
        break;
    default:
        luaL_error(f->L, "{%s} is a %s, not a text", key, luaL_typename(f->L, -1));
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
    if (lua_type(f->L, f->from.values) == LUA_TTABLE &&
        lua_getfield(f->L, f->from.values, key) != LUA_TNIL)
        put_value(f, key, false);
    else if ((f->from.row && value_push_row_field(f->L, f->from.row, key)) ||
             (f->from.group && value_push_group_field(f->L, f->from.group, key)))
        put_value(f, key, true);
    else
        luaL_error(f->L, "no value is called {%s}", key);
    lua_settop(f->L, top);
}

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
                         const char *field, struct text_source from)
{
    int top = lua_gettop(L);
    struct fill f = {.L = L, .perm = perm, .from = from};
    if (lua_getfield(L, pattern, field) == LUA_TFUNCTION) {
        if (from.row)
            value_push_row(L, from.row);
        else if (from.group)
            value_push_group(L, from.group);
        else
            lua_pushnil(L);
        lua_pushvalue(L, from.values);
        value_push_trace(L);
        lua_call(L, 3, 1);
    }
    if (lua_isnil(L, -1)) {
        lua_settop(L, top);
        return S("");
    }
    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_error(L, "%s must be a text, not a %s", field, luaL_typename(L, -1));
    char text[TEXT_BYTES];
    f.text = text;
    fill_text(&f, host_text(L, -1));
    lua_settop(L, top);
    return str_copy(perm, (struct str){text, f.n});
}
