/* role_column.h - what calls and copies do, by name: events of one name have one role.
 */
#ifndef STORE_ROLE_COLUMN_H
#define STORE_ROLE_COLUMN_H

#include "base/name_pool.h"
#include "kernels/event_role.h"

#include <stddef.h>

struct role_column {
    event_role *of; /* 0: not asked yet, or the name of no call and no copy */
    int32_t n;
};

/* The role that the source recorded; if it is 0, what the name says. The first event of
 * a name speaks for all of them. */
void role_note(struct role_column *r, name_id id, event_role recorded, struct str name);

/* Of the first n_names texts. */
ptrdiff_t role_bytes(const struct role_column *r, int32_t n_names);
void role_close(struct role_column *r);

static inline event_role role_at(const struct role_column *r, name_id id)
{
    return id < r->n ? r->of[id] : 0;
}

#endif
