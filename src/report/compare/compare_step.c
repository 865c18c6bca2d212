#include "report/compare/compare_step.h"

#include "base/sort.h"
#include "report/compare/compare_side.h"
#include "report/compare/compare_words.h"

#include <math.h>
#include <string.h>

/* A step that is longer than the median one by more is no usual step. */
static const double FAR = 1.5;
/* Of a step: classes of kernels that all take longer do so by the same factor, within a
 * sixth, and smaller ones are not asked. */
static const double ALIKE = 0.15, CLASS_MIN = 0.05;
enum {
    STEPS_LEAST = 4, /* fewer have no usual one */
    EVENLY_LEAST = 3 /* far steps: fewer are not "every 4th" */
};

/* Steps of a side beyond FAR. */
struct far_steps {
    int64_t usual_ns, beyond_ns; /* median step; sum of what each is longer */
    int n, apart;                /* apart: the same distance between all, or 0 */
    const struct step_span *longest;
};

static int64_t length_of(const struct step_span *s)
{
    return s->end_ns - s->start_ns;
}

static bool is_far(const struct step_span *s, int64_t usual_ns)
{
    return (double)length_of(s) >= FAR * (double)usual_ns;
}

static int64_t median_length(struct arena tmp, const struct step_span *spans, int n)
{
    struct sort_row *by = arena_new(&tmp, struct sort_row, n);
    for (int k = 0; k < n; k++)
        by[k] = (struct sort_row){length_of(&spans[k]), k};
    sort_rows(tmp, by, n);
    return by[n / 2].key;
}

static const struct capture_step *step_of(const struct capture *c,
                                          const struct step_span *span)
{
    for (int k = 0; k < c->n_steps; k++)
        if (c->steps[k].start_ns == span->start_ns)
            return &c->steps[k];
    return NULL;
}

static struct far_steps far_steps_of(struct arena tmp, const struct selection *s,
                                     int side)
{
    struct far_steps far = {0};
    int last = -1;
    if (s->n_spans[side] < STEPS_LEAST)
        return far;
    far.usual_ns = median_length(tmp, s->spans[side], s->n_spans[side]);
    for (int k = 0; k < s->n_spans[side]; k++) {
        const struct step_span *span = &s->spans[side][k];
        if (!is_far(span, far.usual_ns))
            continue;
        far.beyond_ns += length_of(span) - far.usual_ns;
        far.n++;
        far.apart = far.n == 2 ? k - last : k - last == far.apart ? far.apart : 0;
        last = k;
        if (!far.longest || length_of(span) > length_of(far.longest))
            far.longest = span;
    }
    return far;
}

/* What the usual step spends in each part. */
static void usual_parts(const struct comparison *c, int side,
                        const struct far_steps *far, int64_t ns[CAPTURE_PARTS])
{
    const struct capture *of = c->of[side];
    int n = 0, at = 0;
    memset(ns, 0, CAPTURE_PARTS * sizeof *ns);
    for (int k = 0; k < c->selection.n_spans[side]; k++) {
        const struct step_span *span = &c->selection.spans[side][k];
        while (at < of->n_steps && of->steps[at].start_ns < span->start_ns)
            at++;
        if (at == of->n_steps || of->steps[at].start_ns > span->start_ns ||
            is_far(span, far->usual_ns))
            continue;
        for (int part = 0; part < CAPTURE_PARTS; part++)
            ns[part] += of->steps[at].parts_ns[part];
        n++;
    }
    for (int part = 0; n && part < CAPTURE_PARTS; part++)
        ns[part] /= n;
}

/* How many times as long all classes of kernels of a step take; NaN: not alike. */
static double pace_of_step(const struct capture_step *step,
                           const int64_t usual[CAPTURE_PARTS])
{
    double all = 0, own = 0;
    for (int part = 0; part < WORK_CATEGORIES; part++) {
        all += (double)usual[part];
        own += (double)step->parts_ns[part];
    }
    for (int part = 0; part < WORK_CATEGORIES; part++)
        if ((double)usual[part] > CLASS_MIN * all &&
            fabs((double)step->parts_ns[part] / (double)usual[part] / (own / all) - 1) >
                ALIKE)
            return (double)NAN;
    return all > 0 ? own / all : (double)NAN;
}

