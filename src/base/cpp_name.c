#include "base/cpp_name.h"

/* "5scale..." -> "scale"; *rest is what follows. Empty if there is no such name. */
static struct str source_name(struct str s, struct str *rest)
{
    ptrdiff_t n = 0, digits = 0;
    while (digits < s.n && digits < 5 && s.p[digits] >= '0' && s.p[digits] <= '9')
        n = 10 * n + (s.p[digits++] - '0');
    if (n == 0 || n > s.n - digits)
        return S("");
    *rest = str_skip(s, digits + n);
    return (struct str){s.p + digits, n};
}

struct str cpp_function_name(struct str name)
{
    bool nested = str_starts(name, S("_ZN"));
    if (!str_starts(name, S("_Z")))
        return S("");
    struct str rest = str_skip(name, nested ? 3 : 2), found = S("");
    while (nested && rest.n && (rest.p[0] == 'K' || rest.p[0] == 'V')) /* const */
        rest = str_skip(rest, 1);
    if (rest.n && rest.p[0] == 'L') /* internal linkage */
        rest = str_skip(rest, 1);
    do {
        struct str part = source_name(rest, &rest);
        if (part.n == 0)
            break;
        found = part; /* the last one: those before it are namespaces */
    } while (nested);
    return found;
}

struct str cpp_without_return(struct str name)
{
    struct str type = S("std::enable_if<"), end = S(">::type ");
    ptrdiff_t at = str_starts(name, type) ? str_find(name, end) : -1;
    if (at > 0)
        return str_skip(name, at + end.n);
    return str_starts(name, S("void ")) ? str_skip(name, S("void ").n) : name;
}

struct str cpp_cutlass_kernel(struct str name)
{
    struct str which = S(""), enable = S("enable_"); /* wraps it for an architecture */
    struct str head = str_head(name, str_find(name, S("<")));
    if (!str_ends(head, S("cutlass::device_kernel")) &&
        !str_ends(head, S("cutlass::Kernel")) && !str_ends(head, S("cutlass::Kernel2")))
        return which;
    do {
        ptrdiff_t from = str_find(name, S("<")) + 1, end = from;
        for (; end < name.n && !strchr("<>,( ", name.p[end]); end++)
            if (name.p[end] == ':')
                from = end + 1;
        which = (struct str){name.p + from, end - from};
        name = str_skip(name, end);
    } while (str_starts(which, enable) && str_starts(name, S("<")));
    return which;
}
