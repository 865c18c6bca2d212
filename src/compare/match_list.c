#include "compare/match_list.h"

struct str match_level_word(enum match_level l)
{
    static const struct str words[] = {
        [MATCH_PATH] = S_INIT("L0"),
        [MATCH_CALL] = S_INIT("L1"),
        [MATCH_TYPES] = S_INIT("L2"),
        [MATCH_DIMS] = S_INIT("L3"),
        [MATCH_EQUIVALENT] = S_INIT("E"),
        [MATCH_TREE] = S_INIT("T"),
        [MATCH_SEQUENCE] = S_INIT("G"),
        [MATCH_NAME] = S_INIT("L4"),
        [MATCH_CATEGORY] = S_INIT("L5"),
        [MATCH_ONLY_REFERENCE] = S_INIT("only in reference"),
        [MATCH_ONLY_CANDIDATE] = S_INIT("only in candidate"),
    };
    return words[l];
}

struct match *match_add(struct arena *perm, struct match_list *l,
                        enum match_level level)
{
    arena_grow(perm, l->rows, l->n);
    l->rows[l->n] = (struct match){.level = level, .first_row = {-1, -1}};
    return &l->rows[l->n++];
}

/* Rows of a side by time, longest first; equals keep their order. */
static void insert_row(struct arena *perm, struct match *m, int side,
                       const struct match_side *s, int32_t row)
{
    arena_grow(perm, m->rows[side], m->n_rows[side]);
    int32_t at = m->n_rows[side]++;
    for (; at > 0 && s->rows[m->rows[side][at - 1]].ns < s->rows[row].ns; at--)
        m->rows[side][at] = m->rows[side][at - 1];
    m->rows[side][at] = row;
}

void match_take(struct arena *perm, struct match *m, int side,
                const struct match_side *s, int32_t row)
{
    const struct capture_row *r = &s->c->rows[row];
    const struct row_figures *f = &s->rows[row];
    insert_row(perm, m, side, s, row);
    m->first_row[side] = m->rows[side][0];
    m->n[side] += f->n_calls;
    m->n_events[side] += f->n_events;
    m->ns[side] += f->ns;
    if (r->part == DEVICE_COMPUTE)
        m->class_ns[side][r->category] += f->ns;
}

bool match_is_recast(const struct match *m)
{
    return m->level == MATCH_TREE || m->level == MATCH_SEQUENCE ||
           m->level == MATCH_CATEGORY;
}

bool match_one_class(const struct match *m)
{
    int classes = 0;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        classes += m->class_ns[0][c] || m->class_ns[1][c];
    return classes <= 1;
}
