#include "ci/source_place.h"

#include "base/link_path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Path and line of "PATH(LINE): FUNCTION". */
static bool read_frame(struct str frame, struct str *path, int64_t *line)
{
    ptrdiff_t close = str_find(frame, S("): ")), open = close;
    while (open > 0 && is_digit(frame.p[open - 1]))
        open--;
    if (open < 2 || frame.p[open - 1] != '(')
        return false;
    *path = str_head(frame, open - 1);
    return str_int(str_head(str_skip(frame, open), close - open), line) && *line > 0;
}

static bool installed(struct str path)
{
    return str_has(path, S("/site-packages/")) || str_has(path, S("/dist-packages/")) ||
           str_has(path, S("/lib/python"));
}

/* Nothing above the checkout is asked for, whatever a trace says. */
static bool stays_inside(struct str path)
{
    if (!path.n || memchr(path.p, '\0', (size_t)path.n))
        return false;
    while (path.n) {
        struct str part = str_take(&path, S("/"));
        if (!part.n || str_eq(part, S(".")) || str_eq(part, S("..")))
            return false;
    }
    return true;
}

static bool is_there(const char *root, struct str path)
{
    char full[PATH_MAX];
    struct stat st;
    int n = snprintf(full, sizeof full, "%s/%.*s", root, STRF(path));
    return n < (int)sizeof full && stat(full, &st) == 0 && S_ISREG(st.st_mode);
}

bool source_place_find(struct arena *perm, const char *root, struct str frame,
                       struct source_place *p)
{
    struct str path;
    if (!read_frame(frame, &path, &p->line) || path.n >= PATH_MAX || installed(path))
        return false;
    bool absolute = str_starts(path, S("/")) || str_starts(path, S(".../"));
    while (path.n && !(stays_inside(path) && is_there(root, path))) {
        if (!absolute)
            return false;
        str_take(&path, S("/"));
    }
    p->uri = link_encoded(perm, path);
    p->path = str_copy(perm, path);
    return path.n > 0;
}
