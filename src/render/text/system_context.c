#include "render/text/system_context.h"

#include "analysis/model/number_text.h"
#include "base/out.h"
#include "report/report_detail.h"

#include <math.h>

void status_context(cJSON *o, enum analyser_status status, struct str error)
{
    static const struct str words[] = {[ANALYSER_OK] = S_INIT("ok"),
                                       [ANALYSER_NO_DATA] = S_INIT("no_data"),
                                       [ANALYSER_ERROR] = S_INIT("error")};
    json_put(o, context_word("status", words[status]),
             json_bool("failed", status == ANALYSER_ERROR), M("error", error));
}

/* A time that is said only if there is any. */
static struct json_member part_or_null(const char *key, double ms)
{
    return ms > 0.0 ? M(key, ms) : json_null(key);
}

/* root.run_steps: what a step takes, and a steady one consists of. */
static void put_steps(cJSON *root, const struct report_steps *s)
{
    if (!s->n) {
        json_put(root, json_null("run_steps"));
        return;
    }
    json_put(json_put_object(root, "run_steps"), F(s, headline), F(s, inside),
             context_some("n_steady", s->n_steady), F(s, mean_ms));
}

static void put_phase_parts(cJSON *row, const char *key,
                            const struct report_phase_part *p, int n)
{
    cJSON *list = json_put_array(row, key);
    for (int k = 0; k < n; k++)
        json_row(list, F(&p[k], name), F(&p[k], count), F(&p[k], total_ms),
                 F(&p[k], share_pct));
}

/* root.phases: prefill and decode apart. */
static void put_phases(cJSON *root, const struct report_phases *p)
{
    if (!p->n) {
        json_put(root, json_null("phases"));
        return;
    }
    cJSON *o = json_put_object(root, "phases"), *rows = json_put_array(o, "rows");
    json_put(o, F(p, headline), F(p, contrast), F(p, source), F(p, several), F(p, unit),
             F(p, units));
    for (int k = 0; k < p->n; k++) {
        const struct report_phase *one = &p->list[k];
        cJSON *row = context_push(rows);
        json_put(row, F(one, label), F(one, load),
                 context_some("n_steps", one->n_steps), F(one, wall_ms),
                 F(one, wall_pct), F(one, idle_pct), F(one, mean_ms), F(one, most_ms),
                 F(one, apart_ms), F(one, between_idle_ms),
                 json_bool("has_categories", one->n_categories > 0));
        put_phase_parts(row, "categories", one->categories, one->n_categories);
        put_phase_parts(row, "kernels", one->kernels, one->n_kernels);
    }
}

cJSON *timeline_context(cJSON *root, const struct report *r)
{
    const struct report_timeline *t = &r->timeline;
    json_put(root, json_bool("has_device", t->total_ms > 0),
             json_bool("has_comm", t->total_comm_ms > 0));
    put_steps(root, &r->steps);
    put_phases(root, &r->phases);
    return json_put(
        json_put_object(root, "timeline"), part_or_null("artefact", t->artefact_ms),
        part_or_null("backlog", t->backlog_included ? 0 : t->backlog_ms),
        M("backlog_events", (double)t->backlog_events), F(t, total_ms),
        M("total_s", t->total_ms >= 1000.0 ? t->total_ms / 1e3 : (double)NAN),
        F(t, busy_ms), F(t, busy_pct), F(t, computation_ms), F(t, computation_pct),
        F(t, total_comm_ms), F(t, exposed_comm_ms), F(t, exposed_comm_pct),
        F(t, exposed_memcpy_ms), F(t, exposed_memcpy_pct), F(t, idle_ms),
        F(t, idle_pct));
}

static void put_patterns(cJSON *o, const struct system_pattern *p, int n)
{
    cJSON *list = json_put_array(o, "patterns");
    json_put(o, M("pattern_count", n));
    for (int i = 0; i < n; i++)
        json_row(list, F(&p[i], name), M("severity", severity_word(p[i].severity)),
                 F(&p[i], evidence), F(&p[i], impact), F(&p[i], solution));
}

