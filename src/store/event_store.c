#include "store/event_store.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum {
    PROGRESS_EVENTS = 1 << 14,
    ROW_BYTES = 256, /* all columns together, and more */
    UID_ROWS = 64,
    WIDE_PER_ROW = 4, /* numbers that do not fit: more than any trace has */
    WORD_BITS = 32    /* of `kept` */
};

/* What only lives while reading. */
struct builder {
    struct event_store *s;
    struct name_pool lane_keys; /* "pid\x1ftid" to lane */
    struct name_pool text_keys; /* five name ids to row of texts */
    struct str last_pid, last_tid;
    char last_key[128];
    int32_t last_lane;
    char *scratch;
    ptrdiff_t scratch_cap;
};

#define MOST_ROWS  (INT32_MAX / 2)
#define KEPT_BYTES ((ptrdiff_t)INT32_MAX / 8 + 1) /* of every uid there may be */

static void *column(struct event_store *s, ptrdiff_t size)
{
    return pages_reserve(s->max_rows * size);
}

static ptrdiff_t detail_bytes(const struct event_store *s)
{
    return BIT_WORDS(s->max_rows) * (ptrdiff_t)sizeof *s->has_detail;
}

static ptrdiff_t uid_bytes(const struct event_store *s)
{
    return (s->max_rows / UID_ROWS + 1) * (ptrdiff_t)sizeof *s->uid_at;
}

static void open_columns(struct event_store *s)
{
    /* As many rows as this machine could hold; only what is written becomes memory. */
    ptrdiff_t rows = arena_machine_bytes() / ROW_BYTES;
    s->max_rows = rows < MOST_ROWS ? (int32_t)rows : MOST_ROWS;
    s->start_ns = column(s, sizeof *s->start_ns);
    s->dur = column(s, sizeof *s->dur);
    s->name = column(s, sizeof *s->name);
    s->lane = column(s, sizeof *s->lane);
    s->cat = column(s, sizeof *s->cat);
    s->has_detail = pages_reserve(detail_bytes(s));
    s->kept = pages_reserve(KEPT_BYTES);
    s->uid_at = pages_reserve(uid_bytes(s));
    s->details = column(s, sizeof *s->details);
    s->more = column(s, sizeof *s->more);
    bool few = s->max_rows <= MOST_ROWS / WIDE_PER_ROW;
    s->wide = wide_open(few ? WIDE_PER_ROW * s->max_rows : MOST_ROWS, NO_ID);
    s->flows = column(s, sizeof *s->flows);
    s->texts = column(s, sizeof *s->texts);
    s->lanes = column(s, sizeof *s->lanes);
    s->labels = column(s, sizeof *s->labels);
    s->memory = column(s, sizeof *s->memory);
    pool_open_large(&s->names);
}

void store_close(struct event_store *s)
{
    ptrdiff_t n = s->max_rows;
    pages_release(s->start_ns, n * (ptrdiff_t)sizeof *s->start_ns);
    pages_release(s->dur, n * (ptrdiff_t)sizeof *s->dur);
    pages_release(s->name, n * (ptrdiff_t)sizeof *s->name);
    pages_release(s->lane, n * (ptrdiff_t)sizeof *s->lane);
    pages_release(s->cat, n * (ptrdiff_t)sizeof *s->cat);
    pages_release(s->has_detail, detail_bytes(s));
    pages_release(s->kept, KEPT_BYTES);
    pages_release(s->uid_at, uid_bytes(s));
    pages_release(s->details, n * (ptrdiff_t)sizeof *s->details);
    pages_release(s->more, n * (ptrdiff_t)sizeof *s->more);
    wide_close(&s->wide);
    pages_release(s->flows, n * (ptrdiff_t)sizeof *s->flows);
    pages_release(s->texts, n * (ptrdiff_t)sizeof *s->texts);
    pages_release(s->lanes, n * (ptrdiff_t)sizeof *s->lanes);
    pages_release(s->labels, n * (ptrdiff_t)sizeof *s->labels);
    pages_release(s->memory, n * (ptrdiff_t)sizeof *s->memory);
    pool_close(&s->names);
    free((char *)s->header.p);
    *s = (struct event_store){0};
}

