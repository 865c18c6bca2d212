/* comparison_json.h - a comparison for other programs: comparison_data.json. */
#ifndef EXPORT_COMPARISON_JSON_H
#define EXPORT_COMPARISON_JSON_H

#include "report/compare/compare_report.h"

struct cJSON;

/* Whoever takes it deletes it with cJSON_Delete. Whole nanoseconds are whole numbers;
 * what is not known is null. */
struct cJSON *comparison_json(const struct compare_report *r);

#endif
