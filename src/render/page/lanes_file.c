#include "render/page/lanes_file.h"

#include "analysis/model/counters.h"
#include "analysis/model/finding.h"
#include "analysis/model/run_lanes.h"
#include "base/arena.h"
#include "base/digit_pairs.h"
#include "base/utf8.h"
#include "export/json_text.h"
#include "ops/timeline_data.h"
#include "render/page/row_links.h"
#include "render/text/html_text.h"
#include "report/report_detail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_CHARS = 90 };

static const struct {
    const char *slot, *label;
} kinds[] = {
    [LANE_NOTE - LANE_NOTE] = {"compute", "annotation"},
    [LANE_WAITING - LANE_NOTE] = {"waiting", "waiting for the device"},
    [LANE_RUNTIME - LANE_NOTE] = {"runtime", "runtime call"},
    [LANE_DISPATCH - LANE_NOTE] = {"dispatch", "operator"},
    [LANE_PYTHON - LANE_NOTE] = {"python", "Python"},
    [LANE_COPY - LANE_NOTE] = {"copy", "copy"},
    [LANE_COMMUNICATION - LANE_NOTE] = {"communication", "communication"},
    [LANE_OTHER - LANE_NOTE] = {"other", "other device work"},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *const lane_words[] = {[RUN_STREAM] = "stream",
                                         [RUN_PATH] = "path",
                                         [RUN_HOST] = "host",
                                         [RUN_NOTES] = "notes",
                                         [RUN_CALLS] = "calls"};

bool lanes_wanted(const struct report *r)
{
    return r->lanes && r->lanes->n > 0;
}

static int64_t merged_in(const struct lane_boxes *b)
{
    int64_t n = 0;
    for (int32_t i = 0; i < b->n; i++)
        n += b->at[i].n > 1 ? b->at[i].n : 0;
    return n;
}

static void put_numbers(struct out *o, const int64_t *v, int n, bool *first)
{
    for (int k = 0; k < n; k++) {
        if (!*first)
            out_char(o, ',');
        out_i64(o, v[k]);
        *first = false;
    }
}

static void put_kinds(struct out *o, const struct report *r)
{
    out_lit(o, "\"kinds\":[");
    for (int k = 0; k < KINDS; k++)
        out_printf(o, "%s[\"%s\",\"%s\"]", k ? "," : "", kinds[k].slot, kinds[k].label);
    for (int c = 0; c < r->n_categories; c++) {
        out_printf(o, ",[\"%.*s\",", STRF(figure_slot_name(r->categories[c].slot)));
        json_data_string(o, r->categories[c].label);
        out_char(o, ']');
    }
    out_lit(o, "]");
}

/* Of a frame the file without its folders, and all behind it; of a kernel its function.
 */
static struct str box_name(struct arena *a, const struct lane_name *name)
{
    struct str text = name->text;
    if (name->kind != LANE_PYTHON && name->kind != LANE_NOTE)
        return name_short(a, text, NAME_CHARS);
    ptrdiff_t line = str_find(text, S(".py(")), from = line < 0 ? 0 : line;
    while (from > 0 && text.p[from - 1] != '/')
        from--;
    return utf8_head(str_skip(text, from), NAME_CHARS);
}

struct place { /* of the row of a kernel */
    struct str name;
    int kernel;
};

static int by_name(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = str_cmp(x->name, y->name);
    return order ? order : x->kernel - y->kernel;
}

struct places {
    const struct place *sorted;
    int n;
};

static struct places places_of(struct arena *a, const struct report *r)
{
    int n = report_listed(r->n_kernels);
    struct place *list = arena_new(a, struct place, n);
    for (int i = 0; i < n; i++)
        list[i] = (struct place){r->kernels[i].name, i};
    if (n)
        qsort(list, (size_t)n, sizeof *list, by_name);
    return (struct places){list, n};
}

/* The link to the row of a kernel; of several that differ in what launches them, to the
 * one that takes the most time. Empty: it has no row. */
static struct str place_of(struct arena *a, const struct report *r, struct places p,
                           struct str name)
{
    int low = 0, high = p.n;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (str_cmp(p.sorted[mid].name, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < p.n && str_eq(p.sorted[low].name, name)
               ? kernel_href(a, r, p.sorted[low].kernel)
               : S("");
}

/* The names that a box has, numbered as they come. */
static void put_names(struct out *o, const struct report *r,
                      const struct lane_boxes *boxes, int32_t *number, struct arena tmp)
{
    const struct run_lanes *l = r->lanes;
    struct places places = places_of(&tmp, r);
    int32_t n = 0;
    memset(number, -1, (size_t)l->n_names * sizeof *number);
    out_lit(o, ",\n\"names\":[");
    for (int k = 0; k < l->n; k++)
        for (int32_t i = 0; i < boxes[k].n; i++) {
            const struct lane_name *name = &l->names[boxes[k].at[i].name];
            int32_t *at = &number[boxes[k].at[i].name];
            struct arena once = tmp;
            if (*at >= 0)
                continue;
            *at = n++;
            out_c(o, *at ? ",[" : "[");
            json_data_string(o, box_name(&once, name));
            out_printf(o, ",%d", name->kind - LANE_NOTE);
            struct str href = name->kind >= LANE_COPY
                                  ? place_of(&once, r, places, name->text)
                                  : S("");
            if (href.n) {
                out_char(o, ',');
                json_script_string(o, href);
            }
            out_char(o, ']');
        }
    out_lit(o, "]");
}

static void put_boxes(struct out *o, const struct lane_boxes *b, const int32_t *number)
{
    bool first = true;
    int64_t end_ns = 0;
    out_lit(o, ",\"at\":[");
    for (int32_t i = 0; i < b->n; i++) {
        const struct lane_box *box = &b->at[i];
        put_numbers(o,
                    (int64_t[]){box->start_ns - end_ns, box->end_ns - box->start_ns,
                                number[box->name]},
                    3, &first);
        end_ns = box->end_ns;
    }
    out_lit(o, "],\"more\":[");
    first = true;
    for (int32_t i = 0, last = 0; i < b->n; i++) {
        const struct lane_box *box = &b->at[i];
        if (box->n == 1)
            continue;
        put_numbers(o,
                    (int64_t[]){i - last, box->n,
                                box->end_ns - box->start_ns - box->busy_ns,
                                box->longest_ns},
                    4, &first);
        last = i;
    }
    out_lit(o, "]");
}

/* What is said of boxes of streams: operations and launch shapes that one has, numbered
 * as they come; -1: not used. */
struct said_of_boxes {
    int32_t *op, *shape;
    int32_t n_ops, n_shapes;
};

static const struct lane_start *start_of(const struct run_lanes *l,
                                         const struct lane_box *b)
{
    return b->n == 1 && b->more >= 0 && b->more < l->n_starts ? &l->starts[b->more]
                                                              : NULL;
}

static void put_op(struct out *o, const struct report *r, int op, bool first,
                   struct arena tmp)
{
    enum { ARGS_CHARS = 120 };
    const struct work_row *row = r->ops[op].row;
    out_c(o, first ? "[" : ",[");
    json_data_string(o, name_short(&tmp, row->name, NAME_CHARS));
    out_char(o, ',');
    json_data_string(o, utf8_head(row->args, ARGS_CHARS));
    out_char(o, ',');
    json_script_string(o, op_href(&tmp, r, op));
    out_char(o, ']');
}

/* Numbers what this box says, and tells it if it is the first to do so. */
static void say_of_box(struct out *ops, struct out *shapes, const struct report *r,
                       const struct lane_start *s, struct said_of_boxes *x,
                       struct arena tmp)
{
    if (s->op >= 0 && s->op < r->n_ops && x->op[s->op] < 0) {
        put_op(ops, r, s->op, x->n_ops == 0, tmp);
        x->op[s->op] = x->n_ops++;
    }
    if (s->shape >= 0 && x->shape[s->shape] < 0) {
        out_c(shapes, x->n_shapes ? "," : "");
        json_data_string(shapes, r->lanes->shapes[s->shape]);
        x->shape[s->shape] = x->n_shapes++;
    }
}

static struct said_of_boxes put_said(struct out *o, const struct report *r,
                                     const struct lane_boxes *boxes, struct arena *a)
{
    const struct run_lanes *l = r->lanes;
    struct said_of_boxes x = {.op = arena_take_raw(a, sizeof *x.op, 4, r->n_ops),
                              .shape =
                                  arena_take_raw(a, sizeof *x.shape, 4, l->n_shapes)};
    struct out shapes;
    memset(x.op, -1, (size_t)r->n_ops * sizeof *x.op);
    memset(x.shape, -1, (size_t)l->n_shapes * sizeof *x.shape);
    if (!l->n_starts)
        return x;
    out_memory(&shapes);
    out_lit(o, ",\n\"ops\":[");
    for (int k = 0; k < l->n; k++)
        for (int32_t i = 0; l->at[k].kind == RUN_STREAM && i < boxes[k].n; i++) {
            const struct lane_start *s = start_of(l, &boxes[k].at[i]);
            if (s)
                say_of_box(o, &shapes, r, s, &x, *a);
        }
    out_lit(o, "],\n\"shapes\":[");
    out_str(o, out_view(&shapes));
    out_free(&shapes);
    out_lit(o, "],\n\"threads\":[");
    for (int k = 0; k < l->n_threads; k++) {
        out_c(o, k ? "," : "");
        json_data_string(o, l->threads[k]);
    }
    out_lit(o, "]");
    return x;
}

static void put_calls(struct out *o, const struct report *r, const struct lane_boxes *b,
                      const struct said_of_boxes *x)
{
    const struct run_lanes *l = r->lanes;
    bool first = true;
    out_lit(o, ",\"calls\":[");
    for (int32_t i = 0; i < b->n; i++) {
        const struct lane_start *s = start_of(l, &b->at[i]);
        if (b->at[i].n != 1)
            continue;
        out_c(o, first ? "" : ",");
        first = false;
        if (s && s->thread >= 0)
            out_i64(o, b->at[i].start_ns - s->call_ns);
        else
            out_lit(o, "null");
        bool more = false; /* a comma comes first */
        put_numbers(o,
                    (int64_t[]){s && s->op >= 0 && s->op < r->n_ops ? x->op[s->op] : -1,
                                s && s->shape >= 0 ? x->shape[s->shape] : -1,
                                s ? s->thread : -1},
                    l->n_threads > 1 ? 3 : 2, &more);
    }
    out_lit(o, "]");
}

static void put_lane(struct out *o, const struct report *r, int k,
                     const struct lane_boxes *b, const int32_t *number,
                     const struct said_of_boxes *said)
{
    const struct run_lane *lane = &r->lanes->at[k];
    out_printf(o, "{\"of\":\"%s\",\"name\":", lane_words[lane->kind]);
    json_data_string(o, lane->name);
    if (lane->depth)
        out_printf(o, ",\"depth\":%d,\"skipped\":%d", lane->depth, lane->skipped);
    out_printf(o, ",\"busy\":%lld,\"events\":%lld,\"below\":%lld",
               (long long)lane->busy_ns, (long long)lane->n_events,
               (long long)b->below_ns);
    put_boxes(o, b, number);
    if (lane->kind == RUN_STREAM && r->lanes->n_starts)
        put_calls(o, r, b, said);
    out_char(o, '}');
}

static void put_marks(struct out *o, const struct report *r)
{
    const struct timeline_data *d = r->over_time;
    const struct idle_result *idle =
        r->analysis && r->analysis->system ? report_idle(r) : NULL;
    bool first = true;
    out_lit(o, ",\n\"steps\":[");
    for (int k = 0; d->has_steps && k < d->n_steps; k++)
        out_printf(o, "%s[%lld,%lld,%lld]", k ? "," : "",
                   (long long)d->steps[k].start_ns, (long long)d->steps[k].dur_ns,
                   (long long)d->steps[k].number);
    out_lit(o, "],\n\"gaps\":[");
    for (int k = 0; idle && k < idle->n_top_gaps; k++)
        put_numbers(o,
                    (int64_t[]){llround(idle->top_gaps[k].start_us * 1e3),
                                llround(idle->top_gaps[k].duration_us * 1e3)},
                    2, &first);
    out_lit(o, "]");
}

enum { COUNTER_LANES = 8, COUNTER_STEPS = 600 };

struct counter_steps { /* of one counter, from the start of the window */
    struct out *o;
    int64_t end_ns, from_ns, to_ns; /* from: of the step that is not yet written */
    double value;
    bool first;
};

static void put_step(struct counter_steps *c)
{
    if (c->to_ns <= c->from_ns || isnan(c->value))
        return;
    out_printf(c->o, "%s%lld,%lld,%.4g", c->first ? "" : ",",
               (long long)(c->from_ns - c->end_ns), (long long)(c->to_ns - c->from_ns),
               c->value);
    c->end_ns = c->to_ns;
    c->first = false;
}

/* Equal values are one step. */
static void add_step(struct counter_steps *c, int64_t from_ns, int64_t to_ns,
                     int64_t total_ns, double value)
{
    from_ns = from_ns < 0 ? 0 : from_ns;
    to_ns = to_ns > total_ns ? total_ns : to_ns;
    if (value != c->value || from_ns != c->to_ns) {
        put_step(c);
        c->from_ns = from_ns;
        c->value = value;
    }
    c->to_ns = to_ns;
}

/* Each sample, or of many the means of equal parts. */
static void put_counter(struct out *o, const struct counter_row *row,
                        const struct timeline_data *d)
{
    const struct counter_series *s = &row->series;
    struct counter_steps c = {.o = o, .value = (double)NAN, .first = true};
    out_lit(o, "{\"name\":");
    json_data_string(o, row->name);
    out_lit(o, ",\"unit\":");
    json_data_string(o, row->unit);
    out_lit(o, ",\"device\":");
    json_data_string(o, row->device);
    out_printf(o, ",\"most\":%.4g,\"samples\":%lld,\"at\":[",
               str_eq(row->unit, S("%")) ? 100.0
               : row->most > 0           ? row->most
                                         : 1.0,
               (long long)row->n);
    if (s->n <= COUNTER_STEPS)
        for (int32_t i = 0; i < s->n; i++)
            add_step(&c, s->at_ns[i] - d->origin_ns,
                     (i + 1 < s->n ? s->at_ns[i + 1] : s->end_ns) - d->origin_ns,
                     d->total_ns, s->value[i]);
    else
        for (int k = 0; k < COUNTER_BINS; k++)
            add_step(&c, (int64_t)((double)d->total_ns / COUNTER_BINS * k),
                     (int64_t)((double)d->total_ns / COUNTER_BINS * (k + 1)),
                     d->total_ns, row->bins[k]);
    put_step(&c);
    out_lit(o, "]}");
}

static void put_counters(struct out *o, const struct report *r)
{
    const struct counters *c = r->counters;
    if (!c)
        return;
    out_lit(o, ",\n\"counters\":[");
    for (int32_t k = 0; k < c->n && k < COUNTER_LANES; k++) {
        out_c(o, k ? ",\n" : "\n");
        put_counter(o, &c->rows[k], r->over_time);
    }
    out_lit(o, "]");
}

static void put_all(struct out *o, const struct report *r,
                    const struct lane_boxes *boxes, struct arena tmp)
{
    const struct run_lanes *l = r->lanes;
    int32_t *number = arena_take_raw(&tmp, sizeof *number, 4, l->n_names);
    out_printf(o, "window.tracefolioLanes={\"total\":%lld,\n",
               (long long)r->over_time->total_ns);
    put_kinds(o, r);
    put_names(o, r, boxes, number, tmp);
    put_marks(o, r);
    put_counters(o, r);
    struct said_of_boxes said = put_said(o, r, boxes, &tmp);
    out_lit(o, ",\n\"lanes\":[");
    for (int k = 0; k < l->n; k++) {
        out_c(o, k ? ",\n" : "\n");
        put_lane(o, r, k, &boxes[k], number, &said);
    }
    out_lit(o, "]};\n");
}

static int digits_of(int64_t v)
{
    return (v < 0) + digit_count(magnitude(v));
}

/* What the boxes of a lane take at least, however they are numbered: two times each, a
 * name and the commas; of merged ones what they stand for; of others of a stream when
 * and by which operation and shape they were called. */
static int64_t least_bytes(const struct run_lanes *l, int lane,
                           const struct lane_boxes *b)
{
    bool calls = l->at[lane].kind == RUN_STREAM && l->n_starts;
    int64_t bytes = 0, end_ns = 0;
    for (int32_t i = 0; i < b->n; i++) {
        const struct lane_box *box = &b->at[i];
        bytes += digits_of(box->start_ns - end_ns) +
                 digits_of(box->end_ns - box->start_ns) + 4;
        if (box->n > 1)
            bytes += digits_of(box->n) + digits_of(box->longest_ns) + 6;
        else if (calls && start_of(l, box))
            bytes += digits_of(box->start_ns - start_of(l, box)->call_ns) + 5;
        end_ns = box->end_ns;
    }
    return bytes;
}

/* The lane with most boxes gives some. Returns that lane; NULL: none can. */
static struct lane_boxes *merge_some(struct lane_boxes *boxes, int n)
{
    for (int done = 0; done < n; done++) {
        struct lane_boxes *most = NULL;
        for (int k = 0; k < n; k++)
            if (boxes[k].n > 1 && (!most || boxes[k].n > most->n))
                most = &boxes[k];
        if (most && lane_boxes_coarsen(most))
            return most;
    }
    return NULL;
}

/* Boxes of lanes, merged until the file can fit: to write it, only to see that it does
 * not, takes longer than to merge. */
struct fitting {
    struct lane_boxes *boxes;
    int64_t *bytes; /* least_bytes by lane */
    int64_t sum;
};

static struct fitting fitting_of(struct arena *a, const struct run_lanes *l,
                                 struct lane_boxes *boxes)
{
    struct fitting f = {boxes, arena_new(a, int64_t, l->n), 0};
    for (int k = 0; k < l->n; k++)
        f.sum += f.bytes[k] = least_bytes(l, k, &boxes[k]);
    return f;
}

/* Until the lanes take room_bytes. Returns whether anything was merged. */
static bool merge_to(struct fitting *f, const struct run_lanes *l, int64_t room_bytes)
{
    int64_t before = f->sum;
    const struct lane_boxes *merged;
    while (f->sum > room_bytes && (merged = merge_some(f->boxes, l->n))) {
        int k = (int)(merged - f->boxes);
        f->sum -= f->bytes[k];
        f->sum += f->bytes[k] = least_bytes(l, k, merged);
    }
    return f->sum < before;
}

/* Into `all`, which is made here. */
static void put_fitting(struct out *all, const struct report *r,
                        struct lane_boxes *boxes, struct arena tmp)
{
    const struct run_lanes *l = r->lanes;
    struct fitting f = fitting_of(&tmp, l, boxes);
    merge_to(&f, l, LANES_BYTES_MAX);
    for (int64_t beside, room;;) {
        out_memory(all);
        put_all(all, r, boxes, tmp);
        /* Names and numbers beside the boxes get fewer as these do. */
        beside = (out_view(all).n - f.sum) / 4 * 3;
        room = LANES_BYTES_MAX - beside;
        if (out_view(all).n <= LANES_BYTES_MAX ||
            !merge_to(&f, l, room < f.sum ? room : f.sum - 1))
            return;
        out_free(all);
    }
}

struct lanes_count lanes_file(struct out *o, const struct report *r, struct arena tmp)
{
    struct lanes_count count = {0};
    const struct run_lanes *l = r->lanes;
    struct lane_boxes *boxes = arena_new(&tmp, struct lane_boxes, l->n);
    for (int k = 0; k < l->n; k++) {
        boxes[k] = l->at[k].boxes;
        boxes[k].at = arena_new(&tmp, struct lane_box, boxes[k].n);
        memcpy(boxes[k].at, l->at[k].boxes.at,
               (size_t)boxes[k].n * sizeof *boxes[k].at);
    }
    struct out all;
    put_fitting(&all, r, boxes, tmp);
    out_str(o, out_view(&all));
    out_free(&all);
    for (int k = 0; k < l->n; k++) {
        if (l->at[k].kind == RUN_PATH) /* events of other lanes */
            continue;
        count.events += l->at[k].n_events;
        count.merged += merged_in(&boxes[k]);
    }
    return count;
}
