/* hlo_collective.h - what XLA's HLO says of a collective, in the words of PyTorch.
 *
 * Sizes come from the shape of the result and the number of members; field numbers are
 * those of xla/service/hlo.proto and xla/xla_data.proto. An asynchronous operation is
 * described where it starts, which is what launches its kernel. */
#ifndef FORMATS_HLO_COLLECTIVE_H
#define FORMATS_HLO_COLLECTIVE_H

#include "base/out.h"

/* A program runs on replicas * partitions devices; 0: not recorded. */
struct hlo_devices {
    int64_t replicas, partitions;
};

struct hlo_devices hlo_devices_of(struct str module);

bool hlo_is_collective(struct str opcode);

/* Members of a JSON object, in the keys of kineto_collective.h. `operand`: the shape of
 * the first. */
void hlo_collective_put(struct out *o, struct str instruction, struct str operand,
                        struct hlo_devices devices);

#endif
