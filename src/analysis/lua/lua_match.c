#include "analysis/lua/lua_match.h"

#include "analysis/lua/lua_limits.h"
#include "base/str.h"

#include <lauxlib.h>
#include <string.h>

enum { MAX_DEPTH = 200, MAX_CAPTURES = 32, OPEN = -1, PLACE = -2 };

struct capture {
    const char *at;
    ptrdiff_t n; /* bytes; OPEN, PLACE */
};

struct matcher {
    lua_State *L;
    const char *s, *s_end; /* the text */
    const char *p_end;     /* of the pattern */
    int depth;
    int n;
    struct capture captures[MAX_CAPTURES];
};

static const char *match_here(struct matcher *m, const char *s, const char *p);

static const char *fail(struct matcher *m, const char *why)
{
    luaL_error(m->L, "malformed pattern (%s)", why);
    return NULL;
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* %a and so on, ASCII only, independent of the locale. A capital letter is the
 * complement. */
static bool in_class(int c, int class)
{
    bool in;
    switch (class | 0x20) {
    case 'a':
        in = is_letter(c);
        break;
    case 'c':
        in = c < 0x20 || c == 0x7f;
        break;
    case 'd':
        in = is_digit(c);
        break;
    case 'g':
        in = c > 0x20 && c < 0x7f;
        break;
    case 'l':
        in = c >= 'a' && c <= 'z';
        break;
    case 'p':
        in = c > 0x20 && c < 0x7f && !is_letter(c) && !is_digit(c);
        break;
    case 's':
        in = c == ' ' || (c >= '\t' && c <= '\r');
        break;
    case 'u':
        in = c >= 'A' && c <= 'Z';
        break;
    case 'w':
        in = is_letter(c) || is_digit(c);
        break;
    case 'x':
        in = is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
        break;
    default:
        return class == c;
    }
    if (!is_letter(class))
        return class == c;
    return (class & 0x20) ? in : !in;
}

/* The end of the single item at p: a character, %x, or a set. */
static const char *item_end(struct matcher *m, const char *p)
{
    if (*p == '%')
        return p + 1 < m->p_end ? p + 2 : fail(m, "ends with '%'");
    if (*p++ != '[')
        return p;
    if (p < m->p_end && *p == '^')
        p++;
    do { /* the first ']' is a member */
        if (p >= m->p_end)
            return fail(m, "missing ']'");
        if (*p++ == '%')
            p++;
    } while (p >= m->p_end || *p != ']');
    return p + 1;
}

/* `end` is at the closing bracket. */
static bool in_set(struct matcher *m, int c, const char *p, const char *end)
{
    bool found = true;
    lua_limits_spend(m->L, end - p);
    if (p[1] == '^') {
        found = false;
        p++;
    }
    while (++p < end) {
        if (*p == '%') {
            p++;
            if (in_class(c, (unsigned char)*p))
                return found;
        } else if (p[1] == '-' && p + 2 < end) {
            if ((unsigned char)*p <= c && c <= (unsigned char)p[2])
                return found;
            p += 2;
        } else if ((unsigned char)*p == c) {
            return found;
        }
    }
    return !found;
}

static bool matches_one(struct matcher *m, const char *s, const char *p,
                        const char *end)
{
    lua_limits_spend(m->L, 1);
    if (s >= m->s_end)
        return false;
    int c = (unsigned char)*s;
    switch (*p) {
    case '.':
        return true;
    case '%':
        return in_class(c, (unsigned char)p[1]);
    case '[':
        return in_set(m, c, p, end - 1);
    default:
        return (unsigned char)*p == c;
    }
}

static const char *match_most(struct matcher *m, const char *s, const char *p,
                              const char *end, ptrdiff_t least)
{
    ptrdiff_t n = 0;
    while (matches_one(m, s + n, p, end))
        n++;
    for (; n >= least; n--) {
        const char *rest = match_here(m, s + n, end + 1);
        if (rest)
            return rest;
    }
    return NULL;
}

static const char *match_least(struct matcher *m, const char *s, const char *p,
                               const char *end)
{
    for (;;) {
        const char *rest = match_here(m, s, end + 1);
        if (rest)
            return rest;
        if (!matches_one(m, s, p, end))
            return NULL;
        s++;
    }
}

static const char *match_item(struct matcher *m, const char *s, const char *p)
{
    const char *end = item_end(m, p);
    char how = end < m->p_end ? *end : '\0';
    if (how == '*')
        return match_most(m, s, p, end, 0);
    if (how == '+')
        return match_most(m, s, p, end, 1);
    if (how == '-')
        return match_least(m, s, p, end);
    bool one = matches_one(m, s, p, end);
    if (how == '?') {
        const char *rest = one ? match_here(m, s + 1, end + 1) : NULL;
        return rest ? rest : match_here(m, s, end + 1);
    }
    return one ? match_here(m, s + 1, end) : NULL;
}

static const char *open_capture(struct matcher *m, const char *s, const char *p,
                                ptrdiff_t what)
{
    if (m->n == MAX_CAPTURES)
        return fail(m, "too many captures");
    m->captures[m->n++] = (struct capture){s, what};
    const char *rest = match_here(m, s, p);
    if (!rest)
        m->n--;
    return rest;
}

static const char *close_capture(struct matcher *m, const char *s, const char *p)
{
    int k = m->n - 1;
    while (k >= 0 && m->captures[k].n != OPEN)
        k--;
    if (k < 0)
        return fail(m, "')' without '('");
    m->captures[k].n = s - m->captures[k].at;
    const char *rest = match_here(m, s, p);
    if (!rest)
        m->captures[k].n = OPEN;
    return rest;
}

/* %bxy: from an x to the y that balances it. */
static const char *match_balance(struct matcher *m, const char *s, const char *p)
{
    if (p + 1 >= m->p_end)
        return fail(m, "missing arguments to '%b'");
    if (s >= m->s_end || *s != p[0])
        return NULL;
    for (int64_t open = 1; ++s < m->s_end;) {
        lua_limits_spend(m->L, 1);
        if (*s == p[1]) {
            if (--open == 0)
                return match_here(m, s + 1, p + 2);
        } else if (*s == p[0]) {
            open++;
        }
    }
    return NULL;
}

/* %f[set]: between a character that is not in the set and one that is. */
static const char *match_frontier(struct matcher *m, const char *s, const char *p)
{
    if (p >= m->p_end || *p != '[')
        return fail(m, "missing '[' after '%f'");
    const char *end = item_end(m, p);
    int before = s == m->s ? 0 : (unsigned char)s[-1];
    int after = s < m->s_end ? (unsigned char)*s : 0;
    if (in_set(m, before, p, end - 1) || !in_set(m, after, p, end - 1))
        return NULL;
    return match_here(m, s, end);
}

static const char *match_again(struct matcher *m, const char *s, const char *p)
{
    int k = *p - '1';
    if (k < 0 || k >= m->n || m->captures[k].n < 0)
        return fail(m, "invalid capture");
    struct capture c = m->captures[k];
    lua_limits_spend(m->L, c.n);
    if (m->s_end - s < c.n || memcmp(s, c.at, (size_t)c.n) != 0)
        return NULL;
    return match_here(m, s + c.n, p + 1);
}

static const char *match_special(struct matcher *m, const char *s, const char *p)
{
    if (*p == '(')
        return p + 1 < m->p_end && p[1] == ')' ? open_capture(m, s, p + 2, PLACE)
                                               : open_capture(m, s, p + 1, OPEN);
    if (*p == ')')
        return close_capture(m, s, p + 1);
    if (*p == '$' && p + 1 == m->p_end)
        return s == m->s_end ? s : NULL;
    if (*p == '%' && p + 1 < m->p_end) {
        if (p[1] == 'b')
            return match_balance(m, s, p + 2);
        if (p[1] == 'f')
            return match_frontier(m, s, p + 2);
        if (is_digit(p[1]))
            return match_again(m, s, p + 1);
    }
    return match_item(m, s, p);
}

/* The end of the match of p at s, or NULL. A run of plain characters is a loop;
 * everything else takes a level, at most MAX_DEPTH. */
static const char *match_here(struct matcher *m, const char *s, const char *p)
{
    while (p < m->p_end && (is_letter(*p) || is_digit(*p) || *p == '_' || *p == ' ') &&
           (p + 1 == m->p_end || !strchr("*+-?", p[1]))) {
        lua_limits_spend(m->L, 1);
        if (s >= m->s_end || *s != *p)
            return NULL;
        s++, p++;
    }
    if (p == m->p_end)
        return s;
    if (m->depth == MAX_DEPTH)
        luaL_error(m->L, "pattern too complex");
    m->depth++;
    const char *end = match_special(m, s, p);
    m->depth--;
    return end;
}

static int push_captures(struct matcher *m)
{
    for (int k = 0; k < m->n; k++) {
        struct capture c = m->captures[k];
        if (c.n == OPEN)
            luaL_error(m->L, "malformed pattern (unfinished capture)");
        if (c.n == PLACE)
            lua_pushinteger(m->L, c.at - m->s + 1);
        else
            lua_pushlstring(m->L, c.at, (size_t)c.n);
    }
    return m->n;
}

static ptrdiff_t start_of(lua_State *L, size_t n)
{
    lua_Integer init = luaL_optinteger(L, 3, 1);
    if (init < 0)
        init = (lua_Integer)n + init < 0 ? 1 : (lua_Integer)n + init + 1;
    return (ptrdiff_t)(init < 1 ? 0 : init - 1);
}

static int find_plain(lua_State *L, struct str s, struct str part, ptrdiff_t at)
{
    const char *from = s.p + at, *end = s.p + s.n,
               *found = memmem(from, (size_t)(end - from), part.p, (size_t)part.n);
    lua_limits_spend(L, 1 + ((found ? found : end) - from) + part.n / 8);
    if (!found) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, found - s.p + 1);
    lua_pushinteger(L, found - s.p + part.n);
    return 2;
}

