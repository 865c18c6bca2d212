#include "trace/event_parse.h"

#include <stddef.h>
#include <string.h>

void parser_open(struct event_parser *ps, struct out *rest)
{
    ps->scan = (struct json_scan){0};
    ps->rest = rest;
    guess_open(&ps->members);
    for (int k = 0; k < ARG_SORTS; k++)
        guess_open(&ps->args[k]);
    pieces_open(&ps->pieces);
    value_guess_open(&ps->values);
}

void parser_close(struct event_parser *ps)
{
    scan_free(&ps->scan);
    value_guess_close(&ps->values);
}

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

enum arg_kind {
    ARG_REST,  /* distinguishes calls: kept as recorded */
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
    INT("Seq", comms_sequence),
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
    NOISE("graph node id"),
    NOISE("graph id"),
    NOISE("Addr"),
    NOISE("cbid"),
    NOISE("cid"),
#undef INT
#undef TEXT
#undef NOISE
};

/* The index of a key in `args`, or 0. */
static int arg_of(struct str key)
{
    for (int i = 1; i < (int)(sizeof args / sizeof *args); i++)
        if (str_eq(args[i].key, key))
            return i;
    return 0;
}

static void rest_add(struct event_parser *ps, struct str key, const char *from,
                     const char *to)
{
    out_char(ps->rest, ps->rest->n > ps->rest_from ? ',' : '{');
    out_char(ps->rest, '"');
    out_str(ps->rest, key);
    out_lit(ps->rest, "\":");
    out_bytes(ps->rest, from, to - from);
}

/* Reads a string into the event; ignores any other value. */
static const char *read_text(struct json_scan *j, const char *p, struct event *ev,
                             struct str *text, uint8_t escaped)
{
    struct json_string s;
    if (*p != '"')
        return scan_value(j, p);
    if ((p = scan_string(j, p, &s))) {
        *text = s.raw;
        ev->escaped =
            (uint8_t)(s.escaped ? ev->escaped | escaped : ev->escaped & ~escaped);
    }
    return p;
}

/* Values that may come again are lists and strings. */
static const char *read_value(struct event_parser *ps, const char *p)
{
    return *p == '[' || *p == '"' ? value_next(&ps->values, &ps->scan, p)
                                  : scan_value(&ps->scan, p);
}

static const char *read_arg(struct event_parser *ps, struct event *ev,
                            const struct arg *arg, struct str key, const char *p)
{
    struct event_args *a = &ev->args;
    struct json_scan *j = &ps->scan;
    p = scan_space(p);
    const char *start = p;
    void *member = (char *)a + arg->at;
    /* A Triton op's "stream" is a pointer, not a GPU stream. */
    if (arg->kind == ARG_INT && !(member == &a->stream && ev->cat == CAT_CPU_OP)) {
        int64_t v;
        bool known;
        if ((p = scan_int(j, p, &v, &known)) && known)
            *(int64_t *)member = v;
        return p;
    }
    if (*p == '"' && arg->kind == ARG_LABEL && ev->ph == 'M')
        return read_text(j, p, ev, &a->text, ESCAPED_TEXT);
    if (*p == '"' && arg->kind == ARG_STACK)
        return read_text(j, p, ev, &a->call_stack, ESCAPED_STACK);
    p = arg->kind == ARG_NOISE ? scan_value(j, p) : read_value(ps, p);
    if (!p)
        return NULL;
    bool keeps = ev->cat == CAT_CPU_OP || ev->cat == CAT_KERNEL ||
                 ev->cat == CAT_MEMCPY || ev->cat == CAT_MEMSET ||
                 (ev->cat == CAT_RUNTIME && str_eq(key, S("kernel")));
    if (arg->kind == ARG_TEXT)
        *(struct str *)member = (struct str){start, p - start};
    else if (keeps && arg->kind != ARG_NOISE)
        rest_add(ps, key, start, p);
    return p;
}

static enum arg_sort arg_sort_of(enum event_cat cat)
{
    switch (cat) {
    case CAT_CPU_OP:
        return ARGS_OF_CALL;
    case CAT_RUNTIME:
    case CAT_DRIVER:
        return ARGS_OF_LAUNCH;
    case CAT_KERNEL:
    case CAT_MEMCPY:
    case CAT_MEMSET:
        return ARGS_OF_DEVICE;
    default:
        return ARGS_OF_OTHER;
    }
}

/* The members of an object that is not used, up to its end. */
static const char *skip_members(struct json_scan *j, struct member_guess *guess,
                                const char *p)
{
    struct member *last = &guess->start;
    struct str key;
    do {
        if (!(p = member_next(guess, j, p, &last, &key)) || !(p = scan_value(j, p)))
            return NULL;
        p = scan_space(p);
    } while (*p != '}');
    return p + 1;
}

static const char *read_args(struct event_parser *ps, struct event *ev, const char *p)
{
    struct json_scan *j = &ps->scan;
    p = scan_space(p);
    if (*p != '{')
        return scan_value(j, p);
    p = scan_space(++p);
    if (*p == '}')
        return p + 1;
    struct member_guess *guess = &ps->args[arg_sort_of(ev->cat)];
    /* Most events are Python frames, whose args are not used; of annotations, only
     * those of collectives are. */
    if (ev->cat == CAT_PYTHON ||
        (ev->cat == CAT_ANNOTATION && !str_starts(ev->name, S("nccl:"))))
        return skip_members(j, guess, p);
    event_args_set(ev);
    struct member *last = &guess->start;
    do {
        struct str key;
        if (!(p = member_next(guess, j, p, &last, &key)))
            return NULL;
        if (last->meaning == MEMBER_UNKNOWN)
            last->meaning = arg_of(key);
        if (!(p = read_arg(ps, ev, &args[last->meaning], key, p)))
            return NULL;
        p = scan_space(p);
    } while (*p != '}');
    return p + 1;
}

