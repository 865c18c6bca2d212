#include "report/job/job_exchange_page.h"

#include "report/job/job_maker.h"
#include "report/job/job_pairs.h"

#include <math.h>
#include <stdlib.h>

enum { OWN_RANKS = 256, WIDE = 32 };

/* Ranks, or nodes of many ranks, that exchange; their sizes in bytes. */
struct exchange {
    const char *unit; /* "Rank" */
    bool by_node;
    struct job_pairs pairs;
    int64_t n, n_split, n_sized; /* calls; with a split; with sizes */
    struct int_map at;           /* place in `units` by number */
    int32_t *units;              /* numbers, in their order */
    int n_units, most_to;        /* receivers of one sender */
    bool square, fits;           /* a column for each; at least one for each receiver */
    double *sent, *got, most, of; /* by place; of a pair; all */
};

static void add_unit(struct arena *a, struct exchange *x, int32_t number)
{
    int32_t *at = int_map_at(&x->at, a, number);
    if (*at >= 0)
        return;
    *at = 0;
    arena_grow(a, x->units, x->n_units);
    x->units[x->n_units++] = number;
}

static int by_number(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void order_units(struct arena *a, struct exchange *x)
{
    if (x->n_units)
        qsort(x->units, (size_t)x->n_units, sizeof *x->units, by_number);
    for (int i = 0; i < x->n_units; i++)
        *int_map_at(&x->at, a, x->units[i]) = i;
    x->sent = arena_new(a, double, x->n_units);
    x->got = arena_new(a, double, x->n_units);
}

/* Adds what splits say of whom. */
static void add_pairs(struct arena *a, struct exchange *x)
{
    struct job_pairs *p = &x->pairs;
    job_pairs_sort(p);
    for (int i = 0; i < p->n; i++) {
        add_unit(a, x, p->all[i].from);
        add_unit(a, x, p->all[i].to);
    }
    order_units(a, x);
    for (int i = 0, to = 0; i < p->n; i++) {
        const struct job_pair *r = &p->all[i];
        to = i && r->from == p->all[i - 1].from ? to + 1 : 1;
        x->most_to = to > x->most_to ? to : x->most_to;
        x->sent[int_map_get(&x->at, r->from)] += r->bytes;
        x->got[int_map_get(&x->at, r->to)] += r->bytes;
        x->most = fmax(x->most, r->bytes);
        x->of += r->bytes;
    }
}

/* Nodes of ranks, by the number of the rank; -1: of no rank here. */
static void use_nodes(struct arena *a, struct exchange *x, const struct job *j)
{
    int n = j->ranks[j->n_ranks - 1].rank + 1;
    int32_t *node = arena_new(a, int32_t, n);
    for (int i = 0; i < n; i++)
        node[i] = -1;
    for (int i = 0; i < j->n_ranks; i++)
        node[j->ranks[i].rank] = j->ranks[i].node;
    x->unit = "Node";
    x->by_node = true;
    x->pairs.unit = node;
    x->pairs.n_units = n;
}

static struct exchange exchange_of(struct arena *a, const struct job *j)
{
    struct exchange x = {
        .unit = "Rank", .pairs.j = j, .at = int_map_make(a, OWN_RANKS)};
    if (j->n_ranks > OWN_RANKS)
        use_nodes(a, &x, j);
    for (int i = 0; i < j->n_ranks; i++)
        for (int32_t k = 0; k < j->ranks[i].n_rows; k++) {
            const struct job_signature *s =
                &j->signatures[j->ranks[i].rows[k].signature];
            if (s->kind != COLLECTIVE_ALL_TO_ALL_V)
                continue;
            x.n++;
            x.n_sized += s->in_elements >= 0 && s->out_elements >= 0 &&
                         collective_element_bytes(s->dtype) > 0;
            x.n_split += job_pairs_add(a, &x.pairs, j->ranks[i].rank, s);
        }
    add_pairs(a, &x);
    x.square = x.n_units <= WIDE;
    x.fits = x.square || x.most_to <= WIDE;
    return x;
}

/* Of a rank, with the link to its report if it is in the data. */
static void put_unit(struct job_maker *m, const struct exchange *x, int32_t number)
{
    int32_t place = x->by_node ? -1 : job_rank_place(m->j, number);
    if (place >= 0)
        job_put_rank(m, &m->j->ranks[place]);
    else
        job_put_n(m, number);
}

static void put_mb(struct job_maker *m, double bytes)
{
    job_put_real(m, bytes / 1e6, 3);
}

static void put_cells(struct job_maker *m, const struct exchange *x, const double *v,
                      int n)
{
    job_heat(m, m->at, v, n, x->most);
    for (int k = 0; k < n; k++)
        put_mb(m, v[k]);
}

/* "4 to 7", the first and the last of those it sends to. */
static struct str receivers(struct job_maker *m, const struct job_pair *p, int n)
{
    if (n == 0)
        return S("-");
    return n == 1 ? str_printf(m->perm, "%d", p[0].to)
                  : str_printf(m->perm, "%d to %d", p[0].to, p[n - 1].to);
}

/* A column for each receiver; of many, for the first, second ... of each sender. */
static void matrix(struct job_maker *m, struct job_section *s, const struct exchange *x)
{
    const char *titles[JOB_COLUMNS + 1] = {str_printf(m->perm, "#%s", x->unit).p,
                                           "#Sends, MB", "#Receives, MB"};
    int wide = x->square ? x->n_units : x->most_to, at = 3;
    if (!x->square)
        titles[at++] = "Sends to";
    for (int k = 0; k < wide; k++)
        titles[at++] = x->square ? str_printf(m->perm, "#To %d", x->units[k]).p
                                 : str_printf(m->perm, "#Receiver %d", k + 1).p;
    job_table_add(m, s, "What each sends to each other in all-to-all-v, MB", titles,
                  x->n_units, "nccl_all2allv_heatmap");
    for (int i = 0, p = 0; i < m->t->n_rows; i++) {
        double v[WIDE];
        const struct job_pair *own = &x->pairs.all[p];
        int n = 0;
        for (int k = 0; k < WIDE; k++)
            v[k] = (double)NAN;
        for (; p < x->pairs.n && x->pairs.all[p].from == x->units[i]; p++, n++)
            v[x->square ? int_map_get(&x->at, x->pairs.all[p].to) : n] =
                x->pairs.all[p].bytes;
        put_unit(m, x, x->units[i]);
        put_mb(m, x->sent[i]);
        put_mb(m, x->got[i]);
        if (!x->square)
            job_put(m, receivers(m, own, n));
        put_cells(m, x, v, wide);
    }
}

/* Where it is not known who gets it. */
static void totals(struct job_maker *m, struct job_section *s)
{
    static const char *const titles[] = {"#Rank", "#Sends, MB", "#Receives, MB",
                                         "#Load, times even", NULL};
    const struct job *j = m->j;
    job_table_add(m, s, "What each rank sends and receives in all-to-all-v", titles,
                  j->n_ranks, "job_ranks");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_rank *r = &j->ranks[i];
        double in = 0, out = 0;
        for (int32_t k = 0; k < r->n_rows; k++) {
            const struct job_signature *g = &j->signatures[r->rows[k].signature];
            int bytes = collective_element_bytes(g->dtype);
            if (g->kind != COLLECTIVE_ALL_TO_ALL_V || g->in_elements < 0 ||
                g->out_elements < 0)
                continue;
            in += (double)g->in_elements * bytes;
            out += (double)g->out_elements * bytes;
        }
        job_put_rank(m, r);
        put_mb(m, in);
        put_mb(m, out);
        job_put_real(m, r->load_frac, 2);
    }
}

