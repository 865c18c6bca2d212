#include "store/event_store.h"

#include "base/touch_ahead.h"
#include "base/utf8.h"
#include "formats/trace_open.h"
#include "store/row_sequence.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROGRESS_EVENTS = 1 << 14,
    ROWS_FIRST = 1 << 16,
    UID_ROWS = 64,
    NAME_BYTES_MOST = 1 << 16,
    WORD_BITS = 32,   /* of `kept` */
    MACHINE_SHARE = 8 /* of the memory, at most, for what the head of a file says */
};

/* State needed only while reading. */
struct builder {
    struct event_store *s;
    struct name_pool lane_keys; /* "pid\x1ftid" to lane */
    struct name_pool text_keys; /* five name ids to row of texts */
    struct str last_pid, last_tid;
    char last_key[128];
    int32_t last_lane;
    struct row_sequence name_sequence, texts_sequence;
    char *scratch;
    ptrdiff_t scratch_cap;
    int64_t durations_ns; /* of all events that are kept, together */
    int64_t bytes;        /* that they move, and that memory records hold */
    struct counter_reader counters;
    value_decode *decode;
};

/* Limits so that no sum overflows 64 bits: the distance between any two times, and the
 * sum of all durations. The first is 73 years: old traces count from 1970, so it ends
 * in 2043. The second is 36 years. The third is an exbibyte. */
#define START_NS_MOST     ((int64_t)1 << 61)
#define DURATIONS_NS_MOST ((int64_t)1 << 60)
#define BYTES_MOST        ((int64_t)1 << 60)

/* Reserved address space for the rows of each table; memory is used only as they are
 * written. Tables grow one by one: an address space may be limited too. */
#define COLUMN(table, c, n)                                                            \
    {                                                                                  \
        table, offsetof(struct event_store, c), sizeof *((struct event_store *)0)->c,  \
            offsetof(struct event_store, n)                                            \
    }
static const struct column {
    enum store_table table;
    size_t at, row_bytes, n_at;
} columns[] = {
    COLUMN(STORE_EVENTS, start_ns, n),      COLUMN(STORE_EVENTS, dur, n),
    COLUMN(STORE_EVENTS, name, n),          COLUMN(STORE_EVENTS, lane, n),
    COLUMN(STORE_EVENTS, cat, n),           COLUMN(STORE_EVENTS, details, n_details),
    COLUMN(STORE_MORE, more, n_more),       COLUMN(STORE_FLOWS, flows, n_flows),
    COLUMN(STORE_ARROWS, arrows, n_arrows), COLUMN(STORE_EDGES, edges, n_edges),
    COLUMN(STORE_TEXTS, texts, n_texts),    COLUMN(STORE_LANES, lanes, n_lanes),
    COLUMN(STORE_LABELS, labels, n_labels), COLUMN(STORE_MEMORY, memory, n_memory)};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void **column(struct event_store *s, const struct column *c)
{
    return (void **)(void *)((char *)s + c->at); /* a column, so aligned */
}

static int32_t rows_of(struct event_store *s, const struct column *c)
{
    return *(int32_t *)(void *)((char *)s + c->n_at);
}

static ptrdiff_t detail_bytes(int32_t rows)
{
    return BIT_WORDS(rows) * (ptrdiff_t)sizeof(struct bit_rows);
}

static ptrdiff_t uid_bytes(int32_t rows)
{
    return (rows / UID_ROWS + 1) * (ptrdiff_t)sizeof(int32_t);
}

static void grow_table(struct event_store *s, enum store_table table)
{
    int32_t old = s->max_rows[table], rows = old ? 2 * old : ROWS_FIRST;
    if (old > INT32_MAX / 4)
        arena_full();
    for (int k = 0; k < COLUMNS; k++) {
        void **c = column(s, &columns[k]);
        ptrdiff_t row_bytes = (ptrdiff_t)columns[k].row_bytes;
        if (columns[k].table == table)
            *c = pages_grow(*c, old * row_bytes, rows * row_bytes);
    }
    if (table == STORE_EVENTS) {
        s->has_detail =
            pages_grow(s->has_detail, detail_bytes(old), detail_bytes(rows));
        s->uid_at = pages_grow(s->uid_at, uid_bytes(old), uid_bytes(rows));
    }
    s->max_rows[table] = rows;
}

/* Of each column the memory of the rows that come next: they begin behind its own last
 * row, since few events may have details. */
