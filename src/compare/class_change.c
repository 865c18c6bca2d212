#include "compare/class_change.h"

#include "capture/waterfall.h"

#include <stdlib.h>
#include <string.h>

enum { IDLE_BARS_MAX = 64, BARS_MAX = WORK_CATEGORIES + 3 + IDLE_BARS_MAX };

static bool knows_classes(const struct capture *c)
{
    return c->n_events > 0 || c->has_parts || !c->computation_ns;
}

static void find_parts(struct arena tmp, const struct match_side *s, int64_t *parts_ns)
{
    const struct capture *c = s->c;
    if (c->n_events) {
        capture_sweep(tmp, c, s->spans, s->n_spans, parts_ns);
        return;
    }
    memcpy(parts_ns, c->parts_ns, sizeof c->parts_ns);
    if (c->has_parts)
        return;
    /* A report's tables know computation as a whole. */
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

/* NULL: there are more causes than any analysis tells apart. */
static struct compared_bar *idle_bar(struct comparison *c, struct str name)
{
    int n = 0;
    for (int i = 0; i < c->n_bars; i++)
        n += c->bars[i].kind == BAR_IDLE;
    for (int i = 0; i < c->n_bars; i++)
        if (c->bars[i].kind == BAR_IDLE && str_eq(c->bars[i].name, name))
            return &c->bars[i];
    return n < IDLE_BARS_MAX ? add_bar(c, BAR_IDLE, name) : NULL;
}

/* Whether it lies in what is compared: the whole window, or one of the steps. */
static bool is_compared(const struct comparison *c, int side,
                        const struct capture_idle *idle)
{
    const struct selection *s = &c->selection;
    if (!s->n_steps || idle->step < 0 || idle->step >= c->of[side]->n_steps)
        return !s->n_steps && idle->step < 0;
    int64_t start_ns = c->of[side]->steps[idle->step].start_ns;
    int at = span_from(s->spans[side], s->n_spans[side], start_ns);
    return at < s->n_spans[side] && s->spans[side][at].start_ns == start_ns;
}

/* What the causes leave is one bar. */
static void add_idle(struct comparison *c, int64_t parts_ns[2][CAPTURE_PARTS])
{
    bool causes = true; /* known on both sides, or they would stand for a difference */
    for (int side = 0; side < 2; side++)
        causes = causes &&
                 (c->of[side]->n_idle || !parts_ns[side][sweep_idle(WORK_CATEGORIES)]);
    int64_t rest_ns[2];
    for (int side = 0; side < 2; side++) {
        int64_t left_ns = parts_ns[side][sweep_idle(WORK_CATEGORIES)];
        c->idle_ns[side] = left_ns;
        for (int i = 0; causes && i < c->of[side]->n_idle; i++) {
            const struct capture_idle *idle = &c->of[side]->idle[i];
            if (!is_compared(c, side, idle))
                continue;
            struct compared_bar *b = idle_bar(c, idle->cause);
            int64_t ns = idle->ns < left_ns ? idle->ns : left_ns;
            if (!b)
                continue;
            b->ns[side] += ns;
            left_ns -= ns;
        }
        rest_ns[side] = left_ns;
    }
    if (rest_ns[0] || rest_ns[1]) {
        struct compared_bar *rest =
            add_bar(c, BAR_IDLE, causes ? S("idle: cause unknown") : S("idle"));
        rest->ns[0] = rest_ns[0];
        rest->ns[1] = rest_ns[1];
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

static void add_classes(struct comparison *c, int64_t parts_ns[2][CAPTURE_PARTS])
{
    for (int i = 0; i < WORK_CATEGORIES; i++) {
        enum work_category category = (enum work_category)i;
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
static void add_computation(struct comparison *c, int64_t parts_ns[2][CAPTURE_PARTS])
{
    struct compared_bar *b = add_bar(c, BAR_CLASS, S("computation"));
    b->category = WORK_CATEGORIES;
    for (int side = 0; side < 2; side++) {
        bool summed = c->of[side]->n_events || c->of[side]->has_parts;
        b->ns[side] = summed ? 0 : c->of[side]->computation_ns;
        for (int i = 0; summed && i < WORK_CATEGORIES; i++)
            b->ns[side] += parts_ns[side][i];
    }
    explain(b, c, WORK_CATEGORIES);
}

/* What the tables still know of each category: its kernels, one by one. */
static void add_sums(struct arena *perm, struct comparison *c)
{
    c->sums = arena_new(perm, struct compared_bar, WORK_CATEGORIES);
    for (int i = 0; i < WORK_CATEGORIES; i++) {
        enum work_category category = (enum work_category)i;
        struct compared_bar *b = &c->sums[c->n_sums];
        *b = (struct compared_bar){.kind = BAR_CLASS,
                                   .name = work_category_display(category),
                                   .category = category};
        explain(b, c, i);
        for (int side = 0; side < 2; side++)
            b->ns[side] = b->kernel_ns[side];
        b->overlap_ns = 0;
        c->n_sums += b->kernel_ns[0] || b->kernel_ns[1];
    }
    qsort(c->sums, (size_t)c->n_sums, sizeof *c->sums, by_size);
}

void class_changes(struct arena *perm, struct arena tmp, struct comparison *c,
                   const struct match_side sides[2])
{
    int64_t parts_ns[2][CAPTURE_PARTS] = {{0}};
    c->bars = arena_new(perm, struct compared_bar, BARS_MAX);
    for (int side = 0; side < 2; side++)
        find_parts(tmp, &sides[side], parts_ns[side]);
    if (knows_classes(c->of[0]) && knows_classes(c->of[1])) {
        add_classes(c, parts_ns);
    } else {
        add_computation(c, parts_ns);
        add_sums(perm, c);
    }
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
