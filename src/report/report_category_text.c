/* Which category takes most kernel time, and how much of all has no model: a sentence
 * of the opening. */
#include "analysis/model/finding_title.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "base/cpp_name.h"
#include "report/report_detail.h"
#include "report/report_parts.h"

#include <math.h>

const struct finding *report_unjudged(const struct report *r)
{
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        if (f->kind == FIND_UNMODELLED && f->compute_pct > 50)
            return f;
    }
    return NULL;
}

double report_unjudged_pct(const struct report *r)
{
    const struct finding *f = report_unjudged(r);
    double kernel_ms = 0, without_ms = 0;
    for (int k = 0; k < r->n_categories; k++) {
        kernel_ms += r->categories[k].time_ms;
        without_ms += r->categories[k].unmodelled_ms;
    }
    return !f                                ? (double)NAN
           : kernel_ms > 0 && without_ms > 0 ? 100 * without_ms / kernel_ms
                                             : f->compute_pct;
}

struct str report_unjudged_text(struct arena *a, const struct report *r)
{
    double pct = report_unjudged_pct(r);
    return isnan(pct) ? S("")
                      : say(a, "{}% of kernel time has no performance model",
                            said(number_pct(a, pct)));
}

/* "Other" says nothing: the kind or the two that most of it is, or the
 * operation. */
static struct str words_of_other(struct arena *a, const struct report *r, double *pct)
{
    static const struct {
        const char *ms;
        struct str words;
    } known[] = {{"kv_cache_ms", S_INIT("writes of the KV cache")},
                 {"layout_ms", S_INIT("changes of layout")},
                 {"ai_cpu_ms", S_INIT("operators on the AI CPU")},
                 {"embedding_index_ms", S_INIT("indexing, such as gather and scatter")},
                 {"cat_split_ms", S_INIT("joining and splitting of tensors")},
                 {"sort_topk_ms", S_INIT("sorting and selecting")},
                 {"optimizer_ms", S_INIT("the optimizer")},
                 {"sampling_ms", S_INIT("random numbers")},
                 {"loss_ms", S_INIT("the loss")},
                 {"pooling_ms", S_INIT("pooling")}};
    const struct report_category *c = &r->categories[0];
    const struct category_result *other = &r->analysis->categories[WORK_OTHER];
    size_t kind[2] = {0, 0}; /* with most time, longest first */
    double most[2] = {0, 0};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        double ms = work_category_number(other, known[k].ms);
        if (ms > most[0]) {
            most[1] = most[0];
            kind[1] = kind[0];
        }
        int at = ms > most[0] ? 0 : 1;
        if (ms > most[at]) {
            most[at] = ms;
            kind[at] = k;
        }
    }
    if (2 * most[0] > c->time_ms) {
        *pct = c->share_pct * most[0] / c->time_ms;
        return known[kind[0]].words;
    }
    if (2 * (most[0] + most[1]) > c->time_ms) {
        *pct = c->share_pct * (most[0] + most[1]) / c->time_ms;
        return say(a, "{} and {}", said(known[kind[0]].words),
                   said(known[kind[1]].words));
    }
    const struct work_row *first = c->n_ops ? r->ops[c->ops[0]].row : NULL;
    double share_pct = first ? c->share_pct * first->time_ms / c->time_ms : 0;
    if (!(share_pct > 50)) /* "most" of all, as it stands alone */
        return c->label;
    *pct = share_pct;
    struct str name = first->name; /* "cudaLaunchKernel->kernel (Synthetic Op)" */
    ptrdiff_t at = str_find(name, S("->"));
    name = at < 0 ? name : str_skip(name, at + 2);
    return title_name(a, cpp_without_return(name));
}

/* Without copies and fills. */
static double kernels_ms(const struct report_category *c)
{
    double ms = c->time_ms;
    for (int k = 0; k < c->n_kernels; k++)
        ms -= c->kernels[k].kernel < 0 ? c->kernels[k].total_ms : 0;
    return ms;
}

/* The category with most kernel time, by its share; where another one leads without
 * copies, and these are a tenth of the longest, that one. */
static const struct report_category *longest_category(const struct report *r,
                                                      double *pct)
{
    const struct report_category *best = &r->categories[0];
    double most_ms = kernels_ms(best), all_ms = most_ms;
    *pct = best->share_pct;
    if (most_ms > 0.9 * best->time_ms)
        return best;
    for (int k = 1; k < r->n_categories; k++) {
        double ms = kernels_ms(&r->categories[k]);
        all_ms += ms;
        if (ms > most_ms) {
            most_ms = ms;
            best = &r->categories[k];
        }
    }
    if (best != r->categories)
        *pct = 100 * most_ms / all_ms;
    return best;
}

struct str report_category_text(struct arena *a, const struct report *r)
{
    if (!r->n_categories)
        return S("");
    const struct report_timeline *w = &r->timeline;
    const double SOME_COMM = 0.05; /* of busy time; categories leave collectives out */
    double pct;
    const struct report_category *c = longest_category(r, &pct);
    bool other = c == r->categories && str_eq(c->id, S("other"));
    struct str what = other ? words_of_other(a, r, &pct) : c->label;
    bool half = pct > 50;
    struct str most =
        w->total_comm_ms > SOME_COMM * w->busy_ms
            ? (half ? S(" Apart from collectives, most kernel")
                    : S(" Apart from collectives, the largest part of kernel"))
            : (half ? S(" Most kernel") : S(" The largest part of kernel"));
    if (c == r->categories)
        most = say(a, "{} time is {} ({}%)", said(most), said(what),
                   said(number_pct(a, pct)));
    else /* tables count copies with the operators that make them: no share of theirs */
        most = say(a, "{} of the kernel time without copies is {}",
                   said(half ? S(" Most") : S(" The largest part")), said(what));
    struct str unjudged = report_unjudged_text(a, r);
    return say(a, "{}{}{}.", said(most), said(unjudged.n ? "; " : ""), said(unjudged));
}
