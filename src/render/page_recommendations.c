/* recommendations.html: the ranked work list, each finding with its evidence. */
#include "render/finding_context.h"

#include "base/arena.h"
#include "render/sentence.h"
#include "render/table_context.h"
#include "report/finding_argument.h"
#include "report/report_numbers.h"

#include <math.h>

enum {
    OPEN_CARDS = 5,
    CARDS_MAX = 60,         /* what keeps the page below 8,000 elements */
    ROWS_FEW_FINDINGS = 10, /* of evidence, while there are at most FEW of them */
    ROWS_MANY_FINDINGS = 4,
    FEW = 20
};

static struct str level_word(const struct report_finding *f)
{
    return f->informational ? S("note") : finding_level(f->priority);
}

/* ---- overview ---- */

static void overview_row(cJSON *table, const struct report *r,
                         const struct report_finding *f, struct arena tmp)
{
    cJSON *row = table_row(table, S(""));
    cell_text(row, finding_rank(f));
    cell_link(row, str_printf(&tmp, "#%.*s", STRF(f->anchor)),
              sentence_plain(&tmp, f->title));
    cell_severity(row, level_word(f));
    cell_category(row, r, f->category, f->category_label);
    cell_ms(row, f->time_ms, tmp);
    cell_pct(row, f->total_pct, tmp);
    bool gains = finding_gain(&tmp, &f->impact).n > 0;
    cell_number(row,
                gains ? number_range_ms(&tmp, f->impact.low_ms, f->impact.high_ms)
                      : S("—"),
                gains ? f->impact.high_ms : 0.0);
    cell_number(row,
                gains ? number_range_pct(&tmp, f->impact.low_pct, f->impact.high_pct)
                      : S("—"),
                gains ? f->impact.high_pct : 0.0);
    cell_text(row, f->confidence);
}

static void add_overview(cJSON *c, const struct report *r, struct arena tmp)
{
    cJSON *t = table_open(S("t-findings"), S("All findings in their order"));
    table_column(t, "Rank", false);
    table_column(t, "Finding", false);
    table_column(t, "Priority", false);
    table_column(t, "Category", false);
    table_column(t, "Time, ms", true);
    table_column(t, "of total time, %", true);
    table_column(t, "Could save, ms", true);
    table_column(t, "Could save, % of total", true);
    table_column(t, "Confidence", false);
    for (int k = 0; k < r->n_findings && k < SITE_TABLE_ROWS; k++)
        overview_row(t, r, &r->findings[k], tmp);
    if (r->n_findings > SITE_TABLE_ROWS)
        table_fold(t, str_printf(&tmp, "%d more findings are in report.json",
                                 r->n_findings - SITE_TABLE_ROWS));
    else
        table_sortable(t);
    cJSON_AddItemToObject(c, "overview", t);
}

/* ---- the cards ---- */

struct group {
    enum report_tier tier;
    const char *group_id, *title, *about;
};

static const struct group groups[] = {
    {REPORT_COMPUTE, "kernels", "Kernels",
     "Operations that take long for what they compute, by operation and arguments."},
    {REPORT_FUSION, "fusion", "Fusion (experimental)",
     "Kernels that follow each other in one module and could be one kernel."},
    {REPORT_SYSTEM, "system", "System",
     "Time in which the device waits: for the host, for copies, for other ranks."}};

static struct str none_text(const struct report *r, enum report_tier tier,
                            struct arena *a)
{
    int modelled = 0;
    for (int i = 0; i < r->n_ops; i++)
        modelled += r->ops[i].has_model;
    switch (tier) {
    case REPORT_COMPUTE:
        return str_printf(a,
                          "None found. Looked at %d operations in %d categories, %d of "
                          "them with a performance model.",
                          r->n_ops, r->n_categories, modelled);
    case REPORT_FUSION:
        return r->meta.has_frames
                   ? S("None found. Looked at the kernels of every module that "
                       "repeats.")
                   : S("None found: the trace holds no Python frames, so kernels "
                       "cannot "
                       "be grouped by module. Record with with_stack=True.");
    default:
        return str_printf(a,
                          "None found. Looked at idle time (%.*s %% of total time), "
                          "copies and communication.",
                          STRF(number_pct(a, r->timeline.idle_pct)));
    }
}

