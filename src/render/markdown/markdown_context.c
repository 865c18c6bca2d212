#include "render/markdown/markdown_context.h"

#include "analysis/model/work_facts.h"
#include "render/markdown/markdown_parts.h"

#include <math.h>
#include <stdio.h>

enum {
    TOP_ROWS = 15,
    LISTED_ROWS = 1000, /* of a category */
    FIRST_ROWS = 1,
    TOP_OPERATIONS = 5,
    FAIR_REMARKS = 2,
    SMALL_PCT = 5
};

static void put_row_efficiency(cJSON *o, const struct work_efficiency *e)
{
    double peak = e->bound == BOUND_COMPUTE ? e->peak_tflop_per_s : e->peak_tb_per_s;
    json_put(o, M("efficiency_pct", e->percent),
             M("peak_rate", peak > 0 && e->bound != BOUND_NONE ? peak : (double)NAN),
             context_word("bound", bound_word(e->bound)), F(e, flop_per_byte),
             F(e, tflop_per_s), F(e, tb_per_s),
             json_bool("peak_fallback", e->peak_fallback),
             json_bool("anomaly", e->anomaly),
             json_bool("warning", e->warning && !e->anomaly));
}

static void put_row(cJSON *o, const struct work_row *w)
{
    json_put(o, F(w, name), F(w, args), M("kernel", report_row_kernel(w)),
             M("launcher", w->launcher_path), M("type", report_row_type(w)),
             F(w, count), F(w, time_ms), F(w, mean_us), F(w, category_pct),
             F(w, compute_pct), F(w, total_pct), F(w, cov));
    put_row_efficiency(o, &w->efficiency);
    json_put(o, context_texts("patterns", w->patterns, w->n_patterns),
             M("other", work_text(w, "lowering_kernel")),
             M("other_pct", work_number(w, "lowering_pct")),
             M("label", work_category_display(w->category)));
}

static void put_rows(struct md *m, cJSON *o, const struct category_result *c)
{
    cJSON *list = json_put_array(o, "rows"), *top = json_put_array(o, "top_rows"),
          *first = json_put_array(o, "first_rows"),
          *unsteady = json_put_array(o, "unsteady");
    int missing = 0, anomalies = 0, hits = 0;
    double rest_ms = 0, unlisted_ms = 0;
    m->rows[c->category] = arena_new(m->tmp, cJSON *, c->n_rows);
    for (int i = 0; i < c->n_rows; i++) {
        const struct work_row *w = &c->rows[i];
        m->all[m->n_all++] = w;
        missing += !report_row_has_model(w);
        anomalies += w->efficiency.anomaly;
        hits += w->n_patterns;
        if (i >= LISTED_ROWS) {
            unlisted_ms += w->time_ms;
            rest_ms += w->time_ms;
            continue;
        }
        cJSON *row = m->rows[c->category][i] = context_push(list);
        put_row(row, w);
        if (i < FIRST_ROWS && !(c->compute_pct < SMALL_PCT))
            context_push_ref(first, row);
        if (i < TOP_ROWS)
            context_push_ref(top, row);
        else
            rest_ms += w->time_ms;
        if (w->high_variance)
            context_push_ref(unsteady, row);
    }
    json_put(o, json_bool("rows_table", c->n_rows > 0), M("row_count", c->n_rows),
             context_some("unlisted_rows", c->n_rows - LISTED_ROWS),
             M("unlisted_ms", unlisted_ms),
             context_some("more_rows", c->n_rows - TOP_ROWS),
             M("more_rows_ms", rest_ms), M("missing_models", missing),
             M("anomalies", anomalies), M("hit_count", hits));
}

static void put_call(cJSON *list, const struct report_call *c)
{
    enum { MOST_SIBLINGS = 12 };
    const struct tree_data *t = c->of;
    cJSON *siblings = json_list();
    for (int i = 0; i < t->n_siblings && i < MOST_SIBLINGS; i++)
        json_row(siblings, F(&t->siblings[i], name), F(&t->siblings[i], gpu_us));
    json_row(list, M("name", t->op_name), M("args", t->row ? t->row->args : S("")),
             M("uid", t->ex_uid), M("instances", t->instance_count),
             json_text("stack", c->stack), json_text("subtree", c->subtree),
             context_texts("modules", t->modules, t->n_modules),
             json_bool("has_modules", t->n_modules > 0),
             M("launcher", t->launcher_path), F(t, notes),
             context_listed("siblings", siblings, t->n_siblings - MOST_SIBLINGS));
}

