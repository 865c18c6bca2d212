/* mfu_shown.h - model FLOP utilisation as report.json, summary.json and pages show it:
 * described (base/describe.h). */
#ifndef REPORT_MFU_SHOWN_H
#define REPORT_MFU_SHOWN_H

#include "base/described.h"
#include "report/report.h"

DESCRIBED(report_mfu);
DESCRIBED(model_use); /* the figures alone */

#endif
