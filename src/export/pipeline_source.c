#include "export/pipeline_source.h"

#include "analysis/model/system_results.h"
#include "base/out.h"
#include "base/python_text.h"

int pipeline_categories(const struct pipeline_source *s,
                        enum work_category list[WORK_CATEGORIES])
{
    int n = 0;
    if (!s->t->facts.has_cpu_op)
        return 0;
    for (int k = 0; k < s->a->n_by_time; k++)
        list[n++] = s->a->by_time[k];
    for (int c = 0; c < WORK_COMMUNICATION; c++) {
        bool listed = false;
        for (int k = 0; k < n; k++)
            listed |= list[k] == (enum work_category)c;
        if (!listed && s->a->categories[c].status == ANALYSER_ERROR)
            list[n++] = (enum work_category)c;
    }
    if (s->a->categories[WORK_COMMUNICATION].n_rows)
        list[n++] = WORK_COMMUNICATION;
    return n;
}

bool pipeline_has_multi_kernel(const struct pipeline_source *s)
{
    const struct system_results *system = s->a->system;
    if (!system)
        return false;
    int64_t n = system->multi_kernel.comm_count;
    for (int d = 0; d < COPY_DIRECTIONS; d++)
        n += system->multi_kernel.copies[d].count;
    return n > 0 || system->multi_kernel.status == ANALYSER_ERROR;
}

bool pipeline_has_fusion(const struct pipeline_source *s)
{
    const struct system_results *system = s->a->system;
    return system &&
           (system->fusion.n_candidates > 0 || system->fusion.status == ANALYSER_ERROR);
}

const char *pipeline_tier(enum work_category c)
{
    return c < WORK_COMMUNICATION ? "compute_kernel" : "system";
}

const char *pipeline_status(enum analyser_status s)
{
    return s == ANALYSER_OK ? "OK" : s == ANALYSER_ERROR ? "ERROR" : "NO_DATA";
}

struct json_member pipeline_cell(const char *key, const struct value *v)
{
    struct out text;
    out_memory(&text);
    if (v)
        python_value(&text, v, true);
    struct json_member cell = json_opt(key, out_view(&text));
    out_free(&text);
    return cell;
}

struct cJSON *pipeline_utilization(const struct report_timeline *t)
{
    return json_object(
        J("total_time_ms", t->total_ms),
        J("computation_time_percent", t->computation_pct),
        J("exposed_comm_time_percent", t->exposed_comm_pct),
        J("exposed_memcpy_time_percent", t->exposed_memcpy_pct),
        J("idle_time_percent", t->idle_pct),
        J("computation_time_ms", t->computation_ms), J("idle_time_ms", t->idle_ms),
        J("busy_time_percent", t->busy_pct), J("total_comm_time_ms", t->total_comm_ms),
        J("total_memcpy_time_ms", t->total_memcpy_ms));
}

const struct report_table *pipeline_sheet(const struct pipeline_source *s,
                                          const char *name)
{
    for (ptrdiff_t k = 0; k < s->sheets->n; k++)
        if (str_eq(s->sheets->tables[k].name, str_of(name)))
            return &s->sheets->tables[k];
    return NULL;
}
