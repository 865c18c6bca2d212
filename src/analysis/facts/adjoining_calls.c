#include "analysis/facts/adjoining_calls.h"

#include "analysis/facts/top_operations.h"
#include "analysis/model/work_facts.h"
#include "base/sort.h"
#include "ops/trace_view.h"

#include <string.h>

/* Kernels and copies, a stream after the other, each by start. What a matmul sets to
 * zero first is a part of it. */
static int32_t by_stream(struct arena *tmp, const struct trace_view *v,
                         struct sort_row **to)
{
    event_id *events = arena_take_raw(tmp, sizeof *events, 4, v->n_counted);
    struct sort_row *rows = arena_take_raw(tmp, sizeof *rows, 8, v->n_counted);
    int32_t n = 0;
    if (v->n_counted)
        memcpy(events, v->counted, (size_t)v->n_counted * sizeof *events);
    view_sort_by_start(*tmp, v->s, events, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++)
        if (v->s->cat[events[k]] != CAT_MEMSET)
            rows[n++] = (struct sort_row){v->s->lane[events[k]], events[k]};
    sort_rows(*tmp, rows, n);
    *to = rows;
    return n;
}

void adjoining_calls_find(struct arena *perm, struct arena tmp, struct analysis *a,
                          const struct kernel_rows *of)
{
    struct category_result *c = &a->categories[WORK_GEMM];
    if (c->n_rows == 0)
        return;
    struct sort_row *rows;
    int32_t n = by_stream(&tmp, a->tables->view, &rows);
    int64_t *runs = arena_new(&tmp, int64_t, c->n_rows);
    const struct work_row *before = NULL;
    for (int32_t k = 0; k < n; k++) {
        const struct work_row *r = kernel_row_of(of, rows[k].row);
        bool follows = k > 0 && rows[k].key == rows[k - 1].key && r == before;
        if (r && r->category == WORK_GEMM && !follows)
            runs[r - c->rows]++;
        before = r;
    }
    for (int32_t i = 0; i < c->n_rows; i++)
        if (c->rows[i].count > runs[i])
            work_set(perm, &c->rows[i],
                     FACT("adjoining_calls", (double)(c->rows[i].count - runs[i])));
}