/* Whether every match begins with the first character of the pattern. */
static bool begins_plain(const char *p, size_t n)
{
    return n > 0 && !strchr("^$*+?.([%-)", *p) && (n < 2 || !strchr("*?-", p[1]));
}

/* The next place from `at` on where the text has the character, or its end. Counts the
 * steps of trying all places before it. */
static ptrdiff_t skip_to(lua_State *L, struct str text, ptrdiff_t at, char c)
{
    const char *from = text.p + at;
    const char *found = at < text.n ? memchr(from, c, (size_t)(text.n - at)) : NULL;
    ptrdiff_t to = found ? found - text.p : text.n;
    if (to > at)
        lua_limits_spend(L, 2 * (to - at));
    return to;
}

static int search(lua_State *L, bool find)
{
    size_t n, n_pattern;
    const char *s = luaL_checklstring(L, 1, &n),
               *p = luaL_checklstring(L, 2, &n_pattern);
    ptrdiff_t at = start_of(L, n);
    luaL_checkstack(L, MAX_CAPTURES + 2, "captures");
    if (at > (ptrdiff_t)n) {
        lua_pushnil(L);
        return 1;
    }
    if (find && lua_toboolean(L, 4))
        return find_plain(L, (struct str){s, (ptrdiff_t)n},
                          (struct str){p, (ptrdiff_t)n_pattern}, at);
    bool anchored = n_pattern > 0 && *p == '^', plain = begins_plain(p, n_pattern);
    struct matcher m = {.L = L, .s = s, .s_end = s + n, .p_end = p + n_pattern};
    for (; at <= (ptrdiff_t)n; at++) {
        if (plain)
            at = skip_to(L, (struct str){s, (ptrdiff_t)n}, at, *p);
        m.n = m.depth = 0;
        lua_limits_spend(L, 1);
        const char *end = match_here(&m, s + at, p + anchored);
        if (end && find) {
            lua_pushinteger(L, at + 1);
            lua_pushinteger(L, end - s);
            return 2 + push_captures(&m);
        }
        if (end && m.n)
            return push_captures(&m);
        if (end) {
            lua_pushlstring(L, s + at, (size_t)(end - s - at));
            return 1;
        }
        if (anchored)
            break;
    }
    lua_pushnil(L);
    return 1;
}

int lua_match_find(lua_State *L)
{
    return search(L, true);
}

int lua_match_match(lua_State *L)
{
    return search(L, false);
}
