#include "report/job/job_document.h"

#include "base/arena.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

#define MUCH_FRAC   0.1 /* of all waiting */
#define PASSED_FRAC 0.5
#define CURVE_FRAC  0.001 /* of the run */

struct maker {
    struct arena *perm, tmp;
    const struct job *j;
    const struct job_report *r;
    struct job_document *d;
    struct job_table *t; /* being filled */
    int at;              /* cell */
};

static struct job_page *page(struct maker *m, const char *file, const char *title,
                             const char *question)
{
    struct job_page *p = &m->d->pages[m->d->n_pages++];
    p->file = str_of(file);
    p->title = str_of(title);
    p->question = str_of(question);
    return p;
}

struct job_section *job_section_add(struct job_page *p, const char *id,
                                    const char *title)
{
    struct job_section *s = &p->sections[p->n_sections++];
    s->id = str_of(id);
    s->title = str_of(title);
    return s;
}

static void say(struct job_section *s, struct str para)
{
    s->paras[s->n_paras++] = para;
}

/* Titles that begin with '#' are of numbers. */
static void table(struct maker *m, struct job_section *s, const char *caption,
                  const char *const *titles, int64_t rows, const char *csv)
{
    struct job_table *t = m->t = &s->table;
    s->has_table = true;
    t->caption = str_of(caption);
    for (int i = 0; titles[i]; i++) {
        bool numeric = titles[i][0] == '#';
        t->columns[t->n_columns++] =
            (struct job_column){str_of(titles[i] + numeric), numeric};
    }
    t->n_rows = (int)(rows < JOB_TABLE_ROWS ? rows : JOB_TABLE_ROWS);
    t->cells = arena_new(m->perm, struct job_cell, (ptrdiff_t)t->n_rows * t->n_columns);
    m->at = 0;
    if (rows > t->n_rows)
        t->more = str_printf(m->perm, "%lld more rows are in `job_csvs/%s.csv`",
                             (long long)(rows - t->n_rows), csv);
}

static void put(struct maker *m, struct str text)
{
    m->t->cells[m->at++].text = text;
}

/* What rounds to nothing has no sign. */
static void put_ns(struct maker *m, int64_t ns)
{
    put(m,
        llabs(ns) < 500 ? S("0.000") : str_printf(m->perm, "%.3f", (double)ns / 1e6));
}

static void put_n(struct maker *m, int64_t n)
{
    put(m, str_printf(m->perm, "%lld", (long long)n));
}

static void put_pct(struct maker *m, double part, double whole)
{
    put(m, whole > 0 ? str_printf(m->perm, "%.1f", 100 * part / whole) : S("-"));
}

static void put_real(struct maker *m, double v, int decimals)
{
    double shown = fabs(v) * pow(10, decimals) < 0.5 ? 0 : v; /* without a sign */
    put(m, isfinite(v) ? str_printf(m->perm, "%.*f", decimals, shown) : S("-"));
}

/* Colours cells from the one at `from`, each by its part of the most. */
static void heat_cells(struct maker *m, int from, const double *value, int n,
                       double most)
{
    for (int i = 0; most > 0 && i < n; i++)
        m->t->cells[from + i].heat =
            value[i] > 0 ? (int)ceil(JOB_HEATS * value[i] / most - 0.5) : 0;
}

static void put_rank(struct maker *m, const struct job_rank *r)
{
    m->t->cells[m->at].href = r->page;
    put_n(m, r->rank);
}

/* Ranks, the ones that cost most first. */
static int32_t *by_blame(struct maker *m, int *n)
{
    const struct job *j = m->j;
    struct arena tmp = m->tmp;
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_ranks);
    int32_t *order = arena_new(m->perm, int32_t, j->n_ranks);
    for (int i = 0; i < j->n_ranks; i++)
        rows[i] = (struct sort_row){-j->ranks[i].blame_ns, i};
    sort_rows(tmp, rows, j->n_ranks);
    for (int i = 0; i < j->n_ranks; i++)
        order[i] = rows[i].row;
    *n = j->n_ranks;
    return order;
}

