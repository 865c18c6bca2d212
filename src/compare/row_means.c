#include "compare/row_means.h"

#include "base/out.h"

#include <math.h>

static void put_key(struct out *o, const struct capture_row *r)
{
    const struct str parts[] = {r->name, r->dims, r->types, r->strides, r->concrete};
    out_char(o, (char)('0' + r->part));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        out_str(o, parts[i]);
        out_char(o, '\0');
    }
}

struct step_span *steady_spans(struct arena *a, const struct capture *c, int *n)
{
    struct step_span *steps = arena_new(a, struct step_span, c->n_steps + 1);
    *n = 0;
    for (int i = 0; i < c->n_steps; i++)
        if (c->steps[i].steady)
            steps[(*n)++] =
                (struct step_span){c->steps[i].start_ns, c->steps[i].end_ns};
    if (!*n)
        steps[(*n)++] = (struct step_span){c->start_ns, c->end_ns};
    return steps;
}

struct row_index row_index_make(struct arena *perm, const struct capture *c)
{
    struct row_index x;
    struct out o;
    struct step_span *spans = steady_spans(perm, c, &x.n_steps);
    struct row_figures *f = selection_figures(perm, c, spans, x.n_steps);
    pool_open(&x.keys);
    out_memory(&o);
    x.ns = arena_new(perm, double, c->n_rows);
    x.calls = arena_new(perm, double, c->n_rows);
    for (int32_t i = 0; i < c->n_rows; i++) {
        o.n = 0;
        put_key(&o, &c->rows[i]);
        name_id id = pool_add(&x.keys, out_view(&o));
        x.ns[id] += (double)f[i].ns;
        x.calls[id] += (double)f[i].n_calls;
    }
    out_free(&o);
    return x;
}

void row_index_close(struct row_index *x)
{
    pool_close(&x->keys);
}

double row_index_mean(const struct row_index *x, const struct match *m, int side,
                      const struct capture *first)
{
    double ns = 0, calls = 0;
    struct out o;
    out_memory(&o);
    for (int32_t i = 0; i < m->n_rows[side]; i++) {
        o.n = 0;
        put_key(&o, &first->rows[m->rows[side][i]]);
        name_id id = pool_find(&x->keys, out_view(&o));
        ns += id < 0 ? 0 : x->ns[id];
        calls += id < 0 ? 0 : x->calls[id];
    }
    out_free(&o);
    if (!(calls > 0))
        return (double)NAN;
    return ns / (match_is_recast(m) ? x->n_steps : calls);
}
