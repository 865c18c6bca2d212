/* replay.html: packages that each run one operation alone. */
#include "render/page/page_replay.h"

#include "base/arena.h"
#include "render/page/row_context.h"
#include "report/replay/replay_shown.h"
#include "report/replay/replay_text.h"

struct str replay_row_id(struct arena *a, const struct replay_package *p)
{
    return kit_row_id(a, p->file);
}

/* The category of a package's operation. */
static struct json_member category_member(const struct report *r, struct str kit)
{
    for (int i = 0; i < r->n_ops; i++)
        if (str_eq(r->ops[i].kit, kit) && r->ops[i].category >= 0)
            return row_category(r, r->ops[i].row->category);
    return json_null("category");
}

/* The finding about it; NULL: none. */
static const struct report_finding *finding_of(const struct report *r, struct str kit)
{
    for (int i = 0; i < r->n_findings; i++)
        if (str_eq(r->findings[i].kit, kit))
            return &r->findings[i];
    return NULL;
}

static void add_package(cJSON *rows, const struct report *r,
                        const struct replay_package *p, const struct replay_file *file,
                        struct arena tmp)
{
    const struct report_finding *f = finding_of(r, p->file);
    json_put(context_lend(context_push(rows), shown_package_fields(), p, r),
             M("row_id", replay_row_id(&tmp, p)), context_name("name", p->op),
             M("bytes", (double)file->bytes), M("sha256", str_of(file->sha256)),
             category_member(r, p->file), M("finding", f ? f->rank : S("")),
             M("anchor", f ? f->anchor : S("")));
}

static void add_refusal(cJSON *rows, const struct replay_refusal *r)
{
    json_put(context_lend(context_push(rows), shown_refusal_fields(), r, NULL),
             context_name("name", r->op));
}

static void add_answer(cJSON *c, const struct replay_set *s)
{
    int64_t sets = 0;
    double share_pct = 0.0;
    for (int32_t i = 0; i < s->n_packages; i++) {
        sets += s->packages[i].n_calls;
        share_pct += s->packages[i].share_pct;
    }
    json_put(c, context_some("n_packages", s->n_packages),
             json_bool("one", s->n_packages == 1), M("sets", sets),
             M("example", s->n_packages
                              ? str_skip(s->packages[0].file, S("replay_packages/").n)
                              : S("")),
             M("share_pct", share_pct));
}

/* Once for all rows that are marked. */
static struct str assumed_of_all(const struct replay_set *s)
{
    struct replay_assumed all = {false, false};
    for (int32_t i = 0; i < s->n_packages; i++) {
        struct replay_assumed one = replay_assumed(&s->packages[i]);
        all.strides |= one.strides;
        all.values |= one.values;
    }
    return replay_assumed_text(all);
}

void replay_page_fill(struct cJSON *context, const struct report *r,
                      const struct replay_set *s, const struct replay_file *files,
                      struct arena tmp)
{
    add_answer(context, s);
    json_put(context, M("assumed_all", assumed_of_all(s)),
             json_bool("has_refused", s->n_refusals > 0));
    cJSON *packages = json_put_array(context, "packages");
    for (int32_t i = 0; i < s->n_packages; i++)
        add_package(packages, r, &s->packages[i], &files[i], tmp);
    cJSON *refused = json_put_array(context, "refused");
    for (int32_t i = 0; i < s->n_refusals; i++)
        add_refusal(refused, &s->refusals[i]);
}

bool site_replay(struct site *s, struct arena tmp, struct err *e)
{
    if (!s->o->replay || (!s->r->n_kits && !s->r->n_refused))
        return true;
    cJSON *c = ctx_page(s, "replay.html");
    replay_page_fill(c, s->r, s->o->replay, s->o->replay_files, tmp);
    return ctx_write(s, "replay.html", "replay.html", c, tmp, e);
}
