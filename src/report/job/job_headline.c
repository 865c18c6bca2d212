/* What costs a job most, in one sentence. */
#include "report/job/job_headline.h"

#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "base/sort.h"
#include "job/job_stages.h"
#include "report/compare/rank_cause.h"

#include <math.h>
#include <stdlib.h>

#define MAIN_FRAC 0.75 /* of what all late ranks cost, of one that is named */
#define MOST_FRAC 0.6  /* of what all late ranks cost, of one cause */
#define SPAN_FRAC 0.7  /* of the steps: late in fewer, one after the other */
#define RARE_FRAC 0.5  /* of the steps: late in fewer, now and then */
#define HELD_FRAC 0.7  /* of what a rank is blamed for, in these steps */
#define FEW_FRAC  0.1  /* of the steps of all ranks: these have most of the blame */

/* Fewer do not show who is late again and again, nor when. */
enum { SURE_STEPS = 8 };

struct str duration_text(struct arena *a, int64_t ns)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
    double v = (double)llabs(ns);
    int u = 0;
    while (u < 3 && v < 0.9995 * units[u].ns) /* less would be 1000 of the next */
        u++;
    double x = (double)ns / units[u].ns, size = fabs(x);
    return str_printf(a, "%.*f %s",
                      size >= 99.95 || u == 3 ? 0
                      : size >= 9.995         ? 1
                                              : 2,
                      x, units[u].unit);
}

/* "0 and 6", "1, 3, 5, 8, 9 and 9 others" */
static struct str ranks_listed(struct arena *a, const int32_t *ranks, int n)
{
    enum { MOST = 6 };
    struct str text = S("");
    int told = n <= MOST ? n : MOST - 1;
    for (int i = 0; i < told; i++)
        text = str_printf(a, "%.*s%s%d", STRF(text),
                          !i           ? ""
                          : i == n - 1 ? " and "
                                       : ", ",
                          ranks[i]);
    return told < n ? str_printf(a, "%.*s and %d others", STRF(text), n - told) : text;
}

struct str ranks_named(struct arena *a, const struct job *j, const int32_t *places,
                       int n)
{
    int32_t *ranks = arena_new(a, int32_t, n);
    for (int i = 0; i < n; i++)
        ranks[i] = j->ranks[places[i]].rank;
    return str_printf(a, "%s %.*s", str_plural(n, "rank", "ranks"),
                      STRF(ranks_listed(a, ranks, n)));
}

