#include "analysis/data_quality.h"

#include "analysis/finding_text.h"
#include "analysis/name_match.h"
#include "analysis/number_text.h"
#include "analysis/work_facts.h"
#include "base/out.h"

#include <math.h>

static const struct str SOURCE = S_INIT("data_quality");

static void warn(struct arena *perm, struct analysis *a, struct str text)
{
    analysis_warn(perm, a, SOURCE, text, false);
}

static void warn_of_unlinked(struct arena *perm, struct analysis *a)
{
    const double MUCH_PCT = 5;
    const struct event_store *s = a->tables->view->s;
    double all = 0, counted = 0;
    for (int32_t i = 0; i < s->n; i++)
        if (cat_is_gpu(s->cat[i]))
            all += (double)s->dur_ns[i];
    for (int32_t i = 0; i < a->tables->view->n_counted; i++)
        counted += (double)s->dur_ns[a->tables->view->counted[i]];
    double pct = all > 0 ? 100 * (all - counted) / all : 0;
    if (pct >= MUCH_PCT && a->tables->view->has_cpu_op)
        warn(perm, a,
             str_printf(
                 perm,
                 "%.*s%% of device time has no launch call in the trace and is left "
                 "out of the tables.",
                 STRF(text_pct(perm, pct))));
}

static void warn_of_missing_shapes(struct arena *perm, struct analysis *a)
{
    const struct event_store *s = a->tables->view->s;
    for (int32_t i = 0; i < s->n_texts; i++)
        if (s->texts[i].dims >= 0)
            return;
    if (a->tables->view->has_cpu_op)
        warn(
            perm, a,
            S("No argument shapes are recorded: nothing can be said of efficiency, and "
              "patterns that need dimensions are skipped."));
}

static void warn_of_graphs(struct arena *perm, struct analysis *a)
{
    const struct event_store *s = a->tables->view->s;
    int64_t launches = 0;
    double ms = 0;
    for (int32_t i = 0; i < s->n; i++)
        launches +=
            cat_is_runtime(s->cat[i]) && name_has(store_name(s, i), "GraphLaunch");
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++)
            if (a->categories[c].rows[i].group->first->synthetic)
                ms += a->categories[c].rows[i].time_ms;
    if (launches == 0 || ms <= 0)
        return;
    warn(perm, a,
         str_printf(perm,
                    "%lld GPU graph launch%s without operators: %.*s ms are "
                    "known by kernel only, without shapes or models.",
                    (long long)launches,
                    launches == 1 ? " replays work" : "es replay work",
                    STRF(text_ms(perm, ms))));
}

static void warn_of_fallback(struct arena *perm, struct analysis *a)
{
    struct out o;
    struct str seen[8];
    int n = 0;
    out_memory(&o);
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            const struct work_efficiency *e = &a->categories[c].rows[i].efficiency;
            bool known = !e->peak_fallback || n == 8;
            for (int k = 0; k < n && !known; k++)
                known = str_eq(seen[k], e->compute_spec);
            if (known)
                continue;
            out_c(&o, n ? ", " : "");
            out_str(&o, finding_quote(perm, e->compute_spec));
            seen[n++] = e->compute_spec;
        }
    struct str list = out_text(&o, perm);
    if (n > 0)
        warn(perm, a,
             str_printf(
                 perm,
                 "The device has no peak for %.*s; that of 16-bit matrix products "
                 "stands in.",
                 STRF(list)));
}

static void warn_of_variation(struct arena *perm, struct analysis *a)
{
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            const struct work_row *r = &a->categories[c].rows[i];
            if (!r->high_variance)
                continue;
            struct str op = finding_quote(perm, r->group->first->name);
            warn(perm, a,
                 str_printf(
                     perm,
                     "Timings of %.*s vary strongly: deviation over mean is %.*s, for "
                     "%.*s ms in all.",
                     STRF(op), STRF(text_fixed(perm, r->cov, 2)),
                     STRF(text_ms(perm, r->time_ms))));
        }
}

static void warn_of_anomalies(struct arena *perm, struct analysis *a)
{
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            const struct work_row *r = &a->categories[c].rows[i];
            const struct work_efficiency *e = &r->efficiency;
            if (!e->warning)
                continue;
            struct str text = str_printf(
                perm, "[%s] %.*s on `%.*s` reads %.*s%% of peak: %s.",
                e->anomaly ? "ANOMALY" : "WARNING",
                STRF(finding_quote(perm, r->group->first->name)),
                STRF(work_text(r, "shape")), STRF(text_pct(perm, e->percent)),
                e->anomaly ? "verify measurement; left out of averages and priorities"
                           : "within measurement error");
            analysis_warn(perm, a, work_category_name(r->category), text, false);
        }
}

/* Compute rows against the timeline: C, and copies where rows are made of them. */
static void warn_of_time(struct arena *perm, struct analysis *a)
{
    const double MUCH = 0.1;
    double sum_ms = 0, expect_ms = a->computation_ms;
    bool copies = false;
    for (int c = 0; c < WORK_COMMUNICATION; c++) {
        sum_ms += a->categories[c].time_ms;
        for (int32_t i = 0; i < a->categories[c].n_rows; i++)
            copies = copies ||
                     name_has(work_text(&a->categories[c].rows[i], "kernel"), "memcpy");
    }
    if (copies)
        expect_ms += a->exposed_memcpy_ms;
    if (expect_ms <= 0 || fabs(sum_ms - expect_ms) <= MUCH * expect_ms)
        return;
    warn(perm, a,
         str_printf(
             perm,
             "Rows of the operator table sum to %.*s ms, the timeline says %.*s ms of "
             "computation.",
             STRF(text_ms(perm, sum_ms)), STRF(text_ms(perm, expect_ms))));
}

void data_quality_warn(struct arena *perm, struct analysis *a)
{
    if (!a->tables->view->has_cpu_op && a->tables->view->n_counted > 0)
        warn(perm, a,
             S("No operators are recorded: the timeline is told, an analysis by "
               "operator is "
               "not possible."));
    warn_of_unlinked(perm, a);
    warn_of_missing_shapes(perm, a);
    warn_of_graphs(perm, a);
    warn_of_fallback(perm, a);
    warn_of_time(perm, a);
    warn_of_variation(perm, a);
    warn_of_anomalies(perm, a);
}
