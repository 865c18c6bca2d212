#include "export/finding_json.h"

#include "analysis/model/finding_fields.h"
#include "analysis/model/work_facts.h"
#include "base/arena.h"
#include "export/described_json.h"
#include "export/json_tree.h"
#include "ops/op_groups.h"
#include "report/report_fields.h"

#include <cjson/cJSON.h>

/* What the data files of the analysis call otherwise, and what only they have or lack.
 */
static const struct json_name data_names[] = {{"launches", "count"},
                                              {"compute_pct", "percent_of_compute"},
                                              {"total_pct", "percent_of_total"},
                                              {"category_pct", "category_percent"},
                                              {"efficiency_pct", "efficiency_percent"},
                                              {"bound", "bound_type"},
                                              {"target_pct", "target"},
                                              {"total_saved_pct", "e2e_pct"},
                                              {"operation_saved_pct", "op_pct"},
                                              {"advice", ""},
                                              {"mid_pct", NULL},
                                              {"mid_ms", NULL},
                                              {"impact_then", NULL},
                                              {"replay_recommended", NULL},
                                              {0}};
static const struct json_name report_names[] = {{"top_operation_rank", NULL},
                                                {"replay", NULL},
                                                {"category_rank", NULL},
                                                {"tier_number", NULL},
                                                {0}};

static const struct json_name *names_of(enum json_names names)
{
    return names == NAMES_DATA ? data_names : report_names;
}

cJSON *impact_json(const struct impact_range *i, enum json_names names)
{
    return described_json(impact_range_fields(), i,
                          &(struct json_walk){.names = names_of(names)});
}

/* Of a list in a finding. */
enum { LIST_BYTES = 3 << 16 };

/* The rows a finding is based on, by uid. */
static void put_rows(cJSON *o, const struct finding *f)
{
    ptrdiff_t uid_room = LIST_BYTES, shape_room = LIST_BYTES, kernel_room = LIST_BYTES;
    cJSON *uids = json_put_array(o, "ops_rows");
    cJSON *shapes = json_put_array(o, "shapes");
    cJSON *kernels = json_put_array(o, "kernels");
    for (int k = 0; k < f->n_rows; k++) {
        const struct work_row *row = f->rows[k];
        struct str kernel = work_text(row, "kernel");
        if (uid_room > 0)
            json_push_within(uids, cJSON_CreateNumber((double)row->group->first->uid),
                             &uid_room);
        if (row->args.n && shape_room > 0)
            json_push_text_within(shapes, row->args, &shape_room);
        if (kernel.n && kernel_room > 0)
            json_push_text_within(kernels, kernel, &kernel_room);
    }
    json_put(o, J("rows_total", finding_shapes(f)),
             json_opt("dtype", f->n_rows ? work_text(f->rows[0], "dtype") : S("")));
}

/* Only in report.json: anchors and links. */
static void put_links(cJSON *o, const struct report *r, const struct report_finding *x,
                      const struct json_walk *w)
{
    json_put_described(o, report_finding_fields(), x, w);
    cJSON *ops = json_put_array(o, "operations");
    ptrdiff_t room = LIST_BYTES;
    for (int k = 0; k < x->n_ops && room > 0; k++)
        json_push_text_within(ops, r->ops[x->ops[k]].id, &room);
}

cJSON *finding_json(const struct report *r, const struct report_finding *x,
                    enum json_names names, struct arena tmp)
{
    static const char *const tiers[][2] = {
        [TIER_COMPUTE] = {"kernel", "compute_kernel"},
        [TIER_FUSION] = {"fusion", "kernel_fusion"},
        [TIER_SYSTEM] = {"system", "system"}};
    const struct json_walk w = {.whole = r, .names = names_of(names), .tmp = &tmp};
    const struct finding *f = x->of;
    bool data = names == NAMES_DATA;
    cJSON *o =
        json_object(J(data ? "id" : "key", f->id), J("tier", tiers[f->tier][names]),
                    J("category", work_category_name(f->category)),
                    J("kind", finding_kind_word(f->kind)), J("pattern", f->pattern),
                    J("title", f->title), J(data ? "op" : "name", f->op));
    if (data)
        put_rows(o, f);
    else
        put_links(o, r, x, &w);
    json_put_described(o, finding_fields(), f, &w);
    if (data)
        json_put(cJSON_GetObjectItemCaseSensitive(o, "replay"),
                 json_opt("package", x->kit));
    return o;
}
