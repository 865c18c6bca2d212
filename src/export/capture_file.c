#include "export/capture_file.h"

#include "base/deflate.h"
#include "base/name_pool.h"
#include "base/out.h"
#include "base/place_file.h"
#include "capture/capture_lines.h"
#include "capture/capture_tables.h"
#include "export/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A larger one is none. */
static const double DEVICE_BYTES_MAX = 1e18;

struct writer {
    struct out *o;
    const struct capture *c;
    struct name_pool strings;
    bool first; /* member of the object that is open */
};

static void member(struct writer *w, const char *key)
{
    if (!w->first)
        out_char(w->o, ',');
    w->first = false;
    json_script_string(w->o, str_of(key));
    out_char(w->o, ':');
}

static void open_object(struct writer *w, const char *key)
{
    member(w, key);
    out_char(w->o, '{');
    w->first = true;
}

static void close_object(struct writer *w)
{
    out_char(w->o, '}');
    w->first = false;
}

static void put_number(struct writer *w, const char *key, int64_t v)
{
    member(w, key);
    out_i64(w->o, v);
}

static void put_text(struct writer *w, const char *key, struct str v)
{
    if (!v.n)
        return;
    member(w, key);
    json_script_string(w->o, v);
}

static void put_bool(struct writer *w, const char *key, bool v)
{
    member(w, key);
    out_c(w->o, v ? "true" : "false");
}

static int64_t wide_at(const char *row, ptrdiff_t offset)
{
    return *(const int64_t *)(const void *)(row + offset);
}

/* What a cell holds in the file, of all kinds but reals. */
static int64_t cell(struct writer *w, const struct capture_column *c, const char *row,
                    const char *before)
{
    const void *at = row + c->offset;
    switch (c->kind) {
    case COLUMN_I32:
    case COLUMN_ENUM:
        return *(const int32_t *)at;
    case COLUMN_BOOL:
        return *(const bool *)at;
    case COLUMN_DELTA:
        return wide_at(row, c->offset) -
               (before ? wide_at(before, c->offset) : w->c->start_ns);
    case COLUMN_LENGTH:
        return wide_at(row, c->offset) -
               wide_at(row, c->offset - (ptrdiff_t)sizeof(int64_t));
    case COLUMN_TEXT:
        return pool_add(&w->strings, *(const struct str *)at);
    case COLUMN_CATEGORY:
        return pool_add(&w->strings,
                        work_category_name(*(const enum work_category *)at));
    default:
        return wide_at(row, c->offset);
    }
}

static bool has_values(struct writer *w, const struct capture_table *t,
                       const struct capture_column *c, const char *rows, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const char *row = rows + i * t->row_bytes;
        if (c->kind == COLUMN_REAL
                ? *(const double *)(const void *)(row + c->offset) != 0
                : cell(w, c, row, i ? row - t->row_bytes : NULL) != 0)
            return true;
    }
    return false;
}

static void put_cell(struct writer *w, const struct capture_column *c, const char *row,
                     const char *before)
{
    double real = (double)NAN;
    if (c->kind == COLUMN_REAL)
        real = *(const double *)(const void *)(row + c->offset);
    if (c->kind == COLUMN_REAL && isfinite(real))
        out_real(w->o, real);
    else if (c->kind == COLUMN_REAL)
        out_c(w->o, "null");
    else if (c->kind == COLUMN_U64)
        out_printf(w->o, "\"%016llx\"", (unsigned long long)wide_at(row, c->offset));
    else
        out_i64(w->o, cell(w, c, row, before));
}

static void put_column(struct writer *w, const struct capture_table *t,
                       const struct capture_column *c, const char *rows, int32_t n)
{
    member(w, c->key);
    out_char(w->o, '[');
    for (int32_t i = 0; i < n; i++) {
        const char *row = rows + i * t->row_bytes;
        if (i)
            out_char(w->o, ',');
        put_cell(w, c, row, i ? row - t->row_bytes : NULL);
    }
    out_char(w->o, ']');
}

