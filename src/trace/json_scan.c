#include "trace/json_scan.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *scan_fail(struct json_scan *j, const char *at, const char *what)
{
    if (at >= j->end) {
        j->state = SCAN_SHORT;
        return NULL;
    }
    j->state = SCAN_BAD;
    j->bad_at = at;
    j->what = what;
    return NULL;
}

const char *scan_char(struct json_scan *j, const char *p, char c, const char *what)
{
    p = scan_space(p);
    return *p == c ? p + 1 : scan_fail(j, p, what);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const char *scan_escape(struct json_scan *j, const char *p)
{
    if (p[1] != 'u')
        return p[1] && strchr("\"\\/bfnrt", p[1])
                   ? p + 2
                   : scan_fail(j, p + 1, "invalid escape");
    for (int i = 2; i < 6; i++)
        if (!is_hex(p[i]))
            return scan_fail(j, p + i, "invalid \\u escape");
    return p + 6;
}

const char *scan_escaped(struct json_scan *j, const char *p)
{
    while (*p == '\\') {
        if (!(p = scan_escape(j, p)))
            return NULL;
        p = string_stop(p, j->end);
    }
    return *p == '"' ? p : scan_fail(j, p, "unescaped control character in a string");
}

/* Values that are words: literals, and numbers that JSON does not have. */
static const char *scan_word(struct json_scan *j, const char *p)
{
    static const char *const words[] = {"true",     "false",     "null", "NaN",
                                        "Infinity", "-Infinity", "nan",  "inf",
                                        "-nan",     "-inf"};
    enum { JSON_WORDS = 3 };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]), k = 0;
        while (k < n && p[k] == words[i][k])
            k++;
        if (k == n) {
            j->saw_nan |= i >= JSON_WORDS;
            return p + n;
        }
        if (k && p + k >= j->end)
            return scan_fail(j, p + k, "");
    }
    return scan_fail(j, p, "expected a value");
}

static const char *scan_number(struct json_scan *j, const char *p)
{
    const char *start = p;
    p += *p == '-';
    if (*p == '0')
        p++;
    else if (plain_digit(*p))
        while (plain_digit(*p))
            p++;
    else
        return *p == 'I' || *p == 'i' || *p == 'n' ? scan_word(j, start)
                                                   : scan_fail(j, p, "invalid number");
    if (*p == '.') {
        if (!plain_digit(*++p))
            return scan_fail(j, p, "invalid number: expected a digit after the point");
        while (plain_digit(*p))
            p++;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '+' || *p == '-';
        if (!plain_digit(*p))
            return scan_fail(j, p, "invalid number: expected a digit in the exponent");
        while (plain_digit(*p))
            p++;
    }
    return p >= j->end ? scan_fail(j, p, "") : p; /* more digits may follow */
}

static const char *scan_scalar(struct json_scan *j, const char *p)
{
    struct json_string s;
    if (*p == '"')
        return scan_string(j, p, &s);
    if (plain_digit(*p) || *p == '-')
        return scan_number(j, p);
    return scan_word(j, p);
}

static void nest_set(struct json_scan *j, ptrdiff_t depth, bool object)
{
    ptrdiff_t word = depth / 64;
    if (word >= j->nest_cap) {
        j->nest_cap = j->nest_cap ? 2 * j->nest_cap : 4;
        if (word >= j->nest_cap)
            j->nest_cap = word + 1;
        j->nest = realloc(j->nest, (size_t)j->nest_cap * sizeof *j->nest);
        if (!j->nest)
            arena_full();
    }
    uint64_t bit = (uint64_t)1 << (depth % 64);
    j->nest[word] = object ? j->nest[word] | bit : j->nest[word] & ~bit;
}

static bool nest_is_object(const struct json_scan *j, ptrdiff_t depth)
{
    return j->nest[depth / 64] >> (depth % 64) & 1;
}

static const char *scan_key(struct json_scan *j, const char *p)
{
    struct json_string key;
    if (*p != '"')
        return scan_fail(j, p, "expected a key");
    p = scan_string(j, p, &key);
    return p ? scan_char(j, p, ':', "expected ':' after a key") : NULL;
}

const char *scan_nested(struct json_scan *j, const char *p)
{
    ptrdiff_t depth = 0;
    for (;;) {
        p = scan_space(p);
        if (*p == '[' || *p == '{') {
            bool object = *p == '{';
            p = scan_space(p + 1);
            if (*p != (object ? '}' : ']')) {
                nest_set(j, depth++, object);
                if (object && !(p = scan_key(j, p)))
                    return NULL;
                continue;
            }
            p++;
        } else if (!(p = scan_scalar(j, p))) {
            return NULL;
        }
        /* After a value: closes what ends with it, or goes to the next value. */
        for (;; p++) {
            if (depth == 0)
                return p;
            bool object = nest_is_object(j, depth - 1);
            p = scan_space(p);
            if (*p == ',')
                break;
            if (*p != (object ? '}' : ']'))
                return scan_fail(j, p,
                                 object ? "expected ',' or '}' after a value"
                                        : "expected ',' or ']' after a value");
            depth--;
        }
        p = scan_space(p + 1);
        if (nest_is_object(j, depth - 1) && !(p = scan_key(j, p)))
            return NULL;
    }
}

