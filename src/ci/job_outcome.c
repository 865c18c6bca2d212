#include "ci/job_outcome.h"

#include "base/arena.h"
#include "base/sha256.h"
#include "base/unknown.h"
#include "export/described_json.h"
#include "export/json_tree.h"
#include "render/text/html_text.h"
#include "report/job/job_fields.h"

#include <cjson/cJSON.h>
#include <math.h>

/* From this share of the run a late rank is a finding of high severity. */
static const double HIGH_FRAC = 0.05;

static void put_verdict(struct arena *tmp, cJSON *o, const char *kind,
                        const struct str *sentences, int n)
{
    struct str lead = S("");
    struct str text = n ? str_printf(tmp, "%.*s.", STRF(sentences[0])) : S("");
    for (int i = 1; i < n; i++)
        lead = str_printf(tmp, "%.*s%s%.*s.", STRF(lead), lead.n ? " " : "",
                          STRF(sentences[i]));
    cJSON *verdict = json_put_object(o, "verdict");
    json_put(verdict, J("kind", kind), J("text", text_repaired(tmp, text)),
             J("lead", text_repaired(tmp, lead)));
}

static cJSON *outcome_of(struct arena *tmp, struct str tool, struct str id,
                         const struct run_facts *f, struct str run_label)
{
    return json_object(J("schema", "1.2"), J("tool", tool), J("report_id", id),
                       J("run_label", text_repaired(tmp, run_label)),
                       J("series", text_repaired(tmp, f->series)), J("date", f->date),
                       J("share_level", f->share_level),
                       J("report_url", f->report_url));
}

static struct json_member part_of(const char *key, bool known, double part)
{
    return known ? json_exact(key, part) : json_null(key);
}

/* A rank that is named: to be looked at beside one that is not. */
static void put_late(struct arena *tmp, cJSON *list, const struct job *j,
                     const struct job_rank *r)
{
    struct str id = str_printf(tmp, "rank-%d", r->rank);
    struct str cause = text_repaired(tmp, r->cause.n ? r->cause : S("mixed"));
    double pct = 100 * (double)r->save_ns / fmax(1, (double)j->identity_ns);
    bool known = r->has_whatif && r->save_ns >= 0;
    struct str issue = str_printf(
        tmp, "Rank %d is late (%.*s) and causes %.0f%% of the waiting of all ranks.",
        r->rank, STRF(cause),
        j->wait_ns > 0 ? 100 * r->blame / (double)j->wait_ns : 0.0);
    struct str action = str_printf(
        tmp,
        "Compare rank %d with another one: tracefolio compare CAPTURES:rank=N "
        "CAPTURES:rank=%d -o difference.",
        r->rank, r->rank);
    json_row(
        list, J("id", id), J("key", id), J("rank", id), J("issue", issue),
        J("title",
          str_printf(tmp, "Find out why rank %d is late: %.*s", r->rank, STRF(cause))),
        J("action", action), J("rule", "job.late-rank"), J("category", "job"),
        J("group", "Ranks that others wait for"),
        J("severity", priority_word(known && pct >= 100 * HIGH_FRAC ? PRIORITY_HIGH
                                                                    : PRIORITY_MEDIUM)),
        J("confidence", job_verdict_word(j->verdict)),
        json_bool("informational", false), json_null("waived"),
        part_of("gain_low_pct", known, pct), part_of("gain_high_pct", known, pct),
        part_of("gain_low_ns", known, (double)r->save_ns),
        part_of("gain_high_ns", known, (double)r->save_ns));
}

/* One that fails does not fail the build: what has to hold is asked by gates. */
static void put_checks(struct arena *tmp, cJSON *o, const struct job_report *r)
{
    cJSON *list = json_put_array(json_put_object(o, "checks"), "list");
    for (int i = 0; i < r->n_checks; i++) {
        const struct job_check *c = &r->checks[i];
        json_row(list, J("name", c->what), J("value", text_repaired(tmp, c->says)),
                 J("what_to_do", ""),
                 J("result", !c->evaluated ? "not_evaluated"
                             : c->good     ? "passed"
                                           : "warning"));
    }
}

struct cJSON *job_outcome(struct arena *tmp, const struct job_report *r,
                          const struct run_facts *facts, struct str run_label)
{
    const struct job *j = r->j;
    const struct job_summary figures = {.r = r};
    struct str label = run_label.n
                           ? run_label
                           : str_printf(tmp, "job of %d %s", j->n_ranks,
                                        str_plural(j->n_ranks, "rank", "ranks"));
    cJSON *o = outcome_of(tmp, r->tool_version, r->id, facts, label);
    put_verdict(tmp, o, "job", r->verdict, r->n_verdict);
    put_checks(tmp, o, r);
    cJSON *findings = json_put_array(o, "findings");
    for (int i = 0; i < j->n_named; i++)
        put_late(tmp, findings, j, &j->ranks[j->named[i]]);
    cJSON *told = document_json(job_summary_fields(), &figures, *tmp);
    json_put(told, json_bool("stepped", j->n_steps > 1 && j->step_ns > 0));
    json_put(o, J("job", told));
    json_sort_keys(o);
    return o;
}

/* Of a step or the run of the mean rank, parts that differ; the largest first. */
static void put_changes(struct arena *tmp, cJSON *o, const struct job_comparison *c)
{
    cJSON *list = json_put_array(o, "changes");
    bool told[JOB_PARTS] = {false};
    for (int n = 0; n < JOB_PARTS; n++) {
        int most = -1;
        double by = 0, ns[2] = {0};
        for (int p = 0; p < JOB_PARTS; p++) {
            double d =
                fabs(job_compared_part_ns(c, 1, p) - job_compared_part_ns(c, 0, p));
            if (!told[p] && d > by) {
                most = p;
                by = d;
            }
        }
        if (most < 0)
            return;
        told[most] = true;
        for (int side = 0; side < 2; side++)
            ns[side] = round(job_compared_part_ns(c, side, most));
        json_row(list, J("label", str_copy(tmp, job_part_word((enum job_part)most))),
                 json_exact("ref_ns", ns[0]), json_exact("cand_ns", ns[1]));
    }
}

struct cJSON *job_difference(struct arena *tmp, const struct job_comparison *c,
                             struct str tool, const struct run_facts *facts,
                             struct str run_label)
{
    char id[SHA256_HEX_BYTES];
    struct str both = str_printf(tmp, "%.*s against %.*s", STRF(c->of[1]->label),
                                 STRF(c->of[0]->label));
    sha256_hex_of(str_printf(tmp, "%.*s %.*s", STRF(c->of[1]->id), STRF(c->of[0]->id)),
                  id);
    cJSON *o = outcome_of(tmp, tool, str_head(str_of(id), 16), facts,
                          run_label.n ? run_label : both);
    put_verdict(tmp, o, "comparison", c->verdict, c->n_verdict);
    put_changes(tmp, o, c);
    json_put_array(o, "findings");
    json_sort_keys(o);
    return o;
}
