#include "compare/parity.h"

#include <math.h>

static const double SAME_FLOP_PCT = 0.5, SAME_TASK_PCT = 5, MATCHED_MIN = 0.95;

struct str parity_words(enum parity p)
{
    static const struct str words[] = {
        [PARITY_SAME] = S_INIT("same work, same hardware"),
        [PARITY_OTHER_HARDWARE] = S_INIT("same work, different hardware"),
        [PARITY_OTHER_WORK] = S_INIT("same hardware, different work"),
        [PARITY_NEITHER] = S_INIT("different work, different hardware"),
    };
    return words[p];
}

static bool is_listed(struct str list, struct str what)
{
    while (list.n) {
        struct str word = str_trim(str_take(&list, S(",")));
        if (word.n && str_has_nocase(what, word))
            return true;
    }
    return false;
}

static void add_line(struct arena *perm, struct comparison *c, struct str what,
                     struct str a, struct str b, bool differs, struct str allowed)
{
    arena_grow(perm, c->setup, c->n_setup);
    c->setup[c->n_setup++] =
        (struct setup_difference){what, {a, b}, differs, is_listed(allowed, what)};
}

static struct str value_of(const struct capture *c, struct str what)
{
    for (int i = 0; i < c->n_setup; i++)
        if (str_eq(c->setup[i].what, what))
            return c->setup[i].value;
    return S("");
}

static void recorded_lines(struct arena *perm, struct comparison *c, struct str allowed)
{
    const struct capture *first = c->of[0]->n_setup ? c->of[0] : c->of[1];
    for (int i = 0; i < first->n_setup; i++) {
        struct str what = first->setup[i].what, a = value_of(c->of[0], what),
                   b = value_of(c->of[1], what);
        if (a.n || b.n)
            add_line(perm, c, what, a, b, a.n && b.n && !str_eq(a, b), allowed);
    }
}

double parity_frac(const struct comparison *c, int side, unsigned levels)
{
    int64_t ns = 0;
    for (int l = 0; l < MATCH_LEVELS; l++)
        if (levels >> l & 1)
            ns += c->level_ns[l][side];
    return c->device_ns[side] ? (double)ns / (double)c->device_ns[side] : 0;
}

static bool tells_types(const struct capture *c)
{
    for (int32_t i = 0; i < c->n_rows; i++)
        if (c->rows[i].dims.n && c->rows[i].types.n)
            return true;
    return false;
}

/* Ranges of NVTX hold sizes alone, of which models know no FLOP. */
static bool types_of_one(const struct comparison *c)
{
    return tells_types(c->of[0]) != tells_types(c->of[1]);
}

/* Of what is computed and sent: what copies move is not work, and one more of them, as
 * for a checkpoint, is what a comparison has to tell. */
static double matched_work(const struct comparison *c, int side)
{
    int64_t all = 0, matched = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct match *m = c->rows[i].match;
        const struct capture_row *of = c->rows[i].of[side];
        if (!of || of->part == DEVICE_COPY)
            continue;
        all += m->ns[side];
        matched += LEVELS_MATCHED >> m->level & 1 ? m->ns[side] : 0;
    }
    return all ? (double)matched / (double)all : 1;
}

bool parity_same_flop(const struct comparison *c)
{
    double a = c->gflop[0], b = c->gflop[1];
    return fabs(a - b) <= SAME_FLOP_PCT / 100 * (a > b ? a : b);
}

/* Shapes and calls agree, or graphs replay the same number of layers. */
static bool same_work(const struct comparison *c)
{
    double a = c->gflop[0], b = c->gflop[1];
    bool flop = (types_of_one(c) && (a == 0 || b == 0)) || parity_same_flop(c);
    bool copies = c->matched_frac[0] < MATCHED_MIN || c->matched_frac[1] < MATCHED_MIN;
    bool matched = !copies || (a > 0 && matched_work(c, 0) >= MATCHED_MIN &&
                               matched_work(c, 1) >= MATCHED_MIN);
    bool none = !c->device_ns[0] && !c->device_ns[1];
    return (flop && (matched || none)) || c->matches.periods.aligned;
}