/* Share of the time of all categories; NaN: it has none. */
static double kernel_pct(const struct report *r, enum work_category c)
{
    for (int k = 0; k < r->n_categories; k++)
        if (str_eq(r->categories[k].id, work_category_name(c)))
            return r->categories[k].share_pct;
    return (double)NAN;
}

static void put_section(struct md *m, cJSON *o, const struct report_section *s)
{
    const struct category_result *c = s->of;
    bool communication = c->category == WORK_COMMUNICATION,
         failed = c->status == ANALYSER_ERROR;
    double quantized = work_category_number(c, "quantized_count");
    json_put(o, context_word("is", work_category_name(c->category)),
             M("id", work_category_name(c->category)),
             M("label", work_category_display(c->category)));
    status_context(o, c->status, c->error);
    json_put(o, json_bool("empty", !failed && c->n_rows == 0),
             json_bool("filled", !failed && c->n_rows > 0), F(c, time_ms),
             F(c, compute_pct), M("kernel_pct", kernel_pct(m->r, c->category)),
             M("share_pct", communication ? c->total_pct : c->compute_pct),
             M("efficiency_pct", c->average_efficiency_pct),
             M("calls_count", (double)c->operation_count));
    put_rows(m, o, c);
    json_put(
        o, M("quantized", isfinite(quantized) ? quantized : 0),
        M("softmax_count", work_category_number(c, "softmax_count")),
        M("transpose_overhead_pct", work_category_number(c, "transpose_overhead_pct")));
    json_put(
        o, M("baseline_pct", work_category_number(c, "baseline_pct")),
        M("baseline_simple", work_category_number(c, "baseline_tbs_simple")),
        M("baseline_weighted", work_category_number(c, "baseline_tbs")),
        json_bool("baseline_assumed", work_category_number(c, "baseline_assumed") > 0),
        context_texts("notes", c->notes, c->n_notes),
        M("criterion_ms",
          failed || communication ? (double)NAN : bottleneck_ms(c->category)),
        json_bool("by_range", str_starts(work_category_name(c->category), S("sdpa"))));
    cJSON *calls = json_put_array(o, "calls");
    for (int i = 0; i < s->n_calls; i++)
        put_call(calls, &s->calls[i]);
    json_put(o, json_bool("has_calls", s->n_calls > 0));
}

static void put_top(cJSON *root, const struct analysis *a)
{
    double pct;
    const struct category_result *top = analysis_most_computed(a, &pct);
    if (!top) {
        json_put(root, json_null("top_category"));
        return;
    }
    json_put(json_put_object(root, "top_category"),
             M("label", work_category_display(top->category)), M("compute_pct", pct));
}

static cJSON *put_sections(struct md *m)
{
    cJSON *list = json_put_array(m->root, "categories");
    bool any_calls = false;
    int n = 0;
    for (int i = 0; i < m->d->n_sections; i++)
        n += m->d->sections[i].of->n_rows;
    m->all = arena_new(m->tmp, const struct work_row *, n);
    for (int i = 0; i < m->d->n_sections; i++) {
        cJSON *o = context_push(list);
        put_section(m, o, &m->d->sections[i]);
        any_calls |= m->d->sections[i].n_calls > 0;
    }
    json_put(m->root, json_bool("any_calls", any_calls));
    put_top(m->root, m->r->analysis);
    return list;
}

/* Findings need the rows, and sections the findings. */
static void put_findings_of_sections(const struct md *m, cJSON *sections)
{
    cJSON *o = sections->child;
    for (int i = 0; i < m->d->n_sections; i++, o = o->next) {
        cJSON *list = json_put_array(o, "findings");
        int n = 0;
        for (int k = 0; k < m->r->n_findings; k++) {
            const struct finding *f = m->r->findings[k].of;
            if (f->tier != TIER_COMPUTE ||
                f->category != m->d->sections[i].of->category)
                continue;
            context_push_ref(list, m->findings[k]);
            n++;
        }
        json_put(o, M("finding_count", n));
    }
}

