/* slice_pair.h - which end belongs to which begin, on each track of a trace.
 *
 * Formats that write begins and ends apart do not say. In a file in order of time, an
 * end closes what began last. Exporters that write all begins of a group before all its
 * ends write both in one order. Anything else is put in order of time, as viewers
 * do. */
#ifndef FORMATS_SLICE_PAIR_H
#define FORMATS_SLICE_PAIR_H

#include <stdint.h>

struct slice_mark {
    int64_t at_ns;
    int32_t track;
    int32_t slice; /* that begins; -1: one ends */
};

struct slice_marks {
    struct slice_mark *marks; /* in the order of the file */
    int32_t n, max;
};

#define SLICE_OPEN INT64_MIN /* has no end */

void marks_add(struct slice_marks *m, struct slice_mark mark);

/* The first n are read no more. */
void marks_forget(struct slice_marks *m, int32_t n);

/* The end of each slice, or SLICE_OPEN. Linear, but for tracks in no order. */
void marks_pair(const struct slice_marks *m, int32_t n_tracks, int64_t *end_ns);
void marks_close(struct slice_marks *m);

#endif
