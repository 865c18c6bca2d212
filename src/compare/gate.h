/* gate.h - a condition on a comparison that can fail a build: --fail-on.
 *
 *   EXPR  := [LEVEL ':'] WHAT [OP VALUE] | severity      LEVEL := fail | warn
 *   WHAT  := regression | regression(device) | regression(wall) | regression(row)
 *          | regression(category:NAME) | unmatched | setup | new-finding
 *   OP    := > >= < <=     VALUE := number ('%' | 'ns' | 'us' | 'ms') | severity
 *
 * A gate fails only if the limit is passed and the verdict says that there is a
 * difference. A limit below what the captures can show is not evaluated. Less time
 * never fails. */
#ifndef COMPARE_GATE_H
#define COMPARE_GATE_H

#include "compare/comparison.h"

enum gate_what {
    GATE_ON_DEVICE,
    GATE_ON_WALL,
    GATE_ON_ROW,
    GATE_ON_CATEGORY,
    GATE_ON_UNMATCHED,
    GATE_ON_SETUP,
    GATE_ON_FINDING
};

enum gate_unit { GATE_PERCENT, GATE_NS };

struct gate_expr {
    struct str text; /* as given */
    enum gate_what what;
    enum gate_unit unit;
    struct str category;
    double limit;        /* % or ns */
    enum priority level; /* GATE_ON_FINDING */
    bool warns;          /* only */
    bool or_equal, below;
};

/* False if the text is none. */
MUST_CHECK bool gate_read(const char *text, struct gate_expr *g, struct err *e);

enum gate_status { GATE_PASSED, GATE_FAILED, GATE_NOT_EVALUATED };

struct gate_result {
    const struct gate_expr *of;
    enum gate_status status;
    struct str says; /* a clause: what was found, or why it was not evaluated */
};

struct gate_result gate_evaluate(struct arena *perm, const struct gate_expr *g,
                                 const struct comparison *c);

/* Whether a capture has a finding, by its id; what binds it may be another. */
bool gate_has_finding(const struct capture *c, const struct finding *f);

struct str gate_status_word(enum gate_status s); /* "not evaluated" */

#endif
