#include "render/text/compare_context.h"

#include "compare/parity.h"
#include "render/text/context.h"
#include "report/compare/compare_collectives.h"
#include "report/compare/compare_compiled.h"
#include "report/compare/compare_layers.h"
#include "report/compare/compare_measured.h"
#include "report/compare/compare_side.h"
#include "report/compare/compare_tables.h"
#include "report/compare/compare_times.h"

#include <math.h>

enum { FAIR_ITEMS = 5, DETAILS = 5, ROUGH_ROWS = 200 };

struct writer {
    struct arena *tmp;
    const struct compare_report *r;
    const struct comparison *c;
    cJSON *root;
};

/* "+5.3%" of the reference; a dash if there is none. */
static struct str change(struct writer *w, double from, double to)
{
    if (!(from > 0))
        return S("—");
    return str_printf(w->tmp, "%+.1f%%", 100 * (to - from) / from);
}

/* The same without words, for a column that has them. */
static struct str change_pct(struct writer *w, double from, double to)
{
    return from > 0 ? str_printf(w->tmp, "%+.1f", 100 * (to - from) / from) : S("—");
}

/* A step ends where the work of the next one begins, so the last one has no end. */
static bool has_cut_step(const struct capture *c)
{
    const struct capture_step *last = c->n_steps ? &c->steps[c->n_steps - 1] : NULL;
    return last && c->end_ns - last->end_ns > (last->end_ns - last->start_ns) / 4;
}

static void put_side(struct writer *w, const char *key, int side)
{
    const struct capture *of = w->c->of[side];
    const struct device_spec *d = of->device;
    cJSON *o = json_put_object(w->root, key);
    int n = w->c->n_captures[side], steps = w->c->selection.n_steps;
    const char *captures = str_plural(n, "capture", "captures"),
               *cut = has_cut_step(of) ? "; the last one is cut off" : "";
    struct str recorded =
        !steps ? str_printf(w->tmp, "%d %s, all of it", n, captures)
        : steps == of->n_steps
            ? str_printf(w->tmp, "%d %s, all %d whole steps%s", n, captures, steps, cut)
            : str_printf(w->tmp, "%d %s, %d of %d whole steps%s", n, captures, steps,
                         of->n_steps, cut);
    json_put(o, M("label", w->r->label[side]), M("platform", w->r->platform[side]),
             json_bool("has_device", d != NULL), M("device", d ? d->name : S("")),
             M("bw_tbs", d ? d->memory_gb_per_s / 1e3 : (double)NAN),
             M("maf_tflops", d ? device_peak(d, S("matrix_bf16")) : (double)NAN),
             M("recorded", recorded), M("captures", w->c->n_captures[side]),
             M("steps", of->n_steps), M("left_out", w->c->selection.n_left_out[side]),
             M("backlog_ms", (double)of->backlog_ns / 1e6),
             json_bool("has_backlog", of->n_backlog > 0),
             json_bool("tables_only", !of->n_events && !of->has_parts && of->n_rows),
             M("unlinked_ms", (double)of->unlinked_ns / 1e6));
}

static double bars_ms(const struct writer *w, enum bar_kind kind, int side)
{
    int64_t ns = 0;
    for (int i = 0; i < w->c->n_bars; i++)
        ns += w->c->bars[i].kind == kind ? w->c->bars[i].ns[side] : 0;
    return compare_ms(w->c, ns);
}

static void metric(struct writer *w, cJSON *list, const char *name, double a, double b,
                   struct str more)
{
    json_row(list, M("metric", str_of(name)), M("ref_ms", a), M("cand_ms", b),
             M("change", change(w, a, b)), M("more", more));
}

