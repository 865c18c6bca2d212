#include "report/finding_shown.h"

#include "analysis/model/finding_fields.h"
#include "analysis/model/finding_title.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/abilities.h"
#include "base/arena.h"
#include "base/describe.h"
#include "base/out.h"
#include "ops/timeline_data.h"
#include "report/finding_argument.h"
#include "report/report_detail.h"
#include "report/report_fields.h"

#include <math.h>

static const double LEAST_PCT = 0.1;

struct str finding_rank(const struct report_finding *f)
{
    return f->of->informational ? S("note") : f->rank;
}

bool finding_is_slight(const struct finding *f)
{
    return f->impact.high_pct < LEAST_PCT;
}

bool titles_ask_the_same(struct str a, struct str b)
{
    ptrdiff_t n = title_action_end(a);
    return n < a.n && n == title_action_end(b) && n < b.n &&
           str_eq(str_head(a, n), str_head(b, n));
}

bool finding_has_card(const struct finding *f)
{
    return f->informational || f->recording || !finding_is_slight(f) ||
           isnan(f->impact.high_pct) ||
           (f->until >= 0 && f->impact_then.high_pct >= LEAST_PCT);
}

/* What it saves, of the figures that a finding behind a late host has: once it keeps
 * up.
 */
static const struct impact_range *finding_worth(const struct finding *f)
{
    return f->until < 0 ? &f->impact : &f->impact_then;
}

static const struct finding *finding_in(const struct described *in)
{
    const struct report_finding *f = in->of;
    return f->of;
}

static struct str rank(const struct described *in)
{
    return finding_rank(in->of);
}

TELL(struct str, hash, report_finding, str_skip(it->anchor, S("f-").n));

/* "k1": ids are lower case; a note has no id. */
static struct str rank_id(const struct described *in)
{
    const struct report_finding *f = in->of;
    if (f->of->informational || f->rank.n < 2)
        return S("");
    return str_printf(in->tmp, "%c%.*s", "kfs"[f->of->tier],
                      STRF(str_skip(f->rank, 1)));
}

/* What makes its launches come in time, where that is known to save something. */
static struct str until_rank(const struct described *in)
{
    const struct report *r = in->whole;
    const struct finding *f = finding_in(in);
    for (int k = 0; r->analysis && f->until >= 0 && k < r->n_findings; k++)
        if (r->findings[k].of == &r->analysis->findings[f->until] &&
            finding_has_gain(&r->findings[k].of->impact))
            return r->findings[k].rank;
    return S("");
}

static bool has_gain(const struct described *in)
{
    const struct finding *f = finding_in(in);
    return finding_has_gain(&f->impact) && !finding_is_slight(f);
}

static bool slight(const struct described *in)
{
    const struct finding *f = finding_in(in);
    return finding_has_gain(&f->impact) && finding_is_slight(f);
}

static bool small(const struct described *in)
{
    return !finding_has_card(finding_in(in));
}

static double save_ms(const struct described *in)
{
    const struct impact_range *x = finding_worth(finding_in(in));
    return finding_has_gain(x) ? x->high_ms : 0.0;
}

static double save_pct(const struct described *in)
{
    const struct impact_range *x = finding_worth(finding_in(in));
    return finding_has_gain(x) ? x->high_pct : 0.0;
}

double finding_added_ms(const struct report *r, const struct report_finding *f)
{
    const struct impact_range *x = finding_worth(f->of);
    /* What it waits for is said, too. */
    double much = f->of->until < 0 ? 1.25 : 2;
    for (int k = 1; k < r->n_stages; k++) {
        double ms = r->stages[k].added_ms;
        if (r->stages[k].of == f)
            return ms < x->low_ms / much || ms > x->high_ms * much ? fmax(0, ms)
                                                                   : (double)NAN;
    }
    return (double)NAN;
}

bool finding_adds_little(double added_ms, double total_ms)
{
    return 100 * added_ms < LEAST_PCT * total_ms;
}

