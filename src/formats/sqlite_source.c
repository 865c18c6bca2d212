#include "formats/sqlite_source.h"

#include "trace/json_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sqlite_source_open(struct sqlite_source **out, const char *path,
                        const struct trace_file *f, struct err *e)
{
    struct sqlite_source *s = calloc(1, sizeof *s);
    if (!s)
        arena_full();
    s->from = *f;
    if (!sqlite_file_open(&s->file, path, f, e)) {
        free(s);
        return false;
    }
    s->perm = arena_reserve(arena_machine_bytes() / 4);
    s->perm_start = s->perm.at;
    s->machine = no_machine;
    out_memory(&s->name);
    out_memory(&s->rest);
    *out = s;
    return true;
}

void sqlite_source_close(struct sqlite_source *s)
{
    sqlite_done(s->rows);
    sqlite_file_close(&s->file);
    out_free(&s->name);
    out_free(&s->rest);
    arena_release(s->perm_start, &s->perm);
    free(s);
}

struct sqlite3_stmt *sqlite_rows_of(struct sqlite_source *s, const char *table,
                                    const char *columns, struct err *e)
{
    const char *full = sqlite_table(&s->file, &s->perm, table);
    return full ? sqlite_select(&s->file, full, columns, NULL, 0, e) : NULL;
}

static int64_t id_of(const struct sqlite_rows *rows, ptrdiff_t at)
{
    return rows->value[at * (rows->width + 1)];
}

/* A number and what belongs to it; returns where the values are to be. */
static int64_t *add_row(struct arena *perm, struct sqlite_rows *rows, int64_t id)
{
    ptrdiff_t begin = (ptrdiff_t)rows->n * (rows->width + 1);
    if (!rows->n)
        rows->later = int_map_make(perm, 0);
    for (int i = 0; i <= rows->width; i++)
        arena_grow(perm, rows->value, begin + i);
    rows->value[begin] = id;
    if (rows->n_rising == rows->n && (!rows->n || id_of(rows, rows->n - 1) < id))
        rows->n_rising++;
    else
        *int_map_at(&rows->later, perm, id) = rows->n;
    rows->n++;
    return &rows->value[begin + 1];
}

/* Where numbers follow each other without gaps, the first guess is the row. */
static int32_t rising_row(const struct sqlite_rows *rows, int64_t id)
{
    int32_t low = 0, high = rows->n_rising;
    if (!high || id < id_of(rows, 0) || id > id_of(rows, high - 1))
        return -1;
    uint64_t guess = (uint64_t)id - (uint64_t)id_of(rows, 0);
    if (guess < (uint64_t)high && id_of(rows, (ptrdiff_t)guess) == id)
        return (int32_t)guess;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (id_of(rows, middle) <= id)
            low = middle;
        else
            high = middle;
    }
    return id_of(rows, low) == id ? low : -1;
}

int32_t sqlite_row_at(const struct sqlite_rows *rows, int64_t id)
{
    int32_t later = id == NO_ID || !rows->later.n ? -1 : int_map_get(&rows->later, id);
    return id == NO_ID || later >= 0 ? later : rising_row(rows, id);
}

int64_t *sqlite_row_add(struct sqlite_source *s, struct sqlite_rows *rows, int64_t id)
{
    return add_row(&s->perm, rows, id);
}

void sqlite_text_add(struct sqlite_source *s, struct sqlite_texts *to, int64_t id,
                     struct str text)
{
    if (to->rows.n == INT32_MAX / 2)
        return;
    arena_grow(&s->perm, to->text, to->rows.n);
    to->text[to->rows.n] = str_copy(&s->perm, text);
    add_row(&s->perm, &to->rows, id);
}

