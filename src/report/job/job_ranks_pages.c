#include "report/job/job_pages.h"

#include "report/job/job_measured.h"

#include "base/sort.h"

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
    f.numbered = true;
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
                                 "Of each %d ranks the one furthest from the median is "
                                 "drawn; the legend has the median of all",
                                 each)
                    : str_printf(m->perm, "The parts of each rank's window; the legend "
                                          "has the median of all");
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
            .value_text = str_printf(m->perm, "%.*s to %.*s, median %.*s",
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

/* A rank; or many, of which the one furthest from the median is shown. */
struct rank_row {
    struct str span, host, page; /* span: "0-63" */
    int32_t rank, node;
    int64_t window_ns;
    double pct[JOB_PARTS], offset_us;
};

#define PARTS_TOLD                                                                     \
    {.title = "#Computing, %", .of = F(pct[JOB_PART_COMPUTE], PCT), .decimals = 1},    \
        {.title = "#Moving data, %",                                                   \
         .of = F(pct[JOB_PART_TRANSFER], PCT),                                         \
         .decimals = 1},                                                               \
        {.title = "#Waiting, %", .of = F(pct[JOB_PART_WAIT], PCT), .decimals = 1},     \
        {.title = "#Copies, %", .of = F(pct[JOB_PART_COPY], PCT), .decimals = 1},      \
    {                                                                                  \
        .title = "#Idle, %", .of = F(pct[JOB_PART_IDLE], PCT), .decimals = 1           \
    }
COLUMNS(rank_columns, rank_row,
        {.title = "#Rank", .of = F(rank, NUMBER), .link = F(page, TEXT)},
        {.title = "#Node", .of = F(node, NUMBER)},
        {.title = "Host", .of = F(host, NAME)},
        {.title = "#Window, ms", .of = F(window_ns, NS)}, PARTS_TOLD,
        {.title = "#Clock ahead, µs", .of = F(offset_us, US), .decimals = 1});
COLUMNS(bin_columns, rank_row,
        {.title = "#Ranks", .of = F(span, TEXT), .link = F(page, TEXT)},
        {.title = "#Furthest from the median", .of = F(rank, NUMBER)},
        {.title = "#Window, ms", .of = F(window_ns, NS)}, PARTS_TOLD);
enum { RANK_PARTS_AT = 4, BIN_PARTS_AT = 3 };

static struct rank_row row_of(const struct job *j, const struct parts *p, int i)
{
    const struct job_rank *r = &j->ranks[i];
    struct rank_row row = {.rank = r->rank,
                           .node = r->node,
                           .host = r->host,
                           .page = r->page,
                           .window_ns = r->balance.window_ns,
                           .offset_us = (double)r->offset_ns / 1e3};
    for (int k = 0; k < JOB_PARTS; k++)
        row.pct[k] = 100 * p->frac[i][k];
    return row;
}

static void heat_parts(struct job_table *t, const struct parts *p,
                       const struct rank_row *rows, int at)
{
    for (int i = 0; i < t->n_rows; i++) {
        double far[JOB_PARTS];
        for (int k = 0; k < JOB_PARTS; k++)
            far[k] = fabs(rows[i].pct[k] / 100 - p->middle[k]);
        job_heat(job_cell(t, i, at), far, JOB_PARTS, p->most);
    }
}

static void ranks_table(struct job_maker *m, struct str name, const struct parts *p,
                        int from, int to)
{
    struct rank_row *rows = arena_new(m->perm, struct rank_row, to - from);
    for (int i = from; i < to; i++)
        rows[i - from] = row_of(m->j, p, i);
    m->rows_max = RANKS_MAX;
    heat_parts(job_table(m, name, "job_ranks", rank_columns(), ITEMS(rows, to - from),
                         NULL, 0),
               p, rows, RANK_PARTS_AT);
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
static void bins_table(struct job_maker *m, const struct parts *p)
{
    const struct job *j = m->j;
    int each = j->n_ranks > BIN_RANKS * JOB_TABLE_ROWS ? PAGE_RANKS : BIN_RANKS;
    int n = (j->n_ranks + each - 1) / each;
    struct rank_row *rows = arena_new(m->perm, struct rank_row, n);
    for (int b = 0; b < n; b++) {
        int to = (b + 1) * each < j->n_ranks ? (b + 1) * each : j->n_ranks;
        rows[b] = row_of(j, p, furthest(p, b * each, to));
        rows[b].page = page_of(m, b * each);
        rows[b].span = span_text(m, b * each, to);
    }
    heat_parts(
        job_table(m, S("balance"), "job_ranks", bin_columns(), ITEMS(rows, n), NULL, 0),
        p, rows, BIN_PARTS_AT);
}

struct outlier {
    int rank, part;
    double middle, times;
    int32_t number; /* of the rank; its page, and parts of the window */
    struct str page;
    double pct, middle_pct;
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
                        .rank = ranks[i],
                        .part = k,
                        .middle = mid,
                        .times = fabs(p->frac[ranks[i]][k] - mid) / spread};
        }
    }
    return n;
}

static int by_rank(const void *a, const void *b)
{
    const struct outlier *x = a, *y = b;
    return x->rank != y->rank ? x->rank - y->rank : x->part - y->part;
}

TELL(struct str, part, outlier, job_part_word((enum job_part)it->part));
COLUMNS(outlier_columns, outlier,
        {.title = "#Rank", .of = F(number, NUMBER), .link = F(page, TEXT)},
        {.title = "Part", .of = CALL(part, TEXT, part)},
        {.title = "#Of its window, %", .of = F(pct, PCT), .decimals = 1},
        {.title = "#Median, %", .of = F(middle_pct, PCT), .decimals = 1},
        {.title = "#Times the usual spread", .of = F(times, RATE)});

