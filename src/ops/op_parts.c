#include "ops/op_parts.h"

#include "base/arena.h"
#include "base/sort.h"
#include "kernels/kernel_name.h"
#include "ops/kernel_rows.h"
#include "ops/trace_view.h"
#include "perf/perf_model.h"

bool op_runs_anything(struct str op)
{
    return kernel_has(op, MARK_RUNS_ANYTHING);
}

/* Generated kernels are of one kind whatever their loops. */
static int kind_of(const struct trace_view *v, event_id gpu)
{
    enum { GENERATED = KERNEL_LABELS, COPY };
    struct kernel_name says = kernel_name_of(store_name(v->s, gpu));
    if (v->s->cat[gpu] != CAT_KERNEL || kernel_label_is_copy(says.label))
        return COPY;
    return says.marks & MARK_GENERATED ? GENERATED : says.label;
}

static bool copies(const struct trace_view *v, event_id gpu)
{
    return v->s->cat[gpu] == CAT_MEMCPY;
}

enum apart { WHOLE, BY_KERNEL, FROM_COPIES };

static enum apart how_apart(const struct trace_view *v, const struct op_call_row *c)
{
    int32_t n_copies = 0;
    bool anything = c->n_kernels > 1 && op_runs_anything(c->name), mixed = false;
    for (int32_t k = 0; k < c->n_kernels; k++) {
        n_copies += copies(v, c->kernels[k]);
        mixed |= anything && kind_of(v, c->kernels[k]) != kind_of(v, c->kernels[0]);
    }
    if (c->cost || c->has_model || c->synthetic || c->unlinked || c->n_kernels < 2)
        return WHOLE;
    return mixed                                     ? BY_KERNEL
           : n_copies > 0 && n_copies < c->n_kernels ? FROM_COPIES
                                                     : WHOLE;
}

struct taker {
    struct arena *perm, tmp;
    const struct trace_view *v;
    struct op_calls to;
    struct kernel_rows names;
    int32_t *part_of, next_uid;
};

/* The part of a call with n kernels, of one name or of any. */
static void take_part(struct taker *t, struct arena tmp, const struct op_call_row *c,
                      bool named, const event_id *kernels, int32_t n)
{
    struct op_call_row *r = &t->to.rows[t->to.n++];
    *r = *c;
    r->kernels = kernels;
    r->n_kernels = n;
    r->direct_ns = r->subtree_ns = busy_ns(tmp, t->v->s, kernels, n);
    if (!named)
        return;
    r->uid = t->next_uid++;
    r->synthetic = r->part = true;
    r->in_op = t->v->s->cat[c->event] == CAT_CPU_OP;
    r->name = kernel_row_name(&t->names, t->perm, t->v->s, c->event, kernels[0]);
    r->category = perf_category(r->name, store_name(t->v->s, kernels[0]));
}

/* Kernels in the order of their names, and those of a name as they were. */
static void take_apart(struct taker *t, const struct op_call_row *c, enum apart how)
{
    const struct event_store *s = t->v->s;
    struct arena tmp = t->tmp;
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, c->n_kernels);
    event_id *kernels = arena_take_raw(t->perm, sizeof *kernels, 4, c->n_kernels);
    for (int32_t k = 0; k < c->n_kernels; k++) {
        event_id gpu = c->kernels[k];
        int64_t name = how == BY_KERNEL || copies(t->v, gpu) ? 1 + s->name[gpu] : 0;
        rows[k] = (struct sort_row){name, k};
    }
    sort_rows(tmp, rows, c->n_kernels);
    for (int32_t k = 0; k < c->n_kernels; k++)
        kernels[k] = c->kernels[rows[k].row];
    for (int32_t k = 0, end; k < c->n_kernels; k = end) {
        for (end = k; end < c->n_kernels && rows[end].key == rows[k].key; end++)
            ;
        take_part(t, tmp, c, rows[k].key > 0, kernels + k, end - k);
    }
}

static int32_t longest(const struct op_calls *c, int32_t from)
{
    int32_t best = from;
    for (int32_t k = from + 1; k < c->n; k++)
        best = c->rows[k].direct_ns > c->rows[best].direct_ns ? k : best;
    return best;
}

struct op_parts calls_in_parts(struct arena *perm, struct arena tmp,
                               const struct trace_view *v, const struct op_calls *calls)
{
    uint8_t *how = arena_new(&tmp, uint8_t, calls->n + 1);
    int32_t room = 0, uid = 0;
    bool any = false;
    for (int32_t i = 0; i < calls->n; i++) {
        const struct op_call_row *c = &calls->rows[i];
        how[i] = (uint8_t)how_apart(v, c);
        any |= how[i] != WHOLE;
        room += how[i] != WHOLE ? c->n_kernels : 1;
        uid = c->uid > uid ? c->uid : uid;
    }
    if (!any)
        return (struct op_parts){*calls, NULL};
    struct taker t = {.perm = perm, .tmp = tmp, .v = v, .next_uid = uid + 1};
    t.to.rows = arena_take_raw(perm, sizeof *t.to.rows, 8, room);
    t.part_of = arena_take_raw(perm, sizeof *t.part_of, 4, calls->n);
    for (int32_t i = 0; i < calls->n; i++) {
        int32_t from = t.to.n;
        if (how[i] == WHOLE)
            t.to.rows[t.to.n++] = calls->rows[i];
        else
            take_apart(&t, &calls->rows[i], (enum apart)how[i]);
        t.part_of[i] = longest(&t.to, from);
    }
    return (struct op_parts){t.to, t.part_of};
}
