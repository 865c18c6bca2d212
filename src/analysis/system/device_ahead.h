/* device_ahead.h - of several devices in one process, one that could run ahead.
 *
 * In training, a device whose work needs nothing that the others computed (a teacher, a
 * frozen encoder, a reward model): copies between devices leave it and none comes to
 * it, gradients neither. Yet the host launches its next work only behind a wait for
 * what the others do, so that they take turns. Launched before that wait, it runs
 * beside them. */
#ifndef ANALYSIS_SYSTEM_DEVICE_AHEAD_H
#define ANALYSIS_SYSTEM_DEVICE_AHEAD_H

#include "ops/trace_view.h"

struct device_ahead {
    int device;    /* its place; -1: none */
    event_id wait; /* one of the calls that wait */
    int32_t waits; /* behind which its work is launched */
    /* What would run beside the others: of the work behind each wait, copies to other
     * devices aside, what runs alone, and no longer than it was held up. */
    int64_t saved_ns;
};

struct device_ahead device_ahead_of(struct arena tmp, const struct trace_view *v,
                                    bool training);

/* Copies go one way in training, where those of a model that is split come back as
 * gradients. */
bool devices_hold_models(const struct device_uses *d, bool training);

#endif