bool sqlite_texts_read(struct sqlite_source *s, struct sqlite_texts *to,
                       const char *table, const char *columns, struct err *e)
{
    struct sqlite3_stmt *r = sqlite_rows_of(s, table, columns, e);
    while (sqlite_step(&s->file, r, e))
        sqlite_text_add(s, to, sqlite_int(r, 0), sqlite_text(r, 1));
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

struct str sqlite_text_of(const struct sqlite_texts *texts, int64_t id)
{
    int32_t at = sqlite_row_at(&texts->rows, id);
    return at < 0 ? S("") : texts->text[at];
}

bool sqlite_rows_read(struct sqlite_source *s, struct sqlite_rows *to,
                      const char *table, const char *columns, int n, struct err *e)
{
    struct sqlite3_stmt *r = sqlite_rows_of(s, table, columns, e);
    to->width = n;
    while (to->n < INT32_MAX / 2 && sqlite_step(&s->file, r, e)) {
        int64_t *value = add_row(&s->perm, to, sqlite_int(r, 0));
        for (int i = 0; i < n; i++)
            value[i] = sqlite_int(r, i + 1);
    }
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

const int64_t *sqlite_row_of(const struct sqlite_rows *rows, int64_t id)
{
    int32_t at = sqlite_row_at(rows, id);
    return at < 0 ? NULL : rows->value + (ptrdiff_t)at * (rows->width + 1) + 1;
}

int64_t sqlite_value_of(const struct sqlite_rows *rows, int64_t id)
{
    const int64_t *row = sqlite_row_of(rows, id);
    return row ? row[0] : NO_ID;
}

void sqlite_part_add(struct sqlite_source *s, int64_t id, int64_t process,
                     int64_t device)
{
    int at = s->last_part;
    if (at >= s->n_parts || s->parts[at].id != id)
        for (at = 0; at < s->n_parts && s->parts[at].id != id;)
            at++;
    if (at == SQLITE_PARTS_MOST)
        return;
    s->last_part = at;
    if (at == s->n_parts) {
        arena_grow(&s->perm, s->parts, s->n_parts);
        s->parts[s->n_parts++] = (struct sqlite_part){id, process, device};
    } else if (device < s->parts[at].device) {
        s->parts[at].device = device;
    }
}

static int by_device(const void *a, const void *b)
{
    const struct sqlite_part *x = a, *y = b;
    return x->device != y->device ? (x->device > y->device) - (x->device < y->device)
                                  : (x->id > y->id) - (x->id < y->id);
}

bool sqlite_part_choose(struct sqlite_source *s, const char *asked, struct err *e)
{
    struct str text = str_of(asked ? asked : "rank=0"), mark = S("rank=");
    int64_t n = -1;
    if (s->n_parts)
        qsort(s->parts, (size_t)s->n_parts, sizeof *s->parts, by_device);
    if (!s->n_parts && asked)
        return err_set(e, ERR_INPUT, s->file.path, -1,
                       "holds no process with device work, so no rank %.20s", asked);
    if (!str_starts(text, mark) || !str_int(str_skip(text, mark.n), &n) || n < 0 ||
        (s->n_parts && n >= s->n_parts))
        return err_set(e, ERR_INPUT, s->file.path, -1,
                       "holds %d %s with device work: name one as FILE:rank=0 to "
                       "FILE:rank=%d",
                       s->n_parts, s->n_parts == 1 ? "process" : "processes",
                       s->n_parts - 1);
    s->part = (int)n;
    s->machine.n_parts = s->n_parts;
    if (s->n_parts > 1) {
        s->machine.rank = (int)n;
        s->machine.world_size = s->n_parts;
        s->machine.part =
            str_printf(&s->perm, "process %lld, GPU %lld",
                       (long long)s->parts[n].process, (long long)s->parts[n].device);
    }
    return true;
}

void sqlite_span(struct event *ev, int64_t start_ns, int64_t end_ns)
{
    ev->ph = 'X';
    ev->start_ns = start_ns;
    ev->has_start = start_ns != NO_ID;
    ev->has_dur = ev->has_start && end_ns != NO_ID;
    if (!ev->has_dur || __builtin_sub_overflow(end_ns, start_ns, &ev->dur_ns))
        ev->dur_ns = -1;
}

/* Most events are of the same thread or stream as the last. */
static struct str digits_of(struct last_digits *d, int64_t number)
{
    if (!d->n || d->number != number) {
        d->n = snprintf(d->text, sizeof d->text, "%lld", (long long)number);
        d->number = number;
    }
    return (struct str){d->text, d->n};
}

void sqlite_lane(struct sqlite_source *s, struct event *ev, int64_t pid, int64_t tid)
{
    ev->pid = digits_of(&s->pid, pid);
    ev->tid = digits_of(&s->tid, tid);
}

bool sqlite_is_of_part(const struct sqlite_source *s, int64_t process, int64_t device)
{
    const struct sqlite_part *p = &s->parts[s->part];
    return s->n_parts < 2 || process == p->id ||
           (process == NO_ID && device == p->device);
}

void sqlite_put_grid(struct sqlite_source *s, struct event *ev, const int64_t *grid)
{
    if (!grid)
        return;
    for (int i = 0; i < 6; i++) {
        if (i % 3)
            out_char(&s->rest, ',');
        else if (i)
            out_lit(&s->rest, "],\"block\":[");
        else
            out_lit(&s->rest, "{\"grid\":[");
        out_i64(&s->rest, grid[i]);
    }
    out_lit(&s->rest, "]}");
    event_args_set(ev)->rest = out_view(&s->rest);
}

bool sqlite_counter(struct sqlite_source *s, struct event *ev, int64_t at_ns,
                    int64_t device, struct str name, struct str number)
{
    char text[32], *end;
    if (!number.n || number.n >= (ptrdiff_t)sizeof text || at_ns == NO_ID)
        return false;
    memcpy(text, number.p, (size_t)number.n);
    text[number.n] = '\0';
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return false;
    sqlite_lane(s, ev, device, 0);
    ev->ph = 'C';
    ev->start_ns = at_ns;
    ev->has_start = true;
    ev->name = name;
    out_printf(&s->rest, "{\"\":%.17g}", value);
    event_args_set(ev)->rest = out_view(&s->rest);
    return true;
}

/* The next table that is there. */
static bool open_feed(struct sqlite_source *s, struct err *e)
{
    while (s->feed < s->n_feeds && e->kind == ERR_NONE) {
        const struct sqlite_feed *f = &s->feeds[s->feed];
        const char *table = sqlite_table(&s->file, &s->perm, f->table);
        const char *where = s->n_parts ? f->where : NULL;
        int64_t id = s->n_parts ? s->parts[s->part].id : 0;
        if (table &&
            (s->rows = sqlite_select(&s->file, table, f->columns, where, id, e)))
            return true;
        s->feed++;
    }
    return false;
}

static struct event *next(void *state, struct err *e)
{
    struct sqlite_source *s = state;
    while (e->kind == ERR_NONE && (s->rows || open_feed(s, e))) {
        if (!sqlite_step(&s->file, s->rows, e)) {
            sqlite_done(s->rows);
            s->rows = NULL;
            s->feed++;
            continue;
        }
        if (s->uid == INT32_MAX) {
            err_set(e, ERR_INPUT, s->file.path, -1,
                    "more than %d rows, which is the limit; record a shorter trace",
                    INT32_MAX);
            break;
        }
        event_clear(&s->event);
        s->event.uid = s->uid++;
        s->name.n = s->rest.n = 0;
        if (s->feeds[s->feed].row(s, s->rows, &s->event))
            return &s->event;
    }
    return NULL;
}

static struct source_progress progress(void *state)
{
    const struct sqlite_source *s = state;
    return (struct source_progress){s->from.bytes, (double)s->feed / s->n_feeds};
}

/* Its texts, where the caller wants them. */
static struct source_end end(void *state, struct arena *perm)
{
    struct sqlite_source *s = state;
    struct source_end end = {
        .machine = s->machine, .n_elements = s->uid, .bytes = s->from.bytes};
    struct machine_device *d =
        arena_new(perm, struct machine_device, s->machine.n_devices);
    for (int i = 0; i < s->machine.n_devices; i++) {
        d[i] = s->machine.devices[i];
        d[i].name = str_copy(perm, d[i].name);
    }
    end.machine.devices = d;
    end.machine.host = str_copy(perm, s->machine.host);
    end.machine.part = str_copy(perm, s->machine.part);
    end.machine.driver = str_copy(perm, s->machine.driver);
    end.machine.runtime = str_copy(perm, s->machine.runtime);
    for (int i = 0; i < s->machine.n_versions; i++)
        end.machine.versions[i].text = str_copy(perm, s->machine.versions[i].text);
    memcpy(end.sha256, s->from.sha256, sizeof end.sha256);
    return end;
}

static void close_source(void *state)
{
    sqlite_source_close(state);
}

struct event_source sqlite_source_events(struct sqlite_source *s,
                                         const struct sqlite_feed *feeds, int n,
                                         const struct source_abilities *abilities)
{
    s->feeds = feeds;
    s->n_feeds = n;
    return (struct event_source){s,   next,         json_value, progress,
                                 end, close_source, abilities,  NULL};
}
