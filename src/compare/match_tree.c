#include "compare/match_tree.h"

#include "base/int_map.h"
#include "base/name_pool.h"
#include "capture/capture_names.h"

/* Work is not said to be done differently in a pair with more of a side's time than
 * this: that would be the model, or a large part of it. */
static const double PAIR_SHARE_MAX = 0.5;

enum { WRAPPERS_MAX = 3 }; /* inside one another that are looked through */

struct node {
    int32_t first_child, next; /* -1: none */
    int32_t pair;              /* -1: none; that of a wrapper is that around it */
    int64_t ns;                /* below it and in it */
};

struct pair {
    int32_t node[2], around, depth;
    int32_t rows[2]; /* left over: the first of a chain; -1 */
};

struct aligner {
    struct arena *perm, *tmp;
    const struct match_side *sides;
    const struct equivalence *names;
    uint8_t *const *taken;
    struct match_list *list;
    struct node *nodes[2];
    int32_t *next_row[2]; /* by row: the next of its chain */
    struct pair *pairs;
    int32_t n_pairs;
    struct name_pool keys;
};

static const struct capture_node *node_at(const struct aligner *w, int side, int32_t i)
{
    return &w->sides[side].c->nodes[i];
}

/* Children that work was done in, and the time of all. */
static void grow_tree(struct aligner *w, int side)
{
    const struct match_side *s = &w->sides[side];
    struct node *nodes = arena_new(w->tmp, struct node, s->c->n_nodes);
    for (int32_t i = 0; i < s->c->n_nodes; i++)
        nodes[i] = (struct node){-1, -1, -1, 0};
    for (int32_t i = 0; i < s->c->n_rows; i++)
        nodes[s->c->rows[i].node].ns += s->rows[i].ns;
    for (int32_t i = s->c->n_nodes - 1; i > 0; i--) {
        int32_t parent = s->c->nodes[i].parent;
        nodes[parent].ns += nodes[i].ns;
        if (!nodes[i].ns)
            continue;
        nodes[i].next = nodes[parent].first_child;
        nodes[parent].first_child = i;
    }
    w->nodes[side] = nodes;
}

/* One key for all names that may be pairs. */
static name_id key_of(struct aligner *w, int side, int32_t i)
{
    const struct capture_node *n = node_at(w, side, i);
    struct str class = equivalence_class(w->names, n->name);
    return pool_add(&w->keys, class.n ? class : n->name);
}

static int32_t add_pair(struct aligner *w, int32_t around, int32_t a, int32_t b)
{
    arena_grow(w->tmp, w->pairs, w->n_pairs);
    w->pairs[w->n_pairs] = (struct pair){
        {a, b}, around, around < 0 ? 0 : w->pairs[around].depth + 1, {-1, -1}};
    w->nodes[0][a].pair = w->nodes[1][b].pair = w->n_pairs;
    return w->n_pairs++;
}

/* Children of one pair that are not paired yet, by side. */
struct children {
    int32_t *of[2];
    int32_t n[2];
};

static void list_children(struct aligner *w, struct children *c, int side, int32_t node)
{
    for (int32_t i = w->nodes[side][node].first_child; i >= 0;
         i = w->nodes[side][i].next) {
        arena_grow(w->tmp, c->of[side], c->n[side]);
        c->of[side][c->n[side]++] = i;
    }
}

/* Pairs of equal keys; keeps those without one. */
static void join_children(struct aligner *w, struct children *c, int32_t pair)
{
    struct int_map at = int_map_make(w->tmp, c->n[0]);
    int32_t kept[2] = {0, 0};
    for (int32_t i = 0; i < c->n[0]; i++) {
        int32_t *place = int_map_at(&at, w->tmp, key_of(w, 0, c->of[0][i]));
        if (*place < 0) /* the first of a class */
            *place = c->of[0][i];
    }
    for (int32_t i = 0; i < c->n[1]; i++) {
        int32_t b = c->of[1][i], a = int_map_get(&at, key_of(w, 1, b));
        if (a >= 0 && w->nodes[0][a].pair < 0)
            add_pair(w, pair, a, b);
        else
            c->of[1][kept[1]++] = b;
    }
    for (int32_t i = 0; i < c->n[0]; i++)
        if (w->nodes[0][c->of[0][i]].pair < 0)
            c->of[0][kept[0]++] = c->of[0][i];
    c->n[0] = kept[0];
    c->n[1] = kept[1];
}

static bool has_key(struct aligner *w, const struct children *c, int side, name_id key)
{
    for (int32_t i = 0; i < c->n[side]; i++)
        if (key_of(w, side, c->of[side][i]) == key)
            return true;
    return false;
}

/* Puts the children of wrappers in their place; false: there are none. */
static bool look_through(struct aligner *w, struct children *c, int32_t pair)
{
    bool some = false;
    for (int side = 0; side < 2; side++) {
        int32_t n = c->n[side], kept = 0, *list = c->of[side];
        struct children inner = {{NULL, NULL}, {0, 0}};
        for (int32_t i = 0; i < n; i++) {
            bool wraps = false;
            for (int32_t k = w->nodes[side][list[i]].first_child; k >= 0 && !wraps;
                 k = w->nodes[side][k].next)
                wraps = has_key(w, c, !side, key_of(w, side, k));
            if (!wraps) {
                list[kept++] = list[i];
                continue;
            }
            w->nodes[side][list[i]].pair = pair;
            list_children(w, &inner, side, list[i]);
            some = true;
        }
        c->n[side] = kept;
        for (int32_t i = 0; i < inner.n[side]; i++) {
            arena_grow(w->tmp, c->of[side], c->n[side]);
            c->of[side][c->n[side]++] = inner.of[side][i];
        }
    }
    return some;
}

