#include "report/job/job_shown.h"

#include "analysis/model/device_word.h"
#include "base/arena.h"
#include "base/int_map.h"
#include "base/sort.h"
#include "report/job/job_pages.h"

#include <math.h>
#include <stdlib.h>

#define MUCH_FRAC   0.1 /* of all waiting */
#define PASSED_FRAC 0.5
#define CURVE_FRAC  0.001 /* of the run */

/* One with much blame that is not named, since others made it late. */
struct passed_on {
    int rank;
    double own_pct; /* of its blame */
};

/* What the words of the pages are made of: templates/words/job.txt. */
struct job_said {
    const struct job_report *r;
    const struct job *j;
    int32_t *order;      /* ranks, the most blamed first */
    const int32_t *like; /* by rank, the first that does the same; NULL */
    struct passed_on *passed_on;
    int n_passed_on;
    bool by_step, steps_share; /* a table of steps, some of which share a column */
    bool has_nodes;
    const struct worst_said *worst;
    const struct ranks_said *ranks;
    const struct bandwidth_said *bandwidth;
    const struct exchange_said *exchange;
};

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

/* Of n ranks in that order. */
static struct field_items ranks_in(struct job_maker *m, const int32_t *order, int n)
{
    const struct job_rank **list = arena_new(m->perm, const struct job_rank *, n);
    for (int i = 0; i < n; i++)
        list[i] = &m->j->ranks[order[i]];
    struct field_items items = ITEMS(list, n);
    items.pointers = true;
    return items;
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
            .value_text = str_printf(m->perm, "%.*s, %.1f%%",
                                     STRF(duration_text(m->perm, r->blame_ns)), pct),
            .slot = SLOT_COMMUNICATION,
            .letter = S(" "),
            .folded = !r->is_named && j->n_named > 0,
            .value = ms};
    }
    if (!f.n_marks)
        return figure_without_data(f, S("No rank waits."));
    f.caption = str_printf(
        m->perm, "The others wait for %.*s most: %.*s of all waiting%s",
        STRF(f.marks[0].label), STRF(f.marks[0].value_text),
        j->n_named ? "; outlined: ranks that the headline does not name" : "");
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
    enum {
        S_FROM_MS = 10000
    }; /* bars that differ by little need more than three digits */
    const struct job *j = m->j;
    struct report_figure f = figure_titled(
        FIGURE_BARS, "curve", "The run with one rank after the other fixed",
        "length of the run, ms", "fixed", "Fixed", "Length of the run");
    f.marks = arena_new(m->perm, struct figure_mark, j->n_curve + 2);
    int n = curve_length(j);
    for (int i = 0; i < n; i++) {
        const struct job_curve *c = &j->curve[i];
        double ms = (double)c->total_ns / 1e6;
        f.marks[f.n_marks++] = (struct figure_mark){
            .label = c->rank < 0 ? S("as recorded")
                                 : str_printf(m->perm, "%srank %d", i > 1 ? "and " : "",
                                              j->ranks[c->rank].rank),
            .value_text = ms < S_FROM_MS ? str_printf(m->perm, "%.3f ms", ms)
                                         : str_printf(m->perm, "%.3f s", ms / 1e3),
            .slot = c->rank < 0 ? SLOT_COMPUTE : SLOT_COMMUNICATION,
            .letter = S(" "),
            .value = ms};
    }
    if (!f.n_marks)
        return figure_without_data(f, S("Not evaluated."));
    f.caption =
        n < 2 ? S("No rank alone saves 0.1% of the run")
              : str_printf(m->perm,
                           "Each bar also has the ranks above it fixed, so no bar "
                           "tells what its rank alone would save%s",
                           n < j->n_curve ? "; further ranks save less than 0.1%" : "");
    f.description = f.caption;
    return f;
}

