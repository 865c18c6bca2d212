/* gates_json.h - what --fail-on came to, described (base/describe.h), the same in
 * report.json and summary.json: [{text, result, says, warns, value, limit, unit}], the
 * last three null where nothing was measured. */
#ifndef EXPORT_GATES_JSON_H
#define EXPORT_GATES_JSON_H

#include "base/described.h"

DESCRIBED(gate_results);

#endif
