#include "analysis/system/allocator_retry.h"

enum call_kind { CALL_OTHER, CALL_TAKES, CALL_GIVES, CALL_WORKS };

static enum call_kind kind_of(event_role call)
{
    return call & (ROLE_LAUNCHES | ROLE_COPIES | ROLE_FILLS) ? CALL_WORKS
           : call & ROLE_HOST                                ? CALL_OTHER
           : call & ROLE_GIVES                               ? CALL_GIVES
           : call & ROLE_TAKES                               ? CALL_TAKES
                                                             : CALL_OTHER;
}

struct attempt { /* of the operator that the thread is in */
    event_id op; /* -1: it has not allocated */
    int64_t freed;
};

/* Calls that free, one right after the other, outside of operators. */
static int64_t add_row(int64_t n, enum call_kind kind, event_id op,
                       struct allocator_retries *to)
{
    enum { LEAST = 4 };
    if (kind != CALL_GIVES || op >= 0)
        return 0;
    n++;
    to->emptied += n == LEAST ? LEAST : n > LEAST;
    return n;
}

static void follow(struct attempt *a, enum call_kind kind, event_id op,
                   struct allocator_retries *to)
{
    if (kind == CALL_OTHER)
        return;
    bool goes_on = op >= 0 && op == a->op;
    if (kind == CALL_GIVES && goes_on) {
        a->freed++;
        return;
    }
    if (kind == CALL_TAKES && goes_on && a->freed > 0) {
        to->n++;
        to->freed += a->freed;
    }
    *a = (struct attempt){.op = kind == CALL_TAKES ? op : -1};
}

struct allocator_retries allocator_retries_find(const struct tree_index *t)
{
    const struct event_store *s = t->v->s;
    struct allocator_retries to = {0};
    struct attempt now = {.op = -1};
    int64_t row = 0;
    for (int32_t k = 0; k < t->frames.n_order; k++) { /* thread by thread */
        event_id i = t->frames.order[k];
        if (!cat_is_runtime(s->cat[i]))
            continue;
        enum call_kind kind = kind_of(store_role(s, i));
        if (kind == CALL_OTHER)
            continue;
        event_id op = tree_operator(s, &t->frames, i);
        follow(&now, kind, op, &to);
        row = add_row(row, kind, op, &to);
    }
    return to;
}
