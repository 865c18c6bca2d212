#include "trace/json_value.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "trace/json_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHOLE_DIGITS = 15, /* as many as a double holds for certain */
    BROKEN_BYTES = 3   /* of U+FFFD, which stands for one byte */
};

struct decoder {
    struct arena *perm;
    struct str s;       /* what is still to be read */
    struct value *open; /* items of the lists that are not closed yet */
    ptrdiff_t n, cap;
    int depth;
};

static char peek(struct decoder *d)
{
    ptrdiff_t n = 0;
    while (n < d->s.n && (d->s.p[n] == ' ' || d->s.p[n] == '\n' || d->s.p[n] == '\t' ||
                          d->s.p[n] == '\r'))
        n++;
    d->s = str_skip(d->s, n);
    return d->s.n ? d->s.p[0] : '\0';
}

static bool take(struct decoder *d, char wanted)
{
    if (peek(d) != wanted || d->s.n == 0)
        return false;
    d->s = str_skip(d->s, 1);
    return true;
}

static int put_code(char *to, int32_t code)
{
    if (code < 0xD800 || code > 0xDFFF)
        return utf8_bytes(to, (uint32_t)code);
    to[0] = (char)0xED;
    to[1] = (char)(0x80 | (code >> 6 & 0x3F));
    to[2] = (char)(0x80 | (code & 0x3F));
    return 3;
}

/* The inside of a string that holds escapes or bytes beyond ASCII. */
static bool decode_text(struct decoder *d, struct str raw, struct value *v)
{
    char *text = arena_take_raw(d->perm, 1, 1, BROKEN_BYTES * raw.n + 1), *to = text;
    while (raw.n > 0) {
        bool escape = raw.p[0] == '\\';
        raw = str_skip(raw, escape);
        int32_t code = escape ? string_escape(&raw) : utf8_next(&raw);
        if (escape && code == ESCAPE_BAD)
            return false;
        to += put_code(to, code < 0 ? UTF8_REPLACEMENT : code);
    }
    d->perm->at = to; /* what was too much */
    *v = (struct value){VALUE_TEXT, (int32_t)(to - text), .text = text};
    return true;
}

static bool read_text(struct decoder *d, struct value *v)
{
    const char *p = d->s.p + 1, *end = d->s.p + d->s.n, *start = p;
    bool plain = true;
    for (; p < end && *p != '"'; p++) {
        unsigned char byte = (unsigned char)*p;
        if (byte < 0x20)
            return false;
        plain &= byte != '\\' && byte < 0x80;
        if (byte == '\\' && ++p == end)
            return false;
    }
    if (p >= end)
        return false;
    d->s = str_skip(d->s, p + 1 - d->s.p);
    *v = (struct value){VALUE_TEXT, (int32_t)(p - start), .text = start};
    return plain || decode_text(d, (struct str){start, p - start}, v);
}

static ptrdiff_t digits(struct str s, ptrdiff_t at)
{
    ptrdiff_t from = at;
    while (at < s.n && s.p[at] >= '0' && s.p[at] <= '9')
        at++;
    return at - from;
}

/* The length of the number at the start of s, or 0; *whole: it has no '.' or 'e'. */
static ptrdiff_t number_length(struct str s, bool *whole)
{
    ptrdiff_t at = s.n > 0 && s.p[0] == '-', n = digits(s, at);
    if (n == 0 || (n > 1 && s.p[at] == '0'))
        return 0;
    at += n;
    *whole = true;
    if (at < s.n && s.p[at] == '.') {
        *whole = false;
        n = digits(s, at + 1);
        if (n == 0)
            return 0;
        at += 1 + n;
    }
    if (at < s.n && (s.p[at] | 0x20) == 'e') {
        *whole = false;
        at++;
        if (at < s.n && (s.p[at] == '+' || s.p[at] == '-'))
            at++;
        n = digits(s, at);
        if (n == 0)
            return 0;
        at += n;
    }
    return at;
}

