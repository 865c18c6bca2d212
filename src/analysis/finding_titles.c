#include "analysis/finding_titles.h"

#include "analysis/model/finding_title.h"
#include "analysis/model/number_text.h"
#include "base/int_map.h"
#include "base/utf8.h"

enum part_by { BY_OPERATOR, BY_ARGUMENTS, BY_NUMBER, PART_BYS };

/* Findings of one title. */
struct twins {
    int32_t n;
    struct str first; /* what would tell the first one apart */
    bool differ;
};

static struct str apart(struct arena *perm, const struct finding *f, enum part_by by,
                        int32_t nth)
{
    enum { ARGUMENTS_MOST = 36 };
    struct str args = f->n_rows ? f->rows[0]->args : S("");
    switch (by) {
    case BY_OPERATOR:
        return f->op.n ? say(perm, " ({})", said(title_name(perm, f->op))) : S("");
    case BY_ARGUMENTS:
        return !args.n ? S("")
               : args.n <= ARGUMENTS_MOST
                   ? say(perm, " at {}", said(args))
                   : say(perm, " at {}...", said(utf8_head(args, ARGUMENTS_MOST)));
    default:
        return nth > 1 ? say(perm, " ({})", said(nth)) : S("");
    }
}

/* Room is made at the end of what it says. */
static void add_to_title(struct arena *perm, struct finding *f, struct str what)
{
    ptrdiff_t most = TITLE_MOST - what.n;
    struct str head = f->title;
    if (!what.n || most < 4)
        return;
    if (head.n > most)
        head = say(perm, "{}...", said(utf8_head(head, most - 3)));
    f->title = say(perm, "{}{}", said(head), said(what));
}

/* `of`: by finding, its place in `t`. */
static void find_twins(struct arena *perm, struct arena tmp, const struct analysis *a,
                       enum part_by by, int32_t *of, struct twins *t)
{
    struct int_map places = int_map_make(&tmp, a->n_findings);
    for (int i = 0; i < a->n_findings; i++) {
        const struct finding *f = &a->findings[i];
        int32_t *at = int_map_at(&places, &tmp, (int64_t)str_hash(f->title));
        if (*at < 0) {
            *at = i;
            t[i] = (struct twins){0};
        }
        struct twins *all = &t[of[i] = *at];
        struct str what = apart(perm, f, by, ++all->n);
        all->differ |= all->n > 1 && !str_eq(what, all->first);
        all->first = all->n == 1 ? what : all->first;
    }
}

void finding_titles_part(struct arena *perm, struct arena tmp, struct analysis *a)
{
    int32_t *of = arena_new(&tmp, int32_t, a->n_findings);
    int32_t *nth = arena_new(&tmp, int32_t, a->n_findings);
    struct twins *t = arena_new(&tmp, struct twins, a->n_findings);
    for (int by = 0; by < PART_BYS; by++) {
        find_twins(perm, tmp, a, (enum part_by)by, of, t);
        for (int i = 0; i < a->n_findings; i++)
            nth[i] = 0;
        for (int i = 0; i < a->n_findings; i++) {
            struct finding *f = &a->findings[i];
            int32_t n = ++nth[of[i]];
            if (t[of[i]].differ)
                add_to_title(perm, f, apart(perm, f, (enum part_by)by, n));
        }
    }
}
