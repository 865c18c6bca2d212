/* recommendations.html: the ranked work list, each finding with its evidence. */
#include "render/page/finding_context.h"

#include "report/finding_argument.h"

#include <math.h>

enum {
    OPEN_CARDS = 5,
    CARDS_MAX = 60,         /* what keeps the page below 8,000 elements */
    ROWS_FEW_FINDINGS = 10, /* of evidence, while there are at most FEW of them */
    ROWS_MANY_FINDINGS = 4,
    FEW = 20
};

/* Worth a card: a note, or what saves 0.1 % of total time, now or once the host keeps
 * up.
 */
static bool has_card(const struct report_finding *f)
{
    const struct finding *of = f->of;
    return of->informational || !finding_is_slight(of) || isnan(of->impact.high_pct) ||
           (of->until >= 0 && of->impact_then.high_pct >= 0.1);
}

static void add_overview(cJSON *c, const struct report *r)
{
    cJSON *overview = json_put_object(c, "overview");
    cJSON *rows = json_put_array(overview, "rows");
    for (int k = 0; k < r->n_findings && k < SITE_TABLE_ROWS; k++) {
        const struct impact_range *x = &r->findings[k].of->impact;
        bool gains = finding_has_gain(x);
        cJSON *row = finding_line(rows, r, &r->findings[k]);
        json_put(row, json_bool("small", !has_card(&r->findings[k])),
                 M("save_ms", gains ? x->high_ms : 0.0),
                 M("save_pct", gains ? x->high_pct : 0.0));
    }
    json_put(overview, context_some("left", r->n_findings - SITE_TABLE_ROWS));
}

static void add_group(cJSON *c, const char *key, enum finding_tier tier,
                      const struct site *s, int *n_cards, struct arena tmp)
{
    const struct report *r = s->r;
    int rows = r->n_findings <= FEW ? ROWS_FEW_FINDINGS : ROWS_MANY_FINDINGS;
    int left = 0, shown = 0;
    cJSON *group = json_put_object(c, key);
    cJSON *cards = json_put_array(group, "cards");
    for (int k = 0; k < r->n_findings; k++) {
        if (r->findings[k].of->tier != tier || !has_card(&r->findings[k]))
            continue;
        if (*n_cards == CARDS_MAX) {
            left++;
            continue;
        }
        cJSON *card = finding_card(cards, s, &r->findings[k], rows, tmp);
        json_put(card, json_bool("open", k < OPEN_CARDS));
        ++*n_cards;
        shown++;
    }
    json_put(group, json_bool("none", shown + left == 0), context_some("left", left));
}

static void add_answer(cJSON *c, const struct report *r, struct arena tmp)
{
    int n[3] = {0}, notes = 0, modelled = 0;
    for (int k = 0; k < r->n_findings; k++) {
        notes += r->findings[k].of->informational;
        n[r->findings[k].of->tier] += !r->findings[k].of->informational;
    }
    for (int i = 0; i < r->n_ops; i++)
        modelled += r->ops[i].group->cost != NULL;
    json_put(c, json_bool("notes", notes > 0), F(r, n_ops), F(r, n_categories),
             json_bool("one_category", r->n_categories == 1), M("n_modelled", modelled),
             json_bool("has_frames", r->meta.has_frames));
    if (r->n_findings > notes) {
        cJSON *found = json_put_object(c, "found");
        json_put(found, M("n", r->n_findings - notes),
                 context_some("kernels", n[TIER_COMPUTE]),
                 context_some("fusion", n[TIER_FUSION]),
                 context_some("system", n[TIER_SYSTEM]));
    }
    if (r->n_findings && finding_has_gain(&r->findings[0].of->impact)) {
        cJSON *first = json_put_object(c, "first");
        json_put(first, M("rank", finding_rank(&r->findings[0])),
                 M("gain", finding_gain(&tmp, &r->findings[0].of->impact)));
    }
}

bool site_recommendations(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    int n_cards = 0;
    cJSON *c = ctx_page(s, "recommendations.html");
    timeline_context(c, r);
    add_answer(c, r, tmp);
    if (r->n_findings) {
        add_overview(c, r);
        ctx_chart(c, "gains", s, CHART_GAINS, -1, tmp);
    }
    add_group(c, "kernel_group", TIER_COMPUTE, s, &n_cards, tmp);
    add_group(c, "fusion_group", TIER_FUSION, s, &n_cards, tmp);
    add_group(c, "system_group", TIER_SYSTEM, s, &n_cards, tmp);
    return ctx_write(s, "recommendations.html", "recommendations.html", c, tmp, e);
}
