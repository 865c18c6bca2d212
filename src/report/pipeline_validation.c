/* validation.json: the checks of analysis.md 8.1 under the names other tools know. */
#include "report/pipeline_parts.h"

#include "base/arena.h"
#include "report/report_checks.h"

static struct str status_of(const struct report_check *c)
{
    if (!c || c->result == CHECK_NOT_EVALUATED)
        return S("INFO");
    return c->result == CHECK_PASSED ? S("PASS") : S("WARN");
}

static bool is_worse(struct str x, struct str than)
{
    return str_eq(x, S("WARN")) || (str_eq(x, S("INFO")) && !str_eq(than, S("WARN")));
}

/* One entry from one or several checks; the worst of them counts. */
static void put_checks(cJSON *checks, const struct report *r, const char *key,
                       const char *const *ids, int n)
{
    cJSON *o = json_put_object(checks, key);
    struct str worst = S("PASS");
    for (int k = 0; k < n; k++) {
        struct str status = status_of(report_check_find(r, ids[k]));
        if (is_worse(status, worst))
            worst = status;
    }
    json_put_text(o, "status", worst);
    cJSON *messages = json_put_array(o, "messages");
    for (int k = 0; k < n; k++) {
        const struct report_check *c = report_check_find(r, ids[k]);
        if (c)
            json_push_text(messages, c->value);
    }
}

/* Every analyser wrote its findings, or says why not. */
static void put_coverage(cJSON *checks, struct arena *perm,
                         const struct pipeline_source *s, bool system)
{
    cJSON *o = json_put_object(checks, system ? "system_coverage" : "compute_coverage");
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list), n_failed = 0, n_done = 0;
    cJSON *messages = cJSON_CreateArray();
    for (int k = 0; k < s->a->n_warnings; k++) {
        const struct warning *w = &s->a->warnings[k];
        bool is_system = str_eq(w->source, work_category_name(WORK_CPU_IDLE)) ||
                         str_eq(w->source, work_category_name(WORK_MULTI_KERNEL)) ||
                         str_eq(w->source, work_category_name(WORK_KERNEL_FUSION));
        if (!w->failure || is_system != system)
            continue;
        n_failed++;
        json_push_text(messages, w->text);
    }
    for (int k = 0; k < n; k++)
        n_done += (list[k] >= WORK_COMMUNICATION) == system;
    n_done += system ? 1 + pipeline_has_multi_kernel(s) + pipeline_has_fusion(s) : 0;
    if (!n_failed)
        json_push_text(messages,
                       str_printf(perm, "%d analyses, each with its findings", n_done));
    json_put_text(o, "status", n_failed ? S("WARN") : S("PASS"));
    cJSON_AddItemToObject(o, "messages", messages);
}

/* The largest categories have a finding, or nothing that needs one. */
static void put_top_categories(cJSON *checks, struct arena *perm,
                               const struct pipeline_source *s)
{
    enum { LARGEST = 3 };
    cJSON *o = json_put_object(checks, "top_categories");
    json_put_text(o, "status", S("INFO"));
    cJSON *messages = json_put_array(o, "messages");
    for (int k = 0; k < s->r->n_categories && k < LARGEST; k++) {
        const struct report_category *c = &s->r->categories[k];
        int n = 0;
        for (int i = 0; i < s->r->n_findings; i++)
            n += str_eq(s->r->findings[i].category, c->id);
        json_push_text(
            messages,
            n ? str_printf(perm, "%.*s: %d findings", STRF(c->label), n)
              : str_printf(perm, "%.*s: within expectations", STRF(c->label)));
    }
}

void pipeline_put_validation(struct pipeline_files *f, const struct pipeline_source *s)
{
    static const char *const sanity[] = {"time-sanity", "balance"};
    static const char *const efficiency[] = {"efficiency", "peaks"};
    static const char *const order[] = {"findings", "order"};
    cJSON *document = pipeline_add(f, S("metadata/validation.json"));
    cJSON *checks = json_put_object(document, "checks");
    put_checks(checks, s->r, "time_sanity", sanity, 2);
    put_checks(checks, s->r, "efficiency_anomalies", efficiency, 2);
    put_coverage(checks, f->perm, s, true);
    put_coverage(checks, f->perm, s, false);
    put_checks(checks, s->r, "priority_consistency", order, 2);
    cJSON *markers = json_put_object(checks, "marker_structure");
    json_put_text(markers, "status", S("INFO"));
    json_push_text(json_put_array(markers, "messages"),
                   S("Markers are written with the reports and not read back"));
    put_top_categories(checks, f->perm, s);
}
