/* selection.h - which steps of both captures are compared.
 *
 * Of training, the steady steps that do the same on both sides, or as many as both
 * have; of serving, steps of one phase and similar load, nearest first; without marked
 * steps on both sides, the whole windows. */
#ifndef COMPARE_SELECTION_H
#define COMPARE_SELECTION_H

#include "base/err.h"
#include "compare/match_list.h"

enum steps_asked { STEPS_PAIRED, STEPS_ALL, STEPS_NUMBERED };

struct step_choice {
    enum steps_asked asked;
    int64_t from[2], to[2]; /* STEPS_NUMBERED: by number, of each side */
};

struct selection {
    struct step_span *spans[2]; /* in order, disjoint */
    int n_spans[2];
    int n_steps;       /* of each side; 0: the whole windows */
    int n_left_out[2]; /* steps: warm-up, or beyond those of the other side */
    bool by_load;      /* paired by what they serve */
    double tokens[2];  /* mean new tokens of a step; NaN */
    double load_pct;   /* largest difference of tokens in a pair, % of reference */
};

/* "all", "paired", "3", "3-7", or one of these for each side: "3-7,4-8". */
MUST_CHECK bool step_choice_read(const char *text, struct step_choice *c,
                                 struct err *e);

/* False if a side has no step of the numbers asked for. */
MUST_CHECK bool selection_make(struct arena *perm, struct arena tmp,
                               const struct capture *const of[2],
                               const struct step_choice *choice, struct selection *s,
                               struct err *e);

/* By row: what of it lies in the spans. */
struct row_figures *selection_figures(struct arena *perm, const struct capture *c,
                                      const struct step_span *spans, int n_spans);

int64_t selection_window_ns(const struct step_span *spans, int n_spans);

#endif
