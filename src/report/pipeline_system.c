/* The system tier as data: idle time, copies and communication. */
#include "report/pipeline_parts.h"

#include "analysis/system_results.h"
#include "base/arena.h"
#include "report/report_numbers.h"

#include <math.h>

/* Severities rate different things, and nothing to complain of has a name of its own.
 */
static struct str word(enum severity s, const char *none)
{
    return s == SEVERITY_NONE ? str_of(none) : severity_word(s);
}

static bool is_flagged(enum severity s)
{
    return s != SEVERITY_NONE && s != SEVERITY_UNKNOWN;
}

/* ---- multi_kernel_data.json
 * ------------------------------------------------------------------ */

static void put_copies(cJSON *o, const struct multi_kernel_result *m)
{
    cJSON *summary = json_put_object(o, "memcpy_summary");
    int64_t count = 0;
    double total_us = 0.0;
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        count += m->copies[d].count;
        total_us += m->copies[d].total_us;
    }
    json_put_count(summary, "total_count", count);
    json_put_us(summary, "total_time_us", total_us);
    cJSON *by = json_put_object(summary, "by_direction");
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        static const char *const names[] = {[COPY_D2H] = "D2H",
                                            [COPY_H2D] = "H2D",
                                            [COPY_D2D] = "D2D",
                                            [COPY_OTHER] = "other"};
        const struct copy_result *c = &m->copies[d];
        if (!c->count)
            continue;
        bool sized = c->bytes >= 0;
        cJSON *row = json_put_object(by, names[d]);
        json_put_count(row, "count", c->count);
        json_put_us(row, "total_time_us", c->total_us);
        json_put_us(row, "avg_time_us", c->total_us / (double)c->count);
        json_put_us(row, "max_time_us", c->max_us);
        json_put_number(row, "total_bytes", sized ? (double)c->bytes : (double)NAN, 0);
        json_put_number(row, "avg_bytes",
                        sized ? (double)c->bytes / (double)c->count : (double)NAN, 2);
    }
}

static void put_communication(cJSON *o, const struct multi_kernel_result *m)
{
    cJSON *summary = json_put_object(o, "nccl_summary");
    json_put_count(summary, "total_count", m->comm_count);
    json_put_us(summary, "total_time_us", m->comm_total_us);
    json_put_us(summary, "avg_time_us",
                m->comm_count ? m->comm_total_us / (double)m->comm_count : 0.0);
    json_put_us(summary, "max_time_us", m->comm_max_us);
    cJSON *top = json_put_array(summary, "top_ops");
    for (int k = 0; k < m->n_top_comm; k++) {
        cJSON *row = json_push_object(top);
        json_put_text(row, "name", m->top_comm[k].name);
        json_put_us(row, "duration_us", m->top_comm[k].duration_us);
        json_put_count(row, "stream", m->top_comm[k].stream);
    }
}