static void put_executive(struct writer *w)
{
    const struct comparison *c = w->c;
    cJSON *list = json_put_array(w->root, "executive");
    double total[2], idle[2];
    for (int side = 0; side < 2; side++) {
        total[side] = compare_ms(c, c->window_ns[side]);
        idle[side] = compare_ms(c, c->idle_ns[side]);
    }
    double points = 100 * (idle[1] / total[1] - idle[0] / total[0]);
    metric(w, list, "Total Compute", bars_ms(w, BAR_CLASS, 0), bars_ms(w, BAR_CLASS, 1),
           S(""));
    metric(w, list, "Total Time", total[0], total[1], S(""));
    metric(w, list, "Memory Copy (exposed)", bars_ms(w, BAR_COPY, 0),
           bars_ms(w, BAR_COPY, 1), S(""));
    metric(w, list, "Communication (exposed)", bars_ms(w, BAR_COMM, 0),
           bars_ms(w, BAR_COMM, 1), S(""));
    metric(w, list, "Idle Time", idle[0], idle[1],
           isfinite(points) ? str_printf(w->tmp, ", %+.1f points of the time", points)
                            : S(""));
}

static void put_judgement(struct writer *w, const char *key, const struct judgement *j,
                          const char *what)
{
    cJSON *o = json_put_object(w->root, key);
    json_put(o, M("what", str_of(what)), M("verdict", verdict_words(j->verdict)),
             M("floor_pct", j->floor_pct), M("p", j->p), M("mde_pct", j->mde_pct),
             json_bool("tested", !isnan(j->p)),
             json_bool("has_mde", !isnan(j->mde_pct)),
             context_pair("interval", j->low_pct, j->high_pct));
}

/* Bytes or FLOP of a call by its time; NaN: no model. */
static double rate(const struct compared_row *r, int side, double of_call)
{
    const struct match *m = r->match;
    return m->ns[side] ? of_call * (double)m->n[side] / (double)m->ns[side] / 1e3
                       : (double)NAN;
}

static double efficiency_pct(const struct writer *w, const struct compared_row *r,
                             int side)
{
    const struct capture_row *row = r->of[side];
    const struct device_spec *d = w->c->of[side]->device;
    const struct match *m = r->match;
    if (!row || !d || !m->ns[side])
        return (double)NAN;
    enum roofline_bound bound;
    double least_us = expected_least_us(d, row, &bound);
    return 100 * least_us * 1e3 * (double)m->n[side] / (double)m->ns[side];
}

static cJSON *row_side(struct writer *w, const struct compared_row *r, int side)
{
    const struct match *m = r->match;
    const struct capture_row *row = r->of[side];
    double nan = (double)NAN, efficiency = efficiency_pct(w, r, side);
    cJSON *o = json_new();
    json_put(o, M("ms", compare_ms(w->c, m->ns[side])),
             M("us", m->n[side] ? (double)m->ns[side] / 1e3 / (double)m->n[side] : nan),
             M("n", m->n[side]), M("kernels", m->n_events[side]),
             M("tbs", rate(r, side, row ? row->byte : nan)),
             M("tflops", rate(r, side, row ? row->flop : nan)),
             M("efficiency_pct", efficiency),
             json_bool("has_efficiency", !isnan(efficiency)),
             M("kernel", m->kernel[side]),
             json_bool("has_kernel", m->kernel[side].n > 0),
             M("bound", bound_word(r->expected.bound[side])));
    return o;
}

