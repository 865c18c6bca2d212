#include "analysis/system/norm_floor.h"

#include "analysis/model/name_match.h"
#include "analysis/system/kernel_data_flow.h"
#include "base/name_memo.h"

#include <math.h>

/* Registers and shared memory of one multiprocessor: 164 KiB and more, but not for one
 * tensor alone. Rows of a layer are counted in fp32, as they are kept. */
enum { ON_CHIP_BYTES = 128 << 10, KEPT_BYTES = 4 };

static uint64_t examine_kernel(struct str kernel)
{
    return name_has(kernel, "statistics|bn_fw_tr|FwdTrain|welford|RowwiseMoments");
}

static bool gathers(struct str kernel)
{
    static struct name_memo memo;
    return name_memo_ask(&memo, kernel, examine_kernel);
}

enum { NORM_FORWARD = 1, NORM_OF_BATCH = 2, NORM_OF_ROWS = 4 };

static uint64_t examine(struct str op)
{
    bool forward = name_has(op, "batch_norm|layer_norm|rms_norm|group_norm") &&
                   !name_has(op, "backward");
    return (forward ? NORM_FORWARD : 0u) |
           (name_has(op, "batch_norm") ? NORM_OF_BATCH : 0u) |
           (name_has(op, "layer_norm|rms_norm") ? NORM_OF_ROWS : 0u);
}

static unsigned kind_of(struct str op)
{
    static struct name_memo memo;
    return (unsigned)name_memo_ask(&memo, op, examine);
}

static bool is_read_again(unsigned kind, const struct kernel_flow *flow)
{
    if (!(flow->channels > 0))
        return true;
    if (kind & NORM_OF_ROWS)
        return flow->channels * KEPT_BYTES > ON_CHIP_BYTES;
    return !(kind & NORM_OF_BATCH) ||
           flow->call_in_byte / flow->channels > ON_CHIP_BYTES;
}

double norm_floor_us(struct str op, struct str kernel, double us,
                     const struct kernel_flow *flow, double memory_gb_per_s)
{
    unsigned kind = kind_of(op);
    if (!flow->modelled || !(memory_gb_per_s > 0) || !(kind & NORM_FORWARD))
        return 0;
    bool now = gathers(kernel);
    if (!now && kind & NORM_OF_BATCH) /* inference knows the statistics */
        return 0;
    double us_of_byte = 1 / (memory_gb_per_s * 1e3);
    double in_us = flow->call_in_byte * us_of_byte,
           out_us = flow->call_out_byte * us_of_byte;
    return (now ? fmax(us, in_us) : in_us) + out_us +
           (is_read_again(kind, flow) ? in_us : 0);
}