static double percent_of(double part, double whole)
{
    return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

static void put_overlap(cJSON *o, const struct report_timeline *t,
                        const struct multi_kernel_result *m)
{
    cJSON *x = json_put_object(o, "overlap_analysis");
    json_put_us(x, "total_time_us", t->total_ms * 1e3);
    json_put_us(x, "computation_time_us", t->computation_ms * 1e3);
    json_put_us(x, "total_comm_time_us", t->total_comm_ms * 1e3);
    json_put_us(x, "exposed_comm_time_us", t->exposed_comm_ms * 1e3);
    json_put_us(x, "total_memcpy_time_us", t->total_memcpy_ms * 1e3);
    json_put_us(x, "exposed_memcpy_time_us", t->exposed_memcpy_ms * 1e3);
    json_put_number(x, "comm_overlap_ratio", m->comm_overlap_frac, 4);
    json_put_number(x, "memcpy_overlap_ratio", m->memcpy_overlap_frac, 4);
    json_put_pct(x, "comm_percent_of_total",
                 percent_of(t->exposed_comm_ms, t->total_ms));
    json_put_pct(x, "memcpy_percent_of_total",
                 percent_of(t->exposed_memcpy_ms, t->total_ms));
}

static void put_collectives(cJSON *o, const struct collective_table *t)
{
    enum { KEY_NAME = 2, KEY_DTYPE = 4 }; /* in collective_keys */
    cJSON *list = json_put_array(o, "collectives");
    for (int32_t k = 0; k < t->n; k++) {
        const struct collective_row *c = &t->rows[k];
        cJSON *row = json_push_object(list);
        json_put_text(row, "name", c->key[KEY_NAME]);
        json_put_text(row, "dtype", c->key[KEY_DTYPE]);
        json_put_number(row, "message_mb", c->in_mib, 4);
        json_put_count(row, "count", c->us.n);
        json_put_us(row, "time_us", c->us.sum);
    }
}

static void put_multi_kernel_data(struct pipeline_files *f,
                                  const struct pipeline_source *s)
{
    const struct multi_kernel_result *m = &s->a->system->multi_kernel;
    cJSON *o = pipeline_add(f, S("category_data/multi_kernel_data.json"));
    put_copies(o, m);
    put_communication(o, m);
    put_overlap(o, &s->r->timeline, m);
    json_put_count(o, "unlinked_kernel_count", m->unlinked_count);
    json_put_us(o, "unlinked_kernel_time_us", m->unlinked_us);
    put_collectives(o, &s->t->collectives);
}

/* ---- multi_kernel_metrics.json
 * ------------------------------------------------------------------ */

static void put_copy_issue(cJSON *list, struct arena *scratch, struct str direction,
                           const struct copy_result *c, double total_ms)
{
    double ms = c->total_us / 1e3, pct = percent_of(ms, total_ms);
    cJSON *o = json_push_object(list);
    json_put_text(o, "direction", direction);
    json_put_count(o, "count", c->count);
    json_put_ms(o, "time_ms", ms);
    json_put_pct(o, "percent_of_total", pct);
    json_put_number(o, "avg_bytes",
                    c->bytes >= 0 ? (double)c->bytes / (double)c->count : (double)NAN,
                    2);
    json_put_text(o, "severity", word(c->severity, "NONE"));
    json_put_text(o, "time_severity", word(c->time_severity, "NONE"));
    json_put_text(o, "count_severity", word(c->count_severity, "NONE"));
    json_put_bool(o, "flagged", is_flagged(c->severity));
    json_put_text(
        o, "description",
        str_printf(scratch, "%lld copies %.*s take %.*s ms, %.*s %% of total time",
                   (long long)c->count, STRF(direction), STRF(number_ms(scratch, ms)),
                   STRF(number_pct(scratch, pct))));
}

static void put_memcpy_assessment(cJSON *o, struct arena *scratch,
                                  const struct report_timeline *t,
                                  const struct multi_kernel_result *m)
{
    static const struct str names[] = {[COPY_D2H] = S_INIT("D2H"),
                                       [COPY_H2D] = S_INIT("H2D"),
                                       [COPY_D2D] = S_INIT("D2D"),
                                       [COPY_OTHER] = S_INIT("other")};
    cJSON *x = json_put_object(o, "memcpy_assessment");
    int64_t count = 0;
    double us = 0.0;
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        count += m->copies[d].count;
        us += m->copies[d].total_us;
    }
    json_put_text(x, "severity", word(m->memcpy_severity, "NONE"));
    json_put_bool(x, "flagged", is_flagged(m->memcpy_severity));
    json_put_count(x, "total_count", count);
    json_put_ms(x, "total_time_ms", us / 1e3);
    json_put_pct(x, "percent_of_total", percent_of(us / 1e3, t->total_ms));
    cJSON *issues = json_put_array(x, "issues");
    for (int d = 0; d < COPY_DIRECTIONS; d++)
        if (m->copies[d].count)
            put_copy_issue(issues, scratch, names[d], &m->copies[d], t->total_ms);
}

static struct str blocking_words(enum severity s)
{
    static const char *const words[] = {
        [SEVERITY_NONE] = "Communication is well hidden behind computation",
        [SEVERITY_LOW] = "Exposed communication is minor",
        [SEVERITY_MEDIUM] = "Exposed communication is worth addressing",
        [SEVERITY_HIGH] = "Exposed communication is significant on the critical path",
        [SEVERITY_CRITICAL] = "Communication severely blocks compute",
        [SEVERITY_UNKNOWN] = "Communication cannot be rated"};
    return str_of(words[s]);
}

