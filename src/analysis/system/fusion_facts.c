#include "analysis/system/fusion_facts.h"

#include "analysis/model/name_match.h"
#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "base/out.h"
#include "kernels/kernel_name.h"
#include "ops/op_groups.h"

static struct work_row *own_row(struct analysis *a, const struct work_row *r)
{
    struct category_result *c = &a->categories[r->category];
    return &c->rows[r - c->rows];
}

static enum kernel_label label_of(const struct fusion_candidate *c, int i)
{
    return kernel_label_of(c->kernels[i].name);
}

bool fusion_is_light(const struct fusion_candidate *c)
{
    for (int i = 0; i < c->n_kernels; i++) {
        enum kernel_label l = label_of(c, i);
        if (!kernel_label_is_light(l) && l != KERNEL_REDUCE &&
            l != KERNEL_NORMALIZATION && l != KERNEL_SOFTMAX)
            return false;
    }
    return c->n_kernels > 0;
}

static struct str op_of(const struct fusion_kernel *k)
{
    return k->op.n ? k->op : k->label;
}

int fusion_kernel_count(const struct fusion_candidate *c)
{
    int n = 0;
    for (int i = 0; i < c->n_kernels; i++)
        n += !c->kernels[i].is_setup;
    return n;
}

/* The first from `i` on that is no setup, or the number of all. */
static int next_kernel(const struct fusion_candidate *c, int i)
{
    while (i < c->n_kernels && c->kernels[i].is_setup)
        i++;
    return i;
}

struct str fusion_ops_text(struct arena *perm, const struct fusion_candidate *c,
                           bool no_products)
{
    enum { MOST = 6 };
    struct out o;
    int n = 0;
    out_memory(&o);
    for (int i = next_kernel(c, 0), next; i < c->n_kernels; i = next) {
        int run = 1;
        struct str op = op_of(&c->kernels[i]);
        for (next = next_kernel(c, i + 1);
             next < c->n_kernels && str_eq(op_of(&c->kernels[next]), op);
             next = next_kernel(c, next + 1))
            run++;
        bool skip = no_products && (kernel_label_is_matrix(label_of(c, i)) ||
                                    (c->n_products > 0 && c->kernels[i].stays));
        if (!skip && n < MOST) {
            out_c(&o, n ? ", " : "");
            out_str(&o, op);
            if (run > 1)
                out_printf(&o, " x%d", run);
        }
        n += !skip;
    }
    out_c(&o, n > MOST ? ", ..." : "");
    return out_text(&o, perm);
}

static struct str slowest_op(const struct fusion_candidate *c)
{
    int slowest = 0;
    for (int i = 1; i < c->n_kernels; i++)
        if (c->kernels[i].mean_us > c->kernels[slowest].mean_us)
            slowest = i;
    return c->n_kernels ? op_of(&c->kernels[slowest]) : S("");
}

static struct str label_behind(const struct fusion_candidate *c,
                               const struct work_row *r)
{
    for (int i = 0; i < c->n_kernels; i++) {
        int next = next_kernel(c, i + 1);
        for (int32_t k = 0; k < r->group->n_kernels && next < c->n_kernels; k++)
            if (str_eq(c->kernels[i].name, r->group->kernels[k].name))
                return kernel_label_word(label_of(c, next));
    }
    return S("");
}

static void set_chain(struct arena *perm, struct work_row *r,
                      const struct fusion_candidate *c, struct str ops)
{
    if (work_number(r, "chain_ms") >= c->total_ms)
        return;
    work_set(
        perm, r, FACT("chain_ops", ops), FACT("chain_kernels", fusion_kernel_count(c)),
        FACT("chain_instances", (double)c->instances), FACT("chain_ms", c->total_ms),
        FACT("chain_saving_ms", c->saving_ms), FACT("chain_pattern", c->pattern),
        FACT("chain_module", c->base.n ? c->base : c->module),
        FACT("chain_slowest", slowest_op(c)), FACT("chain_light", fusion_is_light(c)),
        FACT("chain_next", label_behind(c, r)));
}

/* A chain without a place of its own is told once, not again at each row. */
void fusion_facts_set(struct arena *perm, struct analysis *a)
{
    const struct fusion_result *f = a->system ? &a->system->fusion : NULL;
    for (int i = 0; f && i < f->n_candidates; i++) {
        const struct fusion_candidate *c = &f->candidates[i];
        struct str ops = fusion_ops_text(perm, c, false);
        for (int k = 0; k < c->n_rows && c->accepted && !c->is_chain; k++)
            set_chain(perm, own_row(a, c->rows[k]), c, ops);
    }
}

static bool is_told_already(const struct finding *f)
{
    double ms = 0, told_ms = 0;
    for (int i = 0; i < f->n_rows; i++) {
        ms += f->rows[i]->time_ms;
        if (work_number(f->rows[i], "in_unfused_attention") > 0)
            told_ms += f->rows[i]->time_ms;
    }
    return f->tier == TIER_FUSION && ms > 0 && told_ms >= 0.5 * ms;
}

/* A fused chain absorbs the work around a product; the product itself stays, and may be
 * slow for its own reasons. */
static bool stays_itself(const struct work_row *r)
{
    return r->category == WORK_GEMM || r->category == WORK_CONVOLUTION ||
           r->category == WORK_SDPA_FWD || r->category == WORK_SDPA_BWD ||
           r->category == WORK_MOE_FUSED;
}

void fusion_claim_rows(struct analysis *a)
{
    int n = 0;
    for (int i = 0; i < a->n_findings; i++)
        if (!is_told_already(&a->findings[i]))
            a->findings[n++] = a->findings[i];
    a->n_findings = n;
    for (int i = 0; i < n; i++) {
        const struct finding *f = &a->findings[i];
        if (f->tier != TIER_FUSION || f->informational || !f->claims_rows)
            continue;
        for (int k = 0; k < f->n_rows; k++) {
            struct work_row *r = own_row(a, f->rows[k]);
            if (r->claimed_by < 0 && !stays_itself(r))
                r->claimed_by = i;
        }
    }
}
