#include "report/job/job_ranks_pages.h"

#include "base/sort.h"
#include "report/job/job_maker.h"

#include <math.h>
#include <stdlib.h>

enum {
    RANKS_MAX = 1024, /* of more, the page has bins and leads to pages of ranks */
    PAGE_RANKS = 512,
    BIN_RANKS = 64,
    BARS_MAX = 128, /* ranks, or bins, side by side in a drawing */
    LIKE_LEAST = 4, /* ranks of a role: of fewer none is far from the others */
    OUTLIERS_MAX = 1024
};
#define APART_LEAST 0.02 /* of the window: less is not far from the middle */
#define APART_TIMES (5 * 1.4826)

static const enum figure_slot slots[JOB_PARTS] = {[JOB_PART_COMPUTE] = SLOT_COMPUTE,
                                                  [JOB_PART_TRANSFER] =
                                                      SLOT_COMMUNICATION,
                                                  [JOB_PART_WAIT] = SLOT_WAITS,
                                                  [JOB_PART_COPY] = SLOT_COPY,
                                                  [JOB_PART_IDLE] = SLOT_IDLE};

/* The parts of all ranks' windows, and what is in the middle. */
struct parts {
    double (*frac)[JOB_PARTS]; /* by rank */
    double middle[JOB_PARTS];
    double most; /* how far any is from the middle */
};

static double middle_of(struct arena tmp, const struct parts *p, const int32_t *ranks,
                        int n, int part, double from)
{
    struct sort_row *rows = arena_new(&tmp, struct sort_row, n);
    for (int i = 0; i < n; i++)
        rows[i] = (struct sort_row){
            llround(fabs(p->frac[ranks ? ranks[i] : i][part] - from) * 1e9), i};
    sort_rows(tmp, rows, n);
    return (double)rows[n / 2].key / 1e9;
}

static struct parts parts_of(struct job_maker *m)
{
    const struct job *j = m->j;
    struct parts p = {.most = APART_LEAST};
    p.frac = arena_take(m->perm, sizeof *p.frac, 8, j->n_ranks);
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_balance *b = &j->ranks[i].balance;
        for (int k = 0; k < JOB_PARTS && b->window_ns > 0; k++)
            p.frac[i][k] =
                (double)job_part_ns(b, (enum job_part)k) / (double)b->window_ns;
    }
    for (int k = 0; k < JOB_PARTS; k++) {
        p.middle[k] = middle_of(m->tmp, &p, NULL, j->n_ranks, k, 0);
        for (int i = 0; i < j->n_ranks; i++)
            p.most = fmax(p.most, fabs(p.frac[i][k] - p.middle[k]));
    }
    return p;
}

static double apart(const struct parts *p, int rank)
{
    double most = 0;
    for (int k = 0; k < JOB_PARTS; k++)
        most = fmax(most, fabs(p->frac[rank][k] - p->middle[k]));
    return most;
}

/* The rank from `from` to `to` that is furthest from the one in the middle. */
static int furthest(const struct parts *p, int from, int to)
{
    int best = from;
    for (int i = from; i < to; i++)
        best = apart(p, i) > apart(p, best) ? i : best;
    return best;
}

static struct str parts_text(struct job_maker *m, const double *frac)
{
    struct str s = S("");
    for (int k = 0; k < JOB_PARTS; k++)
        s = str_printf(m->perm, "%.*s%s%.*s %.1f%%", STRF(s), k ? ", " : "",
                       STRF(job_part_word((enum job_part)k)), 100 * frac[k]);
    return s;
}

/* Ranks side by side; of many, of each few the one furthest from the middle. */
static struct report_figure side_by_side(struct job_maker *m, const struct parts *p)
{
    const struct job *j = m->j;
    int each = (j->n_ranks + BARS_MAX - 1) / BARS_MAX;
    int n = (j->n_ranks + each - 1) / each;
    struct report_figure f = figure_titled(
        FIGURE_BINS, "balance-of-ranks", "Where the time of each rank goes",
        "rank, in the order of numbers", "of its window, %", "Rank",
        "Parts of its window");
    struct figure_series *series = arena_new(m->perm, struct figure_series, JOB_PARTS);
    double *values = arena_new(m->perm, double, (ptrdiff_t)n *JOB_PARTS);
    f.marks = arena_new(m->perm, struct figure_mark, n);
    f.series = series;
    f.n_series = JOB_PARTS;
    f.n_bins = f.n_marks = n;
    f.x_high = j->n_ranks;
    for (int k = 0; k < JOB_PARTS; k++)
        series[k] = (struct figure_series){
            .label = job_part_word((enum job_part)k),
            .value_text = str_printf(m->perm, "%.1f%%", 100 * p->middle[k]),
            .slot = slots[k],
            .values = values + (ptrdiff_t)k * n};
    for (int b = 0; b < n; b++) {
        int to = (b + 1) * each < j->n_ranks ? (b + 1) * each : j->n_ranks;
        int i = furthest(p, b * each, to);
        for (int k = 0; k < JOB_PARTS; k++)
            values[k * n + b] = 100 * p->frac[i][k];
        f.marks[b].label = str_printf(m->perm, "rank %d", j->ranks[i].rank);
        f.marks[b].value_text = parts_text(m, p->frac[i]);
    }
    f.caption = each > 1
                    ? str_printf(m->perm,
                                 "Of each %d ranks the one furthest from the middle is "
                                 "drawn; the legend tells the middle of all",
                                 each)
                    : str_printf(m->perm, "The parts of each rank's window; the legend "
                                          "tells the middle of all");
    f.description = f.caption;
    return f;
}

