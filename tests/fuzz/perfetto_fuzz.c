/* Any bytes as a trace of Perfetto. */
#include "message_fuzz.h"

#include "formats/perfetto_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    message_fuzz(data, size, perfetto_events_open);
    return 0;
}