/* Sorted ranks as runs of a first, a stride and a number. */
static void put_runs(struct writer *w, const struct capture_group *g)
{
    out_char(w->o, '[');
    for (int i = 0, end; i < g->n_ranks; i = end) {
        int stride = i + 1 < g->n_ranks ? g->ranks[i + 1] - g->ranks[i] : 0;
        for (end = i + 1; end < g->n_ranks && stride >= 0 &&
                          g->ranks[end] - g->ranks[end - 1] == stride;)
            end++;
        out_printf(w->o, "%s[%d,%d,%d]", i ? "," : "", g->ranks[i],
                   end - i > 1 ? stride : 0, end - i);
    }
    out_char(w->o, ']');
}

static void put_group_ranks(struct writer *w)
{
    member(w, "ranks");
    out_char(w->o, '[');
    for (int32_t i = 0; i < w->c->ranks.n_groups; i++) {
        if (i)
            out_char(w->o, ',');
        put_runs(w, &w->c->ranks.groups[i]);
    }
    out_char(w->o, ']');
}

static void put_table(struct writer *w, enum capture_table_id id)
{
    const struct capture_table *t = &capture_tables[id];
    struct capture copy = *w->c;
    struct capture_rows of = capture_rows_of(&copy, id);
    const char *rows;
    int32_t n = *of.n;
    memcpy(&rows, of.list, sizeof rows);
    if (!n || (id == TABLE_HISTOGRAMS && w->c->n_events > 0))
        return; /* events say more */
    open_object(w, t->key);
    for (int k = 0; k < t->n_columns; k++) {
        const struct capture_column *c = &t->columns[k];
        if (id == TABLE_GROUPS && strcmp(c->key, "size") == 0)
            put_group_ranks(w);
        if (k == t->n_columns - 1 || has_values(w, t, c, rows, n))
            put_column(w, t, c, rows, n);
    }
    close_object(w);
}

static void put_window(struct writer *w)
{
    const struct capture *c = w->c;
    open_object(w, "window");
    put_number(w, "backlog_ns", c->backlog_ns);
    put_number(w, "computation_ns", c->computation_ns);
    put_number(w, "end_ns", c->end_ns - c->start_ns);
    put_number(w, "exposed_communication_ns", c->exposed_comm_ns);
    put_number(w, "exposed_copy_ns", c->exposed_copy_ns);
    put_number(w, "idle_ns", c->idle_ns);
    put_number(w, "n_backlog", c->n_backlog);
    put_number(w, "start_ns", 0);
    put_number(w, "unlinked_ns", c->unlinked_ns);
    close_object(w);
}

static void put_recording(struct writer *w)
{
    const struct capture_ranks *r = &w->c->ranks;
    int64_t zero_ns = w->c->start_ns;
    open_object(w, "recording");
    put_number(w, "computation_ns", r->computation_ns);
    put_number(w, "end_ns", r->end_ns - zero_ns);
    put_number(w, "exposed_communication_ns", r->exposed_comm_ns);
    put_number(w, "exposed_copy_ns", r->exposed_copy_ns);
    put_number(w, "idle_ns", r->idle_ns);
    put_number(w, "start_ns", r->start_ns - zero_ns);
    close_object(w);
}

static void put_meta(struct writer *w)
{
    const struct capture *c = w->c;
    const struct capture_origin *from = &c->origin;
    open_object(w, "meta");
    put_text(w, "backend", c->ranks.backend);
    put_number(w, "base_ns", from->base_ns + c->start_ns);
    put_number(w, "bytes", from->bytes);
    put_number(w, "compute_units", from->device.compute_units);
    put_text(w, "device", from->device.name);
    if (from->device.bytes > 0 && from->device.bytes < DEVICE_BYTES_MAX)
        put_number(w, "device_bytes", (int64_t)from->device.bytes);
    put_text(w, "file", from->file);
    if (c->ranks.folder.n)
        put_text(w, "folder", c->ranks.folder);
    put_bool(w, "has_operators", c->has_operators);
    put_bool(w, "has_shapes", c->has_shapes);
    put_bool(w, "has_stacks", c->has_stacks);
    put_text(w, "host", c->ranks.host);
    put_bool(w, "is_merged", c->ranks.is_merged);
    put_number(w, "kernel_ns", c->ranks.kernel_ns);
    put_text(w, "library", c->ranks.library);
    put_number(w, "n_devices", c->ranks.n_devices);
    put_text(w, "platform", from->platform);
    put_number(w, "rank", c->ranks.rank);
    put_recording(w);
    put_text(w, "sha256", from->sha256);
    put_text(w, "tool", from->tool);
    put_number(w, "trace_base_ns", from->trace_base_ns);
    put_window(w);
    put_number(w, "world_size", c->ranks.world_size);
    close_object(w);
}