static cJSON *row_context(struct writer *w, const struct compared_row *r)
{
    const struct match *m = r->match;
    const struct expected_ratio *x = &r->expected;
    cJSON *o = json_new();
    json_put(o, M("op", compared_name(r)), M("args", compared_args(r)),
             json_bool("has_args", compared_args(r).n > 0),
             M("module", compared_module(w->c, r)),
             json_bool("has_module", compared_module(w->c, r).n > 0),
             M("category", work_category_display(m->category)),
             M("level", match_level_word(m->level)), M("ref", row_side(w, r, 0)),
             M("cand", row_side(w, r, 1)),
             M("diff_ms", compare_ms(w->c, m->ns[1] - m->ns[0])),
             M("change", change(w, (double)m->ns[0], (double)m->ns[1])),
             M("change_pct", change_pct(w, (double)m->ns[0], (double)m->ns[1])));
    json_put(o, M("ratio", x->ratio), M("expected_low", x->low),
             M("expected_high", x->high), json_bool("interval", x->low != x->high),
             M("dev", x->dev), M("explained", explained_word(x->class)),
             json_bool("rated", x->class != EXPLAINED_NOT_RATED),
             M("reason", x->reason), M("severity", x->severity),
             M("explanation", x->explanation),
             M("verdict", verdict_words(r->judged.verdict)),
             M("floor_pct", r->judged.floor_pct),
             json_bool("less_than_floor", r->judged.verdict == VERDICT_WITHIN_FLOOR));
    return o;
}

static void put_details(struct writer *w)
{
    cJSON *list = json_put_array(w->root, "details");
    const cJSON *row;
    bool changed = false;
    int n = 0;
    for (int i = 0; i < w->r->n_opportunities && n < FAIR_ITEMS; i++) {
        cJSON *o = row_context(w, w->r->opportunities[i].row);
        json_put(o, M("number", ++n));
        json_push(list, o);
    }
    for (int32_t i = 0; i < w->c->n_rows && n < DETAILS; i++) {
        bool listed = false;
        for (int k = 0; k < w->r->n_opportunities && k < FAIR_ITEMS; k++)
            listed |= w->r->opportunities[k].row == &w->c->rows[i];
        if (listed)
            continue;
        cJSON *o = row_context(w, &w->c->rows[i]);
        json_put(o, M("number", ++n));
        json_push(list, o);
    }
    cJSON_ArrayForEach(row, list)
    {
        changed |= cJSON_IsFalse(cJSON_GetObjectItem(row, "less_than_floor"));
    }
    json_put(w->root, json_bool("any_changed", changed));
}

static void put_opportunities(struct writer *w)
{
    cJSON *list = json_put_array(w->root, "opportunities");
    for (int i = 0; i < w->r->n_opportunities && i < FAIR_ITEMS; i++) {
        const struct compare_opportunity *p = &w->r->opportunities[i];
        const struct expected_ratio *x = &p->row->expected;
        double expected = 100 * (x->high - 1);
        double saving = compare_ms(w->c, (int64_t)x->saving_ns);
        cJSON *o = row_context(w, p->row);
        json_put(o, M("number", i + 1),
                 M("icon", p->saving_pct >= 5   ? S("🔴")
                           : p->saving_pct >= 2 ? S("🟡")
                                                : S("🟢")),
                 M("slower_pct", fabs(100 * (x->ratio - 1))),
                 M("slower_way", x->ratio >= 1 ? S("slower") : S("faster")),
                 M("expected_pct", fabs(expected)),
                 M("expected_way", expected >= 0 ? S("slower") : S("faster")),
                 context_pair("saving_ms", saving / 2, saving),
                 context_pair("saving_pct", p->saving_pct / 2, p->saving_pct),
                 json_bool("capped", x->roofline_capped),
                 json_bool("same_device", x->same_device),
                 json_bool("same_kernel",
                           str_eq(p->row->match->kernel[0], p->row->match->kernel[1])));
        json_push(list, o);
    }
    json_put(w->root, json_bool("any_opportunity", w->r->n_opportunities > 0),
             json_bool("other_work", parity_is_other_work(w->c->parity)),
             context_some("more_opportunities", w->r->n_opportunities - FAIR_ITEMS));
}

