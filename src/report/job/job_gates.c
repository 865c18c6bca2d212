#include "report/job/job_gates.h"

#include "base/unknown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const char *text, struct err *e)
{
    return err_set(e, ERR_USAGE, NULL, -1,
                   "--fail-on: expected slowdown>N, straggler>N%%, missing>N or "
                   "busbw(KIND)<N of a kind such as all-reduce, not '%s'",
                   text);
}

static bool read_what(struct str what, struct job_gate *g)
{
    static const struct {
        struct str word;
        enum job_measure measure;
    } words[] = {{S_INIT("slowdown"), MEASURE_SLOWDOWN},
                 {S_INIT("straggler"), MEASURE_STRAGGLER},
                 {S_INIT("missing"), MEASURE_MISSING}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(what, words[i].word)) {
            g->measure = words[i].measure;
            return true;
        }
    g->measure = MEASURE_BUS;
    if (!str_starts(what, S("busbw(")) || !str_ends(what, S(")")))
        return false;
    g->kind = collective_of_word(str_head(str_skip(what, 6), what.n - 7));
    return g->kind != COLLECTIVE_UNKNOWN;
}

bool job_gate_read(const char *text, struct job_gate *g, struct err *e)
{
    bool warns = strncmp(text, "warn:", 5) == 0;
    const char *what = warns ? text + 5 + strspn(text + 5, " ") : text;
    size_t n = strcspn(what, "<>");
    char *end;
    *g = (struct job_gate){.of = {.text = str_of(text),
                                  .what = GATE_ON_METRIC,
                                  .below = what[n] == '<',
                                  .warns = warns}};
    if (!what[n] || !read_what((struct str){what, (ptrdiff_t)n}, g))
        return refuse(text, e);
    g->of.limit = strtod(what + n + 1, &end);
    bool pct = *end == '%';
    g->of.unit = pct ? GATE_PERCENT : GATE_NUMBER;
    if (end == what + n + 1 || end[pct] || !isfinite(g->of.limit) ||
        pct != (g->measure == MEASURE_STRAGGLER))
        return refuse(text, e);
    return true;
}

static double figure(const struct job_gate *g, const struct job *j)
{
    double run = (double)j->identity_ns, most = 0;
    switch (g->measure) {
    case MEASURE_MISSING:
        return j->n_missing;
    case MEASURE_SLOWDOWN:
        return j->whatif_shown && j->ideal_ns > 0 ? run / (double)j->ideal_ns
                                                  : (double)NAN;
    case MEASURE_STRAGGLER:
        for (int i = 0; i < j->n_ranks; i++)
            if (j->ranks[i].has_whatif)
                most = fmax(most, (double)j->ranks[i].save_ns);
        return j->whatif_shown ? 100 * most / run : (double)NAN;
    default:
        for (int i = 0; i < j->n_bandwidth; i++) /* by size, the largest first */
            if (j->bandwidth[i].kind == g->kind)
                return j->bandwidth[i].bus_gb_s;
        return (double)NAN;
    }
}

struct gate_result job_gate(struct arena *perm, const struct job_gate *g,
                            const struct job *j)
{
    static const char *const units[] = {[MEASURE_SLOWDOWN] = "",
                                        [MEASURE_STRAGGLER] = "%",
                                        [MEASURE_MISSING] = "",
                                        [MEASURE_BUS] = " GB/s"};
    double value = figure(g, j);
    if (isnan(value))
        return (struct gate_result){&g->of, GATE_NOT_EVALUATED,
                                    S("the figure is not known"), value};
    return (struct gate_result){
        &g->of, gate_beyond(&g->of, value) ? GATE_FAILED : GATE_PASSED,
        str_printf(perm, "it is %.4g%s", value, units[g->measure]), value};
}

/* "wait" of "wait_ns". */
static struct str part_name(int part)
{
    struct str key = job_part_key((enum job_part)part);
    return str_head(key, key.n - S("_ns").n);
}

/* The part of the mean rank's time of that name; JOB_PARTS: none. */
static int part_of_name(struct str name)
{
    int p = 0;
    while (p < JOB_PARTS && !str_eq_nocase(part_name(p), name))
        p++;
    return p;
}

