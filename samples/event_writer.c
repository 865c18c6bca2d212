#include "event_writer.h"

#include "device_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* In a hostile trace a third of the names stay, a third get a tail, a third are lost.
 */
static void put_name(struct event_writer *w, const char *name)
{
    if (!w->hostile) {
        sink_text(&w->sink, name);
        return;
    }
    int64_t turn = w->events % 3;
    if (turn != 2)
        sink_text(&w->sink, name);
    if (turn != 0)
        sink_text(&w->sink, hostile_next(&w->hostile_text));
}

static void put_event_open(struct event_writer *w)
{
    if (w->events++)
        sink_bytes(&w->sink, ",", 1);
    sink_text(&w->sink, "\n  {\n    ");
}

static void put_text(struct event_writer *w, const char *key, const char *text)
{
    struct trace_sink *s = &w->sink;
    sink_bytes(s, "\"", 1);
    sink_text(s, key);
    sink_text(s, "\": \"");
    sink_text(s, text);
    sink_bytes(s, "\"", 1);
}

/* What the host's clock shows then. */
static int64_t shown_ns(const struct event_writer *w, int64_t ts_ns)
{
    return ts_ns + w->clock_ahead_ns +
           (int64_t)floor((double)(ts_ns - w->clock_origin_ns) * w->clock_drift);
}

static void put_place(struct event_writer *w, int64_t pid, int64_t tid, int64_t ts_ns)
{
    struct trace_sink *s = &w->sink;
    sink_text(s, "\"pid\": ");
    sink_i64(s, pid);
    sink_text(s, ", \"tid\": ");
    sink_i64(s, tid);
    sink_text(s, ",\n    \"ts\": ");
    sink_us(s, shown_ns(w, ts_ns));
}

void write_complete(struct event_writer *w, const char *cat, const char *name,
                    int64_t pid, int64_t tid, int64_t ts_ns, int64_t dur_ns,
                    const char *args)
{
    struct trace_sink *s = &w->sink;
    if (ts_ns < w->since_ns)
        return;
    if (sink_discards(s)) {
        w->events++;
        return;
    }
    put_event_open(w);
    sink_text(s, "\"ph\": \"X\", \"cat\": \"");
    sink_text(s, cat);
    sink_text(s, "\", \"name\": \"");
    put_name(w, name);
    sink_text(s, "\", ");
    put_place(w, pid, tid, ts_ns);
    sink_text(s, ", \"dur\": ");
    sink_us(s, shown_ns(w, ts_ns + dur_ns) - shown_ns(w, ts_ns));
    if (*args) {
        sink_text(s, ",\n    \"args\": {\n      ");
        sink_text(s, args);
        sink_text(s, "\n    }");
    }
    sink_text(s, "\n  }");
}

void write_flow(struct event_writer *w, char phase, const char *cat, int64_t id,
                int64_t pid, int64_t tid, int64_t ts_ns)
{
    struct trace_sink *s = &w->sink;
    if (ts_ns < w->since_ns)
        return;
    if (sink_discards(s)) {
        w->events++;
        return;
    }
    put_event_open(w);
    sink_text(s, phase == 's' ? "\"ph\": \"s\", \"id\": " : "\"ph\": \"f\", \"id\": ");
    sink_i64(s, id);
    sink_text(s, ", ");
    put_place(w, pid, tid, ts_ns);
    sink_text(s, ", ");
    put_text(w, "cat", cat);
    sink_text(s, ", ");
    put_text(w, "name", cat);
    sink_text(s, phase == 's' ? "\n  }" : ", \"bp\": \"e\"\n  }");
}

static void put_metadata(struct event_writer *w, const char *name, int64_t pid,
                         int64_t tid, int64_t ts_ns)
{
    put_event_open(w);
    put_text(w, "name", name);
    sink_text(&w->sink, ", \"ph\": \"M\", ");
    put_place(w, pid, tid, ts_ns);
    sink_text(&w->sink, ",\n    \"args\": {\n      ");
}

void write_label(struct event_writer *w, const char *name, int64_t pid, int64_t tid,
                 int64_t ts_ns, const char *key, const char *text)
{
    struct trace_sink *s = &w->sink;
    put_metadata(w, name, pid, tid, ts_ns);
    sink_bytes(s, "\"", 1);
    sink_text(s, key);
    sink_text(s, "\": \"");
    put_name(w, text);
    sink_text(s, "\"\n    }\n  }");
}

void write_sort_index(struct event_writer *w, const char *name, int64_t pid,
                      int64_t tid, int64_t ts_ns, int64_t index)
{
    put_metadata(w, name, pid, tid, ts_ns);
    sink_text(&w->sink, "\"sort_index\": ");
    sink_i64(&w->sink, index);
    sink_text(&w->sink, "\n    }\n  }");
}

