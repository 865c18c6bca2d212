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
        if (is_unassessed(r->findings[k].of) || !has_card(&r->findings[k]))
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

/* What the trace lacks, what that hides, and what records it. */
static void add_lacks(cJSON *c, const struct report_meta *m)
{
    const struct {
        bool lacks;
        const char *what, *hides, *how;
    } all[] = {{!m->has_shapes, "Shapes of arguments",
                "efficiency and replay packages: a model needs sizes",
                m->shapes_hidden ? "left out on request: run without `--hide-shapes`"
                                 : "`record_shapes=True`"},
               {!m->has_cpu_op, "Host operations",
                "which operation launched a kernel, and why the device waits",
                "`activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`"},
               {!m->has_frames, "Python stacks",
                "modules and source lines, and with them fusion candidates",
                "`with_stack=True`"},
               {m->has_graphs, "Operations of replayed graphs",
                "their names and shapes: a replay leaves only names of kernels",
                "one step without graph replay: `--enforce-eager` of vLLM, "
                "`--disable-cuda-graph` of SGLang"}};
    cJSON *rows = json_put_array(c, "rows");
    int n = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].lacks && ++n)
            json_row(rows, J("what", all[k].what), J("hides", all[k].hides),
                     J("how", all[k].how));
    json_put(c, json_bool("lacks", n > 0));
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
    cJSON *record = json_put_object(c, "record");
    add_lacks(record, m);
    if (f)
        json_put(json_put_object(record, "work"), M("finding_id", f->anchor),
                 M("insight", f->of->issue), M("advice", f->of->algorithmic));
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
    if (r->n_findings && finding_has_gain(&r->findings[0].of->impact)) {
        cJSON *first = json_put_object(c, "first");
        json_put(first, M("rank", finding_rank(&r->findings[0])),
                 M("gain", finding_gain(&tmp, &r->findings[0].of->impact)));
    }
}

bool site_recommendations(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "recommendations.html");
    timeline_context(c, r);
    add_answer(c, r, tmp);
    if (r->n_findings) {
        add_overview(c, r);
        ctx_chart(c, "gains", s, CHART_GAINS, -1, tmp);
    }
    add_cards(c, s, tmp);
    add_unassessed(c, r);
    return ctx_write(s, "recommendations.html", "recommendations.html", c, tmp, e);
}
