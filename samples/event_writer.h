/* event_writer.h - trace events as the profiler's export spells them.
 *
 * Knows the file format and nothing of what the events mean. Names are ASCII that needs
 * no escape, except hostile ones, which arrive escaped. Every call writes; nothing is
 * kept. */
#ifndef SAMPLE_EVENT_WRITER_H
#define SAMPLE_EVENT_WRITER_H

#include "hostile_text.h"
#include "trace_sink.h"

#include <stdbool.h>
#include <stdint.h>

struct sample_device;

struct trace_header {
    const struct sample_device *device;
    uint64_t seed;
    int devices, rank, world;
    bool python, shapes;
    const char *groups; /* the inside of pg_config; NULL: one group of all ranks */
    int groups_n;
};

struct event_writer {
    struct trace_sink sink;
    struct hostile_text hostile_text;
    bool hostile;
    int64_t events;
    int64_t since_ns; /* events that start earlier are left out */
    /* The clock of this host: what it shows at origin_ns, and how much faster it runs.
     */
    int64_t clock_ahead_ns, clock_origin_ns;
    double clock_drift;
};

MUST_CHECK bool writer_open(struct event_writer *w, const char *path,
                            const struct trace_header *h, bool hostile, struct err *e);
MUST_CHECK bool writer_close(struct event_writer *w, struct err *e);

/* A complete event; `args` is the inside of its object, or empty. */
void write_complete(struct event_writer *w, const char *cat, const char *name,
                    int64_t pid, int64_t tid, int64_t ts_ns, int64_t dur_ns,
                    const char *args);

/* Start ('s') or finish ('f') of a flow; `cat` is its name too. */
void write_flow(struct event_writer *w, char phase, const char *cat, int64_t id,
                int64_t pid, int64_t tid, int64_t ts_ns);

/* Metadata with one text or one number. */
void write_label(struct event_writer *w, const char *name, int64_t pid, int64_t tid,
                 int64_t ts_ns, const char *key, const char *text);
void write_sort_index(struct event_writer *w, const char *name, int64_t pid,
                      int64_t tid, int64_t ts_ns, int64_t index);

/* The profiler's own marks: window, iteration start, window end. */
void write_window(struct event_writer *w, int64_t start_ns, int64_t end_ns);

#endif
