/* Kernels that one kernel might replace: candidates, savings, findings
 * (analysis.md 4.3). Experimental. Times are summed over all instances, never one
 * instance multiplied. */
#include "analysis/facts/top_operations.h"
#include "analysis/model/finding_title.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/fusion_facts.h"
#include "analysis/system/fusion_pattern.h"
#include "analysis/system/fusion_told.h"
#include "analysis/system/kernel_data_flow.h"
#include "analysis/system/norm_floor.h"
#include "analysis/system/optimizer_kernels.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"

#include <math.h>
#include <stdlib.h>

static const double finding_pct = 2, informational_pct = 0.5; /* of total time */
static const double least_kernel_us = 5;
static const double LEAST_STREAM = 0.6; /* of the peak */

struct fusion_run {
    struct arena *perm;
    const struct analysis *a;
    const struct tree_index *t;
    struct flow_index flow;
    struct kernel_rows row_of;
};

/* The time of one instance as a single kernel, and what it then reads and writes. */
struct fused_cost {
    double saving_us, fused_us, moved_byte; /* NaN: not estimated */
    double apart_us; /* of the saving: what is left if no product takes anything in */
};

/* Three resources, of which 85 % overlap. */
static double overlapped_us(double m, double x, double v)
{
    double most = fmax(m, fmax(x, v));
    return most + 0.15 * (m + x + v - most);
}

/* What a fused form moves that is known better than by its ends; NaN: by these. */
static double known_byte(const struct fusion_run *f, const struct kernel_group *g,
                         const event_id *kernel, enum fusion_kind kind)
{
    const struct event_store *s = f->t->v->s;
    struct kernel_flow first = kernel_flow_of(&f->flow, s, kernel[0]),
                       last = kernel_flow_of(&f->flow, s, kernel[g->n_kernels - 1]);
    /* Parameter, gradient and two moments are read, all but the gradient written. */
    if (kind == FUSION_OF_OPTIMIZER)
        return 7 * first.out_byte;
    /* Forward reads the logits, backward reads them again and writes their gradient. */
    return kind == FUSION_OF_LOSS
               ? fmax(first.in_byte, last.modelled ? 2 * last.out_byte : (double)NAN)
               : (double)NAN;
}

/* Kernels [from, to) without a product: they read what the first reads and write what
 * the last writes, or move `known` bytes. */
static struct fused_cost fuse_light(const struct fusion_run *f,
                                    const struct kernel_group *g,
                                    const event_id *kernel, int from, int to,
                                    double known)
{
    const struct event_store *s = f->t->v->s;
    const struct device_spec *d = f->a->tables->device;
    struct fused_cost none = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    double now_us = 0, unmodelled_us = 0, flop = 0, in = (double)NAN, out = (double)NAN;
    double largest_in = 0, shortest = HUGE_VAL, norm_us = 0;
    int modelled = 0, n = to - from;
    for (int k = from; k < to; k++) {
        double us = (double)store_dur_ns(s, kernel[k]) / 1e3;
        struct kernel_flow flow = kernel_flow_of(&f->flow, s, kernel[k]);
        now_us += us;
        shortest = fmin(shortest, us);
        modelled += flow.modelled;
        unmodelled_us += flow.modelled ? 0 : us;
        if (!flow.modelled)
            continue;
        norm_us = fmax(norm_us, norm_floor_us(g->ops[k], store_name(s, kernel[k]), us,
                                              &flow, d ? d->memory_gb_per_s : 0));
        flop += isnan(flow.flop) ? 0 : flow.flop;
        in = isnan(in) ? flow.in_byte : in;
        out = flow.out_byte;
        largest_in = fmax(largest_in, flow.in_byte);
    }
    /* A counter before the work is not its input. */
    if (in < largest_in / 10)
        in = largest_in;
    if (!d || d->memory_gb_per_s <= 0 || modelled < (n < 5 ? 0.5 : 0.75) * n)
        return none;
    double peak = device_peak(d, S("vector_bf16"));
    double vector_us = peak > 0 ? flop / peak / 1e6 : 0;
    /* A launch has a minimum length, which no model includes: that of the shortest
     * kernel, unless all of them have work. */
    double moved = isnan(known) ? in + out : known;
    double fused = overlapped_us(moved / d->memory_gb_per_s / 1e3, 0, vector_us);
    /* A known form takes in all of its kernels, and those of many calls at once. */
    if (!isnan(known))
        return (struct fused_cost){fmax(0, now_us - fused), fused, moved,
                                   fmax(0, now_us - fused)};
    fused = fmax(fmax(fmin(shortest, least_kernel_us), fused), norm_us);
    double saving = fmax(0, now_us - fused - unmodelled_us);
    return (struct fused_cost){saving, fused + unmodelled_us, moved, saving};
}