static struct report_figure blame_figure(struct maker *m, const int32_t *order, int n)
{
    enum { BARS = 16 };
    const struct job *j = m->j;
    struct report_figure f =
        figure_titled(FIGURE_BARS, "blame", "Who makes the others wait",
                      "waiting caused, ms", "rank", "Rank", "Waiting it causes");
    f.marks = arena_new(m->perm, struct figure_mark, BARS);
    for (int i = 0; i < n && f.n_marks < BARS; i++) {
        const struct job_rank *r = &j->ranks[order[i]];
        if (r->blame_ns <= 0)
            break;
        double ms = (double)r->blame_ns / 1e6,
               pct = 100 * (double)r->blame_ns / (double)j->wait_ns;
        f.marks[f.n_marks++] = (struct figure_mark){
            .label = str_printf(m->perm, "rank %d", r->rank),
            .value_text = str_printf(m->perm, "%.3f ms, %.1f %%", ms, pct),
            .slot = SLOT_COMMUNICATION,
            .folded = !r->is_named && j->n_named > 0,
            .value = ms};
    }
    if (!f.n_marks)
        return figure_without_data(f, S("Nobody waits."));
    f.caption =
        str_printf(m->perm, "The others wait for %.*s most: %.*s of all waiting%s",
                   STRF(f.marks[0].label), STRF(f.marks[0].value_text),
                   j->n_named ? "; outlines are ranks that are not named" : "");
    f.description = f.caption;
    return f;
}

/* Up to the last that saves something worth a bar. */
static int curve_length(const struct job *j)
{
    int n = j->n_curve ? 1 : 0;
    for (int i = 1; i < j->n_curve; i++) {
        double saved = (double)(j->curve[i - 1].total_ns - j->curve[i].total_ns);
        if (saved >= CURVE_FRAC * (double)j->curve[0].total_ns)
            n = i + 1;
    }
    return n;
}

static struct report_figure curve_figure(struct maker *m)
{
    const struct job *j = m->j;
    struct report_figure f = figure_titled(
        FIGURE_BARS, "curve", "The run with one rank after the other mended",
        "length of the run, ms", "mended", "Mended", "Length of the run");
    f.marks = arena_new(m->perm, struct figure_mark, j->n_curve + 2);
    int n = curve_length(j);
    for (int i = 0; i < n; i++) {
        const struct job_curve *c = &j->curve[i];
        double ms = (double)c->total_ns / 1e6;
        f.marks[f.n_marks++] = (struct figure_mark){
            .label = c->rank < 0 ? S("as recorded")
                                 : str_printf(m->perm, "%srank %d", i > 1 ? "and " : "",
                                              j->ranks[c->rank].rank),
            .value_text = str_printf(m->perm, "%.3f ms", ms),
            .slot = c->rank < 0 ? SLOT_COMPUTE : SLOT_COMMUNICATION,
            .value = ms};
    }
    if (!f.n_marks)
        return figure_without_data(f, S("Not evaluated."));
    f.caption =
        n < 2
            ? S("No rank alone saves 0.1 % of the run")
            : str_printf(m->perm,
                         "Each bar has the ranks above it mended too: savings do "
                         "not add up%s",
                         n < j->n_curve ? "; further ranks save less than 0.1 %" : "");
    f.description = f.caption;
    return f;
}

/* Why one with much blame is not named: others made it late. */
static void say_passed_on(struct maker *m, struct job_section *s,
                          const struct job_rank *r)
{
    const struct job *j = m->j;
    if (!j->n_named || r->is_named || r->blame < MUCH_FRAC * (double)j->wait_ns ||
        r->own_blame > PASSED_FRAC * r->blame)
        return;
    say(s,
        str_printf(m->perm,
                   "Rank %d is late too, but only %.0f %% of that is its own: "
                   "late ranks keep it waiting in another group, and it passes that on",
                   r->rank, 100 * r->own_blame / r->blame));
}

