/* The two opening sentences of a report. */
#include "report/report_parts.h"

#include "analysis/model/number_text.h"

static struct str busy_sentence(struct arena *a, const struct report *r)
{
    struct str pct = number_pct(a, r->timeline.busy_pct);
    struct str total = number_ms(a, r->timeline.total_ms);
    if (!r->meta.has_gpu)
        return S("The trace holds no device events: there is no GPU time to analyse.");
    if (r->timeline.total_ms <= 0.0)
        return S("No device event of the trace has a launch call: without them there "
                 "is no GPU time to analyse.");
    if (!r->n_categories)
        return str_printf(a, "The GPU was busy %.*s %% of %.*s ms.", STRF(pct),
                          STRF(total));
    const struct report_category *c = &r->categories[0];
    struct str share = number_pct(a, c->share_pct);
    return str_printf(a,
                      "The GPU was busy %.*s %% of %.*s ms. %.*s operations are the "
                      "largest share (%.*s %% of kernel time).",
                      STRF(pct), STRF(total), STRF(c->label), STRF(share));
}

static struct str count_of(struct arena *a, int64_t n, const char *one)
{
    char *word = str_c(a, number_word(a, n));
    if (word[0] >= 'a' && word[0] <= 'z')
        word[0] = (char)(word[0] - 'a' + 'A');
    return str_printf(a, "%s %s%s", word, one, n == 1 ? "" : "s");
}

static struct str findings_sentence(struct arena *a, const struct report *r)
{
    const struct report_finding *first = NULL;
    int64_t n = 0;
    for (int k = 0; k < r->n_findings; k++) {
        if (r->findings[k].of->informational)
            continue;
        n++;
        if (!first)
            first = &r->findings[k];
    }
    if (!n)
        return S("");
    struct str count = count_of(a, n, "finding");
    if (!(first->of->impact.high_ms > 0.0))
        return str_printf(a, "%.*s; the first is: %.*s.", STRF(count),
                          STRF(first->of->title));
    struct str ms =
        number_range_ms(a, first->of->impact.low_ms, first->of->impact.high_ms);
    struct str pct =
        number_range_pct(a, first->of->impact.low_pct, first->of->impact.high_pct);
    return str_printf(a,
                      "%.*s; the first alone could save an estimated %.*s ms (%.*s %% "
                      "of total time): %.*s.",
                      STRF(count), STRF(ms), STRF(pct), STRF(first->of->title));
}

/* " The first five together: 310 to 340 ms (34 to 37 %).", of one replay; or nothing.
 */
static struct str together_sentence(struct arena *a, const struct analysis *of)
{
    const struct impact_range *x = &of->together;
    if (of->no_system_impact || of->n_together < 2 || !(x->high_ms > 0))
        return S("");
    struct str n = number_word(a, of->n_together),
               ms = number_range_ms(a, x->low_ms, x->high_ms),
               pct = number_range_pct(a, x->low_pct, x->high_pct);
    return str_printf(a, " The first %.*s together: %.*s ms (%.*s %%).", STRF(n),
                      STRF(ms), STRF(pct));
}

void report_verdict_fill(const struct report_source *s, struct report *r)
{
    r->verdict = busy_sentence(s->perm, r);
    r->lead = findings_sentence(s->perm, r);
    if (r->lead.n)
        r->lead = str_printf(s->perm, "%.*s%.*s", STRF(r->lead),
                             STRF(together_sentence(s->perm, s->a)));
}