static void touch_rows(struct event_store *s, enum store_table table)
{
    enum { AHEAD_LEAST = 1 << 8, AHEAD_MOST = 1 << 12 };
    int32_t from = s->near_rows[table], left = s->max_rows[table] - from,
            rows = from < AHEAD_LEAST  ? AHEAD_LEAST
                   : from < AHEAD_MOST ? from
                                       : AHEAD_MOST;
    rows = rows < left ? rows : left;
    for (int k = 0; k < COLUMNS; k++) {
        ptrdiff_t row_bytes = (ptrdiff_t)columns[k].row_bytes;
        if (columns[k].table == table)
            touch_pages((char *)*column(s, &columns[k]) +
                            rows_of(s, &columns[k]) * row_bytes,
                        rows * row_bytes);
    }
    s->near_rows[table] += rows;
}

/* Makes room for a row after the last of `n` and returns it. */
static int32_t new_row(struct event_store *s, enum store_table table, int32_t *n)
{
    if (*n == s->near_rows[table]) {
        if (*n == s->max_rows[table])
            grow_table(s, table);
        touch_rows(s, table);
    }
    return (*n)++;
}

static void keep_uid(struct event_store *s, int32_t uid)
{
    while (uid / WORD_BITS >= s->kept_words) {
        ptrdiff_t words = s->kept_words ? 2 * s->kept_words : ROWS_FIRST,
                  word = sizeof *s->kept;
        s->kept = pages_grow(s->kept, s->kept_words * word, words * word);
        s->kept_words = words;
    }
    s->kept[uid / WORD_BITS] |= 1u << uid % WORD_BITS;
}

/* What follows the last row is not to be read. */
static void seal_columns(struct event_store *s)
{
    for (int k = 0; k < COLUMNS; k++) {
        ptrdiff_t row_bytes = (ptrdiff_t)columns[k].row_bytes;
        int32_t rows = rows_of(s, &columns[k]);
        pages_seal(*column(s, &columns[k]), rows * row_bytes,
                   s->max_rows[columns[k].table] * row_bytes);
    }
}

void store_close(struct event_store *s)
{
    for (int k = 0; k < COLUMNS; k++)
        pages_release(*column(s, &columns[k]),
                      s->max_rows[columns[k].table] * (ptrdiff_t)columns[k].row_bytes);
    pages_release(s->has_detail, detail_bytes(s->max_rows[STORE_EVENTS]));
    pages_release(s->uid_at, uid_bytes(s->max_rows[STORE_EVENTS]));
    pages_release(s->kept, s->kept_words * (ptrdiff_t)sizeof *s->kept);
    role_close(&s->roles);
    wide_close(&s->wide);
    counter_samples_close(&s->counters);
    values_close(s->values);
    if (s->machine_start)
        arena_release(s->machine_start, &s->machine_memory);
    pool_close(&s->names);
    *s = (struct event_store){0};
}