static void find_passed_on(struct job_maker *m, struct job_said *s)
{
    const struct job *j = m->j;
    int most = JOB_VERDICT_MAX - (j->start_wait_ns != 0);
    s->passed_on = arena_new(m->perm, struct passed_on, most);
    for (int i = 0; i < j->n_ranks && s->n_passed_on < most; i++) {
        const struct job_rank *r = &j->ranks[s->order[i]];
        if (j->n_named && !r->is_named && r->blame >= MUCH_FRAC * (double)j->wait_ns &&
            r->own_blame <= PASSED_FRAC * r->blame)
            s->passed_on[s->n_passed_on++] =
                (struct passed_on){r->rank, 100 * r->own_blame / r->blame};
    }
}

TELL(struct str, result, job_check,
     !it->evaluated ? S("not evaluated")
     : it->good     ? S("passed")
                    : S("failed"));
COLUMNS(check_columns, job_check, {.title = "Check", .of = F(what, TEXT)},
        {.title = "Result", .of = CALL(result, TEXT, result)},
        {.title = "Says", .of = F(says, TEXT)});

static void index_page(struct job_maker *m, struct job_said *s)
{
    find_passed_on(m, s);
    job_figure(m, "blame", blame_figure(m, s->order, m->j->n_ranks));
    job_figure(m, "curve", curve_figure(m));
    job_table(m, S("checks"), "", check_columns(), ITEMS(m->r->checks, m->r->n_checks),
              NULL, 0);
}

/* The worst step of each column: with many, steps share columns. */
static double worst_blame(const struct job *j, int rank, int from, int to)
{
    double worst = 0;
    for (int s = from; s < to; s++)
        worst = fmax(worst, (double)j->step_blame[(int64_t)rank * j->n_steps + s]);
    return worst;
}

static struct str steps_title(struct arena *a, const struct job *j, int from, int to)
{
    long long first = (long long)j->steps[from].number,
              last = (long long)j->steps[to - 1].number;
    return to - from == 1 ? str_printf(a, "Step %lld", first)
                          : str_printf(a, "%lld-%lld", first, last);
}

COLUMNS(rank_column, job_rank,
        {.title = "#Rank", .of = F(rank, NUMBER), .link = F(page, TEXT)});

static void steps_table(struct job_maker *m, struct job_said *s)
{
    enum { WIDE = 17, ROWS = 64 };
    const struct job *j = m->j;
    int wide = j->n_steps < WIDE ? j->n_steps : WIDE;
    int n = j->n_ranks < ROWS ? j->n_ranks : ROWS;
    if (!j->step_blame || j->n_ranks < 2)
        return;
    s->by_step = true;
    s->steps_share = wide < j->n_steps;
    struct job_table *t = job_table(m, S("by-step"), "job_blame", rank_column(),
                                    ranks_in(m, s->order, n), NULL, wide);
    double *v = arena_new(m->perm, double, (ptrdiff_t)n *wide), most = 0;
    for (int k = 0; k < wide; k++) {
        int from = k * j->n_steps / wide, to = (k + 1) * j->n_steps / wide;
        int at = job_title(t, k, steps_title(m->perm, j, from, to));
        for (int i = 0; i < n; i++) {
            double *x = &v[i * wide + k];
            *x = worst_blame(j, s->order[i], from, to);
            most = fmax(most, *x);
            job_cell(t, i, at)->text = job_ns_text(m->perm, llround(*x));
        }
    }
    for (int i = 0; i < n; i++)
        job_heat(job_cell(t, i, 1), v + (ptrdiff_t)i * wide, wide, most);
}

static const struct job *told_of(const struct described *in)
{
    return in->whole;
}

static struct str fix_kind(enum fix_kind kind)
{
    static const struct str kinds[] = {[FIX_NODE] = S_INIT("a node"),
                                       [FIX_ROLE] = S_INIT("ranks that do the same"),
                                       [FIX_CAUSE] = S_INIT("a cause of lateness")};
    return kinds[kind];
}

/* Of a whole; NaN: there is none. */
static double share_pct(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : (double)NAN;
}

/* All ranks of a node or of a role fixed, or one cause on all ranks. */
TELL(int64_t, fix_saves, job_fix, told_of(in)->identity_ns - it->total_ns);
TELL(double, fix_pct, job_fix,
     share_pct((double)fix_saves(in), (double)told_of(in)->identity_ns));
