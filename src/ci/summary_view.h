/* summary_view.h - summary.json as the templates of builds read it.
 *
 * The same tree with what templates cannot work out: which findings to show, what the
 * gates come to, counts. templates/md/ci_verdict.md lists the keys. */
#ifndef CI_SUMMARY_VIEW_H
#define CI_SUMMARY_VIEW_H

#include "base/str.h"
#include "ci/ci_options.h"
#include "compare/gate.h"

struct cJSON;

enum { VIEW_FINDINGS = 5 };

/* `gates` are those of the tree, in its order; or none. Whoever takes it deletes it
 * with cJSON_Delete. */
struct cJSON *summary_view(struct arena *tmp, const struct cJSON *summary,
                           const struct gate_results *gates,
                           const struct ci_options *o);

/* "Ascend NPU", of a view: the device as device_word.h reads it. */
struct str summary_device(const struct cJSON *view);

#endif
