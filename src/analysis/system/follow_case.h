/* follow_case.h - a made trace whose idle time is followed, for tests: its sums agree.
 */
#ifndef ANALYSIS_SYSTEM_FOLLOW_CASE_H
#define ANALYSIS_SYSTEM_FOLLOW_CASE_H

#include "analysis/system/host_time.h"
#include "analysis/system/idle_follow.h"
#include "analysis/trace_case.h"
#include "ops/timeline_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct follow_case {
    struct trace_case c;
    struct tree_index t;
    struct idle_gaps g;
    struct idle_result r;
    struct gap_cause *causes;
};

static inline void open_follow(struct follow_case *x)
{
    case_open(&x->c, NULL);
    x->t = tree_index_build(&x->c.perm, x->c.tmp, &x->c.view);
    x->g = idle_gaps_find(&x->c.perm, x->c.tmp, &x->t);
    x->r = (struct idle_result){0};
    struct host_time host = host_time_build(&x->c.perm, x->c.tmp, &x->t);
    x->causes = idle_follow(&x->c.perm, x->c.tmp, &host, &x->g, &x->r);
    int64_t classes = 0, groups = 0;
    for (int c = 0; c < IDLE_CLASSES; c++)
        classes += x->r.class_ns[c];
    for (int32_t k = 0; k < x->r.n_groups; k++)
        groups += x->r.groups[k].total_ns;
    assert_int_equal(classes, x->c.view.timeline.idle_ns);
    struct timeline_data frame = timeline_frame(&x->c.view);
    for (int c = 0; c < IDLE_CLASSES; c++) {
        int64_t binned = 0;
        for (int k = 0; k < frame.n_bins && x->r.class_bins[c]; k++)
            binned += x->r.class_bins[c][k];
        assert_int_equal(binned, x->r.class_ns[c]);
    }
    assert_int_equal(groups, x->c.view.timeline.idle_ns);
}

#endif