COLUMNS(fix_columns, job_fix, {.title = "Fixed", .of = F(what, TEXT)},
        {.title = "What it is", .of = ENUM(kind, fix_kind, FIX_CAUSE + 1)},
        {.title = "#Ranks", .of = F(n_ranks, NUMBER)},
        {.title = "#Saves, ms", .of = CALL(saves, NS, fix_saves)},
        {.title = "#Of the run, %", .of = CALL(pct, PCT, fix_pct), .decimals = 1});

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

static const struct job_said *said(const struct described *in)
{
    return in->whole;
}

TELL(int64_t, like_rank, job_rank,
     said(in)->j->ranks[said(in)->like[it - said(in)->j->ranks]].rank);
TELL(double, blame_pct, job_rank, share_pct(it->blame, (double)said(in)->j->wait_ns));
TELL(int64_t, own_ns, job_rank, llround(it->own_blame));
TELL(double, save_ms, job_rank,
     it->has_whatif ? (double)it->save_ns / 1e6 : (double)NAN);
TELL(double, steps_pct, job_rank,
     said(in)->j->n_steps ? 100 * it->chronic_frac : (double)NAN);
TELL(double, sure_pct, job_rank, 100 * it->top_frac);

COLUMNS(late_columns, job_rank,
        {.title = "#Rank", .of = F(rank, NUMBER), .link = F(page, TEXT)},
        {.title = "#Does as rank", .of = CALL(like, NUMBER, like_rank)},
        {.title = "#Node", .of = F(node, NUMBER)},
        {.title = "Cause", .of = F(cause, NAME)},
        {.title = "#Blame", .of = F(blame_ns, NS)},
        {.title = "#Of all, %", .of = CALL(pct, PCT, blame_pct), .decimals = 1},
        {.title = "#Its own", .of = CALL(own, NS, own_ns)},
        {.title = "#Saves", .of = CALL(saves, MS, save_ms), .decimals = 3},
        {.title = "#Times last", .of = F(n_last, NUMBER)},
        {.title = "#Steps, %", .of = CALL(steps, PCT, steps_pct)},
        {.title = "#Sure, %", .of = CALL(sure, PCT, sure_pct)},
        {.title = "#Waited", .of = F(waited_ns, NS)},
        {.title = "#Late", .of = F(late.ns, NS)},
        {.title = "#Compute", .of = F(late.part_ns[SEGMENT_COMPUTE], NS)},
        {.title = "#Copies", .of = F(late.part_ns[SEGMENT_COPY], NS)},
        {.title = "#Idle", .of = F(late.part_ns[SEGMENT_IDLE], NS)});

static void late_page(struct job_maker *m, struct job_said *s)
{
    const struct job *j = m->j;
    s->like = firsts_of_roles(m);
    struct told_columns columns = late_columns();
    if (!s->like)
        columns = columns_without(m->perm, columns, 1);
    job_table(m, S("late"), "job_blame", columns, ranks_in(m, s->order, j->n_ranks), s,
              0);
    job_table(m, S("together"), "job_whatif", fix_columns(),
              ITEMS(j->fixes, j->n_fixes), j, 0);
    steps_table(m, s);
}

TELL(struct str, kind, job_instance,
     collective_word(told_of(in)->signatures[it->signature].kind));
TELL(int64_t, bytes, job_instance, told_of(in)->signatures[it->signature].bytes);
TELL(struct str, group, job_instance, told_of(in)->groups[it->group].name);
TELL(double, step, job_instance,
     it->step < 0 ? (double)NAN : (double)told_of(in)->steps[it->step].number);
