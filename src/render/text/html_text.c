#include "render/text/html_text.h"

#include "base/arena.h"
#include "base/cpp_name.h"
#include "base/plain_run.h"
#include "base/utf8.h"

#include <string.h>

enum { MARKS_IN_A_ROW_MAX = 8 };

struct span {
    uint32_t first, last;
};

/* Characters that are invisible, reorder their neighbours, or mean nothing outside one
 * font. Sorted. U+FE0F is absent: emoji need it and it cannot mislead. */
static const struct span hidden[] = {
    {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},     {0x61c, 0x61c},
    {0x115f, 0x1160},   {0x180e, 0x180e},   {0x200b, 0x200f}, {0x2028, 0x202e},
    {0x2060, 0x206f},   {0x3164, 0x3164},   {0xe000, 0xf8ff}, {0xfdd0, 0xfdef},
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb}, {0xfffe, 0xffff},
    {0xe0000, 0xe0fff}, {0xf0000, 0x10ffff}};

/* Marks that stack on the character before them. Sorted. */
static const struct span combining[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x5bf, 0x5c7},
    {0x610, 0x61a},   {0x64b, 0x65f},   {0x6d6, 0x6ed},   {0x8d3, 0x902},
    {0xe31, 0xe3a},   {0xe47, 0xe4e},   {0xeb1, 0xebc},   {0xf71, 0xf84},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f}};

static bool in_spans(const struct span *s, int n, uint32_t c)
{
    for (int i = 0; i < n && c >= s[i].first; i++)
        if (c <= s[i].last)
            return true;
    return false;
}

#define IN(spans, c) in_spans((spans), (int)(sizeof(spans) / sizeof *(spans)), (c))

enum quoting { QUOTE_NOTHING, QUOTE_TEXT, QUOTE_ATTR };

static void put_ascii(struct out *o, char c, enum quoting q)
{
    if (q != QUOTE_NOTHING && c == '&')
        out_lit(o, "&amp;");
    else if (q != QUOTE_NOTHING && c == '<')
        out_lit(o, "&lt;");
    else if (q != QUOTE_NOTHING && c == '>')
        out_lit(o, "&gt;");
    else if (q == QUOTE_ATTR && c == '"')
        out_lit(o, "&quot;");
    else if (q == QUOTE_ATTR && c == '\'')
        out_lit(o, "&#39;");
    else
        out_char(o, c);
}

static int64_t put(struct out *o, struct str s, enum quoting q)
{
    int64_t repaired = 0;
    int marks = 0;
    while (s.n > 0) {
        /* Characters that no context escapes, or one that some do. */
        ptrdiff_t run = q == QUOTE_NOTHING ? plain_run(s, "") : plain_run(s, "&<>\"'");
        if (run || (s.p[0] >= 0x20 && s.p[0] < 0x7f)) {
            if (run)
                out_bytes(o, s.p, run);
            else
                put_ascii(o, s.p[0], q);
            s = str_skip(s, run ? run : 1);
            marks = 0;
            continue;
        }
        struct str first = s;
        int32_t code = utf8_next(&s);
        first.n -= s.n;
        uint32_t c = (uint32_t)code;
        marks = code >= 0x300 && IN(combining, c) ? marks + 1 : 0;
        bool changed = true;
        if (code == UTF8_BROKEN)
            out_lit(o, "\xef\xbf\xbd");
        else if (c == '\n')
            out_lit(o, "\\n");
        else if (IN(hidden, c) || marks > MARKS_IN_A_ROW_MAX)
            out_printf(o, "\\u{%x}", (unsigned)c);
        else {
            out_str(o, first);
            changed = false;
        }
        repaired += changed;
    }
    return repaired;
}

void html_text(struct out *o, struct str s)
{
    put(o, s, QUOTE_TEXT);
}

void html_attr(struct out *o, struct str s)
{
    put(o, s, QUOTE_ATTR);
}

int64_t text_repair(struct out *o, struct str s)
{
    return put(o, s, QUOTE_NOTHING);
}

static bool is_ident(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$';
}

/* The identifier that starts at s. */
static struct str ident_head(struct str s)
{
    ptrdiff_t n = 0;
    while (n < s.n && is_ident(s.p[n]))
        n++;
    return str_head(s, n);
}

/* The offset of the bracket that the last of s, a closing one, belongs to; or -1. */
static ptrdiff_t opening(struct str s, char open, char close)
{
    int depth = 0;
    for (ptrdiff_t i = s.n - 1; i >= 0; i--) {
        bool arrow = i > 0 && s.p[i] == '>' && s.p[i - 1] == '-';
        depth += s.p[i] == close && !arrow;
        depth -= s.p[i] == open;
        if (depth == 0)
            return i;
    }
    return -1;
}

