#include "capture/capture_read.h"

#include "capture/call_durations.h"

#include "base/arena.h"
#include "capture/capture_fit.h"
#include "capture/capture_lines.h"
#include "capture/capture_tables.h"
#include "trace/json_scan.h"
#include "trace/json_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS_MAX = 64 };

struct section {
    struct str key, raw;
};

struct reader {
    struct arena *perm;
    const char *file;
    struct err *e;
    struct section sections[SECTIONS_MAX];
    int n_sections;
    struct str *strings;
    int32_t n_strings;
};

static bool broken(struct reader *r, const char *where, const char *what)
{
    return err_set(r->e, ERR_INPUT, r->file, -1, "not a capture file: %s: %s", where,
                   what);
}

/* A list of numbers, which is most of a capture, is passed over: whoever needs it reads
 * it. NULL: it is another value. */
static const char *skip_numbers(const struct json_scan *j, const char *p)
{
    const char *end = *p == '[' ? memchr(p, ']', (size_t)(j->end - p)) : NULL;
    size_t n = end ? (size_t)(end - p) - 1 : 0;
    if (!end || memchr(p + 1, '"', n) || memchr(p + 1, '[', n) || memchr(p + 1, '{', n))
        return NULL;
    return end + 1;
}

/* Behind a value of a member; the lists of a table are passed over too. */
static const char *skip_value(struct json_scan *j, const char *p)
{
    struct json_string key;
    const char *after = skip_numbers(j, p), *at = *p == '{' ? p : NULL;
    while (at && (*at == '{' || *at == ',')) {
        at = scan_space(at + 1);
        at = *at == '"' ? scan_string(j, at, &key) : NULL;
        at = at ? scan_char(j, at, ':', "no ':'") : NULL;
        at = at ? skip_numbers(j, scan_space(at)) : NULL;
        at = at ? scan_space(at) : NULL;
    }
    if (at && *at == '}')
        return at + 1;
    return after ? after : scan_value(j, p);
}

/* The members of an object, none of them decoded; -1: it is none, or has too many. */
static int members_of(struct str object, struct section *to, int most)
{
    struct json_scan j = {.end = object.p + object.n};
    const char *p = scan_char(&j, object.p, '{', "no object");
    int n = 0;
    bool ended = p && *(p = scan_space(p)) == '}';
    while (p && !ended && n < most) {
        struct json_string key;
        p = scan_space(p);
        if (*p != '"' || !(p = scan_string(&j, p, &key)) ||
            !(p = scan_char(&j, p, ':', "no ':'")))
            break;
        const char *start = p = scan_space(p);
        if (!(p = skip_value(&j, p)))
            break;
        to[n++] = (struct section){key.raw, {start, p - start}};
        p = scan_space(p);
        ended = *p == '}';
        if (!ended)
            p = scan_char(&j, p, ',', "no ','");
    }
    scan_free(&j);
    return ended ? n : -1;
}

static bool split(struct reader *r, struct str line)
{
    r->n_sections = members_of(line, r->sections, SECTIONS_MAX);
    return r->n_sections > 0 ||
           broken(r, "the line", "no JSON object of at most 64 members");
}

static struct str raw_of(const struct section *in, int n, const char *key)
{
    for (int i = 0; i < n; i++)
        if (str_eq(in[i].key, str_of(key)))
            return in[i].raw;
    return (struct str){0};
}

static const struct value *section(struct reader *r, const char *key)
{
    struct str raw = raw_of(r->sections, r->n_sections, key);
    return raw.n ? json_value(r->perm, raw) : NULL;
}

static bool whole(const struct value *v, int64_t least, int64_t most, int64_t *n)
{
    if (!value_is(v, VALUE_NUMBER) || !str_int((struct str){v->text, v->n}, n))
        return false;
    return *n >= least && *n <= most;
}

static bool read_strings(struct reader *r)
{
    const struct value *list = section(r, "strings");
    r->n_strings = value_count(list);
    r->strings = arena_new(r->perm, struct str, r->n_strings);
    for (int32_t i = 0; i < r->n_strings; i++)
        r->strings[i] = value_text(value_at(list, i));
    return true;
}

static enum work_category category_of(struct str name)
{
    for (int c = 0; c < WORK_CATEGORIES; c++)
        if (str_eq(work_category_name((enum work_category)c), name))
            return (enum work_category)c;
    return WORK_OTHER;
}

static bool is_whole(enum column_kind k)
{
    return k != COLUMN_REAL && k != COLUMN_U64;
}

