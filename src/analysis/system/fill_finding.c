#include "analysis/system/fill_finding.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/memory_finding.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "base/duration.h"

/* The row of kernels with most of that time; NULL: none, or rows were not asked for. */
static const struct kernel_row *longest_of(const struct op_tables *t, int64_t *few_ns)
{
    const struct kernel_row *longest = NULL;
    for (int32_t i = 0; t->fill.rows && i < t->kernels.n; i++) {
        const struct kernel_row *k = &t->kernels.rows[i];
        if (k->communicates || k->backlog || t->fill.rows[i].few_ns <= *few_ns)
            continue;
        longest = k;
        *few_ns = t->fill.rows[i].few_ns;
    }
    return longest;
}

void fill_finding(struct arena *perm, struct analysis *a)
{
    const struct device_fill *f = &a->tables->fill;
    int64_t longest_ns = 0;
    const struct kernel_row *k = longest_of(a->tables, &longest_ns);
    double few_ms = ms_of(f->work.few_ns);
    int n;
    if (!a->patterns || !(few_ms > 0))
        return;
    const struct work_fact facts[] = {
        FACT("empty_pct", f->work.empty_pct),
        FACT("few_pct", f->work.few_pct),
        FACT("known_pct", f->work.known_pct),
        FACT("communicates", f->work.kernel_ns < f->all.kernel_ns),
        FACT("units", device_fill_units(f)),
        FACT("n_units", (double)f->units.n),
        FACT("memory_free_pct", memory_free_pct(a)),
        FACT("kernel", k ? say(perm, "{}", said_name(k->kernel, 75)) : S("")),
        FACT("kernel_ms", ms_of(longest_ns))};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("fill"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (n == 0)
        return;
    struct finding *to = advised_finding(perm, a, hits, n, S("device"), few_ms);
    to->impact = to->impact_kernel = impact_of_ms(
        a, (double)NAN, (double)NAN, S("how long fuller kernels take is not known"));
}
