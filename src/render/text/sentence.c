#include "render/text/sentence.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "render/text/html_text.h"

#include <cmark.h>
#include <stdlib.h>
#include <string.h>

static bool is_punctuation(char c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

static bool is_space(char c)
{
    return c == ' ' || c == '\0'; /* NUL: beyond an end */
}

/* The length of the asterisks that s starts with, of emphasis: one or two, between the
 * edge of a word and its outside. */
static ptrdiff_t emphasis(struct str s, char before)
{
    ptrdiff_t n = 0;
    while (n < s.n && s.p[n] == '*')
        n++;
    char after = n < s.n ? s.p[n] : '\0';
    bool outside_left = is_space(before) || is_punctuation(before);
    bool outside_right = is_space(after) || is_punctuation(after);
    bool edge =
        (outside_left && !is_space(after)) || (outside_right && !is_space(before));
    return n <= 2 && edge ? n : 0;
}

/* The length of the code span that s starts with, backticks included; 0: none. */
static ptrdiff_t code_span(struct str s)
{
    ptrdiff_t close = str_find(str_skip(s, 1), S("`"));
    bool doubled = close >= 0 && close + 2 < s.n && s.p[close + 2] == '`';
    return close > 0 && !doubled ? close + 2 : 0;
}

#define NO_BREAK "\u00a0"

/* Whether s begins with a unit: "ms (33.6% of the run)". */
static bool is_unit(struct str s)
{
    static const struct str units[] = {
        S_INIT("ms"),        S_INIT("s"),     S_INIT("µs"),      S_INIT("us"),
        S_INIT("ns"),        S_INIT("%"),     S_INIT("B"),       S_INIT("KiB"),
        S_INIT("MiB"),       S_INIT("GiB"),   S_INIT("GB"),      S_INIT("GB/s"),
        S_INIT("TB/s"),      S_INIT("GFLOP"), S_INIT("TFLOP/s"), S_INIT("TFLOPS"),
        S_INIT("FLOP/byte"), S_INIT("W")};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        ptrdiff_t n = units[k].n;
        if (str_starts(s, units[k]) && (n == s.n || strchr(" .,;:)", s.p[n])))
            return true;
    }
    return false;
}

static bool joins(struct str s, char before)
{
    return s.p[0] == ' ' && before >= '0' && before <= '9' && is_unit(str_skip(s, 1));
}

/* The digits that s starts with, where they count things: "1880 gaps". */
static ptrdiff_t counting_digits(struct str s, char before)
{
    ptrdiff_t n = 0;
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    bool counts = (before == '\0' || before == ' ' || before == '(') && n + 1 < s.n &&
                  s.p[n] == ' ' && s.p[n + 1] >= 'a' && s.p[n + 1] <= 'z';
    return counts && n > 3 && s.p[0] != '0' ? n : 0;
}

static void put_grouped(struct out *o, struct str digits)
{
    for (ptrdiff_t i = 0; i < digits.n; i++) {
        if (i && (digits.n - i) % 3 == 0)
            out_char(o, ',');
        out_char(o, digits.p[i]);
    }
}

/* What pages write in another way than markdown: units stay with their numbers, micro
 * has its sign, and thousands are apart. Returns how much of s was written. */
static ptrdiff_t put_numbers(struct out *o, struct str s, char before)
{
    static const struct str micro = S_INIT(" us");
    ptrdiff_t n = counting_digits(s, before);
    put_grouped(o, str_head(s, n));
    if (n || !joins(s, before))
        return n;
    out_c(o, NO_BREAK);
    if (!str_starts(s, micro))
        return 1;
    out_c(o, "µs");
    return micro.n;
}

/* Punctuation without its meaning, but that of code spans and of emphasis. */
static void put_tamed(struct out *o, struct str s)
{
    char before = '\0';
    while (s.n > 0) {
        char c = s.p[0];
        ptrdiff_t done = put_numbers(o, s, before);
        ptrdiff_t n = c == '`' ? code_span(s) : c == '*' ? emphasis(s, before) : 0;
        if (!done) {
            if (!n && is_punctuation(c))
                out_char(o, '\\');
            done = n ? n : 1;
            out_str(o, str_head(s, done));
        }
        before = s.p[done - 1];
        s = str_skip(s, done);
    }
}

