#include "ci/summary_view.h"

#include "base/arena.h"
#include "base/out.h"
#include "ci/metric_gates.h"
#include "ci/run_summary.h"
#include "render/text/context.h"
#include "render/text/filter_parts.h"
#include "report/finding_shown.h"

#include <math.h>

static struct str text_in(const cJSON *o, const char *key)
{
    return text_of(cJSON_GetObjectItemCaseSensitive(o, key));
}

static bool says(const cJSON *o, const char *key, const char *word)
{
    return str_eq(text_in(o, key), str_of(word));
}

/* did_pass, did_fail and stayed_open of a result. Returns it. */
static int put_result(cJSON *o, int counts[3])
{
    int k = says(o, "result", "failed")          ? 1
            : says(o, "result", "not_evaluated") ? 2
                                                 : 0;
    counts[k]++;
    json_put(o, json_bool("did_pass", k == 0), json_bool("did_fail", k == 1),
             json_bool("stayed_open", k == 2));
    return k;
}

/* Of a gate on a time, for hosts that draw it: "0.0349". */
static struct json_member seconds_of(struct arena *tmp, const cJSON *summary,
                                     const struct gate_expr *g)
{
    const cJSON *v = run_summary_find(summary, g->metric);
    struct out o;
    if (g->what != GATE_ON_METRIC || g->unit != GATE_NS || !cJSON_IsNumber(v))
        return json_null("seconds");
    out_memory(&o);
    out_fixed(&o, v->valuedouble / 1e9, 9);
    return J("seconds", out_text(&o, tmp));
}

static void put_gates(struct arena *tmp, cJSON *view, const struct gate_results *gates)
{
    const char *words[] = {"passed", "failed", "not_evaluated"};
    int counts[3] = {0}, i = 0, failed = 0;
    cJSON *g, *verdict = cJSON_GetObjectItem(view, "verdict");
    cJSON_ArrayForEach(g, cJSON_GetObjectItem(view, "gates"))
    {
        int result = put_result(g, counts);
        failed += result == 1 && !cJSON_IsTrue(cJSON_GetObjectItem(g, "warns"));
        json_put(g, i < gates->n ? seconds_of(tmp, view, gates->at[i].of)
                                 : json_null("seconds"));
        i++;
    }
    json_put(view, json_bool("passed", says(verdict, "gates", words[0])),
             json_bool("failed", says(verdict, "gates", words[1])),
             json_bool("open", says(verdict, "gates", words[2])),
             json_bool("no_gate", i == 0), J("n_gates", i), J("n_failed", failed),
             J("n_skipped", counts[2]));
}

static void put_checks(cJSON *view)
{
    int counts[3] = {0}, n = 0;
    cJSON *c, *trouble = json_list();
    cJSON *list = cJSON_GetObjectItem(cJSON_GetObjectItem(view, "checks"), "list");
    cJSON_ArrayForEach(c, list)
    {
        put_result(c, counts);
        n++;
        if (says(c, "result", "warning") || says(c, "result", "failed"))
            context_push_ref(trouble, c);
    }
    json_put(view, J("n_checks", n), J("n_checks_failed", counts[1]),
             J("n_checks_skipped", counts[2]), J("trouble", trouble));
}

/* Whether a gate on a severity fails by this finding; without one, a high one does. */
static bool trips(const cJSON *f, const struct gate_results *gates)
{
    bool any = false;
    for (int i = 0; i < gates->n; i++) {
        const struct gate_expr *g = gates->at[i].of;
        any = any || g->what == GATE_ON_LEVEL;
        if (g->what == GATE_ON_LEVEL && !g->warns && gate_trips_on(g, f))
            return true;
    }
    struct gate_expr high = {.what = GATE_ON_LEVEL, .level = PRIORITY_HIGH};
    return !any && gate_trips_on(&high, f);
}

/* "8.2", "240 to 360": a saving as templates say it, in ms; without one, absent. */
static void put_gain(cJSON *f, const char *key, const char *low, const char *high)
{
    double from = number_of(cJSON_GetObjectItem(f, low)),
           to = number_of(cJSON_GetObjectItem(f, high));
    if (!(isfinite(from) && to > 0))
        return;
    cJSON *gain = cJSON_AddObjectToObject(f, key);
    json_put(gain, json_exact("low_ms", from / 1e6), json_exact("high_ms", to / 1e6));
}

/* What it saves behind those ranked before it, where that is told. */
static void put_added(cJSON *f, double total_ns)
{
    double ns = number_of(cJSON_GetObjectItem(f, "gain_added_ns"));
    if (!isfinite(ns))
        return;
    cJSON *added = cJSON_AddObjectToObject(f, "added");
    json_put(added, json_exact("low_ms", ns / 1e6), json_exact("high_ms", ns / 1e6),
             json_bool("little", finding_adds_little(ns, total_ns)));
}

/* Whether one above asks for the same, and nothing is known to be saved: it has one
 * line. */
static bool is_asked_above(const cJSON *shown, const cJSON *f)
{
    const cJSON *above;
    cJSON_ArrayForEach(above, shown)
    {
        if (!cJSON_GetObjectItem(f, "worth") && !cJSON_GetObjectItem(above, "worth") &&
            titles_ask_the_same(text_in(above, "title"), text_in(f, "title")))
            return true;
    }
    return false;
}

