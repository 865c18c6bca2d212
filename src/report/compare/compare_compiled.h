/* compare_compiled.h - compiled code of both sides: frames, their backward pass,
 * graphs.
 *
 * Frames are compared by their number, graphs by the key of their code; where a side
 * has one graph left and so has the other, these are compared. All versions of a frame
 * are one row. Of one capture a side, over the whole recording. */
#ifndef REPORT_COMPARE_COMPARE_COMPILED_H
#define REPORT_COMPARE_COMPARE_COMPILED_H

#include "base/described.h"
#include "compare/comparison.h"
#include "report/report_table.h"

struct compared_code {
    struct str kind, name[2]; /* "region", "backward", "graph"; empty: not recorded */
    int64_t calls[2];         /* 0: the side has none */
    int32_t versions[2];      /* of a frame, so often it was compiled; 0: not known */
    /* Of a call, by side; NaN: none. Breaks lie before it. */
    double device_ms[2], host_ms[2], kernels[2], breaks[2], break_ms[2];
};
DESCRIBED(compared_code);

struct compared_compiled {
    struct compared_code *rows; /* by kind, in the order of the reference */
    int n;
};

/* n of 0: a side has none. In `a`. */
struct compared_compiled compare_compiled(struct arena *a, const struct comparison *c);

/* Device time of a call, candidate less reference, in % of the reference; NaN: not
 * known. */
double compared_code_pct(const struct compared_code *r);

struct report_table compare_compiled_table(struct arena *perm,
                                           const struct comparison *c);

#endif
