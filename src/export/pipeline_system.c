/* The system tier as data: idle time, copies and communication. */
#include "export/pipeline_parts.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/arena.h"

#include <math.h>

static bool is_flagged(enum severity s)
{
    return s != SEVERITY_NONE && s != SEVERITY_UNKNOWN;
}

static double bytes_each(const struct copy_result *c)
{
    return c->bytes >= 0 ? (double)c->bytes / (double)c->count : (double)NAN;
}

static struct copy_result all_copies(const struct multi_kernel_result *m)
{
    struct copy_result all = {0};
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        all.count += m->copies[d].count;
        all.total_us += m->copies[d].total_us;
    }
    return all;
}

static cJSON *copies(const struct multi_kernel_result *m)
{
    struct copy_result all = all_copies(m);
    cJSON *by = json_new();
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        const struct copy_result *c = &m->copies[d];
        if (!c->count)
            continue;
        cJSON *row =
            json_object(J("count", c->count), J("total_time_us", c->total_us),
                        J("avg_time_us", c->total_us / (double)c->count),
                        J("max_time_us", c->max_us),
                        json_fixed("total_bytes",
                                   c->bytes >= 0 ? (double)c->bytes : (double)NAN, 0),
                        J("avg_bytes", bytes_each(c)));
        json_put(by, J(copy_direction_word((enum copy_direction)d).p, row));
    }
    return json_object(J("total_count", all.count), J("total_time_us", all.total_us),
                       J("by_direction", by));
}

static cJSON *communication(const struct multi_kernel_result *m)
{
    cJSON *top = json_list();
    for (int k = 0; k < m->n_top_comm; k++)
        json_row(top, J("name", m->top_comm[k].name),
                 J("duration_us", m->top_comm[k].duration_us),
                 J("stream", m->top_comm[k].stream));
    double mean_us = m->comm_count ? m->comm_total_us / (double)m->comm_count : 0.0;
    return json_object(J("total_count", m->comm_count),
                       J("total_time_us", m->comm_total_us), J("avg_time_us", mean_us),
                       J("max_time_us", m->comm_max_us), J("top_ops", top));
}

static cJSON *overlap(const struct report_timeline *t,
                      const struct multi_kernel_result *m)
{
    return json_object(
        J("total_time_us", t->total_ms * 1e3),
        J("computation_time_us", t->computation_ms * 1e3),
        J("total_comm_time_us", t->total_comm_ms * 1e3),
        J("exposed_comm_time_us", t->exposed_comm_ms * 1e3),
        J("total_memcpy_time_us", t->total_memcpy_ms * 1e3),
        J("exposed_memcpy_time_us", t->exposed_memcpy_ms * 1e3),
        json_fixed("comm_overlap_ratio", m->comm_overlap_frac, 4),
        json_fixed("memcpy_overlap_ratio", m->memcpy_overlap_frac, 4),
        J("comm_percent_of_total", pct_of(t->exposed_comm_ms, t->total_ms)),
        J("memcpy_percent_of_total", pct_of(t->exposed_memcpy_ms, t->total_ms)));
}

static cJSON *put_measured(cJSON *o, const struct pipeline_source *s)
{
    const struct multi_kernel_result *m = &s->a->system->multi_kernel;
    return json_put(o, J("memcpy_summary", copies(m)),
                    J("nccl_summary", communication(m)),
                    J("overlap_analysis", overlap(&s->r->timeline, m)));
}

static void put_multi_kernel_data(struct pipeline_files *f,
                                  const struct pipeline_source *s)
{
    enum { KEY_NAME = 2, KEY_DTYPE = 4 }; /* in collective_keys */
    const struct multi_kernel_result *m = &s->a->system->multi_kernel;
    const struct collective_table *t = &s->t->collectives;
    cJSON *o = pipeline_add(f, S("category_data/multi_kernel_data.json"));
    json_put(put_measured(o, s), J("unlinked_kernel_count", m->unlinked_count),
             J("unlinked_kernel_time_us", m->unlinked_us));
    cJSON *list = json_put_array(o, "collectives");
    for (int32_t k = 0; k < t->n; k++) {
        const struct collective_row *c = &t->rows[k];
        json_row(list, J("name", c->key[KEY_NAME]), J("dtype", c->key[KEY_DTYPE]),
                 json_fixed("message_mb", c->in_mib, 4), J("count", c->us.n),
                 J("time_us", c->us.sum));
    }
}

static cJSON *copy_issue(struct arena *scratch, enum copy_direction direction,
                         const struct copy_result *c, double total_ms)
{
    struct str from_to = copy_direction_word(direction);
    double ms = c->total_us / 1e3, pct = pct_of(ms, total_ms);
    return json_object(
        J("direction", from_to), J("count", c->count), J("time_ms", ms),
        J("percent_of_total", pct), J("avg_bytes", bytes_each(c)),
        J("severity", severity_word(c->severity)),
        J("time_severity", severity_word(c->time_severity)),
        J("count_severity", severity_word(c->count_severity)),
        json_bool("flagged", is_flagged(c->severity)),
        J("description",
          str_printf(scratch, "%lld %s %.*s %s %.*s ms, %.*s%% of total time",
                     (long long)c->count, str_plural(c->count, "copy", "copies"),
                     STRF(from_to), str_plural(c->count, "takes", "take"),
                     STRF(number_ms(scratch, ms)), STRF(number_pct(scratch, pct)))));
}

