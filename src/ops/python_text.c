#include "ops/python_text.h"

#include "base/out.h"
#include "base/plain_run.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 256, NO_CHAR = -2 };

#define QUOTING "'\"\\" /* bytes that need a second look */

/* Code points of an UTF-8 text, or of the inside of a JSON string with its escapes. */
struct chars {
    struct str s;
    bool json;
};

struct converter {
    struct out *o;
    struct str s; /* what is still to be read */
    bool tuples;
    int objects; /* how many of the open containers are objects */
    int depth;
    char open[DEPTH_MAX]; /* '(', '[' or '{' as it was written */
    bool comma[DEPTH_MAX];
};

/* Python's str.isprintable() is false for these: separators other than the space,
 * controls, format characters, surrogates, private use and noncharacters. */
static const struct {
    int32_t first, last;
} hidden[] = {
    {0x7F, 0xA0},       {0xAD, 0xAD},        {0x600, 0x605},     {0x61C, 0x61C},
    {0x6DD, 0x6DD},     {0x70F, 0x70F},      {0x890, 0x891},     {0x8E2, 0x8E2},
    {0x1680, 0x1680},   {0x180E, 0x180E},    {0x2000, 0x200F},   {0x2028, 0x202F},
    {0x205F, 0x2064},   {0x2066, 0x206F},    {0x3000, 0x3000},   {0xD800, 0xF8FF},
    {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF},    {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD},
    {0x110CD, 0x110CD}, {0x13430, 0x13438},  {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0xE0000, 0xE00FF}, {0xE01F0, 0x10FFFF},
};

static bool is_printable(int32_t code)
{
    if (code < 0x7F)
        return code >= 0x20;
    if ((code & 0xFFFE) == 0xFFFE)
        return false;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && hidden[i].first <= code;
         i++)
        if (code <= hidden[i].last)
            return false;
    return true;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits after \u; NO_CHAR when they are not there. */
static int32_t take_hex4(struct str *s)
{
    int32_t code = 0;
    if (s->n < 4)
        return NO_CHAR;
    for (int i = 0; i < 4; i++) {
        int digit = hex_value(s->p[i]);
        if (digit < 0)
            return NO_CHAR;
        code = code * 16 + digit;
    }
    *s = str_skip(*s, 4);
    return code;
}

/* The code point of an escape whose backslash is gone. Surrogates that pair are joined;
 * a lonely one is passed on, since Python keeps it. */