static void index_page(struct maker *m)
{
    static const char *const checks[] = {"Check", "Result", "Says", NULL};
    const struct job *j = m->j;
    struct job_page *p = page(m, "index.html", "Summary",
                              "Who holds the ranks of this job up, what does it cost, "
                              "and why?");
    struct job_section *s = job_section_add(p, "verdict", "Verdict");
    for (int i = 0; i < m->r->n_verdict; i++)
        say(s, m->r->verdict[i]);
    say(s, str_printf(m->perm, "Data: %.*s", STRF(m->r->data)));
    int n;
    int32_t *order = by_blame(m, &n);
    s = job_section_add(p, "blame", "Who makes the others wait");
    s->has_figure = true;
    s->figure = blame_figure(m, order, n);
    if (j->start_wait_ns)
        say(s,
            str_printf(m->perm,
                       "The first collectives of the recording wait %.*s in all; they "
                       "measure when the profilers began and count for nobody",
                       STRF(duration_text(m->perm, j->start_wait_ns))));
    for (int i = 0; i < n && s->n_paras < JOB_VERDICT_MAX; i++)
        say_passed_on(m, s, &j->ranks[order[i]]);
    s = job_section_add(p, "without", "What the run would take without late ranks");
    s->has_figure = true;
    s->figure = curve_figure(m);
    s = job_section_add(p, "checks", "What this is based on");
    table(m, s, "Checks of the data", checks, m->r->n_checks, "");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_check *c = &m->r->checks[i];
        put(m, c->what);
        put(m, !c->evaluated ? S("not evaluated")
               : c->good     ? S("passed")
                             : S("failed"));
        put(m, c->says);
    }
}

/* The worst step of each column: with many, steps share columns. */
static double worst_blame(const struct job *j, int rank, int from, int to)
{
    double worst = 0;
    for (int s = from; s < to; s++)
        worst = fmax(worst, (double)j->step_blame[(int64_t)rank * j->n_steps + s]);
    return worst;
}

static void steps_section(struct maker *m, struct job_page *p, const int32_t *order,
                          int n)
{
    enum { WIDE = JOB_COLUMNS - 1, ROWS = 64 };
    const struct job *j = m->j;
    const char *titles[JOB_COLUMNS + 1] = {"#Rank"};
    int wide = j->n_steps < WIDE ? j->n_steps : WIDE;
    if (!j->step_blame || n < 2)
        return;
    struct job_section *s =
        job_section_add(p, "by-step", "Late in every step, or now and then?");
    for (int k = 0; k < wide; k++) {
        int from = k * j->n_steps / wide, to = (k + 1) * j->n_steps / wide - 1;
        long long first = (long long)j->steps[from].number,
                  last = (long long)j->steps[to].number;
        titles[k + 1] = from == to ? str_printf(m->perm, "#Step %lld", first).p
                                   : str_printf(m->perm, "#%lld-%lld", first, last).p;
    }
    say(s, wide < j->n_steps
               ? S("Waiting that a rank itself causes, ms: of several steps in a "
                   "column the worst; the darker, the more")
               : S("Waiting that a rank itself causes, ms; the darker, the more"));
    n = n < ROWS ? n : ROWS;
    double *v = arena_new(m->perm, double, (ptrdiff_t)n *wide);
    table(m, s, "Waiting caused by rank and step, ms", titles, n, "job_blame");
    for (int i = 0; i < n; i++) {
        put_rank(m, &j->ranks[order[i]]);
        for (int k = 0; k < wide; k++) {
            v[i * wide + k] = worst_blame(j, order[i], k * j->n_steps / wide,
                                          (k + 1) * j->n_steps / wide);
            put_ns(m, llround(v[i * wide + k]));
        }
    }
    double most = 0;
    for (int i = 0; i < n * wide; i++)
        most = fmax(most, v[i]);
    for (int i = 0; i < n; i++)
        heat_cells(m, i * (wide + 1) + 1, v + (ptrdiff_t)i * wide, wide, most);
}

