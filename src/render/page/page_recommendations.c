/* recommendations.html: the ranked work list, each finding with its evidence. */
#include "render/page/finding_context.h"

#include "base/abilities.h"
#include "report/finding_argument.h"
#include "report/finding_shown.h"
#include "report/page_shown.h"

enum {
    OPEN_CARDS = 5,
    CARDS_MAX = 60,         /* what keeps the page below 8,000 elements */
    ROWS_FEW_FINDINGS = 10, /* of evidence, while there are at most FEW of them */
    ROWS_MANY_FINDINGS = 4,
    FEW = 20
};

static void add_overview(cJSON *c, const struct report *r)
{
    cJSON *overview = json_put_object(c, "overview");
    cJSON *rows = json_put_array(overview, "rows");
    for (int k = 0; k < r->n_findings && k < SITE_TABLE_ROWS; k++)
        finding_line(rows, r, &r->findings[k]);
    json_put(overview, context_some("left", r->n_findings - SITE_TABLE_ROWS));
}

/* Work that nothing can be said about: recording it does not change the program. */
static bool is_unassessed(const struct finding *f)
{
    return f->kind == FIND_UNMODELLED;
}

/* In the order of the list: by what each saves. */
static void add_cards(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    int rows = r->n_findings <= FEW ? ROWS_FEW_FINDINGS : ROWS_MANY_FINDINGS;
    int left = 0, shown = 0;
    cJSON *ranked = json_put_object(c, "ranked");
    cJSON *cards = json_put_array(ranked, "cards");
    for (int k = 0; k < r->n_findings; k++) {
        if (is_unassessed(r->findings[k].of) || !finding_has_card(r->findings[k].of))
            continue;
        if (shown == CARDS_MAX) {
            left++;
            continue;
        }
        cJSON *card = finding_card(cards, s, &r->findings[k], rows, tmp);
        json_put(card, json_bool("open", shown++ < OPEN_CARDS));
    }
    json_put(ranked, json_bool("none", shown == 0), context_some("left", left));
}

/* Whether it could have them: a profiler that cannot record shapes is not asked to. */
static bool lacks_shapes(const struct report_meta *m)
{
    return !m->has_shapes && (abilities_of(m->how)->has_shapes || m->shapes_hidden);
}

static void add_unassessed(cJSON *c, const struct report *r)
{
    const struct report_meta *m = &r->meta;
    const struct report_finding *f = NULL;
    for (int k = 0; k < r->n_findings && !f; k++)
        if (is_unassessed(r->findings[k].of))
            f = &r->findings[k];
    if (!m->has_gpu ||
        (!f && m->has_shapes && m->has_cpu_op && m->has_frames && !m->has_graphs))
        return;
    bool shapes = lacks_shapes(m),
         rest = !m->has_cpu_op || !m->has_frames || m->has_graphs;
    json_put(context_lend(json_put_object(c, "record"), shown_held_fields(), m, r),
             json_bool("lacks", shapes || rest), json_bool("lacks_shapes", shapes),
             context_told("work", shown_finding_fields(), f, r));
}

static void add_answer(cJSON *c, const struct report *r)
{
    int n[3] = {0}, notes = 0, modelled = 0;
    for (int k = 0; k < r->n_findings; k++) {
        notes += r->findings[k].of->informational;
        n[r->findings[k].of->tier] += !r->findings[k].of->informational;
    }
    for (int i = 0; i < r->n_ops; i++)
        modelled += r->ops[i].group->cost != NULL;
    json_put(
        c, json_bool("notes", notes > 0),
        json_bool("some_none", !n[TIER_COMPUTE] || !n[TIER_FUSION] || !n[TIER_SYSTEM]),
        json_bool("no_kernels", !n[TIER_COMPUTE]),
        json_bool("no_fusion", !n[TIER_FUSION]),
        json_bool("no_system", !n[TIER_SYSTEM]), F(r, n_ops), F(r, n_categories),
        json_bool("one_category", r->n_categories == 1), M("n_modelled", modelled),
        json_bool("has_frames", r->meta.has_frames));
    if (r->n_findings > notes) {
        cJSON *found = json_put_object(c, "found");
        json_put(found, M("n", r->n_findings - notes),
                 context_some("kernels", n[TIER_COMPUTE]),
                 context_some("fusion", n[TIER_FUSION]),
                 context_some("system", n[TIER_SYSTEM]));
    }
    if (r->n_findings && finding_has_gain(&r->findings[0].of->impact))
        json_put(c, context_told("first", shown_finding_fields(), r->findings, r));
}

bool site_recommendations(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "recommendations.html");
    timeline_context(c, r);
    add_answer(c, r);
    if (r->n_findings) {
        add_overview(c, r);
        ctx_chart(c, "gains", s, CHART_GAINS, -1, tmp);
    }
    add_cards(c, s, tmp);
    add_unassessed(c, r);
    return ctx_write(s, "recommendations.html", "recommendations.html", c, tmp, e);
}
