/* replay_shown.h - a replay package as pages show it, described (base/describe.h). */
#ifndef REPORT_REPLAY_REPLAY_SHOWN_H
#define REPORT_REPLAY_REPLAY_SHOWN_H

#include "base/described.h"
#include "report/replay/replay_set.h"

DESCRIBED_AS(shown_package, replay_package);
DESCRIBED_AS(shown_refusal, replay_refusal);

#endif
