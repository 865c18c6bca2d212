/* Fusion candidates, and where the large rows of a category sit in the call tree. */
#include "export/pipeline_parts.h"

#include "analysis/model/system_results.h"
#include "analysis/stack/tree_data.h"
#include "base/arena.h"
#include "base/out.h"
#include "export/finding_json.h"
#include "export/json_text.h"

#include <math.h>
#include <stdio.h>

/* The text that a profiler would record. */
static struct json_member as_recorded(const char *key, const struct value *v)
{
    struct out text;
    cJSON *tree = v ? json_recorded(v) : NULL;
    out_memory(&text);
    if (tree)
        json_tree(&text, tree, JSON_LINE);
    cJSON_Delete(tree);
    struct json_member m = json_opt(key, out_view(&text));
    out_free(&text);
    return m;
}

static cJSON *candidate(const struct fusion_candidate *c)
{
    cJSON *kernels = json_list(), *signature = json_list();
    for (int k = 0; k < c->n_kernels; k++) {
        const struct fusion_kernel *one = &c->kernels[k];
        json_push_text(signature, one->label);
        json_row(kernels, J("name", one->name), J("type", one->label),
                 J("dur_us", one->mean_us), json_fixed("data_in_mb", one->in_mb, 4),
                 json_fixed("data_out_mb", one->out_mb, 4));
    }
    return json_object(
        J("module_name", c->module), J("base_name", c->base), J("pattern", c->pattern),
        json_texts("parent_chain", c->parent_chain, c->n_parents),
        J("instance_count", c->instances), J("kernel_count", c->n_kernels),
        J("eligible_kernel_count", c->n_eligible), J("kernels", kernels),
        J("kernel_type_signature", signature),
        J("total_kernel_time_us", c->total_ms * 1e3), J("saving_ms", c->saving_ms),
        J("gross_ms", c->gross_ms), json_fixed("moved_mb", c->moved_mb, 4),
        J("fused_us", c->fused_us), J("impact", impact_json(&c->impact, NAMES_DATA)),
        J("confidence", confidence_word(c->confidence)), J("accepted", c->accepted),
        J("informational", c->informational), json_opt("reason", c->reason),
        as_recorded("input_dims", c->input_dims), json_opt("source", c->source));
}

static cJSON *accepted(const struct fusion_result *r, double *saving_ms)
{
    cJSON *list = json_list();
    for (int k = 0; k < r->n_candidates; k++) {
        const struct fusion_candidate *c = &r->candidates[k];
        if (!c->accepted)
            continue;
        *saving_ms += isnan(c->saving_ms) ? 0.0 : c->saving_ms;
        json_row(list, J("module_name", c->module), J("pattern", c->pattern),
                 J("instance_count", c->instances), J("total_time_ms", c->total_ms),
                 J("saving_ms", c->saving_ms),
                 J("impact", impact_json(&c->impact, NAMES_DATA)),
                 J("confidence", confidence_word(c->confidence)));
    }
    return list;
}

void pipeline_put_fusion(struct pipeline_files *f, const struct pipeline_source *s)
{
    if (!s->a->system)
        return;
    const struct fusion_result *r = &s->a->system->fusion;
    double saving_ms = 0.0;
    cJSON *all = json_list(), *findings = json_list();
    for (int k = 0; k < r->n_candidates; k++)
        json_push(all, candidate(&r->candidates[k]));
    for (int k = 0; k < s->r->n_findings; k++)
        if (s->r->findings[k].of->tier == TIER_FUSION)
            json_push(findings, finding_json(s->r, &s->r->findings[k], NAMES_DATA));
    cJSON *taken = accepted(r, &saving_ms);
    json_put(pipeline_add(f, S("category_data/fusion_candidates.json")),
             J("candidates", all));
    bool failed = r->status == ANALYSER_ERROR;
    json_put(
        pipeline_add(f, S("category_data/kernel_fusion_metrics.json")),
        J("status", pipeline_status(r->status)), J(failed ? "error" : NULL, r->error),
        J("candidate_count", r->n_candidates), J("accepted_count", r->n_accepted),
        J("accepted", taken), J("total_saving_ms", saving_ms), J("findings", findings));
}

static cJSON *node(const struct tree_data_node *n)
{
    cJSON *o =
        json_object(J(n->is_gpu ? NULL : "uid", n->uid), J("name", n->name),
                    J("cat", n->cat), J("depth", n->depth), J("dur_us", n->dur_us));
    if (n->is_gpu)
        return json_put(o, J("stream", n->stream));
    return json_put(o, J("gpu_time_us", n->gpu_us),
                    pipeline_cell(n->input_dims ? "input_dims" : NULL, n->input_dims),
                    pipeline_cell(n->input_type ? "input_type" : NULL, n->input_type));
}

static cJSON *parents(const struct tree_data *d)
{
    cJSON *list = json_list();
    for (int32_t k = 0; k < d->n_parents; k++) {
        const struct tree_parent *p = &d->parents[k];
        json_row(list, p->uid < 0 ? json_null("uid") : J("uid", p->uid),
                 J("name", p->name), J("cat", p->cat), J("depth", p->depth));
    }
    return list;
}

static cJSON *siblings(const struct tree_data *d)
{
    cJSON *list = json_list();
    for (int32_t k = 0; k < d->n_siblings; k++) {
        const struct tree_sibling *b = &d->siblings[k];
        json_row(list, J("uid", b->uid), J("name", b->name),
                 J("gpu_time_us", b->gpu_us),
                 json_texts("kernels", b->kernels, b->n_kernels));
    }
    return list;
}

static cJSON *tree(const struct tree_data *d)
{
    cJSON *subtree = json_list();
    for (int32_t k = 0; k < d->n_nodes; k++)
        json_push(subtree, node(&d->nodes[k]));
    return json_object(
        J("op_name", d->op_name), J("ex_uid", d->ex_uid),
        pipeline_cell("input_dims", d->input_dims),
        pipeline_cell("input_type", d->input_type), J("parent_chain", parents(d)),
        json_texts("module_chain", d->modules, d->n_modules),
        J("launcher_path", d->launcher_path), J("subtree", subtree),
        J(d->truncated ? "subtree_truncated" : NULL, d->truncated),
        J("siblings", siblings(d)), J("instance_count", d->instance_count),
        J("fusion_opportunity", d->fusion_opportunity), J("notes", d->notes));
}

void pipeline_put_tree_data(struct pipeline_files *f, struct arena tmp,
                            const struct pipeline_source *s)
{
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list);
    for (int k = 0; k < n && s->tree; k++) {
        if (list[k] >= WORK_COMMUNICATION)
            continue;
        struct arena scratch = tmp, own = arena_first_half(&scratch);
        int n_rows = 0;
        struct tree_data *d =
            tree_data_build(&own, scratch, s->a, s->tree, list[k], &n_rows);
        cJSON *o =
            pipeline_add(f, str_printf(f->perm, "category_data/%.*s_tree_data.json",
                                       STRF(work_category_name(list[k]))));
        for (int i = 0; i < n_rows; i++) {
            char uid[16];
            (void)snprintf(uid, sizeof uid, "%d", (int)d[i].ex_uid);
            json_put(o, J(uid, tree(&d[i])));
        }
    }
}