/* What an operator sets to zero for its own kernel: counters, a workspace. */
static bool is_setup(const struct fusion_run *f, const struct kernel_group *g, int k,
                     bool of_product)
{
    event_id op = view_operator(f->t->v, g->kernels[k]);
    bool setup = false;
    for (int i = 0; i < g->n_kernels && g->labels[k] == KERNEL_MEMSET && op >= 0; i++)
        setup |= g->labels[i] != KERNEL_MEMSET &&
                 view_operator(f->t->v, g->kernels[i]) == op &&
                 (!of_product || kernel_label_is_matrix(g->labels[i]));
    return setup;
}

/* Products stay with their workspace, and so does a kernel of which neither the name
 * nor a model says what it computes: nothing shows that it could be a part of another.
 */
static bool stays(const struct fusion_run *f, const struct kernel_group *g, int k,
                  event_id kernel)
{
    enum kernel_label l = g->labels[k];
    return kernel_label_is_matrix(l) || l == KERNEL_CONVOLUTION ||
           l == KERNEL_ATTENTION || is_setup(f, g, k, true) ||
           (l == KERNEL_UNKNOWN &&
            !kernel_flow_of(&f->flow, f->t->v->s, kernel).modelled);
}

/* Of two kernels and more that could be parts of products: what one kernel in their
 * place saves, which reads what none of them has made. NaN: there are fewer, or no
 * model. */
static double saved_apart_us(const struct fusion_run *f, const struct kernel_group *g,
                             const event_id *kernel, int from)
{
    const struct event_store *s = f->t->v->s;
    const struct device_spec *d = f->a->tables->device;
    double us = 0, in = 0, between = 0, last = 0;
    int n = 0;
    for (int k = from; k < g->n_kernels && d; k++) {
        struct kernel_flow flow = kernel_flow_of(&f->flow, s, kernel[k]);
        if (stays(f, g, k, kernel[k]))
            continue;
        if (!flow.modelled)
            return (double)NAN;
        us += (double)store_dur_ns(s, kernel[k]) / 1e3;
        in += flow.in_byte;
        between += last;
        last = flow.out_byte;
        n++;
    }
    if (n < 2 || !(d->memory_gb_per_s > 0))
        return (double)NAN;
    return fmax(0, us - (in - between + last) / d->memory_gb_per_s / 1e3);
}

/* What stays, stays; what follows a product becomes its epilogue, what precedes the
 * first is fused by itself. */
