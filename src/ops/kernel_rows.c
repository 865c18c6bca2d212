#include "ops/kernel_rows.h"

#include "base/arena.h"
#include "base/utf8.h"

struct str kernel_row_name(struct kernel_rows *r, struct arena *a,
                           const struct event_store *s, event_id call, event_id gpu)
{
    if (!r->at.cap)
        r->at = int_map_make(a, 0);
    int32_t *at =
        int_map_at(&r->at, a, (int64_t)s->name[call] << 32 | (uint32_t)s->name[gpu]);
    if (*at < 0) {
        *at = r->n;
        arena_grow(a, r->names, r->n);
        r->names[r->n++] =
            str_printf(a, "%.*s->%.*s (Synthetic Op)",
                       STRF(utf8_head(store_name(s, call), ROW_CALL_BYTES)),
                       STRF(utf8_head(store_name(s, gpu), ROW_KERNEL_BYTES)));
    }
    return r->names[*at];
}
