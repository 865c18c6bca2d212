/* Findings of the analysis, joined to their operations. */
#include "analysis/model/finding_label.h"
#include "analysis/model/system_results.h"
#include "analysis/stack/tree_text.h"
#include "report/report_parts.h"
#include "report/waiver.h"

static void fill_ops(const struct report_source *s, struct report *r, int index)
{
    struct report_finding *out = &r->findings[index];
    out->ops = arena_new(s->perm, int, out->of->n_rows);
    for (int k = 0; k < out->of->n_rows; k++) {
        ptrdiff_t op = out->of->rows[k]->group - s->t->judged.rows;
        if (op >= r->n_ops)
            continue;
        out->ops[out->n_ops++] = (int)op;
        /* Notes do not claim: the first finding that does is named beside the row. */
        if (r->ops[op].finding < 0 && !out->of->informational)
            r->ops[op].finding = index;
    }
}

/* Around the first call of its longest row. */
static void fill_frames(const struct report_source *s, struct report_finding *out)
{
    enum { FRAMES_MAX = 32 };
    const struct finding *f = out->of;
    const struct work_row *from = f->n_rows ? f->rows[0] : NULL;
    for (int k = 1; k < f->n_rows; k++)
        if (f->rows[k]->time_ms > from->time_ms)
            from = f->rows[k];
    int32_t call = from && from->group ? from->group->first->event : -1;
    if (call >= 0 && s->o->tree)
        out->frames =
            tree_frames(s->perm, s->o->tree, call, FRAMES_MAX, &out->n_frames);
    else if (f->idle && f->idle->blame_frame.n) {
        out->frames = arena_new(s->perm, struct str, 1);
        out->frames[out->n_frames++] = f->idle->blame_frame;
    }
}

static void mark_waived(const struct report_source *s, struct report_finding *f)
{
    const struct waiver *w =
        waiver_find(s->o->waivers, s->o->n_waivers, f->of->id, f->anchor);
    if (!w)
        return;
    f->waived_until = w->until;
    f->waived_why = w->why;
}

void report_findings_fill(const struct report_source *s, struct report *r)
{
    const struct analysis *a = s->a;
    struct id_set ids = id_set_make(s->perm, a->n_findings);
    r->n_findings = a->n_findings;
    r->findings = arena_new(s->perm, struct report_finding, a->n_findings);
    for (int k = 0; k < a->n_findings; k++)
        r->findings[k].of = &a->findings[k];
    for (int k = 0; k < a->n_findings; k++) {
        struct report_finding *f = &r->findings[k];
        f->anchor = id_take(&ids, "f", f->of->id);
        f->rank = finding_label(s->perm, a, k);
        mark_waived(s, f);
        f->slot = figure_slot_of(work_category_name(f->of->category));
        fill_frames(s, f);
        fill_ops(s, r, k);
    }
}
