/* Phases of a generate loop that nothing annotates, by what its operators look up and
 * attend to. */
#include "ops/phase_marks.h"

#include "base/arena.h"
#include "store/event_store.h"

#include <math.h>
#include <stdlib.h>

enum { DECODES_LEAST = 2, ALONE_LEAST = 3 }; /* behind a prompt; without one */

enum told { TELLS_NOTHING, TELLS_TOKENS, TELLS_HEADS_FIRST, TELLS_TOKENS_FIRST };

/* Token ids are operand 1 of an embedding. Queries and keys are operands 0 and 1 of
 * attention, with heads or with tokens before the other. */
static const struct {
    struct str name;
    enum told told;
} tellers[] = {
    {S_INIT("aten::embedding"), TELLS_TOKENS},
    {S_INIT("aten::scaled_dot_product_attention"), TELLS_HEADS_FIRST},
    {S_INIT("flash_attn::_flash_attn_forward"), TELLS_TOKENS_FIRST},
    {S_INIT("FlashAttnFunc"), TELLS_TOKENS_FIRST},
};

/* A call that tells something. */
struct teller {
    int64_t start_ns;
    int32_t lane, event;
    bool looks_up;
    double batch, tokens; /* of each sequence */
    double of;            /* rows of the table, or keys of each sequence */
};

/* A forward pass: it looks up tokens, then attends. */
struct pass {
    int64_t start_ns;
    int32_t lane, n_attention;
    double batch, tokens, vocabulary, keys;
    bool even; /* all of its attention is of these tokens, and of as many keys */
};

struct passes {
    struct pass *rows;
    int32_t n;
};

/* -1: not recorded. */
static double dim(const struct value *dims, int operand, int axis)
{
    const struct value *v = value_at(value_at(dims, operand), axis);
    return value_is_whole(v) ? v->number : -1;
}

static bool read_teller(const struct event_store *s, event_id i, enum told told,
                        struct teller *to)
{
    const struct op_texts *texts = store_texts(s, i);
    const struct value *dims = texts ? store_value(s, texts->dims) : NULL;
    int axis = told == TELLS_HEADS_FIRST ? 2 : 1;
    bool looks_up = told == TELLS_TOKENS;
    if (value_count(value_at(dims, looks_up)) != (looks_up ? 2 : 4))
        return false;
    *to = (struct teller){s->start_ns[i],
                          s->lane[i],
                          i,
                          looks_up,
                          dim(dims, looks_up, 0),
                          dim(dims, looks_up, axis),
                          dim(dims, !looks_up, looks_up ? 0 : axis)};
    return to->batch > 0 && to->tokens > 0 && to->of > 0;
}

