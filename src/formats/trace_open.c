#include "formats/trace_open.h"

#include "base/arena.h"
#include "formats/execution_trace.h"
#include "formats/merged_json.h"
#include "formats/perfetto_read.h"
#include "formats/rocprof_json.h"
#include "formats/rpd_json.h"
#include "formats/spool.h"
#include "formats/sqlite_file.h"
#include "formats/sqlite_open.h"
#include "formats/trace_format.h"
#include "formats/trace_part.h"
#include "formats/xplane_read.h"
#include "trace/event_read.h"
#include "trace/file_kind.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first that recognises a file reads it. Those before PyTorch's own are asked of
 * each trace, so they are hot: beside each other, not each in a page of its reader. */
static const struct trace_format formats[] = {
    {"JSON of rocprofv3", rocprof_json_is, rocprof_json_open, NULL, NULL, false},
    {NULL, labelled_json_is, labelled_json_open, NULL, NULL, true},
    {NULL, fused_json_is, fused_json_open, NULL, NULL, true},
    {NULL, rpd_json_is, rpd_json_open, NULL, NULL, false},
    {"Chrome JSON of the PyTorch profiler", json_events_is, json_events_open, NULL,
     NULL, false},
    {"Perfetto protobuf of PyTorch or rocprofv3", perfetto_events_is,
     perfetto_events_open, NULL, NULL, false},
    {"xplane.pb of JAX", xplane_events_is, xplane_events_open, NULL, NULL, false},
    {"SQLite of Nsight Systems, rocpd or rpd", sqlite_is, NULL, sqlite_events_open,
     sqlite_parts, true},
};

enum { FORMATS = sizeof formats / sizeof *formats, TAR_MAGIC_AT = 257 };

#define PICKLE                                                                         \
    "a Python pickle (a checkpoint, a .pt file), not a trace; name what the "          \
    "profiler's "                                                                      \
    "export_chrome_trace wrote"
#define WEB_PAGE                                                                       \
    "a web page; if it was downloaded, the server gave a page instead of the trace"
#define PACKED_TWICE "compressed twice; unpack it once"

/* What cannot be recognised, but is told by its name. */
static bool refuse_report(const char *path, struct err *e)
{
    static const char *const endings[] = {".nsys-rep", ".qdrep", ".qdstrm"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends(str_of(path), str_of(endings[i])))
            return err_set(e, ERR_INPUT, path, -1,
                           "a report that only Nsight Systems reads; export it first: "
                           "nsys export --type sqlite FILE");
    return !str_ends(str_of(path), S(".ncu-rep")) ||
           err_set(e, ERR_INPUT, path, -1,
                   "a report of Nsight Compute, which has counters of kernels and no "
                   "timeline; record the run with a profiler of the framework");
}

/* What people name instead of a trace, by its first bytes. */
static bool refuse_known(const char *path, struct str head, struct err *e)
{
    static const struct {
        const char *magic, *what;
    } kinds[] = {
        {"version https://git-lfs",
         "a pointer of Git LFS, not the file itself; get it first: git lfs pull"},
        {"<!doctype html", WEB_PAGE},
        {"<html", WEB_PAGE},
        {"\x80\x02", PICKLE},
        {"\x80\x03", PICKLE},
        {"\x80\x04", PICKLE},
        {"\x80\x05", PICKLE},
        {"\x89PNG", "a picture; name the trace that it shows"},
        {"%PDF", "a PDF; name the trace that it is about"},
        {"\x1f\x8b", PACKED_TWICE},
        {"\x28\xb5\x2f\xfd", PACKED_TWICE},
        {"\x93NUMPY", "an array of NumPy, not a trace"},
        {"------", "a table as key_averages() prints it, not the trace; write one with "
                   "export_chrome_trace"},
        {"PAR1", "a Parquet file, not a trace; export the trace as JSON or SQLite"},
        {"# tracefolio", "text that tracefolio wrote about a trace; name the trace"},
        {"\x7f"
         "ELF",
         "a program, not a trace"}};
    if (str_starts(head, S("<")) && str_has(head, S("tracefolio")))
        return err_set(e, ERR_INPUT, path, 0,
                       "a page of a report; name the trace that it is about");
    if (execution_trace_is(head))
        return err_set(e, ERR_INPUT, path, 0,
                       "an execution trace (Chakra), which holds shapes and no times; "
                       "name the profiler's trace of the same run, and this with "
                       "--capture-trace");
    if (str_has(head, S("brain.Event:")))
        return err_set(e, ERR_INPUT, path, 0,
                       "events of TensorBoard, not a trace; the profiler's trace is "
                       "the .pt.trace.json beside it");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct str magic = str_of(kinds[i].magic);
        if (str_eq_nocase(str_head(head, magic.n), magic))
            return err_set(e, ERR_INPUT, path, 0, "%s", kinds[i].what);
    }
    if (str_starts(str_skip(head, TAR_MAGIC_AT), S("ustar")))
        return err_set(e, ERR_INPUT, path, 0, "a tar archive; unpack it first");
    return true;
}

