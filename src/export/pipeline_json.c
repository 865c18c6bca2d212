#include "export/pipeline_json.h"

#include "base/arena.h"
#include "base/describe.h"
#include "export/pipeline_parts.h"

#include <string.h>

static struct field_items extensions(const struct described *in)
{
    const struct pipeline_options *asked = in->of;
    struct str *names = arena_new(in->tmp, struct str, asked->n_extensions);
    for (int k = 0; k < asked->n_extensions; k++) {
        const char *slash = strrchr(asked->extensions[k], '/');
        names[k] = str_of(slash ? slash + 1 : asked->extensions[k]);
    }
    return (struct field_items){.first = names, .n = asked->n_extensions};
}

TELL(bool, markers, pipeline_options, !it->no_markers);
TELL(struct str, system_impact, pipeline_options,
     it->no_system_impact ? S("none") : S("range"));
TELL(const void *, report_meta, pipeline_source, &it->r->meta);

static VIEW(traced, report_meta, SAYS(mode, "standalone"),
            AS("trace", trace_file, TEXT), F(platform, NAME), SAYS(reference_trace, ""),
            SAYS(reference_platform, ""));
static VIEW(version, report_meta, AS("version", tool_version, TEXT));
static FIELDS(pipeline_options, F(formats, TEXT), F(include_unlinked, FLAG),
              F(include_backlog, FLAG), F(detect_recompute, FLAG),
              F(idle_threshold_pct, PCT), CALL(system_impact, TEXT, system_impact),
              F(fair_style, TEXT), CALL(markers, FLAG, markers));
static VIEW(asked, pipeline_options, CALL_LIST(extensions, text, extensions),
            PART("options", pipeline_options));
static VIEW(run_config, pipeline_source, MEMBERS_FROM(traced, report_meta),
            MEMBERS_OF(o, asked), MEMBERS_FROM(version, report_meta));
static FIELDS(report_model, F(model, TEXT), F(architecture, TEXT), F(scale, TEXT),
              F(precision, TEXT));

struct pipeline_files pipeline_files_build(struct arena *perm, struct arena tmp,
                                           const struct pipeline_source *s)
{
    struct pipeline_files f = {.perm = perm, .tmp = &tmp, .source = s};
    pipeline_tell(&f, S("metadata/run_config.json"), run_config_fields(), s);
    pipeline_tell(&f, S("metadata/model_info.json"), report_model_fields(),
                  &s->r->model);
    pipeline_put_manifest(&f, s);
    pipeline_put_metadata(&f, tmp, s);
    pipeline_put_tables(&f, tmp, s);
    pipeline_put_metrics(&f, tmp, s);
    pipeline_put_tree_data(&f, tmp, s);
    pipeline_put_system(&f, s);
    pipeline_put_fusion(&f, tmp, s);
    pipeline_put_priorities(&f, tmp, s);
    pipeline_put_validation(&f, s);
    pipeline_put_own_tables(&f, s);
    return f;
}
