#include "export/job_json.h"

#include "analysis/model/system_results.h"
#include "export/json_tree.h"

#include <cjson/cJSON.h>
#include <math.h>

enum { RANKS_MAX = 1024, GROUPS_MAX = 1024 };

static cJSON *lateness_of(const struct job_rank *r)
{
    const struct job_lateness *l = &r->late;
    cJSON *o =
        json_object(J("late_ns", l->ns), J("compute_ns", l->part_ns[SEGMENT_COMPUTE]),
                    J("copy_ns", l->part_ns[SEGMENT_COPY]),
                    J("other_communication_ns", l->part_ns[SEGMENT_OTHER]),
                    J("idle_ns", l->part_ns[SEGMENT_IDLE]), J("instances", l->n));
    cJSON *work = json_put_object(o, "compute_categories_ns");
    for (int k = 0; k < WORK_CATEGORIES; k++)
        if (l->work_ns[k])
            json_put(work, json_int(work_category_name((enum work_category)k).p,
                                    l->work_ns[k]));
    cJSON *causes = json_put_object(o, "idle_causes_ns");
    for (int k = 0; k < CAPTURE_CAUSES; k++)
        if (l->cause_ns[k])
            json_put(causes,
                     json_int(idle_class_word((enum idle_class)k).p, l->cause_ns[k]));
    return o;
}

/* Sums over all ranks, also those that are not listed. */
static void put_sums(cJSON *root, const struct job_report *r)
{
    const struct job *j = r->j;
    struct job_rank all = {0};
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_lateness *l = &j->ranks[i].late;
        all.late.ns += l->ns;
        all.late.n += l->n;
        for (int k = 0; k < SEGMENT_PARTS; k++)
            all.late.part_ns[k] += l->part_ns[k];
        for (int k = 0; k < CAPTURE_CAUSES; k++)
            all.late.cause_ns[k] += l->cause_ns[k];
        for (int k = 0; k < WORK_CATEGORIES; k++)
            all.late.work_ns[k] += l->work_ns[k];
    }
    json_put(root, J("lateness", lateness_of(&all)));
    cJSON *times = json_put_object(root, "rank_times");
    for (int p = 0; p < JOB_PARTS; p++) {
        const struct job_spread *x = &r->spread[p];
        json_put(json_put_object(times, job_part_key((enum job_part)p).p),
                 J("least", x->least_ns), J("middle", x->middle_ns),
                 J("most", x->most_ns), J("sum", x->sum_ns));
    }
}

static cJSON *balance_of(const struct job_balance *b)
{
    return json_object(J("window_ns", b->window_ns), J("compute_ns", b->compute_ns),
                       J("transfer_ns", b->transfer_ns), J("wait_ns", b->wait_ns),
                       J("copy_ns", b->copy_ns), J("idle_ns", b->idle_ns),
                       J("kernel_ns", b->kernel_ns), J("busy_ns", b->busy_ns));
}

static cJSON *rank_of(const struct job *j, const struct job_rank *r)
{
    double wait = (double)j->wait_ns;
    return json_object(
        J("rank", r->rank), J("node", r->node), json_opt("host", r->host),
        json_opt("file", r->file), json_opt("page", r->page),
        J("collectives", (int64_t)r->n_rows), J("blame_ns", r->blame_ns),
        json_exact("blame_share", wait > 0 ? r->blame / wait : (double)NAN),
        J("own_blame_ns", (int64_t)llround(r->own_blame)), J("waited_ns", r->waited_ns),
        J("times_last", r->n_last), J("times_first", r->n_first),
        J("marginal_ns", r->marginal_ns), json_exact("top_frac", r->top_frac),
        json_int_or_null("save_ns", r->has_whatif, r->save_ns),
        json_int_or_null("add_ns", r->has_whatif, r->add_ns),
        json_exact("load_frac", r->load_frac), J("named", r->is_named),
        json_opt("cause", r->cause), J("lateness", lateness_of(r)),
        J("balance", balance_of(&r->balance)), J("clock_offset_ns", r->offset_ns),
        J("clock_spread_ns", r->spread_ns), json_exact("clock_drift_ppm", r->drift_ppm),
        J("clock_applied", r->clock_applied));
}

static void put_ranks(cJSON *root, const struct job *j)
{
    cJSON *list = json_put_array(root, "ranks");
    for (int i = 0; i < j->n_ranks; i++)
        if (j->n_ranks <= RANKS_MAX || j->ranks[i].has_whatif || j->ranks[i].is_named)
            json_push(list, rank_of(j, &j->ranks[i]));
}

static void put_bandwidth(cJSON *root, const struct job *j)
{
    cJSON *list = json_put_array(root, "bandwidth"),
          *fits = json_put_array(root, "bandwidth_fits");
    for (int i = 0; i < j->n_bandwidth; i++) {
        const struct job_bandwidth *b = &j->bandwidth[i];
        json_row(list, J("kind", collective_word(b->kind)), J("dtype", b->dtype),
                 json_int_or_null("bytes", b->bytes >= 0, b->bytes),
                 J("ranks", b->ranks), J("between_nodes", b->crosses_nodes),
                 J("count", b->n), J("transfer_ns", b->transfer_ns),
                 J("transfer_p95_ns", b->p95_ns), J("wait_ns", b->wait_ns),
                 json_int_or_null("skew_ns", b->skew_ns >= 0, b->skew_ns),
                 json_exact("algorithm_gb_per_s", b->algorithm_gb_s),
                 json_exact("bus_gb_per_s", b->bus_gb_s),
                 json_exact("peak_share", b->peak_frac));
    }
    for (int i = 0; i < j->n_fits; i++) {
        const struct job_fit *f = &j->fits[i];
        json_row(fits, J("kind", collective_word(f->kind)), J("ranks", f->ranks),
                 J("between_nodes", f->crosses_nodes), J("sizes", f->n_sizes),
                 json_exact("latency_us", f->latency_us),
                 json_exact("gb_per_s", f->gb_s));
    }
}