static void add_group(cJSON *list, const struct site *s, const struct group *g,
                      int *n_cards, struct arena tmp)
{
    const struct report *r = s->r;
    int rows = r->n_findings <= FEW ? ROWS_FEW_FINDINGS : ROWS_MANY_FINDINGS;
    int left = 0, shown = 0;
    cJSON *item = cJSON_CreateObject();
    ctx_text(item, "group_id", str_of(g->group_id));
    ctx_text(item, "title", str_of(g->title));
    ctx_text(item, "about", str_of(g->about));
    cJSON *cards = cJSON_AddArrayToObject(item, "cards");
    for (int k = 0; k < r->n_findings; k++) {
        if (r->findings[k].tier != g->tier)
            continue;
        if (*n_cards == CARDS_MAX) {
            left++;
            continue;
        }
        cJSON_AddItemToArray(
            cards, finding_card(s, &r->findings[k], k < OPEN_CARDS, rows, tmp));
        ++*n_cards;
        shown++;
    }
    ctx_text(item, "none", shown + left ? S("") : none_text(r, g->tier, &tmp));
    ctx_text(item, "fold",
             left ? str_printf(&tmp, "%d more findings are in report.json.", left)
                  : S(""));
    cJSON_AddItemToArray(list, item);
}

/* ---- the page ---- */

static struct str count_word(struct arena *a, int n)
{
    return n ? str_printf(a, "%d", n) : S("none");
}

static struct str answer(const struct report *r, struct arena *a)
{
    int n[3] = {0}, notes = 0, all = 0;
    for (int k = 0; k < r->n_findings; k++) {
        notes += r->findings[k].informational;
        n[r->findings[k].tier] += !r->findings[k].informational;
        all += !r->findings[k].informational;
    }
    if (!all)
        return notes ? S("Nothing to change: no finding is above the reporting "
                         "threshold. There are notes.")
                     : S("Nothing to change: no finding is above the reporting "
                         "threshold.");
    return str_printf(a,
                      "%d finding%s: %.*s in kernels, %.*s in fusion, %.*s in the "
                      "system.",
                      all, all == 1 ? "" : "s", STRF(count_word(a, n[REPORT_COMPUTE])),
                      STRF(count_word(a, n[REPORT_FUSION])),
                      STRF(count_word(a, n[REPORT_SYSTEM])));
}

static void add_lead(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct report_finding *f = r->n_findings ? &r->findings[0] : NULL;
    struct str gain = f ? finding_gain(&tmp, &f->impact) : S("");
    if (gain.n)
        ctx_format(c, "lead",
                   "The first, %.*s, could save an estimated %.*s. Gains are "
                   "not additive; rank, priority and confidence are three facts.",
                   STRF(finding_rank(f)), STRF(gain));
}

bool site_recommendations(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    int n_cards = 0;
    cJSON *c = ctx_page(s, "recommendations.html", S("Recommendations"),
                        "What should be done, in which order, and why?", tmp);
    ctx_text(c, "answer", answer(r, &tmp));
    add_lead(c, r, tmp);
    if (r->n_findings) {
        ctx_toc(c, "#overview", "Overview");
        add_overview(c, r, tmp);
        ctx_chart(c, "gains", s, CHART_GAINS, -1, tmp);
    }
    cJSON *list = cJSON_AddArrayToObject(c, "groups");
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        add_group(list, s, &groups[g], &n_cards, tmp);
        struct str href = str_printf(&tmp, "#%s", groups[g].group_id);
        ctx_toc(c, str_c(&tmp, href), groups[g].title);
    }
    return ctx_write(s, "recommendations.html", "recommendations.html", c, tmp, e);
}
