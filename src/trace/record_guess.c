#include "trace/record_guess.h"

void pieces_open(struct record_guess *g)
{
    *g = (struct record_guess){.n = 0};
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

void piece_learn(struct record_guess *g, struct record_piece **last, struct str text,
                 const struct piece_facts *facts, struct member *member)
{
    struct record_piece new = {.n = (int)text.n,
                               .member = member,
                               .meaning = member->meaning,
                               .facts = *facts};
    struct record_piece *from = *last;
    *last = &g->other;
    if (text.n > PIECE_BYTES)
        return;
    if (g->n == PIECES_MAX) {
        pieces_open(g);
        from = &g->other;
    }
    memcpy(new.text, text.p, (size_t)text.n);
    memset(new.mask, 0xff, (size_t)text.n);
    *last = remember(g, &new);
    from->next[1] = from->next[0];
    from->next[0] = *last;
}
