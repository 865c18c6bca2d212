#include "ci/sarif.h"

#include "export/json_tree.h"
#include "render/text/filter_parts.h"

static struct str text_in(const cJSON *o, const char *key)
{
    return text_of(cJSON_GetObjectItemCaseSensitive(o, key));
}

static struct cJSON *message(struct str text)
{
    return json_object(J("text", text));
}

static bool is_note(const cJSON *finding)
{
    return cJSON_IsTrue(cJSON_GetObjectItem(finding, "informational"));
}

static const char *level_of(const cJSON *finding)
{
    struct str severity = text_in(finding, "severity");
    if (is_note(finding))
        return "none";
    return str_eq(severity, S("critical")) ? "error"
           : str_eq(severity, S("low"))    ? "note"
                                           : "warning";
}

/* Its index in the rules, where it is added if it is not there. */
static int rule_of(cJSON *rules, const cJSON *finding)
{
    struct str id = text_in(finding, "rule");
    int k = 0;
    const cJSON *r;
    cJSON_ArrayForEach(r, rules)
    {
        if (str_eq(text_in(r, "id"), id))
            return k;
        k++;
    }
    json_row(rules, J("id", id),
             J("shortDescription", message(text_in(finding, "group"))),
             J("help", message(text_in(finding, "action"))));
    return k;
}

/* Relative to a folder that the reader knows: nothing of this machine is named. */
#define CHECKOUT "SRCROOT"

static struct json_member line_of(const struct source_place *p)
{
    if (!p || !p->uri.n)
        return json_null(NULL);
    cJSON *file = json_object(J("uri", p->uri), J("uriBaseId", CHECKOUT));
    cJSON *region = json_object(J("startLine", p->line));
    return J("physicalLocation",
             json_object(J("artifactLocation", file), J("region", region)));
}

static cJSON *locations(const cJSON *finding, const struct source_place *p)
{
    cJSON *logical = json_list(), *list = json_list();
    json_row(logical, J("name", text_in(finding, "title")),
             J("fullyQualifiedName", text_in(finding, "key")), J("kind", "function"));
    json_row(list, line_of(p), J("logicalLocations", logical));
    return list;
}

static void put_waived(cJSON *result, const cJSON *finding)
{
    const cJSON *waived = cJSON_GetObjectItem(finding, "waived");
    if (!cJSON_IsObject(waived))
        return;
    cJSON *list = json_put_array(result, "suppressions");
    json_row(list, J("kind", "external"), J("justification", text_in(waived, "why")));
}

static cJSON *result(cJSON *rules, const cJSON *finding, const struct source_place *p)
{
    cJSON *o = json_object(
        J("ruleId", text_in(finding, "rule")), J("ruleIndex", rule_of(rules, finding)),
        J("level", level_of(finding)),
        J("kind", is_note(finding) ? "informational" : "fail"),
        J("message", message(text_in(finding, "issue"))),
        J("locations", locations(finding, p)),
        J("partialFingerprints",
          json_object(J("tracefolioFinding/v1", text_in(finding, "id")))));
    static const char *const numbers[] = {"gain_low_ns", "gain_high_ns", "gain_low_pct",
                                          "gain_high_pct"};
    cJSON *more = json_put_object(o, "properties");
    for (int k = 0; k < 4; k++)
        json_put(more, json_exact(numbers[k],
                                  number_of(cJSON_GetObjectItem(finding, numbers[k]))));
    put_waived(o, finding);
    return o;
}

struct cJSON *sarif_tree(const struct cJSON *summary, const struct source_place *places,
                         bool placed)
{
    struct str tool = text_in(summary, "tool");
    cJSON *rules = json_list(), *results = json_list(), *runs = json_list();
    const cJSON *f;
    int n = 0;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(summary, "findings"))
    {
        const struct source_place *p = places ? &places[n] : NULL;
        if (n < SARIF_RESULTS_MAX && (!placed || (p && p->uri.n)))
            json_push(results, result(rules, f, p));
        n++;
    }
    struct str name = str_take(&tool, S(" "));
    cJSON *driver = json_object(J("name", name), J("version", tool), J("rules", rules));
    cJSON *run = json_row(
        runs, J("tool", json_object(J("driver", driver))),
        J("automationDetails", json_object(J("id", text_in(summary, "run_label")))),
        J("columnKind", "utf16CodeUnits"), J("results", results));
    if (places) {
        struct str what = S("the checkout of what was traced");
        cJSON *base = json_object(J("description", message(what)));
        json_put(run, J("originalUriBaseIds", json_object(J(CHECKOUT, base))));
    }
    return json_object(J("$schema", "https://json.schemastore.org/sarif-2.1.0.json"),
                       J("version", "2.1.0"), J("runs", runs));
}
