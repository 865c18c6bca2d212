/* gates_json.h - what --fail-on came to and what is waived, the same in report.json and
 * summary.json. */
#ifndef EXPORT_GATES_JSON_H
#define EXPORT_GATES_JSON_H

#include "export/json_tree.h"
#include "report/report.h"

/* [{text, result, says, warns, value, limit, unit}]; the last three null where nothing
 * was measured. */
struct cJSON *gates_json(const struct gate_result *gates, int n);

struct json_member waived_json(const struct report_finding *f); /* {until, why}, null */

#endif