static struct fused_cost fuse(const struct fusion_run *f, const struct kernel_group *g,
                              const event_id *kernel, enum fusion_kind kind)
{
    const struct event_store *s = f->t->v->s;
    struct fused_cost c = {0, 0, 0, 0};
    int k = 0;
    while (k < g->n_kernels && !kernel_label_is_matrix(g->labels[k]) &&
           !is_setup(f, g, k, true))
        k++;
    if (k > 1 || (k == 1 && g->n_kernels == 1))
        c = fuse_light(f, g, kernel, 0, k,
                       k == g->n_kernels ? known_byte(f, g, kernel, kind)
                                         : (double)NAN);
    else if (k == 1)
        c.fused_us = (double)store_dur_ns(s, kernel[0]) / 1e3;
    double light_us = c.saving_us, apart_us = saved_apart_us(f, g, kernel, k);
    for (; k < g->n_kernels; k++) {
        double us = (double)store_dur_ns(s, kernel[k]) / 1e3;
        struct kernel_flow flow = kernel_flow_of(&f->flow, s, kernel[k]);
        bool kept = stays(f, g, k, kernel[k]);
        *(kept ? &c.fused_us : &c.saving_us) += us;
        if (kernel_label_is_matrix(g->labels[k]))
            c.moved_byte += flow.in_byte + flow.out_byte;
    }
    c.apart_us = fmin(c.saving_us, isnan(apart_us) ? c.saving_us : light_us + apart_us);
    return c;
}

static struct fusion_kernel kernel_facts(const struct fusion_run *f,
                                         const struct kernel_group *g, int k)
{
    const struct event_store *s = f->t->v->s;
    struct fusion_kernel kernel = {.name = store_name(s, g->kernels[k]),
                                   .label = kernel_label_word(g->labels[k]),
                                   .op = g->ops[k]};
    struct kernel_flow flow = kernel_flow_of(&f->flow, s, g->kernels[k]);
    double us = 0;
    for (int32_t i = 0; i < g->n_instances; i++)
        us +=
            (double)store_dur_ns(s, g->kernels[(ptrdiff_t)i * g->n_kernels + k]) / 1e3;
    kernel.mean_us = us / g->n_instances;
    kernel.stays = stays(f, g, k, g->kernels[k]);
    kernel.is_setup = is_setup(f, g, k, false);
    kernel.in_mb = flow.in_byte / 1e6;
    kernel.out_mb = flow.out_byte / 1e6;
    return kernel;
}

static void sum_instances(const struct fusion_run *f, const struct kernel_group *g,
                          struct fusion_candidate *c)
{
    const struct event_store *s = f->t->v->s;
    double total_us = 0, saving_us = 0, fused_us = 0, moved = 0, apart_us = 0;
    for (int32_t i = 0; i < g->n_instances; i++) {
        const event_id *kernel = g->kernels + (ptrdiff_t)i * g->n_kernels;
        struct fused_cost one = fuse(f, g, kernel, c->kind);
        saving_us += one.saving_us;
        apart_us += one.apart_us;
        fused_us += one.fused_us;
        moved += one.moved_byte;
        for (int k = 0; k < g->n_kernels; k++)
            total_us += (double)store_dur_ns(s, kernel[k]) / 1e3;
    }
    c->total_ms = c->gross_ms = total_us / 1e3;
    c->saving_ms = saving_us / 1e3;
    c->fused_us = fused_us / g->n_instances;
    c->moved_mb = moved / 1e6 / g->n_instances;
    bool apart = apart_us < saving_us;
    if (c->kind == FUSION_OF_LOSS && !isnan(saving_us)) {
        /* Its kernel streams the logits, and its bytes are known. */
        c->impact = impact_of_ms(
            f->a, fmax(0, total_us - fused_us / LEAST_STREAM) / 1e3, c->saving_ms,
            S("one kernel that streams the logits, at 60 to 100% "
              "of the memory's peak"));
        return;
    }
    c->impact = impact_of_ms(
        f->a, 0.8 * (apart ? apart_us / 1e3 : c->saving_ms), c->saving_ms,
        apart ? S("from 80% of what one kernel beside the matmuls saves to all that "
                  "their epilogues could take in")
              : S("80% to all of what one fused kernel would save"));
}

/* Rows of which at least half belongs to the candidate. Beside products, what stays is
 * left to its own findings, except in attention. */