/* A plain decimal without exponent: its digits as an integer of thousandths. Up
 * to 9.2e15 before the point (us since 1970 are 1.7e15), so that nothing overflows;
 * else false. */
static bool decimal_milli(const char *p, const char *end, int64_t *value)
{
    bool minus = *p == '-';
    uint64_t v = 0;
    int whole = 0;
    for (p += minus; p < end && plain_digit(*p); p++, whole++)
        v = 10 * v + (unsigned)(*p - '0');
    if (whole > 16 || v > 9200000000000000u)
        return false;
    int places = 0;
    unsigned half = 0;
    if (p < end && *p == '.')
        for (p++; p < end && plain_digit(*p); p++, places++) {
            if (places < 3)
                v = 10 * v + (unsigned)(*p - '0');
            else if (places == 3)
                half = *p >= '5';
        }
    if (p < end)
        return false;
    for (; places < 3; places++)
        v *= 10;
    v += half;
    *value = minus ? -(int64_t)v : (int64_t)v;
    return true;
}

static bool text_milli(const char *p, const char *end, double scale, int64_t *value)
{
    char buf[64];
    ptrdiff_t n = end - p;
    if (n < 1 || n >= (ptrdiff_t)sizeof buf || !(plain_digit(*p) || *p == '-'))
        return false;
    memcpy(buf, p, (size_t)n);
    buf[n] = '\0';
    char *stop;
    double v = strtod(buf, &stop) * scale;
    if (stop != buf + n || !(fabs(v) < 9.2e18))
        return false;
    *value = llround(v);
    return true;
}

const char *scan_any_milli(struct json_scan *j, const char *p, int64_t *value,
                           bool *known)
{
    const char *start = p;
    *known = false;
    if (plain_digit(*p) || *p == '-') {
        p = scan_number(j, p);
        if (p)
            *known = decimal_milli(start, p, value) || text_milli(start, p, 1e3, value);
        return p;
    }
    if (*p != '"')
        return scan_value(j, p);
    struct json_string s;
    if ((p = scan_string(j, p, &s)) && s.raw.n > 0)
        *known = text_milli(s.raw.p, s.raw.p + s.raw.n, 1e3, value);
    return p;
}

const char *scan_any_int(struct json_scan *j, const char *p, int64_t *value,
                         bool *known)
{
    const char *start = p;
    *known = false;
    if (plain_digit(*p) || *p == '-') {
        if (!(p = scan_number(j, p)))
            return NULL;
        *known = str_int((struct str){start, p - start}, value) ||
                 text_milli(start, p, 1.0, value);
        return p;
    }
    if (*p != '"')
        return scan_value(j, p);
    struct json_string s;
    if ((p = scan_string(j, p, &s)))
        *known = str_int(s.raw, value);
    return p;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits after \u, or ESCAPE_BAD. */
static int32_t take_hex4(struct str *s)
{
    int32_t code = 0;
    if (s->n < 4)
        return ESCAPE_BAD;
    for (int i = 0; i < 4; i++) {
        int digit = hex_value(s->p[i]);
        if (digit < 0)
            return ESCAPE_BAD;
        code = code * 16 + digit;
    }
    *s = str_skip(*s, 4);
    return code;
}

int32_t string_escape(struct str *s)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = s->n ? s->p[0] : '\0';
    *s = str_skip(*s, 1);
    if (c != 'u') {
        const char *at = c ? strchr(from, c) : NULL;
        return at ? to[at - from] : ESCAPE_BAD;
    }
    int32_t high = take_hex4(s);
    if (high < 0xD800 || high > 0xDBFF || !str_starts(*s, S("\\u")))
        return high;
    struct str rest = str_skip(*s, 2);
    int32_t low = take_hex4(&rest);
    if (low < 0xDC00 || low > 0xDFFF)
        return high;
    *s = rest;
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

ptrdiff_t string_decode(struct str raw, char *buf)
{
    char *to = buf;
    while (raw.n > 0) {
        if (raw.p[0] == '\\') {
            raw = str_skip(raw, 1);
            to += utf8_bytes(to, (uint32_t)string_escape(&raw));
        } else {
            *to++ = raw.p[0];
            raw = str_skip(raw, 1);
        }
    }
    return to - buf;
}

void scan_free(struct json_scan *j)
{
    free(j->nest);
    *j = (struct json_scan){0};
}
