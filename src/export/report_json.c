#include "export/report_json.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "export/described_json.h"
#include "export/finding_json.h"
#include "export/gates_json.h"
#include "export/json_text.h"
#include "export/json_tree.h"
#include "report/report_detail.h"
#include "report/report_fields.h"

#include <cjson/cJSON.h>
#include <math.h>

enum {
    FIRST_OPERATIONS = 200,
    OPERATIONS_BYTES = 1 << 20,
    KERNELS_BYTES = 1 << 16,
    ROW_DEPTH = 2
};

static cJSON *part(double ms, double pct)
{
    return json_object(J("time_ns", (int64_t)llround(ms * 1e6)), J("time_ms", ms),
                       J("total_pct", pct));
}

static cJSON *operation(const struct report_op *op, const struct json_walk *w)
{
    const struct op_group *g = op->group;
    cJSON *o = described_json(report_op_fields(), op, w);
    cJSON *kernels = json_put_array(o, "kernels"); /* longest first */
    ptrdiff_t room = KERNELS_BYTES;
    for (int32_t k = g->n_kernels; k-- > 0 && room > 0;)
        json_push_text_within(kernels, g->kernels[k].name, &room);
    return o;
}

/* As text at once: the tree of a row takes eight times as much. */
static void push_row(cJSON *list, cJSON *row)
{
    json_sort_keys(row);
    json_push(list, json_packed(row, ROW_DEPTH));
}

/* The first ones, and those of findings, while there is room. */
static cJSON *operations(const struct report *r, const struct json_walk *w)
{
    cJSON *list = json_list();
    ptrdiff_t room = OPERATIONS_BYTES;
    for (int k = 0; k < report_listed(r->n_ops) && room > 0; k++) {
        bool wanted = k < FIRST_OPERATIONS || r->ops[k].finding >= 0;
        cJSON *row = wanted ? json_within(operation(&r->ops[k], w), &room) : NULL;
        if (row)
            push_row(list, row);
    }
    return list;
}

static cJSON *pools_json(const struct idle_result *idle, double total_ms, int n)
{
    static const char *const keys[IDLE_POOLS] = {
        [POOL_HOST] = "host",     [POOL_INPUT] = "input",     [POOL_CALLS] = "calls",
        [POOL_ONCE] = "once",     [POOL_QUEUED] = "queued",   [POOL_GRAPH] = "graph",
        [POOL_HIDDEN] = "hidden", [POOL_UNKNOWN] = "unknown", [POOL_START] = "start",
        [POOL_PEER] = "peer"};
    cJSON *o = json_new();
    for (int p = 0; p < n; p++) {
        double ms = (double)idle->pool_ns[p] / 1e6;
        json_put(o, J(keys[p], part(ms, pct_of(ms, total_ms))));
    }
    return o;
}

/* Idle time by what it waits for, of which the verdict speaks; null: none was analysed.
 */
static struct json_member idle_pools(const struct report *r)
{
    if (!r->analysis || !r->analysis->system)
        return json_null("idle_pools");
    int n = report_subject(r).gpu.n ? IDLE_POOLS : IDLE_POOLS_OF_ALL;
    return J("idle_pools", pools_json(report_idle(r), r->timeline.total_ms, n));
}

static struct json_member gpus(const struct report *r, const struct json_walk *w)
{
    cJSON *o = described_json(report_gpus_fields(), &r->gpus, w), *one;
    int k = 0;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "list"))
    {
        const struct idle_result *idle = r->gpus.list[k++].idle;
        json_put(one, idle ? J("idle_pools",
                               pools_json(idle, r->timeline.total_ms, IDLE_POOLS))
                           : json_null("idle_pools"));
    }
    json_put(o, json_opt("decides", report_subject(r).gpu));
    return J("gpus", o);
}

static cJSON *report_tree(const struct report *r, const struct gate_results *gates,
                          struct arena tmp)
{
    const struct json_walk w = {.whole = r, .tmp = &tmp};
    cJSON *o = described_json(report_fields(), r, &w);
    cJSON *findings = json_list(), *tables = json_list();
    for (int k = 0; k < r->n_findings; k++)
        push_row(findings, finding_json(r, &r->findings[k], NAMES_REPORT, tmp));
    for (ptrdiff_t k = 0; k < r->n_tables; k++)
        json_push_text(tables, r->tables[k].name);
    if (r->gpus.n)
        json_put(o, gpus(r, &w));
    json_put(o, J("schema", "1.5"), J("operations", operations(r, &w)),
             J("findings", findings), J("tables", tables), idle_pools(r));
    json_put_described(o, gate_results_fields(), gates, &w);
    json_sort_keys(o);
    return o;
}

void report_json_write(struct out *o, const struct report *r,
                       const struct gate_results *gates, struct arena tmp)
{
    cJSON *tree = report_tree(r, gates, tmp);
    json_tree(o, tree, JSON_FILE);
    cJSON_Delete(tree);
}
