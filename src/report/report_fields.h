/* report_fields.h - the report, described (base/describe.h), under the names of
 * report.json. The whole that functions of fields are given is the report. */
#ifndef REPORT_REPORT_FIELDS_H
#define REPORT_REPORT_FIELDS_H

#include "base/described.h"
#include "ops/host_profile.h"
#include "report/report.h"

DESCRIBED(report);
DESCRIBED(report_gpus);
DESCRIBED(report_steps);
DESCRIBED(report_phases);
DESCRIBED(report_phase);
DESCRIBED(report_phase_part);
DESCRIBED(report_op);
DESCRIBED(report_finding);
DESCRIBED(host_row);
DESCRIBED(host_thread);

#endif
