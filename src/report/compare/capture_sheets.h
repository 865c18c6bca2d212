/* capture_sheets.h - the capture of a finished report, from its tables alone.
 *
 * Rows come from unified_perf_summary, else from the operators by name, else from the
 * kernels; there are no events, steps, or causes of idle time. */
#ifndef REPORT_COMPARE_CAPTURE_SHEETS_H
#define REPORT_COMPARE_CAPTURE_SHEETS_H

#include "capture/capture.h"
#include "report/sheets.h"

struct capture capture_of_sheets(struct arena *perm, const struct sheets *s,
                                 struct str label, const struct device_spec *device);

#endif
