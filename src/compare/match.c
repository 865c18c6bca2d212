#include "compare/match.h"

#include "base/name_pool.h"
#include "base/out.h"
#include "capture/capture_names.h"
#include "compare/equivalence.h"
#include "compare/match_sequence.h"
#include "compare/match_tree.h"

/* Work implemented differently is worth a row from this share of each side's time. */
static const double CATEGORY_SHARE_MIN = 0.01;
/* A sequence is aligned unless names alone explain this share of what graphs replay. */
static const double NAMES_SUFFICE = 0.9;

struct ladder {
    struct arena *perm;
    const struct match_side *sides;
    const struct match_options *o;
    struct equivalence equivalence;
    uint8_t *taken[2];    /* by row */
    struct str *paths[2]; /* by node: its modules; NULL: L0 is not tried */
    struct match_list list;
};

static bool is_empty(const struct row_figures *f)
{
    return !f->ns && !f->n_calls && !f->n_events;
}

/* A name without what only tells how it was launched: by a call, or by a range that is
 * called as the kernel is, where a profiler has no operators of compiled code. */
static struct str plain_name(struct str name)
{
    ptrdiff_t arrow = str_find(name, S("->"));
    struct str by = arrow > 0 ? str_head(name, arrow) : S("");
    if (str_ends(name, S(" (Synthetic Op)")))
        name = str_head(name, name.n - S(" (Synthetic Op)").n);
    bool calls = str_has(by, S("Launch")) && !str_has(by, S("("));
    struct str kernel = arrow > 0 ? str_skip(name, arrow + S("->").n) : S("");
    return calls || (by.n && str_eq(by, kernel)) ? kernel : name;
}

/* The text that rows of a level share. */
static void put_key(struct out *o, const struct ladder *w, int side, int32_t row,
                    enum match_level level)
{
    const struct capture_row *r = &w->sides[side].c->rows[row];
    struct str name = plain_name(r->name);
    if (level == MATCH_CATEGORY)
        name = work_category_name(r->category);
    if (level == MATCH_EQUIVALENT)
        name = equivalence_class(&w->equivalence, name);
    out_char(o, (char)('0' + r->part));
    out_str(o, name);
    const struct str more[] = {r->dims, r->types, r->strides, r->concrete};
    static const int parts[MATCH_LEVELS] = {[MATCH_PATH] = 4,
                                            [MATCH_CALL] = 4,
                                            [MATCH_TYPES] = 2,
                                            [MATCH_DIMS] = 1,
                                            [MATCH_EQUIVALENT] = 2};
    for (int i = 0; i < parts[level]; i++) {
        out_char(o, '\0');
        out_str(o, more[i]);
    }
    if (level == MATCH_PATH) {
        out_char(o, '\0');
        out_str(o, w->paths[side][r->node]);
    }
}

/* Rows that a level may join: not taken, with time, of a known class. */
static bool may_join(const struct ladder *w, int side, int32_t row,
                     enum match_level level)
{
    const struct match_side *s = &w->sides[side];
    if (w->taken[side][row] || is_empty(&s->rows[row]))
        return false;
    if (level == MATCH_PATH)
        return w->paths[side] && w->paths[side][s->c->rows[row].node].n;
    return level != MATCH_EQUIVALENT ||
           equivalence_class(&w->equivalence, plain_name(s->c->rows[row].name)).n;
}

/* By row, the id of its key; -1. */
static name_id *keys_of(struct arena *a, const struct ladder *w, int side,
                        enum match_level level, struct name_pool *pool)
{
    const struct match_side *s = &w->sides[side];
    name_id *ids = arena_new(a, name_id, s->c->n_rows);
    struct out o;
    out_memory(&o);
    for (int32_t i = 0; i < s->c->n_rows; i++) {
        ids[i] = -1;
        if (!may_join(w, side, i, level))
            continue;
        o.n = 0;
        put_key(&o, w, side, i, level);
        ids[i] = pool_add(pool, out_view(&o));
    }
    out_free(&o);
    return ids;
}

static int64_t total_ns(const struct match_side *s)
{
    int64_t ns = 0;
    for (int32_t i = 0; i < s->c->n_rows; i++)
        ns += s->rows[i].ns;
    return ns;
}

/* By key: the time of each side. */
struct key_time {
    int64_t ns[2];
    int32_t n[2], match;
};

static bool joins(const struct ladder *w, const struct key_time *k,
                  enum match_level level)
{
    if (!k->n[0] || !k->n[1])
        return false;
    for (int side = 0; level == MATCH_CATEGORY && side < 2; side++)
        if ((double)k->ns[side] <
            CATEGORY_SHARE_MIN * (double)total_ns(&w->sides[side]))
            return false;
    return true;
}

static void take_row(struct ladder *w, struct key_time *k, int side, int32_t row,
                     enum match_level level)
{
    if (k->match < 0) {
        k->match = w->list.n;
        match_add(w->perm, &w->list, level);
    }
    match_take(w->perm, &w->list.rows[k->match], side, &w->sides[side], row);
    w->taken[side][row] = 1;
}

static void join_level(struct ladder *w, struct arena tmp, enum match_level level)
{
    struct name_pool pool;
    name_id *ids[2];
    pool_open(&pool);
    for (int side = 0; side < 2; side++)
        ids[side] = keys_of(&tmp, w, side, level, &pool);
    struct key_time *keys = arena_new(&tmp, struct key_time, pool.n);
    for (int side = 0; side < 2; side++)
        for (int32_t i = 0; i < w->sides[side].c->n_rows; i++)
            if (ids[side][i] >= 0) {
                keys[ids[side][i]].ns[side] += w->sides[side].rows[i].ns;
                keys[ids[side][i]].n[side]++;
            }
    for (name_id k = 0; k < pool.n; k++)
        keys[k].match = -1;
    for (int side = 0; side < 2; side++)
        for (int32_t i = 0; i < w->sides[side].c->n_rows; i++)
            if (ids[side][i] >= 0 && joins(w, &keys[ids[side][i]], level))
                take_row(w, &keys[ids[side][i]], side, i, level);
    pool_close(&pool);
}

