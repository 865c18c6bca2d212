#include "ops/op_summary.h"

#include "base/duration.h"
#include "ops/trace_view.h"

#include <stdlib.h>
#include <string.h>

static int by_time(const void *a, const void *b)
{
    const struct summary_row *x = a, *y = b;
    if (x->direct_ns != y->direct_ns)
        return x->direct_ns > y->direct_ns ? -1 : 1;
    int c = str_cmp(x->name, y->name);
    return c ? c : x->recompute - y->recompute;
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void add_category(struct arena *perm, struct summary_row *r, struct str category)
{
    for (int k = 0; k < r->n_categories; k++)
        if (str_eq(r->categories[k], category))
            return;
    /* Rarely more than one: only the first kernel can change the category of a name. */
    struct str *more = arena_new(perm, struct str, r->n_categories + 1);
    for (int k = 0; k < r->n_categories; k++)
        more[k] = r->categories[k];
    more[r->n_categories++] = category;
    qsort(more, (size_t)r->n_categories, sizeof *more, by_text);
    r->categories = more;
}

struct op_summary op_summary_build(struct arena *perm, struct arena tmp,
                                   const struct op_calls *launchers, enum summary_by by)
{
    /* As many rows as launchers at most, and far fewer: none is touched before it is.
     */
    struct op_summary s = {arena_take_raw(&tmp, sizeof *s.rows, 8, launchers->n), 0};
    struct name_pool keys[2]; /* without and with recomputation */
    int32_t *row[2];          /* by key */
    for (int k = 0; k < 2; k++) {
        pool_open(&keys[k]);
        row[k] = arena_take_raw(&tmp, sizeof *row[k], 4, launchers->n);
    }
    for (int32_t i = 0; i < launchers->n; i++) {
        const struct op_call_row *c = &launchers->rows[i];
        struct str name = by == BY_NAME ? c->name : c->category;
        int32_t n_before = keys[c->recompute].n;
        name_id id = pool_add_lasting(&keys[c->recompute], name);
        if (id == n_before) {
            row[c->recompute][id] = s.n;
            s.rows[s.n++] =
                (struct summary_row){.name = name, .recompute = c->recompute};
        }
        struct summary_row *r = &s.rows[row[c->recompute][id]];
        r->direct_ns += c->direct_ns;
        /* A kernel counts once for each call above it. */
        add_ns(&r->subtree_ns, c->subtree_ns);
        r->count++;
        if (by == BY_NAME)
            add_category(perm, r, c->category);
    }
    pool_close(&keys[0]);
    pool_close(&keys[1]);
    struct summary_row *rows = arena_new(perm, struct summary_row, s.n);
    if (s.n)
        memcpy(rows, s.rows, (size_t)s.n * sizeof *rows);
    s.rows = rows;
    qsort(s.rows, (size_t)s.n, sizeof *s.rows, by_time);
    int64_t total = 0;
    for (int32_t i = 0; i < s.n; i++)
        total += s.rows[i].direct_ns;
    double running = 0.0;
    for (int32_t i = 0; i < s.n; i++) {
        double share =
            total ? 100.0 * (double)s.rows[i].direct_ns / (double)total : 0.0;
        s.rows[i].share_pct = share;
        s.rows[i].cumulative_pct = running += share;
    }
    return s;
}
