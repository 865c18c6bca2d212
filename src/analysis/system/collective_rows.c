#include "analysis/system/collective_rows.h"

#include "base/sort.h"
#include "ops/trace_view.h"
#include "ops/work_traits.h"

enum {
    MORE_THAN = 10,   /* calls in a row that are worth a word */
    MOST_BETWEEN = 2, /* kernels: a gradient is scaled, or flattened */
    MOST_GAP_NS = 1000000
};

struct row {
    int kind, n_between;
    int64_t n, end_ns;
};

static void close_row(struct row *r, struct comm_kind kinds[COMM_KINDS])
{
    if (r->n > MORE_THAN) {
        kinds[r->kind].rows++;
        kinds[r->kind].in_rows += r->n;
    }
    r->n = 0;
}

static bool is_layer_work(struct str kernel)
{
    enum kernel_label l = kernel_label_of(kernel);
    return kernel_label_is_matrix(l) || l == KERNEL_ATTENTION ||
           l == KERNEL_CONVOLUTION;
}

static void add_collective(struct row *r, const struct event_store *s, event_id gpu,
                           int kind, struct comm_kind kinds[COMM_KINDS])
{
    if (r->n && (r->kind != kind || s->start_ns[gpu] - r->end_ns > MOST_GAP_NS))
        close_row(r, kinds);
    *r = (struct row){kind, 0, r->n + 1, store_end_ns(s, gpu)};
}

void collective_rows_find(struct arena tmp, const struct trace_view *v,
                          const struct work_traits *w, const uint8_t *kind,
                          struct comm_kind kinds[COMM_KINDS])
{
    struct sort_row *order = arena_take_raw(&tmp, sizeof *order, 8, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++)
        order[k] = (struct sort_row){v->s->start_ns[v->counted[k]], k};
    sort_rows(tmp, order, v->n_counted);
    struct row r = {0};
    for (int32_t i = 0; i < v->n_counted; i++) {
        int32_t k = order[i].row;
        event_id gpu = v->counted[k];
        if (kind[k] < COMM_KINDS && !(w->of[gpu] & TRAIT_REPLAYED))
            add_collective(&r, v->s, gpu, kind[k], kinds);
        else if (r.n && kind[k] == COMM_KINDS &&
                 (++r.n_between > MOST_BETWEEN || is_layer_work(store_name(v->s, gpu))))
            close_row(&r, kinds);
    }
    close_row(&r, kinds);
}
