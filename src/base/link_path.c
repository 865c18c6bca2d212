#include "base/link_path.h"

#include "base/arena.h"
#include "base/out.h"

#include <string.h>

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("/-._~", c));
}

struct str link_encoded(struct arena *perm, struct str path)
{
    static const char digits[] = "0123456789ABCDEF";
    struct out o;
    out_memory(&o);
    for (ptrdiff_t i = 0; i < path.n; i++) {
        char c = path.p[i];
        if (is_plain(c)) {
            out_char(&o, c);
            continue;
        }
        out_char(&o, '%');
        out_char(&o, digits[(unsigned char)c >> 4]);
        out_char(&o, digits[c & 15]);
    }
    return out_text(&o, perm);
}

/* The next name of a path; empty: no more. */
static struct str next_name(struct str *path)
{
    struct str name = S("");
    while (path->n && !name.n)
        name = str_take(path, S("/"));
    return name;
}

struct str link_between(struct arena *perm, struct str from, struct str to)
{
    struct str here = from, there = to, name = next_name(&here),
               other = next_name(&there);
    while (name.n && str_eq(name, other)) {
        name = next_name(&here);
        other = next_name(&there);
    }
    struct out o;
    out_memory(&o);
    const char *slash = "";
    for (; name.n; name = next_name(&here), slash = "/")
        out_printf(&o, "%s..", slash);
    for (; other.n; other = next_name(&there), slash = "/")
        out_printf(&o, "%s%.*s", slash, STRF(other));
    struct str path = out_text(&o, perm);
    return path.n ? path : S(".");
}