static int outliers(struct job_maker *m, const struct parts *p)
{
    struct outlier *list = arena_new(m->perm, struct outlier, OUTLIERS_MAX);
    int n = find_outliers(m->tmp, m->j, p, list);
    if (n)
        qsort(list, (size_t)n, sizeof *list, by_rank);
    for (int i = 0; i < n; i++) {
        struct outlier *o = &list[i];
        o->number = m->j->ranks[o->rank].rank;
        o->page = m->j->ranks[o->rank].page;
        o->pct = 100 * p->frac[o->rank][o->part];
        o->middle_pct = 100 * o->middle;
    }
    job_table(m, S("far"), "job_ranks", outlier_columns(), ITEMS(list, n), NULL, 0);
    return n;
}

TELL(struct str, title, job_measured, measure_title(it->of));
TELL(struct str, least, job_measured, measure_text(in->tmp, it->of, it->least));
TELL(struct str, mean, job_measured, measure_text(in->tmp, it->of, it->mean));
TELL(struct str, most, job_measured, measure_text(in->tmp, it->of, it->most));
COLUMNS(measure_columns, job_measured,
        {.title = "What", .of = CALL(title, TEXT, title)},
        {.title = "#Mean", .of = CALL(mean, TEXT, mean)},
        {.title = "#Least", .of = CALL(least, TEXT, least)},
        {.title = "#Rank of it", .of = F(least_rank, NUMBER)},
        {.title = "#Most", .of = CALL(most, TEXT, most)},
        {.title = "#Rank of it", .of = F(most_rank, NUMBER)},
        {.title = "#Ranks that tell it", .of = F(n, COUNT)});

static int measures(struct job_maker *m)
{
    struct field_items list = job_measures(m->perm, m->j);
    job_table(m, S("measured"), "job_measured", measure_columns(), list, NULL, 0);
    return list.n;
}

/* One of the pages under that of ranks. */
struct ranks_under {
    struct str file, span;
};

/* What templates/words/job.txt says of ranks. */
struct ranks_said {
    double more_pct;
    bool any_far, in_bins, any_measured;
    struct ranks_under *under;
    int n_under;
};
static FIELDS(ranks_under, F(file, TEXT), F(span, TEXT));
FIELDS(ranks_said, F(more_pct, PCT), F(any_far, FLAG), F(in_bins, FLAG),
       F(any_measured, FLAG), LIST(under, n_under, ranks_under));

static void more_pages(struct job_maker *m, const struct parts *p, struct ranks_said *s)
{
    for (int from = 0; from < m->j->n_ranks; from += PAGE_RANKS) {
        int to = from + PAGE_RANKS < m->j->n_ranks ? from + PAGE_RANKS : m->j->n_ranks;
        struct ranks_under page = {page_of(m, from), span_text(m, from, to)};
        arena_grow(m->perm, s->under, s->n_under);
        s->under[s->n_under++] = page;
        ranks_table(m, page.file, p, from, to);
    }
}

const struct ranks_said *job_ranks_page(struct job_maker *m)
{
    const struct job *j = m->j;
    struct parts p = parts_of(m);
    struct ranks_said *s = arena_new(m->perm, struct ranks_said, 1);
    job_figure(m, "spread", spread_figure(m));
    job_figure(m, "side-by-side", side_by_side(m, &p));
    *s = (struct ranks_said){.more_pct = 100 * j->imbalance_frac,
                             .any_far = outliers(m, &p) > 0,
                             .any_measured = measures(m) > 0,
                             .in_bins = j->n_ranks > RANKS_MAX};
    if (!s->in_bins) {
        ranks_table(m, S("balance"), &p, 0, j->n_ranks);
    } else {
        bins_table(m, &p);
        more_pages(m, &p, s);
    }
    return s;
}

/* Of each step the longest time of any rank and that of the one in the middle. */
static struct report_figure steps_figure(struct job_maker *m, int64_t *middle_ns)
{
    const struct job *j = m->j;
    struct report_figure f =
        figure_titled(FIGURE_LINES, "step-times", "How long each step takes", "step",
                      "ms", "Step", "Slowest rank and the median");
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
        .label = S("the median rank"), .slot = SLOT_IDLE, .values = mid};
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

struct step_row {
    int64_t number, dur_ns, middle_ns;
    int32_t slowest;
    struct str page;
};
COLUMNS(step_columns, step_row, {.title = "#Step", .of = F(number, NUMBER)},
        {.title = "#Time, ms", .of = F(dur_ns, NS)},
        {.title = "#Slowest rank", .of = F(slowest, NUMBER), .link = F(page, TEXT)},
        {.title = "#Median, ms", .of = F(middle_ns, NS)});

void job_steps_page(struct job_maker *m)
{
    const struct job *j = m->j;
    int64_t *middle_ns = middles(m);
    struct step_row *rows = arena_new(m->perm, struct step_row, j->n_steps);
    if (j->n_steps > 1)
        job_figure(m, "steps", steps_figure(m, middle_ns));
    for (int i = 0; i < j->n_steps; i++) {
        const struct job_rank *slowest = &j->ranks[j->steps[i].slowest];
        rows[i] = (struct step_row){.number = j->steps[i].number,
                                    .dur_ns = j->steps[i].dur_ns,
                                    .middle_ns = middle_ns[i],
                                    .slowest = slowest->rank,
                                    .page = slowest->page};
    }
    job_table(m, S("steps"), "job_steps", step_columns(), ITEMS(rows, j->n_steps), NULL,
              0);
}
