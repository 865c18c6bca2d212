#include "analysis/system/host_name.h"

#include "analysis/model/number_text.h"
#include "analysis/stack/tree_index.h"

#include <string.h>

enum { HASH_BYTES = 24 }; /* the shortest word taken for a hash */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "PATH(LINE): FUNCTION". */
static bool read_frame(struct str s, struct str *path, struct str *line,
                       struct str *function)
{
    ptrdiff_t close = str_find(s, S("): ")), open = close;
    while (open > 0 && is_digit(s.p[open - 1]))
        open--;
    if (close < 0 || open == close || open < 2 || s.p[open - 1] != '(')
        return false;
    *path = str_head(s, open - 1);
    *line = str_head(str_skip(s, open), close - open);
    *function = str_skip(s, close + 3);
    return true;
}

static struct str file_of(struct str path)
{
    ptrdiff_t at = path.n;
    while (at > 0 && path.p[at - 1] != '/')
        at--;
    return str_skip(path, at);
}

/* Bytes of the address, step number or hash at the start of s; 0: none of these. */
static ptrdiff_t changing(struct str s, bool begins_word)
{
    bool address = str_starts(s, S(" at 0x")) || str_starts(s, S("0x"));
    ptrdiff_t n = !address ? 0 : s.p[0] == ' ' ? 6 : 2, digits = 0, capitals = 0;
    if (!address && s.p[0] == '#') {
        for (n = 1; n < s.n && is_digit(s.p[n]); n++)
            continue;
        return n > 1 ? n : 0;
    }
    if (!address && !begins_word)
        return 0;
    for (; n < s.n && is_word(s.p[n]); n++) {
        digits += is_digit(s.p[n]);
        capitals += s.p[n] >= 'A' && s.p[n] <= 'Z';
    }
    return address || (n >= HASH_BYTES && digits > 2 && !capitals) ? n : 0;
}

static struct str without_changing(struct arena *a, struct str s)
{
    char *text = arena_take_raw(a, 1, 1, s.n);
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < s.n;) {
        bool begins = i == 0 || !is_word(s.p[i - 1]);
        ptrdiff_t gone = changing(str_skip(s, i), begins);
        i += gone;
        if (gone && n && text[n - 1] == ' ' && i < s.n && s.p[i] == ' ')
            i++;
        if (!gone)
            text[n++] = s.p[i++];
    }
    return str_trim((struct str){text, n});
}

struct host_name host_name_of(struct arena *a, struct str s)
{
    struct str path, line, function, module = tree_module_name(s);
    if (module.n)
        return (struct host_name){module, S("")};
    if (!read_frame(s, &path, &line, &function))
        return (struct host_name){without_changing(a, s), S("")};
    if (str_has(path, S("torchinductor")))
        return (struct host_name){str_printf(a, "generated %.*s", STRF(function)),
                                  S("")};
    struct str file = file_of(path);
    return (struct host_name){function,
                              str_printf(a, "%.*s:%.*s", STRF(file), STRF(line))};
}

uint64_t host_name_key(struct arena tmp, struct str s)
{
    struct str path, line, function;
    if (!read_frame(s, &path, &line, &function))
        return str_hash(host_name_of(&tmp, s).name);
    bool made = str_has(path, S("torchinductor"));
    return str_hash(function) * 31 + (made ? 1 : str_hash(path));
}

struct str host_name_text(struct arena *perm, struct str name, struct str place)
{
    if (str_eq(name, S("<module>")) && place.n) /* of a file: its place says more */
        return quoted_name(perm, place, 60);
    return place.n ? say(perm, "{} ({})", said_name(name, 60), said(place))
                   : quoted_name(perm, name, 60);
}
