/* compare_measured.h - figures that both traces tell of themselves
 * (capture/measured.h), side by side: utilisation, memory, compiled code, what counters
 * say. */
#ifndef REPORT_COMPARE_COMPARE_MEASURED_H
#define REPORT_COMPARE_COMPARE_MEASURED_H

#include "base/described.h"
#include "capture/measured.h"
#include "compare/comparison.h"
#include "report/report_table.h"

struct compared_measure {
    enum measure of;
    double value[2]; /* of several captures of a side the mean; NaN: not known */
};
DESCRIBED(compared_measure);

struct compared_measures {
    struct compared_measure *rows;
    int n;
};

/* Those that a side knows, of compiled code those that both know; of layers see
 * compare_layers.h. In `a`. */
struct compared_measures compare_measures(struct arena *a, const struct comparison *c);

struct report_table compare_measured_table(struct arena *perm,
                                           const struct comparison *c);

#endif
