#include "compare/match_sequence.h"

#include "base/cpp_name.h"
#include "base/int_map.h"
#include "base/name_pool.h"
#include "compare/sequence_align.h"
#include "kernels/kernel_name.h"

#include <string.h>

enum {
    ALIGNED_MAX = 20000, /* events of a side that are aligned without a period */
    BAND = 512,
    ROTATIONS_MAX = 50000000 /* cells over all rotations */
};

struct item { /* a device event that takes part */
    int32_t event;
    int64_t ns;
};

struct sequence {
    const struct match_side *side;
    struct item *items; /* by start, of the busiest stream, then of all others */
    struct token *tokens;
    int32_t n, n_main;
    int32_t period, start, repeats;
};

struct aligner {
    struct arena *perm;
    struct sequence of[2];
    struct name_pool *names;
    struct match_list *list;
    struct int_map match_of; /* by a pair of names, or of slots: place in the list */
};

/* Without template arguments, parameters, tile sizes and what numbers variants. */
static struct str short_name(struct str name)
{
    ptrdiff_t n = 0;
    name = cpp_without_return(name);
    ptrdiff_t tile = str_find(name, S("_MT"));
    if (str_starts(name, S("Cijk_")) && tile > 0)
        name = str_head(name, tile);
    while (n < name.n && name.p[n] != '<' && name.p[n] != '(')
        n++;
    name = str_head(name, n > 0 ? n : name.n);
    while (name.n > 1 && ((name.p[name.n - 1] >= '0' && name.p[name.n - 1] <= '9') ||
                          name.p[name.n - 1] == '_'))
        name.n--;
    return name;
}

static int64_t event_ns(const struct match_side *s, const struct capture_event *e)
{
    return span_overlap_ns(s->spans, s->n_spans, e->start_ns, e->end_ns);
}

/* Of those that take part, the stream with most time; the first of equals. */
static int32_t main_stream(struct arena tmp, const struct match_side *s,
                           const uint8_t *replayed)
{
    struct int_map known = int_map_make(&tmp, 16);
    int64_t *ns = NULL, best_ns = -1;
    int32_t n = 0, best = -1;
    for (int32_t i = 0; i < s->c->n_events; i++) {
        const struct capture_event *e = &s->c->events[i];
        if (!replayed[e->row])
            continue;
        int32_t *at = int_map_at(&known, &tmp, e->stream);
        if (*at < 0) {
            *at = n;
            arena_grow(&tmp, ns, n);
            ns[n++] = 0;
        }
        ns[*at] += event_ns(s, e);
        if (ns[*at] > best_ns) {
            best_ns = ns[*at];
            best = e->stream;
        }
    }
    return best;
}

static void add_items(struct aligner *w, struct sequence *q, const uint8_t *replayed,
                      int32_t stream, bool is_main)
{
    const struct match_side *s = q->side;
    for (int32_t i = 0; i < s->c->n_events; i++) {
        const struct capture_event *e = &s->c->events[i];
        int64_t ns = event_ns(s, e);
        if (!replayed[e->row] || (e->stream == stream) != is_main || ns <= 0)
            continue;
        q->items[q->n] = (struct item){i, ns};
        q->tokens[q->n++] = (struct token){pool_add(w->names, short_name(e->kernel)),
                                           kernel_label_of(e->kernel)};
    }
}

static void read_sequence(struct arena *a, struct aligner *w, int side,
                          const struct match_side *s, const uint8_t *replayed)
{
    struct sequence *q = &w->of[side];
    q->side = s;
    q->items = arena_new(a, struct item, s->c->n_events);
    q->tokens = arena_new(a, struct token, s->c->n_events);
    int32_t stream = main_stream(*a, s, replayed);
    add_items(w, q, replayed, stream, true);
    q->n_main = q->n;
    add_items(w, q, replayed, stream, false);
    q->period = sequence_period(*a, q->tokens, q->n_main);
    if (q->period)
        q->repeats = sequence_repeats(*a, q->tokens, q->n_main, q->period, &q->start);
}

/* Adds a device event to a match. */
static void take_item(struct match *m, int side, const struct sequence *q, int32_t i)
{
    const struct capture_event *e = &q->side->c->events[q->items[i].event];
    const struct capture_row *r = &q->side->c->rows[e->row];
    m->n[side]++;
    m->n_events[side]++;
    m->ns[side] += q->items[i].ns;
    if (r->part == DEVICE_COMPUTE)
        m->class_ns[side][r->category] += q->items[i].ns;
    if (m->first_row[side] < 0)
        m->first_row[side] = e->row;
    if (!m->name[side].n)
        m->name[side] = m->kernel[side] = e->kernel;
}

/* The match of a key, which is new if the key is. */
static struct match *match_at(struct aligner *w, int64_t key)
{
    int32_t *at = int_map_at(&w->match_of, w->perm, key);
    if (*at < 0) {
        *at = w->list->n;
        match_add(w->perm, w->list, MATCH_SEQUENCE);
    }
    return &w->list->rows[*at];
}

