#include "report/report_build.h"

#include "report/replay/replay_choice.h"
#include "report/report_parts.h"

struct report report_build(struct arena *perm, struct arena tmp,
                           const struct op_tables *t, const struct analysis *a,
                           const struct sheets *sheets, const struct report_options *o)
{
    struct report r = {.tables = sheets->tables, .n_tables = sheets->n, .analysis = a};
    const struct report_source s = {perm, t, a, o};
    r.over_time = a->views.over_time;
    r.host = t->host;
    report_timeline_fill(&s, &r);
    report_steps_fill(&s, &r);
    report_categories_fill(&s, &r);
    report_ops_fill(&s, &r);
    struct arena scratch = tmp;
    const int8_t *category = report_event_categories(&scratch, &s, &r);
    report_kernels_fill(&s, scratch, category, &r);
    report_fill_fill(&s, &r);
    report_mfu_fill(&s, &r);
    report_memory_fill(&s, &r);
    report_more_fill(&s, scratch, category, &r);
    report_phases_fill(&s, scratch, category, &r);
    report_gpus_fill(&s, scratch, category, &r);
    report_top_fill(&s, &r);
    report_findings_fill(&s, &r);
    report_model_fill(&s, tmp, &r);
    report_meta_fill(&s, &r);
    report_measured_fill(&s, &r);
    report_checks_fill(&s, &r);
    report_recording_fill(&s, &r);
    report_verdict_fill(&s, &r);
    r.tree = a->views.paths;
    report_detail_fill(&s, tmp, &r);
    r.excerpts = o->excerpts;
    if (o->replay)
        replay_mark_report(perm, &r, o->replay);
    return r;
}
