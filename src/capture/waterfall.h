/* waterfall.h - the time of a window in parts that add up, to the nanosecond.
 *
 * In each stretch between two starts or ends: if kernels of classes run, it is divided
 * among these classes by their numbers of running kernels, what integer division leaves
 * going to the first of them; else it is exposed communication, if any runs; else an
 * exposed copy; else idle. */
#ifndef CAPTURE_WATERFALL_H
#define CAPTURE_WATERFALL_H

#include "base/arena.h"
#include "capture/capture.h"

#include <stdint.h>

struct step_span {
    int64_t start_ns, end_ns;
};

/* Behind the classes, which count from 0. */
enum sweep_class { SWEEP_COPY = -2, SWEEP_COMM = -1 };

struct sweep_item {
    int64_t start_ns, end_ns;
    int16_t class; /* or enum sweep_class */
};

/* Where a part is in the result. */
static inline int sweep_comm(int n_classes)
{
    return n_classes;
}

static inline int sweep_copy(int n_classes)
{
    return n_classes + 1;
}

static inline int sweep_idle(int n_classes)
{
    return n_classes + 2;
}

/* Adds to parts_ns[n_classes + 3] what each part takes of the spans, which are in order
 * and disjoint; items in any order. */
void waterfall_sweep(struct arena tmp, const struct sweep_item *items, int32_t n,
                     const struct step_span *spans, int n_spans, int n_classes,
                     int64_t *parts_ns);

/* The first span that ends behind a time. */
int span_from(const struct step_span *spans, int n_spans, int64_t at_ns);

/* What lies in the spans of [start, end). */
int64_t span_overlap_ns(const struct step_span *spans, int n_spans, int64_t start_ns,
                        int64_t end_ns);

/* What each part takes of a capture's time, or of some of it: into parts_ns what lies
 * in the spans, which are in order and disjoint. Where kernels of several classes share
 * a stretch, what integer division leaves goes to the first of them by the bytes of its
 * displayed name. */
void capture_sweep(struct arena tmp, const struct capture *c,
                   const struct step_span *spans, int n_spans,
                   int64_t parts_ns[CAPTURE_PARTS]);

/* The parts of the window and of each step. */
void capture_find_sums(struct arena tmp, struct capture *c);

#endif