static void put_findings(cJSON *view, const struct gate_results *gates)
{
    int n = 0, more = 0, n_waived = 0, n_trips = 0;
    cJSON *f, *shown = json_list();
    double total_ns = number_of(run_summary_find(view, S("window.total_ns")));
    struct gate_expr medium = {.what = GATE_ON_LEVEL, .level = PRIORITY_MEDIUM};
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(view, "findings"))
    {
        bool waived = cJSON_IsObject(cJSON_GetObjectItem(f, "waived"));
        bool fails = trips(f, gates);
        n++;
        n_waived += waived;
        n_trips += fails;
        json_put(f, json_bool("trips", fails), json_bool("quiet", !fails && !waived));
        put_gain(f, "worth", "gain_low_ns", "gain_high_ns");
        put_gain(f, "then", "gain_then_low_ns", "gain_then_high_ns");
        put_added(f, total_ns);
        if (!gate_trips_on(&medium, f) || is_asked_above(shown, f))
            continue;
        if (cJSON_GetArraySize(shown) < VIEW_FINDINGS)
            context_push_ref(shown, f);
        else
            more++;
    }
    json_put(view, J("shown", shown), context_some("more", more),
             context_some("n_waived", n_waived), J("n_findings", n),
             J("n_findings_failed", n_trips), J("n_findings_skipped", n_waived));
}

static void put_changes(cJSON *view)
{
    cJSON *c, *list = cJSON_GetObjectItem(view, "changes");
    cJSON_ArrayForEach(c, list)
    {
        double by = number_of(cJSON_GetObjectItem(c, "cand_ns")) -
                    number_of(cJSON_GetObjectItem(c, "ref_ns"));
        json_put(c, json_bool("grew", by >= 0), json_exact("size_ns", fabs(by)));
    }
    if (!list)
        json_put(view, json_null("changes"));
}

/* Shares of the whole as bars of a table: their width in whole per cent. */
static void put_bars(cJSON *view)
{
    static const struct {
        struct str part;
        const char *member, *colour;
    } parts[] = {{S_INIT("busy"), "busy_pct", "#2f6fb0"},
                 {S_INIT("comm"), "exposed_comm_pct", "#b35900"},
                 {S_INIT("copy"), "exposed_copy_pct", "#7a4fb0"},
                 {S_INIT("idle"), "idle_pct", "#8c959f"}};
    const cJSON *window = cJSON_GetObjectItem(view, "window");
    cJSON *list = json_list();
    for (int k = 0; window && k < 4; k++) {
        double pct = number_of(cJSON_GetObjectItem(window, parts[k].member));
        int width = isfinite(pct) ? (int)(pct + 0.5) : 0;
        json_row(list, context_word("part", parts[k].part), json_exact("pct", pct),
                 context_some("width", width), context_some("rest", 100 - width),
                 J("colour", parts[k].colour));
    }
    json_put(view, J("bars", list));
}

/* Nothing is said of times on a device that had no work. */
static void put_window(cJSON *view)
{
    const cJSON *total = run_summary_find(view, S("window.total_ns"));
    if (!(number_of(total) > 0))
        cJSON_DeleteItemFromObject(view, "window");
}

/* From the times: those of the summary are rounded, and would be once more. */
static void put_shares(cJSON *view)
{
    static const char *const parts[][2] = {{"busy_ns", "busy_pct"},
                                           {"idle_ns", "idle_pct"},
                                           {"exposed_comm_ns", "exposed_comm_pct"},
                                           {"exposed_copy_ns", "exposed_copy_pct"}};
    cJSON *window = cJSON_GetObjectItem(view, "window");
    double total = number_of(cJSON_GetObjectItem(window, "total_ns"));
    for (size_t k = 0; total > 0 && k < sizeof parts / sizeof *parts; k++) {
        const cJSON *ns = cJSON_GetObjectItem(window, parts[k][0]);
        cJSON *pct = cJSON_GetObjectItem(window, parts[k][1]);
        if (cJSON_IsNumber(ns) && cJSON_IsNumber(pct))
            cJSON_SetNumberValue(pct, 100 * ns->valuedouble / total);
    }
}

struct cJSON *summary_view(struct arena *tmp, const struct cJSON *summary,
                           const struct gate_results *gates, const struct ci_options *o)
{
    cJSON *view = cJSON_Duplicate(summary, true);
    struct str series = text_in(summary, "series"), model = text_in(summary, "model");
    struct str url = text_in(summary, "report_url");
    put_gates(tmp, view, gates);
    put_checks(view);
    put_findings(view, gates);
    put_changes(view);
    put_shares(view);
    put_bars(view);
    put_window(view);
    const cJSON *median = run_summary_find(summary, S("steps.median_ns"));
    const cJSON *total = run_summary_find(summary, S("window.total_ns"));
    bool has_step = cJSON_IsNumber(median);
    json_put(view, json_bool("has_step", has_step),
             json_bool("step_fits", has_step && cJSON_IsNumber(total) &&
                                        median->valuedouble <= total->valuedouble),
             json_bool("with_findings", o->junit_findings),
             J("marker", series.n ? series : model));
    json_put(view, url.n ? context_markup("url_html", url) : json_null("url_html"));
    return view;
}

struct str summary_device(const cJSON *view)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(view, "device"));
    return str_of(name ? name : "");
}