static struct json_member shares(const char *key, const struct op_share *s, int n)
{
    cJSON *list = json_list();
    for (int i = 0; i < n; i++)
        json_row(list, F(&s[i], name), F(&s[i], caller), F(&s[i], count),
                 M("total_ms", s[i].total_us / 1e3));
    return context_listed(key, list, 0);
}

static void put_causes(cJSON *o, const struct analysis *a)
{
    cJSON *list = json_put_array(o, "causes");
    struct report_idle_cause causes[IDLE_CLASSES];
    int n = report_idle_causes(a, causes);
    for (const struct report_idle_cause *c = causes; c < causes + n; c++)
        json_row(list, F(c, label), F(c, total_ms), F(c, idle_pct));
    json_put(o, json_bool("has_causes", n > 0));
}

/* Groups of a thousandth of idle time and more. */
static struct json_member groups(const struct analysis *a, const struct idle_result *r)
{
    enum { MOST = 25 };
    cJSON *list = json_list();
    int n = 0, left = 0;
    for (int32_t k = 0; k < r->n_groups; k++) {
        const struct idle_group *g = &r->groups[k];
        double ms = (double)g->total_ns / 1e6, idle_pct = pct_of(ms, a->idle_ms);
        if (n == MOST || idle_pct < 0.1) {
            left++;
            continue;
        }
        n++;
        json_row(
            list, M("class", idle_class_label(g->class)), F(g, blame),
            json_bool("plain", g->class == IDLE_QUEUED || g->class == IDLE_HOST_BOUND),
            F(g, blame_place), F(g, leaf), F(g, leaf_place), F(g, gaps),
            M("leaf_ms", g->leaf_us / 1e3), M("total_ms", ms), M("idle_pct", idle_pct),
            M("total_pct", pct_of(ms, a->total_ms)));
    }
    return context_listed("groups", list, left);
}

/* Two gaps of the same cause between the same work, and as long to a tenth. */
static bool gaps_are_equal(const struct idle_gap *a, const struct idle_gap *b)
{
    return str_eq(a->cause, b->cause) && str_eq(a->before, b->before) &&
           str_eq(a->after, b->after) && b->duration_us >= 0.9 * a->duration_us;
}

/* The longest gaps, equal ones that follow one another as one row. */
static struct json_member gap_rows(const struct idle_result *idle)
{
    cJSON *rows = json_list();
    for (int i = 0, next; i < idle->n_top_gaps; i = next) {
        const struct idle_gap *g = &idle->top_gaps[i];
        double sum_us = 0;
        struct out starts;
        out_memory(&starts);
        for (next = i; next < idle->n_top_gaps && gaps_are_equal(g, g + (next - i));
             next++) {
            const struct idle_gap *one = &idle->top_gaps[next];
            sum_us += one->duration_us;
            if (next > i + 1)
                out_lit(&starts, ", ");
            if (next > i)
                out_fixed(&starts, one->start_us / 1e3, 3);
        }
        json_row(rows, M("first", i + 1), M("last", next), M("count", next - i),
                 json_bool("equal", next > i + 1), M("starts", out_view(&starts)),
                 M("mean_ms", sum_us / 1e3 / (next - i)),
                 M("start_ms", g->start_us / 1e3), M("length_ms", g->duration_us / 1e3),
                 F(g, before), F(g, after), F(g, cause));
        out_free(&starts);
    }
    return context_listed("gap_rows", rows, 0);
}

static void put_gaps(cJSON *o, const struct report *r)
{
    const struct idle_result *idle = &report_system(r)->idle;
    cJSON *gaps = json_list(), *clauses = json_list();
    for (int i = 0; i < idle->n_top_gaps; i++) {
        const struct idle_gap *g = &idle->top_gaps[i];
        json_row(gaps, F(g, start_us), F(g, duration_us),
                 M("start_ms", g->start_us / 1e3), M("length_ms", g->duration_us / 1e3),
                 F(g, before), F(g, after), F(g, cause));
        if (g->cause.n)
            json_row(clauses, M("number", i + 1), F(g, cause));
    }
    json_put(o, context_listed("gaps", gaps, 0), gap_rows(idle),
             context_listed("gap_causes", clauses, 0), F(idle, n_top_gaps),
             json_bool("one_top_gap", idle->n_top_gaps == 1));
}

