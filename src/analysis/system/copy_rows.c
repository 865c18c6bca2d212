#include "analysis/system/copy_rows.h"

#include <string.h>

void copy_rows_count(struct arena tmp, const struct trace_view *v,
                     struct copy_result *copies)
{
    const struct event_store *s = v->s;
    event_id *events = arena_take_raw(&tmp, sizeof *events, 4, v->n_counted),
             before = -1;
    memcpy(events, v->counted, sizeof *events * (size_t)v->n_counted);
    view_sort_by_start(tmp, s, events, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = events[k];
        if (view_class(v, g) != GPU_MEMCPY) {
            before = view_class(v, g) == GPU_COMPUTE ? -1 : before;
            continue;
        }
        enum copy_direction d = role_way(store_role(s, g));
        copies[d].in_row_count += before >= 0 && role_way(store_role(s, before)) == d &&
                                  store_bytes(s, g) != NO_ID &&
                                  store_bytes(s, g) == store_bytes(s, before);
        before = g;
    }
}
