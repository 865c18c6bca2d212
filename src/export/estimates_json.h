/* estimates_json.h - estimates and their groups in the peer project's form, for
 * comparison.
 *
 * For the rows of one category, or of all if `only` is NULL. The caller owns the
 * tree. */
#ifndef EXPORT_ESTIMATES_JSON_H
#define EXPORT_ESTIMATES_JSON_H

#include "analysis/model/finding.h"

struct arena;
struct cJSON;

/* What each row could save. */
struct cJSON *estimates_json(struct arena tmp, const struct analysis *a,
                             const struct category_result *only);

/* The same grouped by category, bound, library and efficiency band, from 0.5 % of
 * time. */
struct cJSON *estimate_groups_json(struct arena tmp, const struct analysis *a,
                                   const struct category_result *only);
#endif