TELL(int64_t, at_ns, job_instance, it->last_start_ns - told_of(in)->start_ns);
TELL(int64_t, last_rank, job_instance, told_of(in)->ranks[it->last_rank].rank);
COLUMNS(collective_columns, job_instance,
        {.title = "Collective", .of = CALL(kind, TEXT, kind)},
        {.title = "#Bytes", .of = CALL(bytes, BYTES, bytes)},
        {.title = "Group", .of = CALL(group, NAME, group)},
        {.title = "#Step", .of = CALL(step, RATE, step)},
        {.title = "#At, ms", .of = CALL(at, NS, at_ns)},
        {.title = "#Ranks", .of = F(n_members, NUMBER)},
        {.title = "#Last rank", .of = CALL(last, NUMBER, last_rank)},
        {.title = "#Skew, ms", .of = SPAN("skew", NS, first_start_ns, last_start_ns)},
        {.title = "#Waiting, ms", .of = F(wait_ns, NS)});

/* Instances with most waiting first. */
static void collectives_page(struct job_maker *m)
{
    enum { WORST = 100 };
    const struct job *j = m->j;
    struct arena tmp = m->tmp;
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_instances);
    const struct job_instance **list =
        arena_new(m->perm, const struct job_instance *, WORST);
    for (int32_t i = 0; i < j->n_instances; i++)
        rows[i] =
            (struct sort_row){-j->instances[j->by_time[i]].wait_ns, j->by_time[i]};
    sort_rows(tmp, rows, j->n_instances);
    int32_t n = 0;
    for (; n < j->n_instances && n < WORST && rows[n].key < 0; n++)
        list[n] = &j->instances[rows[n].row];
    struct field_items worst = ITEMS(list, n);
    worst.pointers = true;
    job_table(m, S("collectives"), "job_collectives", collective_columns(), worst, j,
              0);
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

TELL(int64_t, node_number, str, it - told_of(in)->hosts);
COLUMNS(node_columns, str, {.title = "#Node", .of = CALL(node, NUMBER, node_number)},
        {.title = "Host",
         .of = {.name = "host", .kind = FIELD_TEXT, .unit = FIELD_UNIT_NAME}});

/* Nodes under one another: a slow one is a dark row, a slow slot a dark column. */
static void nodes_table(struct job_maker *m, struct job_said *s)
{
    const struct job *j = m->j;
    double(*grid)[LOCAL_MAX] = arena_take(m->perm, sizeof *grid, 8, j->n_nodes);
    int wide = node_grid(m, grid);
    double most = 0;
    s->has_nodes = j->n_nodes >= 2 && wide <= LOCAL_MAX;
    if (!s->has_nodes)
        return;
    for (int i = 0; i < j->n_nodes; i++)
        for (int k = 0; k < wide; k++)
            most = fmax(most, grid[i][k]);
    struct job_table *t = job_table(m, S("nodes"), "job_ranks", node_columns(),
                                    ITEMS(j->hosts, j->n_nodes), j, wide);
    for (int k = 0; k < wide; k++)
        job_title(t, k, str_printf(m->perm, "Rank %d of it", k + 1));
    for (int i = 0; i < t->n_rows; i++) {
        struct job_cell *cells = job_cell(t, i, t->n_told);
        job_heat(cells, grid[i], wide, most);
        for (int k = 0; k < wide; k++)
            cells[k].text = job_real_text(m->perm, grid[i][k] / 1e6, 3);
    }
}

/* Its name, else its ranks. */
static struct str group_text(const struct described *in)
{
    enum { SHOWN = 8 };
    const struct job_group *g = in->of;
    struct str text = S("ranks");
    if (g->name.n || !g->n_ranks)
        return g->name;
    for (int i = 0; i < g->n_ranks && i < SHOWN; i++)
        text = str_printf(in->tmp, "%.*s %d", STRF(text), g->ranks[i]);
    return g->n_ranks > SHOWN ? str_printf(in->tmp, "%.*s ...", STRF(text)) : text;
}

TELL(struct str, role, job_group,
     it->role_guessed ? str_printf(in->tmp, "%.*s (guess)", STRF(it->role)) : it->role);
TELL(struct str, span, job_group,
     it->crosses_nodes ? S("between nodes") : S("within a node"));
