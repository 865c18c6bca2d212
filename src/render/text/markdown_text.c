#include "render/text/markdown_text.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "render/text/html_text.h"

#include <math.h>
#include <string.h>

#define DASH "\xe2\x80\x94"

/* Repaired, and read as words: white space of any kind is a space. */
static struct str one_line(struct arena *tmp, struct str s)
{
    char *p = arena_copy(tmp, s.p, s.n);
    for (ptrdiff_t i = 0; i < s.n; i++)
        if (p[i] == '\n' || p[i] == '\r' || p[i] == '\t')
            p[i] = ' ';
    return text_repaired(tmp, (struct str){p, s.n});
}

/* The longest run of backticks. */
static int longest_run(struct str s)
{
    int run = 0, most = 0;
    for (ptrdiff_t i = 0; i < s.n; i++) {
        run = s.p[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

static bool is_blank(struct str s)
{
    return str_trim(s).n == 0;
}

static void repeat(struct out *o, char c, int n)
{
    while (n-- > 0)
        out_char(o, c);
}

/* `s` is repaired. A space inside each fence keeps a backtick or a space at the end of
 * the name apart from it; a reader of markdown takes one away again. */
static void code_span(struct out *o, struct str s, enum md_place place)
{
    if (is_blank(s)) {
        out_lit(o, DASH);
        return;
    }
    int fence = longest_run(s) + 1;
    char first = s.p[0], last = s.p[s.n - 1];
    bool pad = first == '`' || last == '`' || (first == ' ' && last == ' ');
    repeat(o, '`', fence);
    repeat(o, ' ', pad);
    for (ptrdiff_t i = 0; i < s.n; i++) {
        if (s.p[i] == '|' && place == MD_CELL)
            out_char(o, '\\');
        out_char(o, s.p[i]);
    }
    repeat(o, ' ', pad);
    repeat(o, '`', fence);
}

static struct str cut_chars(struct str s, ptrdiff_t chars)
{
    ptrdiff_t i = 0;
    for (; i < s.n; i++)
        if (((unsigned char)s.p[i] & 0xC0) != 0x80 && chars-- == 0)
            break;
    return str_head(s, i);
}

/* A generous prefix is enough: at most 120 characters of the name are shown. */
static struct str short_of(struct str name)
{
    return utf8_head(name, 4096);
}

void md_name(struct out *o, struct arena tmp, struct str name, enum md_place place)
{
    struct str all = text_repaired(&tmp, short_of(name)),
               s = cut_chars(all, MD_NAME_CHARS);
    if (s.n < all.n)
        s = str_printf(&tmp, "%.*s...", STRF(s));
    code_span(o, s, place);
}

void md_code(struct out *o, struct arena tmp, struct str code, enum md_place place)
{
    code_span(o, one_line(&tmp, code), place);
}

/* A command line is of no use unless it is whole; names have no options. */
static bool is_command(struct str s)
{
    return str_has(s, S(" --"));
}

/* For device work without an operator, "Launch->kernel (Synthetic Op)", the kernel. */
static struct str readable(struct arena *tmp, struct str s)
{
    ptrdiff_t arrow = str_find(s, S("->"));
    bool bare = str_ends(s, S(" (Synthetic Op)"));
    if ((s.n <= MD_SPAN_CHARS && !bare) || is_command(s))
        return s;
    if (bare)
        s.n -= (ptrdiff_t)strlen(" (Synthetic Op)");
    if (arrow >= 0)
        s = str_skip(s, arrow + 2);
    return s.n > MD_SPAN_CHARS ? name_short(tmp, s, MD_SPAN_CHARS) : s;
}

void md_name_short(struct out *o, struct arena tmp, struct str name,
                   enum md_place place)
{
    code_span(o, readable(&tmp, text_repaired(&tmp, short_of(name))), place);
}

void md_kernel(struct out *o, struct arena tmp, struct str name, enum md_place place)
{
    struct str all = text_repaired(&tmp, short_of(name)),
               s = utf8_head(all, MD_KERNEL_BYTES);
    if (s.n < all.n)
        s = str_printf(&tmp, "%.*s...", STRF(s));
    code_span(o, s, place);
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

/* An identifier, a path or something that a markdown host would interpret. */
static bool looks_quoted(struct str w)
{
    bool word = false;
    for (ptrdiff_t i = 0; i < w.n; i++) {
        char next = i + 1 < w.n ? w.p[i + 1] : ' ';
        word = word || is_word(w.p[i]);
        if (w.p[i] == '_' || w.p[i] == '@' || w.p[i] == '\\')
            return true;
        if ((w.p[i] == ':' && next == ':') || (w.p[i] == '#' && is_word(next)) ||
            (w.p[i] == '<' && (is_word(next) || next == '/' || next == '!')) ||
            (w.p[i] == '/' && next == '/'))
            return true;
    }
    return word && str_starts(w, S("www."));
}

/* Punctuation of the sentence around a quoted word, not part of it. A bracket that the
 * word itself opens is part of it. */
static struct str core_of(struct str w)
{
    while (w.n > 0 && strchr("(\"'", w.p[0]))
        w = str_skip(w, 1);
    while (w.n > 0 && strchr(".,;:!?\"')", w.p[w.n - 1])) {
        if (w.p[w.n - 1] == ')' && memchr(w.p, '(', (size_t)w.n))
            break;
        w.n--;
    }
    return w;
}

/* '>' and '#' only matter at the start of a line, where a sentence never is. */
static void escaped(struct out *o, struct str s, enum md_place place)
{
    for (ptrdiff_t i = 0; i < s.n; i++) {
        if (strchr("\\`*_[]<~", s.p[i]) || (s.p[i] == '|' && place == MD_CELL))
            out_char(o, '\\');
        if (s.p[i] == '&')
            out_lit(o, "&amp;");
        else
            out_char(o, s.p[i]);
    }
}

static void word_out(struct out *o, struct str w, enum md_place place)
{
    struct str core = looks_quoted(w) ? core_of(w) : S("");
    if (core.n == 0) {
        escaped(o, w, place);
        return;
    }
    escaped(o, str_head(w, core.p - w.p), place);
    code_span(o, core, place);
    escaped(o, str_skip(w, core.p + core.n - w.p), place);
}

/* The end of the span that opens s with `fence` backticks, or -1. */
static ptrdiff_t span_end(struct str s, int fence)
{
    for (ptrdiff_t i = fence; i < s.n;) {
        ptrdiff_t run = 0;
        while (i + run < s.n && s.p[i + run] == '`')
            run++;
        if (run == fence)
            return i;
        i += run ? run : 1;
    }
    return -1;
}

/* Write our own span at the start of s; returns how many bytes it took, or 0. */
static ptrdiff_t own_span(struct out *o, struct arena tmp, struct str s,
                          enum md_place place)
{
    int fence = 0;
    while (fence < s.n && s.p[fence] == '`')
        fence++;
    ptrdiff_t end = fence ? span_end(s, fence) : -1;
    if (end < 0)
        return 0;
    struct str inside = str_trim((struct str){s.p + fence, end - fence});
    code_span(o, readable(&tmp, inside), place);
    return end + fence;
}

/* The site's "33.2 %" is "33.2%" here, as in the tables beside it. */
static bool is_percent_space(struct str s, const char *start)
{
    return s.n > 1 && s.p[1] == '%' && s.p > start && s.p[-1] >= '0' && s.p[-1] <= '9';
}

void md_prose(struct out *o, struct arena tmp, struct str text, enum md_place place)
{
    struct str s = str_trim(one_line(&tmp, text));
    const char *text_start = s.p;
    while (s.n > 0) {
        ptrdiff_t took = s.p[0] == '`' ? own_span(o, tmp, s, place) : 0;
        if (took == 0 && s.p[0] == ' ') {
            out_c(o, is_percent_space(s, text_start) ? "" : " ");
            took = 1;
        }
        if (took == 0) {
            took = 1;
            while (took < s.n && s.p[took] != ' ' && s.p[took] != '`')
                took++;
            word_out(o, str_head(s, took), place);
        }
        s = str_skip(s, took);
    }
}

void md_block(struct out *o, struct arena tmp, struct str lines)
{
    int fence = longest_run(lines) + 1;
    fence = fence < 3 ? 3 : fence;
    repeat(o, '`', fence);
    out_lit(o, "text\n");
    while (lines.n > 0) {
        const char *end = memchr(lines.p, '\n', (size_t)lines.n);
        ptrdiff_t n = end ? end - lines.p : lines.n;
        struct arena line = tmp;
        out_str(o, one_line(&line, str_head(lines, n)));
        out_char(o, '\n');
        lines = str_skip(lines, n + 1);
    }
    repeat(o, '`', fence);
}

/* A full stop ends a sentence if followed by a space and a capital, a digit's bracket
 * or a code span; "2.5", "e.g. this" and "model.to" go on. No sentence ends inside a
 * span. */
static ptrdiff_t sentence_bytes(struct str s)
{
    bool code = false;
    for (ptrdiff_t i = 0; i + 2 < s.n; i++) {
        code ^= s.p[i] == '`';
        char next = s.p[i + 2];
        if (!code && s.p[i] == '.' && s.p[i + 1] == ' ' &&
            ((next >= 'A' && next <= 'Z') || next == '`'))
            return i + 1;
    }
    return s.n;
}

struct str md_first_sentence(struct str text)
{
    return str_head(text, sentence_bytes(text));
}

struct str md_after_first(struct str text)
{
    return str_trim(str_skip(text, sentence_bytes(text)));
}

void md_real(struct out *o, double v, int decimals)
{
    if (isfinite(v))
        out_fixed(o, v, decimals);
    else
        out_lit(o, DASH);
}

void md_ms(struct out *o, double ms)
{
    double size = fabs(ms);
    md_real(o, ms, size >= 100 ? 1 : size >= 1 ? 2 : 3);
}

void md_pct(struct out *o, double pct)
{
    if (pct > 0 && pct < 0.005)
        out_lit(o, "< 0.01");
    else
        md_real(o, pct, pct != 0 && fabs(pct) < 1 ? 2 : 1);
}

void md_anchor(struct out *o, struct str s)
{
    for (ptrdiff_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool plain = (is_word(c) && (unsigned char)c < 0x80) || c == '_' || c == '-';
        out_char(o, plain ? c : '-');
    }
}
