#include "report/job/job_gates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const char *text, struct err *e)
{
    return err_set(e, ERR_USAGE, NULL, -1,
                   "--fail-on: expected slowdown>N, straggler>N%%, missing>N or "
                   "busbw(KIND)<N, not '%s'",
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
    size_t n = strcspn(text, "<>");
    char *end;
    *g = (struct job_gate){.text = text, .below = text[n] == '<'};
    if (!text[n] || !read_what((struct str){text, (ptrdiff_t)n}, g))
        return refuse(text, e);
    g->limit = strtod(text + n + 1, &end);
    bool pct = *end == '%';
    if (end == text + n + 1 || end[pct] || !isfinite(g->limit) ||
        pct != (g->measure == MEASURE_STRAGGLER))
        return refuse(text, e);
    return true;
}

static double measured(const struct job_gate *g, const struct job *j)
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

bool job_gate_holds(const struct job_gate *g, const struct job *j, double *value)
{
    *value = measured(g, j);
    return isnan(*value) || (g->below ? *value >= g->limit : *value <= g->limit);
}
