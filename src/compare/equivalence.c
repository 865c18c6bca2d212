#include "compare/equivalence.h"

#include "base/arena.h"

struct equivalence equivalence_read(struct arena *perm, struct str text)
{
    struct equivalence e = {0};
    while (text.n) {
        struct str line = str_take(&text, S("\n"));
        if (str_starts(line, S("#")))
            continue;
        struct str class = str_take(&line, S("\t"));
        while (line.n) {
            struct str name = str_take(&line, S("\t"));
            arena_grow(perm, e.names, e.n);
            e.names[e.n++] = (struct equivalent_name){name, class};
        }
    }
    return e;
}

static bool names(struct str pattern, struct str name)
{
    if (str_ends(pattern, S("*")))
        return str_starts(name, str_head(pattern, pattern.n - 1));
    return str_eq(pattern, name);
}

struct str equivalence_class(const struct equivalence *e, struct str name)
{
    for (int i = 0; i < e->n; i++)
        if (names(e->names[i].name, name))
            return e->names[i].class;
    return S("");
}