static bool read_other(const struct capture_column *c, const struct value *v, char *at)
{
    if (c->kind == COLUMN_REAL) {
        *(double *)(void *)at = value_is(v, VALUE_NUMBER) ? v->number : (double)NAN;
        return value_is(v, VALUE_NUMBER) || value_is(v, VALUE_NULL);
    }
    char digits[17] = "";
    struct str text = value_text(v);
    bool good = text.n > 0 && text.n < (ptrdiff_t)sizeof digits;
    memcpy(digits, text.p ? text.p : "", good ? (size_t)text.n : 0);
    *(uint64_t *)(void *)at = strtoull(digits, NULL, 16);
    return good;
}

/* A whole number as the cell of a row; false: it is not of the column's kind. */
static bool put_cell(const struct reader *r, const struct capture_column *c, int64_t n,
                     const char *before, char *at)
{
    bool is_time = n >= -CAPTURE_TIME_MAX_NS && n <= CAPTURE_TIME_MAX_NS;
    switch (c->kind) {
    case COLUMN_I32:
        *(int32_t *)(void *)at = (int32_t)n;
        return n >= INT32_MIN && n <= INT32_MAX;
    case COLUMN_I64:
        *(int64_t *)(void *)at = n;
        return is_time;
    case COLUMN_DELTA:
        n += before && is_time ? *(const int64_t *)(const void *)before : 0;
        *(int64_t *)(void *)at = n;
        return is_time && llabs(n) <= CAPTURE_TIME_MAX_NS;
    case COLUMN_LENGTH: /* its start is added when all columns are read */
        *(int64_t *)(void *)at = n;
        return is_time && n >= 0;
    case COLUMN_BOOL:
        *(bool *)at = n != 0;
        return n == 0 || n == 1;
    case COLUMN_ENUM:
        *(int *)(void *)at = (int)n;
        return n >= 0 && n < c->limit;
    default: /* COLUMN_TEXT, COLUMN_CATEGORY */
        if (n < 0 || n >= r->n_strings)
            return false;
        if (c->kind == COLUMN_TEXT)
            *(struct str *)(void *)at = r->strings[n];
        else
            *(enum work_category *)(void *)at = category_of(r->strings[n]);
        return true;
    }
}

/* The items of a list without lists in it. */
static int32_t count_items(struct str list)
{
    ptrdiff_t n = 0;
    if (!list.n || list.p[0] != '[' || *scan_space(list.p + 1) == ']')
        return 0;
    for (ptrdiff_t i = 0; i < list.n; i++)
        n += list.p[i] == ',';
    return n < INT32_MAX ? (int32_t)n + 1 : 0;
}

/* Behind the digits; NULL: no whole number of 64 bits. */
static const char *scan_whole(const char *p, int64_t *to)
{
    enum { DIGITS_MAX = 19 };
    bool minus = *p == '-';
    const char *start = p += minus;
    uint64_t n = 0;
    while (*p >= '0' && *p <= '9' && p - start < DIGITS_MAX)
        n = 10 * n + (uint64_t)(*p++ - '0');
    bool padded = *start == '0' && p - start > 1;
    if (p == start || n > INT64_MAX || padded)
        return NULL;
    *to = minus ? -(int64_t)n : (int64_t)n;
    return p;
}

/* Most of a capture: read as it is, without a tree of values. */
static bool read_whole_column(struct reader *r, const struct capture_table *t,
                              const struct capture_column *c, struct str list,
                              char *rows, int32_t n)
{
    const char *p = list.p + 1, *before = NULL;
    char *at = rows + c->offset;
    for (int32_t i = 0; i < n; i++) {
        int64_t value;
        p = scan_whole(scan_space(p), &value);
        if (!p || !put_cell(r, c, value, before, at))
            return broken(r, t->key, c->key);
        p = scan_space(p);
        if (*p++ != (i + 1 < n ? ',' : ']'))
            return broken(r, t->key, "columns of several lengths");
        before = at;
        at += t->row_bytes;
    }
    return n > 0 || *scan_space(p) == ']' || broken(r, t->key, c->key);
}

static bool read_column(struct reader *r, const struct capture_table *t,
                        const struct capture_column *c, struct str list, char *rows,
                        int32_t n)
{
    if (!list.n)
        return true;
    if (is_whole(c->kind))
        return read_whole_column(r, t, c, list, rows, n);
    const struct value *values = json_value(r->perm, list);
    if (value_count(values) != n)
        return broken(r, t->key, "columns of several lengths");
    for (int32_t i = 0; i < n; i++)
        if (!read_other(c, value_at(values, i), rows + i * t->row_bytes + c->offset))
            return broken(r, t->key, c->key);
    return true;
}

/* Lengths become ends. */
static void add_starts(const struct capture_table *t, char *rows, int32_t n)
{
    for (int k = 0; k < t->n_columns; k++)
        for (int32_t i = 0; t->columns[k].kind == COLUMN_LENGTH && i < n; i++) {
            int64_t *end =
                (int64_t *)(void *)(rows + i * t->row_bytes + t->columns[k].offset);
            *end += end[-1];
        }
}

