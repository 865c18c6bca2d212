/* perfetto_track.h - the tracks of a Perfetto trace as lanes: a process and a thread,
 * or a device and a stream.
 *
 * PyTorch describes processes and threads. rocprofv3 names its tracks after what they
 * show: "COMPUTE AGENT [2] STREAM [0] (GPU)", "COPY to AGENT [2] STREAM [0] (GPU)",
 * "THREAD 1 (908)". */
#ifndef FORMATS_PERFETTO_TRACK_H
#define FORMATS_PERFETTO_TRACK_H

#include "base/int_map.h"
#include "base/name_pool.h"

struct perfetto_track {
    uint64_t uuid, parent;
    bool has_process, has_thread;
    int64_t pid, tid;
    name_id name; /* of the track or thread; -1: unknown */
    name_id process_name;
    /* Found by tracks_resolve. */
    name_id pid_text, tid_text;
    int64_t stream; /* of a device; NO_ID: the track is no stream */
};

struct perfetto_tracks {
    struct name_pool *texts; /* the caller's */
    struct perfetto_track *all;
    int32_t n, max;
    struct int_map by_uuid;
    struct arena memory;
    char *start;
};

void tracks_open(struct perfetto_tracks *t, struct name_pool *texts);
void tracks_close(struct perfetto_tracks *t);

/* The index of a track, which is new if it is first heard of. */
int32_t tracks_of(struct perfetto_tracks *t, uint64_t uuid);

/* Reads a TrackDescriptor. */
void tracks_describe(struct perfetto_tracks *t, struct str message);

/* When all is read: sets the lanes. */
void tracks_resolve(struct perfetto_tracks *t);

#endif
