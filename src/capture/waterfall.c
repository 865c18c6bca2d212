#include "capture/waterfall.h"

#include "base/duration.h"
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A span or an item begins or ends; `row` of an edge is what, as edge_of says it. */
enum { INSIDE = -3 }; /* beside the classes: a span */

static int32_t edge_of(int class, bool begins)
{
    return (class - INSIDE) * 2 + begins;
}

struct sweep {
    struct sort_row *edges;
    int32_t n, n_spans_open, n_active; /* kernels of classes */
    int32_t *active;                   /* by class, then communication, copies */
    int n_classes;
    int64_t *parts_ns;
};

static int slot_of(const struct sweep *w, int class)
{
    return class == SWEEP_COMM   ? sweep_comm(w->n_classes)
           : class == SWEEP_COPY ? sweep_copy(w->n_classes)
                                 : class;
}

/* A stretch in which nothing starts or ends. */
static void share_out(struct sweep *w, int64_t ns)
{
    int64_t left = ns;
    int first = -1;
    if (!w->n_active) {
        int part = w->active[sweep_comm(w->n_classes)]   ? sweep_comm(w->n_classes)
                   : w->active[sweep_copy(w->n_classes)] ? sweep_copy(w->n_classes)
                                                         : sweep_idle(w->n_classes);
        w->parts_ns[part] += ns;
        return;
    }
    for (int c = 0; c < w->n_classes; c++) {
        if (!w->active[c])
            continue;
        first = first < 0 ? c : first;
        /* ns * active may not fit; divided first, and what that leaves after. */
        int64_t share = ns / w->n_active * w->active[c] +
                        ns % w->n_active * w->active[c] / w->n_active;
        w->parts_ns[c] += share;
        left -= share;
    }
    w->parts_ns[first] += left;
}

static void pass(struct sweep *w, int32_t edge)
{
    int class = edge / 2 + INSIDE, by = edge % 2 ? 1 : -1;
    if (class == INSIDE) {
        w->n_spans_open += by;
        return;
    }
    w->active[slot_of(w, class)] += by;
    if (class >= 0)
        w->n_active += by;
}

static void add_edges(struct sweep *w, int64_t start_ns, int64_t end_ns, int class)
{
    if (end_ns <= start_ns)
        return;
    w->edges[w->n++] = (struct sort_row){start_ns, edge_of(class, true)};
    w->edges[w->n++] = (struct sort_row){end_ns, edge_of(class, false)};
}

void waterfall_sweep(struct arena tmp, const struct sweep_item *items, int32_t n,
                     const struct step_span *spans, int n_spans, int n_classes,
                     int64_t *parts_ns)
{
    struct sweep w = {.edges = arena_take_raw(&tmp, sizeof(struct sort_row), 8,
                                              2 * ((ptrdiff_t)n + n_spans)),
                      .active = arena_new(&tmp, int32_t, n_classes + 2),
                      .n_classes = n_classes,
                      .parts_ns = parts_ns};
    for (int i = 0; i < n_spans; i++)
        add_edges(&w, spans[i].start_ns, spans[i].end_ns, INSIDE);
    for (int32_t i = 0; i < n; i++)
        add_edges(&w, items[i].start_ns, items[i].end_ns, items[i].class);
    const struct sort_row *at = w.edges;
    sort_rows(tmp, w.edges, w.n);
    for (int32_t i = 0; i < w.n; i++) {
        if (i && w.n_spans_open && at[i].key > at[i - 1].key)
            share_out(&w, at[i].key - at[i - 1].key);
        pass(&w, at[i].row);
    }
}