static bool read_table(struct reader *r, enum capture_table_id id, struct capture *c)
{
    const struct capture_table *t = &capture_tables[id];
    struct section members[SECTIONS_MAX];
    struct str map = raw_of(r->sections, r->n_sections, t->key),
               lists[CAPTURE_COLUMNS_MAX];
    struct capture_rows to = capture_rows_of(c, id);
    int n_members = map.n ? members_of(map, members, SECTIONS_MAX) : 0;
    int32_t n = 0;
    for (int k = 0; k < t->n_columns; k++) {
        lists[k] = raw_of(members, n_members, t->columns[k].key);
        if (!n && lists[k].n)
            n = count_items(lists[k]);
    }
    char *rows = arena_take(r->perm, t->row_bytes, 16, n);
    for (int k = 0; k < t->n_columns; k++)
        if (!read_column(r, t, &t->columns[k], lists[k], rows, n))
            return false;
    add_starts(t, rows, n);
    memcpy(to.list, &rows, sizeof rows);
    *to.n = n;
    return true;
}

static int64_t int_or(const struct value *v, int64_t least, int64_t otherwise)
{
    int64_t n;
    return whole(v, least, INT64_MAX, &n) ? n : otherwise;
}

/* A count, or the value for none. */
static int count_or(const struct value *v, int otherwise)
{
    int64_t n = int_or(v, 0, otherwise);
    return n <= INT32_MAX ? (int)n : otherwise;
}