static void late_page(struct maker *m)
{
    static const char *const titles[] = {
        "#Rank",       "#Blame, ms", "#Of all, %", "#Its own, ms", "#Waited, ms",
        "#Times last", "#Saves, ms", "#Late, ms",  "#Compute, ms", "#Copies, ms",
        "#Idle, ms",   "Cause",      NULL};
    const struct job *j = m->j;
    struct job_page *p = page(m, "late.html", "Late ranks",
                              "Which ranks arrive late, how often, and what do they do "
                              "meanwhile?");
    struct job_section *s =
        job_section_add(p, "ranks", "Ranks by the waiting they cause");
    say(s,
        S("While some ranks have arrived and others have not, each that has not is "
          "charged with an equal part of the waiting: blame adds up to all waiting. "
          "What a rank came with because others had kept it is not its own. Saves: the "
          "run is so much shorter if it alone comes as the one in the middle"));
    say(s,
        j->is_hidden
            ? S("Much communication is hidden by computation: lateness is what a rank "
                "does in a step beyond the rank in the middle")
            : S("Lateness is how much longer than the rank in the middle a rank takes "
                "from the end of one collective to the next"));
    int n;
    int32_t *order = by_blame(m, &n);
    table(m, s, "Ranks, the most blamed first", titles, n, "job_blame");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_rank *r = &j->ranks[order[i]];
        put_rank(m, r);
        put_ns(m, r->blame_ns);
        put_pct(m, r->blame, (double)j->wait_ns);
        put_ns(m, llround(r->own_blame));
        put_ns(m, r->waited_ns);
        put_n(m, r->n_last);
        if (r->has_whatif)
            put_ns(m, r->save_ns);
        else
            put(m, S("-"));
        put_ns(m, r->late.ns);
        put_ns(m, r->late.part_ns[SEGMENT_COMPUTE]);
        put_ns(m, r->late.part_ns[SEGMENT_COPY]);
        put_ns(m, r->late.part_ns[SEGMENT_IDLE]);
        put(m, r->cause.n ? r->cause : S("-"));
    }
    steps_section(m, p, order, n);
}

enum { PARTS = 5 };
#define APART_LEAST 0.02 /* of the window: less is not far from the middle */

static void parts_of(const struct job_balance *b, double parts[PARTS])
{
    parts[0] = (double)b->compute_ns;
    parts[1] = (double)b->transfer_ns;
    parts[2] = (double)b->wait_ns;
    parts[3] = (double)b->copy_ns;
    parts[4] = (double)b->idle_ns;
}

/* The middle of each part over the ranks, and how far any is from it; of the window. */
static double parts_middle(struct maker *m, double middle[PARTS])
{
    const struct job *j = m->j;
    struct arena tmp = m->tmp;
    double most = APART_LEAST, parts[PARTS];
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_ranks);
    for (int k = 0; k < PARTS; k++) {
        for (int i = 0; i < j->n_ranks; i++) {
            const struct job_balance *b = &j->ranks[i].balance;
            parts_of(b, parts);
            double frac = b->window_ns > 0 ? parts[k] / (double)b->window_ns : 0;
            rows[i] = (struct sort_row){llround(frac * 1e9), i};
        }
        sort_rows(tmp, rows, j->n_ranks);
        middle[k] = (double)rows[j->n_ranks / 2].key / 1e9;
        most = fmax(most, middle[k] - (double)rows[0].key / 1e9);
        most = fmax(most, (double)rows[j->n_ranks - 1].key / 1e9 - middle[k]);
    }
    return most;
}

