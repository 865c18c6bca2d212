/* run_index.h - the pages of a root: index.html, trend.html, and runs.json for
 * programs.
 *
 *   runs.json   one line a run, with the beginning of its texts
 *
 * Derived from the scan alone, so that the same folders give the same bytes. Each file
 * is written under another name and renamed; a page that we did not write is refused.
 */
#ifndef RUNS_RUN_INDEX_H
#define RUNS_RUN_INDEX_H

#include "runs/run_scan.h"

struct theme;

MUST_CHECK bool runs_write(int root_fd, const char *root, const struct runs *r,
                           const struct theme *theme, struct arena tmp,
                           struct arena tmp2, struct err *e);

#endif
