#include "export/comparison_json.h"

#include "compare/parity.h"
#include "export/json_tree.h"
#include "report/compare/compare_tables.h"

#include <cjson/cJSON.h>
#include <math.h>

static double pct_of(int64_t part, int64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : (double)NAN;
}

static cJSON *side_json(const struct compare_report *r, int side)
{
    const struct comparison *c = r->c;
    const struct capture *of = c->of[side];
    const struct device_spec *d = of->device;
    cJSON *captures = json_list();
    for (int i = 0; i < c->n_captures[side]; i++)
        json_push_text(captures, c->captures[side][i].label);
    return json_object(
        J("label", of->label), json_opt("platform", d ? d->name : S("")),
        json_exact("bw_tbs", d && d->memory_gb_per_s > 0 ? d->memory_gb_per_s / 1e3
                                                         : (double)NAN),
        json_exact("maf_tflops", d && device_peak(d, S("matrix_bf16")) > 0
                                     ? device_peak(d, S("matrix_bf16"))
                                     : (double)NAN),
        J("window_ns", c->window_ns[side]), J("device_ns", c->device_ns[side]),
        J("idle_ns", c->idle_ns[side]), J("backlog_ns", of->backlog_ns),
        J("unlinked_ns", of->unlinked_ns), J("steps_recorded", of->n_steps),
        J("steps_left_out", c->selection.n_left_out[side]),
        json_exact("gflop_of_a_step", c->gflop[side]), J("captures", captures));
}

static cJSON *judgement_json(const struct judgement *j)
{
    return json_object(
        json_exact("reference", j->value[0]), json_exact("candidate", j->value[1]),
        json_exact("diff_pct_of_reference", j->diff_pct), J("n_reference", j->n[0]),
        J("n_candidate", j->n[1]), J("verdict", verdict_words(j->verdict)),
        json_exact("floor_pct", j->floor_pct), json_exact("p", j->p),
        json_exact("interval_low_pct", j->low_pct),
        json_exact("interval_high_pct", j->high_pct),
        json_exact("mde_pct", j->mde_pct));
}

static cJSON *kernels_json(struct str kernel)
{
    cJSON *list = json_list();
    if (kernel.n)
        json_push_text(list, kernel);
    return list;
}

static double per_call_us(const struct match *m, int side)
{
    return m->n[side] ? (double)m->ns[side] / 1e3 / (double)m->n[side] : (double)NAN;
}

static void put_expected(cJSON *o, const struct expected_ratio *x)
{
    json_put(o, json_exact("r", x->ratio),
             json_exact("r_exp", x->low == x->high ? x->low : (double)NAN),
             json_exact("r_exp_low", x->low), json_exact("r_exp_high", x->high),
             json_exact("dev", x->dev), J("expected", explained_word(x->class)),
             J("class", x->class == EXPLAINED_SLOWER        ? "slower"
                        : x->class == EXPLAINED_FASTER      ? "faster"
                        : x->class == EXPLAINED_BY_HARDWARE ? "hardware"
                                                            : "not rated"),
             json_opt("reason", x->reason), json_opt("severity", x->severity),
             json_opt("explanation", x->explanation),
             json_opt("bound_ref", bound_word(x->bound[0])),
             json_opt("bound_tgt", bound_word(x->bound[1])),
             json_exact("goal_ns", x->goal_ns), json_exact("saving_ns", x->saving_ns),
             json_bool("roofline_capped", x->roofline_capped));
}

static cJSON *row_json(const struct comparison *c, const struct compared_row *r)
{
    const struct match *m = r->match;
    const struct judgement *j = &r->judged;
    cJSON *o = json_object(
        J("level", match_level_word(m->level)), J("name", compared_name(r)),
        json_opt("args", compared_args(r)),
        J("category", work_category_display(m->category)), J("n_ref", m->n[0]),
        J("n_tgt", m->n[1]), J("k", m->n_events[0]), J("m", m->n_events[1]),
        J("t_ref_ns", m->ns[0]), J("t_tgt_ns", m->ns[1]),
        J("diff_ns", m->ns[1] - m->ns[0]),
        json_exact("pct", pct_of(m->ns[1] - m->ns[0], m->ns[0])),
        json_exact("per_call_ref_us", per_call_us(m, 0)),
        json_exact("per_call_tgt_us", per_call_us(m, 1)), J("count_ns", r->count_ns),
        J("speed_ns", r->speed_ns), J("only_ns", r->only_ns));
    put_expected(o, &r->expected);
    json_put(o,
             json_exact("saving_pct_total",
                        100 * r->expected.saving_ns / (double)c->window_ns[1]),
             json_exact("floor_pct",
                        j->verdict == VERDICT_NONE ? (double)NAN : j->floor_pct),
             J("verdict", verdict_words(j->verdict)), J("n_captures_ref", j->n[0]),
             J("n_captures_tgt", j->n[1]), json_exact("mde_pct", j->mde_pct),
             json_exact("median_ref_ns", r->median_ns[0]),
             json_exact("median_tgt_ns", r->median_ns[1]),
             json_exact("p90_ref_ns", r->p90_ns[0]),
             json_exact("p90_tgt_ns", r->p90_ns[1]),
             J("kernels_ref", kernels_json(m->kernel[0])),
             J("kernels_tgt", kernels_json(m->kernel[1])));
    return o;
}