static cJSON *memcpy_assessment(struct arena *scratch, double total_ms,
                                const struct multi_kernel_result *m)
{
    struct copy_result all = all_copies(m);
    cJSON *issues = json_list();
    for (int d = 0; d < COPY_DIRECTIONS; d++)
        if (m->copies[d].count)
            json_push(issues, copy_issue(scratch, (enum copy_direction)d, &m->copies[d],
                                         total_ms));
    return json_object(J("severity", severity_word(m->memcpy_severity)),
                       json_bool("flagged", is_flagged(m->memcpy_severity)),
                       J("total_count", all.count),
                       J("total_time_ms", all.total_us / 1e3),
                       J("percent_of_total", pct_of(all.total_us / 1e3, total_ms)),
                       J("issues", issues));
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

static cJSON *blocking_assessment(const struct report_timeline *t,
                                  const struct multi_kernel_result *m)
{
    bool any = m->comm_count > 0;
    return json_object(J("severity", blocking_severity_word(m)),
                       json_bool("flagged", is_flagged(m->blocking_severity)),
                       J("exposed_comm_time_ms", t->exposed_comm_ms),
                       J("total_comm_time_ms", t->total_comm_ms),
                       J("exposed_percent_of_total", t->exposed_comm_pct),
                       J("description", any ? blocking_words(m->blocking_severity)
                                            : S("The trace holds no communication")));
}

static cJSON *overlap_assessment(const struct report_timeline *t,
                                 const struct multi_kernel_result *m)
{
    bool enough = t->total_comm_ms >= 0.1, flagged = is_flagged(m->overlap_severity);
    return json_object(
        J("severity", severity_or(m->overlap_severity, enough ? S("GOOD") : S("NONE"))),
        J("flagged", flagged), json_fixed("overlap_ratio", m->comm_overlap_frac, 4),
        J("overlap_percent", 100.0 * m->comm_overlap_frac), J("target_percent", 70),
        J("description", !enough ? "insufficient communication data"
                         : flagged
                             ? "Less communication than the target overlaps computation"
                             : "Communication overlaps with computation as it should"));
}

/* The same quantity from the tables and from the device events. */
static cJSON *cross_check(struct arena *scratch, const char *name, double table,
                          double events)
{
    double larger = fmax(fabs(table), fabs(events));
    double off = larger > 0.0 ? 100.0 * fabs(table - events) / larger : 0.0;
    struct str message = off <= 2.0 ? S("")
                                    : str_printf(scratch, "%s differs by %.*s%%", name,
                                                 STRF(number_pct(scratch, off)));
    return json_object(
        J("quantity", name), J("timeline_ms", table), J("overlap_analysis_ms", events),
        J("status", off <= 2.0 ? "PASS" : "WARN"), json_opt("message", message));
}

static cJSON *cross_checks(struct arena *scratch, const struct pipeline_source *s)
{
    const struct report_timeline *t = &s->r->timeline;
    const struct report_table *sheet = pipeline_sheet(s, "gpu_timeline");
    const struct {
        const char *type;
        double ms;
    } rows[] = {{"computation_time", t->computation_ms},
                {"exposed_comm_time", t->exposed_comm_ms},
                {"exposed_memcpy_time", t->exposed_memcpy_ms},
                {"total_time", t->total_ms}};
    cJSON *list = json_list();
    /* Two timelines, with and without recomputation, cannot share one figure. */
    if (!sheet || s->t->facts.has_recompute)
        return list;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (ptrdiff_t row = 0; row < sheet->n_rows; row++) {
            const struct cell *c = table_cell(sheet, row, 0);
            if (str_eq(c->as.text, str_of(rows[k].type)) && c[1].kind == CELL_REAL)
                json_push(list,
                          cross_check(scratch, rows[k].type, c[1].as.r, rows[k].ms));
        }
    return list;
}

/* The two tiers name a pattern and its evidence differently. */
static cJSON *patterns(const struct system_pattern *p, int n, const char *name,
                       const char *evidence)
{
    cJSON *list = json_list();
    for (int k = 0; k < n; k++)
        json_row(list, J(name, p[k].name), J("severity", severity_word(p[k].severity)),
                 J(evidence, p[k].evidence), J("impact", p[k].impact),
                 J("solution", p[k].solution));
    return list;
}

static void put_multi_kernel_metrics(struct pipeline_files *f,
                                     const struct pipeline_source *s)
{
    const struct multi_kernel_result *m = &s->a->system->multi_kernel;
    const struct report_timeline *t = &s->r->timeline;
    cJSON *o = pipeline_add(f, S("category_data/multi_kernel_metrics.json"));
    if (m->status == ANALYSER_ERROR) {
        json_put(o, J("status", "ERROR"), J("error", m->error));
        return;
    }
    json_put(o, J("status", "SUCCESS"), J("total_time_ms", t->total_ms));
    json_put(put_measured(o, s),
             J("memcpy_assessment", memcpy_assessment(f->perm, t->total_ms, m)),
             J("nccl_blocking_assessment", blocking_assessment(t, m)),
             J("overlap_assessment", overlap_assessment(t, m)),
             J("patterns_detected",
               patterns(m->patterns, m->n_patterns, "pattern", "description")),
             J("cross_validation", cross_checks(f->perm, s)),
             J("step_count", m->step_count), J("training", m->training));
}

static cJSON *kernel_analysis(const struct idle_result *i)
{
    cJSON *by = json_new();
    for (int l = 0; l < KERNEL_LABELS; l++)
        if (i->kernels_by_label[l])
            json_put(by, J(kernel_label_word((enum kernel_label)l).p,
                           i->kernels_by_label[l]));
    return json_object(
        J("total_kernel_count", i->kernel_count),
        J("short_kernel_count", i->short_kernel_count),
        J("avg_kernel_time_us", i->avg_kernel_us), J("kernel_count_by_category", by),
        J("avg_inter_kernel_gap_us", i->avg_gap_us), J("max_gap_us", i->max_gap_us),
        J("gap_count", i->gap_count), J("sync_point_count", i->sync_point_count),
        J("stream_count", i->stream_count),
        J("graph_launch_count", i->graph_launch_count),
        J("idle_after_sync_percent", i->idle_after_sync_pct),
        J("idle_in_long_gaps_percent", i->idle_in_long_gaps_pct));
}

static cJSON *gaps(const struct idle_result *i)
{
    cJSON *list = json_list();
    for (int k = 0; k < i->n_top_gaps; k++) {
        const struct idle_gap *g = &i->top_gaps[k];
        json_row(list, J("start_us", g->start_us), J("duration_us", g->duration_us),
                 J("before", g->before), J("after", g->after),
                 json_opt("cause", g->cause));
    }
    return list;
}

/* What each group is and where; `spans` are many and stay out. */
static cJSON *idle_groups(const struct idle_result *r)
{
    enum { MOST = 50 };
    cJSON *list = json_list();
    for (int32_t k = 0; k < r->n_groups && k < MOST; k++) {
        const struct idle_group *g = &r->groups[k];
        json_row(list, J("class", idle_class_word(g->class)), J("blame", g->blame),
                 J("blame_place", g->blame_place), J("leaf", g->leaf),
                 J("leaf_place", g->leaf_place), J("gap_count", g->gaps),
                 J("call_count", g->calls), J("time_ms", (double)g->total_ns / 1e6),
                 J("leaf_time_ms", g->leaf_us / 1e3),
                 J("per_step_ms", g->per_step_us / 1e3));
    }
    return list;
}

static cJSON *idle_classes(const struct idle_result *r)
{
    cJSON *list = json_list();
    for (int c = 0; c < IDLE_CLASSES; c++)
        if (r->class_ns[c])
            json_row(list, J("class", idle_class_word((enum idle_class)c)),
                     J("time_ms", (double)r->class_ns[c] / 1e6));
    return list;
}

static cJSON *solutions(const struct idle_result *i)
{
    cJSON *list = json_list();
    for (int k = 0; k < i->n_patterns; k++)
        if (i->patterns[k].solution.n)
            json_push_text(list, i->patterns[k].solution);
    return list;
}

static void put_idle_metrics(struct pipeline_files *f, const struct pipeline_source *s)
{
    const struct idle_result *i = &s->a->system->idle;
    const struct report_timeline *t = &s->r->timeline;
    cJSON *o = pipeline_add(f, S("category_data/cpu_idle_metrics.json"));
    json_put(o, J("status", pipeline_status(i->status)));
    if (i->status == ANALYSER_ERROR) {
        json_put(o, J("error", i->error));
        return;
    }
    cJSON *use =
        json_object(J("total_time_ms", t->total_ms), J("idle_time_ms", t->idle_ms),
                    J("idle_time_percent", t->idle_pct),
                    J("computation_percent", t->computation_pct),
                    J("communication_percent", t->exposed_comm_pct),
                    J("memcpy_percent", t->exposed_memcpy_pct));
    json_put(o, J("severity", idle_severity_word(i)), J("idle_flagged", i->flagged),
             J("idle_critical", i->critical), J("gpu_utilization", use),
             J("kernel_analysis", kernel_analysis(i)), J("top_gaps", gaps(i)),
             J("idle_classes", idle_classes(i)), J("idle_groups", idle_groups(i)),
             J("patterns_detected",
               patterns(i->patterns, i->n_patterns, "name", "evidence")),
             J("recommendations", solutions(i)),
             J("potential_speedup", i->potential_speedup),
             J("recoverable_low_ms", i->recoverable_low_ms),
             J("recoverable_high_ms", i->recoverable_high_ms),
             J("target_idle_percent", 20));
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