static double number_of(struct arena scratch, struct str digits, bool whole)
{
    bool minus = digits.p[0] == '-';
    int64_t v = 0;
    if (!whole || digits.n > WHOLE_DIGITS)
        return strtod(str_c(&scratch, digits), NULL);
    for (ptrdiff_t i = minus; i < digits.n; i++)
        v = 10 * v + (digits.p[i] - '0');
    return minus ? -(double)v : (double)v;
}

static bool read_number(struct decoder *d, struct value *v)
{
    bool whole;
    ptrdiff_t n = number_length(d->s, &whole);
    struct str text = str_head(d->s, n);
    if (n == 0)
        return false;
    d->s = str_skip(d->s, n);
    *v = (struct value){VALUE_NUMBER, (int32_t)n, .text = text.p};
    v->number = number_of(*d->perm, text, whole);
    return true;
}

static bool read_word(struct decoder *d, struct value *v)
{
    static const struct {
        struct str text;
        enum value_kind kind;
        double number;
    } words[] = {
        {S_INIT("null"), VALUE_NULL, 0},
        {S_INIT("true"), VALUE_BOOL, 1},
        {S_INIT("false"), VALUE_BOOL, 0},
        {S_INIT("NaN"), VALUE_NUMBER, (double)NAN},
        {S_INIT("Infinity"), VALUE_NUMBER, (double)INFINITY},
        {S_INIT("-Infinity"), VALUE_NUMBER, -(double)INFINITY},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_starts(d->s, words[i].text)) {
            d->s = str_skip(d->s, words[i].text.n);
            *v = (struct value){.kind = words[i].kind, .number = words[i].number};
            return true;
        }
    return false;
}

static bool read_value(struct decoder *d, struct value *v);

/* Appends an item to the innermost list. */
static bool read_item(struct decoder *d)
{
    struct value v;
    if (!read_value(d, &v))
        return false;
    if (d->n == d->cap) {
        d->cap = 2 * d->cap + 64;
        d->open = realloc(d->open, (size_t)d->cap * sizeof *d->open);
        if (!d->open)
            arena_full();
    }
    d->open[d->n++] = v;
    return true;
}

static bool read_key(struct decoder *d)
{
    return peek(d) == '"' && read_item(d) && take(d, ':');
}

/* A list or a map, from its bracket. */
static bool read_items(struct decoder *d, struct value *v)
{
    ptrdiff_t first = d->n;
    bool map = d->s.p[0] == '{';
    char end = map ? '}' : ']';
    if (d->depth == VALUE_DEPTH)
        return false;
    d->depth++;
    d->s = str_skip(d->s, 1);
    if (!take(d, end)) {
        do {
            if ((map && !read_key(d)) || !read_item(d))
                return false;
        } while (take(d, ','));
        if (!take(d, end))
            return false;
    }
    d->depth--;
    ptrdiff_t n = d->n - first;
    struct value *items =
        arena_take_raw(d->perm, sizeof *items, _Alignof(struct value), n);
    if (n > 0)
        memcpy(items, d->open + first, (size_t)n * sizeof *items);
    *v = (struct value){map ? VALUE_MAP : VALUE_LIST, (int32_t)n, .items = items};
    d->n = first;
    return true;
}

static bool read_value(struct decoder *d, struct value *v)
{
    char first = peek(d);
    if (first == '[' || first == '{')
        return read_items(d, v);
    if (first == '"')
        return read_text(d, v);
    return read_number(d, v) || read_word(d, v);
}

const struct value *json_value(struct arena *perm, struct str json)
{
    struct value *v = arena_new(perm, struct value, 1);
    struct arena before = *perm;
    struct decoder d = {.perm = perm, .s = str_head(json, INT32_MAX)};
    if (json.n > INT32_MAX || !read_value(&d, v) || peek(&d) || d.s.n > 0) {
        *perm = before;
        *v = (struct value){VALUE_BROKEN, (int32_t)str_head(json, INT32_MAX).n,
                            .text = json.p};
    }
    free(d.open);
    return v;
}
