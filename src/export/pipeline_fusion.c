/* Fusion candidates, and where the large rows of a category sit in the call tree. */
#include "export/pipeline_parts.h"

#include "analysis/model/finding_fields.h"
#include "analysis/model/system_results.h"
#include "analysis/stack/tree_data.h"
#include "base/arena.h"
#include "base/describe.h"
#include "base/out.h"
#include "export/described_json.h"
#include "export/finding_json.h"
#include "export/json_text.h"

#include <math.h>
#include <stdio.h>

/* The text that a profiler would record. */
static struct str as_recorded(const struct described *in)
{
    const struct fusion_candidate *c = in->of;
    struct out text;
    cJSON *tree = c->input_dims ? json_recorded(c->input_dims) : NULL;
    out_memory(&text);
    if (tree)
        json_tree(&text, tree, JSON_LINE);
    cJSON_Delete(tree);
    struct str copy = str_copy(in->tmp, out_view(&text));
    out_free(&text);
    return copy;
}

static struct field_items accepted(const struct described *in)
{
    const struct fusion_result *r = in->of;
    const struct fusion_candidate **list =
        arena_new(in->tmp, const struct fusion_candidate *, r->n_candidates);
    int n = 0;
    for (int k = 0; k < r->n_candidates; k++)
        if (r->candidates[k].accepted)
            list[n++] = &r->candidates[k];
    return (struct field_items){.first = list, .n = n, .pointers = true};
}

static double total_saving_ms(const struct described *in)
{
    const struct fusion_result *r = in->of;
    double ms = 0.0;
    for (int k = 0; k < r->n_candidates; k++)
        if (r->candidates[k].accepted && !isnan(r->candidates[k].saving_ms))
            ms += r->candidates[k].saving_ms;
    return ms;
}

TELL(struct str, status, fusion_result, pipeline_status(it->status));

static FIELDS(fusion_kernel, F(name, TEXT), AS("type", label, TEXT),
              AS("dur_us", mean_us, US), AS("data_in_mb", in_mb, FINE),
              AS("data_out_mb", out_mb, FINE));
static VIEW(kernel_type, fusion_kernel, ITSELF(label, TEXT));
static VIEW(impact_of_data, impact_range, F(low_pct, PCT), F(high_pct, PCT),
            F(low_ms, MS), F(high_ms, MS), F(basis, TEXT));
static FIELDS(fusion_candidate, AS("module_name", module, TEXT),
              AS("base_name", base, TEXT), F(pattern, TEXT),
              LIST(parent_chain, n_parents, text),
              AS("instance_count", instances, COUNT),
              AS("kernel_count", n_kernels, COUNT),
              AS("eligible_kernel_count", n_eligible, COUNT),
              LIST(kernels, n_kernels, fusion_kernel),
              LIST_AS("kernel_type_signature", kernels, n_kernels, kernel_type),
              AS("total_kernel_time_us", total_ms, MS_IN_US), F(saving_ms, MS),
              F(gross_ms, MS), F(moved_mb, FINE), F(fused_us, US),
              STRUCT(impact, impact_of_data),
              ENUM(confidence, confidence_word, CONFIDENCE_HIGH + 1), F(accepted, FLAG),
              F(informational, FLAG), F(reason, NAME),
              CALL(input_dims, NAME, as_recorded), F(source, NAME));
static VIEW(accepted, fusion_candidate, AS("module_name", module, TEXT),
            F(pattern, TEXT), AS("instance_count", instances, COUNT),
            AS("total_time_ms", total_ms, MS), F(saving_ms, MS),
            STRUCT(impact, impact_of_data),
            ENUM(confidence, confidence_word, CONFIDENCE_HIGH + 1));
static VIEW(candidates, fusion_result,
            LIST(candidates, n_candidates, fusion_candidate));
static VIEW(status, fusion_result, CALL(status, TEXT, status));
static VIEW(failed, fusion_result, CALL(status, TEXT, status), F(error, TEXT));
static FIELDS(fusion_result, AS("candidate_count", n_candidates, COUNT),
              AS("accepted_count", n_accepted, COUNT),
              CALL_LIST(accepted, accepted, accepted),
              CALL(total_saving_ms, MS, total_saving_ms));