/* The identifier that ends s, and where its template arguments begin, if it has some.
 */
static struct str ident_tail(struct str s, struct str *arguments)
{
    *arguments = (struct str){"", 0};
    if (str_ends(s, S(">"))) {
        ptrdiff_t from = opening(s, '<', '>');
        if (from < 0)
            return (struct str){"", 0};
        *arguments = str_skip(s, from);
        s = str_head(s, from);
    }
    ptrdiff_t n = 0;
    while (n < s.n && is_ident(s.p[s.n - 1 - n]))
        n++;
    return str_skip(s, s.n - n);
}

/* "silu_kernel" of "silu_kernel(at::TensorIteratorBase&)::{lambda()#1}": the function
 * that the first lambda is written in, which is what the kernel computes. */
static struct str lambda_owner(struct str s, struct str *arguments)
{
    ptrdiff_t at = str_find(s, S(")::{lambda"));
    ptrdiff_t open = at < 0 ? -1 : opening(str_head(s, at + 1), '(', ')');
    if (open < 0)
        return (struct str){"", 0};
    struct str before = str_head(s, open);
    if (str_ends(before, S("::operator()")))
        before = str_head(before, before.n - S("::operator()").n);
    return ident_tail(before, arguments);
}

static bool says_little(struct str id)
{
    return str_among(id, "BinaryFunctor AUnaryFunctor BUnaryFunctor gpu_kernel_impl "
                         "gpu_kernel_impl_nocast gpu_index_kernel index_kernel_impl "
                         "func_wrapper_t");
}

/* The first identifier in template arguments that says what the kernel computes. */
static struct str functor_in(struct str s)
{
    static const char *const ends[] = {"Functor", "_functor", "Ops", "Kernel"};
    struct str arguments, general = {"", 0}, owner = lambda_owner(s, &arguments);
    if (owner.n && says_little(owner) && arguments.n < s.n)
        return functor_in(arguments);
    if (owner.n)
        return owner;
    while (s.n > 0) {
        struct str id = ident_head(s);
        bool says = str_starts(id, S("CUDAFunctor"));
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            says |= str_ends(id, str_of(ends[i])) && id.n > 6;
        if (says && !says_little(id))
            return id;
        general = says && !general.n ? id : general;
        s = str_skip(s, id.n ? id.n : 1);
    }
    return general;
}

/* "Cijk_Alik_Bljk_B_BS_..._MT128x224x64_...": the layout and the macro tile. */
static struct str tensile_short(struct arena *a, struct str name)
{
    ptrdiff_t tile = str_find(name, S("_MT"));
    if (!str_starts(name, S("Cijk_")) || tile < 0 || name.n < 14)
        return (struct str){"", 0};
    struct str mt = ident_head(str_skip(name, tile + 1));
    ptrdiff_t end = 0;
    while (end < mt.n && mt.p[end] != '_')
        end++;
    return str_printf(a, "%.*s %.*s", 14, name.p, (int)end, mt.p);
}

/* Length of the part of s before any template argument or argument list. "operator<<"
 * keeps its angle brackets, "(anonymous namespace)::f" its start. */
static ptrdiff_t head_length(struct str s)
{
    for (ptrdiff_t i = 0; i < s.n; i++) {
        if (s.p[i] != '<' && s.p[i] != '(')
            continue;
        struct str before = {s.p, i};
        if (str_ends(before, S("operator")) || str_ends(before, S("operator<")))
            continue;
        struct str after = str_skip(s, i);
        if (str_starts(after, S("(anonymous namespace)"))) {
            i += 20;
            continue;
        }
        return i;
    }
    return s.n;
}

/* Of "<...>(...)", what is in the angle brackets, and they. */
static struct str template_part(struct str s)
{
    int depth = 0;
    for (ptrdiff_t i = 0; i < s.n; i++) {
        depth += s.p[i] == '<';
        depth -= s.p[i] == '>' && !(i > 0 && s.p[i - 1] == '-');
        if (depth == 0)
            return str_head(s, i + 1);
    }
    return s;
}

static struct str code_short(struct arena *a, struct str name)
{
    struct str function = cpp_function_name(name);
    if (function.n)
        return function;
    function = cpp_cutlass_kernel(name);
    if (function.n)
        return function;
    name = cpp_without_return(name);
    ptrdiff_t end = head_length(name);
    if (end == 0 || end == name.n)
        return name; /* "<lambda>", or nothing to drop: operator names keep their
                        "aten::" */
    struct str head = {name.p, end}, rest = str_skip(name, end);
    for (ptrdiff_t i = head.n - 1; i > 1; i--)
        if (head.p[i - 1] == ':' && head.p[i - 2] == ':') {
            head = str_skip(head, i);
            break;
        }
    struct str functor = rest.p[0] == '<' ? functor_in(template_part(rest)) : S("");
    if (functor.n)
        return str_printf(a, "%.*s<%.*s>", STRF(head), STRF(functor));
    return head;
}

