#include "report/job/job_document.h"

#include "report/job/job_bandwidth_page.h"
#include "report/job/job_exchange_page.h"
#include "report/job/job_maker.h"
#include "report/job/job_ranks_pages.h"
#include "report/job/job_worst.h"

#include "base/arena.h"
#include "base/int_map.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

#define MUCH_FRAC   0.1 /* of all waiting */
#define PASSED_FRAC 0.5
#define CURVE_FRAC  0.001 /* of the run */

/* Ranks, the ones that cost most first. */
static int32_t *by_blame(struct job_maker *m)
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
    return order;
}

static struct report_figure blame_figure(struct job_maker *m, const int32_t *order,
                                         int n)
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
            .value_text = str_printf(m->perm, "%.3f ms, %.1f%%", ms, pct),
            .slot = SLOT_COMMUNICATION,
            .letter = S(" "),
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

static struct report_figure curve_figure(struct job_maker *m)
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
        n < 2 ? S("No rank alone saves 0.1% of the run")
              : str_printf(m->perm,
                           "Each bar has the ranks above it mended too: savings do "
                           "not add up%s",
                           n < j->n_curve ? "; further ranks save less than 0.1%" : "");
    f.description = f.caption;
    return f;
}

/* Why one with much blame is not named: others made it late. */
static void say_passed_on(struct job_maker *m, struct job_section *s,
                          const struct job_rank *r)
{
    const struct job *j = m->j;
    if (!j->n_named || r->is_named || r->blame < MUCH_FRAC * (double)j->wait_ns ||
        r->own_blame > PASSED_FRAC * r->blame)
        return;
    job_say(s, str_printf(
                   m->perm,
                   "Rank %d is late too, but only %.0f%% of that is its own: "
                   "late ranks keep it waiting in another group, and it passes that on",
                   r->rank, 100 * r->own_blame / r->blame));
}

static void index_page(struct job_maker *m)
{
    static const char *const checks[] = {"Check", "Result", "Says", NULL};
    const struct job *j = m->j;
    struct job_page *p =
        job_page_add(m->perm, m->d, "index.html", "Summary",
                     "Who holds the ranks of this job up, what does it cost, "
                     "and why?");
    struct job_section *s = job_section_add(p, "verdict", "Verdict");
    for (int i = 0; i < m->r->n_verdict; i++)
        job_say(s, m->r->verdict[i]);
    job_say(s, str_printf(m->perm, "Data: %.*s", STRF(m->r->data)));
    int n = j->n_ranks;
    int32_t *order = by_blame(m);
    s = job_section_add(p, "blame", "Who makes the others wait");
    s->has_figure = true;
    s->figure = blame_figure(m, order, n);
    if (j->start_wait_ns)
        job_say(s, str_printf(
                       m->perm,
                       "The first collectives of the recording wait %.*s in all; they "
                       "measure when the profilers began and count for nobody",
                       STRF(duration_text(m->perm, j->start_wait_ns))));
    for (int i = 0; i < n && s->n_paras < JOB_VERDICT_MAX; i++)
        say_passed_on(m, s, &j->ranks[order[i]]);
    s = job_section_add(p, "without", "What the run would take without late ranks");
    s->has_figure = true;
    s->figure = curve_figure(m);
    s = job_section_add(p, "checks", "What this is based on");
    job_table_add(m, s, "Checks of the data", checks, m->r->n_checks, "");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_check *c = &m->r->checks[i];
        job_put(m, c->what);
        job_put(m, !c->evaluated ? S("not evaluated")
                   : c->good     ? S("passed")
                                 : S("failed"));
        job_put(m, c->says);
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

static void steps_section(struct job_maker *m, struct job_page *p, const int32_t *order,
                          int n)
{
    enum { WIDE = 17, ROWS = 64 };
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
    job_say(s, wide < j->n_steps
                   ? S("Waiting that a rank itself causes, ms: of several steps in a "
                       "column the worst; the darker, the more")
                   : S("Waiting that a rank itself causes, ms; the darker, the more"));
    n = n < ROWS ? n : ROWS;
    double *v = arena_new(m->perm, double, (ptrdiff_t)n *wide);
    job_table_add(m, s, "Waiting caused by rank and step, ms", titles, n, "job_blame");
    for (int i = 0; i < n; i++) {
        job_put_rank(m, &j->ranks[order[i]]);
        for (int k = 0; k < wide; k++) {
            v[i * wide + k] = worst_blame(j, order[i], k * j->n_steps / wide,
                                          (k + 1) * j->n_steps / wide);
            job_put_ns(m, llround(v[i * wide + k]));
        }
    }
    double most = 0;
    for (int i = 0; i < n * wide; i++)
        most = fmax(most, v[i]);
    for (int i = 0; i < n; i++)
        job_heat(m, i * (wide + 1) + 1, v + (ptrdiff_t)i * wide, wide, most);
}

/* All ranks of a node or of a role mended, or one cause on all ranks. */
static void together_section(struct job_maker *m, struct job_page *p)
{
    static const char *const titles[] = {"Mended",     "What it is",     "#Ranks",
                                         "#Saves, ms", "#Of the run, %", NULL};
    static const char *const kinds[] = {[MEND_NODE] = "a node",
                                        [MEND_ROLE] = "ranks that do the same",
                                        [MEND_CAUSE] = "a cause of lateness"};
    const struct job *j = m->j;
    if (!j->n_mends)
        return;
    struct job_section *s = job_section_add(
        p, "together", "What a node, a role or one cause of lateness costs");
    job_say(s,
            S("The run is so much shorter if all its ranks come as the one in the "
              "middle, or if no rank is late for that cause. Savings do not add up"));
    job_table_add(m, s, "The run with several ranks or one cause mended", titles,
                  j->n_mends, "job_whatif");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_mend *x = &j->mends[i];
        job_put(m, x->what);
        job_put(m, str_of(kinds[x->kind]));
        job_put_n(m, x->n_ranks);
        job_put_ns(m, j->identity_ns - x->total_ns);
        job_put_pct(m, (double)(j->identity_ns - x->total_ns), (double)j->identity_ns);
    }
}

