/* gate.h - a condition on a comparison or a report that can fail a build: --fail-on.
 *
 *   EXPR  := [LEVEL ':'] (WHAT [OP VALUE] | severity)      LEVEL := fail | warn
 *   WHAT  := regression | regression(device) | regression(wall) | regression(row)
 *          | regression(category:NAME) | unmatched | setup | new-finding | metric
 *   OP    := > >= < <=
 *   VALUE := number ('%' | 'ns' | 'us' | 'ms' | 's') | severity | number
 *
 * A metric is a dotted name of summary.json, such as window.idle_pct; only it may have
 * a plain number. A report knows severities and metrics (ci/metric_gates.h evaluates
 * them), a comparison all.
 *
 * A gate fails if the limit is passed and the verdict says that there is a difference,
 * however fine the limit. It is not evaluated only where the captures cannot tell: a
 * value beyond the limit that may be noise, or one so little within it that it may be
 * beyond. Less time never fails. */
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
    GATE_ON_FINDING, /* new ones, in a comparison */
    GATE_ON_LEVEL,   /* a severity alone: the same, but all findings of a report */
    GATE_ON_METRIC
};

enum gate_unit { GATE_PERCENT, GATE_NS, GATE_NUMBER };

struct gate_expr {
    struct str text; /* as given */
    enum gate_what what;
    enum gate_unit unit;
    struct str category, metric;
    double limit;        /* in its unit */
    enum priority level; /* of a finding */
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
    double value; /* of a report alone, in the unit of the limit; NaN: not evaluated */
};

/* Whether kernels can be of a category of that name: as summary.json has it ("gemm"),
 * or, if `shown`, also as pages have it ("GEMM"). `gate` is named in the error, which
 * lists them. */
MUST_CHECK bool gate_category_is_known(struct str name, bool shown, struct str gate,
                                       struct err *e);

/* What the conditions of a build came to. */
struct gate_results {
    const struct gate_result *at;
    int n;
};

/* Whether a value is beyond the limit. */
bool gate_beyond(const struct gate_expr *g, double v);

struct gate_measured {
    double pct, ns; /* of a step; NaN: nothing to compare */
    double floor_pct, mde_pct, chance_pct;
    bool by_few_steps; /* of judgement */
    enum verdict verdict;
    struct str what; /* "device work" */
    struct str base; /* what pct is of; empty: the reference */
};

/* By the rule above, of one measured value. */
struct gate_result gate_decide(struct arena *perm, const struct gate_expr *g,
                               const struct gate_measured *m);

/* Of all but GATE_ON_METRIC. */
struct gate_result gate_evaluate(struct arena *perm, const struct gate_expr *g,
                                 const struct comparison *c);

/* Whether a capture has a finding, by its id; what binds it may be another. */
bool gate_has_finding(const struct capture *c, const struct finding *f);

struct str gate_status_word(enum gate_status s); /* "not evaluated" */
struct str gate_status_key(enum gate_status s);  /* "not_evaluated" */

#endif
