#include "report/job/job_pages.h"
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

/* A rank or node of the matrix. */
struct unit {
    int32_t number;
    struct str page, receivers;
    double sent, got;
};

TELL(double, sent_mb, unit, it->sent / 1e6);
TELL(double, got_mb, unit, it->got / 1e6);
COLUMNS(unit_columns, unit,
        {.title = "#Rank", .of = F(number, NUMBER), .link = F(page, TEXT)},
        {.title = "#Sends, MB", .of = CALL(sent, RATE, sent_mb), .decimals = 3},
        {.title = "#Receives, MB", .of = CALL(got, RATE, got_mb), .decimals = 3},
        {.title = "Sends to", .of = F(receivers, NAME)});

/* "4 to 7", the first and the last of those it sends to. */
static struct str receivers(struct job_maker *m, const struct job_pair *p, int n)
{
    if (n == 0)
        return S("");
    return n == 1 ? str_printf(m->perm, "%d", p[0].to)
                  : str_printf(m->perm, "%d to %d", p[0].to, p[n - 1].to);
}

/* How many pairs from the p-th on are of one sender. */
static int pairs_from(const struct exchange *x, int p, int32_t sender)
{
    int n = 0;
    while (p + n < x->pairs.n && x->pairs.all[p + n].from == sender)
        n++;
    return n;
}

static struct unit *units_of(struct job_maker *m, const struct exchange *x)
{
    struct unit *list = arena_new(m->perm, struct unit, x->n_units);
    for (int i = 0, p = 0; i < x->n_units; i++) {
        int32_t place = x->by_node ? -1 : job_rank_place(m->j, x->units[i]);
        int n = pairs_from(x, p, x->units[i]);
        list[i] = (struct unit){.number = x->units[i],
                                .receivers = receivers(m, &x->pairs.all[p], n),
                                .sent = x->sent[i],
                                .got = x->got[i]};
        if (place >= 0)
            list[i].page = m->j->ranks[place].page;
        p += n;
    }
    return list;
}

/* A column for each receiver; of many, for the first, second ... of each sender. */
static void matrix(struct job_maker *m, const struct exchange *x)
{
    int wide = x->square ? x->n_units : x->most_to;
    struct told_columns columns = unit_columns();
    if (x->square)
        columns = columns_without(m->perm, columns, 3);
    struct job_table *t = job_table(m, S("exchange"), "nccl_all2allv_heatmap", columns,
                                    ITEMS(units_of(m, x), x->n_units), NULL, wide);
    t->columns[0].title = str_of(x->unit);
    for (int k = 0; k < wide; k++)
        job_title(t, k,
                  x->square ? str_printf(m->perm, "To %d", x->units[k])
                            : str_printf(m->perm, "Receiver %d", k + 1));
    for (int i = 0, p = 0; i < t->n_rows; i++) {
        double v[WIDE];
        struct job_cell *cells = job_cell(t, i, t->n_told);
        int n = pairs_from(x, p, x->units[i]);
        for (int k = 0; k < WIDE; k++)
            v[k] = (double)NAN;
        for (int k = 0; k < n; k++, p++)
            v[x->square ? int_map_get(&x->at, x->pairs.all[p].to) : k] =
                x->pairs.all[p].bytes;
        job_heat(cells, v, wide, x->most);
        for (int k = 0; k < wide; k++)
            cells[k].text = job_real_text(m->perm, v[k] / 1e6, 3);
    }
}

/* Of all its calls, in MB; where it is not known who gets it. */
static double moved_mb(const struct described *in, bool sent)
{
    const struct job *j = in->whole;
    const struct job_rank *r = in->of;
    double sum = 0;
    for (int32_t k = 0; k < r->n_rows; k++) {
        const struct job_signature *g = &j->signatures[r->rows[k].signature];
        if (g->kind == COLLECTIVE_ALL_TO_ALL_V && g->in_elements >= 0 &&
            g->out_elements >= 0)
            sum += (double)(sent ? g->in_elements : g->out_elements) *
                   collective_element_bytes(g->dtype);
    }
    return sum / 1e6;
}

TELL(double, total_sent, job_rank, moved_mb(in, true));
TELL(double, total_got, job_rank, moved_mb(in, false));
COLUMNS(total_columns, job_rank,
        {.title = "#Rank", .of = F(rank, NUMBER), .link = F(page, TEXT)},
        {.title = "#Sends, MB", .of = CALL(sent, RATE, total_sent), .decimals = 3},
        {.title = "#Receives, MB", .of = CALL(got, RATE, total_got), .decimals = 3},
        {.title = "#Load, times even", .of = F(load_frac, RATE), .decimals = 2});

#define EVEN_TIMES 1.01 /* the mean: less is even */

/* What templates/words/job.txt says of it. */
struct exchange_said {
    bool is_split, is_sized, has_matrix; /* what the traces tell */
    bool is_uneven, is_even;             /* neither: nothing is sent */
    struct str unit, unit_word;          /* "Rank", "rank" */
    int32_t busiest;                     /* who gets most */
    double got_mb, mean_mb, times;
    int most_to;
    int64_t n_calls, n_unsplit;
};
FIELDS(exchange_said, F(is_split, FLAG), F(is_sized, FLAG), F(has_matrix, FLAG),
       F(is_uneven, FLAG), F(is_even, FLAG), F(unit, TEXT), F(unit_word, TEXT),
       F(busiest, NUMBER), F(got_mb, RATE), F(mean_mb, RATE), F(times, RATE),
       F(most_to, COUNT), F(n_calls, COUNT), F(n_unsplit, SOME));

/* Who gets most, against the mean. */
static void find_uneven(const struct exchange *x, struct exchange_said *s)
{
    int most = 0;
    for (int i = 1; i < x->n_units; i++)
        most = x->got[i] > x->got[most] ? i : most;
    double mean = x->of / x->n_units;
    s->busiest = x->units[most];
    s->got_mb = x->got[most] / 1e6;
    s->mean_mb = mean / 1e6;
    s->times = x->got[most] / mean;
    s->is_uneven = s->times > EVEN_TIMES;
    s->is_even = !s->is_uneven && x->of > 0;
}

const struct exchange_said *job_exchange(struct job_maker *m)
{
    struct arena tmp = m->tmp;
    struct exchange x = exchange_of(&tmp, m->j);
    struct exchange_said *s = arena_new(m->perm, struct exchange_said, 1);
    if (!x.n)
        return NULL;
    *s = (struct exchange_said){.is_split = x.pairs.n > 0,
                                .is_sized = x.n_sized > 0,
                                .has_matrix = x.pairs.n && x.fits,
                                .unit = str_of(x.unit),
                                .unit_word = x.by_node ? S("node") : S("rank"),
                                .most_to = x.most_to,
                                .n_calls = x.n,
                                .n_unsplit = x.n - x.n_split};
    if (s->is_split)
        find_uneven(&x, s);
    if (s->has_matrix)
        matrix(m, &x);
    else if (s->is_sized)
        job_table(m, S("exchange"), "job_ranks", total_columns(),
                  ITEMS(m->j->ranks, m->j->n_ranks), m->j, 0);
    return s;
}
