#include "analysis/system/first_calls.h"

#include "analysis/model/name_match.h"
#include "analysis/system/host_time.h"
#include "base/int_map.h"

/* Times by which what happens once is told from what recurs. */
enum { APART = 4 };

/* An operator with its shapes. */
struct operator
{
    event_id first;
    int64_t calls, later_ns; /* the longest such call inside a later one */
};

struct stall {
    event_id call, op;
};

struct search {
    const struct tree_index *t;
    const struct event_store *s;
    struct arena *tmp;
    uint8_t *kinds; /* by name: of runtime calls, and of operators that hold stalls */
    struct stall *stalls;
    int32_t n_stalls;
    struct int_map of; /* operator: row */
    struct operator* rows;
    int32_t n;
};

enum {
    KIND_KNOWN = 1,
    KIND_STALLS = 2,
    KIND_GIVES = 4,
    KIND_HOLDS = 8,
    KIND_TAKES = 16
};

static uint8_t kind_of(event_role call)
{
    enum idle_class class = host_call_class(call);
    bool launches = call & (ROLE_LAUNCHES | ROLE_COPIES | ROLE_FILLS);
    bool pool = host_call_is_pool(call), gives = pool && (call & ROLE_FREES);
    unsigned moves = gives ? KIND_GIVES : pool ? KIND_TAKES : 0;
    bool stalls = class == IDLE_MEMORY || (class == IDLE_RUNTIME && !launches);
    return (uint8_t)(KIND_KNOWN | (stalls ? KIND_STALLS : 0) | moves);
}

static int64_t shaped_key(const struct event_store *s, event_id op)
{
    const struct op_texts *texts = store_texts(s, op);
    return (int64_t)s->name[op] << 32 | (uint32_t)(texts ? texts->dims : -1);
}

static struct operator* operator_at(struct search *f, event_id op, bool make)
{
    int32_t row = int_map_get(&f->of, shaped_key(f->s, op));
    if (row >= 0 || !make)
        return row < 0 ? NULL : &f->rows[row];
    *int_map_at(&f->of, f->tmp, shaped_key(f->s, op)) = f->n;
    arena_grow(f->tmp, f->rows, f->n);
    f->kinds[f->s->name[op]] |= KIND_HOLDS;
    f->rows[f->n] = (struct operator){.first = op};
    return &f->rows[f->n++];
}

/* Long calls, and shorter ones that would show that they recur. */
static void find_stalls(struct search *f, struct first_calls *to)
{
    const struct event_store *s = f->s;
    for (event_id i = 0; i < s->n; i++) {
        uint8_t *kind = &f->kinds[s->name[i]];
        if (!cat_is_runtime(s->cat[i]))
            continue;
        if (!(*kind & KIND_KNOWN))
            *kind |= kind_of(store_role(s, i));
        to->given_back += (*kind & KIND_GIVES) != 0;
        to->taken += (*kind & KIND_TAKES) != 0;
        if (!(*kind & KIND_STALLS) || store_dur_ns(s, i) < SET_UP_NS / APART)
            continue;
        event_id op = tree_operator(s, &f->t->frames, i);
        if (op < 0)
            continue;
        arena_grow(f->tmp, f->stalls, f->n_stalls);
        f->stalls[f->n_stalls++] = (struct stall){i, op};
        if (store_dur_ns(s, i) >= SET_UP_NS)
            operator_at(f, op, true);
    }
}

static void count_calls(struct search *f)
{
    const struct event_store *s = f->s;
    for (event_id i = 0; f->n && i < s->n; i++) {
        if (s->cat[i] != CAT_CPU_OP || !(f->kinds[s->name[i]] & KIND_HOLDS))
            continue;
        struct operator* o = operator_at(f, i, false);
        if (!o)
            continue;
        o->calls++;
        if (s->start_ns[i] < s->start_ns[o->first])
            o->first = i;
    }
    for (int32_t k = 0; k < f->n_stalls; k++) {
        struct operator* o = operator_at(f, f->stalls[k].op, false);
        int64_t ns = store_dur_ns(s, f->stalls[k].call);
        if (o && o->first != f->stalls[k].op && ns > o->later_ns)
            o->later_ns = ns;
    }
}

struct first_calls first_calls_find(struct arena *perm, struct arena tmp,
                                    const struct tree_index *t)
{
    struct search f = {.t = t, .s = t->v->s, .tmp = &tmp};
    struct first_calls to = {0};
    f.kinds = arena_new(&tmp, uint8_t, f.s->names.n + 1);
    f.of = int_map_make(&tmp, 16);
    find_stalls(&f, &to);
    count_calls(&f);
    for (int32_t k = 0; k < f.n_stalls; k++) {
        const struct operator* o = operator_at(&f, f.stalls[k].op, false);
        event_id call = f.stalls[k].call;
        if (!o || o->first != f.stalls[k].op || o->calls < 2 ||
            store_dur_ns(f.s, call) < SET_UP_NS ||
            APART * o->later_ns > store_dur_ns(f.s, call))
            continue;
        arena_grow(perm, to.at, to.n);
        to.at[to.n++] = call;
        to.given_back -= (f.kinds[f.s->name[call]] & KIND_GIVES) != 0;
        to.taken -= (f.kinds[f.s->name[call]] & KIND_TAKES) != 0;
    }
    return to;
}

/* On another thread at the same time: its first call, too. */
static bool runs_beside(const struct event_store *s, event_id k, event_id i)
{
    return s->lane[k] != s->lane[i] && s->start_ns[k] < store_end_ns(s, i) &&
           store_end_ns(s, k) > s->start_ns[i];
}

bool first_call_alone(const struct event_store *s, event_id i)
{
    int64_t others = 0;
    for (event_id k = 0; k < s->n; k++) {
        if (k == i || s->name[k] != s->name[i] || s->cat[k] != s->cat[i] ||
            shaped_key(s, k) != shaped_key(s, i) || runs_beside(s, k, i))
            continue;
        others++;
        if (s->start_ns[k] < s->start_ns[i] ||
            APART * store_dur_ns(s, k) > store_dur_ns(s, i))
            return false;
    }
    return others > 0;
}
