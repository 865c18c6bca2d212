#include "share/leaves.h"

#include "base/file_head.h"
#include "base/list_next.h"
#include "base/str.h"
#include "base/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LEAVES_MAX = 3000, FILE_BYTES_MOST = 1 << 28, FOLDERS_DEEP = 16 };

enum leaf { LEAF_PATH, LEAF_MAIL, LEAF_ADDRESS, LEAF_PAGE, LEAF_SOURCE, LEAVES };

static const char *const names[] = {[LEAF_PATH] = "paths of a machine",
                                    [LEAF_MAIL] = "mail addresses",
                                    [LEAF_ADDRESS] = "addresses of machines",
                                    [LEAF_PAGE] = "links to pages",
                                    [LEAF_SOURCE] = "source files"};

struct found {
    struct arena *perm;
    struct str *at[LEAVES];
    int n[LEAVES];
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-' || c == '.';
}

/* The run of characters that a token of text may have. */
static struct str token(struct str *s)
{
    while (s->n && !is_word(*s->p) && *s->p != '/')
        *s = str_skip(*s, 1);
    ptrdiff_t n = 0;
    while (n < s->n && (is_word(s->p[n]) || memchr("/:@~+%", s->p[n], 6)))
        n++;
    struct str t = str_head(*s, n);
    *s = str_skip(*s, n);
    while (t.n && memchr(".:-@", t.p[t.n - 1], 4))
        t.n--;
    return t;
}

static bool is_address(struct str t)
{
    int dots = 0, digits = 0;
    for (ptrdiff_t i = 0; i < t.n; i++) {
        if (t.p[i] == '.' && digits)
            dots++, digits = 0;
        else if (t.p[i] < '0' || t.p[i] > '9' || ++digits > 3)
            return false;
    }
    return dots == 3 && digits;
}

/* What kind of thing a token is; LEAVES: of none. */
static enum leaf kind_of(struct str t)
{
    ptrdiff_t at = str_find(t, S("@")), slash = str_find(str_skip(t, 1), S("/"));
    if (str_starts(t, S("http://")) || str_starts(t, S("https://")))
        return str_has(t, S("www.w3.org")) || str_has(t, S("json-schema.org"))
                   ? LEAVES
                   : LEAF_PAGE;
    if (at > 0 && str_find(str_skip(t, at), S(".")) > 1 && !str_has(t, S("/")))
        return LEAF_MAIL;
    if (t.n > 3 && *t.p == '/' && t.p[1] != '/' && slash > 1 && t.n > slash + 2 &&
        !str_has(t, S(":")))
        return LEAF_PATH;
    if (is_address(t))
        return LEAF_ADDRESS;
    ptrdiff_t py = str_find(t, S(".py"));
    return py > 0 && (py + 3 == t.n || !is_word(t.p[py + 3])) ? LEAF_SOURCE : LEAVES;
}

static void add(struct found *f, enum leaf k, struct str t)
{
    for (int i = 0; i < f->n[k]; i++)
        if (str_eq(f->at[k][i], t))
            return;
    if (f->n[k] >= LEAVES_MAX)
        return;
    arena_grow(f->perm, f->at[k], f->n[k]);
    f->at[k][f->n[k]++] = str_copy(f->perm, t);
}

static void read_text(struct found *f, struct str text)
{
    while (text.n) {
        struct str t = token(&text);
        enum leaf k = t.n ? kind_of(t) : LEAVES;
        if (k == LEAF_SOURCE)
            t = str_head(t, str_find(t, S(".py")) + 3);
        if (k != LEAVES)
            add(f, k, str_head(t, 200));
    }
}

static bool is_text(const char *name)
{
    static const char *const endings[] = {".html", ".md", ".json", ".csv", ".txt"};
    struct str s = str_of(name);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (str_ends(s, str_of(endings[k])))
            return true;
    return false;
}

static bool read_below(struct found *f, const char *dir, int depth, struct arena tmp,
                       struct err *e)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    bool done = true;
    int why = 0;
    if (!d)
        return err_set(e, ERR_INPUT, dir, -1, "cannot be listed: %s%s", strerror(errno),
                       errno == ENOTDIR ? "; name the folder of a report" : "");
    while (done && (entry = list_next(d, &why))) {
        struct arena here = tmp;
        struct stat st;
        struct str text;
        const char *path = str_c(&here, str_printf(&here, "%s/%s", dir, entry->d_name));
        if (entry->d_name[0] == '.')
            continue;
        if (lstat(path, &st) != 0 || (S_ISDIR(st.st_mode) && depth == FOLDERS_DEEP))
            done = err_set(e, ERR_INPUT, path, -1, "cannot be read: %s",
                           depth == FOLDERS_DEEP ? "folders are nested too deep"
                                                 : strerror(errno));
        else if (S_ISDIR(st.st_mode))
            done = read_below(f, path, depth + 1, here, e);
        else if (S_ISREG(st.st_mode) && is_text(entry->d_name)) {
            ptrdiff_t most =
                st.st_size < FILE_BYTES_MOST ? st.st_size : FILE_BYTES_MOST;
            done = file_head(&here, path, most + 1, &text, e);
            if (done)
                read_text(f, text);
        }
    }
    closedir(d);
    return !why ? done
                : err_set(e, ERR_INPUT, dir, -1, "cannot be listed: %s", strerror(why));
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

bool leaves_print(FILE *to, const char *dir, struct arena *perm, struct arena tmp,
                  struct err *e)
{
    struct found f = {.perm = perm};
    if (!read_below(&f, dir, 0, tmp, e))
        return false;
    for (int k = 0; k < LEAVES; k++) {
        terminal_part(to, "%-22s %d%s%s", names[k], f.n[k],
                      f.n[k] == LEAVES_MAX ? " or more" : "", f.n[k] ? ": " : "");
        if (f.n[k] > 1)
            qsort(f.at[k], (size_t)f.n[k], sizeof *f.at[k], by_name);
        int shown = f.n[k] < LEAVES_EXAMPLES ? f.n[k] : LEAVES_EXAMPLES;
        for (int i = 0; i < shown; i++)
            terminal_part(to, "%.*s%s", STRF(f.at[k][i]), i + 1 < shown ? ", " : "");
        terminal_line(to, "%s", "");
    }
    return true;
}
