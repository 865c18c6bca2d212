#include "report/replay/replay_shown.h"

#include "base/describe.h"
#include "report/replay/replay_text.h"

TELL(double, total_ms, replay_package, it->total_us / 1e3);
TELL(struct str, file_name, replay_package,
     str_skip(it->file, S("replay_packages/").n));

/* Of the set with most time, the first. */
TELL(double, mean_us, replay_package, it->calls->mean_us);
TELL(struct str, tensors, replay_package, replay_tensors_text(in->tmp, it->calls));
TELL(struct str, spread, replay_package,
     it->calls->min_us < it->calls->max_us ? replay_spread_text(in->tmp, it->calls)
                                           : S(""));

TELL(bool, strides, replay_package, replay_assumed(it).strides);
TELL(bool, values, replay_package, replay_assumed(it).values);
TELL(bool, both, replay_package, strides(in) && values(in));
TELL(bool, assumed, replay_package, strides(in) || values(in));

VIEW(shown_package, replay_package, AS("sets", n_calls, COUNT),
     AS("calls", count, COUNT), CALL(total_ms, MS, total_ms), F(share_pct, PCT),
     CALL(tensors, TEXT, tensors), CALL(mean_us, US, mean_us),
     CALL(spread, TEXT, spread), AS("href", file, TEXT), CALL(file, TEXT, file_name),
     CALL(assumed, FLAG, assumed), CALL(strides, FLAG, strides),
     CALL(values, FLAG, values), CALL(both, FLAG, both),
     AS("left_out", n_left_out, SOME), AS("reason", left_out_reason, TEXT));
VIEW(shown_refusal, replay_refusal, F(reason, TEXT), F(share_pct, PCT));
