/* Facts of elementwise work: the baseline that simple streaming reaches in this trace.
 */
#include "analysis/facts/fact_maker.h"

#include "analysis/facts/operand_cast.h"
#include "analysis/facts/work_category.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/stack/tree_index.h"
#include "base/out.h"
#include "ops/op_tables.h"

#include <math.h>

/* Sides of length 1 may have any stride, and one of stride 0 is read once: neither says
 * anything about the order. */
static bool is_transposed(const struct row_arg *t)
{
    int64_t last = INT64_MAX;
    for (int i = 0; t->has_strides && i < t->rank; i++) {
        if (t->dim[i] <= 1 || t->stride[i] == 0)
            continue;
        if (t->stride[i] > last)
            return true;
        last = t->stride[i];
    }
    return false;
}

static bool is_channels_last(const struct row_arg *t)
{
    return t->rank >= 4 && t->has_strides && t->stride[1] == 1 &&
           t->stride[t->rank - 1] == t->dim[1];
}

/* Which full-shape operands are not row-major. If all are channels-last, that order is
 * as good as any and none counts. */
static void add_orders(struct fact_maker *m, struct work_row *r,
                       const struct row_args *args)
{
    int64_t most = 0;
    int full = 0, channels_last = 0, transposed = 0;
    struct out o;
    for (int i = 0; i < args->n; i++)
        if (row_arg_elements(&args->at[i]) > most)
            most = row_arg_elements(&args->at[i]);
    out_memory(&o);
    for (int i = 0; i < args->n; i++) {
        const struct row_arg *t = &args->at[i];
        if (t->rank == 0 || row_arg_elements(t) != most)
            continue;
        full++;
        channels_last += is_channels_last(t);
        if (!is_transposed(t))
            continue;
        out_printf(&o, transposed++ ? " and %d" : "%d", i + 1);
    }
    bool told = transposed > 0 && channels_last < full;
    struct str which = out_text(&o, m->perm);
    work_set(m->perm, r, FACT("non_row_major", told));
    if (told)
        work_set(m->perm, r,
                 FACT("transposed_operands",
                      say(m->perm, "operand{} {}", said(transposed > 1 ? "s" : ""),
                          said(which))));
}

static bool casts(const struct work_row *r, const struct row_args *args)
{
    struct str first = S("");
    if (!name_is(name_without_namespace(r->name), "copy_|_to_copy|to"))
        return false;
    for (int i = 0; i < args->n; i++) {
        if (args->at[i].rank == 0)
            continue;
        if (first.n > 0 && !str_eq(first, args->at[i].type))
            return true;
        first = args->at[i].type;
    }
    return false;
}

/* A copy that prepares the operands of attention: next to the row's first call there
 * are an attention call and two more copies. The finding about attention then covers
 * it. 1 for attention, 2 for its backward pass alone, 0 for neither. */
static int attention_beside(struct fact_maker *m, const struct work_row *r)
{
    enum { MOST = 64, COPIES = 3 };
    const double LEAST_PCT = 0.5; /* of compute: anything less is not a finding */
    const struct op_call_row *first = r->group->first;
    if (!m->tree || first->synthetic || first->event < 0 || !op_is_copy(first->name) ||
        !(r->compute_pct >= LEAST_PCT))
        return 0;
    struct arena tmp = *m->perm; /* scratch after what is kept */
    int32_t n, copies = 1, attention = 0, backward = 0;
    event_id *beside = tree_siblings(&tmp, m->tree, first->event, MOST, &n);
    for (int32_t i = 0; i < n; i++) {
        event_id op = row_operator_in(m->tree, beside[i]);
        struct str name = op < 0 ? S("") : store_name(m->tree->v->s, op);
        copies += op_is_copy(name);
        attention += op_is_attention(name);
        backward += op_is_attention(name) && work_is_backward(S(""), name);
    }
    return copies < COPIES || !attention ? 0 : attention == backward ? 2 : 1;
}