static void put_rows(cJSON *o, const struct comparison *c)
{
    cJSON *ops = json_put_array(o, "ops"), *only[2];
    only[0] = json_put_array(o, "only_reference");
    only[1] = json_put_array(o, "only_target");
    for (int32_t i = 0; i < c->n_rows; i++) {
        enum match_level l = c->rows[i].match->level;
        cJSON *list = l == MATCH_ONLY_REFERENCE   ? only[0]
                      : l == MATCH_ONLY_CANDIDATE ? only[1]
                                                  : ops;
        json_push(list, row_json(c, &c->rows[i]));
    }
}

static void put_waterfall(cJSON *o, const struct comparison *c)
{
    static const char *const kinds[] = {[BAR_CLASS] = "kernels",
                                        [BAR_COMM] = "communication",
                                        [BAR_COPY] = "copy",
                                        [BAR_IDLE] = "idle"};
    cJSON *list = json_put_array(o, "waterfall");
    for (int i = 0; i < c->n_bars; i++) {
        const struct compared_bar *b = &c->bars[i];
        cJSON *bar = json_row(list, J("part", b->name), J("kind", kinds[b->kind]),
                              J("ref_ns", b->ns[0]), J("tgt_ns", b->ns[1]),
                              J("diff_ns", b->ns[1] - b->ns[0]));
        if (b->kind == BAR_CLASS)
            json_put(bar, J("kernel_ref_ns", b->kernel_ns[0]),
                     J("kernel_tgt_ns", b->kernel_ns[1]), J("count_ns", b->count_ns),
                     J("speed_ns", b->speed_ns), J("only_ns", b->only_ns),
                     J("recast_ns", b->recast_ns), J("overlap_ns", b->overlap_ns));
    }
}

static void put_setup(cJSON *o, const struct comparison *c)
{
    cJSON *setup = json_put_object(o, "setup"), *lines;
    json_put(setup, J("verdict", parity_words(c->parity)));
    lines = json_put_array(setup, "lines");
    for (int i = 0; i < c->n_setup; i++)
        json_row(lines, J("what", c->setup[i].what),
                 json_opt("reference", c->setup[i].value[0]),
                 json_opt("candidate", c->setup[i].value[1]),
                 json_bool("differs", c->setup[i].differs),
                 json_bool("allowed", c->setup[i].allowed));
}

static void put_matching(cJSON *o, const struct comparison *c)
{
    cJSON *match = json_put_object(o, "match");
    for (int l = 0; l < MATCH_LEVELS; l++) {
        if (!c->level_rows[l])
            continue;
        cJSON *level = json_put_object(match, match_level_word((enum match_level)l).p);
        json_put(
            level, J("rows", c->level_rows[l]),
            json_exact("share_ref_pct", pct_of(c->level_ns[l][0], c->device_ns[0])),
            json_exact("share_cand_pct", pct_of(c->level_ns[l][1], c->device_ns[1])));
    }
    const struct match_periods *p = &c->matches.periods;
    cJSON *sequence = json_put_object(o, "sequence");
    json_put(sequence, J("period_ref", p->period[0]), J("period_cand", p->period[1]),
             J("repeats_ref", p->repeats[0]), J("repeats_cand", p->repeats[1]),
             json_bool("aligned", p->aligned));
}

static void put_findings(cJSON *o, const struct compare_report *r)
{
    cJSON *list = json_put_array(o, "findings");
    for (int i = 0; i < r->n_opportunities; i++) {
        const struct compared_row *row = r->opportunities[i].row;
        json_row(list, J("name", compared_name(row)),
                 json_opt("args", compared_args(row)),
                 J("severity", row->expected.severity),
                 json_exact("saving_ns", row->expected.saving_ns),
                 json_exact("saving_pct_total", r->opportunities[i].saving_pct));
    }
    static const char *const keys[] = {"new_findings", "gone_findings"};
    for (int k = 0; k < 2; k++) {
        list = json_put_array(o, keys[k]);
        for (int i = 0; i < (k ? r->n_gone : r->n_new); i++) {
            const struct finding *f = k ? r->gone_findings[i] : r->new_findings[i];
            json_row(list, J("id", f->id), J("title", f->title),
                     J("priority", priority_word(f->priority)));
        }
    }
    list = json_put_array(o, "gates");
    for (int i = 0; i < r->n_gates; i++)
        json_row(list, J("expression", r->gates[i].of->text),
                 J("status", gate_status_word(r->gates[i].status)),
                 J("says", r->gates[i].says));
}

struct cJSON *comparison_json(const struct compare_report *r)
{
    const struct comparison *c = r->c;
    const struct device_spec *devices[2] = {c->of[0]->device, c->of[1]->device};

    cJSON *o = json_object(
        J("tool", r->tool_version), J("reference", side_json(r, 0)),
        J("target", side_json(r, 1)),
        json_exact("expected_memory_ratio", expected_memory_ratio(devices)),
        json_exact("expected_compute_ratio",
                   expected_compute_ratio(devices, S("matrix_bf16"))),
        J("steps_compared", c->selection.n_steps),
        json_texts("verdict", r->verdict, r->n_verdict),
        J("wall", judgement_json(&c->wall)), J("device", judgement_json(&c->device)));
    cJSON *drift = json_put_object(o, "drift");
    json_put(drift, json_bool("found", c->drift.found),
             json_exact("factor", c->drift.n_rows ? c->drift.factor : (double)NAN),
             J("rows", c->drift.n_rows));
    put_setup(o, c);
    put_matching(o, c);
    put_waterfall(o, c);
    put_rows(o, c);
    put_findings(o, r);
    return o;
}