static void align(struct aligner *w)
{
    add_pair(w, -1, 0, 0);
    for (int32_t p = 0; p < w->n_pairs; p++) {
        struct children c = {{NULL, NULL}, {0, 0}};
        for (int side = 0; side < 2; side++)
            list_children(w, &c, side, w->pairs[p].node[side]);
        join_children(w, &c, p);
        for (int k = 0; k < WRAPPERS_MAX && look_through(w, &c, p); k++)
            join_children(w, &c, p);
    }
}

static void chain_row(struct aligner *w, int32_t pair, int side, int32_t row)
{
    w->next_row[side][row] = w->pairs[pair].rows[side];
    w->pairs[pair].rows[side] = row;
}

/* Rows that are left, at the deepest pair around them. */
static void place_rows(struct aligner *w, int side)
{
    const struct match_side *s = &w->sides[side];
    w->next_row[side] = arena_new(w->tmp, int32_t, s->c->n_rows);
    for (int32_t i = s->c->n_rows - 1; i >= 0; i--) {
        int32_t node = s->c->rows[i].node;
        if (w->taken[side][i] || !s->rows[i].ns || !node)
            continue;
        while (w->nodes[side][node].pair < 0)
            node = s->c->nodes[node].parent;
        chain_row(w, w->nodes[side][node].pair, side, i);
    }
}

struct joint {     /* rows of a pair with one key */
    int sides;     /* that have one, as bits */
    int32_t match; /* -1: none yet */
};

struct joints {
    struct int_map at;
    struct joint *list;
    int32_t n;
};

static struct joint *joint_of(struct aligner *w, struct joints *j, int side,
                              int32_t row, enum match_level level)
{
    const struct capture_row *r = &w->sides[side].c->rows[row];
    int64_t name = level == MATCH_NAME ? pool_add(&w->keys, r->name) : 0;
    int32_t *at = int_map_at(&j->at, w->tmp, name * DEVICE_PARTS + (int64_t)r->part);
    if (*at < 0) {
        *at = j->n;
        arena_grow(w->tmp, j->list, j->n);
        j->list[j->n++] = (struct joint){0, -1};
    }
    return &j->list[*at];
}

static void take(struct aligner *w, const struct pair *p, struct joint *joint, int side,
                 int32_t row, enum match_level level)
{
    if (joint->match < 0) {
        struct match *m = match_add(w->perm, w->list, level);
        joint->match = w->list->n - 1;
        for (int k = 0; level == MATCH_TREE && k < 2; k++)
            m->name[k] = capture_node_name(node_at(w, k, p->node[k]));
    }
    match_take(w->perm, &w->list->rows[joint->match], side, &w->sides[side], row);
    w->taken[side][row] = 1;
}

/* Takes rows of a pair into matches that both sides are in; the others stay. */
static void join_rows(struct aligner *w, struct pair *p, enum match_level level)
{
    struct joints j = {.at = int_map_make(w->tmp, 16)};
    if (p->rows[0] < 0 || p->rows[1] < 0)
        return;
    for (int side = 0; side < 2; side++)
        for (int32_t row = p->rows[side]; row >= 0; row = w->next_row[side][row])
            joint_of(w, &j, side, row, level)->sides |= 1 << side;
    for (int side = 0; side < 2; side++)
        for (int32_t *at = &p->rows[side]; *at >= 0;) {
            int32_t row = *at;
            struct joint *joint = joint_of(w, &j, side, row, level);
            if (joint->sides == 3) {
                take(w, p, joint, side, row, level);
                *at = w->next_row[side][row];
            } else {
                at = &w->next_row[side][row];
            }
        }
}

static bool is_most(const struct aligner *w, const struct pair *p)
{
    for (int side = 0; side < 2; side++)
        if ((double)w->nodes[side][p->node[side]].ns >
            PAIR_SHARE_MAX * (double)w->nodes[side][0].ns)
            return true;
    return false;
}

/* What a pair leaves on one side may have its counterpart elsewhere in the pair around
 * it. */
static void move_outwards(struct aligner *w, struct pair *p)
{
    if (p->around <= 0 || is_most(w, &w->pairs[p->around]))
        return;
    for (int side = 0; side < 2; side++)
        for (int32_t row = p->rows[side], next; row >= 0; row = next) {
            next = w->next_row[side][row];
            chain_row(w, p->around, side, row);
        }
}

void match_trees(struct arena *perm, struct arena tmp, const struct match_side sides[2],
                 const struct equivalence *names, uint8_t *const taken[2],
                 struct match_list *list)
{
    struct aligner w = {.perm = perm,
                        .tmp = &tmp,
                        .sides = sides,
                        .names = names,
                        .taken = taken,
                        .list = list};
    if (!sides[0].c->n_nodes || !sides[1].c->n_nodes)
        return;
    pool_open(&w.keys);
    for (int side = 0; side < 2; side++)
        grow_tree(&w, side);
    align(&w);
    for (int side = 0; side < 2; side++)
        place_rows(&w, side);
    for (int32_t i = w.n_pairs - 1; i > 0; i--) {
        join_rows(&w, &w.pairs[i], MATCH_NAME);
        join_rows(&w, &w.pairs[i], MATCH_TREE);
        move_outwards(&w, &w.pairs[i]);
    }
    pool_close(&w.keys);
}
