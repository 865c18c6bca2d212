#include "base/str_pairs.h"

/* One of 64, the same for both cases of a letter. */
static unsigned byte_class(char c)
{
    return (unsigned)(c | 0x20) & 63;
}

struct str_pairs str_pairs_of(struct str text)
{
    struct str_pairs p = {.text = text};
    for (ptrdiff_t i = 1; i < text.n; i++)
        p.set[byte_class(text.p[i - 1])] |= 1ull << byte_class(text.p[i]);
    return p;
}

bool str_pairs_has(const struct str_pairs *p, struct str part)
{
    for (ptrdiff_t i = 1; i < part.n; i++)
        if (!(p->set[byte_class(part.p[i - 1])] >> byte_class(part.p[i]) & 1))
            return false;
    return str_has_nocase(p->text, part);
}
