#include "export/finding_json.h"

#include "export/gates_json.h"

#include "analysis/model/work_facts.h"
#include "export/json_tree.h"
#include "ops/op_groups.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* The key in each family of files; NULL: not in those files. */
#define KEY(report, data) (names == NAMES_REPORT ? (report) : (data))

cJSON *impact_json(const struct impact_range *i, enum json_names names)
{
    return json_object(J("low_pct", i->low_pct),
                       J(KEY("mid_pct", NULL), (i->low_pct + i->high_pct) / 2.0),
                       J("high_pct", i->high_pct), J("low_ms", i->low_ms),
                       J(KEY("mid_ms", NULL), (i->low_ms + i->high_ms) / 2.0),
                       J("high_ms", i->high_ms), J("basis", i->basis));
}

static cJSON *projection(const struct finding *f, enum json_names names)
{
    cJSON *list = json_list();
    for (int k = 0; k < f->n_projection; k++) {
        const struct projection_row *p = &f->projection[k];
        json_row(list, J(KEY("target_pct", "target"), p->target_pct),
                 J("time_ms", p->time_ms),
                 J(KEY("total_saved_pct", "e2e_pct"), p->e2e_pct),
                 J(KEY("operation_saved_pct", "op_pct"), p->op_pct));
    }
    return list;
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

static void put_evidence(cJSON *o, const struct finding *f)
{
    cJSON *list = json_put_array(o, "evidence");
    for (int k = 0; k < f->n_evidence; k++)
        json_push_text(list, f->evidence[k].text);
}

/* Only in report.json: anchors and links. */
static void put_links(cJSON *o, const struct report *r, const struct report_finding *x)
{
    char href[64];
    (void)snprintf(href, sizeof href, "recommendations.html#%.*s", STRF(x->anchor));
    json_put(o, J("id", x->anchor), J("rank", x->rank), json_opt("kit", x->kit),
             J("href", href));
    cJSON *ops = json_put_array(o, "operations");
    ptrdiff_t room = LIST_BYTES;
    for (int k = 0; k < x->n_ops && room > 0; k++)
        json_push_text_within(ops, r->ops[x->ops[k]].id, &room);
    json_put(o, J("operations_total", x->n_ops));
}

cJSON *finding_json(const struct report *r, const struct report_finding *x,
                    enum json_names names)
{
    static const char *const tiers[][2] = {
        [TIER_COMPUTE] = {"kernel", "compute_kernel"},
        [TIER_FUSION] = {"fusion", "kernel_fusion"},
        [TIER_SYSTEM] = {"system", "system"}};
    const struct finding *f = x->of;
    cJSON *o =
        json_object(J(KEY("key", "id"), f->id), J("tier", tiers[f->tier][names]),
                    J("category", work_category_name(f->category)),
                    J("kind", finding_kind_word(f->kind)), J("pattern", f->pattern),
                    J("title", f->title), J(KEY("name", "op"), f->op));
    if (names == NAMES_DATA)
        put_rows(o, f);
    else
        put_links(o, r, x);
    struct json_member advice[] = {
        J("algorithmic", f->algorithmic), J("kernel", f->kernel), {0}};
    json_put(o, J(KEY("launches", "count"), f->count), J("time_ms", f->time_ms),
             J(KEY("compute_pct", "percent_of_compute"), f->compute_pct),
             J(KEY("total_pct", "percent_of_total"), f->total_pct),
             J(KEY("category_pct", "category_percent"), f->category_pct),
             J(KEY("efficiency_pct", "efficiency_percent"), f->efficiency_pct),
             json_opt(KEY("bound", "bound_type"), bound_word(f->bound)),
             json_opt("peak", f->peak), json_opt("achieved", f->achieved));
    if (names == NAMES_DATA)
        json_put(o, f->top_rank > 0 ? J("top_operation_rank", f->top_rank)
                                    : json_null("top_operation_rank"));
    json_put(o, J("priority", priority_word(f->priority)),
             J("priority_basis", f->priority_basis), J("issue", f->issue));
    json_put_members(names == NAMES_DATA ? o : json_put_object(o, "advice"), advice);
    json_put(o, J("impact", impact_json(&f->impact, names)),
             J("impact_kernel", impact_json(&f->impact_kernel, names)),
             J("projection", projection(f, names)));
    put_evidence(o, f);
    if (names == NAMES_DATA)
        json_put(o, J("replay", json_object(J("recommended", f->replay_recommended),
                                            json_opt("package", x->kit))));
    else
        json_put(o,
                 f->until < 0 ? json_null("impact_then")
                              : J("impact_then", impact_json(&f->impact_then, names)),
                 waived_json(x));
    return json_put(o, J(KEY("replay_recommended", NULL), f->replay_recommended),
                    J("informational", f->informational),
                    J("confidence", confidence_word(f->confidence)),
                    J("global_rank", f->global_rank),
                    J(KEY(NULL, "category_rank"), f->category_rank),
                    J(KEY(NULL, "tier_number"), f->tier_number));
}
