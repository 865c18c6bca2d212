#include "ci/compare_summary.h"

#include "base/arena.h"
#include "base/describe.h"
#include "base/sha256.h"
#include "ci/run_summary.h"
#include "export/described_json.h"
#include "export/json_tree.h"
#include "render/text/html_text.h"

#include <cjson/cJSON.h>

enum { CHANGES_MAX = 5 };

/* A report with what is made of it here. */
struct told_comparison {
    const struct compare_report *r;
    const struct run_facts *facts;
    struct str label, lead, id;
};

/* The bars that differ most, of a step or of the recording. */
static struct field_items changes(const struct described *in)
{
    const struct comparison *c = ((const struct compare_report *)in->of)->c;
    int n = 0;
    while (n < c->n_bars && n < CHANGES_MAX && c->bars[n].ns[0] != c->bars[n].ns[1])
        n++;
    return (struct field_items){.first = c->bars, .n = n};
}

static double bar_ms(const struct described *in, int side)
{
    const struct compared_bar *b = in->of;
    const struct told_comparison *t = in->whole;
    return compare_ms(t->r->c, b->ns[side]);
}

TELL(double, reference_ms, compared_bar, it ? bar_ms(in, 0) : 0);
TELL(double, candidate_ms, compared_bar, it ? bar_ms(in, 1) : 0);
TELL(struct str, headline, told_comparison,
     it->r->n_verdict ? it->r->verdict[0] : S(""));
TELL(int64_t, n_reference, compare_report, it->c->n_captures[0]);
TELL(int64_t, n_candidate, compare_report, it->c->n_captures[1]);

static FIELDS(compared_bar, AS("label", name, TEXT),
              CALL(ref_ns, MS_IN_NS, reference_ms),
              CALL(cand_ns, MS_IN_NS, candidate_ms));
static VIEW(new_finding, finding, F(id, TEXT), ALSO(summed_finding), SAYS(waived, ""));
static VIEW(reference, compare_report, AS("label", label[0], TEXT),
            AS("device", platform[0], TEXT), CALL(captures, COUNT, n_reference));
static VIEW(candidate, compare_report, AS("label", label[1], TEXT),
            AS("device", platform[1], TEXT), CALL(captures, COUNT, n_candidate));
static FIELDS(compare_report, AS("tool", tool_version, TEXT), AS("model", title, TEXT),
              PART("reference", reference), PART("candidate", candidate),
              CALL_LIST(changes, compared_bar, changes),
              POINTERS("findings", new_findings, n_new, new_finding));
static VIEW(facts, run_facts, F(share_level, TEXT), F(report_url, NAME), F(date, NAME));
static VIEW(verdict, told_comparison, SAYS(kind, "comparison"),
            CALL(text, TEXT, headline), F(lead, TEXT));
static FIELDS(told_comparison, SAYS(schema, "1.2"), AS("report_id", id, TEXT),
              AS("run_label", label, TEXT), PART("verdict", verdict),
              MEMBERS_OF(r, compare_report), MEMBERS_OF(facts, facts));

struct cJSON *compare_summary(struct arena *tmp, const struct compare_report *r,
                              const struct run_facts *facts, struct str run_label)
{
    struct told_comparison t = {.r = r, .facts = facts, .label = run_label};
    for (int i = 1; i < r->n_verdict; i++)
        t.lead = str_printf(tmp, "%.*s%s%.*s", STRF(t.lead), t.lead.n ? " " : "",
                            STRF(r->verdict[i]));
    if (!run_label.n)
        t.label =
            str_printf(tmp, "%.*s against %.*s", STRF(r->label[1]), STRF(r->label[0]));
    char id[SHA256_HEX_BYTES];
    sha256_hex_of(str_printf(tmp, "%.*s %.*s", STRF(t.label), STRF(t.lead)), id);
    t.id = str_head(str_of(id), 16);
    const struct json_walk w = {.whole = &t, .tmp = tmp, .text = text_repaired};
    cJSON *o = described_json(told_comparison_fields(), &t, &w);
    json_sort_keys(o);
    return o;
}
