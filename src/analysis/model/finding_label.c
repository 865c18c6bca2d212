#include "analysis/model/finding_label.h"

#include "base/arena.h"

struct str finding_label(struct arena *perm, const struct analysis *a, int finding)
{
    static const char letters[] = {
        [TIER_COMPUTE] = 'K', [TIER_FUSION] = 'F', [TIER_SYSTEM] = 'S'};
    enum finding_tier tier = a->findings[finding].tier;
    int number = a->findings[finding].tier_number, last = 0, behind = 0;
    for (int i = 0; i < a->n_findings; i++) {
        const struct finding *f = &a->findings[i];
        if (f->tier != tier)
            continue;
        last = f->tier_number > last ? f->tier_number : last;
        behind += i <= finding && f->tier_number < 1;
    }
    return str_printf(perm, "%c%d", letters[tier], number > 0 ? number : last + behind);
}
