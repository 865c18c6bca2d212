/* replay.html: packages that run an operation alone. */
#include "render/replay_page.h"
#include "render/site_context.h"

#include "base/arena.h"

static void add_category(cJSON *row, const struct report *r, struct str kit)
{
    for (int i = 0; i < r->n_ops; i++) {
        const struct report_op *op = &r->ops[i];
        if (!str_eq(op->kit, kit) || op->category < 0)
            continue;
        const struct report_category *g = &r->categories[op->category];
        cJSON_DeleteItemFromObject(row, "category");
        ctx_category(row, "category", r, g->id, g->label);
        return;
    }
}

static void add_finding(cJSON *row, const struct report *r, struct str kit)
{
    for (int i = 0; i < r->n_findings; i++) {
        const struct report_finding *f = &r->findings[i];
        if (!str_eq(f->kit, kit))
            continue;
        cJSON_DeleteItemFromObject(row, "finding");
        cJSON_DeleteItemFromObject(row, "link");
        ctx_text(row, "finding", f->rank);
        ctx_format(row, "link", "recommendations.html#%.*s", STRF(f->anchor));
        return;
    }
}

/* The category of a package's operation, and the finding that speaks of it. */
static void add_report(cJSON *context, const struct report *r,
                       const struct replay_set *set)
{
    cJSON *row;
    const struct replay_package *p = set->packages;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(context, "packages"))
    {
        add_category(row, r, p->file);
        add_finding(row, r, p->file);
        p++;
    }
}

bool site_replay(struct site *s, struct arena tmp, struct err *e)
{
    if (!s->o->replay || (!s->r->n_kits && !s->r->n_refused))
        return true;
    cJSON *c = ctx_page(s, "replay.html", S("Replay"),
                        "How do I reproduce this operation alone?", tmp);
    replay_page_fill(c, s->o->replay, s->o->replay_files, tmp);
    add_report(c, s->r, s->o->replay);
    return ctx_write(s, "replay.html", "replay.html", c, tmp, e);
}
