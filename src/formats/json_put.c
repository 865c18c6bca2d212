#include "formats/json_put.h"

#include "trace/json_scan.h"

#include <math.h>
#include <stdlib.h>

void json_put_string(struct out *o, struct str s)
{
    out_char(o, '"');
    for (ptrdiff_t from = 0, i = 0; i <= s.n; i++) {
        bool escapes =
            i < s.n && ((unsigned char)s.p[i] < ' ' || s.p[i] == '"' || s.p[i] == '\\');
        if (i < s.n && !escapes)
            continue;
        out_str(o, str_head(str_skip(s, from), i - from));
        from = i + 1;
        if (escapes)
            out_printf(o, "\\u%04x", (unsigned)(unsigned char)s.p[i]);
    }
    out_char(o, '"');
}

void json_put_real(struct out *o, double v)
{
    if (isfinite(v))
        out_real(o, v);
    else
        out_lit(o, "null");
}

bool json_is_value(struct str s)
{
    enum { PAD = 64 };
    struct json_scan j = {0};
    char *copy = calloc(1, (size_t)s.n + PAD);
    if (!copy)
        return false;
    memcpy(copy, s.p, (size_t)s.n);
    copy[s.n] = ','; /* a number ends before it */
    j.end = copy + s.n + 1;
    const char *end = scan_value(&j, copy);
    bool is = end && scan_space(end) == copy + s.n;
    scan_free(&j);
    free(copy);
    return is;
}
