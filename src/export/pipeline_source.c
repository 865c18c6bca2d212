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

struct str pipeline_tier(enum work_category c)
{
    return c < WORK_COMMUNICATION ? S("compute_kernel") : S("system");
}

struct str pipeline_status(enum analyser_status s)
{
    return s == ANALYSER_OK ? S("OK") : s == ANALYSER_ERROR ? S("ERROR") : S("NO_DATA");
}

struct str pipeline_cell(struct arena *a, const struct value *v)
{
    struct out text;
    out_memory(&text);
    if (v)
        python_value(&text, v, true);
    struct str cell = str_copy(a, out_view(&text));
    out_free(&text);
    return cell;
}

const struct report_table *pipeline_sheet(const struct pipeline_source *s,
                                          const char *name)
{
    for (ptrdiff_t k = 0; k < s->sheets->n; k++)
        if (str_eq(s->sheets->tables[k].name, str_of(name)))
            return &s->sheets->tables[k];
    return NULL;
}
