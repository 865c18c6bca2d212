/* report_figures.h - the charts of a report, built from the report alone.
 *
 * A chart with nothing to show says why in `empty`. `category` is an index into
 * report.categories, or -1 for all. Memory comes from the given arena. */
#ifndef REPORT_FIGURE_REPORT_FIGURES_H
#define REPORT_FIGURE_REPORT_FIGURES_H

#include "analysis/model/system_results.h"
#include "report/report.h"

struct arena;

/* " (39.2% with communication alone)", after how long the GPU is busy; empty below 5%.
 */
struct str figure_comm_clause(struct arena *a, const struct report_timeline *l);

struct report_figure figure_wall_time(struct arena *a, const struct report *r); /* C1 */
struct report_figure figure_categories(struct arena *a,
                                       const struct report *r);             /* C2 */
struct report_figure figure_gains(struct arena *a, const struct report *r); /* C3 */
struct report_figure figure_pareto(struct arena *a, const struct report *r,
                                   int category); /* C4 */
struct report_figure figure_durations(struct arena *a, const struct report *r,
                                      int category); /* C5 */
struct report_figure figure_efficiency(struct arena *a, const struct report *r,
                                       int category); /* C6 */
struct report_figure figure_roofline(struct arena *a, const struct report *r,
                                     int category); /* C13 */

/* Over time, of report.over_time, report.analysis and report.tree; without them, empty.
 */
struct report_figure figure_utilisation(struct arena *a,
                                        const struct report *r); /* C7 */
/* The same, low, with the causes of idle time: for the first screen. */
struct report_figure figure_strip(struct arena *a, const struct report *r);
/* The same of one of several devices whose own idle time is known. */
struct report_figure figure_gpu_strip(struct arena *a, const struct report *r, int k);
struct report_figure figure_streams(struct arena *a, const struct report *r);  /* C8 */
struct report_figure figure_launches(struct arena *a, const struct report *r); /* C9 */
struct report_figure figure_idle_causes(struct arena *a,
                                        const struct report *r); /* C10 */
/* The same by class, place and leaf; its cells lead to #t-groups. */
struct report_figure figure_idle_blame(struct arena *a, const struct report *r);
/* What the host does while nothing runs, in the order of charts. */
enum { FIGURE_IDLE_PARTS = 5 };
extern const struct figure_idle_part {
    struct str label;
    enum figure_slot slot;
} figure_idle_parts[FIGURE_IDLE_PARTS];
/* "idle: runtime calls", or the class that most of that is, over so many bins. */
struct str figure_idle_label(struct arena *a, const struct idle_result *idle,
                             int n_bins, int part);
/* The colour of a class of idle time: that of what the host does meanwhile. */
enum figure_slot figure_idle_slot(enum idle_class c);
struct report_figure figure_memory(struct arena *a, const struct report *r); /* C17 */
/* Kinds of allocations over time, as areas: C20. */
struct report_figure figure_memory_kinds(struct arena *a, const struct report *r);
/* Counters of the device over time, of those with one unit: C19. */
enum { COUNTER_FIGURES = 3 };
struct report_figure figure_counters(struct arena *a, const struct report *r, int k);
struct report_figure figure_tree(struct arena *a, const struct report *r, int view);
/* A node of it alone, as wide as the whole: as a zoom shows it. */
struct report_figure figure_tree_part(struct arena *a, const struct report *r, int view,
                                      int32_t node);

#endif
