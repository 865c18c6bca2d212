#include "render/markdown/markdown_context.h"

#include "analysis/model/work_facts.h"
#include "render/markdown/markdown_fields.h"
#include "render/markdown/markdown_parts.h"
#include "report/system_shown.h"

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
        cJSON *row = context_lend(context_push(list), md_row_fields(), w, m->r);
        m->rows[c->category][i] = row;
        if (i < FIRST_ROWS && !(c->compute_pct < SMALL_PCT))
            context_push_ref(first, row);
        if (i < TOP_ROWS)
            context_push_ref(top, row);
        else
            rest_ms += w->time_ms;
        if (w->high_variance)
            context_push_ref(unsteady, row);
    }
    json_put(o, context_some("unlisted_rows", c->n_rows - LISTED_ROWS),
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
    json_put(context_lend(context_push(list), md_call_fields(), t, NULL),
             json_text("stack", c->stack), json_text("subtree", c->subtree),
             context_listed("siblings", siblings, t->n_siblings - MOST_SIBLINGS));
}

static void put_section(struct md *m, cJSON *o, const struct report_section *s)
{
    put_rows(m, o, s->of);
    cJSON *calls = json_put_array(o, "calls");
    for (int i = 0; i < s->n_calls; i++)
        put_call(calls, &s->calls[i]);
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
        put_section(m,
                    context_lend(context_push(list), md_section_fields(),
                                 &m->d->sections[i], m->r),
                    &m->d->sections[i]);
        any_calls |= m->d->sections[i].n_calls > 0;
    }
    json_put(m->root, json_bool("any_calls", any_calls));
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

static void put_timeline(struct md *m)
{
    const struct report_timeline *t = &m->r->timeline;
    timeline_context(m->root, m->r);
    json_put(m->root,
             context_told("unlinked", shown_unlinked_fields(),
                          t->unlinked_events > 0 ? t : NULL, m->r),
             context_told("backlog", shown_backlog_fields(),
                          t->backlog_events > 0 ? t : NULL, m->r));
}

/* The fair report has keys of its own: its context is {fair: {}} within the others'. */
static void put_fair(struct md *m)
{
    cJSON *fair = json_put_object(m->root, "fair"),
          *first = json_put_array(fair, "operations");
    json_put(json_put_object(m->root, "standalone"), json_bool("all_peaks", true));
    for (int i = 0; i < m->r->n_top && i < TOP_OPERATIONS; i++)
        context_lend(context_push(first), md_top_fields(), m->r->top[i].of, m->r);
}

static void put_sheets(struct md *m)
{
    cJSON *sheets = json_put_array(m->root, "sheets");
    for (ptrdiff_t i = 0; i < m->r->n_tables; i++)
        json_row(sheets, F(&m->r->tables[i], name),
                 M("rows", (double)m->r->tables[i].n_rows));
}

static bool is_system(struct str source)
{
    return str_eq(source, S("cpu_idle")) || str_eq(source, S("multi_kernel")) ||
           str_eq(source, S("kernel_fusion")) || str_eq(source, S("communication"));
}

/* The fair report opens with the device that does not fit. */
static bool is_said_above(const struct md *m, const cJSON *remark)
{
    const char *text = context_get(remark, "text")->valuestring;
    return m->r->device.misfit.n && str_starts(str_of(text), m->r->device.misfit);
}

static void put_warnings(struct md *m)
{
    cJSON *failures = json_list(), *unsteady = json_list(), *remarks = json_list();
    for (int i = 0; i < m->n_all; i++)
        if (m->all[i]->high_variance)
            context_push_ref(unsteady, md_row_node(m, m->all[i]));
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
    json_put(context_get(m->root, "fair"),
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
    int no_peak = 0;
    for (int i = 0; i < m->n_all; i++) {
        const struct work_row *w = m->all[i];
        if (md_row_node(m, w) && work_text(w, "lowering_kernel").n)
            context_push_ref(lowering, md_row_node(m, w));
        if (md_row_node(m, w) && !report_row_has_model(w) &&
            w->category != WORK_COMMUNICATION && w->compute_pct >= 0.1)
            context_push_ref(unmodelled, md_row_node(m, w));
        no_peak += w->efficiency.no_peak;
    }
    json_put(m->root, context_listed("unmodelled", unmodelled, 0),
             context_some("peakless_rows", no_peak));
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
    const struct idle_result *idle = idle_that_decides(m->system);
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
        if (md_row_node(m, w) && (w->high_variance || w->efficiency.anomaly))
            context_push_ref(unsteady, md_row_node(m, w));
        if (work_text(w, "lowering_kernel").n && !(w->compute_pct < 1))
            context_push_ref(slower, md_row_node(m, w));
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
    cJSON *fair = context_get(m->root, "fair"), *list = json_put_array(fair, "charts");
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

struct cJSON *markdown_context(struct arena *tmp, const struct report *r,
                               const struct report_charts *charts,
                               const struct markdown_style *style)
{
    struct md m = {.tmp = tmp,
                   .r = r,
                   .d = r->detail,
                   .a = r->analysis,
                   .system = report_system(r),
                   .style = style,
                   .root = cJSON_CreateObject()};
    context_lend(m.root, md_report_fields(), r, r);
    json_put(m.root, M("h", S("##")), json_bool("markers", !style->no_markers),
             json_bool("by_number", style->by_number), F(style, stamp));
    put_timeline(&m);
    put_fair(&m);
    put_sheets(&m);
    cJSON *sections = put_sections(&m);
    md_findings(&m);
    put_findings_of_sections(&m, sections);
    system_context(m.root, r);
    host_context(m.root, r);
    md_fusion(&m);
    md_recommendations(&m, put_parts(&m, sections));
    put_warnings(&m);
    put_replays(&m);
    put_row_gaps(&m);
    put_questions(&m);
    put_charts(&m, charts);
    return m.root;
}