/* What remains is joined by class, a row for each. */
static void take_rest(struct aligner *w, int side, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++) {
        int64_t key = -1 - (int64_t)w->of[side].tokens[i].class;
        take_item(match_at(w, key), side, &w->of[side], i);
    }
}

/* The most frequent token of each slot; the first of equals. */
static void consensus(struct arena tmp, const struct sequence *q, struct token *slots)
{
    struct int_map seen = int_map_make(&tmp, 64);
    for (int32_t k = 0; k < q->period; k++) {
        int32_t best = 0;
        for (int32_t j = 0; j < q->repeats; j++) {
            const struct token *t = &q->tokens[q->start + j * q->period + k];
            int32_t *n = int_map_at(&seen, &tmp, (int64_t)k << 32 | t->id);
            *n = *n < 0 ? 1 : *n + 1;
            if (*n > best) {
                best = *n;
                slots[k] = *t;
            }
        }
    }
}

/* The rotation of b with the least cost, and the alignment of that. */
static int32_t best_rotation(struct arena tmp, const struct token *a, int32_t n_a,
                             const struct token *b, int32_t n_b, int32_t *to)
{
    struct token *turned = arena_new(&tmp, struct token, n_b);
    int32_t *tried = arena_new(&tmp, int32_t, n_a), best = 0;
    int64_t best_cost = INT64_MAX;
    int32_t rotations = (int64_t)n_a * n_b * n_b <= ROTATIONS_MAX ? n_b : 1;
    for (int32_t r = 0; r < rotations; r++) {
        for (int32_t k = 0; k < n_b; k++)
            turned[k] = b[(k + r) % n_b];
        int64_t cost = sequence_align(tmp, a, n_a, turned, n_b, n_b, tried);
        if (cost >= best_cost)
            continue;
        best_cost = cost;
        best = r;
        memcpy(to, tried, (size_t)n_a * sizeof *to);
    }
    return best;
}

/* Slots between two matched ones, of one side or both, are one row: of[side][slot] is
 * its number. */
static int32_t number_rows(const int32_t *to, int32_t n_a, int32_t n_b, int32_t *of[2])
{
    int32_t row = -1, j = 0;
    bool open = false;
    for (int32_t i = 0; i <= n_a; i++) {
        int32_t stop = i == n_a ? n_b : to[i];
        bool matched = i < n_a && to[i] >= 0;
        for (; (matched || i == n_a) && j < stop; j++) {
            row += !open;
            open = true;
            of[1][j] = row;
        }
        if (matched) {
            of[0][i] = of[1][j++] = ++row;
            open = false;
        } else if (i < n_a) {
            row += !open;
            open = true;
            of[0][i] = row;
        }
    }
    return row + 1;
}

static bool is_telling(enum kernel_label l)
{
    return l == KERNEL_GEMM || l == KERNEL_ATTENTION || l == KERNEL_MOE_GEMM ||
           l == KERNEL_MOE_ROUTING || l == KERNEL_NORMALIZATION ||
           l == KERNEL_COMMUNICATION;
}

/* A slot without a partner beside a row of its class that has one belongs to it: a
 * product and the sum of its parts do what one kernel of the other side does. */
static void fold_neighbours(const struct token *t, int32_t n, int32_t *of,
                            const uint8_t *paired)
{
    for (int32_t i = 1; i < n; i++)
        if (!paired[of[i]] && paired[of[i - 1]] && t[i].class == t[i - 1].class &&
            is_telling(t[i].class))
            of[i] = of[i - 1];
    for (int32_t i = n - 2; i >= 0; i--)
        if (!paired[of[i]] && paired[of[i + 1]] && t[i].class == t[i + 1].class &&
            is_telling(t[i].class))
            of[i] = of[i + 1];
}

/* The rows of both sides: `to` as sequence_align gives it. */
static int32_t make_row_numbers(struct arena tmp, const struct token *const t[2],
                                const int32_t n[2], const int32_t *to, int32_t *of[2])
{
    int32_t rows = number_rows(to, n[0], n[1], of);
    uint8_t *paired = arena_new(&tmp, uint8_t, rows + 1);
    for (int32_t i = 0; i < n[0]; i++)
        if (to[i] >= 0)
            paired[of[0][i]] = 1;
    for (int half = 0; half < 2; half++)
        fold_neighbours(t[half], n[half], of[half], paired);
    return rows;
}

