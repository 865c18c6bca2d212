#include "trace/event_read.h"

#include "base/arena.h"
#include "base/out.h"
#include "trace/member_guess.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_VALUE_BYTES = 1 << 20 };

static_assert((int)MEMBER_BYTES <= (int)SOURCE_PAD_BYTES,
              "a guess reads behind the window");

/* Where in the document the next byte belongs. */
enum place {
    AT_START,
    AT_MEMBER,    /* of the root object: a key or '}' */
    AFTER_MEMBER, /* ',' or '}' */
    AT_EVENT,     /* an event, or ']' of an empty array */
    AFTER_EVENT,  /* ',' or ']' */
    AT_TRAIL,     /* space until the end */
    AT_END
};

struct event_reader {
    const char *path;
    struct byte_source *source;
    struct json_scan scan;
    const char *at, *begin; /* of the window */
    int64_t end_offset;     /* uncompressed offset of scan.end */
    enum place place;
    bool bare_array, unclosed, saw_events, first, header_closed;
    int32_t n_events;
    struct out header, rest;
    struct member_guess members, args; /* of events, and of their args */
};

static const struct {
    struct str text;
    enum event_cat cat;
} cats[] = {
    {S_INIT("python_function"), CAT_PYTHON},
    {S_INIT("cpu_op"), CAT_CPU_OP},
    {S_INIT("ac2g"), CAT_LAUNCH_FLOW},
    {S_INIT("cuda_runtime"), CAT_RUNTIME},
    {S_INIT("kernel"), CAT_KERNEL},
    {S_INIT("cuda_driver"), CAT_DRIVER},
    {S_INIT("gpu_memcpy"), CAT_MEMCPY},
    {S_INIT("gpu_memset"), CAT_MEMSET},
    {S_INIT("user_annotation"), CAT_ANNOTATION},
    {S_INIT("gpu_user_annotation"), CAT_GPU_ANNOTATION},
    {S_INIT("fwdbwd"), CAT_FWDBWD_FLOW},
    {S_INIT("overhead"), CAT_OVERHEAD},
    {S_INIT("Trace"), CAT_TRACE_SPAN},
    /* until 2021 */
    {S_INIT("Operator"), CAT_CPU_OP},
    {S_INIT("Runtime"), CAT_RUNTIME},
    {S_INIT("Kernel"), CAT_KERNEL},
    {S_INIT("Memcpy"), CAT_MEMCPY},
    {S_INIT("Memset"), CAT_MEMSET},
    {S_INIT("async"), CAT_LAUNCH_FLOW},
    {S_INIT("forward_backward"), CAT_FWDBWD_FLOW},
};

static enum event_cat cat_of(struct str text)
{
    for (size_t i = 0; i < sizeof cats / sizeof *cats; i++)
        if (cats[i].text.n == text.n &&
            memcmp(cats[i].text.p, text.p, (size_t)text.n) == 0)
            return cats[i].cat;
    return CAT_OTHER;
}

bool reader_open(struct event_reader **out, const char *path, struct source_options o,
                 struct err *e)
{
    struct byte_source *source;
    if (!source_open(&source, path, o, e))
        return false;
    struct event_reader *r = calloc(1, sizeof *r);
    if (!r)
        arena_full();
    r->path = path;
    r->source = source;
    r->at = r->begin = r->scan.end = "";
    out_memory(&r->header);
    out_memory(&r->rest);
    guess_open(&r->members);
    guess_open(&r->args);
    out_lit(&r->header, "{");
    *out = r;
    return true;
}

/* More bytes behind what is left of the window. False at the end of the input. */
static bool refill(struct event_reader *r, struct err *e)
{
    char *begin, *end;
    bool more = source_next(r->source, r->scan.end - r->at, &begin, &end, e);
    r->begin = r->at = begin;
    r->scan.end = end;
    r->end_offset = source_bytes(r->source);
    r->scan.state = SCAN_OK;
    return more;
}

static int64_t offset_of(const struct event_reader *r, const char *p)
{
    return r->end_offset - (r->scan.end - p);
}

/* ---- args -------------------------------------------------------------------------
 */

enum arg_kind {
    ARG_REST,  /* tells calls apart: kept as it is */
    ARG_NOISE, /* of no use, and different from event to event */
    ARG_INT,
    ARG_TEXT, /* any value, as raw JSON */
    ARG_LABEL,
    ARG_STACK
};

