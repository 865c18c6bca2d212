#include "base/python_text.h"

#include "base/out.h"
#include "base/plain_run.h"
#include "base/utf8.h"
#include "base/value.h"

#define QUOTING "'\"\\" /* bytes that need a second look */

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

/* The next code point, which may be a lone surrogate encoded in three bytes. */
static int32_t next_char(struct str *s)
{
    const unsigned char *p = (const unsigned char *)s->p;
    int32_t code = utf8_next(s);
    if (code != UTF8_BROKEN)
        return code;
    if (p[0] != 0xED || s->n < 2 || (p[1] & 0xE0) != 0xA0 || (p[2] & 0xC0) != 0x80)
        return UTF8_REPLACEMENT;
    *s = str_skip(*s, 2);
    return 0xD000 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
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
        out_code_point(o, (uint32_t)code);
    } else if (code <= 0xFF) {
        out_printf(o, "\\x%02x", (unsigned)code);
    } else if (code <= 0xFFFF) {
        out_printf(o, "\\u%04x", (unsigned)code);
    } else {
        out_printf(o, "\\U%08x", (unsigned)code);
    }
}

/* Two passes: the choice of quote depends on the whole text. */
void python_string(struct out *o, struct str s)
{
    bool single = false, twofold = false;
    for (struct str ahead = s; ahead.n > 0; ahead = str_skip(ahead, 1)) {
        ahead = str_skip(ahead, plain_run(ahead, QUOTING));
        single |= ahead.n > 0 && ahead.p[0] == '\'';
        twofold |= ahead.n > 0 && ahead.p[0] == '"';
    }
    char quote = single && !twofold ? '"' : '\'';
    out_char(o, quote);
    while (s.n > 0) {
        ptrdiff_t plain = plain_run(s, QUOTING);
        out_bytes(o, s.p, plain);
        s = str_skip(s, plain);
        if (s.n > 0)
            put_char(o, next_char(&s), quote);
    }
    out_char(o, quote);
}

/* An integer keeps all its digits, except for the sign of -0; a float gets its shortest
 * decimal. */
static void put_number(struct out *o, const struct value *v)
{
    struct str text = {v->text, v->n};
    bool whole = text.n > 0 || value_is_whole(v);
    for (ptrdiff_t i = 0; i < text.n; i++)
        whole &= text.p[i] == '-' || (text.p[i] >= '0' && text.p[i] <= '9');
    if (!whole)
        out_real(o, v->number);
    else if (text.n > 0 && v->number != 0)
        out_str(o, text);
    else
        out_printf(o, "%.0f", v->number + 0.0);
}

static void put_list(struct out *o, const struct value *list, bool tuples)
{
    out_char(o, tuples ? '(' : '[');
    for (int i = 0; i < list->n; i++) {
        if (i)
            out_lit(o, ", ");
        python_value(o, &list->items[i], tuples);
    }
    out_c(o, !tuples ? "]" : list->n == 1 ? ",)" : ")");
}

static void put_map(struct out *o, const struct value *map)
{
    out_char(o, '{');
    for (int i = 0; i < map->n; i += 2) {
        if (i)
            out_lit(o, ", ");
        python_value(o, &map->items[i], false);
        out_lit(o, ": ");
        python_value(o, &map->items[i + 1], false);
    }
    out_char(o, '}');
}

void python_value(struct out *o, const struct value *v, bool tuples)
{
    switch (v ? v->kind : VALUE_NULL) {
    case VALUE_NULL:
        out_lit(o, "None");
        break;
    case VALUE_BOOL:
        out_c(o, v->number != 0 ? "True" : "False");
        break;
    case VALUE_NUMBER:
        put_number(o, v);
        break;
    case VALUE_TEXT:
    case VALUE_BROKEN:
        python_string(o, (struct str){v->text, v->n});
        break;
    case VALUE_LIST:
        put_list(o, v, tuples);
        break;
    case VALUE_MAP:
        put_map(o, v);
        break;
    }
}
