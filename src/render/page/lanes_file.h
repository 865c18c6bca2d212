/* lanes_file.h - what runs when, for the script that zooms into it: a script file that
 * assigns one variable,
 *
 *   tracefolioLanes = {"total": ns, "kinds": [["gemm", "GEMM"], ...],
 *                      "names": [["name", kind], ...],
 *                      "steps": [[start, length, number], ...],
 *                      "gaps": [[start, length], ...],
 *                      "ops": [["aten::mm", "(8,64) bf16", "operations.html#op-1"],
 * ...], "shapes": ["grid 4 x 4 x 1, block 128 x 1 x 1", ...], "threads": ["thread 7",
 * ...], "lanes": [{"of": "stream", "name": "stream 7", "busy": ns, "events": n,
 * "below": ns, "at": [...], "more": [...], "calls": [...]}, ...]}
 *
 * Times are whole ns from the beginning of the window. "at" has three numbers a box:
 * from the end of the one before to its start, its length, its name. "more" has four
 * for each merged box: its place, its events, how long they last, the longest of them,
 * which has given the name. "calls" has for each other box of a stream: ns from its
 * launch to its start (null: not recorded), its place in "ops" and in "shapes" (-1:
 * none) and, where there are several, in "threads" that of its launch. "below": what is
 * shorter was merged; 0: nothing was. Loaded when the view is first wanted; pages do
 * not need it. */
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
