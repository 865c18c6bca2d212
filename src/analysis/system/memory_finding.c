#include "analysis/system/memory_finding.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/memory_peak.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"

static double gib(double bytes)
{
    return number_rounded(bytes / (double)(1 << 30), 2);
}

static void add(struct arena *perm, struct analysis *a, const struct pattern_hit *hit)
{
    struct finding *to = advised_finding(perm, a, hit, 1, S("memory"), 0);
    to->priority_basis = S("how much memory is left");
    to->confidence = CONFIDENCE_HIGH;
    to->impact = to->impact_kernel =
        impact_of_ms(a, (double)NAN, (double)NAN,
                     S("memory limits the batch, not the time of a step"));
}

double memory_free_pct(const struct analysis *a)
{
    double device = trace_device(a->tables->facts.machine).bytes;
    double reserved = a->memory ? (double)a->memory->reserved_most : 0;
    return device > 0 && reserved > 0 ? fmax(0, 100 * (1 - reserved / device)) : 0;
}

void memory_finding(struct arena *perm, struct analysis *a)
{
    const struct memory_peak *m = a->memory;
    double device = trace_device(a->tables->facts.machine).bytes;
    int n = 0;
    if (!a->patterns || !m || !(device > 0) || m->reserved_most <= 0 ||
        m->peak_bytes <= 0)
        return;
    double reserved = (double)m->reserved_at_peak, peak = (double)m->peak_bytes;
    const struct work_fact facts[] = {
        FACT("reserved_pct", 100 * (double)m->reserved_most / device),
        FACT("reserved_gib", gib((double)m->reserved_most)),
        FACT("device_gib", gib(device)),
        FACT("peak_gib", gib(peak)),
        FACT("unused_pct", reserved > 0 ? 100 * (reserved - peak) / reserved : 0),
        FACT("activation_gib", gib((double)m->kind_bytes[MEMORY_ACTIVATION])),
        FACT("workspace_gib", gib((double)m->kind_bytes[MEMORY_WORKSPACE]))};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("memory"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    for (int i = 0; i < n; i++)
        add(perm, a, &hits[i]);
}