double job_pct(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

int64_t job_mean_step_ns(const struct job *j)
{
    const struct job_rank *r = j->ranks;
    int64_t sum_ns = 0, n = 0;
    for (int i = 0; r->steps && i < r->n_steps; i++)
        if (r->steps[i].of >= 0) {
            sum_ns += r->steps[i].end_ns - r->steps[i].start_ns;
            n++;
        }
    return n ? sum_ns / n : j->step_ns;
}

int64_t job_per_step_ns(const struct job *j, int64_t ns)
{
    if (j->n_steps <= 1)
        return ns;
    int64_t run_ns = j->end_ns - j->start_ns;
    double part = run_ns > 0 ? (double)ns / (double)run_ns : 0;
    return llround(part * (double)job_mean_step_ns(j));
}

/* The least part of the lateness of each that its cause covers; the cause of all named
 * ranks is the same, else less than 0. */
double job_common_cause(const struct job *j)
{
    const struct job_rank *first = &j->ranks[j->named[0]];
    double least = first->cause_frac;
    for (int i = 1; i < j->n_named; i++) {
        const struct job_rank *r = &j->ranks[j->named[i]];
        if (!str_eq(r->cause, first->cause))
            return -1;
        least = fmin(least, r->cause_frac);
    }
    return least;
}

static bool is_loaded(const struct job *j)
{
    return j->even_ns >= 0 && j->ranks[j->named[0]].load_frac >= LOADED;
}

/* Whether a class of idle time is the host's: "Python", "synchronising call". */
static bool is_of_host(struct str label)
{
    static const enum idle_class classes[] = {
        IDLE_SYNC,     IDLE_MEMORY, IDLE_LOAD,    IDLE_RUNTIME, IDLE_DISPATCH,
        IDLE_CPU_WORK, IDLE_PYTHON, IDLE_NOTHING, IDLE_LAUNCH,  IDLE_HOST_BOUND};
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
        if (str_eq(label, idle_class_label(classes[k])))
            return true;
    return false;
}

/* " because its GPU waits for its host (Python)" */
static struct str idle_clause(struct arena *perm, struct str label, bool several)
{
    const char *gpu = several ? "their GPUs" : "its GPU";
    if (is_of_host(label))
        return str_printf(perm, " because %s %s (%.*s)", gpu,
                          several ? "wait for their hosts" : "waits for its host",
                          STRF(label));
    return str_printf(perm, " because %s %s idle (%.*s)", gpu, several ? "are" : "is",
                      STRF(label));
}

/* What was found for one rank holds for several if their lateness is of one cause. */
static bool is_explained(const struct job *j)
{
    return j->n_reasons == 1 && j->reasons[0].because.n &&
           (j->n_named < 2 || job_common_cause(j) >= 0);
}

/* ": rank 5 because all kernels take 20.0% longer, rank 2 because the GPU waits for its
 * input"; empty: some of them are not known. */
static struct str reasons_of_each(struct arena *perm, const struct job *j)
{
    struct str all = S("");
    for (int i = 0; i < j->n_reasons; i++) {
        const struct job_reason *r = &j->reasons[i];
        struct str says = r->because;
        if (!says.n)
            return S("");
        if (i + 1 < j->n_reasons && r->kind == r[1].kind) /* what it is comes once */
            says = str_take(&says, S(": "));
        all = str_printf(perm, "%.*s%s rank %d because %.*s", STRF(all), i ? "," : ":",
                         j->ranks[r->rank].rank, STRF(says));
    }
    return j->n_reasons > 1 ? all : S("");
}

static struct str because(struct arena *perm, const struct job *j)
{
    struct str cause = j->ranks[j->named[0]].cause, idle = S("idle: ");
    bool several = j->n_named > 1;
    struct str each = reasons_of_each(perm, j);
    if (is_loaded(j))
        return several ? S(" because their experts get more than an even share")
                       : S(" because its experts get more than an even share");
    if (is_explained(j))
        return str_printf(perm, " because %.*s", STRF(j->reasons[0].because));
    if (each.n)
        return each;
    if (job_common_cause(j) < 0 || str_eq(cause, S("mixed")) || !cause.n)
        return S(" for several causes");
    if (str_eq(cause, S("compute")))
        return several ? S(" because they compute longer")
                       : S(" because it computes longer");
    if (str_eq(cause, S("copy")))
        return several ? S(" because their copies take longer")
                       : S(" because its copies take longer");
    if (str_starts(cause, idle))
        return idle_clause(perm, str_skip(cause, idle.n), several);
    return str_eq(cause, S("idle")) ? (several ? S(" because their GPUs are idle")
                                               : S(" because its GPU is idle"))
                                    : str_printf(perm, " because of %.*s", STRF(cause));
}

/* What the named ranks cost the run: of experts with more than their share, what even
 * loads are worth, whose transfers are shorter too. */
static int64_t late_cost_ns(const struct job *j)
{
    return j->identity_ns - (is_loaded(j) ? j->even_ns : j->named_ns);
}

static int64_t cost_ns(const struct job *j, enum job_headline what)
{
    switch (what) {
    case HEADLINE_LATE:
        return j->n_named && j->named_ns >= 0 ? late_cost_ns(j) : 0;
    case HEADLINE_LINKS:
        return j->links_ns >= 0 ? j->identity_ns - j->links_ns : 0;
    case HEADLINE_OUTSIDE:
        return j->n_lacking && j->joined_ns >= 0 ? j->identity_ns - j->joined_ns : 0;
    case HEADLINE_SCATTERED:
        return j->n_named ? 0 : j->identity_ns - j->ideal_ns;
    case HEADLINE_NONE:
    case HEADLINES:
        break;
    }
    return 0;
}

enum job_headline job_headline_of(const struct job *j)
{
    enum job_headline best = HEADLINE_NONE;
    int64_t most_ns = 0;
    for (int k = HEADLINE_LATE; k < HEADLINES && j->whatif_shown && j->n_ranks > 1;
         k++) {
        int64_t ns = cost_ns(j, (enum job_headline)k);
        if (ns > most_ns) {
            best = (enum job_headline)k;
            most_ns = ns;
        }
    }
    /* Of one rank, a little less if it is most of what all late ranks cost. */
    double all = (double)(j->identity_ns - j->ideal_ns),
           least = LOST_FRAC * (double)(j->end_ns - j->start_ns),
           most = (double)most_ns;
    if (best == HEADLINE_LATE && j->n_named == 1 && most >= MAIN_FRAC * all)
        most = fmax(most, all);
    return most >= least ? best : HEADLINE_NONE;
}

/* Of a step what is lost of the time in which all ranks are recorded: there alone the
 * cost shows. Of a run without steps no more than what is lost there. */
static double cost_part(const struct job *j, int64_t ns)
{
    bool of_steps = j->n_steps > 1 && j->compared_ns;
    return (double)ns / (double)(of_steps ? j->compared_ns : j->identity_ns);
}

/* "1.50 ms": that part of a step, or of the run without steps. */
static struct str part_text(struct arena *perm, const struct job *j, double part)
{
    int64_t run_ns = j->end_ns - j->start_ns;
    return duration_text(perm, job_per_step_ns(j, llround(part * (double)run_ns)));
}

/* "1.50 ms of each step of 10.0 ms (15.0%, estimate)" */
static struct str cost_text(struct arena *perm, const struct job *j, int64_t ns)
{
    double part = cost_part(j, ns);
    return str_printf(perm, "%.*s of %s of %.*s (%.1f%%, estimate)",
                      STRF(part_text(perm, j, part)),
                      j->n_steps > 1 ? "each step" : "the run",
                      STRF(part_text(perm, j, 1)), 100 * part);
}

/* "1.50 to 2.00 ms of each step of 10.0 ms (15.0% to 20.0%, estimate)" */
static struct str cost_range(struct arena *perm, const struct job *j, int64_t least_ns,
                             int64_t most_ns)
{
    double least = cost_part(j, least_ns), most = cost_part(j, most_ns);
    return str_printf(perm, "%.*s to %.*s of %s of %.*s (%.1f%% to %.1f%%, estimate)",
                      STRF(part_text(perm, j, least)), STRF(part_text(perm, j, most)),
                      j->n_steps > 1 ? "each step" : "the run",
                      STRF(part_text(perm, j, 1)), 100 * least, 100 * most);
}

/* ", stage 3 of 4 of the pipeline,", if all named ranks are of one, else empty. */
static struct str stage_clause(struct arena *perm, const struct job *j)
{
    struct job_stages s = job_stages_find(perm, j);
    int32_t stage = s.of[j->named[0]], in_stage = 0;
    for (int32_t i = 0; i < j->n_ranks; i++)
        in_stage += s.of[i] == stage;
    for (int i = 0; i < j->n_named; i++)
        if (s.of[j->named[i]] != stage)
            return S("");
    return s.n > 1 ? str_printf(perm, ", %sstage %d of %d of the pipeline,",
                                in_stage == j->n_named ? "" : "in ", stage + 1, s.n)
                   : S("");
}

struct str job_late_text(struct arena *perm, const struct job *j)
{
    int node = j->ranks[j->named[0]].node;
    struct str host = j->is_node ? j->hosts[node] : S("");
    return !j->is_node ? str_printf(perm, "%.*s%.*s",
                                    STRF(ranks_named(perm, j, j->named, j->n_named)),
                                    STRF(stage_clause(perm, j)))
           : host.n    ? str_printf(perm, "the %d ranks of node %d (%.*s)", j->n_named,
                                    node, STRF(host))
                       : str_printf(perm, "the %d ranks of node %d", j->n_named, node);
}

bool job_late_span(const struct job *j, int32_t rank, int *first, int *last)
{
    int high = 0;
    double most = 0;
    if (!j->step_blame || j->n_steps < SURE_STEPS)
        return false;
    const float *blame = j->step_blame + (int64_t)rank * j->n_steps;
    *first = 0;
    *last = j->n_steps - 1;
    for (int s = 0; s < j->n_steps; s++)
        most = fmax(most, (double)blame[s]);
    while (*first < *last && (double)blame[*first] < most / 4)
        ++*first;
    while (*last > *first && (double)blame[*last] < most / 4)
        --*last;
    for (int s = *first; s <= *last; s++)
        high += (double)blame[s] >= most / 4;
    return *last - *first + 1 <= SPAN_FRAC * j->n_steps && high >= SURE_STEPS / 2 &&
           high >= *last - *first;
}

/* " until step 11" */
static struct str span_clause(struct arena *perm, const struct job *j)
{
    int first, last;
    if (j->n_named != 1 || !job_late_span(j, j->named[0], &first, &last))
        return S("");
    long long from = j->steps[first].number, to = j->steps[last].number;
    return !first ? str_printf(perm, " until step %lld", to)
           : last == j->n_steps - 1
               ? str_printf(perm, " from step %lld on", from)
               : str_printf(perm, " in steps %lld to %lld", from, to);
}

/* The same of steps with others between: ", lost in every 5th step,". */
static struct str rare_clause(struct arena *perm, const struct job *j, int32_t rank)
{
    if (!j->step_blame || j->n_steps < SURE_STEPS)
        return S("");
    const float *blame = j->step_blame + (int64_t)rank * j->n_steps;
    int last = -1, high = 0, apart = 0;
    double most = 0, all = 0, held = 0;
    bool even = true;
    for (int s = 0; s < j->n_steps; s++) {
        most = fmax(most, (double)blame[s]);
        all += (double)blame[s];
    }
    for (int s = 0; s < j->n_steps; s++) {
        if ((double)blame[s] < most / 4)
            continue;
        held += (double)blame[s];
        if (high++) {
            even &= high == 2 || s - last == apart;
            apart = s - last;
        }
        last = s;
    }
    if (high > RARE_FRAC * j->n_steps || held < HELD_FRAC * all)
        return S("");
    if (high == 1)
        return str_printf(perm, ", lost in step %lld,",
                          (long long)j->steps[last].number);
    return even ? str_printf(perm, ", lost in every %.*s step,",
                             STRF(str_ordinal(perm, apart)))
                : str_printf(perm, ", lost in %d of %d steps,", high, j->n_steps);
}

static struct str late_headline(struct arena *perm, const struct job *j)
{
    struct str who = job_late_text(perm, j), when = span_clause(perm, j);
    if (!when.n && j->n_named == 1)
        when = rare_clause(perm, j, j->named[0]);
    return str_printf(perm, "%.*s %s the others up by %.*s%.*s%.*s",
                      STRF(str_capital(perm, who)),
                      j->verdict == JOB_VERDICT_LOW ? "may hold"
                      : j->n_named > 1              ? "hold"
                                                    : "holds",
                      STRF(cost_text(perm, j, cost_ns(j, HEADLINE_LATE))), STRF(when),
                      STRF(because(perm, j)));
}

/* The slowest group, and how many there are. */
static const struct job_group *slowest_group(const struct job *j, int *n)
{
    const struct job_group *worst = NULL;
    *n = 0;
    for (int i = 0; i < j->n_groups; i++) {
        const struct job_group *g = &j->groups[i];
        if (!g->is_slow)
            continue;
        ++*n;
        worst = !worst || g->slow_ratio > worst->slow_ratio ? g : worst;
    }
    return worst;
}

static struct str group_text(struct arena *perm, const struct job_group *g)
{
    enum { MOST = 8 };
    if (!g->n_ranks || !g->ranks || g->n_ranks > MOST)
        return str_printf(perm, "in group %.*s of %d ranks", STRF(g->name), g->size);
    struct str text = g->n_ranks == 2 ? S("between ranks ") : S("among ranks ");
    for (int i = 0; i < g->n_ranks; i++)
        text = str_printf(perm, "%.*s%s%d", STRF(text),
                          !i                    ? ""
                          : i == g->n_ranks - 1 ? " and "
                                                : ", ",
                          g->ranks[i]);
    return text;
}

static struct str links_headline(struct arena *perm, const struct job *j)
{
    int n;
    const struct job_group *g = slowest_group(j, &n);
    struct str cost = cost_text(perm, j, cost_ns(j, HEADLINE_LINKS));
    struct str where =
        j->n_suspects == 1 && j->hosts[j->suspects[0].node].n
            ? str_printf(perm, "%s node %d (%.*s)",
                         j->suspects[0].inside ? "within" : "from and to",
                         j->suspects[0].node, STRF(j->hosts[j->suspects[0].node]))
        : j->n_suspects == 1
            ? str_printf(perm, "%s node %d",
                         j->suspects[0].inside ? "within" : "from and to",
                         j->suspects[0].node)
            : group_text(perm, g);
    if (j->n_suspects != 1 && n > 1)
        return str_printf(perm,
                          "Transfers of %d groups, the slowest %.*s, take up to %.1f "
                          "times as long as in groups that do the same, and cost %.*s",
                          n, STRF(where), g->slow_ratio, STRF(cost));
    return str_printf(perm,
                      "Transfers %.*s take %.1f times as long as in groups that do the "
                      "same, and cost %.*s: no rank is late, their link is slow",
                      STRF(where),
                      j->n_suspects == 1 ? j->suspects[0].ratio : g->slow_ratio,
                      STRF(cost));
}

struct str job_outside_text(struct arena *perm, const struct job *j)
{
    return j->n_missing == 1
               ? str_printf(perm, "Rank %d, which has no trace,", j->missing[0])
           : j->n_missing
               ? str_printf(perm, "One of the %d ranks without a trace (%.*s)",
                            j->n_missing,
                            STRF(ranks_listed(perm, j->missing, j->n_missing)))
               : S("A rank outside the data");
}

struct str job_data_text(struct arena *perm, const struct job *j)
{
    struct str text =
        str_printf(perm, "%d of %d ranks are in the data", j->n_ranks, j->n_expected);
    if (j->n_missing)
        text = str_printf(perm, "%.*s: %s %.*s %s missing", STRF(text),
                          str_plural(j->n_missing, "rank", "ranks"),
                          STRF(ranks_listed(perm, j->missing, j->n_missing)),
                          str_plural(j->n_missing, "is", "are"));
    return j->n_unread ? str_printf(perm, "%.*s; %d damaged %s left out", STRF(text),
                                    j->n_unread,
                                    str_plural(j->n_unread, "input is", "inputs are"))
                       : text;
}

bool job_may_be_outside(const struct job *j)
{
    return j->bare_ns >= 0 &&
           (double)(j->identity_ns - j->bare_ns) >= LOST_FRAC * (double)j->identity_ns;
}

static struct str outside_headline(struct arena *perm, const struct job *j)
{
    int64_t least_ns = cost_ns(j, HEADLINE_OUTSIDE),
            most_ns = j->bare_ns >= 0 ? j->identity_ns - j->bare_ns : 0;
    bool open = most_ns > least_ns;
    return str_printf(perm,
                      "%.*s may hold the others up by %.*s: %d collectives move data "
                      "only after all ranks in the data wait%s",
                      STRF(job_outside_text(perm, j)),
                      STRF(open ? cost_range(perm, j, least_ns, most_ns)
                                : cost_text(perm, j, least_ns)),
                      j->n_lacking,
                      open ? ", and none shows how long moving it takes without waiting"
                           : "");
}

static bool is_main_cause(const struct job *j, enum idle_class of)
{
    for (int i = 0; i < j->n_fixes; i++)
        if (j->fixes[i].kind == FIX_CAUSE)
            return str_starts(j->fixes[i].what, S("idle: ")) &&
                   str_eq(str_skip(j->fixes[i].what, 6), idle_class_label(of));
    return false;
}

/* Whether hosts pause in a few steps of a few ranks, and nothing says for what. */
static bool are_pauses(struct arena tmp, const struct job *j)
{
    enum { CELLS_MIN = 40 };
    int64_t n = (int64_t)j->n_ranks * j->n_steps, few = (int64_t)(FEW_FRAC * (double)n);
    if (!j->step_blame || n < CELLS_MIN || n > INT32_MAX ||
        !is_main_cause(j, IDLE_NOTHING))
        return false;
    struct sort_row *by = arena_new(&tmp, struct sort_row, n);
    double all = 0, most = 0;
    for (int32_t i = 0; i < n; i++) {
        by[i] = (struct sort_row){-llround((double)j->step_blame[i]), i};
        all += (double)j->step_blame[i];
    }
    sort_rows(tmp, by, n);
    for (int32_t i = 0; i < few; i++)
        most += (double)j->step_blame[by[i].row];
    return most >= HELD_FRAC * all;
}

/* Of all that late ranks cost, the cause of most. */
static struct str main_cause(struct arena *perm, const struct job *j)
{
    double all = (double)(j->identity_ns - j->ideal_ns);
    int i = 0;
    while (i < j->n_fixes && j->fixes[i].kind != FIX_CAUSE)
        i++;
    if (i == j->n_fixes ||
        (double)(j->identity_ns - j->fixes[i].total_ns) < MOST_FRAC * all)
        return S("");
    struct str what = j->fixes[i].what, idle = S("idle: ");
    if (are_pauses(*perm, j))
        return S(", mostly in rare pauses of their hosts in which nothing is recorded, "
                 "as garbage collection makes them");
    return str_starts(what, idle) && is_of_host(str_skip(what, idle.n))
               ? str_printf(perm, ", mostly while GPUs wait for their hosts (%.*s)",
                            STRF(str_skip(what, idle.n)))
               : str_printf(perm, ", mostly %.*s", STRF(what));
}

/* One rank that nothing shows to be late again. */
static struct str once_headline(struct arena *perm, const struct job *j)
{
    struct str why = j->n_reasons ? j->reasons[0].because : S(""),
               when = rare_clause(perm, j, j->once);
    if (!why.n && when.n)
        when = str_head(when, when.n - 1); /* its comma */
    return str_printf(perm,
                      "Rank %d held the others up by %.*s%.*s%s%.*s; the other steps "
                      "do not show it late",
                      j->ranks[j->once].rank,
                      STRF(cost_text(perm, j, j->ranks[j->once].save_ns)), STRF(when),
                      why.n ? " because " : "", STRF(why));
}

static struct str scattered_headline(struct arena *perm, const struct job *j)
{
    if (j->is_once)
        return once_headline(perm, j);
    return str_printf(
        perm,
        "Ranks take turns in being late, which costs %.*s%.*s; no rank in "
        "particular holds the others up",
        STRF(cost_text(perm, j, cost_ns(j, HEADLINE_SCATTERED))),
        STRF(main_cause(perm, j)));
}

struct str job_headline_text(struct arena *perm, const struct job *j)
{
    switch (job_headline_of(j)) {
    case HEADLINE_LATE:
        return late_headline(perm, j);
    case HEADLINE_LINKS:
        return links_headline(perm, j);
    case HEADLINE_OUTSIDE:
        return outside_headline(perm, j);
    case HEADLINE_SCATTERED:
        return scattered_headline(perm, j);
    case HEADLINE_NONE:
    case HEADLINES:
        break;
    }
    return S("");
}

static struct str late_advice(struct arena *perm, const struct job *j)
{
    static const char *const by_cause[RANK_CAUSES] = {
        [RANK_CAUSE_CLOCKS] =
            "compare clocks, power and temperature of the GPU with another's "
            "(nvidia-smi -q, rocm-smi); if they differ, take it out of the job",
        [RANK_CAUSE_WORK] = "even out what ranks get: lengths of sequences, layers of "
                            "a stage, loads of experts",
        [RANK_CAUSE_HOST] = "see what else runs on its CPUs, their clock governor, and "
                            "which cores and NUMA node the process is bound to",
        [RANK_CAUSE_INPUT] = "give the loader more workers or cheaper samples, and see "
                             "whether the storage of this rank is slower",
        [RANK_CAUSE_COPIES] = "if this is a checkpoint, let each rank write its part, "
                              "beside training (torch.distributed.checkpoint."
                              "async_save)"};
    if (j->is_once)
        return j->n_reasons && by_cause[j->reasons[0].kind]
                   ? str_of(by_cause[j->reasons[0].kind])
                   : str_printf(perm,
                                "see what rank %d did then; record more steps to see "
                                "whether it comes back",
                                j->ranks[j->once].rank);
    int rank = j->ranks[j->named[0]].rank;
    if (is_loaded(j))
        return S("even out what experts get, by a balancing loss, a capacity or "
                 "another placement");
    if ((is_explained(j) || reasons_of_each(perm, j).n) && by_cause[j->reasons[0].kind])
        return j->n_reasons > 1 ? str_printf(perm, "first rank %d: %s", rank,
                                             by_cause[j->reasons[0].kind])
                                : str_of(by_cause[j->reasons[0].kind]);
    bool few = j->verdict == JOB_VERDICT_LOW && j->n_steps < SURE_STEPS;
    return str_printf(
        perm,
        "%srun tracefolio analyze on the trace of rank %d, which says "
        "what to change there",
        few ? "record more steps to be sure who is late; until then, " : "", rank);
}

struct str job_advice_text(struct arena *perm, const struct job *j)
{
    switch (job_headline_of(j)) {
    case HEADLINE_LATE:
        return late_advice(perm, j);
    case HEADLINE_LINKS:
        return j->n_ranks && j->ranks[0].vendor.n
                   ? S("measure these links alone, and look for errors of PCIe or the "
                       "network card")
                   : S("measure these links alone (nccl-tests, rccl-tests), and look "
                       "for errors of NVLink, PCIe or the network card");
    case HEADLINE_OUTSIDE:
        return S("record the missing rank as well; its trace says why");
    case HEADLINE_SCATTERED:
        if (j->is_once)
            return late_advice(perm, j);
        return are_pauses(*perm, j)
                   ? S("collect garbage on all ranks in the same step: "
                       "gc.freeze() once, gc.disable(), then gc.collect() every so "
                       "many steps")
                   : S("see what the worst waits have in common");
    case HEADLINE_NONE:
    case HEADLINES:
        break;
    }
    if (j->n_ranks < 2)
        return S(
            "add the traces of the other ranks; one alone does not show who is late");
    if (!j->has_several)
        return S("");
    if (!j->whatif_shown)
        return j->n_named ? late_advice(perm, j) : S("");
    if (job_may_be_outside(j))
        return str_printf(perm, "record the missing %s as well",
                          str_plural(j->n_missing, "rank", "ranks"));
    return j->first_action.n
               ? str_printf(perm,
                            "nothing about late ranks; to shorten the step itself, "
                            "start with what analyze puts first on rank %d: %.*s",
                            j->ranks[j->first_rank].rank, STRF(j->first_action))
               : S("nothing about late ranks; to shorten the step itself, run "
                   "tracefolio analyze on one of the traces");
}
