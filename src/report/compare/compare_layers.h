/* compare_layers.h - layers of a model, those of both sides next to each other.
 *
 * Kinds of layers are alike by name, or else by their number; where both sides have as
 * many of a kind, the third of one is compared with the third of the other. Times are
 * device time of a call, both passes, over the whole recording. */
#ifndef REPORT_COMPARE_COMPARE_LAYERS_H
#define REPORT_COMPARE_COMPARE_LAYERS_H

#include "base/described.h"
#include "compare/comparison.h"
#include "report/report_table.h"

struct compared_layer {
    struct str class[2], name[2]; /* names are empty: the mean of all of the class */
    int32_t place;                /* in its class, from 1; 0: the mean */
    int32_t n[2];                 /* layers of the class */
    double call_ms[2];            /* device time of a call; NaN: none was recorded */
    double idle_ms[2]; /* of a forward call, nothing of it runs; NaN: none known */
};
DESCRIBED(compared_layer);

/* Of so many layers or more, one is told from the others. */
enum { COMPARE_LAYERS_LEAST = 3 };

struct compared_layers {
    struct compared_layer *rows; /* the mean of a class, then its layers, if paired */
    int n;
};

/* Of kinds that both sides have; n of 0: none. In `a`. */
struct compared_layers compare_layers(struct arena *a, const struct comparison *c);

/* Candidate less reference, in % of the reference; NaN: not known. */
double compared_layer_pct(const struct compared_layer *l);

/* Layers for a page: the mean of each kind, and the layers that changed by
 * COMPARE_LAYER_PCT more or less than the median of their kind, most first, up to
 * COMPARE_LAYERS_TOLD. */
#define COMPARE_LAYER_PCT 10.0
enum { COMPARE_LAYERS_TOLD = 12 };
struct compared_layers compare_layers_told(struct arena *a, const struct comparison *c);

struct report_table compare_layers_table(struct arena *perm,
                                         const struct comparison *c);

#endif