bool parity_is_other_task(const struct comparison *c)
{
    double a = c->shared_gflop[0], b = c->shared_gflop[1];
    return parity_is_other_work(c->parity) && a > 0 && b > 0 &&
           fabs(a - b) > SAME_TASK_PCT / 100 * fmax(a, b);
}

/* Of the calls of a match. 0: not known. */
static double gflop_of(const struct match *m, int side, const struct capture *c)
{
    double flop = 0, calls = 0;
    for (int32_t k = 0; k < m->n_rows[side]; k++) {
        const struct capture_row *r = &c->rows[m->rows[side][k]];
        flop += r->flop > 0 ? r->flop * (double)r->n_calls : 0;
        calls += (double)r->n_calls;
    }
    return calls > 0 ? flop / calls * (double)m->n[side] / 1e9 : 0;
}

/* Another implementation has other operators in some places; the rest tells how large
 * the task is. */
static void find_shared(struct comparison *c)
{
    int steps = c->selection.n_steps ? c->selection.n_steps : 1;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct match *m = c->rows[i].match;
        if (match_is_recast(m) || m->level > MATCH_NAME)
            continue;
        for (int side = 0; side < 2; side++)
            c->shared_gflop[side] += gflop_of(m, side, c->of[side]) / steps;
    }
}

/* Names of devices, if both are recorded, else what is given. */
static bool same_hardware(const struct comparison *c)
{
    struct str a = value_of(c->of[0], S("device")), b = value_of(c->of[1], S("device"));
    if (a.n && b.n)
        return str_eq(a, b);
    const struct device_spec *const given[2] = {c->of[0]->device, c->of[1]->device};
    return given[0] == given[1] || expected_same_device(given);
}

static void figure_line(struct arena *perm, struct comparison *c, const char *what,
                        double a, double b, double tolerance_pct, struct str allowed)
{
    double most = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    if (most > 0)
        add_line(perm, c, str_of(what), str_printf(perm, "%.6g", a),
                 str_printf(perm, "%.6g", b), fabs(a - b) > tolerance_pct / 100 * most,
                 allowed);
}

void parity_find(struct arena *perm, struct comparison *c, struct str allowed)
{
    int64_t calls[2] = {0, 0};
    int steps = c->selection.n_steps ? c->selection.n_steps : 1;
    recorded_lines(perm, c, allowed);
    for (int side = 0; side < 2; side++)
        for (int32_t i = 0; i < c->n_rows; i++)
            calls[side] += c->rows[i].match->n[side];
    figure_line(perm, c, "steps recorded", c->of[0]->n_steps, c->of[1]->n_steps, 0,
                allowed);
    bool by_step = c->selection.n_steps > 0;
    figure_line(perm, c,
                by_step ? "calls that launch device work, of a step"
                        : "calls that launch device work",
                (double)calls[0] / steps, (double)calls[1] / steps, 0, allowed);
    if (!types_of_one(c) || (c->gflop[0] > 0 && c->gflop[1] > 0))
        figure_line(perm, c,
                    by_step ? "GFLOP of modelled operators, of a step"
                            : "GFLOP of modelled operators",
                    c->gflop[0], c->gflop[1], SAME_FLOP_PCT, allowed);
    for (int side = 0; side < 2; side++)
        c->matched_frac[side] = parity_frac(
            c, side, LEVELS_MATCHED | (types_of_one(c) ? 1U << MATCH_DIMS : 0));
    find_shared(c);
    bool work = same_work(c) || is_listed(allowed, S("work"));
    bool hardware = same_hardware(c);
    c->parity = work       ? hardware ? PARITY_SAME : PARITY_OTHER_HARDWARE
                : hardware ? PARITY_OTHER_WORK
                           : PARITY_NEITHER;
}
