#include "report/compare/capture_sheets.h"

#include "analysis/facts/work_category.h"
#include "base/arena.h"
#include "capture/capture_fit.h"
#include "report/compare/sheet_lookup.h"

#include <math.h>

struct layout { /* a sheet that can give rows, and its columns */
    struct str sheet, name, count, time;
    double ns_each; /* unit of the time */
};

static const struct layout layouts[] = {
    {S_INIT("unified_perf_summary"), S_INIT("name"), S_INIT("operation_count"),
     S_INIT("Kernel Time (µs)_sum"), 1e3},
    {S_INIT("ops_summary"), S_INIT("name"), S_INIT("Count"),
     S_INIT("total_direct_kernel_time_ms"), 1e6},
    {S_INIT("kernel_summary"), S_INIT("Kernel name"),
     S_INIT("Kernel duration (µs)_count"), S_INIT("Kernel duration (µs)_sum"), 1e3},
    {S_INIT("kernel_summary"), S_INIT("name"), S_INIT("Count"),
     S_INIT("Total Kernel Time (ms)"), 1e6},
};

struct reader {
    const struct report_table *t;
    ptrdiff_t row;
};

static const struct cell *cell_at(const struct reader *r, struct str title)
{
    ptrdiff_t k = sheet_column(r->t, title);
    return k < 0 ? NULL : table_cell(r->t, r->row, k);
}

static struct str text_at(const struct reader *r, struct str title)
{
    const struct cell *c = cell_at(r, title);
    return c && (c->kind == CELL_TEXT || c->kind == CELL_NAME) ? c->as.text : S("");
}

static double number_at(const struct reader *r, struct str title)
{
    const struct cell *c = cell_at(r, title);
    return c ? cell_number(c) : (double)NAN;
}

/* The next name in "[{'name': 'kernel', ..."; empty: there is none. */
static struct str next_kernel(struct str *details)
{
    str_take(details, S("'name': '"));
    struct str name = str_take(details, S("', 'stream'"));
    return str_ends(name, S("...")) ? str_head(name, name.n - 3) : name;
}

/* A memset that a matmul begins with does not make it a copy: the first kernel that
 * makes the row none decides, else the first of all. */
static void take_kernel(struct capture_row *row, struct str details)
{
    struct str base = row->base.n ? row->base : S("other"), rest = details, kernel;
    row->kernel = next_kernel(&rest);
    kernel = row->kernel.n ? row->kernel : row->name;
    row->category = work_category_of(base, row->name, &kernel, 1);
    while (row->category == WORK_COPY && (kernel = next_kernel(&rest)).n) {
        enum work_category category = work_category_of(base, row->name, &kernel, 1);
        if (category == WORK_COPY)
            continue;
        row->kernel = kernel;
        row->category = category;
    }
}

/* A time or a count as a whole number, of which no more than *left is believed, as all
 * of them are added up; 0: it is none. */
static int64_t taken(int64_t *left, double value)
{
    if (!(value > 0 && value < (double)*left))
        return 0;
    int64_t n = llround(value);
    *left -= n;
    return n;
}

struct left {
    int64_t ns, calls;
};

static struct capture_row row_of(const struct reader *r, const struct layout *l,
                                 struct left *left)
{
    double intensity = number_at(r, S("FLOPS/Byte"));
    double count = number_at(r, l->count);
    struct capture_row row = {
        .name = text_at(r, l->name),
        .types = text_at(r, S("Input type")),
        .dims = text_at(r, S("Input Dims")),
        .strides = text_at(r, S("Input Strides")),
        .concrete = text_at(r, S("Concrete Inputs")),
        .base = text_at(r, S("op category")),
        .n_calls = taken(&left->calls, count),
        .kernel_ns = taken(&left->ns, number_at(r, l->time) * l->ns_each),
        .flop = number_at(r, S("GFLOPS")) * 1e9,
        .compute_spec = text_at(r, S("Compute Spec")),
    };
    row.n_events = row.n_calls;
    row.byte = row.flop > 0 && intensity > 0 ? row.flop / intensity : (double)NAN;
    take_kernel(&row, text_at(r, S("trunc_kernel_details")));
    return row;
}

static double timeline_ms(const struct report_table *t, const char *type)
{
    struct reader r = {t, 0};
    for (; t && r.row < t->n_rows; r.row++)
        if (str_eq(text_at(&r, S("type")), str_of(type)))
            return number_at(&r, S("time ms"));
    return (double)NAN;
}

/* The idle time is what the others leave, so that the parts add up. */
static void read_timeline(struct capture *c, const struct report_table *t)
{
    int64_t left_ns = CAPTURE_TIME_MAX_NS;
    c->end_ns = taken(&left_ns, timeline_ms(t, "total_time") * 1e6);
    c->computation_ns = taken(&left_ns, timeline_ms(t, "computation_time") * 1e6);
    c->exposed_comm_ns = taken(&left_ns, timeline_ms(t, "exposed_comm_time") * 1e6);
    c->exposed_copy_ns = taken(&left_ns, timeline_ms(t, "exposed_memcpy_time") * 1e6);
    c->idle_ns =
        c->end_ns - c->computation_ns - c->exposed_comm_ns - c->exposed_copy_ns;
}

/* Older reports say ms where they mean us: then the kernels of a recording take a
 * thousand times as long as all of it. Streams side by side do not come near that. */
static void correct_unit(struct capture *c)
{
    enum { SUM_MOST = 100, TOO_LARGE = 1000 };
    double sum = 0;
    for (int32_t i = 0; i < c->n_rows; i++)
        sum += (double)c->rows[i].kernel_ns;
    for (int32_t i = 0; i < c->n_rows && sum > SUM_MOST * (double)c->end_ns; i++)
        c->rows[i].kernel_ns /= c->end_ns > 0 ? TOO_LARGE : 1;
}

struct capture capture_of_sheets(struct arena *perm, const struct sheets *s,
                                 struct str label, const struct device_spec *device)
{
    struct capture c = {.label = label, .device = device};
    struct left left = {CAPTURE_TIME_MAX_NS, CAPTURE_TIME_MAX_NS};
    const struct report_table *timeline = sheet_named(s, S("gpu_timeline"));
    if (timeline)
        read_timeline(&c, timeline);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts && !c.n_rows; i++) {
        const struct report_table *t = sheet_named(s, layouts[i].sheet);
        if (!t || sheet_column(t, layouts[i].time) < 0 ||
            sheet_column(t, layouts[i].name) < 0)
            continue;
        c.rows = arena_new(perm, struct capture_row, t->n_rows);
        for (struct reader r = {t, 0}; r.row < t->n_rows; r.row++)
            c.rows[c.n_rows++] = row_of(&r, &layouts[i], &left);
        c.has_shapes = i == 0;
        correct_unit(&c);
    }
    c.has_operators = c.n_rows > 0;
    return c;
}
