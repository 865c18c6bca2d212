#include "store/lane_join.h"

#include <stdlib.h>

static bool is_apart(const struct event_store *s, const struct lane *l)
{
    return l->process_name >= 0 &&
           str_eq(pool_text(&s->names, l->process_name), S("CANN"));
}

/* To which lane each one's events belong; NULL: to their own. */
static int32_t *joined(const struct event_store *s)
{
    int32_t n_apart = 0;
    for (int32_t k = 0; k < s->n_lanes; k++)
        n_apart += is_apart(s, &s->lanes[k]);
    if (!n_apart)
        return NULL;
    int32_t *of = calloc((size_t)s->n_lanes, sizeof *of);
    int32_t *with = calloc((size_t)s->names.n + 1, sizeof *with); /* lane + 1, by tid */
    if (!of || !with)
        arena_full();
    for (event_id i = 0; i < s->n; i++)
        if ((s->cat[i] == CAT_CPU_OP || s->cat[i] == CAT_RUNTIME) &&
            !is_apart(s, &s->lanes[s->lane[i]]))
            with[s->lanes[s->lane[i]].tid] = s->lane[i] + 1;
    for (int32_t k = 0; k < s->n_lanes; k++) {
        int32_t thread = with[s->lanes[k].tid];
        of[k] = thread && is_apart(s, &s->lanes[k]) ? thread - 1 : k;
    }
    free(with);
    return of;
}

void lanes_join(struct event_store *s)
{
    int32_t *of = joined(s);
    for (event_id i = 0; of && i < s->n; i++)
        s->lane[i] = of[s->lane[i]];
    for (int32_t k = 0; of && k < s->n_arrows; k++)
        s->arrows[k].lane = of[s->arrows[k].lane];
    for (int32_t k = 0; of && k < s->n_edges; k++)
        s->edges[k].lane = of[s->edges[k].lane];
    free(of);
}
