/* What was traced, when and with what: the head of every document, and the list of
 * measurements. */
#include "report/report_parts.h"

#include "base/machine.h"
#include "ops/trace_facts.h"
#include "perf/device_fit.h"

#include <math.h>

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

/* A profiler's clock counts from a base that it records, or in old traces from 1970. */
static struct str capture_time(struct arena *a, const struct trace_facts *f,
                               const struct machine *m)
{
    static const double from_s = 1262304000, to_s = 4102444800; /* years 2010 to 2100 */
    if (!f->has_events)
        return S("not recorded");
    double at_s = floor(m->base_ns / 1e9 + (double)f->first_ns / 1e9);
    if (!(at_s >= from_s && at_s < to_s))
        return S("not recorded");
    return utc_text(a, (int64_t)at_s);
}

void report_meta_fill(const struct report_source *s, struct report *r)
{
    const struct trace_facts *f = &s->t->facts;
    struct report_meta *m = &r->meta;
    struct str file = last_part(s->o->trace_path);
    bool is_stdin = str_eq(s->o->trace_path, S("-"));
    m->trace_file = is_stdin ? S("standard input") : file;
    m->run_label = s->o->run_label.n ? s->o->run_label
                   : is_stdin        ? m->trace_file
                                     : without_endings(file);
    m->share_level = s->o->share_level.n ? s->o->share_level : S("internal");
    m->tool_version = s->o->tool_version;
    m->report_id = s->o->report_id;
    m->input_digest = s->o->input_digest;
    m->platform = r->device.known ? r->device.name : S("");
    m->vendor = f->kind.vendor;
    m->device_name = trace_device_name(f);
    if (!m->device_name.n)
        m->device_name = m->vendor;
    m->captured = capture_time(s->perm, f, f->machine ? f->machine : &no_machine);
    m->n_events = f->n_events;
    m->trace_bytes = f->trace_bytes;
    m->model = s->o->model.n ? s->o->model
               : str_eq(r->model.model, S("Cannot be inferred from trace"))
                   ? S("Workload")
                   : r->model.model;
    m->has_shapes = f->has_shapes;
    m->shapes_hidden = f->shapes_hidden;
    m->how = f->abilities;
    m->has_frames = f->has_frames;
    m->names_callers = f->names_callers;
    m->has_graphs = f->graph_launches > 0;
    m->has_steps = f->steps.source != STEPS_NONE && f->steps.source != STEPS_PERIOD;
    m->n_steps = m->has_steps ? f->step_ms.n : 0;
    m->has_cpu_op = f->has_cpu_op;
    m->has_gpu = f->n_device > 0;
}

enum { MAX_FACTS = 24 };

static void add_fact(struct report *r, const char *label, struct str value,
                     const char *origin)
{
    if (value.n && r->n_measured < MAX_FACTS)
        r->measured[r->n_measured++] =
            (struct report_fact){str_of(label), value, str_of(origin)};
}

static void add_machine_facts(struct arena *perm, const struct machine *m,
                              struct report *r)
{
    for (int i = 0; m && i < m->n_versions; i++)
        if (r->n_measured < MAX_FACTS)
            r->measured[r->n_measured++] = (struct report_fact){
                m->versions[i].what, m->versions[i].text, S("recorded")};
    if (m && m->rank >= 0 && m->world_size >= 0)
        add_fact(r, "Rank", str_printf(perm, "%d of %d", m->rank, m->world_size),
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
    const struct trace_facts *f = &s->t->facts;
    const struct report_meta *m = &r->meta;
    struct arena *perm = s->perm;
    r->measured = arena_new(perm, struct report_fact, MAX_FACTS);
    add_fact(r, "Trace", m->trace_file, "recorded");
    if (!str_eq(m->captured, S("not recorded")))
        add_fact(r, "Captured", m->captured, "recorded");
    add_fact(r, "Device", m->device_name, "recorded");
    struct traced_device recorded = trace_device(f->machine);
    add_fact(r, "Held against", m->platform,
             !s->o->platform_found        ? "given by the user"
             : device_is_named(&recorded) ? "found by the trace's device"
                                          : "found by units and memory of the device");
    add_model_facts(s, r);
    add_fact(r, "Events", str_printf(perm, "%lld", (long long)m->n_events), "recorded");
    add_fact(r, "Device events", str_printf(perm, "%d", (int)f->n_device), "recorded");
    if (m->n_steps)
        add_fact(r, "Steps", str_printf(perm, "%lld", (long long)m->n_steps),
                 "recorded");
    add_machine_facts(perm, f->machine, r);
}