static void ranks_page(struct maker *m)
{
    static const char *const titles[] = {"#Rank",
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
    const struct job *j = m->j;
    struct job_page *p =
        page(m, "ranks.html", "Ranks", "Where does the time of each rank go?");
    struct job_section *s = job_section_add(p, "balance", "Where the time goes");
    say(s,
        str_printf(m->perm,
                   "The rank that computes most computes %.1f %% more than the mean; "
                   "parts of a window exclude each other and add up to it",
                   100 * j->imbalance_frac));
    double middle[PARTS];
    double most = parts_middle(m, middle);
    say(s, S("The darker, the further from the rank in the middle"));
    table(m, s, "Time of each rank in parts of its window", titles, j->n_ranks,
          "job_ranks");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_rank *r = &j->ranks[i];
        const struct job_balance *b = &r->balance;
        double all = (double)b->window_ns;
        put_rank(m, r);
        put_n(m, r->node);
        put(m, r->host.n ? r->host : S("-"));
        put_ns(m, b->window_ns);
        double parts[PARTS], apart[PARTS];
        parts_of(b, parts);
        for (int k = 0; k < PARTS; k++)
            apart[k] = all > 0 ? fabs(parts[k] / all - middle[k]) : 0;
        heat_cells(m, m->at, apart, PARTS, most);
        for (int k = 0; k < PARTS; k++)
            put_pct(m, parts[k], all);
        put_real(m, (double)r->offset_ns / 1e3, 1);
    }
}

static void put_bytes(struct maker *m, int64_t bytes)
{
    if (bytes < 0)
        put(m, S("-"));
    else
        put_n(m, bytes);
}

static void bandwidth_section(struct maker *m, struct job_page *p)
{
    static const char *const titles[] = {
        "Collective",       "Type",          "#Bytes",      "#Ranks",    "Span",
        "#Count",           "#Transfer, us", "#p95, us",    "#Skew, us", "#Waiting, ms",
        "#Algorithm, GB/s", "#Bus, GB/s",    "#Of peak, %", NULL};
    const struct job *j = m->j;
    struct job_section *s = job_section_add(p, "speed", "How fast data moves");
    for (int i = 0; i < j->n_fits && i < JOB_VERDICT_MAX; i++) {
        const struct job_fit *f = &j->fits[i];
        say(s, str_printf(m->perm,
                          "%.*s of %d ranks %s: %.1f us and %.1f GB/s (fit over %d "
                          "sizes)",
                          STRF(collective_word(f->kind)), f->ranks,
                          f->crosses_nodes ? "between nodes" : "within a node",
                          f->latency_us, f->gb_s, f->n_sizes));
    }
    table(m, s, "Transfers by kind and size: the middle of the shortest stays", titles,
          j->n_bandwidth, "job_bandwidth");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_bandwidth *b = &j->bandwidth[i];
        put(m, collective_word(b->kind));
        put(m, b->dtype);
        put_bytes(m, b->bytes);
        put_n(m, b->ranks);
        put(m, b->crosses_nodes ? S("between nodes") : S("within a node"));
        put_n(m, b->n);
        put_real(m, (double)b->transfer_ns / 1e3, 1);
        put_real(m, (double)b->p95_ns / 1e3, 1);
        put_real(m, (double)b->skew_ns / 1e3, 1);
        put_ns(m, b->wait_ns);
        put_real(m, b->algorithm_gb_s, 2);
        put_real(m, b->bus_gb_s, 2);
        put_real(m, 100 * b->peak_frac, 1);
    }
}

/* Instances with most waiting first. */
static void worst_section(struct maker *m, struct job_page *p)
{
    enum { WORST = 100 };
    static const char *const titles[] = {
        "Collective", "#Bytes",     "Group",     "#Step",        "#At, ms",
        "#Ranks",     "#Last rank", "#Skew, ms", "#Waiting, ms", NULL};
    const struct job *j = m->j;
    struct arena tmp = m->tmp;
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_instances);
    for (int32_t i = 0; i < j->n_instances; i++)
        rows[i] =
            (struct sort_row){-j->instances[j->by_time[i]].wait_ns, j->by_time[i]};
    sort_rows(tmp, rows, j->n_instances);
    int32_t n = 0;
    while (n < j->n_instances && n < WORST && rows[n].key < 0)
        n++;
    struct job_section *s =
        job_section_add(p, "worst", "Collectives with most waiting");
    table(m, s, "Collectives by the waiting of all their ranks", titles, n,
          "job_collectives");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_instance *x = &j->instances[rows[i].row];
        const struct job_signature *g = &j->signatures[x->signature];
        put(m, collective_word(g->kind));
        put_bytes(m, g->bytes);
        put(m, j->groups[x->group].name.n ? j->groups[x->group].name : S("-"));
        put_real(m, x->step < 0 ? (double)NAN : (double)j->steps[x->step].number, 0);
        put_ns(m, x->last_start_ns - j->start_ns);
        put_n(m, x->n_members);
        put_n(m, j->ranks[x->last_rank].rank);
        put_ns(m, x->last_start_ns - x->first_start_ns);
        put_ns(m, x->wait_ns);
    }
}

