#include "report/replay/replay_choice.h"

#include <string.h>

/* The seeds' rule. */
#define REPLAY_COMPUTE_PCT    10.0
#define REPLAY_EFFICIENCY_PCT 30.0

static bool wants_package(const struct finding *f)
{
    return f->tier == TIER_COMPUTE && f->replay_recommended &&
           f->compute_pct > REPLAY_COMPUTE_PCT &&
           f->efficiency_pct < REPLAY_EFFICIENCY_PCT; /* false if unknown */
}

static void add_request(struct replay_request *to, int32_t *n, struct str op)
{
    for (int32_t k = 0; k < *n; k++)
        if (str_eq(to[k].op, op))
            return;
    to[(*n)++].op = op;
}

struct replay_request *replay_choose(struct arena *perm, struct arena tmp,
                                     const struct analysis *a, const char *mode,
                                     int32_t *n)
{
    *n = 0;
    if (strcmp(mode, "none") == 0)
        return NULL;
    if (strcmp(mode, "all") == 0)
        return replay_top(perm, tmp, a->tables, -1, n);
    if (strcmp(mode, "auto") != 0)
        return replay_requests(perm, str_of(mode), n);
    int32_t rows = 0;
    for (int i = 0; i < a->n_findings; i++)
        rows += a->findings[i].n_rows;
    struct replay_request *to = arena_new(perm, struct replay_request, rows);
    for (int i = 0; i < a->n_findings; i++)
        for (int k = 0; wants_package(&a->findings[i]) && k < a->findings[i].n_rows;
             k++)
            add_request(to, n, a->findings[i].rows[k]->name);
    return to;
}

static void mark_kits(struct arena *perm, struct report *r, const struct replay_set *s)
{
    r->kits = arena_new(perm, struct report_kit, s->n_packages);
    for (int i = 0; i < s->n_packages; i++)
        r->kits[i] = (struct report_kit){s->packages[i].file, s->packages[i].n_calls,
                                         s->packages[i].total_us / 1e3};
    for (int i = 0; i < r->n_ops; i++) {
        const struct replay_package *p = replay_package_of(s, r->ops[i].row->name);
        if (p)
            r->ops[i].kit = p->file;
    }
    for (int i = 0; i < r->n_findings; i++)
        for (int k = 0; k < r->findings[i].n_ops && !r->findings[i].kit.n; k++)
            r->findings[i].kit = r->ops[r->findings[i].ops[k]].kit;
}

/* The reason recorded for an operation; empty: none. */
static struct str reason_there(const struct report *r, struct str name)
{
    for (int i = 0; i < r->n_no_kits; i++)
        if (str_eq(r->no_kits[i].name, name))
            return r->no_kits[i].reason;
    return S("");
}

static void mark_no_kits(struct arena *perm, struct report *r,
                         const struct replay_set *s)
{
    r->no_kits = arena_new(perm, struct report_no_kit, s->n_refusals + r->n_findings);
    for (int i = 0; i < s->n_refusals; i++)
        r->no_kits[r->n_no_kits++] =
            (struct report_no_kit){s->refusals[i].op, s->refusals[i].reason};
    for (int i = 0; i < r->n_findings; i++) {
        struct report_finding *f = &r->findings[i];
        if (f->of->tier != TIER_COMPUTE || !f->of->replay_recommended || f->kit.n)
            continue;
        f->no_kit = reason_there(r, f->of->op);
        if (f->no_kit.n)
            continue;
        f->no_kit = replay_name_reason(f->of->op);
        if (f->no_kit.n)
            r->no_kits[r->n_no_kits++] = (struct report_no_kit){f->of->op, f->no_kit};
        else if (!r->meta.has_shapes)
            f->no_kit = S("no shapes of arguments are recorded");
    }
}

void replay_mark_report(struct arena *perm, struct report *r,
                        const struct replay_set *s)
{
    r->n_kits = s->n_packages;
    r->n_refused = s->n_refusals;
    mark_kits(perm, r, s);
    mark_no_kits(perm, r, s);
}