static void put_rows(struct writer *w)
{
    cJSON *rows = json_put_array(w->root, "rows"),
          *only = json_put_array(w->root, "unmatched");
    int n = 0, n_only = 0, hidden = 0;
    for (int32_t i = 0; i < w->c->n_rows; i++) {
        bool one_sided = w->c->rows[i].match->level >= MATCH_ONLY_REFERENCE;
        int *count = one_sided ? &n_only : &n;
        if ((*count)++ >= ROUGH_ROWS) {
            hidden++;
            continue;
        }
        cJSON *o = row_context(w, &w->c->rows[i]);
        json_put(o, M("side", w->c->rows[i].match->level == MATCH_ONLY_CANDIDATE
                                  ? w->r->label[1]
                                  : w->r->label[0]));
        json_push(one_sided ? only : rows, o);
    }
    json_put(w->root, json_bool("any_unmatched", n_only > 0),
             context_some("more_rows", hidden));
}

static void put_class(struct writer *w, cJSON *classes, const struct compared_bar *b)
{
    const struct comparison *c = w->c;
    json_row(classes, M("part", b->name), M("ref_ms", compare_ms(c, b->kernel_ns[0])),
             M("cand_ms", compare_ms(c, b->kernel_ns[1])),
             M("count_ms", compare_ms(c, b->count_ns)),
             M("speed_ms", compare_ms(c, b->speed_ns)),
             M("only_ms", compare_ms(c, b->only_ns)),
             M("recast_ms", compare_ms(c, b->recast_ns)),
             M("overlap_ms", compare_ms(c, b->overlap_ns)),
             M("diff_ms", compare_ms(c, b->ns[1] - b->ns[0])),
             M("change_pct",
               change_pct(w, (double)b->kernel_ns[0], (double)b->kernel_ns[1])));
}

static void put_bars(struct writer *w)
{
    const struct comparison *c = w->c;
    cJSON *bars = json_put_array(w->root, "bars"),
          *classes = json_put_array(w->root, "classes");
    for (int i = 0; i < c->n_bars; i++) {
        const struct compared_bar *b = &c->bars[i];
        int64_t diff = b->ns[1] - b->ns[0];
        double ref = compare_ms(c, b->ns[0]), cand = compare_ms(c, b->ns[1]);
        json_row(bars, M("part", b->name), M("ref_ms", ref), M("cand_ms", cand),
                 M("diff_ms", compare_ms(c, diff)), M("change", change(w, ref, cand)),
                 M("change_pct", change_pct(w, ref, cand)));
        if (b->kind == BAR_CLASS)
            put_class(w, classes, b);
    }
    for (int i = 0; i < c->n_sums; i++)
        put_class(w, classes, &c->sums[i]);
}

static struct str recorded(struct str value)
{
    return value.n ? value : S("not recorded");
}

/* What one side alone has recorded. */
static void put_unknown(struct writer *w)
{
    const struct str of[2] = {
        str_printf(w->tmp, "in %.*s", STRF(compare_side(w->tmp, w->c, 0))),
        str_printf(w->tmp, "in %.*s", STRF(compare_side(w->tmp, w->c, 1)))};
    cJSON *list = json_put_array(w->root, "unknown");
    for (int side = 0; side < 2; side++) {
        struct str names = S("");
        for (int i = 0; i < w->c->n_setup; i++)
            if (!w->c->setup[i].value[side].n)
                names = str_printf(w->tmp, "%.*s%s%.*s", STRF(names),
                                   names.n ? ", " : "", STRF(w->c->setup[i].what));
        if (names.n)
            json_row(list, M("of", of[side]), M("list", names));
    }
}

/* Devices that nobody recorded are neither the same nor others. */
static struct str parity_of(struct writer *w)
{
    bool known = false;
    for (int i = 0; i < w->c->n_setup; i++)
        if (str_eq(w->c->setup[i].what, S("device")))
            known = w->c->setup[i].value[0].n && w->c->setup[i].value[1].n;
    if (known || (w->c->of[0]->device && w->c->of[1]->device))
        return parity_words(w->c->parity);
    return parity_is_other_work(w->c->parity)
               ? S("different work; the hardware is not recorded on both sides")
               : S("same work; the hardware is not recorded on both sides");
}