static const struct arg {
    struct str key;
    enum arg_kind kind;
    size_t at; /* offset in struct event_args */
} args[] = {
#define INT(key, member)                                                               \
    {                                                                                  \
        S_INIT(key), ARG_INT, offsetof(struct event_args, member)                      \
    }
#define TEXT(key, member)                                                              \
    {                                                                                  \
        S_INIT(key), ARG_TEXT, offsetof(struct event_args, member)                     \
    }
#define NOISE(key)                                                                     \
    {                                                                                  \
        S_INIT(key), ARG_NOISE, 0                                                      \
    }
    {S_INIT(""), ARG_REST, 0}, /* any other key */
    TEXT("Input Dims", dims),
    TEXT("Input type", types),
    TEXT("Input Strides", strides),
    TEXT("Concrete Inputs", concrete),
    INT("External id", external_id),
    INT("correlation", correlation),
    INT("stream", stream),
    INT("Sequence number", sequence),
    INT("bytes", bytes),
    INT("external id", external_id),
    INT("Bytes", bytes),
    INT("Total Allocated", total_allocated),
    INT("Total Reserved", total_reserved),
    INT("Device Type", device_type),
    INT("Device Id", device_id),
    {S_INIT("name"), ARG_LABEL, 0},
    {S_INIT("labels"), ARG_LABEL, 0},
    {S_INIT("Call stack"), ARG_STACK, 0},
    NOISE("Ev Idx"),
    NOISE("Record function id"),
    NOISE("Fwd thread id"),
    NOISE("device"),
    NOISE("context"),
    NOISE("queued"),
    NOISE("finished"),
    NOISE("kind"),
    NOISE("memory bandwidth (GB/s)"),
    NOISE("Device"),
    NOISE("Trace name"),
    NOISE("Trace iteration"),
    NOISE("external ts"),
    NOISE("Python id"),
    NOISE("Python parent id"),
    NOISE("Python module id"),
    NOISE("Seq"),
    NOISE("graph node id"),
    NOISE("graph id"),
    NOISE("Addr"),
    NOISE("cbid"),
    NOISE("cid"),
#undef INT
#undef TEXT
#undef NOISE
};

/* The place of a key in `args`; 0 where it is not listed. */
static int arg_of(struct str key)
{
    for (int i = 1; i < (int)(sizeof args / sizeof *args); i++)
        if (str_eq(args[i].key, key))
            return i;
    return 0;
}

static void rest_add(struct event_reader *r, struct str key, const char *from,
                     const char *to)
{
    out_char(&r->rest, r->rest.n ? ',' : '{');
    out_char(&r->rest, '"');
    out_str(&r->rest, key);
    out_lit(&r->rest, "\":");
    out_bytes(&r->rest, from, to - from);
}

static const char *read_arg(struct event_reader *r, struct event *ev,
                            const struct arg *arg, struct str key, const char *p)
{
    struct event_args *a = &ev->args;
    struct json_scan *j = &r->scan;
    p = scan_space(p);
    const char *start = p;
    void *member = (char *)a + arg->at;
    /* A Triton op's "stream" is a pointer, no GPU stream. */
    if (arg->kind == ARG_INT && !(member == &a->stream && ev->cat == CAT_CPU_OP)) {
        int64_t v;
        bool known;
        if ((p = scan_int(j, p, &v, &known)) && known)
            *(int64_t *)member = v;
        return p;
    }
    if (*p == '"' && arg->kind == ARG_LABEL && ev->ph == 'M')
        return scan_string(j, p, &a->text);
    if (*p == '"' && arg->kind == ARG_STACK)
        return scan_string(j, p, &a->call_stack);
    if (!(p = scan_value(j, p)))
        return NULL;
    bool keeps = ev->cat == CAT_CPU_OP || ev->cat == CAT_KERNEL ||
                 ev->cat == CAT_MEMCPY || ev->cat == CAT_MEMSET;
    if (arg->kind == ARG_TEXT)
        *(struct str *)member = (struct str){start, p - start};
    else if (keeps && arg->kind != ARG_NOISE)
        rest_add(r, key, start, p);
    return p;
}

static const char *read_args(struct event_reader *r, struct event *ev, const char *p)
{
    struct json_scan *j = &r->scan;
    p = scan_space(p);
    ev->has_args = *p == '{';
    if (*p != '{')
        return scan_value(j, p);
    p = scan_space(++p);
    if (*p == '}')
        return p + 1;
    /* Python frames are the most, and nothing in their args is used. */
    bool skips = ev->cat == CAT_PYTHON || ev->cat == CAT_ANNOTATION;
    struct member *last = &r->args.start;
    for (;;) {
        struct str key;
        if (!(p = member_next(&r->args, j, p, &last, &key)))
            return NULL;
        if (last->meaning == MEMBER_UNKNOWN)
            last->meaning = arg_of(key);
        p = skips ? scan_value(j, p) : read_arg(r, ev, &args[last->meaning], key, p);
        if (!p)
            return NULL;
        const char *after = scan_space(p);
        if (*after == '}')
            return after + 1;
    }
}

/* ---- events -----------------------------------------------------------------------
 */

