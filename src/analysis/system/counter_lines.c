/* Counters by step, by category of kernels and by kernel. */
#include "analysis/system/counters_build.h"

#include "base/duration.h"
#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>

enum { KERNELS_MOST = 30 };

struct str counter_part_word(enum counter_part p)
{
    static const struct str words[COUNTER_PARTS] = {S_INIT("step"), S_INIT("category"),
                                                    S_INIT("kernel")};
    return words[p];
}

enum line_value { LINE_SM, LINE_DRAM, LINE_POWER, LINE_CLOCK, LINE_VALUES };
static const enum counter_role role_of[LINE_VALUES] = {COUNTER_SM, COUNTER_DRAM,
                                                       COUNTER_POWER, COUNTER_CLOCK};

struct sums {
    double value[LINE_VALUES];
    int64_t known_ns[LINE_VALUES], time_ns;
};

static void add(struct sums *to, const struct counters *c, int64_t from_ns,
                int64_t end_ns)
{
    int64_t known_ns;
    to->time_ns += end_ns - from_ns;
    for (int k = 0; k < LINE_VALUES; k++) {
        const struct counter_row *r = c->main[role_of[k]];
        if (!r)
            continue;
        to->value[k] += counter_sum(&r->series, from_ns, end_ns, &known_ns);
        to->known_ns[k] += known_ns;
    }
    if (c->second)
        to->value[LINE_DRAM] +=
            counter_sum(&c->second->series, from_ns, end_ns, &known_ns);
}

static bool is_known(const struct sums *s)
{
    for (int k = 0; k < LINE_VALUES; k++)
        if (s->known_ns[k])
            return true;
    return false;
}

static double mean(const struct sums *s, enum line_value k)
{
    return s->known_ns[k] ? s->value[k] / (double)s->known_ns[k] : (double)NAN;
}

static struct counter_line line_of(enum counter_part part, struct str name,
                                   const struct sums *s)
{
    return (struct counter_line){.part = part,
                                 .name = name,
                                 .time_ms = ms_of(s->time_ns),
                                 .sm_pct = mean(s, LINE_SM),
                                 .dram_pct = mean(s, LINE_DRAM),
                                 .power_w = mean(s, LINE_POWER),
                                 .clock_mhz = mean(s, LINE_CLOCK),
                                 .energy_j = (double)NAN};
}

struct adding {
    struct arena *perm;
    const struct trace_view *v;
    const struct counters *c;
    struct counter_lines to;
};

static void push(struct adding *a, struct counter_line line)
{
    arena_grow(a->perm, a->to.rows, a->to.n);
    a->to.rows[a->to.n++] = line;
}

static void add_steps(struct adding *a)
{
    const struct trace_steps *t = &a->v->steps;
    for (int32_t k = 0; k < t->n; k++) {
        const struct trace_step *s = &t->rows[k];
        struct sums sum = {.time_ns = 0};
        add(&sum, a->c, s->start_ns, s->start_ns + s->dur_ns);
        if (!is_known(&sum))
            continue;
        struct str name = str_printf(a->perm, "%lld",
                                     (long long)(s->number >= 0 ? s->number : k + 1));
        struct counter_line line = line_of(COUNTER_OF_STEP, name, &sum);
        line.energy_j = counters_energy_j(a->c, s->start_ns, s->start_ns + s->dur_ns);
        push(a, line);
    }
}

static bool is_counted(const struct adding *a, event_id g)
{
    const struct device_uses *d = a->v->devices;
    return view_class(a->v, g) != GPU_MEMCPY &&
           (!d->n ||
            a->v->s->lanes[a->v->s->lane[g]].pid == d->of[a->c->device_place].pid);
}

static int longer(const void *x, const void *y)
{
    const struct counter_line *a = x, *b = y;
    return a->time_ms != b->time_ms ? (a->time_ms > b->time_ms ? -1 : 1)
                                    : str_cmp(a->name, b->name);
}

/* By the name of a kernel, as a number of the store; the longest stay. */
static void add_kernels(struct adding *a, struct arena tmp, const struct sums *of,
                        const int32_t *n_of)
{
    const struct event_store *s = a->v->s;
    const struct counter_row *r =
        a->c->main[COUNTER_SM] ? a->c->main[COUNTER_SM] : a->c->main[COUNTER_DRAM];
    int32_t n = 0;
    struct counter_line *list = arena_new(&tmp, struct counter_line, s->names.n);
    for (name_id id = 0; r && id < s->names.n; id++) {
        /* A sample says something of kernels that are as long as it, or longer. */
        double each_us = n_of[id] ? (double)of[id].time_ns / 1e3 / n_of[id] : 0;
        if (n_of[id] && each_us >= r->every_us && is_known(&of[id]))
            list[n++] = line_of(COUNTER_OF_KERNEL, pool_text(&s->names, id), &of[id]);
    }
    qsort(list, (size_t)n, sizeof *list, longer);
    for (int32_t k = 0; k < n && k < KERNELS_MOST; k++)
        push(a, list[k]);
}

static void add_work(struct adding *a, struct arena tmp, const int8_t *class,
                     const struct str *class_names, int n_classes)
{
    const struct trace_view *v = a->v;
    enum { COMMUNICATION, OTHER, BESIDE }; /* behind the classes */
    struct sums *by_class = arena_new(&tmp, struct sums, n_classes + BESIDE),
                *by_name = arena_new(&tmp, struct sums, v->s->names.n);
    int32_t *n_of = arena_new(&tmp, int32_t, v->s->names.n), first = a->to.n;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        struct sums one = {.time_ns = 0};
        if (!is_counted(a, g))
            continue;
        int c = class[launch_place(&v->launch, g)];
        if (c < 0)
            c = n_classes + (view_communicates(v, g) ? COMMUNICATION : OTHER);
        add(&one, a->c, v->s->start_ns[g], store_end_ns(v->s, g));
        struct sums *to[] = {&by_class[c], &by_name[v->s->name[g]]};
        n_of[v->s->name[g]]++;
        for (int i = 0; i < 2; i++) {
            to[i]->time_ns += one.time_ns;
            for (int x = 0; x < LINE_VALUES; x++) {
                to[i]->value[x] += one.value[x];
                to[i]->known_ns[x] += one.known_ns[x];
            }
        }
    }
    for (int c = 0; c < n_classes + BESIDE; c++)
        if (is_known(&by_class[c]))
            push(a, line_of(COUNTER_OF_CATEGORY,
                            c < n_classes                    ? class_names[c]
                            : c - n_classes == COMMUNICATION ? S("Communication")
                                                             : S("Other device work"),
                            &by_class[c]));
    if (a->to.n > first + 1)
        qsort(a->to.rows + first, (size_t)(a->to.n - first), sizeof *a->to.rows,
              longer);
    add_kernels(a, tmp, by_name, n_of);
}

struct counter_lines counter_lines_of(struct arena *perm, struct arena tmp,
                                      const struct trace_view *v,
                                      const struct counters *c, const int8_t *class,
                                      const struct str *class_names, int n_classes)
{
    struct adding a = {perm, v, c, {NULL, 0}};
    bool any = false;
    for (int k = 0; c && k < LINE_VALUES; k++)
        any |= c->main[role_of[k]] != NULL;
    if (!any)
        return a.to;
    add_steps(&a);
    add_work(&a, tmp, class, class_names, n_classes);
    return a.to;
}