static void put_meta(struct md *m)
{
    const struct report_meta *t = &m->r->meta;
    struct arena tmp = *m->tmp;
    cJSON *o = json_put_object(m->root, "meta");
    json_put(o, F(t, trace_file), F(t, n_events),
             json_bool("unnamed", m->r->n_measured == 0),
             json_bool("shapes", t->has_shapes), json_bool("frames", t->has_frames),
             json_bool("graphs", t->has_graphs), json_bool("steps", t->has_steps),
             json_bool("cpu_op", t->has_cpu_op), json_bool("gpu", t->has_gpu),
             M("command", str_printf(&tmp, "tracefolio analyze %.*s -p %.*s",
                                     STRF(t->trace_file.n ? t->trace_file : S("-")),
                                     STRF(t->platform.n ? t->platform : S("none")))));
    json_put(m->root, F(t, model),
             M("platform", t->platform.n ? t->platform : t->device_name));
    cJSON *a = json_put_object(m->root, "architecture");
    json_put(a, F(&m->r->model, model), F(&m->r->model, architecture),
             F(&m->r->model, scale), F(&m->r->model, precision));
}

/* What else takes a tenth of the time or more: the reader asks at once. */
static void put_elsewhere(cJSON *list, struct str what, double pct)
{
    if (!(pct >= 10))
        return;
    json_row(list, context_word("what", what), M("pct", pct));
}

/* Device work that no recorded call launched. */
static void put_apart(cJSON *root, const char *key, int64_t events, double ms,
                      bool included)
{
    if (events <= 0) {
        json_put(root, json_null(key));
        return;
    }
    json_put(json_put_object(root, key), M("events", (double)events), M("ms", ms),
             json_bool("included", included));
}

static void put_timeline(struct md *m)
{
    const struct report_timeline *t = &m->r->timeline;
    cJSON *o = timeline_context(m->root, m->r);
    json_put(o, json_bool("above_95", t->computation_pct > 95),
             json_bool("computes_95", t->computation_pct >= 95),
             json_bool("comm_5", t->exposed_comm_pct > 5),
             json_bool("copies_2", t->exposed_memcpy_pct > 2),
             json_bool("idle_20", t->idle_pct > 20),
             json_bool("idle_50", t->idle_pct > 50),
             json_bool("healthy", t->computation_pct >= 80 &&
                                      t->exposed_comm_pct + t->exposed_memcpy_pct < 5));
    cJSON *elsewhere = json_put_array(m->root, "elsewhere");
    put_elsewhere(elsewhere, S("comm"), t->exposed_comm_pct);
    put_elsewhere(elsewhere, S("copies"), t->exposed_memcpy_pct);
    put_elsewhere(elsewhere, S("wait"), t->idle_pct);
    put_apart(m->root, "unlinked", t->unlinked_events, t->unlinked_ms,
              t->unlinked_included);
    put_apart(m->root, "backlog", t->backlog_events, t->backlog_ms,
              t->backlog_included);
}

static double peak_of(const struct report_device *d, struct str spec)
{
    for (int i = 0; i < d->n_peaks; i++)
        if (str_eq(d->peaks[i].spec, spec))
            return d->peaks[i].tflop_per_s;
    return (double)NAN;
}

static double if_known(double v)
{
    return v > 0 ? v : (double)NAN;
}

static void put_device(struct md *m)
{
    const struct report_device *d = &m->r->device;
    cJSON *o = json_put_object(m->root, "device"), *list = json_put_array(o, "peaks");
    json_put(o, json_bool("known", d->known), F(d, name),
             M("memory_tb_per_s", if_known(d->memory_tb_per_s)),
             M("memory_gb", if_known(d->memory_gb)),
             M("bf16", peak_of(d, S("matrix_bf16"))),
             M("fp8", peak_of(d, S("matrix_fp8"))),
             M("fp4", peak_of(d, S("matrix_fp4"))), json_opt("peaks_are", d->peaks_are),
             json_opt("misfit", d->misfit), M("sheet_bf16", d->sheet_bf16_tflop_per_s));
    for (int i = 0; i < d->n_peaks; i++)
        json_row(list, F(&d->peaks[i], spec), F(&d->peaks[i], tflop_per_s));
}

/* The fair report has keys of its own: its context is {fair: {}} within the others'. */
static void put_operations(struct md *m)
{
    cJSON *fair = json_put_object(m->root, "fair");
    cJSON *list = json_put_array(m->root, "operations"),
          *first = json_put_array(fair, "operations");
    json_put(json_put_object(m->root, "standalone"), json_bool("all_peaks", true));
    for (int i = 0; i < m->r->n_top; i++) {
        const struct top_operation *op = m->r->top[i].of;
        cJSON *o =
            json_row(list, F(op, rank), F(op, name),
                     M("category", work_category_display(op->category)),
                     json_bool("mixed", op->mixed), F(op, time_ms), F(op, compute_pct));
        if (i < TOP_OPERATIONS)
            context_push_ref(first, o);
    }
}

