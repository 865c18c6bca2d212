/* trace_case.h - for tests only: a small trace written as calls, read as any other.
 *
 * Times in us. One host process with threads, one device with streams; launch calls and
 * device work are linked by correlation. case_open reads the calls written so far. */
#ifndef ANALYSIS_TRACE_CASE_H
#define ANALYSIS_TRACE_CASE_H

#include "analysis/model/finding.h"
#include "analysis/stack/tree_index.h"
#include "base/near_case.h"
#include "base/out.h"
#include "ops/op_cost.h"
#include "ops/op_tables.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct trace_case {
    struct out text;
    int n_events;
    char *perm_start, *tmp_start;
    struct arena perm, tmp;
    struct event_store store;
    struct trace_view view;
    struct cost_cache costs;
    struct op_tables tables;
};

static inline void case_begin(struct trace_case *c)
{
    *c = (struct trace_case){0};
    out_memory(&c->text);
    out_lit(&c->text, "{\"traceEvents\":[");
}

/* `more` goes into args verbatim: "\"bytes\":8", or "". */
static inline void case_event(struct trace_case *c, const char *cat, const char *name,
                              int tid, double start_us, double dur_us, const char *more)
{
    out_printf(&c->text,
               "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,"
               "\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s}}",
               c->n_events++ ? ",\n" : "", cat, name,
               cat[0] == 'k' || cat[0] == 'g' ? 0 : 9, tid, start_us, dur_us, more);
}

static inline void case_op(struct trace_case *c, const char *name, double start_us,
                           double dur_us)
{
    case_event(c, "cpu_op", name, 1, start_us, dur_us, "");
}

static inline void case_frame(struct trace_case *c, const char *name, double start_us,
                              double dur_us)
{
    case_event(c, "python_function", name, 1, start_us, dur_us, "");
}

static inline void case_call(struct trace_case *c, const char *name, double start_us,
                             double dur_us, int correlation)
{
    char more[64];
    snprintf(more, sizeof more, "\"correlation\":%d", correlation);
    case_event(c, "cuda_runtime", name, 1, start_us, dur_us, more);
}

static inline void case_kernel(struct trace_case *c, const char *name, int stream,
                               double start_us, double dur_us, int correlation)
{
    char more[64];
    snprintf(more, sizeof more, "\"correlation\":%d,\"stream\":%d", correlation,
             stream);
    case_event(c, "kernel", name, stream, start_us, dur_us, more);
}

static inline void case_copy(struct trace_case *c, const char *name, double start_us,
                             double dur_us, int correlation, int64_t bytes)
{
    char more[96];
    snprintf(more, sizeof more, "\"correlation\":%d,\"stream\":7,\"bytes\":%lld",
             correlation, (long long)bytes);
    case_event(c, "gpu_memcpy", name, 7, start_us, dur_us, more);
}

/* A launch call of 1 us and its kernel. */
static inline void case_launch(struct trace_case *c, const char *kernel, double call_us,
                               double start_us, double dur_us, int correlation)
{
    case_call(c, "hipLaunchKernel", call_us, 1, correlation);
    case_kernel(c, kernel, 7, start_us, dur_us, correlation);
}

/* A launch as early as a trace may say, of a kernel as late: 2^62 ns apart, in digits
 * that no double has. */
static inline void case_far_launch(struct trace_case *c, int correlation)
{
    static const char most_us[] = "2305843009213693.952";
    out_printf(
        &c->text,
        "%s{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\","
        "\"pid\":9,\"tid\":1,\"ts\":-%s,\"dur\":1,\"args\":{\"correlation\":%d}},\n"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"far\",\"pid\":0,\"tid\":7,"
        "\"ts\":%s,\"dur\":1,\"args\":{\"correlation\":%d,\"stream\":7}}",
        c->n_events ? ",\n" : "", most_us, correlation, most_us, correlation);
    c->n_events += 2;
}

static inline void case_open(struct trace_case *c, const struct device_spec *device)
{
    char path[] = "/tmp/trace_case.XXXXXX";
    int fd = mkstemp(path);
    assert(fd >= 0);
    out_lit(&c->text, "]}");
    struct str text = out_view(&c->text);
    assert(write(fd, text.p, (size_t)text.n) == (ssize_t)text.n);
    close(fd);
    out_free(&c->text);
    struct err e = {0};
    struct store_options o = {0};
    bool read = store_read(&c->store, path, &o, &e);
    unlink(path);
    if (!read) {
        fprintf(stderr, "trace_case: %s\n", e.what);
        abort();
    }
    c->perm = arena_reserve((ptrdiff_t)1 << 32);
    c->tmp = arena_reserve((ptrdiff_t)1 << 32);
    c->perm_start = c->perm.at;
    c->tmp_start = c->tmp.at;
    c->view = view_build(&c->perm, c->tmp, &c->store, (struct view_options){0});
    cost_cache_open(&c->costs, &c->perm, &c->view);
    c->tables = op_tables_build(&c->perm, c->tmp, &c->view, &c->costs, device);
}

static inline void case_close(struct trace_case *c)
{
    cost_cache_close(&c->costs);
    store_close(&c->store);
    arena_release(c->perm_start, &c->perm);
    arena_release(c->tmp_start, &c->tmp);
}

/* The n-th event of a name, from 0. */
static inline event_id case_find(const struct trace_case *c, const char *name, int nth)
{
    for (event_id i = 0; i < c->store.n; i++)
        if (str_eq(store_name(&c->store, i), str_of(name)) && nth-- == 0)
            return i;
    return -1;
}

/* With its tree of frames. */
static inline struct tree_index tree_index_build(struct arena *perm, struct arena tmp,
                                                 const struct trace_view *v)
{
    struct call_tree frames = tree_index_frames(perm, tmp, v->s, v->options);
    return tree_index_of(perm, tmp, v, &frames);
}

/* An analysis before any analyser has run. */
static inline struct analysis case_analysis(const struct trace_case *c)
{
    const struct gpu_timeline *l = &c->view.timeline;
    return (struct analysis){.tables = &c->tables,
                             .total_ms = (double)l->total_ns / 1e6,
                             .computation_ms = (double)l->computation_ns / 1e6,
                             .idle_ms = (double)l->idle_ns / 1e6,
                             .exposed_comm_ms = (double)l->exposed_comm_ns / 1e6,
                             .exposed_memcpy_ms = (double)l->exposed_memcpy_ns / 1e6};
}

#define assert_text(got, want)                                                         \
    do {                                                                               \
        struct str got_ = (got), want_ = str_of(want);                                 \
        if (!str_eq(got_, want_))                                                      \
            fail_msg("got \"%.*s\", want \"%.*s\"", STRF(got_), STRF(want_));          \
    } while (0)

#endif