static void find_rows(const struct fusion_run *f, struct arena tmp,
                      const struct kernel_group *g, struct fusion_candidate *c)
{
    bool all_too = c->kind == FUSION_OF_ATTENTION || c->n_products == 0;
    const struct event_store *s = f->t->v->s;
    ptrdiff_t n = (ptrdiff_t)g->n_instances * g->n_kernels;
    const struct work_row **row = arena_new(&tmp, const struct work_row *, n);
    double *ms = arena_new(&tmp, double, n);
    int found = 0;
    for (ptrdiff_t k = 0; k < n; k++) {
        const struct work_row *r = kernel_row_of(&f->row_of, g->kernels[k]);
        int at_kernel = (int)(k % g->n_kernels);
        if (!all_too && stays(f, g, at_kernel, g->kernels[k]))
            continue;
        int at = 0;
        while (at < found && row[at] != r)
            at++;
        if (!r)
            continue;
        found += at == found;
        row[at] = r;
        ms[at] += (double)store_dur_ns(s, g->kernels[k]) / 1e6;
    }
    c->rows = arena_new(f->perm, const struct work_row *, found);
    for (int k = 0; k < found; k++)
        if (ms[k] >= 0.5 * row[k]->time_ms)
            c->rows[c->n_rows++] = row[k];
}

static void find_chain(const struct fusion_run *f, const struct kernel_group *g,
                       struct fusion_candidate *c)
{
    int32_t n;
    struct tree_link *up = tree_parents(f->perm, f->t, g->container, 12, &n);
    c->parent_chain = arena_new(f->perm, struct str, n);
    for (c->n_parents = 0; c->n_parents < n; c->n_parents++)
        c->parent_chain[c->n_parents] = up[c->n_parents].name;
    const struct op_texts *texts = store_texts(f->t->v->s, g->container);
    for (int k = 0; !texts && k < g->n_kernels; k++) {
        event_id op = view_operator(f->t->v, g->kernels[k]);
        texts = op < 0 ? NULL : store_texts(f->t->v->s, op);
    }
    c->input_dims = texts ? store_value(f->t->v->s, texts->dims) : NULL;
    c->source = tree_launcher_path(f->t, g->container);
}

/* "rotate_half" of "modeling.py(61): rotate_half"; other names as they are. */
static struct str short_place(struct str place)
{
    ptrdiff_t at = str_find(place, S("): "));
    return at < 0 ? place : str_skip(place, at + 3);
}

/* Of a chain sizes are the second clue. */
static enum confidence confidence_of(const struct kernel_group *g,
                                     struct fusion_pattern p)
{
    bool named = p.kind != FUSION_OF_NOTHING && p.kind != FUSION_OF_CHAIN;
    return g->is_chain && named ? CONFIDENCE_HIGH : p.confidence;
}