static int by_lane_and_start(const void *a, const void *b)
{
    const struct teller *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static struct teller *find_tellers(struct arena *a, const struct event_store *s,
                                   int32_t *n)
{
    uint8_t *told = arena_new(a, uint8_t, s->names.n);
    bool lookups = false, attention = false;
    struct teller *list = NULL, one;
    *n = 0;
    for (name_id k = 0; k < s->names.n && s->census.by_cat[CAT_CPU_OP]; k++)
        for (size_t t = 0; t < sizeof tellers / sizeof *tellers; t++)
            if (str_eq(s->names.name[k], tellers[t].name)) {
                told[k] = (uint8_t)tellers[t].told;
                lookups |= told[k] == TELLS_TOKENS;
                attention |= told[k] != TELLS_TOKENS;
            }
    for (event_id i = 0; lookups && attention && i < s->n; i++)
        if (s->cat[i] == CAT_CPU_OP && s->name[i] >= 0 && told[s->name[i]] &&
            read_teller(s, i, (enum told)told[s->name[i]], &one)) {
            arena_grow(a, list, *n);
            list[(*n)++] = one;
        }
    if (*n)
        qsort(list, (size_t)*n, sizeof *list, by_lane_and_start);
    return list;
}

/* A pass begins with the first lookup behind attention; others, of positions and types,
 * are part of it. */
static struct passes find_passes(struct arena *a, const struct event_store *s)
{
    int32_t n;
    const struct teller *t = find_tellers(a, s, &n);
    struct passes p = {arena_take_raw(a, sizeof *p.rows, 8, n), 0};
    for (int32_t k = 0; k < n; k++) {
        struct pass *last = p.n ? &p.rows[p.n - 1] : NULL;
        bool same = last && last->lane == t[k].lane;
        if (t[k].looks_up && (!same || last->n_attention))
            p.rows[p.n++] = (struct pass){.start_ns = t[k].start_ns,
                                          .lane = t[k].lane,
                                          .batch = t[k].batch,
                                          .tokens = t[k].tokens,
                                          .vocabulary = t[k].of,
                                          .even = true};
        if (t[k].looks_up || !same)
            continue;
        last->keys = last->n_attention++ ? last->keys : t[k].of;
        last->even &= t[k].batch == last->batch && t[k].tokens == last->tokens &&
                      t[k].of == last->keys;
    }
    return p;
}

static bool is_like(const struct pass *a, const struct pass *b)
{
    return a->lane == b->lane && a->even && b->even && a->n_attention &&
           a->n_attention == b->n_attention && a->batch == b->batch &&
           a->vocabulary == b->vocabulary;
}

/* b generates what follows a: one token, and keys that grow by it, or a cache of fixed
 * length that holds more than the prompt. */
static bool follows(const struct pass *a, const struct pass *b)
{
    return is_like(a, b) && b->tokens == 1 &&
           (b->keys == a->keys + 1 || (b->keys == a->keys && b->keys > a->tokens));
}

static bool grows(const struct pass *first, int32_t n)
{
    for (int32_t k = 1; k < n; k++)
        if (first[k].keys != first[k - 1].keys + 1)
            return false;
    return first->keys > 1;
}

/* From `at` on, how many passes are one loop; 0: none begins here. */
static int32_t loop_at(const struct passes *p, int32_t at)
{
    int32_t n = 1;
    const struct pass *first = &p->rows[at];
    while (at + n < p->n && follows(&first[n - 1], &first[n]))
        n++;
    if (first->tokens > 1)
        return n - 1 >= DECODES_LEAST ? n : 0;
    return n >= ALONE_LEAST && grows(first, n) ? n : 0;
}

static struct step_load load_of(const struct pass *p, bool fixed_cache)
{
    double batch = p->batch, tokens = batch * p->tokens, none = (double)NAN;
    return p->tokens > 1
               ? (struct step_load){PHASE_PREFILL, {batch, 0}, {tokens, 0}, {none, 0}}
               : (struct step_load){PHASE_DECODE,
                                    {0, batch},
                                    {0, tokens},
                                    {0, fixed_cache ? none : batch * p->keys}};
}

/* A pass ends where the next begins; the last of a loop is as long as the one before,
 * unless something follows. */
static void take_loop(const struct passes *p, int32_t at, int32_t n,
                      struct phase_marks *m)
{
    bool fixed_cache = p->rows[at + n - 1].keys == p->rows[at + n - 2].keys;
    for (int32_t k = at; k < at + n; k++) {
        bool next = k + 1 < p->n && p->rows[k + 1].lane == p->rows[k].lane;
        int64_t start_ns = p->rows[k].start_ns,
                end_ns = next ? p->rows[k + 1].start_ns : INT64_MAX;
        int64_t before_ns = k > at ? start_ns - p->rows[k - 1].start_ns : 0;
        if (k == at + n - 1 && end_ns - before_ns > start_ns)
            end_ns = start_ns + before_ns;
        m->rows[m->n++] =
            (struct phase_mark){.start_ns = start_ns,
                                .end_ns = end_ns,
                                .lane = p->rows[k].lane,
                                .source = PHASES_BY_OPERATORS,
                                .sure = true,
                                .load = load_of(&p->rows[k], fixed_cache)};
    }
}

struct phase_marks phase_marks_of_operators(struct arena *a,
                                            const struct event_store *s)
{
    struct passes p = find_passes(a, s);
    struct phase_marks m = {arena_take_raw(a, sizeof *m.rows, 8, p.n), 0};
    for (int32_t k = 0, n; k < p.n; k += n ? n : 1) {
        n = loop_at(&p, k);
        if (n)
            take_loop(&p, k, n, &m);
    }
    return m;
}