static void put_part_list(struct writer *w, const int64_t parts_ns[CAPTURE_PARTS])
{
    out_char(w->o, '[');
    for (int i = 0; i < CAPTURE_PARTS; i++) {
        if (i)
            out_char(w->o, ',');
        out_i64(w->o, parts_ns[i]);
    }
    out_char(w->o, ']');
}

static void put_parts(struct writer *w)
{
    if (!w->c->has_parts)
        return;
    open_object(w, "parts");
    member(w, "names");
    for (int i = 0; i < CAPTURE_PARTS; i++) {
        out_char(w->o, i ? ',' : '[');
        json_script_string(w->o, capture_part_name(i));
    }
    out_char(w->o, ']');
    member(w, "steps");
    out_char(w->o, '[');
    for (int i = 0; i < w->c->n_steps; i++) {
        if (i)
            out_char(w->o, ',');
        put_part_list(w, w->c->steps[i].parts_ns);
    }
    out_char(w->o, ']');
    member(w, "window");
    put_part_list(w, w->c->parts_ns);
    close_object(w);
}

static void put_strings(struct writer *w)
{
    member(w, "strings");
    out_char(w->o, '[');
    for (name_id i = 0; i < w->strings.n; i++) {
        if (i)
            out_char(w->o, ',');
        json_script_string(w->o, w->strings.name[i]);
    }
    out_char(w->o, ']');
}

void capture_line(struct out *o, const struct capture *c)
{
    struct writer w = {.o = o, .c = c};
    pool_open(&w.strings);
    pool_add(&w.strings, S("")); /* place 0: a column of empty texts is left out */
    out_lit(o, CAPTURE_FIRST_BYTES);
    put_number(&w, "_version", CAPTURE_VERSION);
    for (int t = 0; t < CAPTURE_TABLES; t++) {
        if (t == TABLE_OPERATORS)
            put_meta(&w);
        if (t == TABLE_PATHS)
            put_parts(&w);
        put_table(&w, (enum capture_table_id)t);
    }
    put_strings(&w);
    out_lit(o, "}\n");
    pool_close(&w.strings);
}

/* Marks at most `most` steps, spread evenly over the steady ones, as those kept. */
static int keep_steps(struct capture *c, int most)
{
    int n = 0, steady = 0, kept = 0;
    for (int i = 0; i < c->n_steps; i++)
        steady += c->steps[i].steady;
    for (int i = 0; i < c->n_steps; i++) {
        bool wanted = c->steps[i].steady &&
                      (int64_t)n * most / steady != (int64_t)(n + 1) * most / steady;
        n += c->steps[i].steady;
        c->steps[i].kept = steady <= most ? c->steps[i].steady : wanted;
        kept += c->steps[i].kept;
    }
    return kept;
}

static bool is_kept(const struct capture *c, const struct capture_event *e, int *step)
{
    while (*step < c->n_steps && c->steps[*step].end_ns <= e->start_ns)
        (*step)++;
    for (int i = *step; i < c->n_steps && c->steps[i].start_ns < e->end_ns; i++)
        if (c->steps[i].kept)
            return true;
    return false;
}

/* The events of at most so many steps. */
static struct capture reduced(struct arena *a, const struct capture *whole, int most)
{
    struct capture c = *whole;
    int step = 0;
    c.steps = arena_new(a, struct capture_step, c.n_steps);
    memcpy(c.steps, whole->steps, (size_t)c.n_steps * sizeof *c.steps);
    c.events = arena_new(a, struct capture_event, c.n_events);
    c.n_events = 0;
    if (most <= 0 || !keep_steps(&c, most))
        return c;
    for (int32_t i = 0; i < whole->n_events; i++)
        if (is_kept(&c, &whole->events[i], &step))
            c.events[c.n_events++] = whole->events[i];
    return c;
}

