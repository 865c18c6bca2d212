/* replay.html: packages that run an operation alone. */
#include "render/replay_page.h"
#include "render/site_context.h"

#include "base/arena.h"

/* The finding that speaks of an operation, for the row of its package. */
static void add_findings(cJSON *context, const struct report *r,
                         const struct replay_set *set)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(context, "packages");
    for (int k = 0; k < set->n_packages; k++) {
        cJSON *row = cJSON_GetArrayItem(rows, k);
        for (int i = 0; i < r->n_findings; i++) {
            const struct report_finding *f = &r->findings[i];
            if (!str_eq(f->kit, set->packages[k].file))
                continue;
            cJSON_DeleteItemFromObject(row, "finding");
            cJSON_DeleteItemFromObject(row, "link");
            ctx_text(row, "finding", f->rank);
            ctx_format(row, "link", "recommendations.html#%.*s", STRF(f->anchor));
            break;
        }
    }
}

bool site_replay(struct site *s, struct arena tmp, struct err *e)
{
    if (!s->o->replay || (!s->r->n_kits && !s->r->n_refused))
        return true;
    cJSON *c = ctx_page(s, "replay.html", S("Replay"),
                        "How do I reproduce this operation alone?", tmp);
    replay_page_fill(c, s->o->replay, s->o->replay_files, tmp);
    add_findings(c, s->r, s->o->replay);
    return ctx_write(s, "replay.html", "replay.html", c, tmp, e);
}
