#include "export/pipeline_json.h"

#include "export/pipeline_parts.h"

#include <string.h>

static void put_run_config(struct pipeline_files *f, const struct pipeline_source *s)
{
    const struct pipeline_options *asked = s->o;
    cJSON *o = json_put(pipeline_add(f, S("metadata/run_config.json")),
                        J("mode", "standalone"), J("trace", s->r->meta.trace_file),
                        json_opt("platform", s->r->meta.platform),
                        json_null("reference_trace"), json_null("reference_platform"));
    cJSON *extensions = json_put_array(o, "extensions");
    for (int k = 0; k < asked->n_extensions; k++) {
        const char *slash = strrchr(asked->extensions[k], '/');
        json_push_text(extensions, str_of(slash ? slash + 1 : asked->extensions[k]));
    }
    cJSON *options = json_object(
        J("formats", asked->formats), J("include_unlinked", asked->include_unlinked),
        J("include_backlog", asked->include_backlog),
        J("detect_recompute", asked->detect_recompute),
        J("idle_threshold_pct", asked->idle_threshold_pct),
        J("system_impact", asked->no_system_impact ? "none" : "range"),
        J("fair_style", asked->fair_style), json_bool("markers", !asked->no_markers));
    json_put(o, J("options", options), J("version", s->r->meta.tool_version));
}

static void put_model_info(struct pipeline_files *f, const struct pipeline_source *s)
{
    const struct report_model *m = &s->r->model;
    json_put(pipeline_add(f, S("metadata/model_info.json")), J("model", m->model),
             J("architecture", m->architecture), J("scale", m->scale),
             J("precision", m->precision));
}

struct pipeline_files pipeline_files_build(struct arena *perm, struct arena tmp,
                                           const struct pipeline_source *s)
{
    struct pipeline_files f = {.perm = perm};
    put_run_config(&f, s);
    put_model_info(&f, s);
    pipeline_put_manifest(&f, s);
    pipeline_put_metadata(&f, s);
    pipeline_put_tables(&f, tmp, s);
    pipeline_put_metrics(&f, tmp, s);
    pipeline_put_tree_data(&f, tmp, s);
    pipeline_put_system(&f, s);
    pipeline_put_fusion(&f, s);
    pipeline_put_priorities(&f, tmp, s);
    pipeline_put_validation(&f, s);
    return f;
}