static void put_idle(cJSON *root, const struct report *r)
{
    const struct idle_result *idle = &report_system(r)->idle;
    /* The low end is half of the full saving. */
    double saves_ms =
        idle->recoverable_high_ms > 0 ? 2 * idle->recoverable_low_ms : (double)NAN;
    cJSON *o = json_put_object(root, "idle");
    status_context(o, idle->status, idle->error);
    json_put(o, M("severity", idle_severity_word(idle)), F(idle, kernel_count),
             F(idle, short_kernel_count), F(idle, gap_count), F(idle, sync_point_count),
             F(idle, stream_count), F(idle, graph_launch_count), F(idle, avg_kernel_us),
             F(idle, avg_gap_us), F(idle, max_gap_us), F(idle, idle_after_sync_pct),
             F(idle, idle_in_long_gaps_pct),
             json_bool("some_gaps", idle->gap_count > 0),
             json_bool("one_gap", idle->gap_count == 1), M("saves_ms", saves_ms),
             M("speedup", idle->potential_speedup));
    if (r->analysis)
        json_put(o, groups(r->analysis, idle));
    put_causes(o, r->analysis);
    put_patterns(o, idle->patterns, idle->n_patterns);
    put_gaps(o, r);
}

/* Why there are copies in one direction, by their size. */
static struct str copy_cause(const struct copy_result *c, double mean_bytes,
                             bool to_host)
{
    if (c->count == 0)
        return S("absent");
    if (c->severity == SEVERITY_NONE)
        return S("small");
    if (isfinite(mean_bytes) && mean_bytes < 64 * 1024)
        return to_host ? S("scalars") : S("tensors");
    return to_host ? S("results") : S("input");
}

/* Of one direction, or of one range of sizes. */
static cJSON *put_amount(cJSON *list, enum copy_direction d, int64_t count,
                         int64_t bytes, double total_us)
{
    double ms = total_us / 1e3, per_ms = ms > 0 ? (double)bytes / ms : (double)NAN;
    double gb_per_s = bytes > 0 ? per_ms / 1e6 : (double)NAN;
    return json_row(list, M("direction", copy_direction_word(d)), M("count", count),
                    M("bytes", bytes), M("total_ms", ms), M("byte_per_ms", per_ms),
                    M("gb_per_s", gb_per_s), json_bool("some_rate", gb_per_s >= 0.01));
}

static cJSON *put_copies(cJSON *list, const struct report *r, enum copy_direction d)
{
    const struct multi_kernel_result *k = &report_system(r)->multi_kernel;
    const struct copy_result *c = &k->copies[d];
    double n = (double)c->count, none = (double)NAN;
    double mean = n > 0 && c->bytes >= 0 ? (double)c->bytes / n : none;
    double per_step = k->step_count > 0 && n > 0 ? n / (double)k->step_count : none;
    cJSON *o = put_amount(list, d, c->count, c->bytes, c->total_us);
    return json_put(o, M("severity", severity_word(c->severity)),
                    M("per_step", per_step), M("mean_bytes", mean), F(c, max_us),
                    M("total_pct", copy_total_pct(c, r->analysis->total_ms)),
                    M("exposed_ms", c->exposed_us / 1e3),
                    json_bool("recorded", c->bytes >= 0),
                    json_bool("sized", n > 0 && c->bytes > 0 && c->total_us > 0),
                    context_word("cause", copy_cause(c, mean, d == COPY_D2H)),
                    shares("by", c->ops, c->n_ops));
}

