/* Any bytes as a profile of XLA. */
#include "message_fuzz.h"

#include "formats/xplane_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    message_fuzz(data, size, xplane_events_open);
    return 0;
}
