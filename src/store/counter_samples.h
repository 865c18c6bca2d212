/* counter_samples.h - what counters of a trace recorded: power, clocks, activity.
 *
 * A sample is the value of a counter from its time on. A record may hold several
 * counters, one for each number in its arguments. Takes no memory where there are none;
 * a sample takes 16 bytes. Owned by the store. */
#ifndef STORE_COUNTER_SAMPLES_H
#define STORE_COUNTER_SAMPLES_H

#include "base/arena.h"
#include "base/name_pool.h"
#include "store/value_pool.h"

struct event;

enum { COUNTER_TRACKS_MOST = 1024 };

struct counter_track {
    int32_t lane; /* of the store: its process; the thread says nothing */
    name_id name; /* "SM Active (%)"; may be empty */
    name_id key;  /* of its number in the arguments: "MHz"; may be empty */
    int32_t n;    /* samples */
};

struct counter_sample {
    int64_t at_ns;
    float value; /* finite */
    int32_t track;
};

struct counter_samples {
    struct counter_track *tracks;
    struct counter_sample *at; /* in the order of the file */
    int32_t n_tracks, n, max;
};

/* State needed only while reading; zero at first. */
struct counter_reader {
    struct name_pool keys; /* of tracks, by process, name and key */
    struct arena scratch;
    char *scratch_start; /* NULL: there was no counter yet */
};

/* Takes the numbers of a counter's record. Records whose arguments are longer than any
 * profiler's, and tracks beyond the most, are left out. */
void counter_take(struct counter_samples *c, struct counter_reader *r,
                  struct name_pool *names, const struct event *ev, int32_t lane,
                  value_decode *decode);

void counter_reader_close(struct counter_reader *r);
void counter_samples_close(struct counter_samples *c);
ptrdiff_t counter_samples_bytes(const struct counter_samples *c);

#endif
