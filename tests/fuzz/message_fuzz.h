/* message_fuzz.h - any bytes as a trace in protobuf, for the reader of one format:
 * events, or an error with one line. The first byte chooses the window, so that fields
 * straddle its edges. */
#ifndef MESSAGE_FUZZ_H
#define MESSAGE_FUZZ_H

#include "event_drain.h"
#include "fuzz_file.h"
#include "wire_mutator.h"

#include "trace/byte_source.h"

typedef bool open_events(struct event_source *events, const char *path,
                         struct source_options o, struct err *e);

static inline void message_fuzz(const uint8_t *data, size_t size, open_events *open)
{
    if (size < 1)
        return;
    struct fuzz_file f = fuzz_file_open(data + 1, size - 1);
    struct source_options o = {.window_bytes = data[0] < 64 ? data[0] : 0,
                               .one_thread = true};
    struct event_source events;
    struct err e = {0};
    if (open(&events, f.path, o, &e))
        drain(events, &e);
    else if (!e.what[0])
        abort(); /* refused without a word */
    close(f.fd);
}

#endif
