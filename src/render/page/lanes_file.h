/* lanes_file.h - what runs when, for the script that zooms into it: a script file that
 * assigns one variable,
 *
 *   tracefolioLanes = {"total": ns, "kinds": [["gemm", "GEMM"], ...],
 *                      "names": [["name", kind], ...],
 *                      "steps": [[start, length, number], ...],
 *                      "gaps": [[start, length], ...],
 *                      "lanes": [{"of": "stream", "name": "stream 7", "busy": ns,
 *                                 "events": n, "below": ns, "at": [...],
 *                                 "more": [...]}, ...]}
 *
 * Times are whole ns from the beginning of the window. "at" has three numbers a box: from
 * the end of the one before to its start, its length, its name. "more" has four for
 * each merged box: its place, its events, how long they last, the longest of them,
 * which has given the name. "below": what is shorter was merged; 0: nothing was. Loaded
 * when the view is first wanted; pages do not need it. */
#ifndef RENDER_PAGE_LANES_FILE_H
#define RENDER_PAGE_LANES_FILE_H

#include "base/out.h"
#include "report/report.h"

struct arena;

enum { LANES_BYTES_MAX = 390000 };

/* False: there is no device work, and nothing to write. */
bool lanes_wanted(const struct report *r);

struct lanes_count {
    int64_t events, merged; /* merged: in boxes of several */
};

/* Merges more boxes until they fit. */
struct lanes_count lanes_file(struct out *o, const struct report *r, struct arena tmp);

#endif
