/* Fusion candidates as contexts. */
#include "render/markdown/markdown_parts.h"

#include "base/out.h"
#include "render/markdown/markdown_fields.h"

#include <math.h>

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

const struct fusion_candidate *md_candidate_of(const struct md *m, int finding)
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
    cJSON *o = context_lend(context_push(list), md_candidate_fields(), c, m->r);
    return json_put(o, M("chain", chain_text(m->tmp, c)),
                    M("action", f ? f->algorithmic : S("")));
}

void md_fusion(struct md *m)
{
    enum { MOST_CANDIDATES = 60 };
    const struct fusion_result *f = &m->system->fusion;
    cJSON *o =
        context_lend(json_put_object(m->root, "fusion"), md_fusion_fields(), f, m->r);
    cJSON *first = json_put_array(o, "first"),
          *accepted = json_put_array(o, "accepted");
    int types = 0;
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
    json_put(o, context_some("more_accepted", f->n_accepted - 1),
             context_some("more", f->n_candidates - MOST_CANDIDATES),
             M("types", types));
}
