/* compare_layer_words.h - what layers, and breaks of compiled code, say of a
 * difference. */
#ifndef REPORT_COMPARE_COMPARE_LAYER_WORDS_H
#define REPORT_COMPARE_COMPARE_LAYER_WORDS_H

#include "compare/comparison.h"

/* Where a single layer has most of the difference: "layer 6 of 12 (`Block_5`) takes
 * 45.0% longer, 0.432 ms a step more, and the other 11 take 0.3% longer". Empty:
 * none has. */
struct str compare_layer_alone(struct arena *perm, const struct comparison *c);

/* Where all layers of a kind have most of the difference and each the same part of it:
 * ", in all 12 layers of `Block` alike (28.0% to 31.2% longer)". Else empty. */
struct str compare_layers_alike(struct arena *perm, const struct comparison *c);

/* Where breaks between compiled calls have most of the idle time that the candidate has
 * more: ": the host leaves compiled code 3 times a step (1 in `old`), for 1.800 ms". Else
 * empty. */
struct str compare_breaks_said(struct arena *perm, const struct comparison *c);

#endif
