#include "store/role_column.h"

#include "base/arena.h"

enum { NAMES_FIRST = 1 << 14 };

void role_note(struct role_column *r, name_id id, event_role recorded, struct str name)
{
    if (id >= r->n) {
        ptrdiff_t role = sizeof *r->of;
        int32_t n = r->n ? r->n : NAMES_FIRST;
        while (n <= id)
            n = n > INT32_MAX / 2 ? INT32_MAX : 2 * n;
        r->of = pages_grow(r->of, r->n * role, n * role);
        r->n = n;
    }
    if (!r->of[id])
        r->of[id] = recorded ? recorded : role_of_name(name);
}

ptrdiff_t role_bytes(const struct role_column *r, int32_t n_names)
{
    return (r->n < n_names ? r->n : n_names) * (ptrdiff_t)sizeof *r->of;
}

void role_close(struct role_column *r)
{
    pages_release(r->of, r->n * (ptrdiff_t)sizeof *r->of);
    *r = (struct role_column){0};
}