static void put_comm_assessments(cJSON *o, const struct report_timeline *t,
                                 const struct multi_kernel_result *m)
{
    bool any = m->comm_count > 0;
    double ratio = m->comm_overlap_frac;
    cJSON *x = json_put_object(o, "nccl_blocking_assessment");
    json_put_text(x, "severity",
                  word(m->blocking_severity, any ? "ACCEPTABLE" : "NONE"));
    json_put_bool(x, "flagged", is_flagged(m->blocking_severity));
    json_put_ms(x, "exposed_comm_time_ms", t->exposed_comm_ms);
    json_put_ms(x, "total_comm_time_ms", t->total_comm_ms);
    json_put_pct(x, "exposed_percent_of_total", t->exposed_comm_pct);
    json_put_text(x, "description",
                  any ? blocking_words(m->blocking_severity)
                      : S("The trace holds no communication"));
    x = json_put_object(o, "overlap_assessment");
    bool enough = t->total_comm_ms >= 0.1;
    json_put_text(x, "severity", word(m->overlap_severity, enough ? "GOOD" : "NONE"));
    json_put_bool(x, "flagged", is_flagged(m->overlap_severity));
    json_put_number(x, "overlap_ratio", ratio, 4);
    json_put_pct(x, "overlap_percent", 100.0 * ratio);
    json_put_count(x, "target_percent", 70);
    json_put_text(x, "description",
                  !enough ? S("insufficient communication data")
                  : is_flagged(m->overlap_severity)
                      ? S("Less communication than the target runs beside computation")
                      : S("Communication overlaps with computation as it should"));
}

/* The same quantity from the tables and from the device events. */
static void put_cross_check(cJSON *list, struct arena *scratch, const char *name,
                            double table, double events)
{
    double larger = fmax(fabs(table), fabs(events));
    double off = larger > 0.0 ? 100.0 * fabs(table - events) / larger : 0.0;
    cJSON *o = json_push_object(list);
    json_put_text(o, "quantity", str_of(name));
    json_put_ms(o, "timeline_ms", table);
    json_put_ms(o, "overlap_analysis_ms", events);
    json_put_text(o, "status", off <= 2.0 ? S("PASS") : S("WARN"));
    json_put_text_or_null(o, "message",
                          off <= 2.0
                              ? S("")
                              : str_printf(scratch, "%s differs by %.*s %%", name,
                                           STRF(number_pct(scratch, off))));
}

static const struct cell *timeline_cell(const struct sheets *s, const char *type)
{
    for (ptrdiff_t k = 0; k < s->n; k++) {
        const struct report_table *t = &s->tables[k];
        if (!str_eq(t->name, S("gpu_timeline")))
            continue;
        for (ptrdiff_t row = 0; row < t->n_rows; row++)
            if (str_eq(table_cell(t, row, 0)->as.text, str_of(type)))
                return table_cell(t, row, 1);
    }
    return NULL;
}

static void put_cross_checks(cJSON *o, struct arena *scratch,
                             const struct pipeline_source *s)
{
    const struct report_timeline *t = &s->r->timeline;
    const struct {
        const char *type;
        double ms;
    } rows[] = {{"computation_time", t->computation_ms},
                {"exposed_comm_time", t->exposed_comm_ms},
                {"exposed_memcpy_time", t->exposed_memcpy_ms},
                {"total_time", t->total_ms}};
    cJSON *list = json_put_array(o, "cross_validation");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct cell *c = timeline_cell(s->sheets, rows[k].type);
        /* Two timelines, with and without recomputation, have no one figure. */
        if (c && c->kind == CELL_REAL && !s->t->view->recompute)
            put_cross_check(list, scratch, rows[k].type, c->as.r, rows[k].ms);
    }
}

static void put_patterns(cJSON *o, const struct system_pattern *p, int n, bool multi)
{
    cJSON *list = json_put_array(o, "patterns_detected");
    for (int k = 0; k < n; k++) {
        cJSON *row = json_push_object(list);
        json_put_text(row, multi ? "pattern" : "name", p[k].name);
        json_put_text(row, "severity", word(p[k].severity, "NONE"));
        if (multi)
            json_put_text(row, "description", p[k].evidence);
        else
            json_put_text(row, "evidence", p[k].evidence);
        json_put_text(row, "impact", p[k].impact);
        json_put_text(row, "solution", p[k].solution);
    }
}

static void put_multi_kernel_metrics(struct pipeline_files *f,
                                     const struct pipeline_source *s)
{
    const struct multi_kernel_result *m = &s->a->system->multi_kernel;
    cJSON *o = pipeline_add(f, S("category_data/multi_kernel_metrics.json"));
    bool failed = m->status == ANALYSER_ERROR;
    json_put_text(o, "status", failed ? S("ERROR") : S("SUCCESS"));
    if (failed) {
        json_put_text(o, "error", m->error);
        return;
    }
    json_put_ms(o, "total_time_ms", s->r->timeline.total_ms);
    put_copies(o, m);
    put_communication(o, m);
    put_overlap(o, &s->r->timeline, m);
    put_memcpy_assessment(o, f->perm, &s->r->timeline, m);
    put_comm_assessments(o, &s->r->timeline, m);
    put_patterns(o, m->patterns, m->n_patterns, true);
    put_cross_checks(o, f->perm, s);
    json_put_count(o, "step_count", m->step_count);
    json_put_bool(o, "training", m->training);
}

