#include "report/pipeline_parts.h"

#include "analysis/system_results.h"
#include "base/arena.h"

enum { FIRST_FILES = 64 };

/* ---- the list
 * --------------------------------------------------------------------------- */

static struct pipeline_file *add(struct pipeline_files *f, struct str path)
{
    if (f->n == f->cap) {
        struct pipeline_file *more =
            arena_new(f->perm, struct pipeline_file, 2 * f->cap);
        for (int k = 0; k < f->n; k++)
            more[k] = f->at[k];
        f->at = more;
        f->cap *= 2;
    }
    f->at[f->n] = (struct pipeline_file){.path = path};
    return &f->at[f->n++];
}

cJSON *pipeline_add(struct pipeline_files *f, struct str path)
{
    cJSON *o = cJSON_CreateObject();
    if (!o)
        arena_full();
    add(f, path)->tree = o;
    return o;
}

void pipeline_add_table(struct pipeline_files *f, struct str path,
                        const struct report_table *table)
{
    add(f, path)->table = table;
}

void pipeline_files_close(struct pipeline_files *f)
{
    for (int k = 0; k < f->n; k++)
        cJSON_Delete(f->at[k].tree);
    f->n = 0;
}

/* ---- what several kinds ask
 * --------------------------------------------------------------- */

int pipeline_categories(const struct pipeline_source *s,
                        enum work_category list[WORK_CATEGORIES])
{
    int n = 0;
    if (!s->t->view->has_cpu_op)
        return 0;
    for (int k = 0; k < s->a->n_by_time; k++)
        list[n++] = s->a->by_time[k];
    for (int c = 0; c < WORK_COMMUNICATION; c++) {
        const struct category_result *r = &s->a->categories[c];
        bool listed = false;
        for (int k = 0; k < n; k++)
            listed |= list[k] == (enum work_category)c;
        if (!listed && r->status == ANALYSER_ERROR)
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

struct str pipeline_bound(enum roofline_bound b)
{
    return b == BOUND_COMPUTE ? S("compute") : b == BOUND_MEMORY ? S("memory") : S("");
}

struct str pipeline_status(enum analyser_status s)
{
    return s == ANALYSER_OK ? S("OK") : s == ANALYSER_ERROR ? S("ERROR") : S("NO_DATA");
}

void pipeline_put_utilization(cJSON *o, const struct report_timeline *t)
{
    json_put_ms(o, "total_time_ms", t->total_ms);
    json_put_pct(o, "computation_time_percent", t->computation_pct);
    json_put_pct(o, "exposed_comm_time_percent", t->exposed_comm_pct);
    json_put_pct(o, "exposed_memcpy_time_percent", t->exposed_memcpy_pct);
    json_put_pct(o, "idle_time_percent", t->idle_pct);
    json_put_ms(o, "computation_time_ms", t->computation_ms);
    json_put_ms(o, "idle_time_ms", t->idle_ms);
    json_put_pct(o, "busy_time_percent", t->busy_pct);
    json_put_ms(o, "total_comm_time_ms", t->total_comm_ms);
    json_put_ms(o, "total_memcpy_time_ms", t->total_memcpy_ms);
}

/* ---- run and model
 * ------------------------------------------------------------------------ */

static struct str last_part(const char *path)
{
    struct str s = str_of(path);
    for (ptrdiff_t i = s.n; i > 0; i--)
        if (s.p[i - 1] == '/')
            return str_skip(s, i);
    return s;
}

static void put_run_config(struct pipeline_files *f, const struct pipeline_source *s)
{
    cJSON *o = pipeline_add(f, S("metadata/run_config.json"));
    json_put_text(o, "mode", S("standalone"));
    json_put_text(o, "trace", s->r->meta.trace_file);
    json_put_text_or_null(o, "platform", s->r->meta.platform);
    json_put_null(o, "reference_trace");
    json_put_null(o, "reference_platform");
    cJSON *extensions = json_put_array(o, "extensions");
    for (int k = 0; k < s->o->n_extensions; k++)
        json_push_text(extensions, last_part(s->o->extensions[k]));
    cJSON *options = json_put_object(o, "options");
    json_put_text(options, "formats", s->o->formats);
    json_put_bool(options, "include_unlinked", s->o->include_unlinked);
    json_put_bool(options, "detect_recompute", s->o->detect_recompute);
    json_put_pct(options, "idle_threshold_pct", s->o->idle_threshold_pct);
    json_put_text(options, "system_impact",
                  s->o->no_system_impact ? S("none") : S("range"));
    json_put_text(options, "fair_style", s->o->fair_style);
    json_put_bool(options, "markers", !s->o->no_markers);
    json_put_text(o, "version", s->r->meta.tool_version);
}

static void put_model_info(struct pipeline_files *f, const struct pipeline_source *s)
{
    const struct report_model *m = &s->r->model;
    cJSON *o = pipeline_add(f, S("metadata/model_info.json"));
    json_put_text(o, "model", m->model);
    json_put_text(o, "architecture", m->architecture);
    json_put_text(o, "scale", m->scale);
    json_put_text(o, "precision", m->precision);
}

struct pipeline_files pipeline_files_build(struct arena *perm, struct arena tmp,
                                           const struct pipeline_source *s)
{
    struct pipeline_files f = {.cap = FIRST_FILES, .perm = perm};
    f.at = arena_new(perm, struct pipeline_file, f.cap);
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
