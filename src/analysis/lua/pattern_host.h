/* pattern_host.h - the pattern library: Lua files that read a row and give advice.
 *
 * Built-in patterns are assets/patterns/NAME.lua, one file a category; users add files,
 * which may hold performance models and categories too (extension_model.h). Each file
 * runs in a sandbox (lua_sandbox.h), a user's in a state of its own. Failures are
 * marked and named in the warnings; the rest goes on. assets/patterns/README.md is the
 * guide to writing a file.
 *
 * Open it before building the tables, which call the models. Texts of hits live in the
 * arena of the call, the rest in that of pattern_host_open. */
#ifndef ANALYSIS_LUA_PATTERN_HOST_H
#define ANALYSIS_LUA_PATTERN_HOST_H

#include "analysis/model/finding.h"
#include "base/err.h"

struct pattern_source {
    struct str name, text; /* "assets/patterns/gemm.lua" */
};

/* Rows of a category that patterns see, which come longest first: after so many, a row
 * does not matter by itself. */
enum { PATTERN_ROWS_MOST = 5000 };

struct pattern_hit {
    struct str id;                    /* "tiny_batched_gemm" */
    struct str title;                 /* n == 0: made from the operator */
    struct str issue, path_a, path_b; /* placeholders filled in; may be empty */
    struct str cause;                 /* findings of one cause are one; may be empty */
    bool informational;
    bool recording;       /* asks for another recording */
    bool bottleneck_only; /* advice for a bottleneck, no finding by itself */
    double saving_low_ms, saving_high_ms; /* NaN: from the efficiency */
    double group_efficiency_pct;          /* NaN: from the rows */
    double spared_calls_pct; /* which are gone from the host, too; NaN: none */
    const struct work_row *
        *rows; /* members when the pattern claims more than one row */
    int n_rows;
    int order; /* place in the library: precedence, and the index of its info */
};

struct pattern_host;

/* Run the built-in files, then the user's in order. False if a user's file cannot be
 * read; an error inside one is only a warning. */
MUST_CHECK bool pattern_host_open(struct pattern_host **h, struct arena *perm,
                                  const struct pattern_source *builtin, int n_builtin,
                                  const char *const *extensions, int n_extensions,
                                  struct err *e);
void pattern_host_close(struct pattern_host *h);

/* Every hit on one row, in the order of the library. Failures become warnings of `a`,
 * each pattern once. */
struct pattern_hit *pattern_host_row(struct pattern_host *h, struct arena *perm,
                                     struct analysis *a, const struct work_row *row,
                                     int *n_hits);

/* Patterns that look at a whole category (counts, sums, groups of rows). */
struct pattern_hit *pattern_host_category(struct pattern_host *h, struct arena *perm,
                                          struct analysis *a, enum work_category c,
                                          int *n_hits);

/* A pattern may fail at a later row, which also drops its earlier hits. Ask after all
 * rows are done. */
bool pattern_host_stands(const struct pattern_host *h, const struct pattern_hit *hit);

/* A hash of the texts of users' files, in order; 0: none. Equal hashes mean equal
 * rules. */
uint64_t pattern_host_user_hash(const struct pattern_host *h);

/* The texts of one advice for something found in C, such as a block of unfused
 * attention: its `when` and `unless` see `values` and the trace, its placeholders are
 * `values`. False if no such pattern exists, it failed, or the trace is against it. */
bool pattern_host_advice(struct pattern_host *h, struct arena *perm, struct analysis *a,
                         struct str id, const struct work_fact *values, int n_values,
                         struct pattern_hit *hit);

/* Every advice about one subject ("copies") that `values` and the trace bear out, in
 * the order of the library. `h` may be NULL: none. */
struct pattern_hit *pattern_host_about(struct pattern_host *h, struct arena *perm,
                                       struct analysis *a, struct str about,
                                       const struct work_fact *values, int n_values,
                                       int *n_hits);

/* The texts of the first pattern that knows a group of idle time by its facts; a text
 * fact has text.p. Users' patterns are asked before the built-in ones. */
bool pattern_host_group(struct pattern_host *h, struct arena *perm, struct analysis *a,
                        const struct work_fact *facts, int n_facts,
                        struct pattern_hit *hit);

/* The category that an extension assigns to operators of this name. */
bool pattern_host_category_of(const struct pattern_host *h, struct str op,
                              enum work_category *c);

/* Reports what failed while reading the files, or in a model since. pattern_host_row
 * and pattern_host_category do so too. */
void pattern_host_warn(struct pattern_host *h, struct arena *perm, struct analysis *a);

/* The library, for `tracefolio patterns`. */
struct pattern_info {
    struct str id, category, file, summary, counter, error;
    bool informational, failed, user;
    bool any_category; /* its findings take the category of their rows */
    int64_t hits;      /* in this run */
};
int pattern_host_count(const struct pattern_host *h);
struct pattern_info pattern_host_info(const struct pattern_host *h, int i);

/* Users' models and categories, in file order. */
struct operator_info {
    struct str op, category, file; /* `op` may be a Lua pattern */
    bool has_model, failed;
    int64_t calls; /* distinct calls it gave figures for in this run */
};
int pattern_host_operators(const struct pattern_host *h);
struct operator_info pattern_host_operator(const struct pattern_host *h, int i);

/* Sentences about the files and entries that were left out, reported or not. */
int pattern_host_faults(const struct pattern_host *h);
struct str pattern_host_fault(const struct pattern_host *h, int i);

#endif
