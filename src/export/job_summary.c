#include "export/job_summary.h"

#include "export/json_tree.h"

#include <cjson/cJSON.h>
#include <math.h>

static void put_late(cJSON *root, const struct job *j)
{
    cJSON *list = json_put_array(root, "late_ranks");
    for (int i = 0; i < j->n_named; i++) {
        const struct job_rank *r = &j->ranks[j->named[i]];
        double all = (double)j->wait_ns;
        json_row(list, J("rank", r->rank), J("node", r->node),
                 json_opt("cause", r->cause),
                 json_exact("blame_pct", all > 0 ? 100 * r->blame / all : (double)NAN),
                 json_int_or_null("save_ns", r->has_whatif, r->save_ns));
    }
}

static void put_gates(cJSON *root, const struct job *j, const struct job_gate *gates,
                      int n)
{
    cJSON *list = json_put_array(root, "gates");
    for (int i = 0; i < n; i++) {
        double value;
        bool holds = job_gate_holds(&gates[i], j, &value);
        json_row(list, J("condition", gates[i].text), json_exact("value", value),
                 J("status", str_of(isnan(value) ? "not-evaluated"
                                    : holds      ? "passed"
                                                 : "failed")));
    }
}

static void put_checks(cJSON *root, const struct job_report *r)
{
    int passed = 0, failed = 0;
    for (int i = 0; i < r->n_checks; i++) {
        passed += r->checks[i].evaluated && r->checks[i].good;
        failed += r->checks[i].evaluated && !r->checks[i].good;
    }
    json_put(json_put_object(root, "checks"), J("passed", passed), J("failed", failed),
             J("not_evaluated", r->n_checks - passed - failed));
}

static void put_times(cJSON *root, const struct job *j)
{
    bool shown = j->whatif_shown;
    double ideal = shown ? (double)j->ideal_ns : 0;
    json_put(root, J("run_ns", j->end_ns - j->start_ns), J("step_ns", j->step_ns),
             J("wait_ns", j->wait_ns),
             json_int_or_null("replayed_ns", shown, j->identity_ns),
             json_int_or_null("no_late_ranks_ns", shown, j->ideal_ns),
             json_int_or_null("late_ranks_mended_ns", shown && j->named_ns >= 0,
                              j->named_ns),
             json_exact("slowdown",
                        ideal > 0 ? (double)j->identity_ns / ideal : (double)NAN),
             json_exact("compute_imbalance_pct", 100 * j->imbalance_frac));
}

struct cJSON *job_summary(const struct job_report *r, const struct job_gate *gates,
                          int n_gates)
{
    const struct job *j = r->j;
    cJSON *root = json_object(
        J("schema", S("1.0")), J("kind", S("job")), J("tool", r->tool_version),
        J("report_id", r->id), J("share_level", r->share_level),
        J("verdict", r->n_verdict ? r->verdict[0] : S("")),
        J("confidence", job_verdict_word(j->verdict)), J("ranks_present", j->n_ranks),
        J("ranks_expected", j->n_expected), J("ranks_missing", j->n_missing),
        J("nodes", j->n_nodes), J("steps", j->n_steps),
        J("clocks_good", j->clock_good));
    put_times(root, j);
    put_late(root, j);
    put_checks(root, r);
    put_gates(root, j, gates, n_gates);
    return root;
}