static struct fusion_candidate
candidate_of(const struct fusion_run *f, struct arena tmp, const struct kernel_group *g)
{
    struct fusion_pattern p = fusion_pattern_of(g);
    struct fusion_candidate c = {
        .module = g->is_chain ? g->place : store_name(f->t->v->s, g->container),
        .base = short_place(g->place),
        .pattern = p.name,
        .kind = p.kind,
        .instances = g->n_instances,
        .n_kernels = g->n_kernels,
        .is_run = g->is_run,
        .is_chain = g->is_chain,
        .compiled = f->a->tables->traits.of[g->kernels[0]] & TRAIT_COMPILED,
        .confidence = confidence_of(g, p),
        .reason = g->reason};
    for (int k = 0; k < g->n_kernels; k++) {
        c.n_eligible += g->labels[k] != KERNEL_COMMUNICATION &&
                        g->labels[k] != KERNEL_MEMCPY && g->labels[k] != KERNEL_MEMSET;
        c.n_products += kernel_label_is_matrix(g->labels[k]);
    }
    if (!c.reason.n)
        c.reason = fusion_told_elsewhere(f->a, &f->row_of, g);
    sum_instances(f, g, &c);
    if (!c.reason.n && c.compiled)
        c.reason = S("its region is compiled already");
    if (!c.reason.n && p.kind == FUSION_OF_NOTHING)
        c.reason = S("matches no known fusion pattern");
    bool is_module = tree_module_name(c.module).n > 0;
    if (!c.reason.n && !is_module && !c.is_chain &&
        c.total_ms > 0.5 * f->a->computation_ms && p.kind != FUSION_OF_ATTENTION)
        c.reason = S("a function that holds more than half of computation");
    if (!c.reason.n && !is_module && g->n_instances < 2 &&
        (c.is_chain || p.kind == FUSION_OF_CHAIN))
        c.reason = S("runs once, and nothing shows that its kernels share data");
    if (!c.reason.n && isnan(c.saving_ms))
        c.reason = f->a->tables->device
                       ? S("too few of its kernels have a performance model")
                       : S("no peaks of the device are known");
    if (!c.reason.n && c.impact.high_pct < informational_pct)
        c.reason = S("would save less than 0.5% of total time");
    c.informational = !c.reason.n && c.impact.high_pct < finding_pct;
    c.kernels = arena_new(f->perm, struct fusion_kernel, c.n_kernels);
    for (int k = 0; k < c.n_kernels; k++)
        c.kernels[k] = kernel_facts(f, g, k);
    find_chain(f, g, &c);
    find_rows(f, tmp, g, &c);
    return c;
}

/* Of candidates that share kernels, keep the more confident one, then the one that
 * saves more; ties go by position in the list. */
struct choice {
    int32_t group;
    const struct fusion_candidate *c;
};

static int in_order_of_worth(const void *x, const void *y)
{
    const struct choice *a = x, *b = y;
    bool out_a = a->c->reason.n > 0, out_b = b->c->reason.n > 0;
    if (out_a != out_b)
        return out_a - out_b;
    if (!out_a && a->c->confidence != b->c->confidence)
        return (int)b->c->confidence - (int)a->c->confidence;
    double va = out_a ? a->c->total_ms : a->c->saving_ms;
    double vb = out_b ? b->c->total_ms : b->c->saving_ms;
    if (va != vb)
        return va < vb ? 1 : -1;
    return (a->group > b->group) - (a->group < b->group);
}

/* Whether half of the group's kernels are in earlier candidates; if not, take them. */
static bool is_taken(uint8_t *taken, const struct kernel_group *g)
{
    ptrdiff_t n = (ptrdiff_t)g->n_instances * g->n_kernels, shared = 0;
    for (ptrdiff_t k = 0; k < n; k++)
        shared += taken[g->kernels[k]];
    if (2 * shared >= n)
        return true;
    for (ptrdiff_t k = 0; k < n; k++)
        taken[g->kernels[k]] = 1;
    return false;
}

static int by_saving(const void *x, const void *y)
{
    const struct fusion_candidate *a = x, *b = y;
    if (a->accepted != b->accepted)
        return b->accepted - a->accepted;
    double va = a->accepted ? a->saving_ms : a->total_ms;
    double vb = b->accepted ? b->saving_ms : b->total_ms;
    if (va != vb)
        return va < vb ? 1 : -1;
    int c = str_cmp(a->base, b->base);
    return c ? c : (a->n_kernels > b->n_kernels) - (a->n_kernels < b->n_kernels);
}

/* The longest rejected candidates are kept for the report. */
enum { REJECTED_MAX = 30 };