static void keep_the_rest(struct ladder *w)
{
    for (int side = 0; side < 2; side++)
        for (int32_t i = 0; i < w->sides[side].c->n_rows; i++) {
            if (w->taken[side][i] || is_empty(&w->sides[side].rows[i]))
                continue;
            struct match *m = match_add(
                w->perm, &w->list, side ? MATCH_ONLY_CANDIDATE : MATCH_ONLY_REFERENCE);
            match_take(w->perm, m, side, &w->sides[side], i);
        }
}

/* The share of what graphs replay whose names occur on both sides; 1: none replays. */
static double replayed_named_frac(const struct ladder *w, struct arena tmp)
{
    struct name_pool pool;
    name_id *ids[2];
    double least = 1;
    pool_open(&pool);
    for (int side = 0; side < 2; side++)
        ids[side] = keys_of(&tmp, w, side, MATCH_CALL, &pool);
    uint8_t *on = arena_new(&tmp, uint8_t, pool.n);
    for (int side = 0; side < 2; side++)
        for (int32_t i = 0; i < w->sides[side].c->n_rows; i++)
            if (ids[side][i] >= 0)
                on[ids[side][i]] |= (uint8_t)(1 << side);
    for (int side = 0; side < 2; side++) {
        int64_t all = 0, named = 0;
        for (int32_t i = 0; i < w->sides[side].c->n_rows; i++)
            if (ids[side][i] >= 0 && w->sides[side].c->rows[i].replayed) {
                all += w->sides[side].rows[i].ns;
                named += on[ids[side][i]] == 3 ? w->sides[side].rows[i].ns : 0;
            }
        double frac = all ? (double)named / (double)all : 1;
        least = frac < least ? frac : least;
    }
    pool_close(&pool);
    return least;
}

/* Replayed work goes by its place in the sequence where names do not explain it. */
static void join_sequences(struct ladder *w, struct arena tmp)
{
    if (w->o->no_sequence || replayed_named_frac(w, tmp) >= NAMES_SUFFICE)
        return;
    uint8_t *replayed[2];
    for (int side = 0; side < 2; side++) {
        const struct match_side *s = &w->sides[side];
        replayed[side] = arena_new(&tmp, uint8_t, s->c->n_rows);
        for (int32_t i = 0; i < s->c->n_rows; i++)
            replayed[side][i] = s->c->rows[i].replayed && !is_empty(&s->rows[i]);
    }
    if (!match_sequences(w->perm, tmp, w->sides, replayed, &w->list))
        return;
    for (int side = 0; side < 2; side++)
        for (int32_t i = 0; i < w->sides[side].c->n_rows; i++)
            w->taken[side][i] |= replayed[side][i];
}

/* Category, name and kernel of most of the time. */
static void describe(const struct ladder *w, struct match *m)
{
    int64_t most = -1;
    if (m->level == MATCH_SEQUENCE && !m->n_events[0])
        m->level = MATCH_ONLY_CANDIDATE;
    if (m->level == MATCH_SEQUENCE && !m->n_events[1])
        m->level = MATCH_ONLY_REFERENCE;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        if (m->class_ns[0][c] + m->class_ns[1][c] > most) {
            most = m->class_ns[0][c] + m->class_ns[1][c];
            m->category = (enum work_category)c;
        }
    for (int side = 0; side < 2; side++) {
        if (!m->n_rows[side])
            continue;
        const struct capture_row *r = &w->sides[side].c->rows[m->rows[side][0]];
        if (m->level != MATCH_TREE)
            m->name[side] = r->name;
        m->kernel[side] = r->kernel;
        if (most == 0)
            m->category = r->category;
    }
}

/* The modules around each node, where both sides have Python frames. */
static void find_paths(struct ladder *w, struct arena *a)
{
    for (int side = 0; side < 2; side++) {
        const struct capture *c = w->sides[side].c;
        if (!w->sides[0].c->has_stacks || !w->sides[1].c->has_stacks || !c->n_nodes)
            continue;
        w->paths[side] = arena_new(a, struct str, c->n_nodes);
        for (int32_t i = 0; i < c->n_nodes; i++)
            w->paths[side][i] = capture_module_path(a, c, i);
    }
}

struct match_list match_rows(struct arena *perm, struct arena tmp,
                             const struct match_side sides[2],
                             const struct match_options *o)
{
    struct ladder w = {.perm = perm, .sides = sides, .o = o};
    w.equivalence = equivalence_read(&tmp, o->equivalence);
    for (int side = 0; side < 2; side++)
        w.taken[side] = arena_new(&tmp, uint8_t, sides[side].c->n_rows);
    find_paths(&w, &tmp);
    if (o->last >= MATCH_SEQUENCE)
        join_sequences(&w, tmp);
    for (enum match_level l = MATCH_PATH; l <= o->last && l <= MATCH_CATEGORY; l++)
        if (l == MATCH_TREE)
            match_trees(perm, tmp, sides, &w.equivalence, w.taken, &w.list);
        else if (l != MATCH_SEQUENCE)
            join_level(&w, tmp, l);
    keep_the_rest(&w);
    for (int32_t i = 0; i < w.list.n; i++)
        describe(&w, &w.list.rows[i]);
    return w.list;
}
