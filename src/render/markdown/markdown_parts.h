/* markdown_parts.h - what the markdown contexts share; nobody else's.
 *
 * A context is a cJSON tree for templates/md/, which say what each key holds; most of
 * it is structs lent to it (markdown_fields.h). A member that does not apply is there
 * all the same, as null or NaN: what is missing would be looked for further out. */
#ifndef RENDER_MARKDOWN_MARKDOWN_PARTS_H
#define RENDER_MARKDOWN_MARKDOWN_PARTS_H

#include "base/arena.h"
#include "render/markdown/markdown_style.h"
#include "render/text/host_context.h"
#include "render/text/system_context.h"
#include "report/report_detail.h"

struct md {
    struct arena *tmp;
    const struct report *r;
    const struct report_detail *d;
    const struct analysis *a;
    const struct system_results *system;
    const struct markdown_style *style;
    cJSON *root;
    cJSON **rows[WORK_CATEGORIES]; /* by the index of the category's rows */
    const struct work_row **all;   /* every row, in the order of the sections */
    int n_all;
    cJSON **findings; /* by the index of the report's findings */
};

/* Its node; NULL: it is in no section. */
cJSON *md_row_node(const struct md *m, const struct work_row *w);

/* Root: findings, tiers, best, cards, replay lists. */
void md_findings(struct md *m);
void md_recommendations(struct md *m, const cJSON *parts);

/* Findings that are recommendations (medium and above, at most ten of kernels), in
 * their one order. Returns how many; order has room for all. */
int md_fair_order(const struct report *r, int *order);

/* Root: fusion. */
void md_fusion(struct md *m);

/* The candidate that became finding `i`, or NULL. */
const struct fusion_candidate *md_candidate_of(const struct md *m, int i);

#endif