static void put_node(struct out *o, cmark_node *node, bool enters)
{
    const char *text = cmark_node_get_literal(node);
    switch (cmark_node_get_type(node)) {
    case CMARK_NODE_CODE:
        html_name(o, str_of(text));
        break;
    case CMARK_NODE_TEXT:
        html_text(o, str_of(text));
        break;
    case CMARK_NODE_EMPH:
        out_c(o, enters ? "<em>" : "</em>");
        break;
    case CMARK_NODE_STRONG:
        out_c(o, enters ? "<b>" : "</b>");
        break;
    default:
        break;
    }
}

void sentence_html(struct out *o, struct str text)
{
    struct out clean, tamed;
    out_memory(&clean);
    out_memory(&tamed);
    text_repair(&clean, str_trim(text)); /* one line, whatever it holds */
    put_tamed(&tamed, out_view(&clean));
    struct str line = out_view(&tamed);
    cmark_node *doc =
        cmark_parse_document(line.n ? line.p : "", (size_t)line.n, CMARK_OPT_DEFAULT);
    if (!doc)
        arena_full();
    cmark_iter *it = cmark_iter_new(doc);
    cmark_event_type event;
    while ((event = cmark_iter_next(it)) != CMARK_EVENT_DONE)
        put_node(o, cmark_iter_get_node(it), event == CMARK_EVENT_ENTER);
    cmark_iter_free(it);
    cmark_node_free(doc);
    out_free(&clean);
    out_free(&tamed);
}

struct str sentence_plain(struct arena *a, struct str text)
{
    char *p = arena_take_raw(a, 1, 1, text.n);
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < text.n; i++)
        if (text.p[i] != '`')
            p[n++] = text.p[i];
    return (struct str){p, n};
}

struct str sentence_whole(struct arena *a, struct str text)
{
    struct out o;
    char before = '\0';
    out_memory(&o);
    while (text.n > 0) {
        ptrdiff_t n = put_numbers(&o, text, before);
        if (!n) {
            out_char(&o, text.p[0]);
            n = 1;
        }
        before = text.p[n - 1];
        text = str_skip(text, n);
    }
    return out_text(&o, a);
}

struct str sentence_count(struct arena *a, struct str digits)
{
    struct out o;
    out_memory(&o);
    put_grouped(&o, digits);
    return out_text(&o, a);
}

/* The length of the decimal number that s starts with; 0: none. */
static ptrdiff_t decimal_length(struct str s, ptrdiff_t *places)
{
    ptrdiff_t n = 0, whole;
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    whole = n;
    if (!n || n + 1 >= s.n || s.p[n] != '.')
        return 0;
    for (n++; n < s.n && s.p[n] >= '0' && s.p[n] <= '9';)
        n++;
    *places = n - whole - 1;
    return *places > 0 && whole < 16 && *places < 16 ? n : 0;
}

/* Whether what follows a number says that it is a quantity: a unit, or the end of a
 * range of one. */
static bool is_quantity(struct str after)
{
    static const struct str to = S_INIT(" to ");
    return str_starts(after, S("%")) || str_starts(after, to) ||
           (after.n > 1 && after.p[0] == ' ' && is_unit(str_skip(after, 1)));
}

struct str sentence_brief(struct arena *a, struct str text)
{
    struct out o;
    char before = ' ';
    out_memory(&o);
    while (text.n > 0) {
        ptrdiff_t places = 0, n = *text.p == '`' ? code_span(text) : 0;
        bool edge = before == ' ' || before == '(' || before == '~';
        ptrdiff_t number = edge ? decimal_length(text, &places) : 0;
        if (number && is_quantity(str_skip(text, number))) {
            char digits[40] = "";
            ptrdiff_t whole = number - places - 1, most = whole < 3 ? 3 - whole : 0;
            bool short_enough = *text.p == '0' || most > places;
            n = number;
            memcpy(digits, text.p, (size_t)n);
            out_str(&o, number_fixed(a, strtod(digits, NULL),
                                     (int)(short_enough ? places : most)));
        } else {
            n = n ? n : 1;
            out_str(&o, str_head(text, n));
        }
        before = text.p[n - 1];
        text = str_skip(text, n);
    }
    return out_text(&o, a);
}