static void put_setup(struct writer *w)
{
    cJSON *list = json_put_array(w->root, "setup");
    int n = 0;
    for (int i = 0; i < w->c->n_setup; i++) {
        const struct setup_difference *s = &w->c->setup[i];
        bool told = s->differs && s->value[0].n && s->value[1].n;
        n += told;
        json_row(list, M("what", s->what), M("ref", recorded(s->value[0])),
                 M("cand", recorded(s->value[1])), json_bool("differs", s->differs),
                 json_bool("told", told), json_bool("allowed", s->allowed));
    }
    json_put(w->root, M("parity", parity_of(w)), json_bool("any_difference", n > 0));
}

static void put_measured(struct writer *w)
{
    cJSON *list = json_put_array(w->root, "measured");
    struct compared_measures all = compare_measures(w->tmp, w->c);
    for (int i = 0; i < all.n; i++) {
        const struct compared_measure *m = &all.rows[i];
        json_row(list, M("what", measure_title(m->of)),
                 M("ref", measure_text(w->tmp, m->of, m->value[0])),
                 M("cand", measure_text(w->tmp, m->of, m->value[1])));
    }
    json_put(w->root, json_bool("any_measured", all.n > 0));
}

enum { COLLECTIVES_SHOWN = 20, COMPILED_SHOWN = 20 };

static void put_layers(struct writer *w)
{
    cJSON *list = json_put_array(w->root, "layers");
    struct compared_layers told = compare_layers_told(w->tmp, w->c);
    bool idle = false;
    for (int i = 0; i < told.n; i++) {
        const struct compared_layer *l = &told.rows[i];
        bool same = str_eq(l->class[0], l -> class[1]);
        struct str n = l->place
                           ? str_printf(w->tmp, "%d of %d", (int)l->place, (int)l->n[1])
                       : l->n[0] == l->n[1]
                           ? str_printf(w->tmp, "%d", (int)l->n[1])
                           : str_printf(w->tmp, "%d / %d", (int)l->n[0], (int)l->n[1]);
        json_row(list, M("what", l->place ? l->name[1] : l->class[1]),
                 M("others", l->place || same ? S("") : l->class[0]), M("layers", n),
                 json_bool("mean", !l->place), M("ref_ms", l->call_ms[0]),
                 M("cand_ms", l->call_ms[1]), M("diff_pct", compared_layer_pct(l)),
                 M("ref_idle_ms", l->idle_ms[0]), M("cand_idle_ms", l->idle_ms[1]));
        idle |= !isnan(l->idle_ms[0]) || !isnan(l->idle_ms[1]);
    }
    json_put(w->root, json_bool("any_layer", told.n > 0), json_bool("any_idle", idle));
}

static void put_compiled(struct writer *w)
{
    cJSON *list = json_put_array(w->root, "compiled");
    struct compared_compiled all = compare_compiled(w->tmp, w->c);
    bool versions = false;
    for (int i = 0; i < all.n && i < COMPILED_SHOWN; i++) {
        context_lend(context_push(list), compared_code_fields(), &all.rows[i], w->c);
        versions |= all.rows[i].versions[0] || all.rows[i].versions[1];
    }
    json_put(w->root, json_bool("any_compiled", all.n > 0),
             json_bool("any_version", versions),
             context_some("compiled_left", all.n - COMPILED_SHOWN));
}

static void put_collectives(struct writer *w)
{
    cJSON *list = json_put_array(w->root, "collectives");
    struct compared_collectives all = compare_collectives(w->tmp, w->c);
    for (int i = 0; i < all.n && i < COLLECTIVES_SHOWN; i++)
        context_lend(context_push(list), compared_collective_fields(), &all.rows[i],
                     w->c);
    json_put(w->root, json_bool("any_collective", all.n > 0),
             context_some("collectives_left", all.n - COLLECTIVES_SHOWN));
}