static double added_ms(const struct described *in)
{
    return finding_added_ms(in->whole, in->of);
}

static bool adds_little(const struct described *in)
{
    const struct report *r = in->whole;
    return finding_adds_little(added_ms(in), r->timeline.total_ms);
}

static struct str added(const struct described *in)
{
    double ms = added_ms(in);
    return isnan(ms) || adds_little(in) ? S("") : number_range_ms(in->tmp, ms, ms);
}

static bool tells_added(const struct described *in)
{
    return !isnan(added_ms(in));
}

/* What was recorded that slows the host, of a finding about what the host does: part of
 * its saving is the profiler's own time. */
static struct str slowed_by(const struct described *in)
{
    const struct report *r = in->whole;
    const struct finding *f = finding_in(in);
    static const bool of_host[IDLE_CLASSES_OF_ALL] = {
        [IDLE_DISPATCH] = true, [IDLE_PYTHON] = true, [IDLE_HOST_BOUND] = true,
        [IDLE_RUNTIME] = true,  [IDLE_LAUNCH] = true, [IDLE_CPU_WORK] = true};
    if (!f->idle || !of_host[f->idle->class])
        return S("");
    bool shapes = r->meta.has_shapes && abilities_of(r->meta.how)->slows_by_shapes;
    return r->meta.has_frames && shapes ? S("call stacks and shapes")
           : r->meta.has_frames         ? S("call stacks")
           : shapes                     ? S("shapes")
                                        : S("");
}

static struct str gain(const struct described *in)
{
    return finding_gain(in->tmp, &finding_in(in)->impact);
}

/* What it gains once the host keeps up, where that is much more. */
static struct str gain_then(const struct described *in)
{
    const struct finding *f = finding_in(in);
    return f->until < 0 ? S("") : finding_gain(in->tmp, &f->impact_then);
}

/* What one path gains alone, if that differs from both together. */
static struct str gain_kernel(const struct described *in)
{
    struct str kernel = finding_gain(in->tmp, &finding_in(in)->impact_kernel);
    return str_eq(gain(in), kernel) ? S("") : kernel;
}

/* The operation that a replay package could be made of. */
static struct str kit_of(const struct described *in)
{
    const struct report_finding *f = in->of;
    bool possible = f->of->replay_recommended && !f->kit.n && !f->no_kit.n;
    return possible ? f->of->op : S("");
}

/* The longest gap of what it is about, where that is among those of the timeline:
 * number k + 1 there. */
static const struct idle_gap *gap_of(const struct described *in, int *k)
{
    const struct report *r = in->whole;
    const struct finding *f = finding_in(in);
    if (!f->idle || !r->over_time)
        return NULL;
    const struct idle_result *idle = report_idle(r);
    for (*k = 0; *k < idle->n_top_gaps; ++*k) {
        const struct idle_gap *g = &idle->top_gaps[*k];
        if (r->over_time->origin_ns + llround(g->start_us * 1e3) ==
            f->idle->longest_from_ns)
            return g;
    }
    return NULL;
}

static int64_t gap_number(const struct described *in)
{
    int k;
    return gap_of(in, &k) ? k + 1 : 0;
}

static double gap_at_ms(const struct described *in)
{
    int k;
    const struct idle_gap *g = gap_of(in, &k);
    return g ? g->start_us / 1e3 : (double)NAN;
}

static bool only_gap(const struct described *in)
{
    const struct finding *f = finding_in(in);
    return f->idle && f->idle->gaps == 1;
}

const struct report_finding *finding_of_gap(const struct report *r, int64_t from_ns,
                                            int64_t to_ns)
{
    const struct report_finding *best = NULL;
    int64_t most_ns = 0;
    for (int i = 0; i < r->n_findings; i++) {
        const struct idle_group *g = r->findings[i].of->idle;
        int64_t in_gap_ns = 0;
        for (int32_t k = 0; g && k < g->n_spans; k++) {
            const struct idle_span *x = &g->spans[k];
            int64_t from = x->start_ns > from_ns ? x->start_ns : from_ns;
            int64_t to = x->end_ns < to_ns ? x->end_ns : to_ns;
            in_gap_ns += to > from ? to - from : 0;
        }
        if (g && g->longest_from_ns == from_ns)
            in_gap_ns = INT64_MAX; /* a gap without spans; and links go both ways */
        if (in_gap_ns > most_ns) {
            most_ns = in_gap_ns;
            best = &r->findings[i];
        }
    }
    return best;
}

