#include "store/path_redact.h"

#include <limits.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_part(char c)
{
    return is_letter(c) || is_digit(c) || (unsigned char)c >= 0x80 ||
           (c && strchr("_-.+@~=%", c));
}

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* "/home/eve" or "C:\Users", and not within a word, a link or a relative path. */
static bool begins(struct str s, ptrdiff_t i)
{
    if (s.p[i] != '/' && (i + 1 == s.n || s.p[i + 1] != ':'))
        return false; /* as at most places */
    char before = i > 0 ? s.p[i - 1] : ' ';
    if (before == '/' || (is_part(before) && before != '='))
        return false;
    if (s.p[i] == '/')
        return i + 1 < s.n && is_part(s.p[i + 1]);
    ptrdiff_t at = i + 2;
    while (at < s.n && is_slash(s.p[at]))
        at++;
    return s.p[i] >= 'A' && s.p[i] <= 'Z' && at > i + 2 && at < s.n && is_part(s.p[at]);
}

/* "(12): " */
static bool is_line(struct str s)
{
    ptrdiff_t n = 1;
    while (n < s.n && is_digit(s.p[n]))
        n++;
    return n > 1 && s.p[0] == '(' && str_starts(str_skip(s, n), S("): "));
}

static ptrdiff_t end_of(struct str s, ptrdiff_t at)
{
    bool drive = s.p[at] != '/';
    ptrdiff_t end = at + 2 * drive;
    while (end < s.n &&
           (is_part(s.p[end]) || s.p[end] == '/' || (drive && s.p[end] == '\\')))
        end++;
    ptrdiff_t more = end;
    while (more < s.n && more - end < NAME_MAX &&
           (is_part(s.p[more]) || s.p[more] == ' ' || is_slash(s.p[more])))
        more++;
    if (more < s.n && is_line(str_skip(s, more)))
        return more;
    while (s.p[end - 1] == '\\') /* it may stand before a quotation mark */
        end--;
    return end;
}

/* Without what is before the n-th part: "/home/eve/a" from 2 is "a". */
static struct str from_part(struct str path, int n)
{
    ptrdiff_t at = 0;
    for (int k = 0; k <= n; k++) {
        while (k && at < path.n && !is_slash(path.p[at]))
            at++;
        while (at < path.n && is_slash(path.p[at]))
            at++;
    }
    return str_skip(path, at);
}

static struct str last_part(struct str path)
{
    while (path.n && is_slash(path.p[path.n - 1]))
        path.n--;
    ptrdiff_t at = path.n;
    while (at > 0 && !is_slash(path.p[at - 1]))
        at--;
    return str_skip(path, at);
}

static bool of_library(struct str path, struct str *part)
{
    static const char *const folders[] = {"site-packages", "dist-packages", "python3."};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        ptrdiff_t at = str_find(path, str_of(folders[k]));
        if (at < 1 || !is_slash(path.p[at - 1]))
            continue;
        *part = from_part(str_skip(path, at), 1);
        if (part->n)
            return true;
    }
    return false;
}

/* "train.py", "libtorch.so"; not "layer.0". */
static bool has_ending(struct str name)
{
    ptrdiff_t at = name.n;
    while (at > 0 && name.p[at - 1] != '.')
        at--;
    return at > 1 && at < name.n && is_letter(name.p[at]) && name.n - at <= 8;
}

/* Exporters name modules as "/encoder/layer.0/MatMul", which is no file. */
static bool of_machine(struct str path)
{
    static const char *const tops[] = {"/root/", "/mnt/",  "/opt/",
                                       "/usr/",  "/data/", "/workspace/"};
    for (size_t k = 0; k < sizeof tops / sizeof *tops; k++)
        if (str_starts(path, str_of(tops[k])))
            return true;
    return has_ending(last_part(path));
}

/* What is below somebody's folder, or below the top one. */
static struct str below_top(struct str path, bool *home)
{
    struct str rest = from_part(path.p[0] == '/' ? path : str_skip(path, 2), 0);
    *home = str_starts(rest, S("home/")) || str_starts(rest, S("Users/")) ||
            str_starts(rest, S("Users\\"));
    return from_part(rest, *home ? 2 : 1);
}

/* What takes the place of a path, behind `mark`. */
static struct str kept(struct str path, enum path_keeps keeps, struct str *mark)
{
    struct str part;
    bool home;
    *mark = S("");
    if (of_library(path, &part))
        return part;
    part = below_top(path, &home);
    if (home && !part.n)
        return S("~");
    if (keeps == PATH_KEEPS_NAME)
        return last_part(path);
    if (str_starts(path, S("/tmp/")) || !(home || of_machine(path)))
        return path;
    *mark = S(PATH_PART_MARK);
    return part.n ? part : last_part(path);
}

static ptrdiff_t put(char *p, struct str s)
{
    memcpy(p, s.p, (size_t)s.n);
    return s.n;
}

struct str path_redact(struct arena *a, struct str text, enum path_keeps keeps)
{
    ptrdiff_t n = 0, from = 0;
    char *p = NULL;
    for (ptrdiff_t i = 0; i < text.n; i++) {
        if (!begins(text, i))
            continue;
        struct str mark, path = {text.p + i, end_of(text, i) - i};
        struct str part = kept(path, keeps, &mark);
        if (part.n < path.n) {
            if (!p) /* a mark is as long as the shortest that it stands for, or nearly
                     */
                p = arena_take_raw(a, 1, 1, 2 * text.n + 1);
            n += put(p + n, (struct str){text.p + from, i - from});
            n += put(p + n, mark);
            n += put(p + n, part);
            from = i + path.n;
        }
        i += path.n - 1;
    }
    if (!p)
        return text;
    n += put(p + n, str_skip(text, from));
    p[n] = '\0';
    return (struct str){p, n};
}