static bool part_is_known(const struct gate_expr *g, struct err *e)
{
    struct str words[JOB_PARTS];
    for (int p = 0; p < JOB_PARTS; p++)
        words[p] = part_name(p);
    return part_of_name(g->category) < JOB_PARTS ||
           err_unknown(e, "--fail-on regression(category:...) of jobs", g->category,
                       words, JOB_PARTS, "");
}

bool job_compare_gate_read(const char *text, struct gate_expr *g, struct err *e)
{
    if (!gate_read(text, g, e))
        return false;
    switch (g->what) {
    case GATE_ON_CATEGORY:
        return part_is_known(g, e);
    case GATE_ON_DEVICE:
    case GATE_ON_WALL:
    case GATE_ON_SETUP:
    case GATE_ON_FINDING:
        return true;
    default:
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--fail-on '%.100s': of two jobs there are regression, "
                       "regression(wall), regression(category:wait), setup and "
                       "new-finding (a rank that is newly late); others are of two of "
                       "their ranks, as JOB:rank=0",
                       text);
    }
}

/* A job is one observation: below its floor a difference is noise. */
static struct gate_measured measured(const double ns[2], double floor_pct,
                                     struct str what)
{
    double pct = ns[0] > 0 ? 100 * (ns[1] - ns[0]) / ns[0] : (double)NAN;
    return (struct gate_measured){
        .pct = pct,
        .ns = ns[1] - ns[0],
        .floor_pct = floor_pct,
        .mde_pct = (double)NAN,
        .verdict = fabs(pct) > floor_pct ? VERDICT_OBSERVED : VERDICT_WITHIN_FLOOR,
        .what = what};
}

static struct gate_result on_part(struct arena *perm, const struct gate_expr *g,
                                  const struct job_comparison *c, int part)
{
    double ns[2];
    for (int side = 0; side < 2; side++)
        ns[side] = job_compared_part_ns(c, side, part);
    struct gate_measured m =
        measured(ns, NOISE_FLOORS.device_pct, job_part_word((enum job_part)part));
    return gate_decide(perm, g, &m);
}

static struct gate_result on_length(struct arena *perm, const struct gate_expr *g,
                                    const struct job_comparison *c)
{
    double ns[2];
    for (int side = 0; side < 2; side++)
        ns[side] = job_compared_length_ns(c, side);
    struct gate_measured m =
        measured(ns, NOISE_FLOORS.wall_pct, c->by_step ? S("step") : S("run"));
    return gate_decide(perm, g, &m);
}

static struct gate_result said(const struct gate_expr *g, bool fails, struct str says)
{
    return (struct gate_result){g, fails ? GATE_FAILED : GATE_PASSED, says,
                                (double)NAN};
}

static struct gate_result on_setup(struct arena *perm, const struct gate_expr *g,
                                   const struct job_comparison *c)
{
    const struct report_table *t = &c->tables[JOB_COMPARE_SETUP];
    int n = 0;
    struct str first = S("");
    for (ptrdiff_t i = 0; i < t->n_rows; i++)
        if (table_cell(t, i, t->n_columns - 1)->as.b)
            first = n++ ? first : table_cell(t, i, 0)->as.text;
    return said(g, n > 0,
                n ? str_printf(perm, "%d %s, first: %.*s", n,
                               str_plural(n, "line of the set-up differs",
                                          "lines of the set-up differ"),
                               STRF(first))
                  : S("the set-up is the same"));
}

static struct gate_result on_late(struct arena *perm, const struct gate_expr *g,
                                  const struct job_comparison *c)
{
    int rank = job_newly_late(c);
    return said(g, rank >= 0,
                rank < 0 ? S("no rank is newly late")
                         : str_printf(perm, "rank %d is newly late", rank));
}

struct gate_result job_compare_gate(struct arena *perm, const struct gate_expr *g,
                                    const struct job_comparison *c)
{
    if (g->what <= GATE_ON_CATEGORY && !c->same_work)
        return (struct gate_result){g, GATE_NOT_EVALUATED,
                                    S("the jobs run different work"), (double)NAN};
    switch (g->what) {
    case GATE_ON_WALL:
        return on_length(perm, g, c);
    case GATE_ON_CATEGORY:
        return on_part(perm, g, c, part_of_name(g->category));
    case GATE_ON_SETUP:
        return on_setup(perm, g, c);
    case GATE_ON_FINDING:
        return on_late(perm, g, c);
    default:
        return on_part(perm, g, c, JOB_PART_COMPUTE);
    }
}
