#include "trace/event_parse.h"

#include "trace/kineto_terms.h"

#include <stddef.h>
#include <string.h>

/* Most bytes of a trace are in args: what reads them is a part of the loop over
 * members, and a second time, of what few profilers need. */
#define GRAPH_EDGES_FROM ((int64_t)1 << 40) /* ids of arrows; below, those of calls */
#define ALWAYS_INLINE    inline __attribute__((always_inline))

void parser_open(struct event_parser *ps, struct out *rest)
{
    ps->scan = (struct json_scan){0};
    ps->rest = rest;
    ps->reads_origin = ps->reads_desc = false;
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

/* What TraceFusion adds to each record: its rank, and what it has changed as it was. */
static const char *read_origin(struct event_parser *ps, struct str key, const char *p,
                               bool *is)
{
    struct json_scan *j = &ps->scan;
    const char *from = p = scan_space(p);
    bool known, is_rank = str_eq(key, S("rank"));
    *is = is_rank || str_ends(key, S("_raw"));
    if (!*is)
        return p;
    if (is_rank && *p != '"') {
        int64_t v;
        if ((p = scan_int(j, p, &v, &known)) && known)
            ps->rank = v;
        return p;
    }
    if ((p = scan_value(j, p)) && str_eq(key, S("pid_raw")) && *from != '"')
        ps->own_pid = (struct str){from, p - from};
    return p;
}

/* A value that is kept as it is written, if it distinguishes calls. */
static const char *read_rest(struct event_parser *ps, struct event *ev, struct str key,
                             const char *p)
{
    const char *start = p;
    p = read_value(ps, p);
    if (p && (kineto_keeps(ev->cat) ||
              (ev->cat == CAT_RUNTIME && str_eq(key, S("kernel"))) ||
              (ps->reads_desc && ev->cat == CAT_OTHER && str_eq(key, S("desc")))))
        rest_add(ps, key, start, p);
    return p;
}

static ALWAYS_INLINE const char *read_arg(struct event_parser *ps, struct event *ev,
                                          const struct kineto_arg *arg, struct str key,
                                          const char *p)
{
    struct event_args *a = &ev->args;
    struct json_scan *j = &ps->scan;
    void *member = (char *)a + arg->at;
    const char *start = p = scan_space(p);
    bool is_origin = false, known;
    int64_t v;
    switch (arg->kind) {
    case ARG_NOISE:
        return scan_value(j, p);
    case ARG_INT:
        /* A Triton op's "stream" is a pointer, not a GPU stream. */
        if (member == &a->stream && ev->cat == CAT_CPU_OP)
            break;
        if ((p = scan_int(j, p, &v, &known)) && known)
            *(int64_t *)member = v;
        return p;
    case ARG_TEXT:
        if ((p = read_value(ps, p)))
            *(struct str *)member = (struct str){start, p - start};
        return p;
    case ARG_LABEL: /* Ascend's labels say last what they are */
        if (*p == '"' && (ev->ph == 'M' || (!ev->ph && ev->cat == CAT_OTHER)))
            return read_text(j, p, ev, &a->text, ESCAPED_TEXT);
        break;
    case ARG_STACK:
        if (*p == '"')
            return read_text(j, p, ev, &a->call_stack, ESCAPED_STACK);
        break;
    case ARG_TASK:
        a->is_task = true;
        break;
    case ARG_REST:
        if (ps->reads_origin &&
            (!(p = read_origin(ps, key, p, &is_origin)) || is_origin))
            return p;
        break;
    }
    return read_rest(ps, ev, key, p);
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
static ALWAYS_INLINE const char *skip_members(struct json_scan *j,
                                              struct member_guess *guess, const char *p)
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

/* All members of a counter's record are kept, whatever they are called. */
static __attribute__((noinline)) const char *
read_counter(struct event_parser *ps, struct event *ev, const char *p)
{
    struct member_guess *guess = &ps->args[ARGS_OF_OTHER];
    struct member *last = &guess->start;
    struct str key;
    event_args_set(ev);
    do {
        if (!(p = member_next(guess, &ps->scan, p, &last, &key)))
            return NULL;
        const char *start = scan_space(p);
        if (!(p = scan_value(&ps->scan, start)))
            return NULL;
        rest_add(ps, key, start, p);
        p = scan_space(p);
    } while (*p != '}');
    return p + 1;
}

static ALWAYS_INLINE const char *read_args(struct event_parser *ps, struct event *ev,
                                           const char *p)
{
    struct json_scan *j = &ps->scan;
    p = scan_space(p);
    if (*p != '{')
        return scan_value(j, p);
    p = scan_space(++p);
    if (*p == '}')
        return p + 1;
    if (__builtin_expect(ev->ph == 'C', 0))
        return read_counter(ps, ev, p);
    struct member_guess *guess = &ps->args[arg_sort_of(ev->cat)];
    /* Most events are Python frames, whose args are not used; of annotations, only
     * those of collectives are. */
    bool unused = ev->cat == CAT_PYTHON ||
                  (ev->cat == CAT_ANNOTATION && !str_starts(ev->name, S("nccl:")));
    if (unused && !ps->reads_origin)
        return skip_members(j, guess, p);
    event_args_set(ev);
    struct member *last = &guess->start;
    do {
        struct str key;
        if (!(p = member_next(guess, j, p, &last, &key)))
            return NULL;
        if (last->meaning == MEMBER_UNKNOWN)
            last->meaning = kineto_arg_of(key);
        if (!(p = read_arg(ps, ev, &kineto_args[last->meaning], key, p)))
            return NULL;
        p = scan_space(p);
    } while (*p != '}');
    return p + 1;
}

static __attribute__((noinline, cold)) bool read_late_args(struct event_parser *ps,
                                                           struct event *ev)
{
    return read_args(ps, ev, ps->late_args) != NULL;
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
            ev->cat = kineto_cat(text);
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
        if (ev->ph)
            return read_args(ps, ev, p);
        ps->late_args = p; /* what they mean follows from the members behind them */
        return scan_value(j, p);
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

/* The text of a category that is not known: the first member "cat" of the record. */
static struct str unknown_cat(struct str record)
{
    ptrdiff_t at = str_find(record, S("\"cat\""));
    struct str rest = str_trim(str_skip(record, at < 0 ? record.n : at + 5));
    rest = str_starts(rest, S(":")) ? str_trim(str_skip(rest, 1)) : S("");
    ptrdiff_t end =
        str_starts(rest, S("\"")) ? str_find(str_skip(rest, 1), S("\"")) : 0;
    return end > 0 ? (struct str){rest.p + 1, end} : S("");
}

/* Ascend's trace_view.json gives no categories: tasks of the device say their type, and
 * calls of the runtime begin with the layer that records them. */
static void judge_uncategorised(struct event *ev)
{
    static const struct str layer = S_INIT("AscendCL@");
    if (event_args(ev)->is_task) {
        bool copies = str_has_nocase(str_head(ev->name, 6), S("memcpy"));
        ev->cat = copies ? CAT_MEMCPY : CAT_KERNEL;
    } else if (str_starts(ev->name, layer)) {
        ev->cat = CAT_RUNTIME;
        ev->name = str_skip(ev->name, layer.n); /* "aclrtMemcpy", as it is called */
    }
}

/* The text of a member of `rest`, if it is a plain one. */
static struct str rest_text(struct str rest, struct str quoted_key)
{
    ptrdiff_t at = str_find(rest, quoted_key);
    struct str text = at < 0 ? S("") : str_skip(rest, at + quoted_key.n);
    ptrdiff_t n = str_find(text, S("\""));
    return str_head(text, n < 0 ? 0 : n);
}

/* Since 2026 copies may be just "Memcpy", and say in arguments from where to where. */
static void name_copy(struct event *ev)
{
    struct str rest = ev->args.rest;
    struct str name = kineto_copy_name(rest_text(rest, S("\"copy kind\":\"")),
                                       rest_text(rest, S("\"src kind\":\"")),
                                       rest_text(rest, S("\"dst kind\":\"")));
    ev->name = name.n ? name : ev->name;
}

const char *event_parse(struct event_parser *ps, struct event *ev, const char *p)
{
    struct json_scan *j = &ps->scan;
    event_clear(ev);
    ps->rest_from = ps->rest->n;
    ps->late_args = NULL;
    ps->rank = NO_ID;
    ps->own_pid = S("");
    p = scan_space(p);
    const char *begin = p;
    if (*p != '{') /* null and the like count as events of no kind */
        return scan_value(j, p);
    p = scan_space(++p);
    if (*p == '}')
        return p + 1;
    if (!(p = read_members(ps, ev, p)))
        return NULL;
    if (ps->late_args && !read_late_args(ps, ev))
        return NULL;
    if (ev->cat == CAT_LAUNCH_FLOW && ev->flow_id >= GRAPH_EDGES_FROM)
        ev->cat = CAT_GRAPH_EDGE;
    if (ev->cat == CAT_OTHER && ev->ph == 'X')
        judge_uncategorised(ev);
    if (ev->cat == CAT_OTHER && ev->ph == 'X')
        event_args_set(ev)->text = unknown_cat((struct str){begin, p - begin});
    if (ps->rest->n > ps->rest_from) {
        out_char(ps->rest, '}');
        ev->args.rest = str_skip(out_view(ps->rest), ps->rest_from);
        if (ev->cat == CAT_MEMCPY && str_eq(ev->name, S("Memcpy")))
            name_copy(ev);
    }
    return p + 1;
}