/* Some labels are keys of the trace, "CUDA runtime version": those are quoted. */
static void put_measured(struct md *m)
{
    cJSON *list = json_put_array(m->root, "measured"),
          *sheets = json_put_array(m->root, "sheets"),
          *checks = json_put_array(m->root, "checks");
    for (int i = 0; i < m->r->n_measured; i++) {
        const struct report_fact *f = &m->r->measured[i];
        json_row(list,
                 json_bool("quoted",
                           str_has(f->label, S("CUDA")) || str_has(f->label, S("HIP"))),
                 F(f, label), F(f, value), F(f, origin));
    }
    for (ptrdiff_t i = 0; i < m->r->n_tables; i++)
        json_row(sheets, F(&m->r->tables[i], name),
                 M("rows", (double)m->r->tables[i].n_rows));
    for (int i = 0; i < m->r->n_checks; i++)
        json_row(checks, F(&m->r->checks[i], name),
                 context_word("result", check_result_word(m->r->checks[i].result)),
                 F(&m->r->checks[i], value));
}

static void put_priorities(struct md *m)
{
    cJSON *list = json_put_array(m->root, "priorities");
    for (int i = 0; i < m->d->n_priorities; i++) {
        const struct report_priority_row *p = &m->d->priorities[i];
        const struct report_section *s = NULL;
        for (int k = 0; k < m->d->n_sections; k++)
            if (m->d->sections[k].of->category == p->category)
                s = &m->d->sections[k];
        cJSON *o =
            json_row(list, F(p, rank), M("label", work_category_display(p->category)),
                     M("time_ms", s ? s->of->time_ms : (double)NAN),
                     M("compute_pct", s ? s->of->compute_pct : (double)NAN),
                     json_bool("of_compute", s != NULL), F(p, low_pct), F(p, high_pct));
        json_put(
            o, md_impact(&(struct impact_range){p->low_pct, p->high_pct, 0, 0, S("")}));
    }
}

static bool is_system(struct str source)
{
    return str_eq(source, S("cpu_idle")) || str_eq(source, S("multi_kernel")) ||
           str_eq(source, S("kernel_fusion")) || str_eq(source, S("communication"));
}

/* The fair report opens with the device that does not fit. */
static bool is_said_above(const struct md *m, const cJSON *remark)
{
    const char *text = cJSON_GetObjectItemCaseSensitive(remark, "text")->valuestring;
    return m->r->device.misfit.n && str_starts(str_of(text), m->r->device.misfit);
}

static void put_warnings(struct md *m)
{
    cJSON *failures = json_list(), *unsteady = json_list(), *remarks = json_list();
    for (int i = 0; i < m->n_all; i++)
        if (m->all[i]->high_variance)
            context_push_ref(unsteady, md_row(m, m->all[i]));
    bool varies = unsteady->child != NULL;
    for (int i = 0; i < m->r->n_warning_list; i++) {
        const struct report_warning *w = &m->r->warnings[i];
        /* What varies is in the table. */
        if (!w->failure && varies && str_eq(w->source, S("spread")))
            continue;
        json_push(w->failure ? failures : remarks,
                  json_object(F(w, source), json_bool("system", is_system(w->source)),
                              F(w, text)));
    }
    cJSON *first = json_list();
    int n = 0;
    for (const cJSON *w = remarks->child; w && n < FAIR_REMARKS; w = w->next, n++)
        if (!is_said_above(m, w))
            context_push_ref(first, w);
    json_put(cJSON_GetObjectItemCaseSensitive(m->root, "fair"),
             context_listed("remarks", first, cJSON_GetArraySize(remarks) - n));
    json_put(m->root, context_listed("failures", failures, 0),
             context_listed("unsteady_rows", unsteady, 0),
             context_listed("remarks", remarks, 0),
             json_bool("warned", varies || m->r->n_warning_list > 0));
}

static bool could_be_replayed(const struct report_finding *f)
{
    return f->of->replay_recommended && !f->kit.n && !f->no_kit.n;
}