/* Both repeat a period equally often: slots against slots. */
static void match_slots(struct aligner *w, struct arena tmp, int first)
{
    struct sequence *a = &w->of[first], *b = &w->of[!first];
    struct token *slots_a = arena_new(&tmp, struct token, a->period);
    struct token *slots_b = arena_new(&tmp, struct token, b->period);
    int32_t *to = arena_new(&tmp, int32_t, a->period);
    int32_t *of[2] = {arena_new(&tmp, int32_t, a->period),
                      arena_new(&tmp, int32_t, b->period)};
    consensus(tmp, a, slots_a);
    consensus(tmp, b, slots_b);
    int32_t turn = best_rotation(tmp, slots_a, a->period, slots_b, b->period, to);
    struct token *turned = arena_new(&tmp, struct token, b->period);
    for (int32_t k = 0; k < b->period; k++)
        turned[k] = slots_b[(k + turn) % b->period];
    make_row_numbers(tmp, (const struct token *const[2]){slots_a, turned},
                     (const int32_t[2]){a->period, b->period}, to, of);
    for (int half = 0; half < 2; half++) {
        int side = half ? !first : first;
        struct sequence *q = &w->of[side];
        for (int32_t i = 0; i < q->repeats * q->period; i++) {
            int32_t slot = i % q->period;
            if (half)
                slot = (slot - turn + q->period) % q->period;
            take_item(match_at(w, of[half][slot]), side, q, q->start + i);
        }
        take_rest(w, side, 0, q->start);
        take_rest(w, side, q->start + q->repeats * q->period, q->n);
    }
}

/* The names of a run on both sides as one key: equal runs are one row. */
static int64_t run_key(const struct aligner *w, int first, const int32_t from[2],
                       const int32_t to[2])
{
    uint64_t key = 14695981039346656037u;
    for (int half = 0; half < 2; half++) {
        const struct sequence *q = &w->of[half ? !first : first];
        for (int32_t i = from[half]; i < to[half]; i++)
            key = (key ^ (uint64_t)(uint32_t)q->tokens[i].id) * 1099511628211u;
        key = (key ^ 0xffffffffffu) * 1099511628211u;
    }
    return (int64_t)(key >> 2);
}

/* Runs of two whole sequences; equal runs are one row. */
static void match_whole(struct aligner *w, struct arena tmp, int first)
{
    struct sequence *q[2] = {&w->of[first], &w->of[!first]};
    int32_t n[2] = {q[0]->n_main, q[1]->n_main};
    int32_t *to = arena_new(&tmp, int32_t, n[0]);
    int32_t *of[2] = {arena_new(&tmp, int32_t, n[0]), arena_new(&tmp, int32_t, n[1])};
    sequence_align(tmp, q[0]->tokens, n[0], q[1]->tokens, n[1], BAND, to);
    int32_t at[2] = {0, 0};
    int32_t rows = make_row_numbers(
        tmp, (const struct token *const[2]){q[0]->tokens, q[1]->tokens}, n, to, of);
    for (int32_t row = 0; row < rows; row++) {
        int32_t end[2];
        for (int half = 0; half < 2; half++)
            for (end[half] = at[half];
                 end[half] < n[half] && of[half][end[half]] == row;)
                end[half]++;
        if (end[0] == at[0] && end[1] == at[1])
            continue; /* all of it was folded */
        struct match *m = match_at(w, run_key(w, first, at, end));
        for (int half = 0; half < 2; half++)
            for (; at[half] < end[half]; at[half]++)
                take_item(m, half ? !first : first, q[half], at[half]);
    }
    for (int half = 0; half < 2; half++)
        take_rest(w, half ? !first : first, n[half], q[half]->n);
}

/* The side that is aligned first, so that swapped roles give the same rows: the
 * shorter, else the first by its names. */
static int first_side(const struct aligner *w)
{
    const struct sequence *a = &w->of[0], *b = &w->of[1];
    if (a->n_main != b->n_main)
        return a->n_main > b->n_main;
    for (int32_t i = 0; i < a->n_main; i++) {
        int order = str_cmp(pool_text(w->names, a->tokens[i].id),
                            pool_text(w->names, b->tokens[i].id));
        if (order)
            return order > 0;
    }
    return 0;
}

bool match_sequences(struct arena *perm, struct arena tmp,
                     const struct match_side sides[2], uint8_t *const replayed[2],
                     struct match_list *list)
{
    struct name_pool names;
    pool_open(&names);
    struct aligner w = {.perm = perm, .names = &names, .list = list};
    w.match_of = int_map_make(perm, 256);
    for (int side = 0; side < 2; side++)
        read_sequence(&tmp, &w, side, &sides[side], replayed[side]);
    const struct sequence *a = &w.of[0], *b = &w.of[1];
    bool some = a->n_main > 0 && b->n_main > 0;
    if (some) {
        list->periods =
            (struct match_periods){{a->period, b->period},
                                   {a->repeats, b->repeats},
                                   a->period && b->period && a->repeats == b->repeats};
        if (list->periods.aligned)
            match_slots(&w, tmp, first_side(&w));
        else if (!(a->period && b->period) && a->n_main <= ALIGNED_MAX &&
                 b->n_main <= ALIGNED_MAX)
            match_whole(&w, tmp, first_side(&w));
        else
            for (int side = 0; side < 2; side++)
                take_rest(&w, side, 0, w.of[side].n);
    }
    pool_close(&names);
    return some;
}
