#include "export/capture_file.h"

#include "base/deflate.h"
#include "base/name_pool.h"
#include "base/out.h"
#include "base/place_file.h"
#include "capture/capture_read.h"
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

/* What a cell holds in the file, of all kinds but reals and bits. */
static int64_t cell(struct writer *w, const struct field *f, const char *row,
                    const char *before)
{
    struct field_value v = field_value(f, &(struct described){.of = row});
    switch (v.kind) {
    case FIELD_BOOL:
        return v.flag;
    case FIELD_TEXT:
        return pool_add_lasting(&w->strings, v.text);
    default:
        return v.whole - (f->unit != FIELD_UNIT_DELTA_NS ? 0
                          : before ? *(const int64_t *)(const void *)(before + f->at)
                                   : w->c->start_ns);
    }
}

static bool is_zero(struct writer *w, const struct field *f, const char *row,
                    const char *before)
{
    if (f->kind == FIELD_REAL || f->kind == FIELD_U64) {
        struct field_value v = field_value(f, &(struct described){.of = row});
        return v.kind == FIELD_REAL ? v.real == 0 : v.bits == 0;
    }
    return cell(w, f, row, before) == 0;
}

static bool has_values(struct writer *w, const struct field *f,
                       const struct field_items *rows)
{
    const char *row = rows->first;
    for (int32_t i = 0; i < rows->n; i++, row += rows->bytes)
        if (!is_zero(w, f, row, i ? row - rows->bytes : NULL))
            return true;
    return false;
}

static void put_real(struct writer *w, double v)
{
    if (isfinite(v))
        out_real(w->o, v);
    else
        out_c(w->o, "null");
}

static void put_cell(struct writer *w, const struct field *f, const char *row,
                     const char *before)
{
    if (f->kind == FIELD_REAL || f->kind == FIELD_U64) {
        struct field_value v = field_value(f, &(struct described){.of = row});
        if (v.kind == FIELD_REAL)
            put_real(w, v.real);
        else
            out_printf(w->o, "\"%016llx\"", (unsigned long long)v.bits);
        return;
    }
    out_i64(w->o, cell(w, f, row, before));
}

static void put_column(struct writer *w, const struct field *f,
                       const struct field_items *rows)
{
    member(w, f->name);
    out_char(w->o, '[');
    const char *row = rows->first;
    for (int32_t i = 0; i < rows->n; i++, row += rows->bytes) {
        if (i)
            out_char(w->o, ',');
        put_cell(w, f, row, i ? row - rows->bytes : NULL);
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

static void put_table(struct writer *w, const struct field *table)
{
    const struct description *columns = table->item();
    struct field_items rows = field_items(table, &(struct described){.of = w->c});
    if (!rows.n || (capture_among(table, "histograms") && w->c->n_events > 0))
        return; /* events say more */
    open_object(w, table->name);
    for (int k = 0; k < columns->n; k++) {
        const struct field *f = &columns->fields[k];
        if (capture_among(table, "groups") && capture_among(f, "size"))
            put_group_ranks(w);
        if (k == columns->n - 1 || has_values(w, f, &rows))
            put_column(w, f, &rows);
    }
    close_object(w);
}

/* What is not known is left out. */
static void put_member(struct writer *w, const struct field *f, struct field_value v)
{
    bool known = v.kind == FIELD_TEXT   ? v.text.n > 0
                 : v.kind == FIELD_REAL ? v.real > 0 && v.real < DEVICE_BYTES_MAX
                                        : true;
    if (!known)
        return;
    member(w, f->name);
    if (v.kind == FIELD_TEXT)
        json_script_string(w->o, v.text);
    else if (v.kind == FIELD_BOOL)
        out_c(w->o, v.flag ? "true" : "false");
    else
        out_i64(w->o, v.kind == FIELD_REAL ? (int64_t)v.real : v.whole);
}

static void put_members(struct writer *w, const struct description *d, const void *of)
{
    for (const struct field *f = d->fields; f < d->fields + d->n; f++) {
        struct field_value v = field_value(f, &(struct described){.of = of});
        if (v.kind != FIELD_POINTER) {
            put_member(w, f, v);
            continue;
        }
        open_object(w, f->name);
        put_members(w, f->item(), v.item);
        close_object(w);
    }
}

/* Times in the file count from the start of the window. */
static struct capture from_zero(const struct capture *c)
{
    struct capture to = *c;
    to.origin.base_ns += c->start_ns;
    to.start_ns = 0;
    to.end_ns -= c->start_ns;
    to.ranks.start_ns -= c->start_ns;
    to.ranks.end_ns -= c->start_ns;
    return to;
}

static void put_meta(struct writer *w, const struct field *meta)
{
    struct capture c = from_zero(w->c);
    open_object(w, meta->name);
    put_members(w, meta->item(), &c);
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
    const struct description *file = capture_file_fields();
    for (const struct field *f = file->fields; f < file->fields + file->n; f++) {
        if (capture_among(f, "paths"))
            put_parts(&w);
        if (f->kind == FIELD_LIST)
            put_table(&w, f);
        else
            put_meta(&w, f);
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
