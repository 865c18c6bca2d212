#include "analysis/system/counters_finding.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/counter_clock.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "ops/trace_view.h"

static void add(struct arena *perm, struct analysis *a, const struct pattern_hit *hit)
{
    struct finding *to = advised_finding(perm, a, hit, 1, S("device"), 0);
    to->priority_basis = S("what counters of the device recorded");
    to->confidence = CONFIDENCE_HIGH;
    to->impact = to->impact_kernel =
        impact_of_ms(a, (double)NAN, (double)NAN, S("counters measure no time"));
}

void counters_finding(struct arena *perm, struct arena tmp, struct analysis *a)
{
    struct counters *c = a->counters;
    int n = 0;
    if (!c)
        return;
    c->clock = counter_clock_of(tmp, c, a, a->tables->view->timeline.start_ns);
    if (!a->patterns)
        return;
    const struct counter_clock *clock = &c->clock;
    const struct work_fact facts[] = {
        FACT("clock_low_pct", clock->low_pct),
        FACT("clock_low_mhz", number_rounded(clock->low_mhz, 0)),
        FACT("clock_high_mhz", number_rounded(clock->high_mhz, 0)),
        FACT("clock_from_ms", clock->from_ms),
        FACT("clock_to_ms", clock->to_ms),
        FACT("clock_rises", clock->rises),
        FACT("low_w", number_rounded(clock->low_w, 0)),
        FACT("high_w", number_rounded(clock->high_w, 0)),
        FACT("low_c", number_rounded(clock->low_c, 0)),
        FACT("slower", number_rounded(clock->slower, 2)),
        FACT("sm_pct", c->sm_pct),
        FACT("sm_low_pct", c->sm_low_pct),
        FACT("filled_pct", c->filled_pct)};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("counters"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    for (int i = 0; i < n; i++)
        add(perm, a, &hits[i]);
}