#define EVEN_TIMES 1.01 /* the mean: less is even */

/* Who gets most, against the mean. */
static void say_uneven(struct job_maker *m, struct job_section *s,
                       const struct exchange *x)
{
    int most = 0;
    for (int i = 1; i < x->n_units; i++)
        most = x->got[i] > x->got[most] ? i : most;
    double mean = x->of / x->n_units, times = x->got[most] / mean;
    if (times > EVEN_TIMES)
        job_say(s, str_printf(m->perm,
                              "%s %d receives %.1f MB, %.2f times the mean of %.1f MB",
                              x->unit, x->units[most], x->got[most] / 1e6, times,
                              mean / 1e6));
    else if (x->of > 0)
        job_say(
            s, str_printf(m->perm, "Each receives about as much, %.1f MB", mean / 1e6));
    if (!x->fits) {
        const char *unit = x->by_node ? "node" : "rank";
        job_say(s, str_printf(m->perm,
                              "A %s sends to up to %d %ss: the table has what each "
                              "rank sends and receives in all",
                              unit, x->most_to, unit));
        return;
    }
    job_say(s, S("The darker a cell, the more; what stays where it is counts too"));
    if (x->n_split < x->n)
        job_say(s, str_printf(m->perm,
                              "Of %lld calls, %lld do not say how much goes to whom, "
                              "and are not in the table",
                              (long long)x->n, (long long)(x->n - x->n_split)));
}

void job_exchange_section(struct job_maker *m, struct job_page *p)
{
    struct arena tmp = m->tmp;
    struct exchange x = exchange_of(&tmp, m->j);
    if (!x.n)
        return;
    struct job_section *s =
        job_section_add(p, "exchange", "Who sends how much to whom in all-to-all-v");
    if (x.pairs.n)
        say_uneven(m, s, &x);
    else
        job_say(s, x.n_sized ? S("The traces say how much each rank sends and receives "
                                 "in all, not how much goes to whom. Load: of each "
                                 "call the direction that is less even")
                             : S("The traces do not say how much is sent"));
    if (x.pairs.n && x.fits)
        matrix(m, s, &x);
    else if (x.n_sized)
        totals(m, s);
}