/* "0-3 17-17": runs of the parts of the window in which it is. */
static struct str moments(const struct described *in)
{
    const struct finding *f = finding_in(in);
    struct out o;
    out_memory(&o);
    for (int k = 0, from = -1; k <= FINDING_MOMENTS; k++) {
        bool on = k < FINDING_MOMENTS && f->moments[k / 64] >> (k % 64) & 1;
        if (on && from < 0)
            from = k;
        if (on || from < 0)
            continue;
        out_printf(&o, "%s%d-%d", out_view(&o).n ? " " : "", from, k - 1);
        from = -1;
    }
    struct str runs = str_copy(in->tmp, out_view(&o));
    out_free(&o);
    return runs;
}

/* What a finding on idle time is about, where its issue goes on behind the first of
 * several parts; empty: that one is all. */
static struct str in_all(const struct described *in)
{
    const struct finding *f = ((const struct report_finding *)in->of)->of;
    bool goes_on = str_has(f->issue, S(". The GPU ")) ||
                   str_has(f->issue, S(". GPU ")) || str_has(f->issue, S(". Its "));
    if (!f->idle || !goes_on || !(f->time_ms > 0))
        return S("");
    return say(in->tmp, "With other gaps of the same cause: {} ({}% of the run).",
               said(number_time(in->tmp, f->time_ms)), said_pct(f->total_pct));
}

TELL(bool, measures, report_finding, title_asks_to_measure(it->of->title));

static VIEW(told_finding, finding, F(title, TEXT), F(algorithmic, TEXT),
            F(kernel, TEXT), AS("projected", n_projection, SOME), ALSO(finding));

VIEW(shown_finding, report_finding, AS("finding_id", anchor, TEXT),
     CALL(rank, TEXT, rank), CALL(until_rank, TEXT, until_rank), CALL(hash, TEXT, hash),
     CALL(rank_id, TEXT, rank_id), CALL(has_gain, FLAG, has_gain),
     CALL(slight, FLAG, slight), CALL(small, FLAG, small), CALL(save_ms, MS, save_ms),
     CALL(save_pct, PCT, save_pct), CALL(gain, TEXT, gain),
     CALL(gain_then, TEXT, gain_then), CALL(gain_kernel, TEXT, gain_kernel),
     F(no_kit, TEXT), CALL(kit_of, TEXT, kit_of), CALL(gap_number, SOME, gap_number),
     CALL(gap_at_ms, MS, gap_at_ms), CALL(only_gap, FLAG, only_gap),
     CALL(moments, TEXT, moments), CALL(slowed_by, TEXT, slowed_by),
     CALL(in_all, TEXT, in_all), CALL(added, TEXT, added),
     CALL(tells_added, FLAG, tells_added), CALL(adds_little, FLAG, adds_little),
     CALL(measures, FLAG, measures), ALSO(report_finding),
     MEMBERS_OF(of, told_finding));

static struct str now(const struct described *in)
{
    const struct report *r = in->whole;
    return number_beside(in->tmp, r->timeline.total_ms, r->timeline.total_ms);
}

static struct str after(const struct described *in)
{
    const struct report *r = in->whole;
    return number_beside(in->tmp, r->compile.after_ms, r->timeline.total_ms);
}

TELL(int64_t, first, report_compile, ((const struct report *)in->whole)->n_stages);
VIEW(shown_compile, report_compile, F(what, TEXT), F(ranks, TEXT), F(n, COUNT),
     CALL(first, COUNT, first), CALL(now, TEXT, now), CALL(after, TEXT, after));