COLUMNS(group_columns, job_group,
        {.title = "Group", .of = CALL(name, NAME, group_text)},
        {.title = "For", .of = CALL(role, TEXT, role)},
        {.title = "Known from", .of = F(role_reason, TEXT)},
        {.title = "#Ranks", .of = F(size, NUMBER)},
        {.title = "#In the data", .of = F(n_present, NUMBER)},
        {.title = "Span", .of = CALL(span, TEXT, span)},
        {.title = "#Collectives", .of = F(n_instances, NUMBER)},
        {.title = "Matching", .of = ENUM(confidence, match_word, CONFIDENCE_LEVELS)},
        {.title = "#Not matched", .of = F(n_unmatched, NUMBER)},
        {.title = "#Slow, times", .of = F(slow_ratio, RATE), .decimals = 2});

static void groups_page(struct job_maker *m, struct job_said *s)
{
    const struct job *j = m->j;
    job_table(m, S("groups"), "job_groups", group_columns(),
              ITEMS(j->groups, j->n_groups), j, 0);
    nodes_table(m, s);
    s->exchange = job_exchange(m);
}

static FIELDS(passed_on, F(rank, NUMBER), F(own_pct, PCT));
TELL(struct str, suspect, job_suspect, suspect_sentence(in->tmp, said(in)->j, it));
static FIELDS(job_suspect, CALL(sentence, TEXT, suspect));

static struct field_items verdict_of(const struct described *in)
{
    const struct job_report *r = in->of;
    return ITEMS(r->verdict, r->n_verdict);
}

static struct field_items suspects_of(const struct described *in)
{
    const struct job *j = in->of;
    return ITEMS(j->suspects,
                 j->n_suspects < JOB_VERDICT_MAX ? j->n_suspects : JOB_VERDICT_MAX);
}

TELL(bool, has_fixes, job, it->n_fixes > 0);
TELL(bool, has_steps, job, it->n_steps > 0);
TELL(bool, by_roles, job_said, it->like != NULL);
static VIEW(said_report, job_report, CALL_LIST(verdict, text, verdict_of),
            F(length, NAME), F(data, TEXT));
static VIEW(said_job, job, F(start_wait_ns, SOME), F(is_hidden, FLAG),
            CALL(has_fixes, FLAG, has_fixes), CALL(has_steps, FLAG, has_steps),
            CALL_LIST(suspects, job_suspect, suspects_of));
static FIELDS(job_said, MEMBERS_OF(r, said_report), MEMBERS_OF(j, said_job),
              LIST(passed_on, n_passed_on, passed_on), CALL(by_roles, FLAG, by_roles),
              F(by_step, FLAG), F(steps_share, FLAG), F(has_nodes, FLAG),
              POINTER(worst, worst_said), POINTER(ranks, ranks_said),
              POINTER(bandwidth, bandwidth_said), POINTER(exchange, exchange_said));

struct job_document *job_document_make(struct arena *perm, struct arena tmp,
                                       const struct job_report *r)
{
    struct job_document *d = arena_new(perm, struct job_document, 1);
    struct job_said *s = arena_new(perm, struct job_said, 1);
    struct job_maker m = {.perm = perm, .tmp = tmp, .j = r->j, .r = r, .d = d};
    *d = (struct job_document){
        .r = r,
        .title = device_word_put(perm, S("GPU job"), r->vendor, 0, 0),
        .vendor = r->vendor,
        .label = str_printf(perm, "%d %s", r->j->n_ranks,
                            str_plural(r->j->n_ranks, "rank", "ranks")),
        .id = r->id,
        .made_by = r->tool_version,
        .share_level = r->share_level,
        .words = S("job"),
        .facts = job_said_fields(),
        .of = s};
    *s = (struct job_said){.r = r, .j = r->j, .order = by_blame(&m)};
    index_page(&m, s);
    late_page(&m, s);
    s->worst = job_worst_page(&m);
    s->ranks = job_ranks_page(&m);
    collectives_page(&m);
    s->bandwidth = job_bandwidth_page(&m);
    groups_page(&m, s);
    job_steps_page(&m);
    return d;
}