static void choose(struct arena tmp, const struct tree_index *t,
                   const struct kernel_groups *g, const struct fusion_candidate *all,
                   struct fusion_result *r, struct arena *perm)
{
    struct choice *order = arena_new(&tmp, struct choice, g->n);
    uint8_t *taken = arena_new(&tmp, uint8_t, t->v->s->n + 1);
    for (int32_t k = 0; k < g->n; k++)
        order[k] = (struct choice){k, &all[k]};
    qsort(order, (size_t)g->n, sizeof *order, in_order_of_worth);
    r->candidates = arena_new(perm, struct fusion_candidate, g->n);
    int rejected = 0;
    for (int32_t k = 0; k < g->n; k++) {
        struct fusion_candidate c = *order[k].c;
        if (!c.reason.n && is_taken(taken, &g->rows[order[k].group]))
            c.reason = S("its kernels belong to another candidate");
        c.accepted = !c.reason.n;
        if (!c.accepted && rejected++ >= REJECTED_MAX)
            continue;
        r->n_accepted += c.accepted;
        r->candidates[r->n_candidates++] = c;
    }
    qsort(r->candidates, (size_t)r->n_candidates, sizeof *r->candidates, by_saving);
}

void fusion_analyse(struct arena *perm, struct arena tmp, struct analysis *a,
                    const struct tree_index *t, struct fusion_result *r)
{
    struct fusion_run f = {.perm = perm, .a = a, .t = t};
    if (t->v->n_counted == 0) {
        r->status = ANALYSER_NO_DATA;
        return;
    }
    f.flow = flow_index_build(&tmp, a->tables);
    f.row_of = kernel_rows_build(&tmp, a);
    struct kernel_groups g = kernel_groups_find(perm, tmp, t);
    struct fusion_candidate *all = arena_new(&tmp, struct fusion_candidate, g.n);
    for (int32_t k = 0; k < g.n; k++)
        all[k] = candidate_of(&f, tmp, &g.rows[k]);
    choose(tmp, t, &g, all, r, perm);
}

static struct str kernels_text(struct arena *perm, const struct fusion_candidate *c)
{
    enum { MOST = 3 };
    struct str text = S("");
    int n = 0;
    for (int k = 0; k < c->n_kernels; k++) {
        if (c->kernels[k].is_setup || n++ >= MOST)
            continue;
        text = say(perm, "{}{}{} {} µs", said(text), said(n > 1 ? ", " : ""),
                   said(c->kernels[k].op.n ? c->kernels[k].op : c->kernels[k].label),
                   said_fixed(c->kernels[k].mean_us, 1));
    }
    return n > MOST ? say(perm, "{}, ...", said(text)) : text;
}

static struct str fusion_place(struct arena *perm, const struct fusion_candidate *c,
                               bool begins)
{
    struct str name = quoted_name(perm, c->base, 60);
    if (c->is_chain)
        return say(perm, "{} chain {}", said(begins ? "The" : "the"), said(name));
    if (!begins && c->is_run) /* a part of the place */
        return say(perm, "these {} kernels of {}", said(fusion_kernel_count(c)),
                   said(name));
    return name;
}

static void fusion_evidence(struct arena *perm, struct finding *f,
                            const struct fusion_candidate *c, bool has_frames)
{
    struct str place = fusion_place(perm, c, true);
    evidence(perm, f,
             "{} launches {} kernels per call over {} {} ({}); together {} ms.",
             said(place), said(fusion_kernel_count(c)), said(c->instances),
             said(str_plural(c->instances, "call", "calls")),
             said(kernels_text(perm, c)), said_ms(c->total_ms));
    finding_evidence(
        perm, f,
        c->n_products
            ? say(perm,
                  "With the operators around its matmuls fused, a call would take "
                  "about "
                  "{} µs.",
                  said_fixed(c->fused_us, 1))
            : say(perm, "One fused kernel would move about {} MB and take about {} µs.",
                  said_fixed(c->moved_mb, 2), said_fixed(c->fused_us, 1)));
    if (c->is_chain)
        finding_evidence(
            perm, f,
            say(perm,
                "Sizes connect it: each kernel takes an operand as large "
                "as a tensor before it, on one stream with nothing "
                "between{}.",
                said(has_frames ? "" : "; Python frames are not recorded")));
    if (c->source.n)
        evidence(perm, f, "It is called from {}.", said_name(c->source, 80));
    evidence(perm, f,
             "The kernels take {} ms in all; fusing them would save {} ms if 85% of "
             "their memory and compute time overlaps.",
             said_ms(c->gross_ms), said_ms(c->saving_ms));
}