/* ---- cpu_idle_metrics.json
 * ---------------------------------------------------------------------- */

static void put_idle_kernels(cJSON *o, const struct idle_result *i)
{
    cJSON *x = json_put_object(o, "kernel_analysis");
    json_put_count(x, "total_kernel_count", i->kernel_count);
    json_put_count(x, "short_kernel_count", i->short_kernel_count);
    json_put_us(x, "avg_kernel_time_us", i->avg_kernel_us);
    cJSON *by = json_put_object(x, "kernel_count_by_category");
    for (int l = 0; l < KERNEL_LABELS; l++) {
        char label[64];
        struct str text = kernel_label_word((enum kernel_label)l);
        if (!i->kernels_by_label[l] || text.n >= (ptrdiff_t)sizeof label)
            continue;
        for (ptrdiff_t k = 0; k <= text.n; k++)
            label[k] = k < text.n ? text.p[k] : '\0';
        json_put_count(by, label, i->kernels_by_label[l]);
    }
    json_put_us(x, "avg_inter_kernel_gap_us", i->avg_gap_us);
    json_put_us(x, "max_gap_us", i->max_gap_us);
    json_put_count(x, "gap_count", i->gap_count);
    json_put_count(x, "sync_point_count", i->sync_point_count);
    json_put_count(x, "stream_count", i->stream_count);
    json_put_count(x, "graph_launch_count", i->graph_launch_count);
    json_put_pct(x, "idle_after_sync_percent", i->idle_after_sync_pct);
    json_put_pct(x, "idle_in_long_gaps_percent", i->idle_in_long_gaps_pct);
}

static void put_idle_lists(cJSON *o, const struct idle_result *i)
{
    cJSON *gaps = json_put_array(o, "top_gaps");
    for (int k = 0; k < i->n_top_gaps; k++) {
        cJSON *row = json_push_object(gaps);
        json_put_us(row, "start_us", i->top_gaps[k].start_us);
        json_put_us(row, "duration_us", i->top_gaps[k].duration_us);
        json_put_text(row, "before", i->top_gaps[k].before);
        json_put_text(row, "after", i->top_gaps[k].after);
        json_put_text_or_null(row, "cause", i->top_gaps[k].cause);
    }
    put_patterns(o, i->patterns, i->n_patterns, false);
    cJSON *list = json_put_array(o, "recommendations");
    for (int k = 0; k < i->n_patterns; k++)
        if (i->patterns[k].solution.n)
            json_push_text(list, i->patterns[k].solution);
}

static void put_idle_metrics(struct pipeline_files *f, const struct pipeline_source *s)
{
    const struct idle_result *i = &s->a->system->idle;
    const struct report_timeline *t = &s->r->timeline;
    cJSON *o = pipeline_add(f, S("category_data/cpu_idle_metrics.json"));
    json_put_text(o, "status", pipeline_status(i->status));
    if (i->status == ANALYSER_ERROR) {
        json_put_text(o, "error", i->error);
        return;
    }
    json_put_text(o, "severity", word(i->severity, "ACCEPTABLE"));
    json_put_bool(o, "idle_flagged", i->flagged);
    json_put_bool(o, "idle_critical", i->critical);
    cJSON *u = json_put_object(o, "gpu_utilization");
    json_put_ms(u, "total_time_ms", t->total_ms);
    json_put_ms(u, "idle_time_ms", t->idle_ms);
    json_put_pct(u, "idle_time_percent", t->idle_pct);
    json_put_pct(u, "computation_percent", t->computation_pct);
    json_put_pct(u, "communication_percent", t->exposed_comm_pct);
    json_put_pct(u, "memcpy_percent", t->exposed_memcpy_pct);
    put_idle_kernels(o, i);
    put_idle_lists(o, i);
    json_put_number(o, "potential_speedup", i->potential_speedup, 2);
    json_put_ms(o, "recoverable_low_ms", i->recoverable_low_ms);
    json_put_ms(o, "recoverable_high_ms", i->recoverable_high_ms);
    json_put_count(o, "target_idle_percent", 20);
}

void pipeline_put_system(struct pipeline_files *f, const struct pipeline_source *s)
{
    if (!s->a->system)
        return;
    put_idle_metrics(f, s);
    if (!pipeline_has_multi_kernel(s))
        return;
    put_multi_kernel_data(f, s);
    put_multi_kernel_metrics(f, s);
}
