#include "analysis/model/name_match.h"

#include "base/cpp_name.h"

#include <string.h>

typedef bool part_test(struct str name, struct str part);

/* `bytes`: those of the name, or all of them if that is not worth finding out. */
static bool any_part(struct str name, uint64_t bytes, const char *parts,
                     part_test *test)
{
    for (const char *p = parts;; p++) {
        const char *end = strchrnul(p, '|');
        struct str part = {p, end - p};
        if (str_may_hold(bytes, part) && test(name, part))
            return true;
        if (!*end)
            return false;
        p = end;
    }
}

static bool begins_nocase(struct str name, struct str part)
{
    return name.n >= part.n && str_eq_nocase(str_head(name, part.n), part);
}

bool name_has(struct str name, const char *parts)
{
    return any_part(name, str_byte_set(name), parts, str_has_nocase);
}

bool pairs_have(const struct str_pairs *name, const char *parts)
{
    for (const char *p = parts;; p++) {
        const char *end = strchrnul(p, '|');
        if (str_pairs_has(name, (struct str){p, end - p}))
            return true;
        if (!*end)
            return false;
        p = end;
    }
}

bool name_is(struct str name, const char *parts)
{
    return any_part(name, UINT64_MAX, parts, str_eq_nocase);
}

bool name_begins(struct str name, const char *parts)
{
    return any_part(name, UINT64_MAX, parts, begins_nocase);
}

bool name_is_of_amd(struct str device)
{
    return name_has(device, "amd|instinct|radeon") ||
           name_begins(device, "mi1|mi2|mi3|mi4|mi50");
}

struct str name_without_namespace(struct str name)
{
    for (ptrdiff_t i = name.n - 1; i > 0; i--)
        if (name.p[i] == ':' && name.p[i - 1] == ':')
            return str_skip(name, i + 1);
    return name;
}

struct str name_core(struct str name)
{
    static const char *const prefixes[] = {"native_", "miopen_", "cudnn_", "mkldnn_",
                                           "fused_"};
    name = name_without_namespace(name);
    while (name.n > 1 && name.p[0] == '_')
        name = str_skip(name, 1);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        struct str prefix = str_of(prefixes[i]);
        if (name.n > prefix.n && str_starts(name, prefix))
            return str_skip(name, prefix.n);
    }
    return name;
}

struct str name_without_launcher(struct str op)
{
    ptrdiff_t at = str_find(op, S("->"));
    if (at < 0 || !str_ends(op, S("(Synthetic Op)")))
        return op;
    op = str_skip(op, at + 2);
    struct str function = cpp_function_name(op);
    if (!function.n)
        function = cpp_cutlass_kernel(op);
    if (function.n)
        return function;
    op = cpp_without_return(op);
    ptrdiff_t n = 0;
    while (n < op.n && op.p[n] != '<' && op.p[n] != '(' && op.p[n] != ' ')
        n++;
    return str_head(op, n);
}