static void put_groups(cJSON *root, const struct job *j)
{
    cJSON *list = json_put_array(root, "groups");
    for (int i = 0; i < j->n_groups && i < GROUPS_MAX; i++) {
        const struct job_group *g = &j->groups[i];
        json_row(
            list, json_opt("name", g->name), json_opt("description", g->description),
            J("role", g->role), J("role_guessed", g->role_guessed),
            J("role_from", g->role_reason), J("size", g->size),
            J("present", g->n_present), J("collectives", (int64_t)g->n_instances),
            J("matching", match_word(g->confidence)), J("unmatched", g->n_unmatched),
            J("mismatched", g->n_mismatched), J("between_nodes", g->crosses_nodes),
            json_exact("slow_ratio", g->slow_ratio));
    }
    cJSON *suspects = json_put_array(root, "slow_nodes");
    for (int i = 0; i < j->n_suspects; i++)
        json_row(suspects, J("node", j->suspects[i].node),
                 json_opt("host", j->hosts[j->suspects[i].node]),
                 J("within", j->suspects[i].inside),
                 json_exact("times_as_long", j->suspects[i].ratio),
                 J("slow_groups", j->suspects[i].n_slow),
                 J("groups", j->suspects[i].n_groups));
}

static void put_whatif(cJSON *root, const struct job *j)
{
    if (!j->whatif_shown) {
        cJSON_AddNullToObject(root, "what_if");
        return;
    }
    cJSON *o = json_put_object(root, "what_if");
    cJSON *together = json_put_array(o, "mended_together");
    for (int i = 0; i < j->n_mends; i++) {
        const struct job_mend *m = &j->mends[i];
        json_row(together, J("kind", mend_word(m->kind)), J("what", m->what),
                 json_int_or_null("node", m->node >= 0, m->node),
                 J("ranks", m->n_ranks), J("first_rank", j->ranks[m->ranks[0]].rank),
                 J("total_ns", m->total_ns));
    }
    json_put(o, J("recorded_ns", j->identity_ns), J("no_late_ranks_ns", j->ideal_ns),
             J("fast_transfers_ns", j->fast_transfer_ns),
             json_int_or_null("late_ranks_mended_ns", j->named_ns >= 0, j->named_ns),
             json_int_or_null("even_loads_ns", j->even_ns >= 0, j->even_ns),
             json_int_or_null("fast_links_ns", j->links_ns >= 0, j->links_ns),
             json_exact("slowdown", j->ideal_ns > 0
                                        ? (double)j->identity_ns / (double)j->ideal_ns
                                        : (double)NAN));
    cJSON *list = json_put_array(o, "mended_in_turn");
    for (int i = 1; i < j->n_curve; i++)
        json_row(list, J("rank", j->ranks[j->curve[i].rank].rank),
                 J("total_ns", j->curve[i].total_ns));
}

static void put_texts(cJSON *root, const struct job_report *r)
{
    cJSON *verdict = json_put_array(root, "verdict"),
          *checks = json_put_array(root, "checks");
    for (int i = 0; i < r->n_verdict; i++)
        json_push_text(verdict, r->verdict[i]);
    for (int i = 0; i < r->n_checks; i++)
        json_row(checks, J("what", r->checks[i].what),
                 J("status", str_of(!r->checks[i].evaluated ? "not evaluated"
                                    : r->checks[i].good     ? "passed"
                                                            : "failed")),
                 J("says", r->checks[i].says));
}

static void put_named(cJSON *root, const struct job *j)
{
    cJSON *list = json_put_array(root, "late_ranks");
    for (int i = 0; i < j->n_named; i++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber(j->ranks[j->named[i]].rank));
    cJSON *missing = json_put_array(root, "missing_ranks");
    for (int i = 0; i < j->n_missing && i < RANKS_MAX; i++)
        cJSON_AddItemToArray(missing, cJSON_CreateNumber(j->missing[i]));
}

struct cJSON *job_json(const struct job_report *r)
{
    const struct job *j = r->j;
    cJSON *root = json_object(
        J("_format", S("tracefolio job")), J("_version", 1), J("tool", r->tool_version),
        J("id", r->id), J("share_level", r->share_level),
        J("ranks_present", j->n_ranks), J("ranks_expected", j->n_expected),
        J("nodes", j->n_nodes), J("gpus_per_node", j->gpus_per_node),
        J("steps", j->n_steps), J("instances", (int64_t)j->n_instances),
        J("run_ns", j->end_ns - j->start_ns), J("step_ns", j->step_ns),
        J("wait_ns", j->wait_ns), J("wait_without_clocks_ns", j->free_wait_ns),
        J("capture_start_wait_ns", j->start_wait_ns),
        json_exact("compute_imbalance_frac", j->imbalance_frac),
        J("confidence", job_verdict_word(j->verdict)),
        J("confidence_reason", j->verdict_reason), J("clock_method", j->clock_method),
        J("clocks_good", j->clock_good), J("clock_violations", j->n_clock_violations));
    put_texts(root, r);
    put_named(root, j);
    put_whatif(root, j);
    put_sums(root, r);
    put_ranks(root, j);
    put_bandwidth(root, j);
    put_groups(root, j);
    return root;
}
