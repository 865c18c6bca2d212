/* sarif.h - the findings of a run as SARIF 2.1.0, which code hosts show.
 *
 * A rule for each kind of finding, a result for each finding, level from severity,
 * fingerprint from the finding's id, which is the same on every run. A finding has no
 * line of source: its place is logical, the operator that it is about. */
#ifndef CI_SARIF_H
#define CI_SARIF_H

struct cJSON;

enum { SARIF_RESULTS_MAX = 1000 };

/* Whoever takes it deletes it with cJSON_Delete. */
struct cJSON *sarif_tree(const struct cJSON *summary);

#endif
