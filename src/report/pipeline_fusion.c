/* Fusion candidates, and where the large rows of a category sit in the call tree. */
#include "report/pipeline_parts.h"

#include "analysis/system_results.h"
#include "analysis/tree_data.h"
#include "base/arena.h"
#include "base/out.h"
#include "ops/python_text.h"

#include <math.h>
#include <stdio.h>

static struct str confidence_word(enum confidence c)
{
    return c == CONFIDENCE_HIGH     ? S("high")
           : c == CONFIDENCE_MEDIUM ? S("medium")
                                    : S("low");
}

/* ---- candidates
 * ----------------------------------------------------------------------------- */

static void put_candidate(cJSON *list, const struct fusion_candidate *c)
{
    cJSON *o = json_push_object(list);
    json_put_text(o, "module_name", c->module);
    json_put_text(o, "base_name", c->base);
    json_put_text(o, "pattern", c->pattern);
    json_put_texts(o, "parent_chain", c->parent_chain, c->n_parents);
    json_put_count(o, "instance_count", c->instances);
    json_put_count(o, "kernel_count", c->n_kernels);
    json_put_count(o, "eligible_kernel_count", c->n_eligible);
    cJSON *kernels = json_put_array(o, "kernels");
    cJSON *signature = json_put_array(o, "kernel_type_signature");
    for (int k = 0; k < c->n_kernels; k++) {
        cJSON *row = json_push_object(kernels);
        json_put_text(row, "name", c->kernels[k].name);
        json_put_text(row, "type", c->kernels[k].label);
        json_put_us(row, "dur_us", c->kernels[k].mean_us);
        json_put_number(row, "data_in_mb", c->kernels[k].in_mb, 4);
        json_put_number(row, "data_out_mb", c->kernels[k].out_mb, 4);
        json_push_text(signature, c->kernels[k].label);
    }
    json_put_us(o, "total_kernel_time_us", c->total_ms * 1e3);
    json_put_ms(o, "saving_ms", c->saving_ms);
    json_put_ms(o, "gross_ms", c->gross_ms);
    json_put_number(o, "moved_mb", c->moved_mb, 4);
    json_put_us(o, "fused_us", c->fused_us);
    pipeline_put_impact(o, "impact", c->impact);
    json_put_text(o, "confidence", confidence_word(c->confidence));
    json_put_bool(o, "accepted", c->accepted);
    json_put_bool(o, "informational", c->informational);
    json_put_text_or_null(o, "reason", c->reason);
    json_put_text_or_null(o, "input_dims", c->input_dims);
    json_put_text_or_null(o, "source", c->source);
}

void pipeline_put_fusion(struct pipeline_files *f, const struct pipeline_source *s)
{
    if (!s->a->system)
        return;
    const struct fusion_result *r = &s->a->system->fusion;
    cJSON *o = pipeline_add(f, S("category_data/fusion_candidates.json"));
    cJSON *all = json_put_array(o, "candidates");
    for (int k = 0; k < r->n_candidates; k++)
        put_candidate(all, &r->candidates[k]);
    o = pipeline_add(f, S("category_data/kernel_fusion_metrics.json"));
    json_put_text(o, "status", pipeline_status(r->status));
    if (r->status == ANALYSER_ERROR)
        json_put_text(o, "error", r->error);
    json_put_count(o, "candidate_count", r->n_candidates);
    json_put_count(o, "accepted_count", r->n_accepted);
    double ms = 0.0;
    cJSON *accepted = json_put_array(o, "accepted");
    for (int k = 0; k < r->n_candidates; k++) {
        const struct fusion_candidate *c = &r->candidates[k];
        if (!c->accepted)
            continue;
        ms += isnan(c->saving_ms) ? 0.0 : c->saving_ms;
        cJSON *row = json_push_object(accepted);
        json_put_text(row, "module_name", c->module);
        json_put_text(row, "pattern", c->pattern);
        json_put_count(row, "instance_count", c->instances);
        json_put_ms(row, "total_time_ms", c->total_ms);
        json_put_ms(row, "saving_ms", c->saving_ms);
        pipeline_put_impact(row, "impact", c->impact);
        json_put_text(row, "confidence", confidence_word(c->confidence));
    }
    json_put_ms(o, "total_saving_ms", ms);
    cJSON *findings = json_put_array(o, "findings");
    for (int k = 0; k < s->a->n_findings; k++)
        if (s->a->findings[k].tier == TIER_FUSION)
            pipeline_put_finding(findings, f->perm, s, k);
}

