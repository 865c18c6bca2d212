#include "ci/compare_summary.h"

#include "base/sha256.h"
#include "ci/run_summary.h"
#include "render/text/context.h"

#include <math.h>

enum { CHANGES_MAX = 5 };

/* The bars that differ most, of a step or of the recording. */
static cJSON *changes(const struct comparison *c)
{
    cJSON *list = json_list();
    for (int i = 0; i < c->n_bars && i < CHANGES_MAX; i++) {
        const struct compared_bar *b = &c->bars[i];
        if (b->ns[0] == b->ns[1])
            break;
        json_row(list, context_text("label", b->name),
                 J("ref_ns", (int64_t)llround(compare_ms(c, b->ns[0]) * 1e6)),
                 J("cand_ns", (int64_t)llround(compare_ms(c, b->ns[1]) * 1e6)));
    }
    return list;
}

static cJSON *side(const struct compare_report *r, int k)
{
    return json_object(context_text("label", r->label[k]),
                       context_text("device", r->platform[k]),
                       J("captures", r->c->n_captures[k]));
}

struct cJSON *compare_summary(struct arena *tmp, const struct compare_report *r,
                              const struct run_facts *facts, struct str run_label)
{
    cJSON *findings = json_list();
    for (int i = 0; i < r->n_new; i++)
        json_push(findings, json_put(finding_summary(tmp, r->new_findings[i]->id,
                                                     r->new_findings[i]),
                                     json_null("waived")));
    struct str lead = S("");
    for (int i = 1; i < r->n_verdict; i++)
        lead = str_printf(tmp, "%.*s%s%.*s", STRF(lead), lead.n ? " " : "",
                          STRF(r->verdict[i]));
    struct str label = run_label.n ? run_label
                                   : str_printf(tmp, "%.*s against %.*s",
                                                STRF(r->label[1]), STRF(r->label[0]));
    struct str identity = str_printf(tmp, "%.*s %.*s", STRF(label), STRF(lead));
    char id[SHA256_HEX_BYTES];
    sha256_hex_of(identity, id);
    cJSON *verdict =
        json_object(J("kind", "comparison"),
                    context_text("text", r->n_verdict ? r->verdict[0] : S("")),
                    context_text("lead", lead));
    cJSON *o = json_object(
        J("schema", "1.1"), J("tool", r->tool_version),
        J("report_id", str_head(str_of(id), 16)), context_text("run_label", label),
        context_text("model", r->title), J("verdict", verdict),
        J("share_level", facts->share_level), json_opt("report_url", facts->report_url),
        json_opt("date", facts->date), J("reference", side(r, 0)),
        J("candidate", side(r, 1)), J("changes", changes(r->c)),
        J("findings", findings));
    json_sort_keys(o);
    return o;
}
