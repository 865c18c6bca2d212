/* Model FLOP utilisation, in one sentence. */
#include "report/report_detail.h"
#include "report/report_parts.h"

#include "analysis/model/number_text.h"

#include <math.h>

static const double ALMOST_ALL_PCT = 90;

/* Where the peaks of rooflines and findings are those that the device achieves, both
 * are named: here a share is of the data sheet's. */
static struct str of_peak(struct arena *a, const struct model_use *m,
                          const struct device_spec *achieves)
{
    const char *sheet = achieves ? " of the data sheet" : "";
    struct str type = m->type,
               rate = say(a, "{} TFLOP/s", said(number_rate(a, m->peak_tflop_per_s)));
    double reached =
        achieves ? device_peak(achieves, say(a, "matrix_{}", said(type))) : 0;
    if (reached > 0)
        rate = say(a, "{}; efficiencies are relative to the achievable {} TFLOP/s",
                   said(rate), said(number_rate(a, reached)));
    return m->type_pct >= ALMOST_ALL_PCT
               ? say(a, "the dense {} peak{} ({})", said(type), said(sheet), said(rate))
               : say(a, "the dense peaks{} of its types, mostly {} ({})", said(sheet),
                     said(type), said(rate));
}

/* " over 4 steady steps, 41.71 ms on average"; nothing where all of the window is
 * meant. */
static struct str over(struct arena *a, const struct model_use *m)
{
    struct str time = number_time(a, m->time_ms);
    return m->n_steps > 1 ? say(a, " over {} steady steps, {} on average",
                                said(m->n_steps), said(time))
                          : S("");
}

/* "MFU 38.2%", "MFU 38.2% and HFU 45.1%", "HFU 45.1%". */
static struct str how_much(struct arena *a, const struct model_use *m)
{
    const char *least = m->lower_bound ? "at least " : "";
    if (isnan(m->mfu_pct))
        return say(a, "HFU {}{}%", said(least), said_pct(m->hfu_pct));
    if (isnan(m->hfu_pct))
        return say(a, "MFU {}{}%", said(least), said_pct(m->mfu_pct));
    return say(a, "MFU {}{}% and HFU {}%", said(least), said_pct(m->mfu_pct),
               said_pct(m->hfu_pct));
}

/* Says nothing where the trace is of another device than the peaks: the share would be
   of a rate that this GPU never had. The figures stay, beside the sentence about the
   device. Nor of a lower bound below 1 %, or where models cover less than a quarter of
   the time, nor of a window that is mostly a process's set-up: of a cold run the steady
   steps tell, if they are marked. */
void report_mfu_fill(const struct report_source *s, struct report *r)
{
    struct arena *a = s->perm;
    struct model_use m = r->mfu.of = *s->a->use;
    const double LEAST_PCT = 1, COVERED_PCT = 25;
    if (isnan(m.used_pct) || r->device.misfit.n ||
        (m.lower_bound && !(m.used_pct >= LEAST_PCT && m.covered_pct >= COVERED_PCT)) ||
        (m.n_steps <= 1 && report_is_cold(r)))
        return;
    bool achievable = str_eq(r->device.peaks_are, S("achievable"));
    r->mfu.says = say(
        a, "{} of {}{}. Performance models cover {}{}% of kernel time.",
        said(how_much(a, &m)), said(of_peak(a, &m, achievable ? s->t->device : NULL)),
        said(over(a, &m)), said(m.lower_bound ? "only " : ""), said_pct(m.covered_pct));
}
