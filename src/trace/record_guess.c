#include "trace/record_guess.h"

void pieces_open(struct record_guess *g)
{
    g->n = 0;
    g->other = (struct record_piece){.n = 0};
    g->first = &g->other;
}

/* The piece that says the same in the same words, or a new one. */
static struct record_piece *remember(struct record_guess *g,
                                     const struct record_piece *new)
{
    for (int i = 0; i < g->n; i++)
        if (g->at[i].n == new->n && memcmp(g->at[i].text, new->text, PIECE_BYTES) == 0)
            return &g->at[i];
    g->at[g->n] = *new;
    return &g->at[g->n++];
}

struct record_piece *piece_learn(struct record_guess *g, struct piece_list *list,
                                 struct str text, const struct piece_facts *facts,
                                 struct member *member)
{
    struct record_piece new = {.n = (int)text.n,
                               .member = member,
                               .meaning = member->meaning,
                               .facts = *facts};
    if (text.n > PIECE_BYTES)
        return &g->other;
    bool full = g->n == PIECES_MAX;
    if (full)
        pieces_open(g);
    memcpy(new.text, text.p, (size_t)text.n);
    memset(new.mask, 0xff, (size_t)text.n);
    struct record_piece *piece = remember(g, &new);
    if (!full) { /* else the list is gone, too */
        list->at[1] = list->at[0];
        list->at[0] = piece;
    }
    return piece;
}