/* The word by which the library knows forms with an advice of their own. */
static struct str known_form(enum fusion_kind kind)
{
    return kind == FUSION_OF_OPTIMIZER ? S("optimizer")
           : kind == FUSION_OF_LOSS    ? S("loss")
                                       : S("none");
}

/* What it resembles; what to do is the library's to say. Products stay as they are,
 * except in attention. */
static void say_fusion(struct arena *perm, struct analysis *a, struct finding *f,
                       const struct fusion_candidate *c)
{
    struct str place = fusion_place(perm, c, false),
               begin = fusion_place(perm, c, true),
               ops = quoted_name(perm, fusion_ops_text(perm, c, true), 80);
    bool around = c->n_products > 0 && c->kind != FUSION_OF_ATTENTION;
    const char *times = c->instances == 1 ? "time" : "times";
    const struct work_fact facts[] = {FACT("around", around),
                                      FACT("place", place),
                                      FACT("ops", ops),
                                      FACT("kernels", fusion_kernel_count(c)),
                                      FACT("known", known_form(c->kind)),
                                      FACT("compiled", c->compiled)};
    int n;
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("fusion"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    f->issue =
        around ? say(perm, "{} runs {} as separate kernels around its {}, {} {}.",
                     said(begin), said(ops),
                     said(c->n_products == 1 ? "matmul" : "matmuls"),
                     said(c->instances), said(times))
               : say(perm,
                     "{} runs {} consecutive kernels that a single one could replace, "
                     "{} {}.",
                     said(begin), said(fusion_kernel_count(c)), said(c->instances),
                     said(times));
    f->algorithmic = hits_text(perm, hits, n, false);
    f->kernel = hits_text(perm, hits, n, true);
}

/* "Fuse the RMSNorm in Qwen2RMSNorm into one kernel"; of a chain, its first and last.
 */
static struct str fusion_title(struct arena *perm, const struct fusion_candidate *c)
{
    struct str base = c->base.n ? quoted_name(perm, c->base, 60) : S("");
    struct str place = say(perm, "{}{}",
                           said(!c->base.n    ? ""
                                : c->is_chain ? " from "
                                              : " in "),
                           said(base));
    struct str known =
        str_skip(c->pattern, str_starts(c->pattern, S("Unfused ")) ? 8 : 0);
    if (c->kind == FUSION_OF_OPTIMIZER)
        return S("Use the fused form of the optimizer");
    if (c->n_products > 0 && c->kind != FUSION_OF_ATTENTION)
        return say(perm, "Fuse the operators around the matmul{} into it", said(place));
    if (c->kind == FUSION_OF_CHAIN)
        return say(perm, "Fuse the chain of kernels{}", said(place));
    return say(perm, "Fuse the {}{} into one kernel", said(known), said(place));
}

static void fusion_finding(struct arena *perm, struct analysis *a,
                           const struct fusion_candidate *c)
{
    struct finding *f = add_system_finding(perm, a, WORK_KERNEL_FUSION, c->pattern,
                                           c->base, c->total_ms);
    finding_title(perm, f, fusion_title(perm, c), S(""));
    f->rows = c->rows;
    f->n_rows = c->n_rows;
    f->count = c->instances;
    f->compute_pct = pct_of(c->total_ms, analysis_compute_ms(a));
    f->informational = c->informational;
    f->confidence = c->confidence;
    bool several = c->n_rows > 1 && fusion_is_light(c); /* one action, not one each */
    f->claims_rows = c->confidence == CONFIDENCE_HIGH || c->is_chain ||
                     (c->kind == FUSION_OF_CHAIN ? several : c->is_run);
    f->priority_basis =
        say(perm, "saves up to {}% of total time", said_pct(c->impact.high_pct));
    say_fusion(perm, a, f, c);
    f->impact = c->impact;
    fusion_evidence(perm, f, c, a->tables->facts.has_frames);
}

/* One action: the kernels of the optimizer, and the idle time between their launches,
 * which the fused form ends too. */
static void join_optimizer(struct arena *perm, struct analysis *a, struct finding *f)
{
    int n = 0;
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *x = &a->findings[i];
        if (x == f || !is_late_optimizer(x))
            continue;
        f->title = x->title;
        f->title_at = x->title_at;
        f->title_op = x->title_op;
        f->issue = say(perm, "{} {}", said(f->issue), said(x->issue));
        f->between = x->idle;
        for (int k = 0; k < x->n_evidence; k++)
            finding_evidence(perm, f, x->evidence[k].text);
        x->idle = NULL; /* told */
    }
    for (int i = 0; i < a->n_findings; i++)
        if (a->findings[i].idle || !str_has(a->findings[i].pattern, S("host_")) ||
            !str_has(a->findings[i].pattern, S("optimizer")))
            a->findings[n++] = a->findings[i];
    a->n_findings = n;
}