/* pid and tid: a number or a string, as written. */
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
    EVENT_PID,
    EVENT_TID,
    EVENT_VARIES, /* from here on most often: other values with every record */
    EVENT_NAME = EVENT_VARIES,
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

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The value of a member that most often is as in other records. */
static const char *read_common(struct event_parser *ps, struct event *ev,
                               enum event_member member, const char *p)
{
    struct json_scan *j = &ps->scan;
    struct str text = {0};
    p = scan_space(p);
    switch (member) {
    case EVENT_PHASE:
        if (*p == '"' && is_letter(p[1]) && p[2] == '"') {
            ev->ph = p[1];
            return p + 3;
        }
        p = read_text(j, p, ev, &text, 0);
        ev->ph = p && text.n == 1 ? text.p[0] : '\0';
        return p;
    case EVENT_CATEGORY:
        if ((p = read_text(j, p, ev, &text, 0)))
            ev->cat = cat_of(text);
        return p;
    default:
        return read_lane(j, p, member == EVENT_PID ? &ev->pid : &ev->tid);
    }
}

/* The value of any other member. */
static const char *read_varied(struct event_parser *ps, struct event *ev,
                               enum event_member member, const char *p)
{
    struct json_scan *j = &ps->scan;
    bool known, starts = member == EVENT_START;
    int64_t v;
    switch (member) {
    case EVENT_NAME:
        return read_text(j, scan_space(p), ev, &ev->name, ESCAPED_NAME);
    case EVENT_START:
    case EVENT_DURATION:
        return scan_milli(j, p, starts ? &ev->start_ns : &ev->dur_ns,
                          starts ? &ev->has_start : &ev->has_dur);
    case EVENT_ARGS:
        return read_args(ps, ev, p);
    case EVENT_FLOW:
        if ((p = scan_int(j, p, &v, &known)) && known)
            ev->flow_id = v;
        return p;
    default:
        return scan_value(j, p);
    }
}

/* Notes what the last value says of the event, in a text that begins at `from`. */
static void note_fact(struct piece_facts *f, enum event_member member,
                      const struct event *ev, const char *from)
{
    if (member == EVENT_PHASE) {
        f->has_ph = true;
        f->ph = ev->ph;
    } else if (member == EVENT_CATEGORY) {
        f->has_cat = true;
        f->cat = ev->cat;
    } else if (member == EVENT_PID) {
        f->has_pid = true;
        f->pid_at = (uint8_t)(ev->pid.p - from);
        f->pid_n = (uint8_t)ev->pid.n;
    } else {
        f->has_tid = true;
        f->tid_at = (uint8_t)(ev->tid.p - from);
        f->tid_n = (uint8_t)ev->tid.n;
    }
}

/* The place of the next value, by the rules of JSON or by the member that came next
 * last time; `last` says whose it is. */
static const char *next_value(struct event_parser *ps, const char *p,
                              struct member **last)
{
    struct str key;
    p = member_next(&ps->members, &ps->scan, p, last, &key);
    if (p && (*last)->meaning == MEMBER_UNKNOWN)
        (*last)->meaning = (int)event_member_of(key);
    return p;
}

/* Reads by the rules of JSON up to the next value that varies, whose member *last is,
 * and remembers the text before it. If there is none, *piece is NULL. */
static const char *scan_piece(struct event_parser *ps, struct event *ev, const char *p,
                              struct piece_list *list, struct member **last,
                              struct record_piece **piece)
{
    struct piece_facts facts = {0};
    const char *from = p, *value;
    while ((value = next_value(ps, p, last))) {
        enum event_member member = (enum event_member)(*last)->meaning;
        if (member >= EVENT_VARIES) {
            struct str text = {from, value - from};
            *piece = value < ps->scan.end
                         ? piece_learn(&ps->pieces, list, text, &facts, *last)
                         : &ps->pieces.other;
            return value;
        }
        if (!(p = read_common(ps, ev, member, value)))
            break;
        note_fact(&facts, member, ev, from);
        *piece = NULL;
        const char *after = scan_space(p);
        if (*after == '}')
            return after;
    }
    return NULL;
}

/* The members of a record, from behind its '{' to its '}'. */
static const char *read_members(struct event_parser *ps, struct event *ev,
                                const char *p)
{
    struct member *last = &ps->members.start;
    struct record_piece *piece = ps->pieces.first;
    struct piece_list *list = &piece->record;
    for (bool first = true;; first = false) {
        piece = piece_next(list, ev, p);
        enum event_member member;
        if (piece) {
            p += piece->n;
            last = piece->member;
            member = (enum event_member)piece->meaning;
        } else {
            if (!(p = scan_piece(ps, ev, p, list, &last, &piece)) || !piece)
                return p;
            member = (enum event_member)last->meaning;
        }
        if (first)
            ps->pieces.first = piece;
        if (!(p = read_varied(ps, ev, member, p)))
            return NULL;
        const char *after = scan_space(p);
        if (*after == '}')
            return after;
        list = &piece->next;
    }
}

const char *event_parse(struct event_parser *ps, struct event *ev, const char *p)
{
    struct json_scan *j = &ps->scan;
    event_clear(ev);
    ps->rest_from = ps->rest->n;
    p = scan_space(p);
    if (*p != '{') /* null and the like count as events of no kind */
        return scan_value(j, p);
    p = scan_space(++p);
    if (*p == '}')
        return p + 1;
    if (!(p = read_members(ps, ev, p)))
        return NULL;
    if (ps->rest->n > ps->rest_from) {
        out_char(ps->rest, '}');
        ev->args.rest = str_skip(out_view(ps->rest), ps->rest_from);
    }
    return p + 1;
}