/* The rows of one reason are one line: that of the first. */
static void put_refused(struct md *m)
{
    cJSON *list = json_list();
    for (int i = 0; i < m->r->n_no_kits; i++) {
        const struct report_no_kit *k = &m->r->no_kits[i];
        int n = 0;
        bool told = false;
        for (int j = 0; j < m->r->n_no_kits && !told; j++) {
            bool same = str_eq(m->r->no_kits[j].reason, k->reason);
            told = same && j < i;
            n += same;
        }
        if (told)
            continue;
        json_row(list, F(k, name), context_some("more", n - 1), F(k, reason));
    }
    json_put(m->root, context_listed("refused", list, 0));
}

static void put_replays(struct md *m)
{
    double compute = m->r->timeline.computation_ms;
    struct str folder = S("replay_packages/");
    cJSON *packages = json_put_array(m->root, "packages");
    json_put(m->root, context_some("packages_count", m->r->n_kits));
    for (int i = 0; i < m->r->n_kits; i++) {
        const struct report_kit *k = &m->r->kits[i];
        bool inside = str_starts(k->file, folder);
        json_row(packages, M("file", inside ? str_skip(k->file, folder.n) : k->file),
                 F(k, sets), F(k, time_ms),
                 M("compute_pct", compute > 0 ? 100 * k->time_ms / compute : 0));
    }
    cJSON *recommended = json_list();
    for (int i = 0; i < m->r->n_findings; i++)
        if (could_be_replayed(&m->r->findings[i]) &&
            m->r->findings[i].of->priority >= PRIORITY_HIGH)
            context_push_ref(recommended, m->findings[i]);
    json_put(m->root, context_listed("recommended", recommended, 0));
    put_refused(m);
}

static void put_row_gaps(struct md *m)
{
    cJSON *lowering = json_put_array(m->root, "lowering"), *unmodelled = json_list();
    int fallback = 0;
    for (int i = 0; i < m->n_all; i++) {
        const struct work_row *w = m->all[i];
        if (md_row(m, w) && work_text(w, "lowering_kernel").n)
            context_push_ref(lowering, md_row(m, w));
        if (md_row(m, w) && !report_row_has_model(w) &&
            w->category != WORK_COMMUNICATION && w->compute_pct >= 0.1)
            context_push_ref(unmodelled, md_row(m, w));
        fallback += w->efficiency.peak_fallback;
    }
    json_put(m->root, context_listed("unmodelled", unmodelled, 0),
             context_some("fallback_rows", fallback));
}

/* One question for all operations of which the kernels' names tell nothing. */
static void put_unknown_kinds(const struct md *m, cJSON *q)
{
    enum { NAMED = 6 };
    struct str seen[NAMED];
    cJSON *list = json_list();
    int n = 0, more = 0;
    for (int i = 0; i < m->n_all; i++) {
        const struct work_row *w = m->all[i];
        bool known = !(w->compute_pct >= 1 &&
                       str_eq_nocase(work_text(w, "kernel_label"), S("unknown")));
        for (int s = 0; s < n && !known; s++)
            known = str_eq(seen[s], w->name);
        if (known || n == NAMED) {
            more += !known;
            continue;
        }
        seen[n++] = w->name;
        json_row(list, M("name", w->name));
    }
    json_put(q, context_listed("unknown", list, more));
}

/* Whether slow launch calls are those of a cold process. */
static void put_launch_question(const struct md *m, cJSON *q)
{
    const struct idle_result *idle = &m->system->idle;
    double longest_us = (double)NAN;
    for (int i = 0; i < idle->n_top_gaps; i++) {
        const struct idle_gap *g = &idle->top_gaps[i];
        if (g->duration_us > 1000 && g->class == IDLE_LAUNCH)
            longest_us = fmax(longest_us, g->duration_us);
    }
    json_put(q, M("launch_ms", longest_us / 1000));
}

/* One question for all operations that could have a package. */
static void put_replay_question(const struct md *m, cJSON *q)
{
    enum { NAMED = 5 };
    cJSON *list = json_list();
    int n = 0;
    for (int i = 0; i < m->r->n_findings; i++) {
        struct str name = m->r->findings[i].of->op;
        bool known = !could_be_replayed(&m->r->findings[i]);
        for (int k = 0; k < i && !known; k++)
            known = str_eq(m->r->findings[k].of->op, name);
        if (!known && n++ < NAMED)
            json_row(list, M("name", name));
    }
    json_put(q, context_listed("replay", list, n - NAMED));
}

