/* system_shown.h - where the time of the devices goes, idle time, copies and
 * communication, as pages and documents show them: described (base/describe.h), with
 * words and figures made of several members. The whole is the report. */
#ifndef REPORT_SYSTEM_SHOWN_H
#define REPORT_SYSTEM_SHOWN_H

#include "analysis/model/system_results.h"
#include "base/described.h"
#include "report/report.h"

DESCRIBED_AS(shown_timeline, report_timeline);
DESCRIBED_AS(shown_windows, report_timeline);  /* items: what figures are of */
DESCRIBED_AS(shown_unlinked, report_timeline); /* device work that no recorded call */
DESCRIBED_AS(shown_backlog, report_timeline);  /* launched: events, ms, included */
DESCRIBED_AS(shown_gpus, report_gpus);
DESCRIBED_AS(shown_gpu, report_gpu);
DESCRIBED_AS(shown_subject, report); /* the times that verdict and causes are about */
DESCRIBED_AS(shown_idle, idle_result);
DESCRIBED_AS(shown_gap, idle_gap);
DESCRIBED_AS(shown_group, idle_group);
DESCRIBED_AS(shown_share, op_share);
DESCRIBED_AS(shown_copies, copy_result); /* of the report's trace */
DESCRIBED_AS(shown_copy_size, copy_size);
DESCRIBED_AS(shown_comm, comm_op);
DESCRIBED_AS(shown_multi_kernel, multi_kernel_result);

struct str analyser_status_word(enum analyser_status status); /* "no_data" */

#endif