static const char *read_text(struct json_scan *j, const char *p, struct json_string *s)
{
    p = scan_space(p);
    return *p == '"' ? scan_string(j, p, s) : scan_value(j, p);
}

/* pid and tid: a number or a text, taken as it is written. */
static const char *read_lane(struct json_scan *j, const char *p, struct str *lane)
{
    p = scan_space(p);
    const char *start = p;
    struct json_string s;
    if (*p == '"') {
        if ((p = scan_string(j, p, &s)))
            *lane = s.raw;
    } else if ((p = scan_value(j, p))) {
        *lane = (struct str){start, p - start};
    }
    return p;
}

enum event_member {
    EVENT_PHASE,
    EVENT_CATEGORY,
    EVENT_NAME,
    EVENT_PID,
    EVENT_TID,
    EVENT_START,
    EVENT_DURATION,
    EVENT_ARGS,
    EVENT_FLOW,
    EVENT_OTHER
};

static enum event_member event_member_of(struct str key)
{
    static const struct str keys[] = {
        [EVENT_PHASE] = S_INIT("ph"),     [EVENT_CATEGORY] = S_INIT("cat"),
        [EVENT_NAME] = S_INIT("name"),    [EVENT_PID] = S_INIT("pid"),
        [EVENT_TID] = S_INIT("tid"),      [EVENT_START] = S_INIT("ts"),
        [EVENT_DURATION] = S_INIT("dur"), [EVENT_ARGS] = S_INIT("args"),
        [EVENT_FLOW] = S_INIT("id")};
    int i = 0;
    while (i < EVENT_OTHER && !str_eq(keys[i], key))
        i++;
    return (enum event_member)i;
}

static const char *read_member(struct event_reader *r, struct event *ev,
                               enum event_member member, const char *p)
{
    struct json_scan *j = &r->scan;
    struct json_string s = {0};
    bool known;
    int64_t v;
    switch (member) {
    case EVENT_PHASE:
        p = read_text(j, p, &s);
        ev->ph = p && s.raw.n == 1 ? s.raw.p[0] : '\0';
        return p;
    case EVENT_CATEGORY:
        if ((p = read_text(j, p, &s)))
            ev->cat = cat_of(s.raw);
        return p;
    case EVENT_NAME:
        return read_text(j, p, &ev->name);
    case EVENT_PID:
        return read_lane(j, p, &ev->pid);
    case EVENT_TID:
        return read_lane(j, p, &ev->tid);
    case EVENT_START:
        return scan_milli(j, p, &ev->start_ns, &ev->has_start);
    case EVENT_DURATION:
        return scan_milli(j, p, &ev->dur_ns, &ev->has_dur);
    case EVENT_ARGS:
        return read_args(r, ev, p);
    case EVENT_FLOW:
        if ((p = scan_int(j, p, &v, &known)) && known)
            ev->flow_id = v;
        return p;
    default:
        return scan_value(j, p);
    }
}

static const char *read_event(struct event_reader *r, struct event *ev, const char *p)
{
    struct json_scan *j = &r->scan;
    *ev = (struct event){.uid = r->n_events, .flow_id = NO_ID};
    ev->args.correlation = ev->args.external_id = ev->args.sequence = NO_ID;
    ev->args.stream = ev->args.bytes = NO_ID;
    ev->args.total_allocated = ev->args.total_reserved = NO_ID;
    ev->args.device_type = ev->args.device_id = NO_ID;
    r->rest.n = 0;
    p = scan_space(p);
    if (*p != '{') /* null and the like count as events of no kind */
        return scan_value(j, p);
    p = scan_space(++p);
    if (*p == '}')
        return p + 1;
    struct member *last = &r->members.start;
    for (;;) {
        struct str key;
        if (!(p = member_next(&r->members, j, p, &last, &key)))
            return NULL;
        if (last->meaning == MEMBER_UNKNOWN)
            last->meaning = (int)event_member_of(key);
        if (!(p = read_member(r, ev, (enum event_member)last->meaning, p)))
            return NULL;
        const char *after = scan_space(p);
        if (*after == '}') {
            p = after;
            break;
        }
    }
    if (r->rest.n) {
        out_char(&r->rest, '}');
        ev->args.rest = out_view(&r->rest);
    }
    return p + 1;
}

/* ---- the document ------------------------------------------------------------------
 */