static void add_rows(struct arena *perm, struct finding *x, const struct finding *y)
{
    const struct work_row **rows =
        arena_new(perm, const struct work_row *, x->n_rows + y->n_rows);
    int n = x->n_rows;
    if (n)
        memcpy(rows, x->rows, (size_t)n * sizeof *rows);
    for (int k = 0; k < y->n_rows; k++) {
        bool there = false;
        for (int i = 0; i < x->n_rows; i++)
            there |= rows[i] == y->rows[k];
        if (!there)
            rows[n++] = y->rows[k];
    }
    x->rows = rows;
    x->n_rows = n;
}

/* Forward and backward of a loss: one call takes the place of both. The last finding
 * goes into the one of its kind before it, if there is one. */
static bool join_loss(struct arena *perm, struct analysis *a, int first)
{
    const struct finding *y = &a->findings[a->n_findings - 1];
    for (struct finding *x = a->findings + first; x < y; x++) {
        if (!str_eq(x->pattern, y->pattern))
            continue;
        add_rows(perm, x, y);
        x->time_ms += y->time_ms;
        x->total_pct += y->total_pct;
        x->compute_pct += y->compute_pct;
        x->count += y->count;
        x->claims_rows &= y->claims_rows;
        x->impact =
            impact_of_ms(a, x->impact.low_ms + y->impact.low_ms,
                         x->impact.high_ms + y->impact.high_ms, x->impact.basis);
        x->priority_basis =
            say(perm, "saves up to {}% of total time", said_pct(x->impact.high_pct));
        x->issue = say(perm, "{} {}", said(x->issue), said(y->issue));
        finding_title(perm, x, S("Fuse the cross entropy into one kernel"), S(""));
        for (int k = 0; k < y->n_evidence; k++)
            finding_evidence(perm, x, y->evidence[k].text);
        a->n_findings--;
        return true;
    }
    return false;
}

void fusion_findings(struct arena *perm, struct analysis *a,
                     const struct fusion_result *r)
{
    int first = a->n_findings;
    for (int k = 0; r->status == ANALYSER_OK && k < r->n_accepted; k++) {
        const struct fusion_candidate *c = &r->candidates[k];
        fusion_finding(perm, a, c);
        if (c->kind == FUSION_OF_LOSS && !c->informational && join_loss(perm, a, first))
            continue;
        if (c->kind == FUSION_OF_OPTIMIZER && !c->informational)
            join_optimizer(perm, a, &a->findings[a->n_findings - 1]);
    }
}
