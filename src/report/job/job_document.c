#include "report/job/job_document.h"

#include "base/arena.h"
#include "base/sort.h"

#include <math.h>

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

static void put_ns(struct maker *m, int64_t ns)
{
    put(m, str_printf(m->perm, "%.3f", (double)ns / 1e6));
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
    put(m, isfinite(v) ? str_printf(m->perm, "%.*f", decimals, v) : S("-"));
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
    f.caption = str_printf(m->perm,
                           "%.*s of all waiting is for %.*s; outlines are ranks that "
                           "are not named",
                           STRF(f.marks[0].value_text), STRF(f.marks[0].label));
    f.description = f.caption;
    return f;
}

static struct report_figure curve_figure(struct maker *m)
{
    const struct job *j = m->j;
    struct report_figure f = figure_titled(
        FIGURE_BARS, "curve", "The run with one rank after the other mended",
        "length of the run, ms", "mended", "Mended", "Length of the run");
    f.marks = arena_new(m->perm, struct figure_mark, j->n_curve + 2);
    for (int i = 0; i < j->n_curve; i++) {
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
    f.caption = S("Each bar has the ranks above it mended too: savings do not add up");
    f.description = f.caption;
    return f;
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
    s = job_section_add(p, "without", "What the run would take without late ranks");
    s->has_figure = true;
    s->figure = curve_figure(m);
    s = job_section_add(p, "checks", "What this stands on");
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

static void late_page(struct maker *m)
{
    static const char *const titles[] = {
        "#Rank",       "#Blame, ms",     "#Of all waiting, %",
        "#Waited, ms", "#Times last",    "#Alone mended saves, ms",
        "#Late, ms",   "#Computing, ms", "#Copies, ms",
        "#Idle, ms",   "Cause",          NULL};
    const struct job *j = m->j;
    struct job_page *p = page(m, "late.html", "Late ranks",
                              "Which ranks arrive late, how often, and what do they do "
                              "meanwhile?");
    struct job_section *s =
        job_section_add(p, "ranks", "Ranks by the waiting they cause");
    say(s,
        S("While some ranks have arrived and others have not, each that has not is "
          "charged with an equal part of the waiting: blame adds up to all waiting"));
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
        put_ns(m, r->waited_ns);
        put_n(m, r->n_last);
        put_real(m, r->has_whatif ? (double)r->save_ns / 1e6 : (double)NAN, 3);
        put_ns(m, r->late.ns);
        put_ns(m, r->late.part_ns[SEGMENT_COMPUTE]);
        put_ns(m, r->late.part_ns[SEGMENT_COPY]);
        put_ns(m, r->late.part_ns[SEGMENT_IDLE]);
        put(m, r->cause.n ? r->cause : S("-"));
    }
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
        put_pct(m, (double)b->compute_ns, all);
        put_pct(m, (double)b->transfer_ns, all);
        put_pct(m, (double)b->wait_ns, all);
        put_pct(m, (double)b->copy_ns, all);
        put_pct(m, (double)b->idle_ns, all);
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