ptrdiff_t store_memory_bytes(const struct event_store *s)
{
    size_t row = sizeof *s->start_ns + sizeof *s->dur + sizeof *s->name +
                 sizeof *s->lane + sizeof *s->cat;
    size_t rows =
        (size_t)s->n * row + (size_t)s->n_details * sizeof *s->details +
        (size_t)s->n_more * sizeof *s->more + (size_t)s->wide.n * sizeof *s->wide.at +
        (size_t)s->n_flows * sizeof *s->flows + (size_t)s->n_texts * sizeof *s->texts +
        (size_t)s->n_lanes * sizeof *s->lanes +
        (size_t)s->n_labels * sizeof *s->labels +
        (size_t)s->n_memory * sizeof *s->memory;
    size_t bits = (size_t)BIT_WORDS(s->n) * sizeof *s->has_detail +
                  (size_t)s->census.n_events / 8 +
                  (size_t)(s->n / UID_ROWS) * sizeof *s->uid_at;
    return (ptrdiff_t)(rows + bits) + pool_memory_bytes(&s->names);
}

int32_t store_uid(const struct event_store *s, event_id i)
{
    int32_t uid = s->uid_at[i / UID_ROWS], left = i % UID_ROWS;
    ptrdiff_t w = uid / WORD_BITS;
    uint32_t word = s->kept[w] & ~0u << uid % WORD_BITS;
    for (int32_t n; (n = bit_count(word)) <= left; word = s->kept[++w])
        left -= n;
    while (left-- > 0)
        word &= word - 1; /* without its lowest bit */
    return (int32_t)(w * WORD_BITS) + __builtin_ctz(word);
}

int64_t store_correlation(const struct event_store *s, event_id i)
{
    int32_t row = store_row(s, i);
    return row < 0 ? NO_ID : narrow_value(&s->wide, s->details[row].correlation);
}

int64_t store_external_id(const struct event_store *s, event_id i)
{
    int32_t row = store_row(s, i);
    return row < 0 ? NO_ID : narrow_value(&s->wide, s->details[row].external_id);
}

int64_t store_stream(const struct event_store *s, event_id i)
{
    int32_t row = store_row(s, i);
    return row < 0 ? NO_ID : narrow_value(&s->wide, s->details[row].stream);
}

static const struct detail_more *more_of(const struct event_store *s, event_id i)
{
    int32_t row = store_row(s, i);
    return row < 0 || s->details[row].more < 0 ? NULL : &s->more[s->details[row].more];
}

int64_t store_sequence(const struct event_store *s, event_id i)
{
    const struct detail_more *m = more_of(s, i);
    return m ? narrow_value(&s->wide, m->sequence) : NO_ID;
}

int64_t store_bytes(const struct event_store *s, event_id i)
{
    const struct detail_more *m = more_of(s, i);
    return m ? narrow_value(&s->wide, m->bytes) : NO_ID;
}

name_id store_call_stack(const struct event_store *s, event_id i)
{
    const struct detail_more *m = more_of(s, i);
    return m ? m->call_stack : -1;
}

static char *scratch(struct builder *b, ptrdiff_t n)
{
    if (n > b->scratch_cap) {
        b->scratch_cap = 2 * n;
        b->scratch = realloc(b->scratch, (size_t)b->scratch_cap);
        if (!b->scratch)
            arena_full();
    }
    return b->scratch;
}

static name_id add_string(struct builder *b, const struct json_string *s)
{
    if (!s->escaped)
        return pool_add(&b->s->names, s->raw);
    char *buf = scratch(b, s->raw.n);
    return pool_add(&b->s->names, (struct str){buf, string_decode(s->raw, buf)});
}

static int32_t lane_of(struct builder *b, struct str pid, struct str tid)
{
    pid = pid.p ? pid : S(""); /* an event without a process or thread */
    tid = tid.p ? tid : S("");
    ptrdiff_t n = pid.n + 1 + tid.n;
    char *key = n <= (ptrdiff_t)sizeof b->last_key ? b->last_key : NULL;
    /* Events of one lane come in long runs. */
    if (b->last_lane >= 0 && str_eq(pid, b->last_pid) && str_eq(tid, b->last_tid))
        return b->last_lane;
    if (!key)
        key = scratch(b, n);
    memcpy(key, pid.p, (size_t)pid.n);
    key[pid.n] = '\x1f';
    memcpy(key + pid.n + 1, tid.p, (size_t)tid.n);
    int32_t lane = pool_add(&b->lane_keys, (struct str){key, n});
    struct event_store *s = b->s;
    if (lane == s->n_lanes) {
        if (s->n_lanes >= s->max_rows)
            arena_full();
        s->lanes[s->n_lanes++] = (struct lane){pool_add(&s->names, pid),
                                               pool_add(&s->names, tid), -1, -1, -1};
    }
    b->last_lane = key == b->last_key ? lane : -1; /* scratch does not last */
    b->last_pid = (struct str){key, pid.n};
    b->last_tid = (struct str){key + pid.n + 1, tid.n};
    return lane;
}

