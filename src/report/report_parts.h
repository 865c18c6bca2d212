/* report_parts.h - the parts of report_build, in the order they run.
 *
 * Each reads the source and what earlier parts have filled in. Only report_build.c and
 * these parts include this. */
#ifndef REPORT_REPORT_PARTS_H
#define REPORT_REPORT_PARTS_H

#include "base/stable_id.h"
#include "ops/op_tables.h"
#include "report/report.h"
#include "report/report_options.h"

struct report_source {
    struct arena *perm;
    const struct op_tables *t;
    const struct analysis *a;
    const struct report_options *o;
};

void report_meta_fill(const struct report_source *s, struct report *r);
void report_timeline_fill(const struct report_source *s, struct report *r);
void report_steps_fill(const struct report_source *s, struct report *r);
/* How long the steps take, the typical ones and the others: a sentence. */
struct str report_steps_apart(struct arena *a, const struct trace_steps *t);
void report_categories_fill(const struct report_source *s, struct report *r);
/* " Most kernel time is GEMM (57.8%)." or empty; for the opening. */
struct str report_category_text(struct arena *a, const struct report *r);
void report_ops_fill(const struct report_source *s, struct report *r);
void report_kernels_fill(const struct report_source *s, struct arena tmp,
                         const int8_t *category, struct report *r);
void report_fill_fill(const struct report_source *s, struct report *r);
void report_memory_fill(const struct report_source *s, struct report *r);
void report_mfu_fill(const struct report_source *s, struct report *r);
void report_more_fill(const struct report_source *s, struct arena tmp,
                      const int8_t *category, struct report *r);
void report_phases_fill(const struct report_source *s, struct arena tmp,
                        const int8_t *category, struct report *r);
void report_top_fill(const struct report_source *s, struct report *r);
void report_findings_fill(const struct report_source *s, struct report *r);
void report_model_fill(const struct report_source *s, struct arena tmp,
                       struct report *r);
void report_measured_fill(const struct report_source *s, struct report *r);
void report_checks_fill(const struct report_source *s, struct report *r);
void report_recording_fill(const struct report_source *s, struct report *r);
void report_gpus_fill(const struct report_source *s, struct arena tmp,
                      const int8_t *category, struct report *r);
void report_verdict_fill(const struct report_source *s, struct report *r);
/* What a trace without device time is of, and where its time goes. */
struct str report_no_device_verdict(struct arena *a, const struct op_tables *t);
struct str report_no_device_lead(struct arena *a, const struct op_tables *t,
                                 const struct report *r);
void report_detail_fill(const struct report_source *s, struct arena tmp,
                        struct report *r);

/* The page of a category: names come from a fixed list, never from a trace. */
struct str report_category_page(enum work_category c);

/* The report's category of each device event, by its place in launch.all; -1: none. */
const int8_t *report_event_categories(struct arena *a, const struct report_source *s,
                                      const struct report *r);

/* The report's category for a work category; -1: none. */
int report_category_index(const struct report *r, enum work_category c);

#endif