static int by_time(const void *a, const void *b)
{
    const struct capture_row *x = *(const struct capture_row *const *)a,
                             *y = *(const struct capture_row *const *)b;
    if (x->kernel_ns != y->kernel_ns)
        return x->kernel_ns > y->kernel_ns ? -1 : 1;
    return (x > y) - (x < y);
}

/* What the rows of one part and category say together. */
static void fold_row(struct arena *a, struct capture_row *into,
                     const struct capture_row *row)
{
    if (!into->name.n) {
        *into = *row;
        into->name = str_printf(a, "(further %.*s operators)",
                                STRF(work_category_display(row->category)));
        into->types = into->dims = into->strides = into->concrete = into->parent =
            S("");
        into->node = 0;
        into->flop = into->byte = (double)NAN;
        return;
    }
    into->n_calls += row->n_calls;
    into->n_events += row->n_events;
    into->kernel_ns += row->kernel_ns;
}

/* At most ROWS_MAX operators, by time; the others are a row for each category. */
static struct capture folded(struct arena *a, const struct capture *whole)
{
    enum { ROWS_MAX = 600 };
    struct capture c = *whole;
    if (c.n_rows <= ROWS_MAX)
        return c;
    struct capture_row *more =
        arena_new(a, struct capture_row, (ptrdiff_t)DEVICE_PARTS * WORK_CATEGORIES);
    const struct capture_row **order =
        arena_new(a, const struct capture_row *, c.n_rows);
    for (int32_t i = 0; i < c.n_rows; i++)
        order[i] = &whole->rows[i];
    qsort(order, (size_t)c.n_rows, sizeof *order, by_time);
    c.rows = arena_new(a, struct capture_row,
                       ROWS_MAX + (ptrdiff_t)DEVICE_PARTS * WORK_CATEGORIES);
    c.n_rows = 0;
    for (int32_t i = 0; i < whole->n_rows; i++)
        if (i < ROWS_MAX)
            c.rows[c.n_rows++] = *order[i];
        else
            fold_row(a, &more[order[i]->part * WORK_CATEGORIES + order[i]->category],
                     order[i]);
    for (int i = 0; i < DEVICE_PARTS * WORK_CATEGORIES; i++)
        if (more[i].name.n)
            c.rows[c.n_rows++] = more[i];
    c.n_bins = 0; /* of rows that have moved */
    return c;
}

static ptrdiff_t packed(struct deflater *d, const struct capture *c, struct out *line,
                        struct out *gz)
{
    line->n = gz->n = 0;
    capture_line(line, c);
    deflater_run(d, DEFLATE_GZIP, out_view(line), gz);
    return gz->n;
}

static void pack(struct out *gz, const struct capture *c, struct arena tmp)
{
    struct out line;
    struct deflater *d = deflater_open();
    out_memory(&line);
    out_memory(gz);
    int most = c->n_steps;
    for (ptrdiff_t n = packed(d, c, &line, gz); n > CAPTURE_BYTES_MAX && most >= 0;) {
        struct arena scratch = tmp;
        most = most > 0 ? most / 2 : -1;
        struct capture less = reduced(&scratch, c, most);
        if (most < 0)
            less = folded(&scratch, &less);
        n = packed(d, &less, &line, gz);
    }
    deflater_close(d);
    out_free(&line);
}

bool capture_write(const struct capture *c, const char *path, struct arena tmp,
                   struct err *e)
{
    struct out gz, file;
    pack(&gz, c, tmp);
    bool done = out_open(&file, path, e);
    if (done) {
        out_str(&file, out_view(&gz));
        done = out_close(&file, e);
    }
    out_free(&gz);
    return done;
}

bool capture_place(const struct capture *c, const char *path, struct arena tmp,
                   struct err *e)
{
    struct out gz;
    pack(&gz, c, tmp);
    bool done = place_file(path, out_view(&gz), e);
    out_free(&gz);
    return done;
}
