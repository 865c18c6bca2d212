/* report_parts.h - the parts of report_build, in the order they run.
 *
 * Each reads what the source lends and what the parts before it have filled in. Only
 * report_build.c and these parts include this. */
#ifndef REPORT_REPORT_PARTS_H
#define REPORT_REPORT_PARTS_H

#include "base/int_map.h"
#include "report/report_build.h"

struct report_source {
    struct arena *perm;
    const struct op_tables *t;
    const struct analysis *a;
    const struct report_options *o;
};

void report_meta_fill(const struct report_source *s, struct arena tmp,
                      struct report *r);
void report_timeline_fill(const struct report_source *s, struct arena tmp,
                          struct report *r);
void report_categories_fill(const struct report_source *s, struct report *r);
void report_ops_fill(const struct report_source *s, struct arena tmp, struct report *r);
void report_kernels_fill(const struct report_source *s, struct arena tmp,
                         struct report *r);
void report_top_fill(const struct report_source *s, struct report *r);
void report_findings_fill(const struct report_source *s, struct report *r);
void report_model_fill(const struct report_source *s, struct arena tmp,
                       struct report *r);
void report_measured_fill(const struct report_source *s, struct report *r);
void report_checks_fill(const struct report_source *s, struct arena tmp,
                        struct report *r);
void report_verdict_fill(const struct report_source *s, struct report *r);

/* The page of a category: names come from a fixed list, never from a trace. */
struct str report_category_page(enum work_category c);

/* The report's category of a work category; -1: it has none. */
int report_category_index(const struct report *r, enum work_category c);

/* "op-1a2b3c4d": eight hex digits of a hash of the texts that identify a thing; when
 * two things share them, the later one takes the next free number. */
struct id_set {
    struct arena *arena;
    struct int_map used;
};
struct id_set id_set_make(struct arena *a, ptrdiff_t n);
struct str id_take(struct id_set *s, const char *prefix, struct str identity);

/* The smallest of the values that at least 95 % do not exceed. Reorders them. */
double percentile_95(double *values, int64_t n);

#endif
