#include "capture/capture_read.h"

#include "base/arena.h"
#include "capture/call_durations.h"
#include "capture/capture_fit.h"
#include "capture/capture_tables.h"
#include "trace/byte_source.h"
#include "trace/json_scan.h"
#include "trace/json_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTIONS_MAX = 64 };

/* Rows take two or three times the memory of their text, also without the columns that
 * older versions did not write. A column of zeros and nothing else would take a hundred
 * times as much. */
enum { BYTES_OF_TEXT = 8, BYTES_ANYWAY = 1 << 20 };

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
    ptrdiff_t row_bytes_left; /* that rows may take */
};

struct rows { /* of a table */
    char *first;
    int32_t n;
    ptrdiff_t bytes; /* of each */
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

static bool is_whole(const struct field *f)
{
    return f->kind != FIELD_REAL && f->kind != FIELD_U64;
}

static bool read_other(const struct field *f, const struct value *v, char *at)
{
    if (f->kind == FIELD_REAL) {
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

static bool put_time(const struct field *f, int64_t n, const char *before, char *at)
{
    bool is_time = n >= -CAPTURE_TIME_MAX_NS && n <= CAPTURE_TIME_MAX_NS;
    if (f->unit == FIELD_UNIT_DELTA_NS && before && is_time)
        n += *(const int64_t *)(const void *)before;
    *(int64_t *)(void *)at = n; /* of a span; its begin is added behind all columns */
    return is_time && llabs(n) <= CAPTURE_TIME_MAX_NS &&
           (f->kind != FIELD_SPAN || n >= 0);
}

/* A whole number as the cell of a row; false: it is not of the column's kind. */
static bool put_cell(const struct reader *r, const struct field *f, int64_t n,
                     const char *before, char *at)
{
    bool is_text = n >= 0 && n < r->n_strings;
    switch (f->kind) {
    case FIELD_I64:
    case FIELD_SPAN:
        return put_time(f, n, before, at);
    case FIELD_I32:
        *(int32_t *)(void *)at = (int32_t)n;
        return n >= INT32_MIN && n <= INT32_MAX;
    case FIELD_BOOL:
        *(bool *)at = n != 0;
        return n == 0 || n == 1;
    case FIELD_ENUM: /* the only one that is told by its word is the category */
        *(unsigned *)(void *)at = !f->word  ? (unsigned)n
                                  : is_text ? category_of(r->strings[n])
                                            : 0;
        return f->word ? is_text : n >= 0 && n < f->limit;
    default: /* FIELD_TEXT */
        if (is_text)
            *(struct str *)(void *)at = r->strings[n];
        return is_text;
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
static bool read_whole_column(struct reader *r, const struct field *table,
                              const struct field *f, struct str list,
                              const struct rows *rows)
{
    const char *p = list.p + 1, *before = NULL;
    char *at = rows->first + f->at;
    for (int32_t i = 0; i < rows->n; i++) {
        int64_t value;
        p = scan_whole(scan_space(p), &value);
        if (!p || !put_cell(r, f, value, before, at))
            return broken(r, table->name, f->name);
        p = scan_space(p);
        if (*p++ != (i + 1 < rows->n ? ',' : ']'))
            return broken(r, table->name, "columns of several lengths");
        before = at;
        at += rows->bytes;
    }
    return rows->n > 0 || *scan_space(p) == ']' || broken(r, table->name, f->name);
}

static bool read_column(struct reader *r, const struct field *table,
                        const struct field *f, struct str list, const struct rows *rows)
{
    if (!list.n)
        return true;
    if (is_whole(f))
        return read_whole_column(r, table, f, list, rows);
    const struct value *values = json_value(r->perm, list);
    if (value_count(values) != rows->n)
        return broken(r, table->name, "columns of several lengths");
    for (int32_t i = 0; i < rows->n; i++)
        if (!read_other(f, value_at(values, i), rows->first + i * rows->bytes + f->at))
            return broken(r, table->name, f->name);
    return true;
}

/* Lengths become ends. */
static void add_begins(const struct description *columns, const struct rows *rows)
{
    for (int k = 0; k < columns->n; k++) {
        const struct field *f = &columns->fields[k];
        char *row = rows->first;
        for (int32_t i = 0; f->kind == FIELD_SPAN && i < rows->n; i++) {
            *(int64_t *)(void *)(row + f->at) += *(int64_t *)(void *)(row + f->from);
            row += rows->bytes;
        }
    }
}

static bool read_table(struct reader *r, const struct field *table, struct capture *c)
{
    const struct description *columns = table->item();
    struct section members[SECTIONS_MAX];
    struct str map = raw_of(r->sections, r->n_sections, table->name),
               lists[CAPTURE_COLUMNS_MAX];
    int n_members = map.n ? members_of(map, members, SECTIONS_MAX) : 0;
    struct rows rows = {.bytes = columns->bytes};
    assert(columns->n <= CAPTURE_COLUMNS_MAX);
    for (int k = 0; k < columns->n; k++) {
        lists[k] = raw_of(members, n_members, columns->fields[k].name);
        if (!rows.n && lists[k].n)
            rows.n = count_items(lists[k]);
    }
    if (rows.n > r->row_bytes_left / rows.bytes)
        return broken(r, table->name, "more rows than its columns have values");
    r->row_bytes_left -= rows.n * rows.bytes;
    rows.first = arena_take(r->perm, rows.bytes, 16, rows.n);
    for (int k = 0; k < columns->n; k++)
        if (!read_column(r, table, &columns->fields[k], lists[k], &rows))
            return false;
    add_begins(columns, &rows);
    memcpy((char *)c + table->at, &rows.first, sizeof rows.first);
    memcpy((char *)c + table->from, &rows.n, sizeof rows.n);
    return true;
}

/* A whole number of a member, within what its unit can be; else what means none. */
static int64_t read_number(const struct field *f, const struct value *v)
{
    bool is_time = f->unit == FIELD_UNIT_NS, any = f->unit == FIELD_UNIT_EPOCH_NS;
    int64_t n,
        least = any       ? INT64_MIN
                : is_time ? -CAPTURE_TIME_MAX_NS
                          : 0,
        most = is_time                ? CAPTURE_TIME_MAX_NS
               : f->kind == FIELD_I32 ? INT32_MAX
                                      : INT64_MAX;
    return whole(v, least, most, &n) ? n : f->unit == FIELD_UNIT_KNOWN ? -1 : 0;
}

static void read_members(const struct description *d, const struct value *m, char *to)
{
    for (const struct field *f = d->fields; f < d->fields + d->n; f++) {
        const struct value *v = value_get(m, f->name);
        void *at = to + f->at;
        if (f->kind == FIELD_STRUCT)
            read_members(f->item(), v, at);
        else if (f->kind == FIELD_TEXT)
            *(struct str *)at = value_text(v);
        else if (f->kind == FIELD_BOOL)
            *(bool *)at = value_truth(v);
        else if (f->kind == FIELD_REAL)
            *(double *)at = (double)read_number(f, v);
        else if (f->kind == FIELD_I32)
            *(int32_t *)at = (int32_t)read_number(f, v);
        else
            *(int64_t *)at = read_number(f, v);
    }
}

static bool read_tables(struct reader *r, enum capture_wanted wanted, struct capture *c)
{
    const struct description *file = capture_file_fields();
    for (const struct field *f = file->fields; f < file->fields + file->n; f++) {
        bool of_work = capture_among(f, "events findings gaps histograms operators");
        if (f->kind == FIELD_LIST && !(of_work && wanted == CAPTURE_RANKS_ONLY) &&
            !read_table(r, f, c))
            return false;
    }
    bool silent = !c->ranks.n_collectives && !c->ranks.n_p2p;
    return wanted != CAPTURE_RANKS_ONLY || !silent ||
           read_table(r, field_of(file, "operators"), c);
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
    int32_t *ranks = NULL, room = 0;
    for (int k = 0; k < value_count(runs); k++) {
        int64_t first, stride, n;
        const struct value *run = value_at(runs, k);
        if (!whole(value_at(run, 0), 0, RANKS_MAX, &first) ||
            !whole(value_at(run, 1), 0, RANKS_MAX, &stride) ||
            !whole(value_at(run, 2), 1, *left, &n) ||
            first + stride * (n - 1) > RANKS_MAX)
            return broken(r, "groups", "ranks");
        *left -= n;
        if (g->n_ranks + n > room) {
            int32_t *more;
            room = 2 * g->n_ranks + (int32_t)n;
            more = arena_take_raw(r->perm, sizeof *more, 4, room);
            if (ranks)
                memcpy(more, ranks, (size_t)g->n_ranks * sizeof *more);
            ranks = more;
        }
        for (int64_t i = 0; i < n; i++)
            ranks[g->n_ranks++] = (int32_t)(first + i * stride);
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
    struct reader reader = {.perm = perm,
                            .file = file,
                            .e = e,
                            .row_bytes_left = BYTES_OF_TEXT * line.n + BYTES_ANYWAY},
                  *r = &reader;
    *c = (struct capture){0};
    if (!str_starts(line, S(CAPTURE_FIRST_BYTES)))
        return broken(r, "its first bytes", "not those of one");
    if (!split(r, line) || !read_version(r) || !read_strings(r))
        return false;
    if (!read_tables(r, wanted, c))
        return false;
    for (int i = 0; i < c->n_steps; i++)
        c->steps[i].steady = c->steps[i].steady && c->steps[i].kept;
    read_members(field_of(capture_file_fields(), "meta")->item(), section(r, "meta"),
                 (char *)c);
    if (!read_parts(r, c) || !read_groups(r, &c->ranks))
        return false;
    struct capture_misfit m = capture_misfit_of(c);
    return !m.what || broken(r, m.where, m.what);
}

/* No capture is longer, uncompressed; a file that is none is not read to its end. */
static const ptrdiff_t LINE_BYTES_MAX = 256 << 20;

static const struct source_options LINES = {
    .one_thread = true, .no_digest = true, .by_member = true};

static bool open_lines(struct capture_lines *l, const char *path,
                       struct source_options o, struct err *e)
{
    *l = (struct capture_lines){.file = path, .line_at = -1};
    if (!source_open(&l->source, path, o, e))
        return false;
    out_memory(&l->line);
    return true;
}

bool capture_lines_open(struct capture_lines *l, const char *path, struct err *e)
{
    return open_lines(l, path, LINES, e);
}

bool capture_lines_open_at(struct capture_lines *l, const char *path, int64_t line_at,
                           struct err *e)
{
    struct source_options o = LINES;
    o.from_fd = true;
    o.fd = source_fd(path, LINES, e);
    if (o.fd < 0)
        return false;
    if (lseek(o.fd, line_at, SEEK_SET) != line_at) {
        close(o.fd);
        return err_set(e, ERR_INPUT, path, -1, "cannot be read again: %s",
                       strerror(errno));
    }
    return open_lines(l, path, o, e);
}

/* Captures unpack to 5 to 10 times the size of their file. What unpacks to a thousand
 * times its size was made to fill the memory, in one line or in many. */
static bool is_bloated(const struct capture_lines *l)
{
    enum { TIMES = 200 };
    int64_t packed = source_file_size(l->source);
    return packed >= 0 && l->bytes > TIMES * packed + BYTES_ANYWAY;
}

/* Appends up to the end of the line; true: it has ended. */
static bool take_rest(struct capture_lines *l)
{
    ptrdiff_t n = l->rest_end - l->rest;
    char *end = n ? memchr(l->rest, '\n', (size_t)n) : NULL;
    if (n && !l->line.n)
        l->line_at = l->rest == l->window ? l->member_at : -1;
    out_bytes(&l->line, l->rest, end ? end - l->rest : n);
    l->rest = end ? end + 1 : l->rest_end;
    return end && l->line.n > 0;
}

bool capture_lines_next(struct capture_lines *l, struct str *line, struct err *e)
{
    l->line.n = 0;
    while (!take_rest(l)) {
        if (l->line.n > LINE_BYTES_MAX || is_bloated(l))
            return err_set(e, ERR_INPUT, l->file, -1, "not a capture file: %s",
                           l->line.n > LINE_BYTES_MAX
                               ? "a line of it is too long"
                               : "it unpacks to more than any capture does");
        if (!source_next(l->source, 0, &l->rest, &l->rest_end, e))
            break;
        l->bytes += l->rest_end - l->rest;
        l->window = l->rest;
        l->member_at = source_member_at(l->source);
    }
    if (!l->line.n || e->kind != ERR_NONE)
        return false;
    out_char(&l->line, '\0');
    *line = str_head(out_view(&l->line), l->line.n - 1);
    return true;
}

void capture_lines_close(struct capture_lines *l)
{
    source_close(l->source);
    out_free(&l->line);
}

bool capture_is_file(const char *path)
{
    return source_begins_with(path, S(CAPTURE_FIRST_BYTES));
}