static void put_questions(struct md *m)
{
    cJSON *q = json_put_object(m->root, "questions");
    cJSON *unsteady = json_put_array(q, "unsteady"),
          *slower = json_put_array(q, "slower");
    bool experts = false;
    for (int i = 0; i < m->n_all; i++) {
        const struct work_row *w = m->all[i];
        if (md_row(m, w) && (w->high_variance || w->efficiency.anomaly))
            context_push_ref(unsteady, md_row(m, w));
        if (work_text(w, "lowering_kernel").n && !(w->compute_pct < 1))
            context_push_ref(slower, md_row(m, w));
        experts |= w->category == WORK_MOE_FUSED;
    }
    put_unknown_kinds(m, q);
    put_launch_question(m, q);
    json_put(q, json_bool("experts", experts));
    put_replay_question(m, q);
    bool none = true;
    for (const cJSON *one = q->child; one; one = one->next)
        none = none && (one->child == NULL && !cJSON_IsTrue(one) &&
                        !(cJSON_IsNumber(one) && isfinite(one->valuedouble)));
    json_put(q, json_bool("none", none));
}

static void put_charts(struct md *m, const struct report_charts *charts)
{
    cJSON *fair = cJSON_GetObjectItemCaseSensitive(m->root, "fair"),
          *list = json_put_array(fair, "charts");
    for (int i = 0; i < charts->n; i++)
        json_row(list, F(&charts->at[i], caption), F(&charts->at[i], file));
}

static void put_part(cJSON *list, enum work_category c, const cJSON *section)
{
    char anchor[80];
    cJSON *o = context_push(list);
    snprintf(anchor, sizeof anchor, "detailed-%d-%s", cJSON_GetArraySize(list),
             work_category_name(c).p);
    json_put(o, M("h", S("####")), M("category", work_category_name(c)),
             M("anchor", str_of(anchor)), context_word("is", work_category_name(c)),
             context_ref("section", section));
}

static bool has_finding(const struct md *m, enum work_category c)
{
    for (int i = 0; i < m->r->n_findings; i++)
        if (m->a->findings[i].category == c)
            return true;
    return false;
}

/* Of the fair report: a small category only if something is found in it. */
static cJSON *put_parts(struct md *m, const cJSON *sections)
{
    const double LITTLE_PCT = 2;
    const struct system_results *s = m->system;
    cJSON *list = json_put_array(m->root, "parts");
    if (m->r->timeline.total_ms > 0)
        put_part(list, WORK_CPU_IDLE, NULL);
    if (report_has_multi_kernel(m->a))
        put_part(list, WORK_MULTI_KERNEL, NULL);
    if (s->fusion.n_accepted > 0 || s->fusion.status == ANALYSER_ERROR)
        put_part(list, WORK_KERNEL_FUSION, NULL);
    const cJSON *node = sections->child;
    for (int i = 0; i < m->d->n_sections; i++, node = node->next) {
        const struct category_result *c = m->d->sections[i].of;
        if ((c->n_rows > 0 &&
             (!(c->compute_pct < LITTLE_PCT) || has_finding(m, c->category))) ||
            c->status == ANALYSER_ERROR)
            put_part(list, c->category, node);
    }
    return list;
}

struct cJSON *markdown_context(struct arena tmp, const struct report *r,
                               const struct report_charts *charts,
                               const struct markdown_style *style)
{
    struct md m = {.tmp = &tmp,
                   .r = r,
                   .d = r->detail,
                   .a = r->analysis,
                   .system = report_system(r),
                   .style = style,
                   .root = cJSON_CreateObject()};
    json_put(m.root, M("h", S("##")), json_bool("markers", !style->no_markers),
             json_bool("by_number", style->by_number), F(style, stamp),
             M("attention", m.d->attention_use));
    put_meta(&m);
    put_timeline(&m);
    put_device(&m);
    put_operations(&m);
    put_measured(&m);
    cJSON *sections = put_sections(&m);
    md_findings(&m);
    put_findings_of_sections(&m, sections);
    system_context(m.root, r);
    md_fusion(&m);
    put_priorities(&m);
    md_recommendations(&m, put_parts(&m, sections));
    put_warnings(&m);
    put_replays(&m);
    put_row_gaps(&m);
    put_questions(&m);
    put_charts(&m, charts);
    return m.root;
}