int span_from(const struct step_span *spans, int n_spans, int64_t at_ns)
{
    int low = 0, high = n_spans;
    while (low < high) {
        int middle = (low + high) / 2;
        if (spans[middle].end_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t span_overlap_ns(const struct step_span *spans, int n_spans, int64_t start_ns,
                        int64_t end_ns)
{
    int64_t ns = 0;
    for (int i = span_from(spans, n_spans, start_ns);
         i < n_spans && spans[i].start_ns < end_ns; i++)
        ns += shared_ns(start_ns, end_ns, spans[i].start_ns, spans[i].end_ns);
    return ns;
}

struct ranks { /* classes in the order of the bytes of their names */
    enum work_category category[WORK_CATEGORIES];
    int16_t of[WORK_CATEGORIES];
};

static int by_name(const void *a, const void *b)
{
    return str_cmp(work_category_display(*(const enum work_category *)a),
                   work_category_display(*(const enum work_category *)b));
}

static struct ranks rank_classes(void)
{
    struct ranks r;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        r.category[c] = (enum work_category)c;
    qsort(r.category, WORK_CATEGORIES, sizeof *r.category, by_name);
    for (int i = 0; i < WORK_CATEGORIES; i++)
        r.of[r.category[i]] = (int16_t)i;
    return r;
}

static void sweep(struct arena tmp, const struct capture *c,
                  const struct capture_event *const *events, int32_t n,
                  const struct step_span *spans, int n_spans,
                  int64_t parts_ns[CAPTURE_PARTS])
{
    struct ranks ranks = rank_classes();
    int64_t ranked_ns[CAPTURE_PARTS] = {0};
    struct sweep_item *items = arena_new(&tmp, struct sweep_item, n);
    for (int32_t i = 0; i < n; i++) {
        const struct capture_row *r = &c->rows[events[i]->row];
        int16_t class = r->part == DEVICE_COMM   ? SWEEP_COMM
                        : r->part == DEVICE_COPY ? SWEEP_COPY
                                                 : ranks.of[r->category];
        items[i] = (struct sweep_item){events[i]->start_ns, events[i]->end_ns, class};
    }
    waterfall_sweep(tmp, items, n, spans, n_spans, WORK_CATEGORIES, ranked_ns);
    memcpy(parts_ns, ranked_ns, sizeof ranked_ns);
    for (int k = 0; k < WORK_CATEGORIES; k++)
        parts_ns[ranks.category[k]] = ranked_ns[k];
}

void capture_sweep(struct arena tmp, const struct capture *c,
                   const struct step_span *spans, int n_spans,
                   int64_t parts_ns[CAPTURE_PARTS])
{
    const struct capture_event **all =
        arena_new(&tmp, const struct capture_event *, c->n_events);
    for (int32_t i = 0; i < c->n_events; i++)
        all[i] = &c->events[i];
    sweep(tmp, c, all, c->n_events, spans, n_spans, parts_ns);
}

/* By step: where its events begin in a list of all steps' events. */
struct step_events {
    const struct capture_event **list;
    int32_t *first; /* of n_steps + 1 */
};

static struct step_events events_by_step(struct arena *a, const struct capture *c,
                                         const struct step_span *spans)
{
    struct step_events s = {NULL, arena_new(a, int32_t, c->n_steps + 2)};
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < c->n_events; i++) {
            const struct capture_event *e = &c->events[i];
            for (int k = span_from(spans, c->n_steps, e->start_ns);
                 k < c->n_steps && spans[k].start_ns < e->end_ns; k++) {
                if (pass)
                    s.list[s.first[k + 1]] = e;
                s.first[k + (pass ? 1 : 2)]++;
            }
        }
        for (int k = 0; !pass && k <= c->n_steps; k++)
            s.first[k + 1] += s.first[k];
        if (!pass)
            s.list =
                arena_new(a, const struct capture_event *, s.first[c->n_steps + 1]);
    }
    return s;
}

void capture_find_sums(struct arena tmp, struct capture *c)
{
    struct step_span window = {c->start_ns, c->end_ns};
    struct step_span *spans = arena_new(&tmp, struct step_span, c->n_steps);
    for (int i = 0; i < c->n_steps; i++)
        spans[i] = (struct step_span){c->steps[i].start_ns, c->steps[i].end_ns};
    capture_sweep(tmp, c, &window, 1, c->parts_ns);
    struct step_events s = events_by_step(&tmp, c, spans);
    for (int i = 0; i < c->n_steps; i++)
        sweep(tmp, c, s.list + s.first[i], s.first[i + 1] - s.first[i], &spans[i], 1,
              c->steps[i].parts_ns);
    c->has_parts = true;
}
