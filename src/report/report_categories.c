/* Categories with device time, the largest first. */
#include "report/report_parts.h"

struct str report_category_page(enum work_category c)
{
    static const char *const pages[WORK_CATEGORIES] = {
        [WORK_GEMM] = "category-gemm.html",
        [WORK_SDPA_FWD] = "category-attention.html",
        [WORK_SDPA_BWD] = "category-attention-backward.html",
        [WORK_ELEMENTWISE] = "category-elementwise.html",
        [WORK_REDUCE] = "category-reduce.html",
        [WORK_TRITON] = "category-generated.html",
        [WORK_MOE_FUSED] = "category-moe.html",
        [WORK_BATCHNORM] = "category-batchnorm.html",
        [WORK_NORM] = "category-norm.html",
        [WORK_CONVOLUTION] = "category-convolution.html",
        [WORK_OTHER] = "category-other.html",
        [WORK_COMMUNICATION] = "category-communication.html",
        [WORK_COPY] = "system.html",
        [WORK_CPU_IDLE] = "system.html",
        [WORK_MULTI_KERNEL] = "system.html",
        [WORK_KERNEL_FUSION] = "recommendations.html",
    };
    return str_of(pages[c]);
}

int report_category_index(const struct report *r, enum work_category c)
{
    struct str id = work_category_name(c);
    for (int k = 0; k < r->n_categories; k++)
        if (str_eq(r->categories[k].id, id))
            return k;
    return -1;
}

void report_categories_fill(const struct report_source *s, struct report *r)
{
    const struct analysis *a = s->a;
    int n = a->n_by_time;
    double kernel_ms = 0.0;
    r->categories = arena_new(s->perm, struct report_category, n);
    for (int k = 0; k < n; k++) {
        const struct category_result *c = &a->categories[a->by_time[k]];
        if (!(c->time_ms > 0.0))
            continue;
        struct report_category *out = &r->categories[r->n_categories++];
        *out = (struct report_category){
            .id = work_category_name(a->by_time[k]),
            .label = work_category_display(a->by_time[k]),
            .page = report_category_page(a->by_time[k]),
            .time_ms = c->time_ms,
            .compute_pct = c->compute_pct,
            .total_pct = c->total_pct,
            .launches = c->operation_count,
            .efficiency_pct = c->average_efficiency_pct,
        };
        kernel_ms += c->time_ms;
        out->slot = figure_slot_of(out->id);
        for (int32_t i = 0; i < c->n_rows; i++) {
            out->operations += work_row_shapes(&c->rows[i]);
            if (!c->rows[i].group->cost)
                out->unmodelled_ms += c->rows[i].time_ms;
        }
    }
    for (int k = 0; k < r->n_categories; k++)
        r->categories[k].share_pct = 100.0 * r->categories[k].time_ms / kernel_ms;
}