/* ---- tree data
 * -------------------------------------------------------------------------------- */

/* Raw JSON of the trace as the cells of the tables show it. */
static void put_cell_text(cJSON *o, const char *key, struct str raw)
{
    struct out text;
    if (!raw.n) {
        json_put_null(o, key);
        return;
    }
    out_memory(&text);
    if (!python_tuple_of_json(&text, raw))
        python_string(&text, raw);
    json_put_text(o, key, out_view(&text));
    out_free(&text);
}

static void put_node(cJSON *list, const struct tree_data_node *n)
{
    cJSON *o = json_push_object(list);
    if (!n->is_gpu)
        json_put_count(o, "uid", n->uid);
    json_put_text(o, "name", n->name);
    json_put_text(o, "cat", n->cat);
    json_put_count(o, "depth", n->depth);
    json_put_us(o, "dur_us", n->dur_us);
    if (n->is_gpu) {
        json_put_count(o, "stream", n->stream);
        return;
    }
    json_put_us(o, "gpu_time_us", n->gpu_us);
    if (n->input_dims.n)
        put_cell_text(o, "input_dims", n->input_dims);
    if (n->input_type.n)
        put_cell_text(o, "input_type", n->input_type);
}

static void put_chain(cJSON *o, const struct tree_data *d)
{
    cJSON *list = json_put_array(o, "parent_chain");
    for (int32_t k = 0; k < d->n_parents; k++) {
        cJSON *row = json_push_object(list);
        if (d->parents[k].uid < 0)
            json_put_null(row, "uid");
        else
            json_put_count(row, "uid", d->parents[k].uid);
        json_put_text(row, "name", d->parents[k].name);
        json_put_text(row, "cat", d->parents[k].cat);
        json_put_count(row, "depth", d->parents[k].depth);
    }
}

static void put_tree(cJSON *document, const struct tree_data *d)
{
    char uid[16];
    (void)snprintf(uid, sizeof uid, "%d", (int)d->ex_uid);
    cJSON *o = json_put_object(document, uid);
    json_put_text(o, "op_name", d->op_name);
    json_put_count(o, "ex_uid", d->ex_uid);
    put_cell_text(o, "input_dims", d->input_dims);
    put_cell_text(o, "input_type", d->input_type);
    put_chain(o, d);
    json_put_texts(o, "module_chain", d->modules, d->n_modules);
    json_put_text(o, "launcher_path", d->launcher_path);
    cJSON *subtree = json_put_array(o, "subtree");
    for (int32_t k = 0; k < d->n_nodes; k++)
        put_node(subtree, &d->nodes[k]);
    if (d->truncated)
        json_put_bool(o, "subtree_truncated", true);
    cJSON *siblings = json_put_array(o, "siblings");
    for (int32_t k = 0; k < d->n_siblings; k++) {
        cJSON *row = json_push_object(siblings);
        json_put_count(row, "uid", d->siblings[k].uid);
        json_put_text(row, "name", d->siblings[k].name);
        json_put_us(row, "gpu_time_us", d->siblings[k].gpu_us);
        json_put_texts(row, "kernels", d->siblings[k].kernels,
                       d->siblings[k].n_kernels);
    }
    json_put_count(o, "instance_count", d->instance_count);
    json_put_bool(o, "fusion_opportunity", d->fusion_opportunity);
    json_put_text(o, "notes", d->notes);
}

void pipeline_put_tree_data(struct pipeline_files *f, struct arena tmp,
                            const struct pipeline_source *s)
{
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list);
    for (int k = 0; k < n && s->tree; k++) {
        if (list[k] >= WORK_COMMUNICATION)
            continue;
        struct arena own = tmp, scratch = tmp;
        /* Rows in one half, what their building needs in the other. */
        scratch.at += (scratch.end - scratch.at) / 2 / 16 * 16;
        own.end = scratch.at;
        int n_rows = 0;
        struct tree_data *d =
            tree_data_build(&own, scratch, s->a, s->tree, list[k], &n_rows);
        cJSON *o =
            pipeline_add(f, str_printf(f->perm, "category_data/%.*s_tree_data.json",
                                       STRF(work_category_name(list[k]))));
        for (int i = 0; i < n_rows; i++)
            put_tree(o, &d[i]);
    }
}