/* How each part differs from rank to rank. */
static struct report_figure spread_figure(struct job_maker *m)
{
    const struct job *j = m->j;
    struct report_figure f = figure_titled(
        FIGURE_RANGES, "spread-of-parts", "How the parts differ between ranks",
        "time of a rank, ms", "part", "Part", "From the least to the most of any rank");
    f.marks = arena_new(m->perm, struct figure_mark, JOB_PARTS);
    int widest = 0;
    for (int k = 0; k < JOB_PARTS; k++) {
        const struct job_spread *x = &m->r->spread[k];
        int64_t range_ns = x->most_ns - x->least_ns;
        if (range_ns > m->r->spread[widest].most_ns - m->r->spread[widest].least_ns)
            widest = k;
        f.marks[f.n_marks++] = (struct figure_mark){
            .label = job_part_word((enum job_part)k),
            .value_text = str_printf(m->perm, "%.*s to %.*s, middle %.*s",
                                     STRF(duration_text(m->perm, x->least_ns)),
                                     STRF(duration_text(m->perm, x->most_ns)),
                                     STRF(duration_text(m->perm, x->middle_ns))),
            .letter = S(" "),
            .slot = slots[k],
            .low = (double)x->least_ns / 1e6,
            .high = (double)x->most_ns / 1e6,
            .value = (double)x->middle_ns / 1e6};
    }
    f.caption =
        j->n_ranks == 1
            ? S("What the one rank in the data does")
            : str_printf(m->perm, "Of %d ranks, %.*s differs most: %.*s", j->n_ranks,
                         STRF(f.marks[widest].label), STRF(f.marks[widest].value_text));
    f.description = f.caption;
    return f;
}

static const char *const rank_titles[] = {"#Rank",
                                          "#Node",
                                          "Host",
                                          "#Window, ms",
                                          "#Computing, %",
                                          "#Moving data, %",
                                          "#Waiting, %",
                                          "#Copies, %",
                                          "#Idle, %",
                                          "#Clock ahead, us",
                                          NULL};

static void put_parts(struct job_maker *m, const struct parts *p, int rank)
{
    double far[JOB_PARTS];
    for (int k = 0; k < JOB_PARTS; k++)
        far[k] = fabs(p->frac[rank][k] - p->middle[k]);
    job_heat(m, m->at, far, JOB_PARTS, p->most);
    for (int k = 0; k < JOB_PARTS; k++)
        job_put_pct(m, p->frac[rank][k], 1);
}

static void put_rank_row(struct job_maker *m, const struct parts *p, int i)
{
    const struct job_rank *r = &m->j->ranks[i];
    job_put_rank(m, r);
    job_put_n(m, r->node);
    job_put(m, r->host.n ? r->host : S("-"));
    job_put_ns(m, r->balance.window_ns);
    put_parts(m, p, i);
    job_put_real(m, (double)r->offset_ns / 1e3, 1);
}

static void ranks_table(struct job_maker *m, struct job_section *s,
                        const struct parts *p, int from, int to)
{
    m->rows_max = RANKS_MAX;
    job_say(s, S("The darker, the further from the rank in the middle"));
    job_table_add(m, s, "Time of each rank in parts of its window", rank_titles,
                  to - from, "job_ranks");
    for (int i = 0; i < m->t->n_rows; i++)
        put_rank_row(m, p, from + i);
    m->rows_max = 0;
}

static struct str page_of(struct job_maker *m, int rank)
{
    return str_printf(m->perm, "ranks-%d.html", rank / PAGE_RANKS * PAGE_RANKS);
}

static struct str span_text(struct job_maker *m, int from, int to)
{
    return str_printf(m->perm, "%d-%d", m->j->ranks[from].rank,
                      m->j->ranks[to - 1].rank);
}