static bool refuse_unknown(const char *path, struct str head, struct err *e)
{
    char names[360] = "";
    size_t n = 0;
    for (int i = 0; i < FORMATS; i++)
        n += !formats[i].name ? 0
                              : (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                                                 i == 0             ? ""
                                                 : i + 1 == FORMATS ? " or "
                                                                    : ", ",
                                                 formats[i].name);
    return refuse_report(path, e) && refuse_known(path, head, e) &&
           err_set(e, ERR_INPUT, path, 0, "not a trace of a known format: %s", names);
}

static const struct trace_format *format_of(const struct file_kind *k)
{
    struct str head = {k->plain, k->n_plain};
    if (execution_trace_is(head))
        return NULL;
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].is(head))
            return &formats[i];
    /* Whoever reads its bytes says what is wrong with them. */
    return !head.n || (!k->is_packed && source_refuses(head)) ? &formats[0] : NULL;
}

static bool open_as(const struct trace_format *format, struct event_source *events,
                    const char *path, struct file_kind *k, struct source_options o,
                    struct err *e)
{
    o.from_fd = true;
    o.fd = k->fd;
    o.head = k->as_read;
    o.head_n = k->n_read;
    if (format->open_stream)
        return format->open_stream(events, path, o, e);
    struct trace_file f = {.fd = -1};
    return spool_file(&f, path, k, o, e) && format->open_file(events, path, &f, o, e);
}

/* A file of one process has no ranks to choose from. */
static bool refuse_part(const char *path, const struct trace_format *format,
                        struct err *e)
{
    return err_set(e, ERR_INPUT, path, -1,
                   "%s holds the trace of one process; name the file without :rank=",
                   format->name);
}

__attribute__((hot)) bool trace_open(struct event_source *events, const char *path,
                                     struct source_options o, struct err *e)
{
    struct file_kind k;
    struct part_path named;
    bool is_part = !o.from_fd && part_path_of(&named, path);
    int fd = source_fd(is_part ? named.file : path, o, e);
    if (fd < 0)
        return false;
    o.part = is_part ? named.part : o.part;
    file_kind_look(&k, fd);
    const struct trace_format *format = format_of(&k);
    bool takes = format && (!is_part || format->has_parts);
    bool opens = takes && open_as(format, events, path, &k, o, e);
    file_kind_done(&k);
    if (takes)
        return opens;
    close(fd);
    return format ? refuse_part(path, format, e)
                  : refuse_unknown(path, (struct str){k.plain, k.n_plain}, e);
}

/* Of a file that tells only as it is read. */
static int count_parts(const struct trace_format *format, const char *path,
                       struct file_kind *k, struct source_options o, struct err *e)
{
    struct event_source events;
    o.no_digest = false; /* the end has it */
    if (!open_as(format, &events, path, k, o, e))
        return 1;
    while (events.next(events.state, e))
        continue;
    struct arena a = arena_reserve(arena_machine_bytes() / 4);
    char *start = a.at;
    int n = e->kind == ERR_NONE ? events.end(events.state, &a).machine.n_parts : 1;
    arena_release(start, &a);
    events.close(events.state);
    return n;
}

int trace_parts(const char *path)
{
    struct file_kind k;
    struct err e = {0};
    struct source_options o = {.one_thread = true, .no_digest = true};
    int fd = strcmp(path, "-") == 0 ? -1 : source_fd(path, o, &e);
    if (fd < 0)
        return 1;
    file_kind_look(&k, fd);
    const struct trace_format *format = k.is_file ? format_of(&k) : NULL;
    struct trace_file f = {.fd = -1};
    int n = 1;
    if (!format || !format->has_parts)
        close(fd);
    else if (!format->parts)
        n = count_parts(format, path, &k, o, &e);
    else if (spool_file(&f, path, &k, o, &e))
        n = format->parts(path, &f);
    file_kind_done(&k);
    return n;
}
