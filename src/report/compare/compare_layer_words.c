#include "report/compare/compare_layer_words.h"

#include "capture/measured.h"
#include "report/compare/compare_layers.h"
#include "report/compare/compare_side.h"
#include "report/compare/compare_words.h"

#include <math.h>

/* Of a difference in layers: what a single one has of it, and by how much it is longer
 * or shorter at least; by how much layers that are alike may be apart. */
static const double ALONE = 0.7, ALONE_PCT = 10, ALIKE_PCT = 5, ALIKE_LEAST_PCT = 3;

/* The next class whose layers are paired, from `*at` on; its layers follow its mean.
 * NULL: none. */
static const struct compared_layer *next_paired(const struct compared_layers *all,
                                                int *at)
{
    for (; *at < all->n; ++*at) {
        const struct compared_layer *mean = &all->rows[*at];
        bool paired = !mean->place && mean->n[0] == mean->n[1] &&
                      mean->n[0] >= COMPARE_LAYERS_LEAST &&
                      !isnan(compared_layer_pct(mean));
        for (int k = 1; paired && k <= mean->n[0]; k++)
            paired = !isnan(compared_layer_pct(&mean[k]));
        if (paired) {
            ++*at;
            return mean;
        }
    }
    return NULL;
}

/* What a layer has of the compared windows: its time in the recording, at the part of
 * the recording that is compared. */
static double window_ns(const struct comparison *c, const struct compared_layer *l,
                        int side)
{
    const struct capture *of = c->of[side];
    double recorded = (double)(of->end_ns - of->start_ns);
    for (int32_t k = 0; k < of->n_layers && k < CAPTURE_LAYERS_MAX && recorded > 0; k++)
        if (str_eq(of->layers[k].name, l->name[side]) &&
            str_eq(of->layers[k].class, l->class[side]))
            return ((double)of->layers[k].forward_ns +
                    (double)of->layers[k].backward_ns) *
                   (double)c->window_ns[side] / recorded;
    return 0;
}

/* Candidate less reference, of one layer of a class or of all. */
static double more_ns(const struct comparison *c, const struct compared_layer *l)
{
    double ns = 0;
    for (int k = l->place ? 0 : 1; k <= (l->place ? 0 : l->n[0]); k++)
        ns += window_ns(c, &l[k], 1) - window_ns(c, &l[k], 0);
    return ns;
}

static const char *longer(double pct)
{
    return pct > 0 ? "longer" : "less time";
}

/* All but one of a class, in % of the reference. */
static double others_pct(const struct compared_layer *mean, int but)
{
    double ms[2] = {0, 0};
    for (int k = 1; k <= mean->n[0]; k++)
        for (int side = 0; side < 2 && k != but; side++)
            ms[side] += mean[k].call_ms[side];
    return 100 * (ms[1] / ms[0] - 1);
}

/* " (`Block_5`)"; empty where only kernels tell layers, whose names are places. */
static struct str named(struct arena *perm, struct str name)
{
    return str_starts(name, S("layer ")) ? S("")
                                         : str_printf(perm, " (`%.*s`)", STRF(name));
}

static struct str of_alone(struct arena *perm, const struct comparison *c,
                           const struct compared_layer *mean, int k)
{
    double pct = compared_layer_pct(&mean[k]), others = others_pct(mean, k),
           ns = more_ns(c, &mean[k]);
    struct str rest = fabs(others) < 0.05
                          ? S("as long as before")
                          : str_printf(perm, "%.1f%% %s", fabs(others), longer(others));
    return str_printf(
        perm,
        "layer %d of %d%.*s takes %.1f%% %s, %.3f ms%s %s, and the other %d take %.*s",
        k, (int)mean->n[1], STRF(named(perm, mean[k].name[1])), fabs(pct), longer(pct),
        fabs(compare_ms(c, (int64_t)ns)), c->selection.n_steps ? " a step" : "",
        ns > 0 ? "more" : "less", (int)mean->n[1] - 1, STRF(rest));
}

struct str compare_layer_alone(struct arena *perm, const struct comparison *c)
{
    struct compared_layers all = compare_layers(perm, c);
    const struct compared_layer *mean;
    for (int at = 0; (mean = next_paired(&all, &at));) {
        double sum = more_ns(c, mean);
        for (int k = 1; k <= mean->n[0]; k++) {
            double ns = more_ns(c, &mean[k]);
            if (compare_accounts((int64_t)ns, compare_diff_ns(c)) &&
                ns / sum >= ALONE && fabs(compared_layer_pct(&mean[k])) >= ALONE_PCT)
                return of_alone(perm, c, mean, k);
        }
    }
    return S("");
}

struct str compare_layers_alike(struct arena *perm, const struct comparison *c)
{
    struct compared_layers all = compare_layers(perm, c);
    const struct compared_layer *mean;
    for (int at = 0; (mean = next_paired(&all, &at));) {
        double pct = compared_layer_pct(mean), low = HUGE_VAL, high = -HUGE_VAL;
        if (fabs(pct) < ALIKE_LEAST_PCT ||
            !compare_accounts((int64_t)more_ns(c, mean), compare_diff_ns(c)))
            continue;
        for (int k = 1; k <= mean->n[0]; k++) {
            low = fmin(low, compared_layer_pct(&mean[k]));
            high = fmax(high, compared_layer_pct(&mean[k]));
        }
        if (high - pct > ALIKE_PCT || pct - low > ALIKE_PCT || low * high <= 0)
            continue;
        double least = fmin(fabs(low), fabs(high)), most = fmax(fabs(low), fabs(high));
        struct str by = most - least < 0.05
                            ? str_printf(perm, "%.1f%%", most)
                            : str_printf(perm, "%.1f%% to %.1f%%", least, most);
        struct str of = str_starts(mean->class[1], S("period of "))
                            ? S("")
                            : str_printf(perm, " of `%.*s`", STRF(mean->class[1]));
        return str_printf(perm, ", in all %d layers%.*s alike (%.*s %s)",
                          (int)mean->n[1], STRF(of), STRF(by), longer(pct));
    }
    return S("");
}

struct str compare_breaks_said(struct arena *perm, const struct comparison *c)
{
    double n[2], ms[2];
    for (int side = 0; side < 2; side++) {
        n[side] = capture_measured(c->of[side], MEASURED_BREAKS);
        ms[side] = capture_measured(c->of[side], MEASURED_BREAK);
    }
    int64_t idle_ns = c->idle_ns[1] - c->idle_ns[0];
    double more_ms = compare_ms(c, idle_ns);
    if (!(n[1] >= n[0] + 1) || idle_ns <= 0 ||
        !(ms[1] - ms[0] >= COMPARE_MOST * more_ms))
        return S("");
    const char *step = c->selection.n_steps ? " a step" : "";
    return str_printf(
        perm,
        ": the host leaves compiled code %.4g times%s (%.4g in %.*s), for "
        "%.3f ms",
        n[1], step, n[0], STRF(compare_side(perm, c, 0)), ms[1]);
}