ptrdiff_t store_memory_bytes(const struct event_store *s)
{
    size_t row = sizeof *s->start_ns + sizeof *s->dur + sizeof *s->name +
                 sizeof *s->lane + sizeof *s->cat;
    size_t rows =
        (size_t)s->n * row + (size_t)s->n_details * sizeof *s->details +
        (size_t)s->n_more * sizeof *s->more + (size_t)s->wide.n * sizeof *s->wide.at +
        (size_t)s->n_flows * sizeof *s->flows +
        (size_t)(s->n_arrows + s->n_edges) * sizeof *s->arrows +
        (size_t)s->n_texts * sizeof *s->texts + (size_t)s->n_lanes * sizeof *s->lanes +
        (size_t)s->n_labels * sizeof *s->labels +
        (size_t)s->n_memory * sizeof *s->memory;
    size_t bits = (size_t)BIT_WORDS(s->n) * sizeof *s->has_detail +
                  (size_t)s->census.n_events / 8 +
                  (size_t)(s->n / UID_ROWS) * sizeof *s->uid_at;
    return (ptrdiff_t)(rows + bits) + counter_samples_bytes(&s->counters) +
           role_bytes(&s->roles, s->names.n) + pool_memory_bytes(&s->names);
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

int64_t store_comms_sequence(const struct event_store *s, event_id i)
{
    const struct detail_more *m = more_of(s, i);
    return m ? narrow_value(&s->wide, m->comms_sequence) : NO_ID;
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

/* Writes pid and tid to `key` as one text. */
static struct str lane_key(char *key, struct str pid, struct str tid)
{
    memcpy(key, pid.p, (size_t)pid.n);
    key[pid.n] = '\x1f';
    memcpy(key + pid.n + 1, tid.p, (size_t)tid.n);
    return (struct str){key, pid.n + 1 + tid.n};
}

static int32_t find_lane(struct builder *b, struct str pid, struct str tid)
{
    ptrdiff_t n = pid.n + 1 + tid.n;
    bool lasts = n <= (ptrdiff_t)sizeof b->last_key;
    char *key = lasts ? b->last_key : scratch(b, n);
    int32_t lane = pool_add(&b->lane_keys, lane_key(key, pid, tid));
    struct event_store *s = b->s;
    if (lane == s->n_lanes) {
        struct lane new = {pool_add(&s->names, pid), pool_add(&s->names, tid), -1, -1,
                           -1};
        int32_t row = new_row(s, STORE_LANES, &s->n_lanes); /* may move them */
        s->lanes[row] = new;
    }
    b->last_lane = lasts ? lane : -1;
    b->last_pid = (struct str){key, pid.n};
    b->last_tid = (struct str){key + pid.n + 1, tid.n};
    return lane;
}

/* Whether two texts are the same, which are the digits of small numbers: calling memcmp
 * takes longer. */
static bool same_digits(struct str a, struct str b)
{
    if (a.n != b.n)
        return false;
    for (ptrdiff_t i = 0; i < a.n; i++)
        if (a.p[i] != b.p[i])
            return false;
    return true;
}

/* Events of the same lane come in long runs. An event may have no process or thread. */
static inline int32_t lane_of(struct builder *b, struct str pid, struct str tid)
{
    bool again = b->last_lane >= 0 && same_digits(pid, b->last_pid) &&
                 same_digits(tid, b->last_tid);
    return again ? b->last_lane
                 : find_lane(b, pid.p ? pid : S(""), tid.p ? tid : S(""));
}

static name_id add_text(struct event_store *s, struct str text)
{
    return text.n ? pool_add(&s->names, text) : -1;
}

/* A name of more than NAME_BYTES_MOST is cut: it would be repeated in every table. The
 * hash keeps it apart from others that begin like it. */
static name_id add_name(struct builder *b, struct str name)
{
    struct event_store *s = b->s;
    if (name.n <= NAME_BYTES_MOST)
        return pool_add(&s->names, name);
    struct str head = utf8_head(name, NAME_BYTES_MOST);
    char *cut = scratch(b, NAME_BYTES_MOST + 32);
    memcpy(cut, head.p, (size_t)head.n);
    int n = sprintf(cut + head.n, "... %016llx", (unsigned long long)str_hash(name));
    s->census.cut_names++;
    return pool_add(&s->names, (struct str){cut, head.n + n});
}

static name_id add_event_name(struct builder *b, struct str name)
{
    int32_t *next = sequence_next(&b->name_sequence);
    if (*next < 0 || !str_eq(b->s->names.name[*next], name))
        *next = add_name(b, name);
    return b->name_sequence.last = *next;
}

static bool has_texts(const struct event_store *s, int32_t row,
                      const struct event_args *a)
{
    const struct op_texts *t = &s->texts[row];
    const struct name_pool *names = &s->names;
    return str_eq(pool_text(names, t->dims), a->dims) &&
           str_eq(pool_text(names, t->types), a->types) &&
           str_eq(pool_text(names, t->strides), a->strides) &&
           str_eq(pool_text(names, t->concrete), a->concrete) &&
           str_eq(pool_text(names, t->rest), a->rest);
}

static int32_t texts_of(struct builder *b, const struct event_args *a)
{
    struct event_store *s = b->s;
    if (!a->dims.n && !a->types.n && !a->strides.n && !a->concrete.n && !a->rest.n)
        return -1;
    int32_t *next = sequence_next(&b->texts_sequence);
    if (*next >= 0 && has_texts(s, *next, a))
        return b->texts_sequence.last = *next;
    struct op_texts t = {add_text(s, a->dims), add_text(s, a->types),
                         add_text(s, a->strides), add_text(s, a->concrete),
                         add_text(s, a->rest)};
    int32_t row = pool_add(&b->text_keys, (struct str){(const char *)&t, sizeof t});
    if (row == s->n_texts) {
        new_row(s, STORE_TEXTS, &s->n_texts);
        s->texts[row] = t;
    }
    *next = row;
    return b->texts_sequence.last = row;
}

static bool is_kept(enum event_cat cat)
{
    return cat >= CAT_CPU_OP && cat <= CAT_GPU_ANNOTATION;
}

static int32_t more_of_args(struct builder *b, const struct event_args *a)
{
    struct event_store *s = b->s;
    if (a->sequence == NO_ID && a->bytes == NO_ID && a->comms_sequence == NO_ID &&
        !a->call_stack.n)
        return -1;
    int32_t row = new_row(s, STORE_MORE, &s->n_more);
    s->more[row] =
        (struct detail_more){.sequence = narrow_of(&s->wide, a->sequence),
                             .bytes = narrow_of(&s->wide, a->bytes),
                             .comms_sequence = narrow_of(&s->wide, a->comms_sequence),
                             .call_stack = add_text(s, a->call_stack)};
    return row;
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

static bool is_far(int64_t start_ns)
{
    return start_ns < -START_NS_MOST || start_ns > START_NS_MOST;
}

/* Whether so many bytes more, or less, can still be added up; if so, they count. */
static bool fits_bytes(struct builder *b, int64_t bytes)
{
    if (bytes == NO_ID)
        return true;
    if (bytes < -BYTES_MOST || bytes > BYTES_MOST ||
        llabs(bytes) > BYTES_MOST - b->bytes)
        return false;
    b->bytes += llabs(bytes);
    return true;
}

static bool has_role(enum event_cat cat)
{
    return cat_is_runtime(cat) || cat == CAT_MEMCPY;
}

static void add_event(struct builder *b, const struct event *ev)
{
    struct event_store *s = b->s;
    const struct event_args *a = event_args(ev);
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
    if (is_far(ev->start_ns) || ev->dur_ns > DURATIONS_NS_MOST - b->durations_ns ||
        !fits_bytes(b, a->bytes)) {
        s->census.out_of_bounds++;
        return;
    }
    b->durations_ns += ev->dur_ns;
    event_id i = new_row(s, STORE_EVENTS, &s->n);
    s->start_ns[i] = ev->start_ns;
    s->dur[i] = narrow_of(&s->wide, ev->dur_ns);
    s->name[i] = add_event_name(b, ev->name);
    s->lane[i] = lane_of(b, ev->pid, ev->tid);
    s->cat[i] = (uint8_t)ev->cat;
    if (has_role(ev->cat) && !store_role(s, i))
        role_note(&s->roles, s->name[i], ev->role, ev->name);
    keep_uid(s, ev->uid);
    if (i % UID_ROWS == 0)
        s->uid_at[i / UID_ROWS] = ev->uid;
    bit_append(s->has_detail, i, ev->cat != CAT_PYTHON);
    if (ev->cat != CAT_PYTHON)
        s->details[s->n_details++] = detail_of(b, a);
}

static void add_flow(struct builder *b, const struct event *ev)
{
    struct event_store *s = b->s;
    if (ev->flow_id == NO_ID || (ev->ph != 's' && ev->ph != 'f'))
        return;
    int32_t k = new_row(s, STORE_FLOWS, &s->n_flows);
    s->flows[k] =
        (struct flow){.id = narrow_of(&s->wide, ev->flow_id),
                      .is_start = ev->ph == 's',
                      .lane = (uint32_t)lane_of(b, ev->pid, ev->tid) & INT32_MAX};
}

static void add_arrow(struct builder *b, const struct event *ev)
{
    struct event_store *s = b->s;
    bool is_edge = ev->cat == CAT_GRAPH_EDGE;
    if (ev->flow_id == NO_ID || !ev->has_start || is_far(ev->start_ns) ||
        (ev->ph != 's' && ev->ph != 'f'))
        return;
    struct place_arrow a = {.at_ns = ev->start_ns,
                            .id = ev->flow_id,
                            .lane = lane_of(b, ev->pid, ev->tid),
                            .is_start = ev->ph == 's',
                            .of_operator = ev->cat == CAT_OPERATOR_ARROW};
    int32_t k = is_edge ? new_row(s, STORE_EDGES, &s->n_edges)
                        : new_row(s, STORE_ARROWS, &s->n_arrows);
    *(is_edge ? &s->edges[k] : &s->arrows[k]) = a;
}

static void add_label(struct builder *b, const struct event *ev)
{
    struct event_store *s = b->s;
    struct str text = event_args(ev)->text;
    if (!text.p)
        return;
    int32_t k = new_row(s, STORE_LABELS, &s->n_labels);
    s->labels[k] =
        (struct lane_label){pool_add(&s->names, ev->pid), pool_add(&s->names, ev->tid),
                            pool_add(&s->names, ev->name), add_name(b, text)};
}

static bool is_state(int64_t bytes)
{
    return bytes == NO_ID || (bytes >= -BYTES_MOST && bytes <= BYTES_MOST);
}

static void add_memory(struct builder *b, const struct event *ev)
{
    struct event_store *s = b->s;
    const struct event_args *a = event_args(ev);
    if (a->bytes == NO_ID || !ev->has_start)
        return;
    if (is_far(ev->start_ns) || !is_state(a->total_allocated) ||
        !is_state(a->total_reserved) || !fits_bytes(b, a->bytes)) {
        s->census.out_of_bounds++;
        return;
    }
    int32_t k = new_row(s, STORE_MEMORY, &s->n_memory);
    s->memory[k] = (struct memory_record){ev->start_ns,
                                          a->bytes,
                                          a->total_allocated,
                                          a->total_reserved,
                                          a->device_type,
                                          a->device_id,
                                          a->addr,
                                          lane_of(b, ev->pid, ev->tid)};
}

static void add_counter(struct builder *b, const struct event *ev)
{
    struct event_store *s = b->s;
    if (ev->has_start && !is_far(ev->start_ns))
        counter_take(&s->counters, &b->counters, &s->names, ev,
                     lane_of(b, ev->pid, ev->tid), b->decode);
}

/* PyTorch without Kineto writes operators without a category. */
static void count_foreign(struct store_census *c, struct str name)
{
    bool torch = str_starts(name, S("aten::"));
    c->plain_operators += torch;
    c->foreign += !torch;
}

/* By name the first few: a hostile trace has as many as it has events. */
static void count_unknown(struct builder *b, struct str cat)
{
    struct event_store *s = b->s;
    struct store_census *c = &s->census;
    struct unknown_cat *u = c->unknown, *end = u + UNKNOWN_CATS;
    c->n_unknown++;
    while (u < end && u->n && !str_eq(pool_text(&s->names, u->name), cat))
        u++;
    if (u == end)
        return;
    if (!u->n)
        u->name = add_name(b, cat);
    u->n++;
}

static void add(struct builder *b, const struct event *ev)
{
    struct store_census *c = &b->s->census;
    c->by_cat[ev->cat]++;
    if (ev->cat == CAT_OTHER && (ev->ph == 'X' || ev->ph == 'B'))
        count_foreign(c, ev->name);
    if (ev->cat == CAT_OTHER && ev->ph == 'X' && event_args(ev)->text.n)
        count_unknown(b, event_args(ev)->text);
    if (!ev->ph)
        c->without_phase++;
    else if (ev->ph == 'X' && is_kept(ev->cat))
        add_event(b, ev);
    else if (ev->cat == CAT_LAUNCH_FLOW)
        add_flow(b, ev);
    else if (ev->cat == CAT_DEVICE_ARROW || ev->cat == CAT_OPERATOR_ARROW ||
             ev->cat == CAT_GRAPH_EDGE)
        add_arrow(b, ev);
    else if (ev->ph == 'M')
        add_label(b, ev);
    else if (ev->ph == 'i' && str_eq(ev->name, S("[memory]")))
        add_memory(b, ev);
    else if (ev->ph == 'C')
        add_counter(b, ev);
}

static int32_t *ids_by_name(const struct event_store *s)
{
    int32_t *ids = calloc((size_t)s->names.n + 1, sizeof *ids);
    if (!ids)
        arena_full();
    return ids;
}

/* Names of processes and threads; the last one given wins. A process name is stored on
 * its thread 0. */
static void apply_labels(struct builder *b)
{
    struct event_store *s = b->s;
    name_id zero = pool_find(&s->names, S("0"));
    /* By the number of the process; one more than the text, 0: none. */
    int32_t *names = ids_by_name(s), *labels = ids_by_name(s);
    for (int32_t k = 0; k < s->n_labels; k++) {
        const struct lane_label *l = &s->labels[k];
        struct str kind = pool_text(&s->names, l->kind);
        if (str_eq(kind, S("process_name")) && l->tid == zero)
            names[l->pid] = l->text + 1;
        else if (str_eq(kind, S("process_labels")) && l->tid == zero)
            labels[l->pid] = l->text + 1;
        else if (str_eq(kind, S("thread_name"))) {
            struct str pid = pool_text(&s->names, l->pid);
            struct str tid = pool_text(&s->names, l->tid);
            char *key = scratch(b, pid.n + 1 + tid.n);
            int32_t lane = pool_find(&b->lane_keys, lane_key(key, pid, tid));
            if (lane >= 0)
                s->lanes[lane].thread_name = l->text;
        }
    }
    for (int32_t i = 0; i < s->n_lanes; i++) {
        s->lanes[i].process_name = names[s->lanes[i].pid] - 1;
        s->lanes[i].process_label = labels[s->lanes[i].pid] - 1;
    }
    free(names);
    free(labels);
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
    if (!(high & 0x8080808080808080u)) /* ASCII only, like nearly every name */
        return true;
    while (s.n > 0)
        if (utf8_next(&s) == UTF8_BROKEN)
            return false;
    return true;
}

bool store_take(struct event_store *s, struct event_source source,
                const struct store_options *o, struct err *e)
{
    *s = (struct event_store){0};
    for (int k = 0; k < STORE_TABLES; k++)
        grow_table(s, (enum store_table)k);
    s->wide = wide_open(ROWS_FIRST, NO_ID);
    pool_open_large(&s->names);
    struct builder b = {.s = s, .last_lane = -1, .decode = source.decode};
    pool_open(&b.lane_keys);
    pool_open_large(&b.text_keys);
    const struct event *ev;
    while ((ev = source.next(source.state, e))) {
        add(&b, ev);
        if (o->progress && ev->uid % PROGRESS_EVENTS == 0) {
            struct source_progress p = source.progress(source.state);
            o->progress(o->progress_context, p.bytes, p.frac, ev->uid);
        }
    }
    s->machine_memory = arena_reserve(arena_machine_bytes() / MACHINE_SHARE);
    s->machine_start = s->machine_memory.at;
    struct source_end end = source.end(source.state, &s->machine_memory);
    s->machine = end.machine;
    s->abilities = end.abilities ? end.abilities : source.abilities;
    s->census.n_events = end.n_elements;
    s->census.by_cat[CAT_OTHER] += end.n_void;
    s->census.without_phase += end.n_void;
    s->census.unclosed_array = end.unclosed;
    s->census.saw_nan = end.saw_nan;
    s->trace_bytes = end.bytes;
    memcpy(s->sha256, end.sha256, sizeof s->sha256);
    apply_labels(&b);
    for (int32_t i = 0; i < s->names.n; i++)
        s->census.repaired_names += !is_utf8(s->names.name[i]);
    s->values = values_open(&s->names, source.decode);
    s->collective = source.collective;
    source.close(source.state);
    pool_close(&b.lane_keys);
    pool_close(&b.text_keys);
    counter_reader_close(&b.counters);
    free(b.scratch);
    free(b.name_sequence.next);
    free(b.texts_sequence.next);
    seal_columns(s);
    if (e->kind == ERR_NONE)
        return true;
    store_close(s);
    return false;
}

bool store_read(struct event_store *s, const char *path, const struct store_options *o,
                struct err *e)
{
    struct event_source events;
    *s = (struct event_store){.file = path};
    if (!trace_open(&events, path, o->source, e) || !store_take(s, events, o, e))
        return false;
    s->file = path;
    return true;
}

struct call_args store_args(const struct event_store *s, const struct op_texts *t)
{
    if (!t)
        return (struct call_args){0};
    return (struct call_args){store_value(s, t->dims), store_value(s, t->types),
                              store_value(s, t->strides), store_value(s, t->concrete),
                              store_value(s, t->rest)};
}

struct call_args store_args_apart(const struct event_store *s, const struct op_texts *t,
                                  struct arena *a)
{
    struct value_pool *p = s->values;
    if (!t)
        return (struct call_args){0};
    return (struct call_args){values_apart(p, t->dims, a), values_apart(p, t->types, a),
                              values_apart(p, t->strides, a),
                              values_apart(p, t->concrete, a),
                              values_apart(p, t->rest, a)};
}
