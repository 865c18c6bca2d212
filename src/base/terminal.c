#include "base/terminal.h"

#include "base/utf8.h"

#include <stdarg.h>

enum { LINE_BYTES = 8192 };

/* Hosts of builds take "::name::" at the beginning of a line, behind blanks too, and
 * "##[name]" and "##vso[name]" anywhere, as commands. */
void out_visible(struct out *o, struct str line)
{
    char seen[4 * LINE_BYTES + 16];
    utf8_visible(seen, sizeof seen, str_head(line, LINE_BYTES));
    struct str s = str_of(seen);
    ptrdiff_t blank = 0, at;
    while (blank < s.n && s.p[blank] == ' ')
        blank++;
    out_str(o, str_head(s, blank));
    s = str_skip(s, blank);
    if (str_starts(s, S("::"))) {
        out_lit(o, "\\x3a");
        s = str_skip(s, 1);
    }
    while ((at = str_find(s, S("##"))) >= 0) {
        char next = '\0'; /* "##[", "##vso[": a command of a build */
        if (at + 2 < s.n)
            next = s.p[at + 2];
        bool commands = next == '[' || next == 'v' || next == 'V';
        out_str(o, str_head(s, at + 1));
        if (commands)
            out_lit(o, "\\x23");
        s = str_skip(s, at + 1 + commands);
    }
    out_str(o, s);
}

/* At once, so that lines of several threads do not mix. */
static void put(FILE *to, const char *before, struct str line, const char *end)
{
    struct out o;
    out_memory(&o);
    out_c(&o, before);
    out_visible(&o, line);
    out_c(&o, end);
    terminal_raw(to, out_view(&o));
    out_free(&o);
}

__attribute__((format(printf, 4, 0))) static void
put_formatted(FILE *to, const char *before, const char *end, const char *fmt,
              va_list ap)
{
    char line[LINE_BYTES];
    vsnprintf(line, sizeof line, fmt, ap);
    put(to, before, str_of(line), end);
}

void terminal_line(FILE *to, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_formatted(to, "", "\n", fmt, ap);
    va_end(ap);
}

void terminal_warn(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_formatted(stderr, "tracefolio: warning: ", "\n", fmt, ap);
    va_end(ap);
}

void terminal_warn_of_more(FILE *to, int n)
{
    if (n > WARNINGS_TOLD)
        terminal_line(to, "tracefolio: warning: and %d more such failures",
                      n - WARNINGS_TOLD);
}

void terminal_part(FILE *to, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_formatted(to, "", "", fmt, ap);
    va_end(ap);
}

void terminal_text(FILE *to, struct str lines)
{
    while (lines.n)
        put(to, "", str_take(&lines, S("\n")), "\n");
}

void terminal_raw(FILE *to, struct str ours)
{
    fwrite(ours.p, 1, (size_t)ours.n, to);
}
