/* Any bytes as a trace in SQLite: events, each with a place and numbers that can be
 * kept, or an error with one line. The first byte chooses the process. */
#include "event_drain.h"
#include "fuzz_file.h"

#include "formats/trace_open.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAGIC = 16, BYTES_MAX = 1 << 18 };
    static uint8_t copy[BYTES_MAX];
    if (size < MAGIC + 1 || size > BYTES_MAX)
        return 0;
    memcpy(copy, data + 1, size - 1);
    memcpy(copy, "SQLite format 3", MAGIC); /* or it is for another fuzzer */
    struct fuzz_file f = fuzz_file_open(copy, size - 1);
    char path[64];
    snprintf(path, sizeof path, "%s%s", f.path, data[0] & 1 ? ":rank=1" : "");
    struct event_source events;
    struct err e = {0};
    if (trace_parts(f.path) < 1)
        abort();
    if (trace_open(&events, path, (struct source_options){.one_thread = true}, &e))
        drain(events, &e);
    else if (!e.what[0])
        abort(); /* refused without a word */
    close(f.fd);
    return 0;
}
