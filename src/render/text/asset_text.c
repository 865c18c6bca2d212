#include "render/text/asset_text.h"

#include "render/text/bundle.h"

#include <string.h>

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Whether a slash behind this begins a regular expression, and does not divide. */
static bool before_regex(struct str before)
{
    before = str_trim(before);
    return !before.n || str_ends(before, S("return")) ||
           strchr("(,=:[!&|?{};", before.p[before.n - 1]);
}

/* How long the text, or the regular expression, at the beginning is. */
static ptrdiff_t quoted_length(struct str s)
{
    bool in_class = false;
    ptrdiff_t n = 1;
    for (; n < s.n && (s.p[n] != s.p[0] || in_class); n++) {
        in_class = s.p[0] == '/' && (s.p[n] == '[' || (in_class && s.p[n] != ']'));
        n += s.p[n] == '\\';
    }
    return n < s.n ? n + 1 : s.n;
}

/* A space counts only between words, and around signs that could become others: + +. */
static bool space_counts(char before, char after)
{
    return (is_word(before) && is_word(after)) || strchr("+-", before) ||
           strchr("+-", after);
}

/* A line of script, trimmed, without comments and spaces that change nothing. */
static void line_lean(struct out *o, struct str line)
{
    ptrdiff_t kept = 0, n;
    for (ptrdiff_t at = 0; at < line.n; at += n) {
        char c = line.p[at];
        struct str rest = str_skip(line, at);
        bool comment = str_starts(rest, S("/*"));
        n = 1;
        if (c == '\'' || c == '"' ||
            (c == '/' && !comment && before_regex(str_head(line, at))))
            n = quoted_length(rest);
        else if (comment)
            n = str_find(rest, S("*/")) + 2;
        if (!comment && (c != ' ' || space_counts(line.p[at - 1], line.p[at + 1])))
            continue;
        out_str(o, (struct str){line.p + kept, at - kept});
        kept = at + n;
    }
    out_str(o, str_skip(line, kept));
}

/* Lines without indents; comments that have lines of their own stay in the sources. */
static void lean(struct out *o, struct str text, bool is_script)
{
    bool inside = false;
    while (text.n > 0) {
        struct str words = str_trim(str_take(&text, S("\n")));
        inside = inside || str_starts(words, S("/*"));
        if (words.n && !inside) {
            if (is_script)
                line_lean(o, words);
            else
                out_str(o, words);
            out_char(o, '\n');
        }
        inside = inside && !str_ends(words, S("*/"));
    }
}

void asset_lean(struct out *o, struct str text)
{
    lean(o, text, false);
}

static void script_lean(struct out *o, struct str text)
{
    lean(o, text, true);
}

void asset_script(struct out *o)
{
    for (int i = 0; i < bundle_count(S("assets/js/")); i++)
        script_lean(o, bundle_file(bundle_path(S("assets/js/"), i)));
}

void asset_zoom_script(struct out *o)
{
    script_lean(o, bundle_file(S("assets/zoom/boxes.js")));
    script_lean(o, bundle_file(S("assets/zoom/lanes.js")));
}