/* Of each rank the first that calls the same collectives; NULL: all do, or no two. */
static int32_t *firsts_of_roles(struct job_maker *m)
{
    const struct job *j = m->j;
    struct arena tmp = m->tmp;
    struct int_map at = int_map_make(&tmp, 64);
    int32_t *first = arena_new(m->perm, int32_t, j->n_ranks);
    int n = 0;
    for (int32_t i = 0; i < j->n_ranks; i++) {
        int32_t *place = int_map_at(&at, &tmp, j->ranks[i].role);
        n += *place < 0;
        first[i] = *place = *place < 0 ? i : *place;
    }
    return n > 1 && n < j->n_ranks ? first : NULL;
}

static void late_page(struct job_maker *m)
{
    static const char *const all_titles[] = {
        "#Rank",       "#Does as rank", "#Node",    "Cause",
        "#Blame",      "#Of all, %",    "#Its own", "#Saves",
        "#Times last", "#Steps, %",     "#Sure, %", "#Waited",
        "#Late",       "#Compute",      "#Copies",  "#Idle",
        NULL};
    const struct job *j = m->j;
    const int32_t *first = firsts_of_roles(m);
    const char *titles[JOB_COLUMNS + 1] = {all_titles[0]};
    for (int i = 1, n = 1; all_titles[i]; i++)
        if (first || i > 1)
            titles[n++] = all_titles[i];
    struct job_page *p =
        job_page_add(m->perm, m->d, "late.html", "Late ranks",
                     "Which ranks arrive late, how often, and what do they do "
                     "meanwhile?");
    struct job_section *s =
        job_section_add(p, "ranks", "Ranks by the waiting they cause");
    job_say(
        s,
        S("While some ranks have arrived and others have not, each that has not is "
          "charged with an equal part of the waiting: blame adds up to all waiting. "
          "What a rank came with because others had kept it is not its own. Saves: the "
          "run is so much shorter if it alone comes as the one in the middle"));
    job_say(
        s,
        j->is_hidden
            ? S("Much communication is hidden by computation: lateness is what a rank "
                "does in a step beyond the rank in the middle")
            : S("Lateness is how much longer than the rank in the middle a rank takes "
                "from the end of one collective to the next"));
    int n = j->n_ranks;
    int32_t *order = by_blame(m);
    job_say(
        s,
        S("Steps: those in which it is among the most blamed. Sure: resamples of the "
          "steps in which it is the most blamed"));
    if (first)
        job_say(s, S("Ranks that call the same collectives have one role, named by the "
                     "first of them"));
    job_table_add(m, s, "Ranks, the most blamed first; times in ms", titles, n,
                  "job_blame");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_rank *r = &j->ranks[order[i]];
        job_put_rank(m, r);
        if (first)
            job_put_n(m, j->ranks[first[order[i]]].rank);
        job_put_n(m, r->node);
        job_put(m, r->cause.n ? r->cause : S("-"));
        job_put_ns(m, r->blame_ns);
        job_put_pct(m, r->blame, (double)j->wait_ns);
        job_put_ns(m, llround(r->own_blame));
        if (r->has_whatif)
            job_put_ns(m, r->save_ns);
        else
            job_put(m, S("-"));
        job_put_n(m, r->n_last);
        job_put_real(m, j->n_steps ? 100 * r->chronic_frac : (double)NAN, 0);
        job_put_real(m, 100 * r->top_frac, 0);
        job_put_ns(m, r->waited_ns);
        job_put_ns(m, r->late.ns);
        job_put_ns(m, r->late.part_ns[SEGMENT_COMPUTE]);
        job_put_ns(m, r->late.part_ns[SEGMENT_COPY]);
        job_put_ns(m, r->late.part_ns[SEGMENT_IDLE]);
    }
    together_section(m, p);
    steps_section(m, p, order, n);
}

