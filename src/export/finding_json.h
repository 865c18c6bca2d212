/* finding_json.h - a finding as a tree, for report.json and for the data files of the
 * analysis.
 *
 * One walk over the struct: both families of files have the same figures, some under
 * different names. The caller owns the tree. */
#ifndef EXPORT_FINDING_JSON_H
#define EXPORT_FINDING_JSON_H

#include "report/report.h"

struct cJSON;

enum json_names {
    NAMES_REPORT, /* as in report.json: links by anchor */
    NAMES_DATA    /* as in category_data/ and priority_data.json: links by uid */
};

struct cJSON *finding_json(const struct report *r, const struct report_finding *x,
                           enum json_names names, struct arena tmp);
struct cJSON *impact_json(const struct impact_range *i, enum json_names names);

#endif