static int32_t take_escape(struct str *s)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = s->n ? s->p[0] : '\0';
    *s = str_skip(*s, 1);
    if (c != 'u') {
        const char *at = c ? strchr(from, c) : NULL;
        return at ? to[at - from] : NO_CHAR;
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

/* The next code point, or NO_CHAR at the end and where the text is not JSON. */
static int32_t chars_next(struct chars *c)
{
    if (c->s.n == 0)
        return NO_CHAR;
    if (c->json && c->s.p[0] == '\\') {
        c->s = str_skip(c->s, 1);
        return take_escape(&c->s);
    }
    int32_t code = utf8_next(&c->s);
    return code == UTF8_BROKEN ? UTF8_REPLACEMENT : code;
}

static void put_char(struct out *o, int32_t code, char quote)
{
    if (code == quote || code == '\\') {
        out_char(o, '\\');
        out_char(o, (char)code);
    } else if (code == '\n' || code == '\r' || code == '\t') {
        out_char(o, '\\');
        out_char(o, code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
    } else if (is_printable(code)) {
        utf8_write(o, (uint32_t)code);
    } else if (code <= 0xFF) {
        out_printf(o, "\\x%02x", (unsigned)code);
    } else if (code <= 0xFFFF) {
        out_printf(o, "\\u%04x", (unsigned)code);
    } else {
        out_printf(o, "\\U%08x", (unsigned)code);
    }
}

/* Read twice: the quote depends on the whole text. False: a bad escape. */
static bool put_chars(struct out *o, struct chars c)
{
    bool single = false, twofold = false;
    struct chars ahead = c;
    while (ahead.s.n > 0) {
        ahead.s = str_skip(ahead.s, plain_run(ahead.s, QUOTING));
        if (ahead.s.n == 0)
            break;
        int32_t code = chars_next(&ahead);
        if (code == NO_CHAR)
            return false;
        single |= code == '\'';
        twofold |= code == '"';
    }
    char quote = single && !twofold ? '"' : '\'';
    out_char(o, quote);
    while (c.s.n > 0) {
        ptrdiff_t plain = plain_run(c.s, QUOTING);
        out_bytes(o, c.s.p, plain);
        c.s = str_skip(c.s, plain);
        if (c.s.n > 0)
            put_char(o, chars_next(&c), quote);
    }
    out_char(o, quote);
    return true;
}

void python_string(struct out *o, struct str s)
{
    put_chars(o, (struct chars){s, false});
}

/* A JSON string from its opening quote. Most hold nothing that needs a second look. */
static bool put_json_string(struct converter *c)
{
    const char *p = c->s.p + 1, *end = c->s.p + c->s.n, *start = p;
    bool plain = true;
    for (; p < end && *p != '"'; p++) {
        unsigned char byte = (unsigned char)*p;
        if (byte < 0x20)
            return false;
        plain &= byte != '\\' && byte != '\'' && byte < 0x7F;
        if (byte == '\\' && ++p == end)
            return false;
    }
    if (p >= end)
        return false;
    struct str inside = {start, p - start};
    c->s = str_skip(c->s, inside.n + 2);
    if (!plain)
        return put_chars(c->o, (struct chars){inside, true});
    out_char(c->o, '\'');
    out_str(c->o, inside);
    out_char(c->o, '\'');
    return true;
}

static ptrdiff_t digits(struct str s, ptrdiff_t at)
{
    ptrdiff_t from = at;
    while (at < s.n && s.p[at] >= '0' && s.p[at] <= '9')
        at++;
    return at - from;
}

/* The length of the number s begins with, 0 if it does not; *whole: no '.', no 'e'. */
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

static void put_real(struct out *o, struct str number)
{
    char small[64];
    if (number.n < (ptrdiff_t)sizeof small) {
        memcpy(small, number.p, (size_t)number.n);
        small[number.n] = '\0';
        out_real(o, strtod(small, NULL));
        return;
    }
    struct out copy; /* strtod wants a terminator, and no digit may be lost */
    out_memory(&copy);
    out_str(&copy, number);
    out_char(&copy, '\0');
    out_real(o, strtod(out_view(&copy).p, NULL));
    out_free(&copy);
}

static bool put_number(struct converter *c)
{
    bool whole;
    ptrdiff_t n = number_length(c->s, &whole);
    if (n == 0)
        return false;
    struct str number = str_head(c->s, n);
    c->s = str_skip(c->s, n);
    if (!whole)
        put_real(c->o, number);
    else
        out_str(c->o, str_eq(number, S("-0")) ? S("0") : number);
    return true;
}

static bool put_word(struct converter *c)
{
    static const struct {
        struct str json, python;
    } words[] = {
        {{"true", 4}, {"True", 4}},    {{"false", 5}, {"False", 5}},
        {{"null", 4}, {"None", 4}},    {{"NaN", 3}, {"nan", 3}},
        {{"Infinity", 8}, {"inf", 3}}, {{"-Infinity", 9}, {"-inf", 4}},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_starts(c->s, words[i].json)) {
            c->s = str_skip(c->s, words[i].json.n);
            out_str(c->o, words[i].python);
            return true;
        }
    return false;
}

static bool put_scalar(struct converter *c)
{
    char first = c->s.p[0];
    if (first == '"')
        return put_json_string(c);
    if ((first >= '0' && first <= '9') || (first == '-' && !str_starts(c->s, S("-I"))))
        return put_number(c);
    return put_word(c);
}

static char peek(struct converter *c)
{
    ptrdiff_t n = 0;
    while (n < c->s.n && (c->s.p[n] == ' ' || c->s.p[n] == '\n' || c->s.p[n] == '\t' ||
                          c->s.p[n] == '\r'))
        n++;
    c->s = str_skip(c->s, n);
    return c->s.n ? c->s.p[0] : '\0';
}

static bool take(struct converter *c, char wanted)
{
    if (peek(c) != wanted)
        return false;
    c->s = str_skip(c->s, 1);
    return true;
}

static bool put_key(struct converter *c)
{
    if (peek(c) != '"' || !put_json_string(c) || !take(c, ':'))
        return false;
    out_lit(c->o, ": ");
    return true;
}

static bool enter(struct converter *c, char bracket)
{
    if (c->depth == DEPTH_MAX)
        return false;
    c->s = str_skip(c->s, 1);
    char written = bracket == '[' && c->tuples && c->objects == 0 ? '(' : bracket;
    c->objects += bracket == '{';
    c->comma[c->depth] = false;
    c->open[c->depth++] = written;
    out_char(c->o, written);
    return true;
}

static void leave(struct converter *c)
{
    char written = c->open[--c->depth];
    c->objects -= written == '{';
    out_char(c->o, written == '(' ? ')' : written == '[' ? ']' : '}');
}

/* After a value: close what ends here. True with *more when another value follows. */
static bool after_value(struct converter *c, bool *more)
{
    *more = false;
    while (c->depth > 0) {
        char open = c->open[c->depth - 1];
        if (take(c, ',')) {
            c->comma[c->depth - 1] = true;
            out_lit(c->o, ", ");
            *more = true;
            return open != '{' || put_key(c);
        }
        if (!take(c, open == '{' ? '}' : ']'))
            return false;
        if (open == '(' && !c->comma[c->depth - 1])
            out_char(c->o, ',');
        leave(c);
    }
    return true;
}

static bool convert(struct converter *c)
{
    for (bool more = true; more;) {
        char first = peek(c);
        if (first == '[' || first == '{') {
            if (!enter(c, first))
                return false;
            if (!take(c, first == '[' ? ']' : '}')) {
                if (first == '{' && !put_key(c))
                    return false;
                continue;
            }
            leave(c);
        } else if (first == '\0' || !put_scalar(c)) {
            return false;
        }
        if (!after_value(c, &more))
            return false;
    }
    peek(c);
    return c->s.n == 0;
}

static bool of_json(struct out *o, struct str json, bool tuples)
{
    assert(o->fd < 0);
    ptrdiff_t before = o->n;
    struct converter c;
    c.o = o;
    c.s = json;
    c.tuples = tuples;
    c.objects = c.depth = 0; /* the stacks need no zeroing */
    if (convert(&c))
        return true;
    o->n = before;
    return false;
}

bool python_list_of_json(struct out *o, struct str json)
{
    return of_json(o, json, false);
}

bool python_tuple_of_json(struct out *o, struct str json)
{
    return of_json(o, json, true);
}
