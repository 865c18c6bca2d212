/* Fusion candidates as contexts. */
#include "render/markdown/markdown_parts.h"

#include "base/out.h"

#include <math.h>

void md_fusion_kernels(cJSON *o, const struct fusion_candidate *c)
{
    cJSON *list = json_put_array(o, "kernels");
    json_put(o, M("kernel_count", c->n_kernels));
    for (int i = 0; i < c->n_kernels; i++)
        json_row(list, F(&c->kernels[i], name), F(&c->kernels[i], label),
                 F(&c->kernels[i], mean_us),
                 json_bool("has_model", isfinite(c->kernels[i].in_mb)));
}

/* Told by what both count. */
static bool is_made_of(const struct finding *f, const struct fusion_candidate *c)
{
    return f->tier == TIER_FUSION && c->accepted && f->count == c->instances &&
           fabs(f->time_ms - c->total_ms) < 1e-6;
}

static const struct finding *finding_made_of(const struct md *m,
                                             const struct fusion_candidate *c)
{
    for (int i = 0; i < m->r->n_findings; i++)
        if (is_made_of(m->r->findings[i].of, c))
            return m->r->findings[i].of;
    return NULL;
}

const struct fusion_candidate *md_candidate(const struct md *m, int finding)
{
    const struct fusion_result *f = &m->system->fusion;
    const struct fusion_candidate *last = NULL;
    for (int i = 0; i < f->n_candidates; i++)
        if (finding_made_of(m, &f->candidates[i]) == m->r->findings[finding].of)
            last = &f->candidates[i];
    return last;
}

/* The modules around it, outermost first; the analysis has the nearest first. */
static struct str chain_text(struct arena *a, const struct fusion_candidate *c)
{
    struct out o;
    out_memory(&o);
    for (int i = c->n_parents - 1; i >= 0; i--) {
        out_str(&o, c->parent_chain[i]);
        out_c(&o, i ? " > " : "");
    }
    return out_text(&o, a);
}

static cJSON *put_candidate(cJSON *list, const struct md *m,
                            const struct fusion_candidate *c)
{
    const struct finding *f = c->accepted ? finding_made_of(m, c) : NULL;
    bool around = c->n_products > 0 && c->fused_us > 0;
    cJSON *o = json_row(
        list, F(c, module), M("place", c->base.n ? c->base : c->module), F(c, pattern),
        M("chain", chain_text(m->tmp, c)),
        context_word("confidence", confidence_word(c->confidence)), F(c, instances),
        F(c, total_ms), F(c, saving_ms), F(c, gross_ms),
        M("around_us", around ? c->fused_us : (double)NAN),
        M("moved_mb",
          !around && c->fused_us > 0 && c->moved_mb > 0 ? c->moved_mb : (double)NAN),
        F(c, fused_us), M("action", f ? f->algorithmic : S("")));
    json_put(o, md_impact(&c->impact));
    json_put(o, json_bool("is_accepted", c->accepted), F(c, reason));
    md_fusion_kernels(o, c);
    return o;
}

void md_fusion(struct md *m)
{
    enum { MOST_CANDIDATES = 60 };
    const struct fusion_result *f = &m->system->fusion;
    cJSON *o = json_put_object(m->root, "fusion");
    cJSON *first = json_put_array(o, "first"),
          *accepted = json_put_array(o, "accepted");
    int types = 0;
    status_context(o, f->status, f->error);
    for (int i = 0; i < f->n_candidates; i++) {
        if (i >= MOST_CANDIDATES && i >= f->n_accepted)
            break;
        cJSON *one =
            put_candidate(i < MOST_CANDIDATES ? first : accepted, m, &f->candidates[i]);
        if (i < f->n_accepted && i < MOST_CANDIDATES)
            context_push_ref(accepted, one);
        bool new_type = i < f->n_accepted;
        for (int k = 0; k < i && new_type; k++)
            new_type = !str_eq(f->candidates[k].module, f->candidates[i].module);
        types += new_type;
    }
    json_put(
        o, M("count", f->n_candidates), M("accepted_count", f->n_accepted),
        context_some("more_accepted", f->n_accepted - 1),
        json_bool("any", f->n_candidates > 0), json_bool("some", f->n_accepted > 0),
        context_some("more", f->n_candidates - MOST_CANDIDATES), M("types", types));
}
