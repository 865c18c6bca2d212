#include "compare/class_change.h"

#include <stdlib.h>
#include <string.h>

enum { IDLE_BARS_MAX = 64, BARS_MAX = WORK_CATEGORIES + 2 + IDLE_BARS_MAX };

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

static void sweep_side(struct arena tmp, const struct match_side *s,
                       const struct ranks *ranks, int64_t *parts_ns)
{
    const struct capture *c = s->c;
    struct sweep_item *items = arena_new(&tmp, struct sweep_item, c->n_events);
    for (int32_t i = 0; i < c->n_events; i++) {
        const struct capture_event *e = &c->events[i];
        const struct capture_row *r = &c->rows[e->row];
        int16_t class = r->part == DEVICE_COMM   ? SWEEP_COMM
                        : r->part == DEVICE_COPY ? SWEEP_COPY
                                                 : ranks->of[r->category];
        items[i] = (struct sweep_item){e->start_ns, e->end_ns, class};
    }
    waterfall_sweep(tmp, items, c->n_events, s->spans, s->n_spans, WORK_CATEGORIES,
                    parts_ns);
}

/* A report's tables know computation as a whole. */
static void parts_of_tables(const struct capture *c, int64_t *parts_ns)
{
    parts_ns[sweep_comm(WORK_CATEGORIES)] = c->exposed_comm_ns;
    parts_ns[sweep_copy(WORK_CATEGORIES)] = c->exposed_copy_ns;
    parts_ns[sweep_idle(WORK_CATEGORIES)] = c->idle_ns;
}

static struct compared_bar *add_bar(struct comparison *c, enum bar_kind kind,
                                    struct str name)
{
    c->bars[c->n_bars] = (struct compared_bar){.kind = kind, .name = name};
    return &c->bars[c->n_bars++];
}

static struct compared_bar *idle_bar(struct comparison *c, struct str name)
{
    for (int i = 0; i < c->n_bars; i++)
        if (c->bars[i].kind == BAR_IDLE && str_eq(c->bars[i].name, name))
            return &c->bars[i];
    return add_bar(c, BAR_IDLE, name);
}

/* Causes are known for whole windows; what they leave is one bar. */
static void add_idle(struct comparison *c, int64_t parts_ns[2][WORK_CATEGORIES + 3])
{
    bool causes = !c->selection.n_steps && (c->of[0]->n_idle || c->of[1]->n_idle);
    for (int side = 0; side < 2; side++) {
        int64_t left_ns = parts_ns[side][sweep_idle(WORK_CATEGORIES)];
        c->idle_ns[side] = left_ns;
        for (int i = 0; causes && i < c->of[side]->n_idle && i < IDLE_BARS_MAX / 2 - 1;
             i++) {
            const struct capture_idle *idle = &c->of[side]->idle[i];
            int64_t ns = idle->ns < left_ns ? idle->ns : left_ns;
            idle_bar(c, idle->cause)->ns[side] += ns;
            left_ns -= ns;
        }
        if (left_ns)
            idle_bar(c, causes ? S("idle: cause unknown") : S("idle"))->ns[side] +=
                left_ns;
    }
}

/* The class of a bar that stands for all computation: WORK_CATEGORIES. */
static void explain(struct compared_bar *b, const struct comparison *c, int class)
{
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct compared_row *r = &c->rows[i];
        int64_t ns[2] = {0, 0};
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < WORK_CATEGORIES; k++)
                if (class == k || class == WORK_CATEGORIES)
                    ns[side] += r->match->class_ns[side][k];
        if (!ns[0] && !ns[1])
            continue;
        b->kernel_ns[0] += ns[0];
        b->kernel_ns[1] += ns[1];
        enum match_level level = r->match->level;
        if (level == MATCH_ONLY_REFERENCE || level == MATCH_ONLY_CANDIDATE) {
            b->only_ns += ns[1] - ns[0];
        } else if (match_is_recast(r->match) || !match_one_class(r->match)) {
            b->recast_ns += ns[1] - ns[0];
        } else {
            b->count_ns += r->count_ns;
            b->speed_ns += r->speed_ns;
        }
    }
    b->overlap_ns = (b->ns[1] - b->ns[0]) - (b->kernel_ns[1] - b->kernel_ns[0]);
}

static int64_t size_of(const struct compared_bar *b)
{
    return llabs(b->ns[1] - b->ns[0]);
}

static int by_size(const void *a, const void *b)
{
    const struct compared_bar *x = a, *y = b;
    if (size_of(x) != size_of(y))
        return size_of(x) > size_of(y) ? -1 : 1;
    return str_cmp(x->name, y->name);
}

static void add_classes(struct comparison *c, const struct ranks *ranks,
                        int64_t parts_ns[2][WORK_CATEGORIES + 3])
{
    for (int i = 0; i < WORK_CATEGORIES; i++) {
        enum work_category category = ranks->category[i];
        struct compared_bar *b = add_bar(c, BAR_CLASS, work_category_display(category));
        b->category = category;
        b->ns[0] = parts_ns[0][i];
        b->ns[1] = parts_ns[1][i];
        explain(b, c, (int)category);
        if (!b->ns[0] && !b->ns[1] && !b->kernel_ns[0] && !b->kernel_ns[1])
            c->n_bars--;
    }
}

/* Of a side that is known by its tables alone. */
static void add_computation(struct comparison *c,
                            int64_t parts_ns[2][WORK_CATEGORIES + 3])
{
    struct compared_bar *b = add_bar(c, BAR_CLASS, S("computation"));
    b->category = WORK_CATEGORIES;
    for (int side = 0; side < 2; side++) {
        b->ns[side] = c->of[side]->computation_ns;
        for (int i = 0; c->of[side]->n_events && i < WORK_CATEGORIES; i++)
            b->ns[side] = (i ? b->ns[side] : 0) + parts_ns[side][i];
    }
    explain(b, c, WORK_CATEGORIES);
}

void class_changes(struct arena *perm, struct arena tmp, struct comparison *c,
                   const struct match_side sides[2])
{
    struct ranks ranks = rank_classes();
    int64_t parts_ns[2][WORK_CATEGORIES + 3] = {{0}};
    c->bars = arena_new(perm, struct compared_bar, BARS_MAX);
    for (int side = 0; side < 2; side++)
        if (c->of[side]->n_events)
            sweep_side(tmp, &sides[side], &ranks, parts_ns[side]);
        else
            parts_of_tables(c->of[side], parts_ns[side]);
    bool tables = c->of[0]->computation_ns && !c->of[0]->n_events;
    tables |= c->of[1]->computation_ns && !c->of[1]->n_events;
    if (tables)
        add_computation(c, parts_ns);
    else
        add_classes(c, &ranks, parts_ns);
    static const struct str names[] = {S_INIT("exposed communication"),
                                       S_INIT("exposed copies")};
    for (int k = 0; k < 2; k++) {
        int part = k ? sweep_copy(WORK_CATEGORIES) : sweep_comm(WORK_CATEGORIES);
        if (!parts_ns[0][part] && !parts_ns[1][part])
            continue;
        struct compared_bar *b = add_bar(c, k ? BAR_COPY : BAR_COMM, names[k]);
        b->ns[0] = parts_ns[0][part];
        b->ns[1] = parts_ns[1][part];
    }
    add_idle(c, parts_ns);
    qsort(c->bars, (size_t)c->n_bars, sizeof *c->bars, by_size);
}
