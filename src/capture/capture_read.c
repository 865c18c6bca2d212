#include "capture/capture_read.h"

#include "base/arena.h"
#include "capture/capture_lines.h"
#include "capture/capture_tables.h"
#include "trace/json_scan.h"
#include "trace/json_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS_MAX = 64 };

/* What the reader of traces accepts too: sums of two fit. */
static const int64_t TIME_MAX_NS = INT64_C(1) << 61;

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

/* The members of the line, none of them decoded. */
static bool split(struct reader *r, struct str line)
{
    struct json_scan j = {.end = line.p + line.n};
    const char *p = scan_char(&j, line.p, '{', "no object");
    while (p && r->n_sections < SECTIONS_MAX) {
        struct json_string key;
        p = scan_space(p);
        if (*p != '"' || !(p = scan_string(&j, p, &key)) ||
            !(p = scan_char(&j, p, ':', "no ':'")))
            break;
        const char *start = p = scan_space(p);
        if (!(p = scan_value(&j, p)))
            break;
        r->sections[r->n_sections++] = (struct section){key.raw, {start, p - start}};
        p = scan_space(p);
        if (*p == '}') {
            scan_free(&j);
            return true;
        }
        p = scan_char(&j, p, ',', "no ','");
    }
    scan_free(&j);
    return broken(r, "the line", "no JSON object of at most 64 members");
}

