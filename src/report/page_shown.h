/* page_shown.h - what single pages show of a report, described (base/describe.h): its
 * head, checks, categories, kernels, steps. The whole is the report. */
#ifndef REPORT_PAGE_SHOWN_H
#define REPORT_PAGE_SHOWN_H

#include "base/described.h"
#include "ops/timeline_data.h"
#include "report/report.h"

DESCRIBED_AS(shown_meta, report_meta); /* what every page says of its origin */
DESCRIBED_AS(shown_held, report_meta); /* what the trace holds */
DESCRIBED_AS(shown_front, report);     /* the first page */
DESCRIBED_AS(shown_checks, report);    /* how many passed, failed, warned, are open */
DESCRIBED_AS(shown_check, report_check);
DESCRIBED_AS(shown_category, report_category);
DESCRIBED_AS(shown_part, report_part);
DESCRIBED_AS(shown_kernel, report_kernel);
DESCRIBED_AS(shown_run, timeline_data); /* where its steps come from */
DESCRIBED_AS(shown_step, timeline_step);
DESCRIBED_AS(shown_launches, timeline_data);
DESCRIBED_AS(shown_input, report_meta);
DESCRIBED_AS(shown_example, report_op); /* of how its figures follow */
DESCRIBED_AS(shown_gain,
             report_finding); /* the same of a saving; it has a projection */

#endif
