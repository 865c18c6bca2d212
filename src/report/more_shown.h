/* more_shown.h - what else a trace says, each as one struct that is described
 * (base/describe.h): a member of report.json, a table of our own, part of a page.
 *
 * Only what the trace holds is there; the rest is null in report.json and has neither
 * file nor section. */
#ifndef REPORT_MORE_SHOWN_H
#define REPORT_MORE_SHOWN_H

#include "base/described.h"
#include "report/report.h"

enum { MORE_PAGE_ROWS = 100 };

struct more_shown {
    const char *name;                         /* in report.json and in contexts */
    const char *file;                         /* its table: "layers" */
    const char *page;                         /* "layers.html" */
    const struct description *(*told)(void);  /* for a page */
    const void *(*of)(const struct report *); /* NULL: the trace holds nothing */
    int (*n_rows)(const struct report *);
    int page_rows; /* at most */
    struct report_table (*table)(struct arena *, const struct report *);
};

extern const struct more_shown more_shown[];
extern const int n_more_shown;

/* Whether a page has anything of it. */
bool more_on_page(const struct report *r, const char *page);

DESCRIBED_AS(mfu_steps, model_use);
DESCRIBED(layers);
DESCRIBED_AS(summed_layers, layers); /* those with most of the time */
DESCRIBED(modules);
DESCRIBED(comm_sizes);
DESCRIBED_AS(summed_sizes, comm_sizes); /* sums, and those of each kind and size */
DESCRIBED(compiled);
DESCRIBED_AS(summed_compiled, compiled); /* without the rows */
DESCRIBED(critical_path);
DESCRIBED_AS(summed_path, critical_path); /* without the rows */
DESCRIBED(counters);
DESCRIBED_AS(summed_counters, counters); /* without the rows */
DESCRIBED_AS(shown_counters, counters);  /* with flags for a page */
DESCRIBED(counter_lines);

#endif
