/* sarif.h - the findings of a run as SARIF 2.1.0, which code hosts show.
 *
 * A rule for each kind of finding, a result for each finding, level from severity,
 * fingerprint from the finding's id, which is the same on every run. Its place is
 * logical, the operator that it is about, and, where a checkout has the file of the
 * Python frame behind it, the line there, relative to the checkout. */
#ifndef CI_SARIF_H
#define CI_SARIF_H

#include "ci/source_place.h"

struct cJSON;

enum { SARIF_RESULTS_MAX = 1000 };

/* `places`: by finding, where the checkout has it, or empty; NULL: there is no
 * checkout. `placed`: only results that have a line, as GitHub refuses a file with any
 * other. Whoever takes the tree deletes it with cJSON_Delete. */
struct cJSON *sarif_tree(const struct cJSON *summary, const struct source_place *places,
                         bool placed);

#endif