static void groups_page(struct maker *m)
{
    static const char *const titles[] = {
        "Group", "For",          "Known from", "#Ranks",       "#In the data",
        "Span",  "#Collectives", "Matching",   "#Not matched", "#Slow, times",
        NULL};
    const struct job *j = m->j;
    struct job_page *p = page(m, "groups.html", "Groups and nodes",
                              "Which ranks communicate, and is a node or a link slow?");
    struct job_section *s = job_section_add(p, "groups", "Groups");
    for (int i = 0; i < j->n_suspects && i < JOB_VERDICT_MAX; i++)
        say(s, suspect_sentence(m->perm, j, &j->suspects[i]));
    if (!j->n_suspects)
        say(s, S("No node stands out by slow transfers; that takes groups that do the "
                 "same, "
                 "some with the node and some without it"));
    table(m, s, "Groups of ranks that communicate", titles, j->n_groups, "job_groups");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_group *g = &j->groups[i];
        put(m, g->name.n ? g->name : S("-"));
        put(m, g->role_guessed ? str_printf(m->perm, "%.*s (guess)", STRF(g->role))
                               : g->role);
        put(m, g->role_reason);
        put_n(m, g->size);
        put_n(m, g->n_present);
        put(m, g->crosses_nodes ? S("between nodes") : S("within a node"));
        put_n(m, g->n_instances);
        put(m, match_word(g->confidence));
        put_n(m, g->n_unmatched);
        put_real(m, g->slow_ratio, 2);
    }
}

static void steps_page(struct maker *m)
{
    static const char *const titles[] = {"#Step", "#Time, ms", "#Slowest rank", NULL};
    const struct job *j = m->j;
    struct job_page *p =
        page(m, "steps.html", "Steps", "How long does each step take?");
    struct job_section *s = job_section_add(p, "steps", "Steps that all ranks have");
    if (!j->n_steps)
        say(s, S("No steps are marked that all ranks have"));
    table(m, s, "The longest time of any rank for each step", titles, j->n_steps,
          "job_steps");
    for (int i = 0; i < m->t->n_rows; i++) {
        put_n(m, j->steps[i].number);
        put_ns(m, j->steps[i].dur_ns);
        put_n(m, j->ranks[j->steps[i].slowest].rank);
    }
}

struct job_document *job_document_make(struct arena *perm, struct arena tmp,
                                       const struct job_report *r)
{
    struct maker m = {.perm = perm, .tmp = tmp, .j = r->j, .r = r};
    m.d = arena_new(perm, struct job_document, 1);
    m.d->r = r;
    m.d->title = S("GPU job");
    m.d->label = str_printf(perm, "%d %s", r->j->n_ranks,
                            str_plural(r->j->n_ranks, "rank", "ranks"));
    m.d->id = r->id;
    m.d->made_by = r->tool_version;
    index_page(&m);
    late_page(&m);
    ranks_page(&m);
    struct job_page *p =
        page(&m, "collectives.html", "Collectives",
             "Which collectives wait, and how fast do they move data?");
    worst_section(&m, p);
    bandwidth_section(&m, p);
    groups_page(&m);
    steps_page(&m);
    return m.d;
}
