/* finding_group.h - rows that one finding is about, and how a row comes to one.
 *
 * A row belongs to one finding at most (analysis.md 3.1): fused or unfused blocks
 * first, then patterns in the order of the library, then what is merely slow, then what
 * no model covers, then remarks. Groups lie in the arena of the run. */
#ifndef ANALYSIS_FINDING_GROUP_H
#define ANALYSIS_FINDING_GROUP_H

#include "analysis/pattern_host.h"

struct row_hits { /* what the library says of one row */
    struct pattern_hit *at;
    int n;
};

struct finding_group {
    enum finding_kind kind;
    enum work_category category;
    struct str op; /* of its longest row */
    struct str pattern;
    enum roofline_bound bound;
    struct work_row **rows; /* longest first */
    int n_rows, cap_rows;
    int64_t count;
    const struct pattern_hit *hit; /* of its longest row; NULL */
    const struct row_hits *advice; /* hits on its longest row; NULL */
    bool informational;
    bool part; /* only conversions inside the rows are meant, or only the rest */
    double time_ms, compute_pct;
    double efficiency_pct;                /* NaN: no row is modelled */
    double saving_low_ms, saving_high_ms; /* NaN: from the efficiency */
};

struct finding_groups {
    struct finding_group *at; /* claims of rows are indices plus `first_claim` */
    int n, cap;
};

/* Everything the claims of one run need. */
struct claims {
    struct arena *perm;
    struct analysis *a;
    struct row_hits *of_row[WORK_CATEGORIES];     /* by row of the category */
    struct row_hits of_category[WORK_CATEGORIES]; /* hits on the whole */
    struct finding_groups groups;
    int32_t first_claim; /* claimed_by of the first group; below, others have claimed */
};

/* Ask the library about every row and category; `host` may be NULL. */
void claims_ask(struct claims *c, struct pattern_host *host);

/* The rules in order. Rows claimed already stay so. */
void claims_patterns(struct claims *c);
void claims_slow(struct claims *c);
void claims_unmodelled(struct claims *c);
void claims_remarks(struct claims *c);

/* The hit of this id on a row, or NULL. */
const struct pattern_hit *claims_hit(const struct claims *c, const struct work_row *r,
                                     struct str id);

#endif
