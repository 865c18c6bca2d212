#include "share/readings.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

static int code_at(struct str s, ptrdiff_t at, int digits, int base)
{
    char buf[12];
    if (digits <= 0 || digits > 10 || at + digits > s.n)
        return -1;
    memcpy(buf, s.p + at, (size_t)digits);
    buf[digits] = '\0';
    if (strspn(buf, "0123456789abcdefABCDEF") != (size_t)digits)
        return -1;
    char *end;
    long v = strtol(buf, &end, base);
    return *end || v > 0x10ffff ? -1 : (int)v;
}

/* What an entity stands for, and how long it is; 0: it is none. */
static ptrdiff_t entity(struct str s, int *code)
{
    static const struct {
        struct str name;
        int code;
    } known[] = {{S_INIT("&amp;"), '&'},  {S_INIT("&lt;"), '<'},
                 {S_INIT("&gt;"), '>'},   {S_INIT("&quot;"), '"'},
                 {S_INIT("&#39;"), '\''}, {S_INIT("&apos;"), '\''},
                 {S_INIT("&nbsp;"), ' '}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (str_starts(s, known[k].name)) {
            *code = known[k].code;
            return known[k].name.n;
        }
    ptrdiff_t end = str_find(str_head(s, 12), S(";"));
    bool hex = s.n > 2 && (s.p[2] == 'x' || s.p[2] == 'X');
    if (end < 3 || !str_starts(s, S("&#")))
        return 0;
    *code = code_at(s, hex ? 3 : 2, (int)end - (hex ? 3 : 2), hex ? 16 : 10);
    return *code < 0 ? 0 : end + 1;
}

/* An escape of JSON, of a script or of markdown. */
static ptrdiff_t escape(struct str s, int *code)
{
    if (s.n < 2)
        return 0;
    if (s.p[1] == 'u' && (*code = code_at(s, 2, 4, 16)) >= 0)
        return 6;
    if (s.p[1] == 'x' && (*code = code_at(s, 2, 2, 16)) >= 0)
        return 4;
    *code = memchr("bfnrt", s.p[1], 5) ? ' ' : (unsigned char)s.p[1];
    return 2;
}

static ptrdiff_t percent(struct str s, int *code)
{
    *code = code_at(s, 1, 2, 16);
    return *code < 0 ? 0 : 3;
}

struct str reading_of_markup(struct arena *a, struct str s, bool tags)
{
    char *p = arena_take_raw(a, 1, 1, s.n + 8);
    ptrdiff_t n = 0;
    while (s.n > 0) {
        int code = -1;
        bool byte = *s.p == '%';
        ptrdiff_t used = *s.p == '&'    ? entity(s, &code)
                         : *s.p == '\\' ? escape(s, &code)
                         : byte         ? percent(s, &code)
                                        : 0;
        ptrdiff_t end =
            *s.p == '<' && !tags ? str_find(str_head(s, 4096), S(">")) : (ptrdiff_t)-1;
        if (used && byte)
            p[n++] = (char)code; /* a byte of UTF-8 */
        else if (used)
            n += utf8_bytes(p + n, (uint32_t)code);
        else if (end > 0)
            used = end + 1;
        else if (used = 1, *s.p != '`')
            p[n++] = *s.p;
        s = str_skip(s, used);
    }
    return (struct str){p, n};
}

struct str reading_of_wide(struct arena *a, struct str s)
{
    char *p = arena_take_raw(a, 1, 1, s.n + 1);
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < s.n; i++)
        if (s.p[i])
            p[n++] = s.p[i];
    return (struct str){p, n};
}

struct str reading_of_utf16(struct arena *a, struct str s)
{
    bool little = str_starts(s, S("\xff\xfe"));
    if (!little && !str_starts(s, S("\xfe\xff")))
        return S("");
    char *p = arena_take_raw(a, 1, 1, 2 * s.n + 8);
    ptrdiff_t n = 0;
    uint32_t high = 0;
    for (ptrdiff_t i = 2; i + 1 < s.n; i += 2) {
        uint32_t unit = (uint32_t)(unsigned char)s.p[i + little] << 8 |
                        (unsigned char)s.p[i + !little];
        if (unit >= 0xD800 && unit < 0xDC00) {
            high = unit;
            continue;
        }
        if (high && unit >= 0xDC00 && unit < 0xE000)
            unit = 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
        high = 0;
        n += utf8_bytes(p + n, unit);
    }
    return (struct str){p, n};
}

/* The six bits of a letter, of either alphabet; -1: it is none. */
static int six_bits(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

/* Mails break base64 into lines of 64 or 76 letters. */
static ptrdiff_t line_break(struct str s, ptrdiff_t at, ptrdiff_t line)
{
    enum { LINE_LEAST = 60 };
    ptrdiff_t n = at + 1 < s.n && s.p[at] == '\r' ? 2 : 1;
    bool breaks = at + n < s.n && s.p[at + n - 1] == '\n';
    return breaks && line >= LINE_LEAST && six_bits(s.p[at + n]) >= 0 ? n : 0;
}

bool reading_next_base64(struct arena *a, struct str *s, struct str *run)
{
    enum { LEAST = 16, LEAST_SAID = 4 };
    struct str said = S("base64,");
    for (const char *start = s->p; s->n;) {
        ptrdiff_t n = 0, letters = 0, line = 0, gap;
        while (n < s->n &&
               (six_bits(s->p[n]) >= 0 || (gap = line_break(*s, n, line)))) {
            bool letter = six_bits(s->p[n]) >= 0;
            letters += letter;
            line = letter ? line + 1 : 0;
            n += letter ? 1 : gap;
        }
        bool is_said = s->p - start >= said.n &&
                       memcmp(s->p - said.n, said.p, (size_t)said.n) == 0;
        if (letters >= (is_said ? LEAST_SAID : LEAST)) {
            char *p = arena_take_raw(a, 1, 1, letters);
            for (ptrdiff_t i = 0, k = 0; i < n; i++)
                if (six_bits(s->p[i]) >= 0)
                    p[k++] = s->p[i];
            *run = (struct str){p, letters};
            *s = str_skip(*s, n);
            return true;
        }
        *s = str_skip(*s, n ? n : 1);
    }
    return false;
}

struct str reading_of_base64(struct arena *a, struct str run, int skipped)
{
    char *p = arena_take_raw(a, 1, 1, run.n + 1);
    ptrdiff_t n = 0;
    uint32_t bits = 0;
    int have = 0;
    for (ptrdiff_t i = skipped; i < run.n; i++) {
        bits = bits << 6 | (uint32_t)six_bits(run.p[i]);
        have += 6;
        if (have >= 8) {
            have -= 8;
            p[n++] = (char)(bits >> have);
        }
    }
    return (struct str){p, n};
}