/* Instances with most waiting first. */
static void collectives_page(struct job_maker *m)
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
    struct job_page *p = job_page_add(m->perm, m->d, "collectives.html", "Collectives",
                                      "Which collectives wait, and for whom?");
    struct job_section *s =
        job_section_add(p, "worst", "Collectives with most waiting");
    job_table_add(m, s, "Collectives by the waiting of all their ranks", titles, n,
                  "job_collectives");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_instance *x = &j->instances[rows[i].row];
        const struct job_signature *g = &j->signatures[x->signature];
        job_put(m, collective_word(g->kind));
        job_put_bytes(m, g->bytes);
        job_put(m, j->groups[x->group].name.n ? j->groups[x->group].name : S("-"));
        job_put_real(m, x->step < 0 ? (double)NAN : (double)j->steps[x->step].number,
                     0);
        job_put_ns(m, x->last_start_ns - j->start_ns);
        job_put_n(m, x->n_members);
        job_put_n(m, j->ranks[x->last_rank].rank);
        job_put_ns(m, x->last_start_ns - x->first_start_ns);
        job_put_ns(m, x->wait_ns);
    }
}

enum { LOCAL_MAX = 16 };

/* What the ranks of each node cause, by their place on it; NaN: none there. */
static int node_grid(struct job_maker *m, double (*grid)[LOCAL_MAX])
{
    const struct job *j = m->j;
    struct arena tmp = m->tmp;
    int *n = arena_new(&tmp, int, j->n_nodes), widest = 0;
    for (int i = 0; i < j->n_nodes; i++)
        for (int k = 0; k < LOCAL_MAX; k++)
            grid[i][k] = (double)NAN;
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        int local = n[r->node]++;
        widest = n[r->node] > widest ? n[r->node] : widest;
        if (local < LOCAL_MAX)
            grid[r->node][local] = r->own_blame;
    }
    return widest;
}

