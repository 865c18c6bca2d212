/* What was traced, when and with what: the head of every document, and the list of what
 * was measured. */
#include "report/report_parts.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

/* ---- names and dates
 * ------------------------------------------------------------------ */

static struct str last_part(struct str path)
{
    for (ptrdiff_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/')
            return str_skip(path, i);
    return path;
}

/* "resnet" of "resnet.pt.trace.json.gz". */
static struct str without_endings(struct str name)
{
    static const struct str endings[] = {S_INIT(".gz"), S_INIT(".json"),
                                         S_INIT(".trace"), S_INIT(".pt")};
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (name.n > endings[k].n && str_ends(name, endings[k]))
            name = str_head(name, name.n - endings[k].n);
    return name;
}

/* Seconds since 1970 as "2025-07-27 10:11:12 UTC"; the days by Hinnant,
 * "chrono-Compatible Low-Level Date Algorithms", which counts years from March. */
static struct str utc_text(struct arena *a, int64_t seconds)
{
    int64_t days = seconds / 86400 + 719468, of_day = seconds % 86400;
    int64_t era = days / 146097, doe = days % 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    int day = (int)(doy - (153 * mp + 2) / 5 + 1),
        month = (int)(mp < 10 ? mp + 3 : mp - 9);
    int year = (int)(yoe + era * 400 + (month <= 2));
    return str_printf(a, "%04d-%02d-%02d %02d:%02d:%02d UTC", year, month, day,
                      (int)(of_day / 3600), (int)(of_day / 60 % 60),
                      (int)(of_day % 60));
}

/* A profiler's clock counts from `baseTimeNanoseconds`, or in old traces from 1970. */
static struct str capture_time(struct arena *a, const struct event_store *s,
                               const cJSON *header)
{
    static const double from_s = 1262304000, to_s = 4102444800; /* years 2010 to 2100 */
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(header, "baseTimeNanoseconds");
    int64_t first = INT64_MAX;
    for (event_id i = 0; i < s->n; i++)
        if (s->start_ns[i] < first)
            first = s->start_ns[i];
    if (!s->n)
        return S("not recorded");
    double base_s = cJSON_IsNumber(base) ? base->valuedouble / 1e9 : 0.0;
    double at_s = floor(base_s + (double)first / 1e9);
    if (!(at_s >= from_s && at_s < to_s))
        return S("not recorded");
    return utc_text(a, (int64_t)at_s);
}

/* ---- what the trace has
 * ------------------------------------------------------------------ */

static void fill_presence(const struct report_source *s, struct arena tmp,
                          struct report_meta *m)
{
    const struct event_store *e = s->t->view->s;
    enum { GRAPH = 1, STEP = 2 };
    uint8_t *says = arena_new(&tmp, uint8_t, e->names.n);
    for (name_id i = 0; i < e->names.n; i++)
        says[i] = (launch_is_graph(e->names.name[i]) ? GRAPH : 0) |
                  (str_starts(e->names.name[i], S("ProfilerStep#")) ? STEP : 0);
    for (event_id i = 0; i < e->n; i++) {
        if (e->name[i] < 0)
            continue;
        m->has_graphs |= cat_is_runtime(e->cat[i]) && says[e->name[i]] & GRAPH;
        m->has_steps |= e->cat[i] == CAT_ANNOTATION && says[e->name[i]] & STEP;
    }
    for (int32_t i = 0; i < e->n_texts && !m->has_shapes; i++)
        m->has_shapes = e->texts[i].dims >= 0;
    m->has_frames = e->census.by_cat[CAT_PYTHON] > 0;
    m->has_cpu_op = s->t->view->has_cpu_op;
    m->has_gpu = s->t->view->launch.n_all > 0;
}

static struct str header_text(struct arena *a, const cJSON *object, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
    return str_copy(a, str_of(cJSON_GetStringValue(v)));
}

static cJSON *parse_header(const struct event_store *s)
{
    return cJSON_ParseWithLength(s->header.p, (size_t)s->header.n);
}

void report_meta_fill(const struct report_source *s, struct arena tmp, struct report *r)
{
    const struct event_store *e = s->t->view->s;
    struct report_meta *m = &r->meta;
    struct str file = last_part(s->o->trace_path);
    bool is_stdin = str_eq(s->o->trace_path, S("-"));
    cJSON *header = parse_header(e);
    const cJSON *devices = cJSON_GetObjectItemCaseSensitive(header, "deviceProperties");
    m->trace_file = is_stdin ? S("standard input") : file;
    m->run_label = s->o->run_label.n ? s->o->run_label
                   : is_stdin        ? m->trace_file
                                     : without_endings(file);
    m->tool_version = s->o->tool_version;
    m->report_id = s->o->report_id;
    m->input_digest = s->o->input_digest;
    m->platform = r->device.known ? r->device.name : S("");
    m->device_name = header_text(s->perm, cJSON_GetArrayItem(devices, 0), "name");
    m->captured = capture_time(s->perm, e, header);
    m->n_events = e->census.n_events;
    m->trace_bytes = e->trace_bytes;
    m->model = s->o->model.n ? s->o->model
               : str_eq(r->model.model, S("Cannot be inferred from trace"))
                   ? S("Workload")
                   : r->model.model;
    fill_presence(s, tmp, m);
    cJSON_Delete(header);
}

/* ---- what was measured
 * -------------------------------------------------------------------- */

enum { MAX_FACTS = 24 };

static void add_fact(struct report *r, const char *label, struct str value,
                     const char *origin)
{
    if (value.n && r->n_measured < MAX_FACTS)
        r->measured[r->n_measured++] =
            (struct report_fact){str_of(label), value, str_of(origin)};
}

static int64_t count_steps(const struct event_store *s)
{
    int64_t n = 0;
    for (event_id i = 0; i < s->n; i++)
        n += s->cat[i] == CAT_ANNOTATION &&
             str_starts(store_name(s, i), S("ProfilerStep#"));
    return n;
}

static void add_header_facts(struct arena *perm, const cJSON *header, struct report *r)
{
    static const struct {
        const char *key, *label;
    } versions[] = {{"cuda_runtime_version", "CUDA runtime version"},
                    {"cuda_driver_version", "CUDA driver version"},
                    {"hip_runtime_version", "HIP runtime version"},
                    {"hip_driver_version", "HIP driver version"},
                    {"cupti_version", "CUPTI version"},
                    {"roctracer_version", "Tracer version"}};
    for (size_t k = 0; k < sizeof versions / sizeof *versions; k++) {
        const cJSON *v = cJSON_GetObjectItemCaseSensitive(header, versions[k].key);
        struct str text = header_text(perm, header, versions[k].key);
        if (cJSON_IsNumber(v) && fabs(v->valuedouble) < 1e15)
            text = str_printf(perm, "%.15g", v->valuedouble);
        add_fact(r, versions[k].label, text, "recorded");
    }
    const cJSON *job = cJSON_GetObjectItemCaseSensitive(header, "distributedInfo");
    const cJSON *rank = cJSON_GetObjectItemCaseSensitive(job, "rank");
    const cJSON *world = cJSON_GetObjectItemCaseSensitive(job, "world_size");
    if (cJSON_IsNumber(rank) && cJSON_IsNumber(world))
        add_fact(r, "Rank",
                 str_printf(perm, "%d of %d", rank->valueint, world->valueint),
                 "recorded");
}

static void add_model_facts(const struct report_source *s, struct report *r)
{
    const struct report_model *m = &r->model;
    const struct {
        const char *label;
        struct str value;
    } rows[] = {{"Architecture", m->architecture},
                {"Scale", m->scale},
                {"Precision", m->precision}};
    if (s->o->model.n)
        add_fact(r, "Model", s->o->model, "given by the user");
    else if (!str_eq(r->meta.model, S("Workload")))
        add_fact(r, "Model", r->meta.model, "inferred");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!str_eq(rows[k].value, S("Cannot be inferred from trace")))
            add_fact(r, rows[k].label, rows[k].value, "inferred");
}

void report_measured_fill(const struct report_source *s, struct report *r)
{
    const struct event_store *e = s->t->view->s;
    const struct report_meta *m = &r->meta;
    struct arena *perm = s->perm;
    cJSON *header = parse_header(e);
    r->measured = arena_new(perm, struct report_fact, MAX_FACTS);
    add_fact(r, "Trace", m->trace_file, "recorded");
    add_fact(r, "Captured", m->captured, "recorded");
    add_fact(r, "Device", m->device_name, "recorded");
    add_fact(r, "Held against", m->platform, "given by the user");
    add_model_facts(s, r);
    add_fact(r, "Events", str_printf(perm, "%lld", (long long)m->n_events), "recorded");
    add_fact(r, "Device events", str_printf(perm, "%d", (int)s->t->view->launch.n_all),
             "recorded");
    if (m->has_steps)
        add_fact(r, "Steps", str_printf(perm, "%lld", (long long)count_steps(e)),
                 "recorded");
    add_header_facts(perm, header, r);
    cJSON_Delete(header);
}
