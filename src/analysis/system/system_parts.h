/* system_parts.h - internals shared by the files of the system tier. */
#ifndef ANALYSIS_SYSTEM_SYSTEM_PARTS_H
#define ANALYSIS_SYSTEM_SYSTEM_PARTS_H

#include "analysis/model/number_text.h"
#include "analysis/system/idle_gaps.h"
#include "base/int_map.h"

struct host_time;
void idle_analyse(struct arena *perm, struct arena tmp, const struct analysis *a,
                  struct host_time *host, const struct idle_gaps *g,
                  struct idle_result *r);
void idle_count(struct arena tmp, const struct analysis *a, const struct trace_view *v,
                struct idle_result *r);
void multi_kernel_analyse(struct arena *perm, struct arena tmp, struct analysis *a,
                          const struct tree_index *t, const struct idle_gaps *g,
                          struct multi_kernel_result *r);
void fusion_analyse(struct arena *perm, struct arena tmp, struct analysis *a,
                    const struct tree_index *t, struct fusion_result *r);

/* Overlap is good above this fraction of communication hidden by computation. */
#define TARGET_OVERLAP_FRAC 0.70

/* Copies by direction: the pattern, and what they are in words; after the directions,
 * copies to and from the host together. */
struct copy_words {
    struct str pattern, what;
};
extern const struct copy_words copy_words[COPY_DIRECTIONS + 1];

/* Texts about copies in one direction: what was measured, and what such copies usually
 * are. */
struct str copy_facts(struct arena *perm, const struct analysis *a,
                      enum copy_direction d, const struct copy_result *c);
struct str copy_cause(enum copy_direction d, const struct copy_result *c);

enum severity idle_severity(double idle_pct);
enum severity severity_worse(enum severity a, enum severity b);

/* Results to findings. */
void idle_findings(struct arena *perm, struct analysis *a, const struct tree_index *t,
                   struct idle_result *r, double threshold_pct);
void multi_kernel_findings(struct arena *perm, struct arena tmp, struct analysis *a,
                           const struct tree_index *t,
                           const struct multi_kernel_result *r);
void fusion_findings(struct arena *perm, struct analysis *a,
                     const struct fusion_result *r);

/* The first level whose bound `value` exceeds; bounds of CRITICAL, HIGH, MEDIUM, LOW.
 */
enum severity severity_above(double value, const double bounds[4]);

/* A finding of the system or of fusion, with its id and its share of total time. */
struct finding *add_system_finding(struct arena *perm, struct analysis *a,
                                   enum work_category c, struct str pattern,
                                   struct str op, double time_ms);

/* ", called from `model.py(12): forward`", or nothing. */
struct str called_from(struct arena *perm, const struct op_share *op);

/* "ProfilerStep#" annotations. */

void add_pattern(struct arena *perm, struct system_pattern **list, int *n,
                 struct system_pattern p);
/* Counts and times by event name, and by the Python frame that calls it if asked for;
 * the largest few are kept. */
struct share_row {
    event_id example; /* the first event of that name with the most time */
    event_id last;    /* counted before */
    int64_t count, calls;
    double total_us, longest_us;
};
struct share_table {
    struct share_row *rows;
    int32_t n;
    struct int_map row_of;            /* name, and that of its caller, to row */
    const struct tree_index *callers; /* one name of two of them is two; NULL: one */
};
struct share_table share_table_make(struct arena *a, const struct tree_index *callers);
void share_add(struct arena *a, struct share_table *t, const struct event_store *s,
               event_id named, double us);
/* By time, then by name; returns how many. `x` gives the caller of the example. */
int share_largest(struct share_table *t, const struct tree_index *x,
                  struct op_share *to, int max);

#endif
