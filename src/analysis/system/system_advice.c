#include "analysis/system/system_advice.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/collective_kinds.h"

#include <math.h>

bool copies_are_small(const struct copy_result *c)
{
    if (c->count == 0)
        return false;
    bool few_bytes = c->bytes >= 0 && c->bytes / c->count < 65536;
    return few_bytes || (c->count > 50 && c->total_us / (double)c->count < 20);
}

struct pattern_hit *copy_advice(struct arena *perm, struct analysis *a,
                                enum copy_direction d, const struct copy_result *c,
                                int *n)
{
    double count = (double)c->count;
    bool joins = c->n_ops && name_has(c->ops[0].caller, "broadcast_coalesced");
    bool saves =
        c->n_ops && name_has(c->ops[0].caller, "serialization|checkpoint|save");
    const struct work_fact facts[] = {FACT("direction", copy_direction_word(d)),
                                      FACT("count", count),
                                      FACT("total_ms", c->total_us / 1e3),
                                      FACT("exposed_ms", c->exposed_us / 1e3),
                                      FACT("mean_us", c->total_us / count),
                                      FACT("saves", saves),
                                      FACT("small", copies_are_small(c)),
                                      FACT("room_ms", a->computation_ms),
                                      FACT("joins_buffers", joins),
                                      FACT("waited", (double)c->waited_count),
                                      FACT("repeated", (double)c->repeated_count),
                                      FACT("between_devices", (double)c->peer_count),
                                      FACT("pinned", (double)c->pinned_count),
                                      FACT("pageable", (double)c->pageable_count)};
    return pattern_host_about(a->patterns, perm, a, S("copies"), facts,
                              (int)(sizeof facts / sizeof *facts), n);
}

double comm_room_ms(const struct analysis *a, const struct multi_kernel_result *r)
{
    return fmax(0, a->computation_ms - (r->comm_merged_ms - a->exposed_comm_ms));
}

struct pattern_hit *comm_advice(struct arena *perm, struct analysis *a,
                                const struct multi_kernel_result *r, int *n)
{
    enum comm_kind_id longest = COMM_OTHER;
    for (int k = 0; k < COMM_OTHER; k++)
        if (r->comm[k].max_us > r->comm[longest].max_us || !r->comm[longest].count)
            longest = (enum comm_kind_id)k;
    const struct comm_kind *c = &r->comm[longest];
    enum comm_kind_id most = collective_most_exposed(r->comm);
    const struct comm_kind *e = &r->comm[most];
    struct work_fact facts[COMM_FACTS + 13] = {
        FACT("most_kind", comm_kind_word(most)),
        FACT("late_count", (double)e->late_count),
        FACT("late_calls", (double)e->count),
        FACT("late_ms", e->late_us / 1e3),
        FACT("late_median_us", e->median_us),
        FACT("exposed_ms", a->exposed_comm_ms),
        FACT("comm_ms", r->comm_merged_ms),
        FACT("room_ms", comm_room_ms(a, r)),
        FACT("longest_kind", comm_kind_word(longest)),
        FACT("longest_ms", c->max_us / 1e3),
        FACT("longest_ratio", c->median_us > 0 ? c->max_us / c->median_us : 0),
        FACT("longest_mib", c->mib),
        FACT("longest_median_ms", c->median_us / 1e3)};
    int n_facts = collective_kinds_facts(r->comm, r->step_count, facts, 13);
    return pattern_host_about(a->patterns, perm, a, S("communication"), facts, n_facts,
                              n);
}

struct str hits_text(struct arena *perm, const struct pattern_hit *hits, int n,
                     bool kernel)
{
    struct str all = S("");
    for (int i = 0; i < n; i++) {
        struct str one = kernel ? hits[i].path_b : hits[i].path_a;
        if (one.n)
            all = say(perm, "{}{}{}", said(all), said(all.n ? " " : ""), said(one));
    }
    return all;
}