/* What the longest step did beyond the others, and what to do about it. */
static struct str what_it_did(struct arena *perm, const struct comparison *c, int side,
                              const struct far_steps *far,
                              const struct capture_step *step,
                              const struct finding **remedy)
{
    int64_t usual[CAPTURE_PARTS], most = 0;
    int best = -1;
    usual_parts(c, side, far, usual);
    for (int part = 0; part < CAPTURE_PARTS; part++)
        if (step->parts_ns[part] - usual[part] > most) {
            most = step->parts_ns[part] - usual[part];
            best = part;
        }
    if (best < 0)
        return S("");
    if (best == CAPTURE_PARTS - 1) {
        *remedy = compare_idle_finding(c, side, (double)most / 1e6 / 2);
        return str_printf(
            perm, ", in which the GPU waits%.*s",
            STRF(*remedy ? compare_waits_for(perm, c, side, *remedy) : S("")));
    }
    double pace = pace_of_step(step, usual);
    if (best < WORK_CATEGORIES && pace > FAR)
        return str_printf(perm, ", all its kernels %.1f times as long", pace);
    struct str name = best < WORK_CATEGORIES
                          ? work_category_display((enum work_category)best)
                      : best == WORK_CATEGORIES ? S("communication that nothing hides")
                                                : S("copies that nothing hides");
    return str_printf(perm, ", %.3f ms of it %.*s", (double)most / 1e6, STRF(name));
}

/* "step 7 of `new` takes 40.000 ms, 30.000 ms more", "every 4th step of `new` takes
 * 9.500 ms more", "5 of 16 steps of `new` take 9.500 ms more": of several the mean. */
static struct str far_said(struct arena *perm, const struct far_steps *far,
                           const struct capture_step *step, struct str side,
                           int n_spans)
{
    double beyond_ms = (double)far->beyond_ns / 1e6 / far->n;
    if (far->n == 1)
        return str_printf(perm, "step %lld of %.*s takes %.3f ms, %.3f ms more",
                          (long long)step->number, STRF(side),
                          (double)length_of(far->longest) / 1e6, beyond_ms);
    if (far->n >= EVENLY_LEAST && far->apart > 1)
        return str_printf(perm, "every %.*s step of %.*s takes %.3f ms more",
                          STRF(str_ordinal(perm, far->apart)), STRF(side), beyond_ms);
    return str_printf(perm, "%d of %d steps of %.*s take %.3f ms more", far->n, n_spans,
                      STRF(side), beyond_ms);
}

struct step_cause compare_step_cause(struct arena *perm, const struct comparison *c)
{
    const struct selection *s = &c->selection;
    struct far_steps far[2];
    for (int side = 0; side < 2; side++)
        far[side] = far_steps_of(*perm, s, side);
    int side = far[1].beyond_ns > far[0].beyond_ns;
    if (!far[side].n || 2 * far[side].n >= s->n_spans[side] ||
        s->n_spans[!side] < STEPS_LEAST ||
        !compare_accounts(far[1].beyond_ns - far[0].beyond_ns, compare_diff_ns(c)))
        return (struct step_cause){0};
    const struct capture_step *step = step_of(c->of[side], far[side].longest);
    struct step_cause cause = {.side = side, .n_steps = far[side].n};
    if (!step)
        return (struct step_cause){0};
    struct str did = what_it_did(perm, c, side, &far[side], step, &cause.remedy);
    cause.step = step->number;
    cause.says =
        str_printf(perm, "%.*s than the median step%.*s",
                   STRF(far_said(perm, &far[side], step, compare_side(perm, c, side),
                                 s->n_spans[side])),
                   STRF(did));
    return cause;
}
