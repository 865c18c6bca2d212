/* cell_text.h - the composed cells of the reference's tables: shapes, parameters,
 * kernels.
 *
 * Argument texts are converted once each and kept; all results lie in the arena. */
#ifndef REPORT_CELL_TEXT_H
#define REPORT_CELL_TEXT_H

#include "ops/op_groups.h"
#include "report/table_build.h"

struct cell_texts {
    struct arena *perm;
    const struct event_store *s;
    struct str *tuple, *list; /* by name_id; p == NULL: not made yet */
};

struct cell_texts cell_texts_make(struct arena *perm, const struct event_store *s);

/* A raw argument text as a Python tuple or list; an empty cell for -1. */
void put_tuple(struct table_build *b, struct cell_texts *c, name_id id);
void put_list(struct table_build *b, struct cell_texts *c, name_id id);

/* A name of the lane, "Unknown" for -1. */
void put_lane_name(struct table_build *b, const struct event_store *s, name_id id);

/* [{'name': ..., 'stream': ..., 'count': ...}], and its short form. */
void put_kernel_details(struct table_build *b, const struct kernel_detail *d,
                        int32_t n);

/* {'M': 141, 'bias': True}, empty without a model. */
void put_params(struct table_build *b, const struct perf_cost *cost);

/* One parameter, in its own type. */
void put_param(struct table_build *b, const struct perf_cost *cost, const char *key);

#endif
