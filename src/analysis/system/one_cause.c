#include "analysis/system/one_cause.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"

struct finding *one_cause_of(const struct analysis *a, struct str cause)
{
    for (int i = 0; i < a->n_findings && cause.n; i++)
        if (a->findings[i].idle && str_eq(a->findings[i].cause, cause))
            return &a->findings[i];
    return NULL;
}

/* `f` takes what another finding says, saves and shows, and that one is gone. */
static void take(struct arena *perm, struct analysis *a, struct finding *f, int at)
{
    const struct finding *of = &a->findings[at];
    f->time_ms += of->time_ms;
    f->total_pct += of->total_pct;
    f->issue = say(perm, "{} {}", said(f->issue), said(of->issue));
    f->impact = f->impact_kernel = impact_of_ms(
        a, f->impact.low_ms + of->impact.low_ms, f->impact.high_ms + of->impact.high_ms,
        say(perm, "{}, and {}", said(f->impact.basis), said(of->impact.basis)));
    for (int k = 0; k < of->n_evidence; k++)
        finding_evidence(perm, f, of->evidence[k].text);
    finding_remove(a, at);
}

void one_cause_take(struct arena *perm, struct analysis *a, struct finding *f, int at,
                    double exposed_ms)
{
    f->copies = a->findings[at].copies;
    f->whole_ms = (double)f->idle->total_ns / 1e6 + exposed_ms;
    take(perm, a, f, at);
}

void one_cause_join(struct arena *perm, struct analysis *a, double exposed_ms)
{
    int last = a->n_findings - 1;
    struct finding *f = one_cause_of(a, a->findings[last].cause);
    if (f)
        one_cause_take(perm, a, f, last, exposed_ms);
}

void one_cause_add_late(struct arena *perm, struct analysis *a)
{
    struct finding *f = &a->findings[a->n_findings - 1];
    for (int i = 0; i < a->n_findings - 1 && !f->idle; i++) {
        const struct finding *late = &a->findings[i];
        if (!late->idle || !str_eq(late->pattern, S("host_late_copies")))
            continue;
        f->idle = late->idle;
        f->whole_ms += (double)late->idle->total_ns / 1e6;
        take(perm, a, f, i);
        return;
    }
}
