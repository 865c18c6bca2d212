/* markdown_cards.h - the recommendations of the fair report, one card a remedy.
 *
 * Findings of one priority that the same pattern made and the same remedy answers are
 * one card: eight times the same advice is read once. */
#ifndef RENDER_MARKDOWN_CARDS_H
#define RENDER_MARKDOWN_CARDS_H

#include "render/markdown_parts.h"

struct card_link { /* where the evidence of a category is */
    struct str category, title, anchor;
};

/* The whole section with its heading. */
void markdown_cards(const struct md *m, const struct card_link *links, int n_links);

#endif