/* Of more ranks than a page shows: of each bin the one furthest from the middle. */
static void bins_table(struct job_maker *m, struct job_section *s,
                       const struct parts *p)
{
    static const char *const titles[] = {"#Ranks",
                                         "#Furthest from the middle",
                                         "#Window, ms",
                                         "#Computing, %",
                                         "#Moving data, %",
                                         "#Waiting, %",
                                         "#Copies, %",
                                         "#Idle, %",
                                         NULL};
    const struct job *j = m->j;
    int each = j->n_ranks > BIN_RANKS * JOB_TABLE_ROWS ? PAGE_RANKS : BIN_RANKS;
    job_say(
        s, S("Each row has many ranks, and shows the one furthest from the middle; its "
             "link leads to all of them"));
    job_table_add(m, s, "The rank furthest from the middle, of each many", titles,
                  (j->n_ranks + each - 1) / each, "job_ranks");
    for (int b = 0; b < m->t->n_rows; b++) {
        int to = (b + 1) * each < j->n_ranks ? (b + 1) * each : j->n_ranks;
        int i = furthest(p, b * each, to);
        m->t->cells[m->at].href = page_of(m, b * each);
        job_put(m, span_text(m, b * each, to));
        job_put_n(m, j->ranks[i].rank);
        job_put_ns(m, j->ranks[i].balance.window_ns);
        put_parts(m, p, i);
    }
}

struct outlier {
    int rank, part;
    double middle, times;
};

/* By how many spreads of its role a part of a rank is off. */
static int find_outliers(struct arena tmp, const struct job *j, const struct parts *p,
                         struct outlier to[OUTLIERS_MAX])
{
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_ranks);
    int32_t *ranks = arena_new(&tmp, int32_t, j->n_ranks);
    int n = 0;
    for (int i = 0; i < j->n_ranks; i++)
        rows[i] = (struct sort_row){j->ranks[i].role, i};
    sort_rows(tmp, rows, j->n_ranks);
    for (int from = 0, end; from < j->n_ranks; from = end) {
        for (end = from; end < j->n_ranks && rows[end].key == rows[from].key; end++)
            ranks[end - from] = rows[end].row;
        for (int k = 0; k < JOB_PARTS && end - from >= LIKE_LEAST; k++) {
            double mid = middle_of(tmp, p, ranks, end - from, k, 0);
            double spread = middle_of(tmp, p, ranks, end - from, k, mid);
            double far = fmax(APART_LEAST, APART_TIMES * spread);
            for (int i = 0; i < end - from && n < OUTLIERS_MAX; i++)
                if (fabs(p->frac[ranks[i]][k] - mid) > far)
                    to[n++] = (struct outlier){
                        ranks[i], k, mid, fabs(p->frac[ranks[i]][k] - mid) / spread};
        }
    }
    return n;
}

static int by_rank(const void *a, const void *b)
{
    const struct outlier *x = a, *y = b;
    return x->rank != y->rank ? x->rank - y->rank : x->part - y->part;
}

static void outliers(struct job_maker *m, struct job_page *page, const struct parts *p)
{
    static const char *const titles[] = {"#Rank",
                                         "Part",
                                         "#Of its window, %",
                                         "#In the middle, %",
                                         "#Times the usual spread",
                                         NULL};
    struct arena tmp = m->tmp;
    struct outlier *list = arena_new(&tmp, struct outlier, OUTLIERS_MAX);
    int n = find_outliers(tmp, m->j, p, list);
    struct job_section *s = job_section_add(page, "far", "Ranks far from the others");
    if (!n) {
        job_say(s,
                S("No rank is further from the middle of ranks that do the same than "
                  "five times what is usual, and 2% of its window"));
        return;
    }
    qsort(list, (size_t)n, sizeof *list, by_rank);
    job_say(
        s, S("Further from the middle of the ranks that call the same collectives than "
             "five times what is usual (the median deviation), and 2% of the window"));
    job_table_add(m, s, "Ranks far from those that do the same", titles, n,
                  "job_ranks");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct outlier *o = &list[i];
        job_put_rank(m, &m->j->ranks[o->rank]);
        job_put(m, job_part_word((enum job_part)o->part));
        job_put_pct(m, p->frac[o->rank][o->part], 1);
        job_put_pct(m, o->middle, 1);
        job_put_real(m, o->times, 0);
    }
}

static void more_pages(struct job_maker *m, const struct parts *p)
{
    for (int from = 0; from < m->j->n_ranks; from += PAGE_RANKS) {
        int to = from + PAGE_RANKS < m->j->n_ranks ? from + PAGE_RANKS : m->j->n_ranks;
        struct str span = span_text(m, from, to);
        struct job_page *page =
            job_page_add(m->perm, m->d, page_of(m, from).p,
                         str_printf(m->perm, "Ranks %.*s", STRF(span)).p,
                         "Where does the time of each of these ranks go?");
        page->under = true;
        ranks_table(m, job_section_add(page, "balance", "Where the time goes"), p, from,
                    to);
    }
}

