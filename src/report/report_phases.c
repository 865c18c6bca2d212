/* What part of the run reads prompts and what part generates, where the trace says. */
#include "report/report_parts.h"

#include "analysis/model/number_text.h"
#include "base/duration.h"
#include "ops/serving_phases.h"

#include <math.h>
#include <stdlib.h>

static double each_ms(int64_t ns, int32_t n)
{
    return n ? ms_of(ns) / n : (double)NAN;
}

static struct str label_of(enum step_phase phase)
{
    static const struct str labels[STEP_PHASES] = {
        [PHASE_NONE] = S_INIT("Neither"),
        [PHASE_PREFILL] = S_INIT("Prefill"),
        [PHASE_DECODE] = S_INIT("Decode"),
        [PHASE_MIXED] = S_INIT("Both in one step"),
        [PHASE_RUNNING] = S_INIT("Running requests")};
    return labels[phase];
}

static struct report_amount amount_of(const struct phase_amount *a)
{
    double none = (double)NAN;
    return a->n ? (struct report_amount){a->least, a->most, a->sum / a->n}
                : (struct report_amount){none, none, none};
}

/* "16", "8 to 16". */
static struct str amount_text(struct arena *a, const struct report_amount *x)
{
    int64_t least = (int64_t)x->least, most = (int64_t)x->most;
    return least == most ? say(a, "{}", said(least))
                         : say(a, "{} to {}", said(least), said(most));
}

/* ", 4096 tokens"; empty: not named. */
static struct str tokens_text(struct arena *a, const struct report_amount *tokens)
{
    if (isnan(tokens->mean))
        return S("");
    return say(a, ", {} token{}", said(amount_text(a, tokens)),
               said(tokens->most == 1 ? "" : "s"));
}

static struct str prompts_text(struct arena *a, const struct report_phase *p)
{
    const struct report_amount *n = &p->requests[0];
    if (isnan(n->mean))
        return S("");
    return say(a, "{} request{}{}", said(amount_text(a, n)),
               said(n->most == 1 ? "" : "s"), said(tokens_text(a, &p->tokens[0])));
}

/* "batch 16, 512 tokens of context each". */
static struct str batch_text(struct arena *a, const struct report_phase *p)
{
    const struct report_amount *n = &p->requests[1];
    if (isnan(n->mean))
        return S("");
    struct str batch = say(a, "batch {}", said(amount_text(a, n)));
    if (isnan(p->seen[1].mean) || !(n->mean > 0))
        return batch;
    return say(a, "{}, {} tokens of context each", said(batch),
               said((int64_t)llround(p->seen[1].mean / n->mean)));
}

static struct str load_text(struct arena *a, enum step_phase phase,
                            const struct report_phase *p)
{
    struct str prompts = prompts_text(a, p), batch = batch_text(a, p);
    if (phase == PHASE_PREFILL)
        return prompts;
    if (phase == PHASE_RUNNING && batch.n)
        return say(a, "{}: decode, or later chunks of prompts", said(batch));
    if (phase != PHASE_MIXED)
        return batch;
    return prompts.n && batch.n
               ? say(a, "prompts of {}; {}", said(prompts), said(batch))
               : S("");
}

