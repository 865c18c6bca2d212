#include "export/job_compare_json.h"

#include "compare/gate.h"
#include "export/json_tree.h"

#include <cjson/cJSON.h>

static void put_table(cJSON *root, const struct report_table *t)
{
    cJSON *list = json_put_array(root, t->name.p);
    for (ptrdiff_t i = 0; i < t->n_rows; i++) {
        cJSON *row = json_push(list, json_new());
        for (ptrdiff_t k = 0; k < t->n_columns; k++) {
            const struct cell *x = table_cell(t, i, k);
            const char *key = t->columns[k].title.p;
            json_put(row, x->kind == CELL_NONE   ? json_null(key)
                          : x->kind == CELL_INT  ? json_int(key, x->as.i)
                          : x->kind == CELL_REAL ? json_exact(key, x->as.r)
                          : x->kind == CELL_BOOL ? json_bool(key, x->as.b)
                                                 : json_opt(key, x->as.text));
        }
    }
}

cJSON *job_compare_json(const struct job_comparison *c, const struct job_outline of[2],
                        const struct gate_result *gates, int n_gates,
                        struct str tool_version)
{
    cJSON *root = json_object(
        J("_format", S("tracefolio comparison of jobs")), J("_version", 1),
        J("tool", tool_version), J("reference", of[0].label),
        J("candidate", of[1].label), J("times_of", c->by_step ? "step" : "run"),
        J("same_work", c->same_work), json_texts("verdict", c->verdict, c->n_verdict));
    for (int t = 0; t < JOB_COMPARE_TABLES; t++)
        put_table(root, &c->tables[t]);
    cJSON *list = json_put_array(root, "gates");
    for (int i = 0; i < n_gates; i++)
        json_row(list, J("gate", gates[i].of->text),
                 J("status", gate_status_word(gates[i].status)),
                 J("says", gates[i].says));
    return root;
}