void job_ranks_page(struct job_maker *m)
{
    const struct job *j = m->j;
    struct parts p = parts_of(m);
    struct job_page *page = job_page_add(m->perm, m->d, "ranks.html", "Ranks",
                                         "Where does the time of each rank go?");
    struct job_section *s = job_section_add(page, "spread", "From rank to rank");
    job_say(s, str_printf(m->perm,
                          "The rank that computes most computes %.1f%% more than the "
                          "mean; parts of a window exclude each other and add up to it",
                          100 * j->imbalance_frac));
    s->figure = spread_figure(m);
    s->has_figure = true;
    s = job_section_add(page, "side-by-side", "All ranks side by side");
    s->figure = side_by_side(m, &p);
    s->has_figure = true;
    outliers(m, page, &p);
    s = job_section_add(page, "balance", "Where the time goes");
    if (j->n_ranks <= RANKS_MAX)
        ranks_table(m, s, &p, 0, j->n_ranks);
    else
        bins_table(m, s, &p);
    if (j->n_ranks > RANKS_MAX)
        more_pages(m, &p);
}

/* Of each step the longest time of any rank and that of the one in the middle. */
static struct report_figure steps_figure(struct job_maker *m, int64_t *middle_ns)
{
    const struct job *j = m->j;
    struct report_figure f =
        figure_titled(FIGURE_LINES, "step-times", "How long each step takes", "step",
                      "ms", "Step", "Slowest rank and the middle");
    struct figure_series *series = arena_new(m->perm, struct figure_series, 2);
    double *slow = arena_new(m->perm, double, j->n_steps);
    double *mid = arena_new(m->perm, double, j->n_steps);
    int worst = 0;
    f.series = series;
    f.n_series = 2;
    f.n_bins = j->n_steps;
    f.x_high = j->n_steps;
    for (int i = 0; i < j->n_steps; i++) {
        slow[i] = (double)j->steps[i].dur_ns / 1e6;
        mid[i] = (double)middle_ns[i] / 1e6;
        worst = j->steps[i].dur_ns > j->steps[worst].dur_ns ? i : worst;
    }
    series[0] = (struct figure_series){
        .label = S("the slowest rank"),
        .value_text = str_printf(m->perm, "longest %.*s, step %lld",
                                 STRF(duration_text(m->perm, j->steps[worst].dur_ns)),
                                 (long long)j->steps[worst].number),
        .slot = SLOT_COMPUTE,
        .values = slow};
    series[1] = (struct figure_series){
        .label = S("the rank in the middle"), .slot = SLOT_IDLE, .values = mid};
    f.caption = str_printf(m->perm, "The longest is step %lld: %.*s on rank %d",
                           (long long)j->steps[worst].number,
                           STRF(duration_text(m->perm, j->steps[worst].dur_ns)),
                           j->ranks[j->steps[worst].slowest].rank);
    f.description = f.caption;
    return f;
}

/* Of the times that ranks take for each step, the one in the middle. */
static int64_t *middles(struct job_maker *m)
{
    const struct job *j = m->j;
    int64_t *to = arena_new(m->perm, int64_t, j->n_steps);
    struct arena tmp = m->tmp;
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_ranks);
    for (int s = 0; s < j->n_steps; s++) {
        for (int i = 0; i < j->n_ranks; i++) {
            const struct job_rank *r = &j->ranks[i];
            const struct rank_step *own = &r->steps[r->step_at[s]];
            rows[i] = (struct sort_row){own->end_ns - own->start_ns, i};
        }
        sort_rows(tmp, rows, j->n_ranks);
        to[s] = rows[(j->n_ranks - 1) / 2].key;
    }
    return to;
}

void job_steps_page(struct job_maker *m)
{
    static const char *const titles[] = {"#Step", "#Time, ms", "#Slowest rank",
                                         "#In the middle, ms", NULL};
    const struct job *j = m->j;
    struct job_page *p = job_page_add(m->perm, m->d, "steps.html", "Steps",
                                      "How long does each step take?");
    struct job_section *s = job_section_add(p, "steps", "Steps that all ranks have");
    int64_t *middle_ns = middles(m);
    if (!j->n_steps)
        job_say(s, S("No steps are marked that all ranks have"));
    if (j->n_steps > 1) {
        s->figure = steps_figure(m, middle_ns);
        s->has_figure = true;
    }
    job_table_add(m, s, "The longest time of any rank for each step", titles,
                  j->n_steps, "job_steps");
    for (int i = 0; i < m->t->n_rows; i++) {
        job_put_n(m, j->steps[i].number);
        job_put_ns(m, j->steps[i].dur_ns);
        job_put_rank(m, &j->ranks[j->steps[i].slowest]);
        job_put_ns(m, middle_ns[i]);
    }
}
