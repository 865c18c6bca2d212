/* run_scan.h - the runs of a root, found by reading it: nothing else is kept of them.
 *
 * A run is a folder with our manifest and a summary.json, or that of a comparison its
 * comparison_data.json. Deleting a run is deleting its folder. Of each document only
 * what the index shows is kept: some 2 KB of a run. */
#ifndef RUNS_RUN_SCAN_H
#define RUNS_RUN_SCAN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct cJSON;

enum share { SHARE_INTERNAL, SHARE_PARTNER, SHARE_PUBLIC, SHARES };

struct str share_word(enum share s); /* "internal" */
MUST_CHECK bool share_read(const char *text, enum share *s, struct err *e);

/* Those of a trace are in a series; what they compare or join is not, and has no date.
 */
enum run_kind { RUN_OF_TRACE, RUN_OF_JOB, RUN_OF_COMPARISON };

enum { RUN_FIGURES = 18 };

struct run_category {
    struct str slug, label;
    double ns, pct; /* of kernels; NaN: not known */
};

struct run_size { /* collectives of one kind, size and number of ranks */
    struct str slug, kind;
    double bytes, ranks, bus_gb_s; /* NaN: not known */
    bool small;
};

struct run_row {
    enum run_kind kind;
    struct str folder; /* "run-20260131100211-7f3a0c9e", terminated */
    struct str unread; /* why it cannot be read; or empty, and the rest is known */
    struct str label, series, device;
    struct str when;    /* "2026-01-31T10:02:11Z", "2026-01-31", or empty */
    struct str verdict, lead; /* lead: of a trace, what to do first */
    enum share share;
    bool pinned;                 /* has a file `keep` */
    struct str gates;            /* "passed", terminated; or empty */
    double figures[RUN_FIGURES]; /* run_figure's own */
    struct run_category *categories;
    int n_categories;
    struct run_size *sizes;
    int n_sizes;
};

struct runs {
    struct run_row *at; /* of traces by series, the newest first; then jobs and
                           comparisons; unread ones last */
    int n;
};

/* The runs of an open folder. `path` is named in errors. */
MUST_CHECK bool runs_scan(struct arena *perm, int root_fd, const char *path,
                          struct runs *r, struct err *e);

/* One run, by its path. False: it cannot be opened, or has no manifest of ours. */
MUST_CHECK bool run_read(struct arena *perm, const char *path, struct run_row *r);

/* Figures, categories and gates of a summary.json; NULL: none is known. */
void run_keep(struct arena *perm, struct run_row *r, const struct cJSON *doc);

bool run_is_of_trace(const struct run_row *r); /* and can be read */

/* Of summary.json, by its dotted name; NaN where there is none. Of categories only
 * kernel_sum_ns is known, of collectives by size bus_gb_per_s, of others the names in
 * run_scan.c. */
double run_figure(const struct run_row *r, const char *dotted);

/* What runs.json and the pages begin from: equal for the same folders. */
uint64_t runs_names_hash(int root_fd);

#endif