static int utf8_count(struct str s)
{
    int chars = 0;
    for (ptrdiff_t i = 0; i < s.n; i++)
        chars += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return chars;
}

/* The offset of character number `chars` in s. */
static ptrdiff_t utf8_place(struct str s, int chars)
{
    ptrdiff_t i = 0;
    for (; i < s.n; i++)
        if (((unsigned char)s.p[i] & 0xc0) != 0x80 && chars-- == 0)
            break;
    return i;
}

struct str text_repaired(struct arena *a, struct str s)
{
    struct out o;
    if (plain_run(s, "") == s.n)
        return str_copy(a, s);
    out_memory(&o);
    text_repair(&o, s);
    return out_text(&o, a);
}

struct str name_repaired(struct arena *a, struct str name)
{
    return text_repaired(a, str_head(name, HTML_NAME_BYTES_MAX));
}

struct str name_short(struct arena *a, struct str name, int max_chars)
{
    struct str clean = name_repaired(a, name), s = tensile_short(a, clean);
    if (s.n == 0)
        s = code_short(a, clean);
    int chars = utf8_count(s);
    if (chars <= max_chars)
        return s;
    int tail = (max_chars - 1) / 3, head = max_chars - 1 - tail;
    struct str left = {s.p, utf8_place(s, head)};
    struct str right = str_skip(s, utf8_place(s, chars - tail));
    return str_printf(a, "%.*s\xe2\x80\xa6%.*s", STRF(left), STRF(right));
}

/* The first place from `i` on where a space is or a line may break, or the last of s.
 */
static ptrdiff_t next_break(struct str s, ptrdiff_t i)
{
    for (; (i += plain_run(str_skip(s, i), " ,(:_")) + 1 < s.n; i++) {
        char c = s.p[i], next = s.p[i + 1];
        if (c == ' ' || (strchr(",(:_", c) && next != c && next != ' '))
            return i;
    }
    return s.n - 1;
}

/* Text with <wbr> after , ( : and _ where the next character starts a new word and the
 * last possible break is far enough back: each <wbr> is one more element on the
 * page. A name of thousands of words has fewer and fewer. */
static void put_wrapping(struct out *o, struct str clean)
{
    enum { WRAP_BYTES = 10, FEW = 20 };
    ptrdiff_t from = 0, breaks = 0, least = WRAP_BYTES; /* bytes of a word in a line */
    while (from + least < clean.n) {
        const char *space = memrchr(clean.p + from, ' ', (size_t)least);
        ptrdiff_t at = space ? space - clean.p : next_break(clean, from + least - 1);
        from = at + 1;
        if (clean.p[at] == ' ' || from >= clean.n)
            continue;
        html_text(o, str_head(clean, from));
        out_lit(o, "<wbr>");
        clean = str_skip(clean, from);
        from = 0;
        least = WRAP_BYTES << ++breaks / FEW;
    }
    html_text(o, clean);
}

static void put_code(struct out *o, struct str clean)
{
    out_lit(o, "<code class=\"name\" translate=\"no\" dir=\"ltr\">");
    if (str_trim(clean).n == 0) /* or only spaces: a link must have some text */
        out_lit(o, "(no name)");
    put_wrapping(o, clean);
    out_lit(o, "</code>");
}

/* Repaired into a separate sink first: a wrap must not split an escape. */
void html_name(struct out *o, struct str name)
{
    struct out clean;
    name = str_head(name, HTML_NAME_BYTES_MAX);
    if (plain_run(name, "") == name.n) {
        put_code(o, name);
        return;
    }
    out_memory(&clean);
    text_repair(&clean, name);
    put_code(o, out_view(&clean));
    out_free(&clean);
}

void html_name_folded(struct out *o, struct arena tmp, struct str name, int max_chars)
{
    struct str brief = name_short(&tmp, name, max_chars),
               clean = name_repaired(&tmp, name);
    put_code(o, brief);
    if (str_eq(brief, clean))
        return;
    out_lit(o, "<details class=\"long\"><summary>in full</summary>");
    put_code(o, clean);
    if (name.n > HTML_NAME_BYTES_MAX)
        out_printf(o,
                   "<p>Shortened to %d of %td bytes; the CSV files have all of it.</p>",
                   HTML_NAME_BYTES_MAX, name.n);
    out_lit(o, "</details>");
}
