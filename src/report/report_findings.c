/* Findings of the analysis, joined to the operations they stand on. */
#include "report/report_parts.h"

static struct report_range range_of(struct impact_range i)
{
    return (struct report_range){i.low_pct, i.high_pct, i.low_ms, i.high_ms, i.basis};
}

static struct str kind_word(enum finding_kind k)
{
    static const char *const words[] = {[FIND_BOTTLENECK] = "bottleneck",
                                        [FIND_PATTERN] = "pattern",
                                        [FIND_UNMODELLED] = "unmodelled",
                                        [FIND_SYSTEM] = "system",
                                        [FIND_FUSION] = "fusion"};
    return str_of(words[k]);
}

static struct str confidence_word(enum confidence c)
{
    static const char *const words[] = {[CONFIDENCE_LOW] = "low",
                                        [CONFIDENCE_MEDIUM] = "medium",
                                        [CONFIDENCE_HIGH] = "high"};
    return str_of(words[c]);
}

static void fill_ops(const struct report_source *s, struct report *r, int index,
                     const struct finding *f)
{
    struct report_finding *out = &r->findings[index];
    out->ops = arena_new(s->perm, int, f->n_rows);
    for (int k = 0; k < f->n_rows; k++) {
        ptrdiff_t op = f->rows[k]->group - s->t->unified.rows;
        if (op >= r->n_ops)
            continue;
        out->ops[out->n_ops++] = (int)op;
        /* Notes do not claim: the first finding that does is named beside the row. */
        if (r->ops[op].finding < 0 && !f->informational)
            r->ops[op].finding = index;
    }
}

static void fill_projection(const struct report_source *s, const struct finding *f,
                            struct report_finding *out)
{
    out->n_projection = f->n_projection;
    out->projection = arena_new(s->perm, struct report_projection, f->n_projection);
    for (int k = 0; k < f->n_projection; k++)
        out->projection[k] = (struct report_projection){
            f->projection[k].target_pct, f->projection[k].time_ms,
            f->projection[k].e2e_pct, f->projection[k].op_pct};
}

static void fill_finding(const struct report_source *s, const struct finding *f,
                         struct report_finding *out)
{
    static const enum report_tier tiers[] = {[TIER_COMPUTE] = REPORT_COMPUTE,
                                             [TIER_FUSION] = REPORT_FUSION,
                                             [TIER_SYSTEM] = REPORT_SYSTEM};
    static const enum report_priority priorities[PRIORITIES] = {
        REPORT_LOW, REPORT_MEDIUM, REPORT_HIGH, REPORT_CRITICAL};
    *out = (struct report_finding){
        .id = f->id,
        .tier = tiers[f->tier],
        .tier_number = f->tier_number,
        .global_rank = f->global_rank,
        .category = work_category_name(f->category),
        .category_label = work_category_display(f->category),
        .kind = kind_word(f->kind),
        .pattern = f->pattern,
        .title = f->title,
        .name = f->op,
        .slot = figure_slot_of(work_category_name(f->category)),
        .priority = priorities[f->priority],
        .priority_basis = f->priority_basis,
        .issue = f->issue,
        .algorithmic = f->algorithmic,
        .kernel = f->kernel,
        .confidence = confidence_word(f->confidence),
        .count = f->count,
        .time_ms = f->time_ms,
        .compute_pct = f->compute_pct,
        .total_pct = f->total_pct,
        .category_pct = f->category_pct,
        .efficiency_pct = f->efficiency_pct,
        .bound = f->bound == BOUND_COMPUTE  ? REPORT_BOUND_COMPUTE
                 : f->bound == BOUND_MEMORY ? REPORT_BOUND_MEMORY
                                            : REPORT_BOUND_NONE,
        .peak = f->peak,
        .achieved = f->achieved,
        .impact = range_of(f->impact),
        .impact_kernel = range_of(f->impact_kernel),
        .evidence = f->evidence,
        .n_evidence = f->n_evidence,
        .replay_recommended = f->replay_recommended,
        .informational = f->informational,
    };
    fill_projection(s, f, out);
}

/* "K3": P3 of its tier. Those that are not on the short list are numbered behind it. */
static struct str rank_of(const struct report_source *s, const struct report *r, int k)
{
    static const char letters[] = {
        [REPORT_COMPUTE] = 'K', [REPORT_FUSION] = 'F', [REPORT_SYSTEM] = 'S'};
    enum report_tier tier = r->findings[k].tier;
    int number = r->findings[k].tier_number, last = 0, behind = 0;
    for (int i = 0; i < r->n_findings; i++) {
        const struct report_finding *f = &r->findings[i];
        if (f->tier != tier)
            continue;
        last = f->tier_number > last ? f->tier_number : last;
        behind += i <= k && f->tier_number < 1;
    }
    return str_printf(s->perm, "%c%d", letters[tier],
                      number > 0 ? number : last + behind);
}

void report_findings_fill(const struct report_source *s, struct report *r)
{
    const struct analysis *a = s->a;
    struct id_set ids = id_set_make(s->perm, a->n_findings);
    r->n_findings = a->n_findings;
    r->findings = arena_new(s->perm, struct report_finding, a->n_findings);
    for (int k = 0; k < a->n_findings; k++)
        fill_finding(s, &a->findings[k], &r->findings[k]);
    for (int k = 0; k < a->n_findings; k++) {
        r->findings[k].anchor = id_take(&ids, "f", r->findings[k].id);
        r->findings[k].rank = rank_of(s, r, k);
        fill_ops(s, r, k, &a->findings[k]);
    }
}