static const struct value *section(struct reader *r, const char *key)
{
    for (int i = 0; i < r->n_sections; i++)
        if (str_eq(r->sections[i].key, str_of(key)))
            return json_value(r->perm, r->sections[i].raw);
    return NULL;
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

/* One cell; false: it is not of its kind. */
static bool read_cell(struct reader *r, const struct capture_column *c,
                      const struct value *v, const char *before, char *row)
{
    char *at = row + c->offset;
    int64_t n = 0;
    bool good = true;
    if (c->kind == COLUMN_REAL) {
        *(double *)(void *)at = value_is(v, VALUE_NUMBER) ? v->number : (double)NAN;
        return value_is(v, VALUE_NUMBER) || value_is(v, VALUE_NULL);
    }
    if (c->kind == COLUMN_U64) {
        char digits[17] = "";
        struct str text = value_text(v);
        good = text.n > 0 && text.n < (ptrdiff_t)sizeof digits;
        memcpy(digits, text.p ? text.p : "", good ? (size_t)text.n : 0);
        *(uint64_t *)(void *)at = strtoull(digits, NULL, 16);
        return good;
    }
    switch (c->kind) {
    case COLUMN_I32:
        good = whole(v, INT32_MIN, INT32_MAX, &n);
        *(int32_t *)(void *)at = (int32_t)n;
        break;
    case COLUMN_I64:
        good = whole(v, -TIME_MAX_NS, TIME_MAX_NS, &n);
        *(int64_t *)(void *)at = n;
        break;
    case COLUMN_DELTA:
        good = whole(v, -TIME_MAX_NS, TIME_MAX_NS, &n);
        n += before ? *(const int64_t *)(const void *)(before + c->offset) : 0;
        good = good && llabs(n) <= TIME_MAX_NS;
        *(int64_t *)(void *)at = n;
        break;
    case COLUMN_LENGTH: /* its start is added when all columns are read */
        good = whole(v, 0, TIME_MAX_NS, &n);
        *(int64_t *)(void *)at = n;
        break;
    case COLUMN_BOOL:
        good = whole(v, 0, 1, &n);
        *(bool *)at = n != 0;
        break;
    case COLUMN_ENUM:
        good = whole(v, 0, c->limit - 1, &n);
        *(int *)(void *)at = (int)n;
        break;
    default: /* COLUMN_TEXT, COLUMN_CATEGORY */
        good = whole(v, 0, r->n_strings - 1, &n);
        if (good && c->kind == COLUMN_TEXT)
            *(struct str *)(void *)at = r->strings[n];
        else if (good)
            *(enum work_category *)(void *)at = category_of(r->strings[n]);
    }
    return good;
}

static bool read_column(struct reader *r, const struct capture_table *t,
                        const struct capture_column *c, const struct value *list,
                        char *rows, int32_t n)
{
    if (list && value_count(list) != n)
        return broken(r, t->key, "columns of several lengths");
    for (int32_t i = 0; i < n && list; i++) {
        char *row = rows + i * t->row_bytes;
        if (!read_cell(r, c, value_at(list, i), i ? row - t->row_bytes : NULL, row))
            return broken(r, t->key, c->key);
    }
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
    const struct value *map = section(r, t->key), *lists[CAPTURE_COLUMNS_MAX];
    struct capture_rows to = capture_rows_of(c, id);
    int32_t n = 0;
    for (int k = 0; k < t->n_columns; k++) {
        lists[k] = value_get(map, t->columns[k].key);
        if (lists[k] && value_count(lists[k]) > n)
            n = value_count(lists[k]);
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
        if (!whole(value_get(all, of_all[i].key), -TIME_MAX_NS, TIME_MAX_NS,
                   of_all[i].to))
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
        if (!whole(value_get(window, times[i].key), -TIME_MAX_NS, TIME_MAX_NS,
                   times[i].to))
            *times[i].to = 0;
    c->n_backlog = count_or(value_get(window, "n_backlog"), 0);
}

static bool read_part_list(const struct value *list, int64_t parts_ns[CAPTURE_PARTS])
{
    for (int i = 0; i < CAPTURE_PARTS; i++)
        if (!whole(value_at(list, i), 0, TIME_MAX_NS, &parts_ns[i]))
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
                             struct capture_group *g)
{
    enum { RANKS_MAX = 1 << 20 };
    int32_t *ranks = NULL;
    for (int k = 0; k < value_count(runs); k++) {
        int64_t first, stride, n;
        const struct value *run = value_at(runs, k);
        if (!whole(value_at(run, 0), 0, RANKS_MAX, &first) ||
            !whole(value_at(run, 1), 0, RANKS_MAX, &stride) ||
            !whole(value_at(run, 2), 1, RANKS_MAX - g->n_ranks, &n) ||
            first + stride * (n - 1) > INT32_MAX)
            return broken(r, "groups", "ranks");
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
    if (lists && value_count(lists) != to->n_groups)
        return broken(r, "groups", "columns of several lengths");
    for (int32_t i = 0; i < to->n_groups; i++)
        if (!read_group_ranks(r, value_at(lists, i), &to->groups[i]))
            return false;
    return true;
}

static bool work_fits(struct reader *r, const struct capture *c)
{
    int64_t left_ns = TIME_MAX_NS;
    for (int32_t i = 0; i < c->n_events; i++) {
        const struct capture_event *e = &c->events[i];
        if (e->end_ns - e->start_ns > left_ns)
            return broken(r, "events", "too long in sum");
        left_ns -= e->end_ns - e->start_ns;
        if (e->row < 0 || e->row >= c->n_rows)
            return broken(r, "events", "a row that is not there");
        if (i && e->start_ns < e[-1].start_ns)
            return broken(r, "events", "not by start");
    }
    for (int32_t i = 0; i < c->n_nodes; i++) {
        const struct capture_node *n = &c->nodes[i];
        bool top = i == 0 && n->parent == -1 && n->depth == 0;
        if (!top &&
            (i == 0 || n->parent < 0 || n->parent >= i ||
             n->depth != c->nodes[n->parent].depth + 1 || n->depth > CAPTURE_DEPTH_MAX))
            return broken(r, "paths", "no tree");
    }
    for (int32_t i = 0; i < c->n_rows; i++)
        if (c->rows[i].node < 0 || (c->rows[i].node >= c->n_nodes && c->rows[i].node))
            return broken(r, "operators", "a path that is not there");
    for (int i = 1; i < c->n_steps; i++)
        if (c->steps[i].start_ns < c->steps[i - 1].end_ns)
            return broken(r, "steps", "not one after the other");
    return c->end_ns >= c->start_ns || broken(r, "meta", "window");
}

static bool collectives_fit(struct reader *r, const struct capture_ranks *c)
{
    for (int32_t i = 0; i < c->n_signatures; i++)
        if (c->signatures[i].group < -1 || c->signatures[i].group >= c->n_groups)
            return broken(r, "signatures", "a group that is not there");
    for (int kind = 0; kind < 2; kind++)
        for (int32_t i = 0; i < (kind ? c->n_p2p : c->n_collectives); i++) {
            const struct capture_collective *x = kind ? &c->p2p[i] : &c->collectives[i];
            if (x->signature < 0 || x->signature >= c->n_signatures || x->dur_ns < 0)
                return broken(r, kind ? "p2p" : "collectives",
                              "a signature that is not there, or time below 0");
        }
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
                       t == TABLE_OPERATORS;
        if (!(of_work && wanted == CAPTURE_RANKS_ONLY) &&
            !read_table(r, (enum capture_table_id)t, c))
            return false;
    }
    for (int i = 0; i < c->n_steps; i++)
        c->steps[i].steady = c->steps[i].steady && c->steps[i].kept;
    read_meta(r, c);
    return read_parts(r, c) && read_groups(r, &c->ranks) && work_fits(r, c) &&
           collectives_fit(r, &c->ranks);
}
