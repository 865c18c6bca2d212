/* finding_group.h - the rows that one finding is about, and how a row gets there.
 *
 * A row belongs to at most one finding (analysis.md 3.1). Fused and unfused blocks
 * claim first, then patterns in library order, then slow rows, then rows without a
 * model, then remarks. Groups live in the run's arena. */
#ifndef ANALYSIS_FINDING_GROUP_H
#define ANALYSIS_FINDING_GROUP_H

#include "analysis/lua/pattern_host.h"
#include "base/int_map.h"

struct row_hits { /* what the library says about one row */
    struct pattern_hit *at;
    int n;
};

struct finding_group {
    enum finding_kind kind;
    enum work_category category;
    struct str op; /* of its longest row */
    struct str pattern;
    enum finding_about about;
    enum roofline_bound bound;
    struct work_row **rows; /* longest first */
    int n_rows;
    int64_t count;
    const struct pattern_hit *hit; /* of its longest row; NULL */
    const struct row_hits *advice; /* hits on its longest row; NULL */
    bool informational;
    bool shapes_hidden;    /* on request */
    struct str shapes_how; /* what records them; empty: this profiler cannot */
    bool part; /* the group covers only the conversions inside the rows, or only the
                  rest */
    double time_ms,
        compute_pct;       /* without a model: of all kernels, which may overlap */
    double elsewhere_pct;  /* of what has no model: more that other findings name */
    double efficiency_pct; /* NaN: no row has a model */
    double saving_low_ms, saving_high_ms; /* NaN: from the efficiency */
};

struct finding_groups {
    struct finding_group *at; /* claims of rows are indices plus `first_claim` */
    int n;
};

/* The state of one run's claims. */
struct claims {
    struct arena *perm;
    struct analysis *a;
    struct row_hits *of_row[WORK_CATEGORIES];     /* by row of the category */
    struct row_hits of_category[WORK_CATEGORIES]; /* hits on the whole */
    struct finding_groups groups;
    struct int_map of_key; /* hash of what makes a group to the last such one */
    int32_t first_claim;   /* claimed_by of the first group; lower values are claims of
                              others */
};

/* Ask the library about every row and category; `host` may be NULL. */
void claims_ask(struct claims *c, struct pattern_host *host);

/* The rules in order. Rows already claimed stay claimed. */
void claims_patterns(struct claims *c);
void claims_slow(struct claims *c);
void claims_unmodelled(struct claims *c);
void claims_remarks(struct claims *c);

/* General bottleneck advice, used when no pattern gives specific advice. Advice based
 * on another kernel's speed covers all rows, not only the longest. */
static inline bool is_general(const struct pattern_hit *h)
{
    return str_starts(h->id, S("general_")) || str_eq(h->id, S("lowering_difference"));
}

/* The hit on a row with this id, or NULL. */
const struct pattern_hit *claims_hit(const struct claims *c, const struct work_row *r,
                                     struct str id);

#endif