static void add_operand_casts(struct fact_maker *m, struct work_row *r)
{
    const double LEAST_PCT = 0.1; /* of compute: smaller rows are not looked at */
    const struct op_tables *t = m->a->tables;
    int64_t of[2] = {0};
    for (int32_t k = 0; r->compute_pct >= LEAST_PCT && k < r->group->n; k++) {
        int at =
            operand_cast(t->view, t->judged.calls.rows[r->group->members[k]].event);
        if (at >= 0)
            of[at > 0]++;
    }
    if (of[0])
        work_set(m->perm, r, FACT("input_casts", (double)of[0]));
    if (of[1])
        work_set(m->perm, r, FACT("weight_casts", (double)of[1]));
}

void facts_elementwise_row(struct fact_maker *m, struct work_row *r,
                           const struct row_args *args)
{
    bool cast = casts(r, args);
    work_set(m->perm, r, FACT("elementwise_class", elementwise_class(r->name)),
             FACT("dtype_cast", cast));
    if (cast)
        add_operand_casts(m, r);
    int beside = attention_beside(m, r);
    if (beside)
        work_set(m->perm, r, FACT("beside_attention", beside));
    add_orders(m, r, args);
}

struct baseline {
    double simple_tb_per_s, tb_per_s;
    bool assumed;
};

/* Exactly these names, as the technique prescribes. Launch-sized rows and copies from
 * or to the host do not count in the weighted figure: they would reduce it to a
 * third. */
static struct baseline baseline_of(const struct category_result *c,
                                   double peak_tb_per_s)
{
    struct baseline b = {(double)NAN, (double)NAN, true};
    double simple = 0, weighted = 0, ms = 0;
    int n = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct work_row *r = &c->rows[i];
        double tb = r->efficiency.tb_per_s;
        struct str op = r->name;
        if (!isfinite(tb) ||
            (!str_eq(op, S("aten::add_")) && !str_eq(op, S("aten::mul")) &&
             !str_eq(op, S("aten::copy_"))))
            continue;
        simple += tb;
        n++;
        if (r->mean_us < 20 || work_number(r, "memcpy_only") > 0 ||
            r->efficiency.anomaly)
            continue;
        weighted += tb * r->time_ms;
        ms += r->time_ms;
    }
    if (n > 0)
        b.simple_tb_per_s = simple / n;
    b.assumed = !(ms > 0);
    b.tb_per_s = b.assumed ? ASSUMED_BASELINE_PCT / 100 * peak_tb_per_s : weighted / ms;
    return b;
}

/* Norms are judged against the same figure. They come later, so theirs is set here too;
 * without elementwise rows it is assumed (facts_norm.c). */
void facts_elementwise_category(struct fact_maker *m, struct category_result *c)
{
    work_set(m->perm, c,
             FACT("convolution_pct", m->a->categories[WORK_CONVOLUTION].compute_pct));
    double cast_pct = 0, weight_pct = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct work_row *r = &c->rows[i];
        double weights = work_number(r, "weight_casts");
        if (work_number(r, "dtype_cast") > 0)
            cast_pct += r->compute_pct;
        if (weights > 0)
            weight_pct += r->compute_pct * weights / (double)r->count;
    }
    work_set(m->perm, c, FACT("cast_pct", cast_pct));
    if (weight_pct > 0)
        work_set(m->perm, c, FACT("weight_cast_pct", weight_pct));
    if (!m->a->tables->device || m->a->tables->device->memory_gb_per_s <= 0)
        return;
    double peak_tb_per_s = m->a->tables->device->memory_gb_per_s / 1000;
    struct baseline b = baseline_of(c, peak_tb_per_s);
    work_set(m->perm, c, FACT("baseline_tbs_simple", b.simple_tb_per_s),
             FACT("baseline_tbs", b.tb_per_s));
    double pct = 100 * b.tb_per_s / peak_tb_per_s;
    set_baseline(m, c, pct, b.assumed);
    set_baseline(m, &m->a->categories[WORK_BATCHNORM], pct, b.assumed);
    set_baseline(m, &m->a->categories[WORK_NORM], pct, b.assumed);
}