static int by_time(const void *a, const void *b)
{
    const struct report_phase_part *x = a, *y = b;
    if (x->total_ms != y->total_ms)
        return x->total_ms > y->total_ms ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Its device work by category, longest first; what no operation counts is left out. */
static void fill_categories(const struct report_source *s, const struct phase_totals *t,
                            const struct report *r, struct report_phase *p)
{
    p->categories = arena_new(s->perm, struct report_phase_part, r->n_categories);
    for (int c = 0; c < r->n_categories; c++)
        if (t->category_ns[c])
            p->categories[p->n_categories++] = (struct report_phase_part){
                .name = r->categories[c].label,
                .index = c,
                .total_ms = ms_of(t->category_ns[c]),
                .share_pct = pct_of(ms_of(t->category_ns[c]), p->work_ms)};
    if (p->n_categories)
        qsort(p->categories, (size_t)p->n_categories, sizeof *p->categories, by_time);
}

static void fill_kernels(const struct report_source *s, const struct phase_totals *t,
                         struct report_phase *p)
{
    p->kernels = arena_new(s->perm, struct report_phase_part, t->n_kernels);
    for (int k = 0; k < t->n_kernels; k++) {
        const struct phase_kernel *of = &t->kernels[k];
        const struct kernel_row *row = &s->t->kernels.rows[of->row];
        p->kernels[p->n_kernels++] = (struct report_phase_part){
            .name = row->kernel,
            .index = row->is_kernel ? of->row : -1,
            .count = of->n,
            .total_ms = ms_of(of->total_ns),
            .share_pct = pct_of(ms_of(of->total_ns), p->work_ms)};
    }
}

static void fill_phase(const struct report_source *s, enum step_phase phase,
                       const struct phase_totals *t, const struct report *r,
                       struct report_phase *p)
{
    int64_t idle_ns = t->wall_ns - t->busy_ns;
    int64_t between_idle_ns = t->between_ns - t->between_busy_ns;
    *p = (struct report_phase){
        .phase = phase,
        .id = phase ? step_phase_word(phase) : S("neither"),
        .label = label_of(phase),
        .n_steps = t->n_steps,
        .wall_ms = ms_of(t->wall_ns),
        .wall_pct = pct_of(ms_of(t->wall_ns), r->timeline.total_ms),
        .busy_ms = ms_of(t->busy_ns),
        .idle_ms = ms_of(idle_ns),
        .idle_pct = pct_of((double)idle_ns, (double)t->wall_ns),
        .work_ms = ms_of(t->work_ns),
        .mean_ms = each_ms(t->wall_ns, t->n_steps),
        .least_ms = t->n_steps ? ms_of(t->least_ns) : (double)NAN,
        .most_ms = t->n_steps ? ms_of(t->most_ns) : (double)NAN,
        .apart_ms = each_ms(t->apart_ns, t->n_apart),
        .between_ms = t->n_apart ? ms_of(t->between_ns) : (double)NAN,
        .between_idle_ms = t->n_apart ? ms_of(between_idle_ns) : (double)NAN,
        .waits_pct = pct_of((double)(idle_ns + between_idle_ns),
                            (double)(t->wall_ns + t->between_ns))};
    for (int k = 0; k < 2; k++) {
        p->requests[k] = amount_of(&t->requests[k]);
        p->tokens[k] = amount_of(&t->tokens[k]);
        p->seen[k] = amount_of(&t->seen[k]);
    }
    p->load = load_text(s->perm, phase, p);
    fill_categories(s, t, r, p);
    fill_kernels(s, t, p);
}

static struct str unit(const struct report_phases *p, int64_t n)
{
    return n == 1 ? p->unit : p->units;
}

/* "The window holds one decode step (batch 16): 99.8% of its time.", if not all. */
static struct str one_phase(struct arena *a, const struct report_phases *all)
{
    const struct report_phase *p = &all->list[0];
    struct str what = p->phase == PHASE_MIXED     ? S(" of prefill and decode at once")
                      : p->phase == PHASE_RUNNING ? S(" of running requests")
                                                  : S(""),
               kind = what.n ? S("") : say(a, "{} ", said(p->id));
    struct str share = p->wall_pct >= 99.95 ? S("")
                                            : say(a, ": {}% of its time",
                                                  said(number_pct(a, p->wall_pct)));
    return say(a, "The window holds {} {}{}{}{}{}{}{}.",
               said(number_word(a, p->n_steps)), said(kind),
               said(unit(all, p->n_steps)), said(what), said(p->load.n ? " (" : ""),
               said(p->load), said(p->load.n ? ")" : ""), said(share));
}

/* "3 steps, 32.1 ms on average". */
static struct str steps_text(struct arena *a, const struct report_phases *all,
                             const struct report_phase *p)
{
    return say(a, "{} {} of {} ms{}", p->n_steps == 1 ? said("one") : said(p->n_steps),
               said(unit(all, p->n_steps)), said(number_ms(a, p->mean_ms)),
               said(p->n_steps == 1 ? "" : " on average"));
}

/* "Prefill takes 62.0% of the time (3 steps ...), decode 31.0% (...), neither 7.0%." */
static struct str several_phases(struct arena *a, const struct report_phases *p)
{
    struct str text = S("");
    for (int k = 0; k < p->n; k++) {
        const struct report_phase *one = &p->list[k];
        struct said pct = said(number_pct(a, one->wall_pct));
        if (!k)
            text = say(a, "{} takes {}% of the time ({})", said(one->label), pct,
                       said(steps_text(a, p, one)));
        else if (k < p->n - 1)
            text = say(a, "{}, {} {}% ({})", said(text),
                       said(one->phase == PHASE_MIXED     ? S("both at once")
                            : one->phase == PHASE_RUNNING ? S("running requests")
                                                          : one->id),
                       pct, said(steps_text(a, p, one)));
        else
            text = say(a, "{}, neither {}%.", said(text), pct);
    }
    return text;
}

const struct report_phase *report_phase_of(const struct report *r, enum step_phase p)
{
    for (int k = 0; k < r->phases.n; k++)
        if (r->phases.list[k].phase == p)
            return &r->phases.list[k];
    return NULL;
}

void report_phases_fill(const struct report_source *s, struct arena tmp,
                        const int8_t *category, struct report *r)
{
    static const struct str sources[] = {
        [PHASES_NOT_TOLD] = S_INIT(""),
        [PHASES_BY_ENGINE] = S_INIT("annotations of the serving engine"),
        [PHASES_BY_WORDS] = S_INIT("annotations"),
        [PHASES_BY_OPERATORS] = S_INIT("the shapes of embeddings and attention")};
    struct serving_phases found =
        serving_phases_build(s->perm, tmp, s->t, category, r->n_categories);
    if (!found.source)
        return;
    struct report_phases *to = &r->phases;
    to->source = sources[found.source];
    bool loops = found.source == PHASES_BY_WORDS; /* what words name may be one */
    to->unit = loops ? S("stretch") : S("step");
    to->units = loops ? S("stretches") : S("steps");
    to->list = arena_new(s->perm, struct report_phase, STEP_PHASES);
    for (int k = PHASE_NONE + 1; k < STEP_PHASES; k++)
        if (found.of[k].n_steps)
            fill_phase(s, (enum step_phase)k, &found.of[k], r, &to->list[to->n++]);
    to->several = to->n > 1;
    fill_phase(s, PHASE_NONE, &found.of[PHASE_NONE], r, &to->list[to->n++]);
    to->headline = to->several ? several_phases(s->perm, to) : one_phase(s->perm, to);
}
