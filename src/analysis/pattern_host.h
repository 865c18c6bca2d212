/* pattern_host.h - the pattern library: Lua files that read a row and give advice.
 *
 * Built-in patterns are assets/patterns/NAME.lua, one file a category; users add files.
 * The sandbox has no io, os, package, debug and no bytecode; instructions and memory are
 * limited for each call. A pattern that fails is marked and named; the rest goes on. */
#ifndef ANALYSIS_PATTERN_HOST_H
#define ANALYSIS_PATTERN_HOST_H

#include "analysis/finding.h"
#include "base/err.h"

struct pattern_hit {
    struct str id;             /* "tiny_batched_gemm" */
    struct str title;          /* n == 0: made from the operator */
    struct str issue, path_a, path_b; /* placeholders filled in */
    bool informational;
    bool bottleneck_only;      /* advice for a bottleneck, no finding by itself */
    double saving_low_ms, saving_high_ms; /* NaN: from the efficiency */
    double group_efficiency_pct;          /* NaN: from the rows */
    const struct work_row **rows; /* members when the pattern claims more than one row */
    int n_rows;
    int order;                 /* place in the category's table: precedence */
};

struct pattern_host;

/* Compile the built-in library, then the user's files in order. */
MUST_CHECK bool pattern_host_open(struct pattern_host **h, struct arena *perm,
                                  const char *const *extensions, int n, struct err *e);
void pattern_host_close(struct pattern_host *h);

/* Every hit on one row, in the order of the category's table. Failures become warnings of
 * `a`, each pattern once. */
struct pattern_hit *pattern_host_row(struct pattern_host *h, struct arena *perm,
                                     struct analysis *a, const struct work_row *row,
                                     int *n_hits);

/* Patterns that look at a whole category (counts, sums, groups of rows). */
struct pattern_hit *pattern_host_category(struct pattern_host *h, struct arena *perm,
                                          struct analysis *a, enum work_category c,
                                          int *n_hits);

/* The library, for `tracefolio patterns`. */
struct pattern_info {
    struct str id, category, file, summary;
    bool informational, failed;
    int64_t hits; /* in this run */
};
int pattern_host_count(const struct pattern_host *h);
struct pattern_info pattern_host_info(const struct pattern_host *h, int i);

#endif