static name_id add_text(struct event_store *s, struct str text)
{
    return text.n ? pool_add(&s->names, text) : -1;
}

static int32_t texts_of(struct builder *b, const struct event_args *a)
{
    struct event_store *s = b->s;
    if (!a->dims.n && !a->types.n && !a->strides.n && !a->concrete.n && !a->rest.n)
        return -1;
    struct op_texts t = {add_text(s, a->dims), add_text(s, a->types),
                         add_text(s, a->strides), add_text(s, a->concrete),
                         add_text(s, a->rest)};
    int32_t row = pool_add(&b->text_keys, (struct str){(const char *)&t, sizeof t});
    if (row == s->n_texts) {
        if (s->n_texts >= s->max_rows)
            arena_full();
        s->texts[s->n_texts++] = t;
    }
    return row;
}

static bool is_kept(enum event_cat cat)
{
    return cat >= CAT_CPU_OP && cat <= CAT_GPU_ANNOTATION;
}

static int32_t more_of_args(struct builder *b, const struct event_args *a)
{
    struct event_store *s = b->s;
    if (a->sequence == NO_ID && a->bytes == NO_ID && !a->call_stack.raw.n)
        return -1;
    s->more[s->n_more] = (struct detail_more){
        .sequence = narrow_of(&s->wide, a->sequence),
        .bytes = narrow_of(&s->wide, a->bytes),
        .call_stack = a->call_stack.raw.n ? add_string(b, &a->call_stack) : -1};
    return s->n_more++;
}

static struct event_detail detail_of(struct builder *b, const struct event_args *a)
{
    struct wide_column *wide = &b->s->wide;
    int32_t texts = texts_of(b, a); /* before the call stack: names count up */
    return (struct event_detail){.correlation = narrow_of(wide, a->correlation),
                                 .external_id = narrow_of(wide, a->external_id),
                                 .stream = narrow_of(wide, a->stream),
                                 .texts = texts,
                                 .more = more_of_args(b, a)};
}

static void add_event(struct builder *b, const struct event *ev)
{
    struct event_store *s = b->s;
    if (!ev->has_start) {
        s->census.without_start++;
        return;
    }
    if (!ev->has_dur) {
        s->census.without_duration++;
        return;
    }
    if (ev->dur_ns < 0) {
        s->census.negative_duration++;
        return;
    }
    if (s->n >= s->max_rows)
        arena_full();
    event_id i = s->n++;
    s->start_ns[i] = ev->start_ns;
    s->dur[i] = narrow_of(&s->wide, ev->dur_ns);
    s->name[i] = add_string(b, &ev->name);
    s->lane[i] = lane_of(b, ev->pid, ev->tid);
    s->cat[i] = (uint8_t)ev->cat;
    s->kept[ev->uid / WORD_BITS] |= 1u << ev->uid % WORD_BITS;
    if (i % UID_ROWS == 0)
        s->uid_at[i / UID_ROWS] = ev->uid;
    bit_append(s->has_detail, i, ev->cat != CAT_PYTHON);
    if (ev->cat != CAT_PYTHON)
        s->details[s->n_details++] = detail_of(b, &ev->args);
}

static void add_flow(struct builder *b, const struct event *ev)
{
    struct event_store *s = b->s;
    if (ev->flow_id == NO_ID || (ev->ph != 's' && ev->ph != 'f'))
        return;
    if (s->n_flows >= s->max_rows)
        arena_full();
    s->flows[s->n_flows++] =
        (struct flow){.id = narrow_of(&s->wide, ev->flow_id),
                      .is_start = ev->ph == 's',
                      .lane = (uint32_t)lane_of(b, ev->pid, ev->tid) & INT32_MAX};
}

static void add_label(struct builder *b, const struct event *ev)
{
    struct event_store *s = b->s;
    if (!ev->args.text.raw.p || s->n_labels >= s->max_rows)
        return;
    s->labels[s->n_labels++] =
        (struct lane_label){pool_add(&s->names, ev->pid), pool_add(&s->names, ev->tid),
                            add_string(b, &ev->name), add_string(b, &ev->args.text)};
}