static const char *start_document(struct event_reader *r, const char *p)
{
    if (r->scan.end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    p = scan_space(p);
    if (*p != '{' && *p != '[')
        return scan_fail(&r->scan, p,
                         "not a trace: it begins with neither '{' nor '['; name a file "
                         "written by the profiler's export_chrome_trace");
    r->bare_array = *p == '[';
    r->saw_events |= r->bare_array;
    r->place = r->bare_array ? AT_EVENT : AT_MEMBER;
    r->first = true;
    return p + 1;
}

static const char *read_root_member(struct event_reader *r, const char *p)
{
    struct json_scan *j = &r->scan;
    struct json_string key;
    p = scan_space(p);
    if (r->first && *p == '}') {
        r->place = AT_TRAIL;
        return p + 1;
    }
    if (*p != '"')
        return scan_fail(j, p, "no key here");
    if (!(p = scan_string(j, p, &key)) ||
        !(p = scan_char(j, p, ':', "no ':' after a key")))
        return NULL;
    p = scan_space(p);
    if (str_eq(key.raw, S("traceEvents")) && *p == '[') {
        r->saw_events = r->first = true;
        r->place = AT_EVENT;
        return p + 1;
    }
    const char *start = p;
    if (!(p = scan_value(j, p)))
        return NULL;
    if (p - start <= HEADER_VALUE_BYTES) {
        if (r->header.n > 1)
            out_char(&r->header, ',');
        out_printf(&r->header, "\"%.*s\":", STRF(key.raw));
        out_bytes(&r->header, start, p - start);
    }
    r->place = AFTER_MEMBER;
    return p;
}

/* One step over what stands around events; true in *is_event when it was an event. */
static const char *step(struct event_reader *r, struct event *ev, bool *is_event)
{
    struct json_scan *j = &r->scan;
    const char *p = r->at;
    switch (r->place) {
    case AT_START:
        return start_document(r, p);
    case AT_MEMBER:
        return read_root_member(r, p);
    case AT_EVENT:
        p = scan_space(p);
        if (r->first && *p == ']') {
            r->place = r->bare_array ? AT_TRAIL : AFTER_MEMBER;
            return p + 1;
        }
        if (!(p = read_event(r, ev, p)))
            return NULL;
        r->first = false;
        r->n_events++;
        r->place = AFTER_EVENT;
        *is_event = true;
        return p;
    case AFTER_EVENT:
        p = scan_space(p);
        if (*p != ',' && *p != ']')
            return scan_fail(j, p, "no ',' or ']' after an event");
        r->place = *p == ',' ? AT_EVENT : r->bare_array ? AT_TRAIL : AFTER_MEMBER;
        return p + 1;
    case AFTER_MEMBER:
        p = scan_space(p);
        if (*p != ',' && *p != '}')
            return scan_fail(j, p, "no ',' or '}' after a value");
        r->first = false;
        r->place = *p == ',' ? AT_MEMBER : AT_TRAIL;
        return p + 1;
    case AT_TRAIL:
        p = scan_space(p);
        return scan_fail(j, p, "something follows the end of the document");
    default:
        return p;
    }
}

/* The input is over: at a place where it may be, or not. */
static bool finish(struct event_reader *r, struct err *e)
{
    const char *rest = scan_space(r->at);
    int64_t offset = r->end_offset;
    bool empty_rest = rest >= r->scan.end;
    enum place place = r->place;
    r->place = AT_END;
    if (e->kind != ERR_NONE)
        return false;
    if (place == AT_START)
        return err_set(e, ERR_INPUT, r->path, offset,
                       "the file is empty; record or copy the trace again");
    if (r->bare_array && place == AFTER_EVENT && empty_rest) {
        r->unclosed = true;
        return false;
    }
    if (place != AT_TRAIL || !empty_rest)
        return err_set(e, ERR_INPUT, r->path, offset,
                       "the trace ends in the middle, after %d whole events; record or "
                       "copy it again",
                       r->n_events);
    if (!r->saw_events)
        return err_set(
            e, ERR_INPUT, r->path, 0,
            "no \"traceEvents\" in this document; name a file written by the "
            "profiler's export_chrome_trace");
    return false;
}

bool reader_next(struct event_reader *r, struct event *ev, struct err *e)
{
    while (r->place != AT_END) {
        bool is_event = false;
        const char *p = step(r, ev, &is_event);
        if (p) {
            r->at = p;
            if (is_event)
                return true;
        } else if (r->scan.state == SCAN_BAD) {
            r->place = AT_END;
            return err_set(e, ERR_INPUT, r->path, offset_of(r, r->scan.bad_at),
                           "not valid JSON: %s; record or copy the trace again",
                           r->scan.what);
        } else if (!refill(r, e)) {
            return finish(r, e);
        }
    }
    return false;
}

struct str reader_header(struct event_reader *r)
{
    if (!r->header_closed)
        out_char(&r->header, '}');
    r->header_closed = true;
    return out_view(&r->header);
}

bool reader_unclosed(const struct event_reader *r)
{
    return r->unclosed;
}

struct byte_source *reader_source(const struct event_reader *r)
{
    return r->source;
}

void reader_close(struct event_reader *r)
{
    source_close(r->source);
    scan_free(&r->scan);
    out_free(&r->header);
    out_free(&r->rest);
    free(r);
}