void write_window(struct event_writer *w, int64_t start_ns, int64_t end_ns)
{
    struct trace_sink *s = &w->sink;
    start_ns = shown_ns(w, start_ns < w->since_ns ? w->since_ns : start_ns);
    end_ns = shown_ns(w, end_ns);
    put_event_open(w);
    sink_text(s, "\"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ");
    sink_us(s, start_ns);
    sink_text(s, ", \"dur\": ");
    sink_us(s, end_ns - start_ns);
    sink_text(s, ",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n"
                 "    \"name\": \"PyTorch Profiler (0)\",\n"
                 "    \"args\": {\n      \"Op count\": 0\n    }\n  }");
    put_event_open(w);
    sink_text(s, "\"name\": \"process_sort_index\", \"ph\": \"M\", \"ts\": ");
    sink_us(s, start_ns);
    sink_text(s, ",\n    \"pid\": \"Spans\", \"tid\": 0,\n"
                 "    \"args\": {\n      \"sort_index\": 536870912\n    }\n  }");
    put_event_open(w);
    sink_text(s, "\"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", "
                 "\"s\": \"g\",\n    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch "
                 "Profiler\", \"ts\": ");
    sink_us(s, start_ns);
    sink_text(s, "\n  }");
    put_event_open(w);
    sink_text(s, "\"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n"
                 "    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
    sink_us(s, end_ns);
    sink_text(s, "\n  }");
}

__attribute__((format(printf, 2, 3))) static void put_fmt(struct event_writer *w,
                                                          const char *fmt, ...)
{
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    sink_text(&w->sink, line);
}

static void put_devices(struct event_writer *w, const struct trace_header *h)
{
    const struct sample_device *d = h->device;
    sink_text(&w->sink, "  \"deviceProperties\": [");
    for (int i = 0; i < h->devices; i++) {
        put_fmt(w, "%s\n    {\n      \"id\": %d, \"name\": \"", i ? "," : "", i);
        put_name(w, d->product);
        put_fmt(w,
                "\", \"totalGlobalMem\": %" PRId64 ",\n"
                "      \"computeMajor\": %d, \"computeMinor\": %d,\n"
                "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": "
                "2048,\n"
                "      \"regsPerBlock\": 65536, \"warpSize\": %d,\n"
                "      \"sharedMemPerBlock\": %d, \"numSms\": %d\n",
                d->memory_bytes, d->major, d->minor, d->warp_threads,
                d->hip ? 65536 : 49152, d->compute_units);
        sink_text(&w->sink,
                  d->hip ? "    , \"maxSharedMemoryPerMultiProcessor\": 65536\n    }"
                         : "    , \"regsPerMultiprocessor\": 65536, "
                           "\"sharedMemPerBlockOptin\": 232448, "
                           "\"sharedMemPerMultiprocessor\": 233472\n    }");
    }
    sink_text(&w->sink, "\n  ],\n");
}

static void put_one_group(struct event_writer *w, const struct trace_header *h)
{
    put_fmt(w,
            "{\"pg_name\": \"0\", \"pg_desc\": \"%s\", \"backend_config\": "
            "\"cuda:nccl\", \"pg_size\": %d, \"ranks\": [",
            w->hostile ? hostile_short(&w->hostile_text) : "default_pg", h->world);
    for (int i = 0; i < h->world; i++)
        put_fmt(w, i ? ", %d" : "%d", i);
    put_fmt(w, "]}");
}

static void put_distributed(struct event_writer *w, const struct trace_header *h)
{
    put_fmt(w,
            "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, "
            "\"world_size\": %d, \"pg_count\": %d, \"pg_config\": [",
            h->rank, h->world, h->groups ? h->groups_n : 1);
    if (h->groups)
        sink_text(&w->sink, h->groups);
    else
        put_one_group(w, h);
    put_fmt(w, "], \"nccl_version\": \"2.22.3\"},\n");
}

bool writer_open(struct event_writer *w, const char *path, const struct trace_header *h,
                 bool hostile, struct err *e)
{
    *w = (struct event_writer){.hostile = hostile};
    if (!sink_open(&w->sink, path, e))
        return false;
    sink_text(&w->sink, "{\n  \"schemaVersion\": 1,\n");
    put_devices(w, h);
    sink_text(&w->sink, h->device->hip ? "  \"roctracer_version\": 4.1,\n"
                                         "  \"hip_runtime_version\": 60443483,\n"
                                         "  \"hip_driver_version\": 60443483,\n"
                                       : "  \"cupti_version\": 22,\n"
                                         "  \"cuda_runtime_version\": 12040,\n"
                                         "  \"cuda_driver_version\": 12090,\n");
    if (h->world > 1)
        put_distributed(w, h);
    if (h->shapes)
        sink_text(&w->sink, "  \"record_shapes\": 1,\n");
    if (h->python)
        sink_text(&w->sink, "  \"with_stack\": 1,\n");
    put_fmt(w, "  \"trace_id\": \"%016" PRIX64 "%016" PRIX64 "\",\n",
            h->seed * 0x9e3779b97f4a7c15u + 1, h->seed * 0xbf58476d1ce4e5b9u + 2);
    sink_text(&w->sink, "  \"displayTimeUnit\": \"ms\",\n"
                        "  \"baseTimeNanoseconds\": 1767189312000000000,\n"
                        "  \"traceEvents\": [");
    return true;
}

bool writer_close(struct event_writer *w, struct err *e)
{
    sink_text(&w->sink, "\n  ],\n  \"traceName\": \"");
    put_name(w, "sample.pt.trace.json");
    sink_text(&w->sink, "\"\n}\n");
    hostile_free(&w->hostile_text);
    return sink_close(&w->sink, e);
}