static void add_memory(struct event_store *s, const struct event *ev)
{
    const struct event_args *a = &ev->args;
    if (a->bytes == NO_ID || !ev->has_start || s->n_memory >= s->max_rows)
        return;
    s->memory[s->n_memory++] =
        (struct memory_record){ev->start_ns,      a->bytes,       a->total_allocated,
                               a->total_reserved, a->device_type, a->device_id};
}

static void add(struct builder *b, const struct event *ev)
{
    struct store_census *c = &b->s->census;
    c->by_cat[ev->cat]++;
    if (!ev->ph)
        c->without_phase++;
    else if (ev->ph == 'X' && is_kept(ev->cat))
        add_event(b, ev);
    else if (ev->cat == CAT_LAUNCH_FLOW)
        add_flow(b, ev);
    else if (ev->ph == 'M')
        add_label(b, ev);
    else if (ev->ph == 'i' && str_eq(ev->name.raw, S("[memory]")))
        add_memory(b->s, ev);
}

/* Names of processes and threads; of repeats the last one holds. The name of a process
 * stands on its thread 0. */
static void apply_labels(struct event_store *s)
{
    name_id zero = pool_find(&s->names, S("0"));
    for (int32_t k = 0; k < s->n_labels; k++) {
        const struct lane_label *l = &s->labels[k];
        struct str kind = pool_text(&s->names, l->kind);
        bool name = str_eq(kind, S("process_name")) && l->tid == zero;
        bool label = str_eq(kind, S("process_labels")) && l->tid == zero;
        bool thread = str_eq(kind, S("thread_name"));
        for (int32_t i = 0; i < s->n_lanes && (name || label || thread); i++) {
            struct lane *lane = &s->lanes[i];
            if (lane->pid != l->pid)
                continue;
            if (name)
                lane->process_name = l->text;
            else if (label)
                lane->process_label = l->text;
            else if (lane->tid == l->tid)
                lane->thread_name = l->text;
        }
    }
}

static bool is_utf8(struct str s)
{
    uint64_t word, high = 0;
    for (ptrdiff_t i = 0; i + 8 <= s.n; i += 8) {
        memcpy(&word, s.p + i, 8);
        high |= word;
    }
    for (ptrdiff_t i = s.n & ~7; i < s.n; i++)
        high |= (unsigned char)s.p[i];
    if (!(high & 0x8080808080808080u)) /* all ASCII, as nearly every name is */
        return true;
    while (s.n > 0)
        if (utf8_next(&s) == UTF8_BROKEN)
            return false;
    return true;
}

static void report_progress(const struct store_options *o, const struct event_reader *r,
                            int64_t events)
{
    const struct byte_source *source = reader_source(r);
    int64_t size = source_file_size(source);
    double frac = size > 0 ? (double)source_file_bytes(source) / (double)size : -1.0;
    o->progress(o->progress_context, source_bytes(source), frac, events);
}

bool store_read(struct event_store *s, const char *path, const struct store_options *o,
                struct err *e)
{
    struct event_reader *r;
    *s = (struct event_store){.file = path};
    if (!reader_open(&r, path, o->source, e))
        return false;
    open_columns(s);
    struct builder b = {.s = s, .last_lane = -1};
    pool_open(&b.lane_keys);
    pool_open_large(&b.text_keys);
    struct event ev;
    while (reader_next(r, &ev, e)) {
        add(&b, &ev);
        if (o->progress && ev.uid % PROGRESS_EVENTS == 0)
            report_progress(o, r, ev.uid);
        s->census.n_events = ev.uid + 1;
    }
    struct str header = reader_header(r);
    char *copy = malloc((size_t)header.n + 1);
    if (!copy)
        arena_full();
    memcpy(copy, header.p, (size_t)header.n);
    s->header = (struct str){copy, header.n};
    s->census.unclosed_array = reader_unclosed(r);
    s->trace_bytes = source_bytes(reader_source(r));
    source_digest(reader_source(r), s->sha256);
    apply_labels(s);
    for (int32_t i = 0; i < s->names.n; i++)
        s->census.repaired_names += !is_utf8(s->names.name[i]);
    reader_close(r);
    pool_close(&b.lane_keys);
    pool_close(&b.text_keys);
    free(b.scratch);
    if (e->kind == ERR_NONE)
        return true;
    store_close(s);
    return false;
}