void pipeline_put_fusion(struct pipeline_files *f, struct arena tmp,
                         const struct pipeline_source *s)
{
    if (!s->a->system)
        return;
    const struct fusion_result *r = &s->a->system->fusion;
    const struct json_walk w = {.whole = s, .tmp = &tmp};
    pipeline_tell(f, S("category_data/fusion_candidates.json"), candidates_fields(), r);
    cJSON *o = pipeline_add(f, S("category_data/kernel_fusion_metrics.json"));
    json_put_described(
        o, r->status == ANALYSER_ERROR ? failed_fields() : status_fields(), r, &w);
    json_put_described(o, fusion_result_fields(), r, &w);
    cJSON *findings = json_put_array(o, "findings");
    for (int k = 0; k < s->r->n_findings; k++)
        if (s->r->findings[k].of->tier == TIER_FUSION)
            json_push(findings,
                      finding_json(s->r, &s->r->findings[k], NAMES_DATA, tmp));
}

TELL(const void *, host, tree_data_node, it->is_gpu ? NULL : it);
TELL(const void *, gpu, tree_data_node, it->is_gpu ? it : NULL);
TELL(const void *, with_dims, tree_data_node,
     it->input_dims && !it->is_gpu ? it : NULL);
TELL(const void *, with_type, tree_data_node,
     it->input_type && !it->is_gpu ? it : NULL);
TELL(struct str, dims, tree_data_node, pipeline_cell(in->tmp, it->input_dims));
TELL(struct str, type, tree_data_node, pipeline_cell(in->tmp, it->input_type));
TELL(struct str, op_dims, tree_data, pipeline_cell(in->tmp, it->input_dims));
TELL(struct str, op_type, tree_data, pipeline_cell(in->tmp, it->input_type));
TELL(const void *, cut, tree_data, it->truncated ? it : NULL);

static VIEW(uid, tree_data_node, F(uid, NUMBER));
static VIEW(stream, tree_data_node, F(stream, NUMBER));
static VIEW(gpu_time, tree_data_node, AS("gpu_time_us", gpu_us, US));
static VIEW(dims, tree_data_node, CALL(input_dims, NAME, dims));
static VIEW(type, tree_data_node, CALL(input_type, NAME, type));
static FIELDS(tree_data_node, MEMBERS_FROM(uid, host), F(name, TEXT), F(cat, TEXT),
              F(depth, COUNT), F(dur_us, US), MEMBERS_FROM(stream, gpu),
              MEMBERS_FROM(gpu_time, host), MEMBERS_FROM(dims, with_dims),
              MEMBERS_FROM(type, with_type));
static FIELDS(tree_parent, F(uid, KNOWN), F(name, TEXT), F(cat, TEXT), F(depth, COUNT));
static FIELDS(tree_sibling, F(uid, NUMBER), F(name, TEXT),
              AS("gpu_time_us", gpu_us, US), LIST(kernels, n_kernels, text));
static VIEW(cut, tree_data, AS("subtree_truncated", truncated, FLAG));
static FIELDS(tree_data, F(op_name, TEXT), F(ex_uid, NUMBER),
              CALL(input_dims, NAME, op_dims), CALL(input_type, NAME, op_type),
              LIST_AS("parent_chain", parents, n_parents, tree_parent),
              LIST_AS("module_chain", modules, n_modules, text), F(launcher_path, TEXT),
              LIST_AS("subtree", nodes, n_nodes, tree_data_node),
              MEMBERS_FROM(cut, cut), LIST(siblings, n_siblings, tree_sibling),
              F(instance_count, COUNT), F(fusion_opportunity, FLAG), F(notes, TEXT));

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
        const struct json_walk w = {.whole = s, .tmp = &scratch};
        cJSON *o =
            pipeline_add(f, str_printf(f->perm, "category_data/%.*s_tree_data.json",
                                       STRF(work_category_name(list[k]))));
        for (int i = 0; i < n_rows; i++) {
            char uid[16];
            (void)snprintf(uid, sizeof uid, "%d", (int)d[i].ex_uid);
            json_put(o, J(uid, described_json(tree_data_fields(), &d[i], &w)));
        }
    }
}
