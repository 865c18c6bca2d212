/* validation.json: the checks of analysis.md 8.1 under the names other tools know. */
#include "export/pipeline_parts.h"

#include "base/arena.h"
#include "report/report_checks.h"

/* One entry from two checks; the worse of them counts. */
static cJSON *entry_of_checks(const struct report *r, const char *first,
                              const char *second)
{
    static const char *const words[] = {"PASS", "INFO", "WARN"};
    const struct report_check *checks[] = {report_check_find(r, first),
                                           report_check_find(r, second)};
    int worst = 0;
    cJSON *messages = json_list();
    for (int k = 0; k < 2; k++) {
        const struct report_check *c = checks[k];
        int status = !c || c->result == CHECK_NOT_EVALUATED ? 1
                     : c->result == CHECK_PASSED            ? 0
                                                            : 2;
        worst = status > worst ? status : worst;
        if (c)
            json_push_text(messages, c->value);
    }
    return json_object(J("status", words[worst]), J("messages", messages));
}

static bool is_of_system(struct str source)
{
    for (int c = WORK_COMMUNICATION; c < WORK_CATEGORIES; c++)
        if (str_eq(source, work_category_name((enum work_category)c)))
            return true;
    return false;
}

/* Whether every analyser wrote its findings, or the reason why not. */
static cJSON *coverage(struct arena *perm, const struct pipeline_source *s, bool system)
{
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list), n_failed = 0, n_done = 0;
    cJSON *messages = json_list();
    for (int k = 0; k < s->a->n_warnings; k++) {
        const struct warning *w = &s->a->warnings[k];
        if (!w->failure || is_of_system(w->source) != system)
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
    return json_object(J("status", n_failed ? "WARN" : "PASS"),
                       J("messages", messages));
}

/* Whether the largest categories have a finding, or need none. */
static cJSON *top_categories(struct arena *perm, const struct pipeline_source *s)
{
    enum { LARGEST = 3 };
    cJSON *messages = json_list();
    for (int k = 0; k < s->r->n_categories && k < LARGEST; k++) {
        const struct report_category *c = &s->r->categories[k];
        int n = 0;
        for (int i = 0; i < s->a->n_findings; i++)
            n += str_eq(work_category_name(s->a->findings[i].category), c->id);
        json_push_text(messages, n ? str_printf(perm, "%.*s: %d %s", STRF(c->label), n,
                                                str_plural(n, "finding", "findings"))
                                   : str_printf(perm, "%.*s: within expectations",
                                                STRF(c->label)));
    }
    return json_object(J("status", "INFO"), J("messages", messages));
}

void pipeline_put_validation(struct pipeline_files *f, const struct pipeline_source *s)
{
    static const struct str markers[] = {
        S_INIT("Markers are written with the reports and not read back")};
    cJSON *checks =
        json_put_object(pipeline_add(f, S("metadata/validation.json")), "checks");
    json_put(checks, J("time_sanity", entry_of_checks(s->r, "time-sanity", "balance")),
             J("efficiency_anomalies", entry_of_checks(s->r, "efficiency", "peaks")),
             J("system_coverage", coverage(f->perm, s, true)),
             J("compute_coverage", coverage(f->perm, s, false)),
             J("priority_consistency", entry_of_checks(s->r, "findings", "order")),
             J("marker_structure",
               json_object(J("status", "INFO"), json_texts("messages", markers, 1))),
             J("top_categories", top_categories(f->perm, s)));
}