/* Nodes under one another: a slow one is a dark row, a slow slot a dark column. */
static void nodes_section(struct job_maker *m, struct job_page *p)
{
    const struct job *j = m->j;
    double(*grid)[LOCAL_MAX] = arena_take(m->perm, sizeof *grid, 8, j->n_nodes);
    int wide = node_grid(m, grid);
    const char *titles[JOB_COLUMNS + 1] = {"#Node", "Host"};
    double most = 0;
    if (j->n_nodes < 2 || wide > LOCAL_MAX)
        return;
    struct job_section *s = job_section_add(p, "nodes", "Nodes");
    for (int k = 0; k < wide; k++)
        titles[k + 2] = str_printf(m->perm, "#Rank %d of it", k + 1).p;
    for (int i = 0; i < j->n_nodes; i++)
        for (int k = 0; k < wide; k++)
            most = fmax(most, grid[i][k]);
    job_say(s,
            S("Waiting that each rank itself causes, ms, by its place on its node; the "
              "darker, the more"));
    job_table_add(m, s, "Waiting caused, by node and place on it, ms", titles,
                  j->n_nodes, "job_ranks");
    for (int i = 0; i < m->t->n_rows; i++) {
        job_put_n(m, i);
        job_put(m, j->hosts[i].n ? j->hosts[i] : S("-"));
        job_heat(m, m->at, grid[i], wide, most);
        for (int k = 0; k < wide; k++)
            job_put_real(m, grid[i][k] / 1e6, 3);
    }
}

/* Its name, else its ranks. */
static struct str group_text(struct job_maker *m, const struct job_group *g)
{
    enum { SHOWN = 8 };
    struct str text = S("ranks");
    if (g->name.n || !g->n_ranks)
        return g->name.n ? g->name : S("-");
    for (int i = 0; i < g->n_ranks && i < SHOWN; i++)
        text = str_printf(m->perm, "%.*s %d", STRF(text), g->ranks[i]);
    return g->n_ranks > SHOWN ? str_printf(m->perm, "%.*s ...", STRF(text)) : text;
}

static void groups_page(struct job_maker *m)
{
    static const char *const titles[] = {
        "Group", "For",          "Known from", "#Ranks",       "#In the data",
        "Span",  "#Collectives", "Matching",   "#Not matched", "#Slow, times",
        NULL};
    const struct job *j = m->j;
    struct job_page *p =
        job_page_add(m->perm, m->d, "groups.html", "Groups and nodes",
                     "Which ranks communicate, and is a node or a link slow?");
    struct job_section *s = job_section_add(p, "groups", "Groups");
    for (int i = 0; i < j->n_suspects && i < JOB_VERDICT_MAX; i++)
        job_say(s, suspect_sentence(m->perm, j, &j->suspects[i]));
    if (!j->n_suspects)
        job_say(s,
                S("No node stands out by slow transfers; that takes groups that do the "
                  "same, "
                  "some with the node and some without it"));
    job_table_add(m, s, "Groups of ranks that communicate", titles, j->n_groups,
                  "job_groups");
    for (int i = 0; i < m->t->n_rows; i++) {
        const struct job_group *g = &j->groups[i];
        job_put(m, group_text(m, g));
        job_put(m, g->role_guessed ? str_printf(m->perm, "%.*s (guess)", STRF(g->role))
                                   : g->role);
        job_put(m, g->role_reason);
        job_put_n(m, g->size);
        job_put_n(m, g->n_present);
        job_put(m, g->crosses_nodes ? S("between nodes") : S("within a node"));
        job_put_n(m, g->n_instances);
        job_put(m, match_word(g->confidence));
        job_put_n(m, g->n_unmatched);
        job_put_real(m, g->slow_ratio, 2);
    }
    nodes_section(m, p);
    job_exchange_section(m, p);
}

struct job_document *job_document_make(struct arena *perm, struct arena tmp,
                                       const struct job_report *r)
{
    struct job_maker m = {.perm = perm, .tmp = tmp, .j = r->j, .r = r};
    m.d = arena_new(perm, struct job_document, 1);
    m.d->r = r;
    m.d->title = S("GPU job");
    m.d->label = str_printf(perm, "%d %s", r->j->n_ranks,
                            str_plural(r->j->n_ranks, "rank", "ranks"));
    m.d->id = r->id;
    m.d->made_by = r->tool_version;
    index_page(&m);
    late_page(&m);
    job_worst_page(&m);
    job_ranks_page(&m);
    collectives_page(&m);
    job_bandwidth_page(&m);
    groups_page(&m);
    job_steps_page(&m);
    return m.d;
}