static void put_levels(struct writer *w)
{
    cJSON *list = json_put_array(w->root, "levels");
    for (int l = 0; l < MATCH_LEVELS; l++) {
        double pct[2];
        for (int side = 0; side < 2; side++)
            pct[side] = w->c->device_ns[side]
                            ? 100.0 * (double)w->c->level_ns[l][side] /
                                  (double)w->c->device_ns[side]
                            : (double)NAN;
        if (w->c->level_rows[l])
            json_row(list, M("level", match_level_word((enum match_level)l)),
                     M("rows", w->c->level_rows[l]), M("ref_pct", pct[0]),
                     M("cand_pct", pct[1]));
    }
    const struct match_periods *p = &w->c->matches.periods;
    json_put(w->root,
             M("sequence",
               p->period[0] && p->period[1]
                   ? str_printf(w->tmp,
                                "%d repeated blocks of %d kernels in %.*s, "
                                "%d of %d in %.*s",
                                p->repeats[0], p->period[0],
                                STRF(compare_side(w->tmp, w->c, 0)), p->repeats[1],
                                p->period[1], STRF(compare_side(w->tmp, w->c, 1)))
                   : S("")));
}

static void put_results(struct writer *w)
{
    const struct compare_report *r = w->r;
    cJSON *list = json_put_array(w->root, "gates");
    for (int i = 0; i < r->n_gates; i++)
        json_row(list, M("gate", r->gates[i].of->text),
                 M("status", r->gates[i].of->warns && r->gates[i].status == GATE_FAILED
                                 ? S("warns")
                                 : gate_status_word(r->gates[i].status)),
                 M("says", r->gates[i].says));
    json_put(w->root, json_bool("any_gate", r->n_gates > 0));
    for (int k = 0; k < 2; k++) {
        list = json_put_array(w->root, k ? "gone_findings" : "new_findings");
        for (int i = 0; i < (k ? r->n_gone : r->n_new); i++) {
            const struct finding *f = k ? r->gone_findings[i] : r->new_findings[i];
            json_row(list, M("title", f->title),
                     M("priority", priority_word(f->priority)));
        }
    }
    json_put(w->root, json_bool("any_new", r->n_new > 0),
             json_bool("any_gone", r->n_gone > 0));
}

struct cJSON *compare_context(struct cJSON *root, struct arena *tmp,
                              const struct compare_report *r)
{
    struct writer w = {tmp, r, r->c, root};
    const struct comparison *c = r->c;
    const struct device_spec *devices[2] = {c->of[0]->device, c->of[1]->device};
    json_put(w.root, M("title", r->title), M("tool", r->tool_version),
             M("window", compare_window_words(tmp, c)),
             M("steps", c->selection.n_steps),
             json_bool("by_load", c->selection.by_load),
             M("load_pct", c->selection.load_pct),
             json_bool("other_load", c->selection.load_pct > 10),
             context_texts("verdict", r->verdict, r->n_verdict),
             context_texts("key_findings", r->key_findings, r->n_key_findings),
             context_texts("rest", r->verdict + r->n_lead, r->n_verdict - r->n_lead),
             M("result", r->result), M("cause", r->cause), M("action", r->action),
             M("idle_advice", r->idle_advice),
             M("memory_ratio", expected_memory_ratio(devices)),
             M("compute_ratio", expected_compute_ratio(devices, S("matrix_bf16"))),
             json_bool("has_ratios", !isnan(expected_memory_ratio(devices))));
    put_side(&w, "reference", 0);
    put_side(&w, "candidate", 1);
    put_executive(&w);
    put_judgement(&w, "wall", &c->wall, "Step");
    put_judgement(&w, "device_work", &c->device, "Device work");
    put_opportunities(&w);
    put_details(&w);
    put_rows(&w);
    put_bars(&w);
    put_setup(&w);
    put_measured(&w);
    put_layers(&w);
    put_compiled(&w);
    put_collectives(&w);
    put_unknown(&w);
    put_levels(&w);
    put_results(&w);
    return w.root;
}
