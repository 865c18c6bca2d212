/* shown_fields.h - what pages and documents show of a report besides what report.json
 * has: the descriptions of report/report_fields.h, and more. */
#ifndef RENDER_TEXT_SHOWN_FIELDS_H
#define RENDER_TEXT_SHOWN_FIELDS_H

#include "report/report_fields.h"

DESCRIBED_AS(shown_steps, report_steps);
DESCRIBED_AS(shown_phases, report_phases);
DESCRIBED_AS(shown_op, report_op);

#endif