static struct json_member sizes(const struct multi_kernel_result *k)
{
    cJSON *list = json_list();
    for (int d = 0; d < COPY_DIRECTIONS; d++)
        for (int i = 0; i < COPY_SIZES; i++) {
            const struct copy_size *z = &k->copies[d].sizes[i];
            if (z->count)
                json_put(put_amount(list, (enum copy_direction)d, z->count, z->bytes,
                                    z->total_us),
                         M("label", copy_size_word(i)));
        }
    return context_listed("sizes", list, 0);
}

/* `copies` by name; lists of them: `listed` all but an empty rest, `between` those that
 * happened, but for the rest, `happened` with the rest. */
static void put_directions(cJSON *o, const struct report *r)
{
    cJSON *all = json_put_array(o, "directions"), *named = json_put_object(o, "copies"),
          *between = json_put_array(o, "between"),
          *listed = json_put_array(o, "listed"), *happened = json_list();
    int64_t n = 0;
    for (int d = 0; r->analysis && d < COPY_DIRECTIONS; d++) {
        cJSON *one = put_copies(all, r, (enum copy_direction)d);
        int64_t count = report_system(r)->multi_kernel.copies[d].count;
        n += count;
        if (d == COPY_D2H || d == COPY_H2D)
            json_put(named, context_ref(d == COPY_D2H ? "d2h" : "h2d", one));
        if (d != COPY_OTHER && count > 0)
            context_push_ref(between, one);
        if (d != COPY_OTHER || count > 0)
            context_push_ref(listed, one);
        if (count > 0)
            context_push_ref(happened, one);
    }
    json_put(o, M("copy_count", n), context_listed("happened", happened, 0));
}

/* Null if only one kind of work runs: nothing can overlap. */
static struct json_member overlap(const struct multi_kernel_result *k)
{
    static const struct {
        const char *kind, *key;
    } classes[OVERLAP_CLASSES] = {{"Computation", "computation_ms"},
                                  {"Communication", "communication_ms"},
                                  {"Copies", "copies_ms"}};
    int some = 0;
    cJSON *list = json_list();
    for (int x = 0; x < OVERLAP_CLASSES; x++) {
        cJSON *row = json_row(list, M("kind", str_of(classes[x].kind)));
        for (int y = 0; y < OVERLAP_CLASSES; y++)
            json_put(row, M(classes[y].key, k->overlap_us[x][y] / 1e3));
        some += k->overlap_us[x][x] > 0;
    }
    struct json_member all = context_listed("overlap", list, 0);
    if (some > 1)
        return all;
    cJSON_Delete(all.value);
    return json_null("overlap");
}

static void put_multi_kernel(cJSON *root, const struct report *r)
{
    const struct multi_kernel_result *k = &report_system(r)->multi_kernel;
    const struct report_timeline *t = &r->timeline;
    cJSON *o = json_put_object(root, "multi_kernel"), *top = json_list();
    for (const struct comm_op *c = k->top_comm; c < k->top_comm + k->n_top_comm; c++)
        json_row(top, F(c, name), F(c, duration_us), M("time_ms", c->duration_us / 1e3),
                 F(c, stream));
    status_context(o, k->status, k->error);
    put_directions(o, r);
    json_put(o,
             json_bool("applies", r->analysis && report_has_multi_kernel(r->analysis)),
             M("copy_severity", severity_word(k->memcpy_severity)),
             M("blocking_severity", blocking_severity_word(k)),
             M("overlap_severity", overlap_severity_word(k)), sizes(k), overlap(k),
             F(k, comm_count), json_bool("some_comm", k->comm_count > 0),
             M("comm_ms", k->comm_total_us / 1e3), F(k, comm_max_us),
             M("hidden_ms", t->total_comm_ms - t->exposed_comm_ms),
             M("overlap_pct", 100 * k->comm_overlap_frac),
             M("copy_overlap_pct", 100 * k->memcpy_overlap_frac),
             json_bool("some_hidden", isfinite(k->comm_overlap_frac) ||
                                          isfinite(k->memcpy_overlap_frac)),
             context_listed("top_comm", top, 0));
    put_patterns(o, k->patterns, k->n_patterns);
}

void system_context(cJSON *root, const struct report *r)
{
    put_idle(root, r);
    put_multi_kernel(root, r);
}