static void read_meta(struct reader *r, struct capture *c)
{
    const struct value *m = section(r, "meta"), *window = value_get(m, "window");
    struct capture_origin *o = &c->origin;
    o->tool = value_text(value_get(m, "tool"));
    o->file = value_text(value_get(m, "file"));
    o->sha256 = value_text(value_get(m, "sha256"));
    o->platform = value_text(value_get(m, "platform"));
    o->device.name = value_text(value_get(m, "device"));
    o->device.bytes = (double)int_or(value_get(m, "device_bytes"), 0, 0);
    o->device.compute_units = count_or(value_get(m, "compute_units"), 0);
    o->bytes = int_or(value_get(m, "bytes"), 0, -1);
    o->base_ns = int_or(value_get(m, "base_ns"), INT64_MIN, 0);
    o->trace_base_ns = int_or(value_get(m, "trace_base_ns"), INT64_MIN, 0);
    c->ranks.rank = count_or(value_get(m, "rank"), -1);
    c->ranks.world_size = count_or(value_get(m, "world_size"), -1);
    c->ranks.backend = value_text(value_get(m, "backend"));
    c->ranks.library = value_text(value_get(m, "library"));
    c->ranks.host = value_text(value_get(m, "host"));
    c->ranks.folder = value_text(value_get(m, "folder"));
    c->ranks.n_devices = (int)int_or(value_get(m, "n_devices"), 0, 0);
    c->ranks.is_merged = value_truth(value_get(m, "is_merged"));
    c->ranks.kernel_ns = int_or(value_get(m, "kernel_ns"), 0, 0);
    c->has_shapes = value_truth(value_get(m, "has_shapes"));
    c->has_stacks = value_truth(value_get(m, "has_stacks"));
    c->has_operators = value_truth(value_get(m, "has_operators"));
    const struct value *all = value_get(m, "recording");
    struct capture_ranks *ranks = &c->ranks;
    const struct {
        const char *key;
        int64_t *to;
    } of_all[] = {{"start_ns", &ranks->start_ns},
                  {"end_ns", &ranks->end_ns},
                  {"computation_ns", &ranks->computation_ns},
                  {"exposed_communication_ns", &ranks->exposed_comm_ns},
                  {"exposed_copy_ns", &ranks->exposed_copy_ns},
                  {"idle_ns", &ranks->idle_ns}};
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
        if (!whole(value_get(all, of_all[i].key), -CAPTURE_TIME_MAX_NS,
                   CAPTURE_TIME_MAX_NS, of_all[i].to))
            *of_all[i].to = 0;
    const struct {
        const char *key;
        int64_t *to;
    } times[] = {{"start_ns", &c->start_ns},
                 {"end_ns", &c->end_ns},
                 {"computation_ns", &c->computation_ns},
                 {"exposed_communication_ns", &c->exposed_comm_ns},
                 {"exposed_copy_ns", &c->exposed_copy_ns},
                 {"idle_ns", &c->idle_ns},
                 {"backlog_ns", &c->backlog_ns},
                 {"unlinked_ns", &c->unlinked_ns}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (!whole(value_get(window, times[i].key), -CAPTURE_TIME_MAX_NS,
                   CAPTURE_TIME_MAX_NS, times[i].to))
            *times[i].to = 0;
    c->n_backlog = count_or(value_get(window, "n_backlog"), 0);
}

static bool read_part_list(const struct value *list, int64_t parts_ns[CAPTURE_PARTS])
{
    for (int i = 0; i < CAPTURE_PARTS; i++)
        if (!whole(value_at(list, i), 0, CAPTURE_TIME_MAX_NS, &parts_ns[i]))
            return false;
    return true;
}

static bool read_parts(struct reader *r, struct capture *c)
{
    const struct value *m = section(r, "parts"), *names = value_get(m, "names"),
                       *steps = value_get(m, "steps");
    if (!m)
        return true;
    bool good = value_count(names) == CAPTURE_PARTS &&
                value_count(steps) == c->n_steps &&
                read_part_list(value_get(m, "window"), c->parts_ns);
    for (int i = 0; good && i < CAPTURE_PARTS; i++)
        good = str_eq(value_text(value_at(names, i)), capture_part_name(i));
    for (int i = 0; good && i < c->n_steps; i++)
        good = read_part_list(value_at(steps, i), c->steps[i].parts_ns);
    c->has_parts = good;
    return good || broken(r, "parts", "not those of its steps");
}

/* Ranks as runs of a first, a stride and a number. */
static bool read_group_ranks(struct reader *r, const struct value *runs,
                             struct capture_group *g, int64_t *left)
{
    enum { RANKS_MAX = 1 << 20 };
    int32_t *ranks = NULL;
    for (int k = 0; k < value_count(runs); k++) {
        int64_t first, stride, n;
        const struct value *run = value_at(runs, k);
        if (!whole(value_at(run, 0), 0, RANKS_MAX, &first) ||
            !whole(value_at(run, 1), 0, RANKS_MAX, &stride) ||
            !whole(value_at(run, 2), 1, *left, &n) ||
            first + stride * (n - 1) > RANKS_MAX)
            return broken(r, "groups", "ranks");
        *left -= n;
        for (int64_t i = 0; i < n; i++) {
            arena_grow(r->perm, ranks, g->n_ranks);
            ranks[g->n_ranks++] = (int32_t)(first + i * stride);
        }
    }
    g->ranks = ranks;
    return true;
}

static bool read_groups(struct reader *r, struct capture_ranks *to)
{
    const struct value *lists = value_get(section(r, "groups"), "ranks");
    int64_t left = 1 << 24; /* ranks of all groups: lists are shorter than they are */
    if (lists && value_count(lists) != to->n_groups)
        return broken(r, "groups", "columns of several lengths");
    for (int32_t i = 0; i < to->n_groups; i++)
        if (!read_group_ranks(r, value_at(lists, i), &to->groups[i], &left))
            return false;
    return true;
}

static bool read_version(struct reader *r)
{
    int64_t version;
    if (!whole(section(r, "_version"), 1, INT32_MAX, &version))
        return broken(r, "_version", "none");
    return version <= CAPTURE_VERSION ||
           err_set(r->e, ERR_INPUT, r->file, -1,
                   "a capture of version %lld; this tracefolio reads up to version %d: "
                   "use the one that wrote it, or a newer one",
                   (long long)version, CAPTURE_VERSION);
}

bool capture_read(struct arena *perm, struct str line, enum capture_wanted wanted,
                  const char *file, struct capture *c, struct err *e)
{
    struct reader reader = {.perm = perm, .file = file, .e = e}, *r = &reader;
    *c = (struct capture){0};
    if (!str_starts(line, S(CAPTURE_FIRST_BYTES)))
        return broken(r, "its first bytes", "not those of one");
    if (!split(r, line) || !read_version(r) || !read_strings(r))
        return false;
    for (int t = 0; t < CAPTURE_TABLES; t++) {
        bool of_work = t == TABLE_EVENTS || t == TABLE_FINDINGS || t == TABLE_GAPS ||
                       t == TABLE_HISTOGRAMS || t == TABLE_OPERATORS;
        if (!(of_work && wanted == CAPTURE_RANKS_ONLY) &&
            !read_table(r, (enum capture_table_id)t, c))
            return false;
    }
    bool silent = !c->ranks.n_collectives && !c->ranks.n_p2p;
    if (wanted == CAPTURE_RANKS_ONLY && silent && !read_table(r, TABLE_OPERATORS, c))
        return false;
    for (int i = 0; i < c->n_steps; i++)
        c->steps[i].steady = c->steps[i].steady && c->steps[i].kept;
    read_meta(r, c);
    if (!read_parts(r, c) || !read_groups(r, &c->ranks))
        return false;
    struct capture_misfit m = capture_misfit_of(c);
    return !m.what || broken(r, m.where, m.what);
}
