#include "capture/capture_names.h"

#include "base/out.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int rank_in(struct str text)
{
    static const struct str words[] = {S_INIT("rank"), S_INIT("worker")};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (ptrdiff_t at; (at = str_find(text, words[w])) >= 0;) {
            text = str_skip(text, at + words[w].n);
            struct str rest = text;
            if (rest.n && strchr("[-_/", rest.p[0]))
                rest = str_skip(rest, 1);
            ptrdiff_t n = 0;
            while (n < rest.n && n < 9 && is_digit(rest.p[n]))
                n++;
            int64_t rank;
            if (n && str_int(str_head(rest, n), &rank))
                return (int)rank;
        }
    return -1;
}

static struct str name_of_path(struct str path)
{
    ptrdiff_t n = path.n;
    while (n > 0 && path.p[n - 1] != '/')
        n--;
    return str_skip(path, n);
}

int rank_of_path(struct str path)
{
    int rank = rank_in(name_of_path(path));
    return rank < 0 ? rank_in(path) : rank;
}

/* "r7" between other characters than letters and digits. */
static int rank_after_r(struct str name)
{
    for (ptrdiff_t i = 0; i + 1 < name.n; i++) {
        ptrdiff_t n = i + 1;
        while (n < name.n && is_digit(name.p[n]))
            n++;
        bool begins = !i || strchr("-_.", name.p[i - 1]);
        bool ends = n == name.n || strchr("-_.", name.p[n]);
        int64_t rank;
        if (name.p[i] == 'r' && begins && ends && n > i + 1 && n < i + 8 &&
            str_int((struct str){name.p + i + 1, n - i - 1}, &rank))
            return (int)rank;
    }
    return -1;
}

int rank_of_number(struct str path)
{
    struct str name = name_of_path(path);
    int64_t rank = -1;
    if (host_of_path(path).n)
        return -1;
    int said = rank_after_r(name);
    ptrdiff_t end = name.n;
    while (end > 0 && !is_digit(name.p[end - 1]))
        end--;
    ptrdiff_t from = end;
    while (from > 0 && is_digit(name.p[from - 1]))
        from--;
    bool fits = end > from && end - from < 7 &&
                str_int((struct str){name.p + from, end - from}, &rank);
    return said >= 0 ? said : fits ? (int)rank : -1;
}

struct str host_of_path(struct str path)
{
    struct str name = name_of_path(path);
    ptrdiff_t at = str_find(name, S(".pt.trace.json"));
    if (at < 0)
        return S("");
    ptrdiff_t dot = at;
    do
        dot--;
    while (dot > 0 && is_digit(name.p[dot]));
    ptrdiff_t n = dot;
    while (n > 0 && is_digit(name.p[n - 1]))
        n--;
    bool fits =
        dot > 0 && name.p[dot] == '.' && n > 0 && n < dot && name.p[n - 1] == '_';
    return fits ? str_head(name, n - 1) : S("");
}

struct str folder_of_path(struct str path)
{
    struct str name = name_of_path(path), folder = {path.p, path.n - name.n};
    while (folder.n > 0 && folder.p[folder.n - 1] == '/')
        folder.n--;
    folder = name_of_path(folder);
    return str_eq(folder, S(".")) || str_eq(folder, S("..")) ? S("") : folder;
}

struct str file_without_host(struct arena *perm, struct str file, struct str host,
                             struct str by)
{
    struct str told = host_of_path(file);
    if (told.n)
        file = str_replaced(perm, file, told, by);
    return host.n ? str_replaced(perm, file, host, by) : file;
}

struct str capture_node_name(const struct capture_node *n)
{
    return n->module ? str_skip(n->name, CAPTURE_MODULE_MARK.n) : n->name;
}

struct str capture_module_path(struct arena *perm, const struct capture *c,
                               int32_t node)
{
    int32_t above[CAPTURE_DEPTH_MAX];
    struct out o;
    int n = 0;
    for (; node > 0; node = c->nodes[node].parent)
        if (c->nodes[node].module)
            above[n++] = node;
    out_memory(&o);
    while (n-- > 0) {
        if (o.n)
            out_char(&o, '/');
        out_str(&o, capture_node_name(&c->nodes[above[n]]));
    }
    return out_text(&o, perm);
}
