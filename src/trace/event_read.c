#include "trace/event_read.h"

#include "base/arena.h"
#include "base/out.h"
#include "trace/event_parse.h"
#include "trace/json_value.h"
#include "trace/kineto_collective.h"
#include "trace/kineto_machine.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_VALUE_BYTES = 1 << 20,
    MARK_BYTES =
        48, /* the longest separator between two records, up to the first value */
    BATCH_MAX = 512 /* records per batch: twice as many as a slot usually holds */
};

/* Limits, as the file is not trusted: a few MB of gzip can hold 2^31 elements, or one
 * of gigabytes. Variables, so that a test can reach them. */
static int32_t elements_most = INT32_MAX;
static ptrdiff_t record_bytes_most = 1 << 25, member_bytes_most = 1 << 28,
                 header_bytes_most = 1 << 24;

static_assert((int)PIECE_BYTES <= (int)SOURCE_PAD_BYTES,
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

/* Records of one slot that follow one another. */
struct batch {
    struct event *events;
    int n, cap;
    const char *begin, *end; /* behind the ',' before the first, and after the last */
    struct out rest;         /* what their args.rest are parts of */
};

struct event_reader {
    const char *path;
    struct byte_source *source;
    struct event_parser parser;
    const char *at, *begin; /* of the window */
    int64_t end_offset;     /* uncompressed offset of the window's end */
    enum place place;
    bool bare_array, unclosed, saw_events, first, is_ours;
    int32_t n_events; /* elements so far, with those that are not records */
    int32_t n_void;
    struct event event;      /* what the reader itself parsed last */
    struct out header, rest; /* rest: the parser's */
    char *plain;             /* texts of the event without their escapes */
    ptrdiff_t plain_cap;

    /* What was parsed in advance of this window, and how much of it has been used. */
    struct batch *batch;
    int served;

    /* Used by the inflating thread; `mark` is written before mark_n is set. */
    char mark[MARK_BYTES];
    atomic_int mark_n;
    struct event_parser ahead;
    struct batch batches[SOURCE_SLOTS];
};

static struct event *room_for_one(struct batch *b)
{
    if (b->n == b->cap) {
        b->cap = b->cap ? 2 * b->cap : 256;
        b->events = realloc(b->events, (size_t)b->cap * sizeof *b->events);
        if (!b->events)
            arena_full();
    }
    return &b->events[b->n];
}

/* Sets args.rest of the batch, whose buffer may have moved while it grew. */
static void place_rests(struct batch *b)
{
    const char *at = out_view(&b->rest).p;
    for (int i = 0; i < b->n; i++) {
        struct str *rest = &b->events[i].args.rest;
        if (!b->events[i].has_args || !rest->n)
            continue;
        rest->p = at;
        at += rest->n;
    }
}

/* Run by the inflating thread: parses the complete records of a slot, each followed by
 * a
 * ','. Anything else is left to the reader, which reports what is wrong with it. */
static void read_ahead(void *context, int slot, const char *data, ptrdiff_t n)
{
    struct event_reader *r = context;
    struct batch *b = &r->batches[slot];
    size_t mark_n = (size_t)atomic_load_explicit(&r->mark_n, memory_order_acquire);
    const char *p = mark_n ? memmem(data, (size_t)n, r->mark, mark_n) : NULL;
    b->n = 0;
    b->rest.n = 0;
    if (!p)
        return;
    b->begin = ++p;
    r->ahead.scan.end = data + n;
    r->ahead.scan.state = SCAN_OK;
    r->ahead.rest = &b->rest;
    while (b->n < BATCH_MAX && (p = event_parse(&r->ahead, room_for_one(b), p))) {
        p = scan_space(p);
        if (*p != ',')
            break;
        b->end = ++p;
        b->n++;
    }
    place_rests(b);
}

/* Learns what separates two records: the text from ',' to the ':' of the first member.
 * It contains quotes, so it cannot occur inside a JSON string. */
static void learn_mark(struct event_reader *r)
{
    const char *from = r->at - 1, *p = scan_space(r->at);
    if (*p != '{' || from < r->begin)
        return;
    ptrdiff_t most = r->parser.scan.end - from;
    const char *to = memchr(from, ':', (size_t)(most < MARK_BYTES ? most : MARK_BYTES));
    if (!to)
        return;
    memcpy(r->mark, from, (size_t)(to - from));
    atomic_store_explicit(&r->mark_n, (int)(to - from), memory_order_release);
}

/* The next record parsed in advance, if the reader is at the place where it begins. */
static struct event *next_ahead(struct event_reader *r)
{
    struct batch *b = r->batch;
    if (!b || (r->served == 0 && r->at != b->begin))
        return NULL;
    struct event *ev = &b->events[r->served++];
    ev->uid = r->n_events++;
    if (r->served == b->n) {
        r->at = b->end;
        r->batch = NULL;
    }
    return ev;
}

static void ahead_close(struct event_reader *r)
{
    parser_close(&r->ahead);
    for (int i = 0; i < SOURCE_SLOTS; i++) {
        free(r->batches[i].events);
        out_free(&r->batches[i].rest);
    }
}

/* Whose records have members that others have not. */
enum record_source { RECORDS_PLAIN, RECORDS_FUSED, RECORDS_OF_RPD };

static bool reader_open(struct event_reader **out, const char *path,
                        struct source_options o, enum record_source of, struct err *e)
{
    struct event_reader *r = calloc(1, sizeof *r);
    if (!r)
        arena_full();
    out_memory(&r->rest);
    parser_open(&r->parser, &r->rest);
    parser_open(&r->ahead, NULL);
    for (int i = 0; i < SOURCE_SLOTS; i++)
        out_memory(&r->batches[i].rest);
    r->parser.reads_origin = of == RECORDS_FUSED; /* of one record at a time */
    r->parser.reads_desc = of == RECORDS_OF_RPD;
    o.ahead = of == RECORDS_PLAIN ? read_ahead : NULL;
    o.ahead_context = r;
    if (!source_open(&r->source, path, o, e)) {
        parser_close(&r->parser);
        out_free(&r->rest);
        ahead_close(r);
        free(r);
        return false;
    }
    r->path = path;
    r->at = r->begin = r->parser.scan.end = "";
    out_memory(&r->header);
    out_lit(&r->header, "{");
    *out = r;
    return true;
}

/* Appends bytes to what is left of the window. False at the end of the input. */
static bool refill(struct event_reader *r, struct err *e)
{
    char *begin, *end;
    bool more = source_next(r->source, r->parser.scan.end - r->at, &begin, &end, e);
    r->begin = r->at = begin;
    r->parser.scan.end = end;
    r->end_offset = source_bytes(r->source);
    r->parser.scan.state = SCAN_OK;
    int slot = source_slot_ahead(r->source);
    r->batch = slot >= 0 && r->batches[slot].n > 0 ? &r->batches[slot] : NULL;
    r->served = 0;
    return more;
}

static int64_t offset_of(const struct event_reader *r, const char *p)
{
    return r->end_offset - (r->parser.scan.end - p);
}

static const char *start_document(struct event_reader *r, const char *p)
{
    if (r->parser.scan.end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    p = scan_space(p);
    if (*p != '{' && *p != '[')
        return scan_fail(&r->parser.scan, p,
                         "not a trace: it begins with neither '{' nor '['");
    r->bare_array = *p == '[';
    r->saw_events |= r->bare_array;
    r->place = r->bare_array ? AT_EVENT : AT_MEMBER;
    r->first = true;
    return p + 1;
}

static const char *read_root_member(struct event_reader *r, const char *p)
{
    struct json_scan *j = &r->parser.scan;
    struct json_string key;
    p = scan_space(p);
    if (r->first && *p == '}') {
        r->place = AT_TRAIL;
        return p + 1;
    }
    if (*p != '"')
        return scan_fail(j, p, "expected a key");
    if (!(p = scan_string(j, p, &key)) ||
        !(p = scan_char(j, p, ':', "expected ':' after a key")))
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
    r->is_ours |= str_eq(key.raw, S("report_id")) ||
                  str_starts((struct str){start, p - start}, S("\"tracefolio "));
    if (p - start <= HEADER_VALUE_BYTES &&
        r->header.n + key.raw.n + (p - start) <= header_bytes_most) {
        if (r->header.n > 1)
            out_char(&r->header, ',');
        out_printf(&r->header, "\"%.*s\":", STRF(key.raw));
        out_bytes(&r->header, start, p - start);
    }
    r->place = AFTER_MEMBER;
    return p;
}

/* Elements that are not records, such as null: counted here, as there may be two
 * thousand million. Each one that is whole is done with, even if the next is not. */
static const char *skip_void(struct event_reader *r, const char *p)
{
    struct json_scan *j = &r->parser.scan;
    while (*p != '{' && r->n_events < elements_most) {
        if (!(p = scan_value(j, p)))
            return NULL;
        r->n_events++;
        r->n_void++;
        r->first = false;
        r->place = AFTER_EVENT;
        r->at = p;
        p = scan_space(p);
        if (*p != ',')
            break;
        r->place = AT_EVENT;
        r->at = ++p;
        p = scan_space(p);
    }
    return r->at;
}

/* Reads one event or one step of the document around them; *is_event says which. */
static const char *step(struct event_reader *r, bool *is_event)
{
    struct json_scan *j = &r->parser.scan;
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
        if (*p != '{')
            return skip_void(r, p);
        r->rest.n = 0;
        if (!(p = event_parse(&r->parser, &r->event, p)))
            return NULL;
        r->first = false;
        r->event.uid = r->n_events++;
        r->place = AFTER_EVENT;
        *is_event = true;
        return p;
    case AFTER_EVENT:
        p = scan_space(p);
        if (*p != ',' && *p != ']')
            return scan_fail(j, p, "expected ',' or ']' after an event");
        r->place = *p == ',' ? AT_EVENT : r->bare_array ? AT_TRAIL : AFTER_MEMBER;
        return p + 1;
    case AFTER_MEMBER:
        p = scan_space(p);
        if (*p != ',' && *p != '}')
            return scan_fail(j, p, "expected ',' or '}' after a value");
        r->first = false;
        r->place = *p == ',' ? AT_MEMBER : AT_TRAIL;
        return p + 1;
    case AT_TRAIL:
        p = scan_space(p);
        return scan_fail(j, p, "unexpected data after the end of the document");
    default:
        return p;
    }
}

/* At the end of the input: checks whether it may end here. */
static void finish(struct event_reader *r, struct err *e)
{
    const char *rest = scan_space(r->at);
    int64_t offset = r->end_offset;
    bool empty_rest = rest >= r->parser.scan.end;
    enum place place = r->place;
    r->place = AT_END;
    if (e->kind != ERR_NONE)
        return;
    if (place == AT_START)
        err_set(e, ERR_INPUT, r->path, offset,
                "the file is empty; record or copy the trace again");
    else if (r->bare_array && place == AFTER_EVENT && empty_rest)
        r->unclosed = true;
    else if (place != AT_TRAIL || !empty_rest)
        err_set(e, ERR_INPUT, r->path, offset,
                "the trace is cut off after %d complete events; record or "
                "copy it again",
                r->n_events);
    else if (r->is_ours)
        err_set(e, ERR_INPUT, r->path, 0,
                "written by tracefolio about a trace; name the trace itself (captures "
                "are read by compare and job)");
    else if (r->bare_array && r->n_events && r->n_void == r->n_events)
        err_set(e, ERR_INPUT, r->path, 0,
                "JSON, but no trace: none of its %d elements is an event", r->n_events);
    else if (!r->saw_events)
        err_set(e, ERR_INPUT, r->path, 0,
                "no \"traceEvents\" in this document; name a file written by the "
                "profiler's export_chrome_trace");
}

/* Decodes the strings that contain escapes, which few do. */
static void decode_texts(struct event_reader *r, struct event *ev)
{
    struct str *const texts[] = {&ev->name, &ev->args.call_stack, &ev->args.text};
    const struct event_args *a = event_args(ev);
    ptrdiff_t n = ev->name.n + a->call_stack.n + a->text.n;
    if (n > r->plain_cap) {
        r->plain_cap = 2 * n;
        free(r->plain);
        r->plain = malloc((size_t)r->plain_cap);
        if (!r->plain)
            arena_full();
    }
    char *to = r->plain;
    for (int i = 0; i < 3; i++)
        if (ev->escaped & 1 << i) {
            *texts[i] = (struct str){to, string_decode(*texts[i], to)};
            to += texts[i]->n;
        }
}

static void refuse_more(struct event_reader *r, struct err *e)
{
    r->place = AT_END;
    err_set(e, ERR_INPUT, r->path, offset_of(r, r->at),
            "more than %d elements, which is the limit; record a shorter trace",
            elements_most);
}

static ptrdiff_t bytes_most(enum place place)
{
    return place == AT_MEMBER ? member_bytes_most : record_bytes_most;
}

static bool refuse_long(struct event_reader *r, struct err *e)
{
    bool member = r->place == AT_MEMBER;
    r->place = AT_END;
    return err_set(e, ERR_INPUT, r->path, offset_of(r, r->at),
                   "a %s of more than %td bytes, which is the limit; record the trace "
                   "again",
                   member ? "value beside traceEvents" : "record",
                   bytes_most(member ? AT_MEMBER : AT_EVENT));
}

/* More bytes. Space before what is not whole yet is forgotten, not kept. */
static bool get_more(struct event_reader *r, struct err *e)
{
    r->at = scan_space(r->at);
    return r->parser.scan.end - r->at > bytes_most(r->place) ? refuse_long(r, e)
                                                             : refill(r, e);
}

static struct event *next_record(struct event_reader *r, struct err *e)
{
    while (r->place != AT_END) {
        bool is_event = false;
        if (r->place == AT_EVENT && r->n_events == elements_most) {
            refuse_more(r, e);
            break;
        }
        struct event *ahead = r->place == AT_EVENT ? next_ahead(r) : NULL;
        if (ahead)
            return ahead;
        enum place began = r->place;
        const char *p = step(r, &is_event);
        bool whole = is_event || (p && began == AT_MEMBER);
        if (whole && p - r->at > bytes_most(began)) { /* its end was read with it */
            r->place = began;
            refuse_long(r, e);
        } else if (p) {
            r->at = p;
            if (is_event && *p == ',' && r->mark_n) { /* the next step, most often */
                r->place = AT_EVENT;
                r->at++;
            }
            if (is_event)
                return &r->event;
            if (r->place == AT_EVENT && r->n_events && !r->mark_n)
                learn_mark(r);
        } else if (r->parser.scan.state == SCAN_BAD) {
            bool begins = r->place != AT_START;
            r->place = AT_END;
            err_set(e, ERR_INPUT, r->path, offset_of(r, r->parser.scan.bad_at),
                    "%s%s%s", begins ? "not valid JSON: " : "", r->parser.scan.what,
                    begins ? "; record or copy the trace again" : "");
        } else if (!get_more(r, e)) {
            finish(r, e);
        }
    }
    return NULL;
}

static struct event *reader_next(void *state, struct err *e)
{
    struct event *ev = next_record(state, e);
    if (ev && ev->escaped)
        decode_texts(state, ev);
    return ev;
}

static struct source_progress reader_progress(void *state)
{
    const struct byte_source *s = ((struct event_reader *)state)->source;
    int64_t size = source_file_size(s);
    double frac = size > 0 ? (double)source_file_bytes(s) / (double)size : -1.0;
    return (struct source_progress){source_bytes(s), frac};
}

static struct source_end reader_end(void *state, struct arena *perm)
{
    struct event_reader *r = state;
    out_char(&r->header, '}');
    struct str header = str_copy(perm, out_view(&r->header)); /* its texts are used */
    struct source_end end = {.machine = kineto_machine(perm, json_value(perm, header)),
                             .unclosed = r->unclosed,
                             .saw_nan = r->parser.scan.saw_nan || r->ahead.scan.saw_nan,
                             .n_elements = r->n_events,
                             .n_void = r->n_void,
                             .bytes = source_bytes(r->source)};
    source_digest(r->source, end.sha256);
    return end;
}

static void reader_close(void *state)
{
    struct event_reader *r = state;
    source_close(r->source);
    out_free(&r->header);
    parser_close(&r->parser);
    out_free(&r->rest);
    ahead_close(r);
    free(r->plain);
    free(r);
}

bool json_events_is(struct str head)
{
    ptrdiff_t at = str_starts(head, S("\xef\xbb\xbf")) ? 3 : 0;
    while (at < head.n && strchr(" \t\r\n", head.p[at]))
        at++;
    return at == head.n || head.p[at] == '{' || head.p[at] == '[';
}

static bool open_source(struct event_source *events, const char *path,
                        struct source_options o, enum record_source of, struct err *e)
{
    struct event_reader *r;
    if (!reader_open(&r, path, o, of, e))
        return false;
    *events = (struct event_source){
        r,          reader_next,  json_value,       reader_progress,
        reader_end, reader_close, &torch_abilities, kineto_collective};
    return true;
}

bool json_events_open(struct event_source *events, const char *path,
                      struct source_options o, struct err *e)
{
    return open_source(events, path, o, RECORDS_PLAIN, e);
}

bool json_fused_open(struct event_source *events, const char *path,
                     struct source_options o, struct err *e)
{
    return open_source(events, path, o, RECORDS_FUSED, e);
}

bool json_described_open(struct event_source *events, const char *path,
                         struct source_options o, struct err *e)
{
    return open_source(events, path, o, RECORDS_OF_RPD, e);
}

int64_t json_fused_rank(const void *state, struct event *ev)
{
    const struct event_parser *ps = &((const struct event_reader *)state)->parser;
    if (ps->own_pid.n)
        ev->pid = ps->own_pid;
    return ps->rank;
}
