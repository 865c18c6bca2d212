#include "analysis/system/unfused_attention.h"

#include "analysis/facts/efficiency.h"
#include "analysis/facts/matrix_facts.h"
#include "analysis/facts/row_args.h"
#include "analysis/facts/top_operations.h"
#include "analysis/model/name_match.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/tree_index.h"
#include "analysis/system/fusion_candidates.h"
#include "kernels/kernel_name.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_KERNELS = 64, MOST_LEVELS = 24 }; /* of a parent; of the way up to it */
static const double LEAST_PCT = 0.05; /* a smaller softmax is not searched for */
static const double MOST_HEAD = 512;  /* a wider product is not attention */

/* Of the type of a product: a fused kernel is no faster than units of that type.
 * TFLOPS; 0: unknown. */
static double own_peak(const struct device_spec *device, const struct work_row *product)
{
    const double AMPERE =
        80; /* where products of fp32 run in TF32, units for it exist */
    const struct work_efficiency *e = &product->efficiency;
    struct str type = work_text(product, "dtype");
    if (str_eq(type, S("fp32")))
        return work_number(product, "fp32_kernel") > 0
                   ? fmax(device_peak(device, S("vector_fp32")),
                          device_peak(device, S("matrix_fp32")))
                   : matrix_peak_tf32(device, AMPERE);
    if (e->peak_tflop_per_s > 0)
        return e->peak_tflop_per_s;
    return str_eq(type, S("fp64")) ? 0 : matrix_peak_half(device);
}

static const struct work_row *first_product(const struct unfused_attention *u)
{
    for (int i = 0; i < u->n_rows; i++)
        if (u->rows[i]->category == WORK_GEMM)
            return u->rows[i];
    return NULL;
}

bool unfused_is_fp32(const struct unfused_attention *u)
{
    const struct work_row *product = first_product(u);
    return product && str_eq(work_text(product, "dtype"), S("fp32"));
}

/* 4 b Nq Nkv d FLOP; reads Q, K and V, writes O. The backward computes the scores
 * again, and four products more: 5 to 2. It reads O and its gradient besides, and
 * writes three gradients: 2 to 1. */
static double roofline_ms_of(const struct device_spec *device,
                             const struct unfused_attention *u)
{
    const struct work_row *product = first_product(u);
    if (!device || !product || isnan(u->d) || device->memory_gb_per_s <= 0)
        return (double)NAN;
    double size = unfused_is_fp32(u) ? 4 : 2, peak = own_peak(device, product);
    double flop = 4 * u->b * u->n_q * u->n_kv * u->d;
    double byte = size * u->b * 2 * u->d * (u->n_q + u->n_kv);
    double compute_ms = flop / (peak * 1e9),
           move_ms = byte / (device->memory_gb_per_s * 1e6);
    double ms = fmax(compute_ms, move_ms) * (double)u->instances +
                fmax(2.5 * compute_ms, 2 * move_ms) * (double)u->backwards;
    return peak > 0 ? ms : (double)NAN;
}

/* Time of the block's products, by their share of its rows. */
static double products_ms(const struct unfused_attention *u)
{
    double all_ms = 0, ms = 0;
    for (int i = 0; i < u->n_rows; i++) {
        all_ms += u->rows[i]->time_ms;
        ms += u->rows[i]->category == WORK_GEMM ? u->rows[i]->time_ms : 0;
    }
    return ms > 0 ? u->time_ms * ms / all_ms : u->time_ms;
}

/* Without a peak the products take what they take; what lies between them goes. */
static void estimate_without_peak(struct unfused_attention *u)
{
    u->optimistic_ms = products_ms(u);
    u->conservative_ms = (u->time_ms + u->optimistic_ms) / 2;
}

static double clamp(double v, double lo, double hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

void unfused_estimate(const struct device_spec *device, struct unfused_attention *u)
{
    double n = fmax(u->n_q, u->n_kv);
    struct expectation x = expectation_of_attention(n, false, false);
    if (n < 64)
        x.lo = 2, x.hi = 10;
    u->band_lo_pct = x.lo;
    u->band_hi_pct = x.hi;
    u->roofline_ms = roofline_ms_of(device, u);
    u->assumed = isnan(u->roofline_ms);
    if (u->assumed) {
        estimate_without_peak(u);
        return;
    }
    double slow = u->time_ms * x.lo / 100 / u->roofline_ms;
    double fast = u->time_ms * x.hi / 100 / u->roofline_ms;
    if (u->masked)
        fast *= 2;
    u->conservative_ms = u->time_ms / clamp(slow, 1, 10);
    u->optimistic_ms = u->time_ms / clamp(fast, 1, 10);
}

double unfused_speedup_low(const struct unfused_attention *u)
{
    return u->time_ms / u->conservative_ms;
}

double unfused_speedup_high(const struct unfused_attention *u)
{
    return u->time_ms / u->optimistic_ms;
}

struct scores { /* [..., Nq, Nk] of a softmax */
    double b, n_q, n_kv;
};

static bool scores_of(struct arena tmp, const struct work_row *r, struct scores *s)
{
    struct row_args args = row_args_of(&tmp, r->group->args);
    if (args.n < 1 || args.at[0].rank < 3)
        return false;
    const struct row_arg *t = &args.at[0];
    *s = (struct scores){1, (double)t->dim[t->rank - 2], (double)t->dim[t->rank - 1]};
    for (int i = 0; i + 2 < t->rank; i++)
        s->b *= (double)t->dim[i];
    return s->b >= 1 && s->n_q >= 1 && s->n_kv >= 1;
}

/* Q K^T, or its transpose: the head size, or NaN. */
static double head_of_scores_product(const struct work_row *r, const struct scores *s)
{
    double m = work_number(r, "M"), n = work_number(r, "N"), k = work_number(r, "K");
    bool fits = work_number(r, "B") == s->b &&
                ((m == s->n_q && n == s->n_kv) || (m == s->n_kv && n == s->n_q));
    return fits && k >= 1 && k <= MOST_HEAD ? k : (double)NAN;
}

/* P V, or its transpose. */
static double head_of_value_product(const struct work_row *r, const struct scores *s)
{
    double m = work_number(r, "M"), n = work_number(r, "N");
    if (work_number(r, "B") != s->b || work_number(r, "K") != s->n_kv)
        return (double)NAN;
    double d = m == s->n_q ? n : n == s->n_q ? m : (double)NAN;
    return d >= 1 && d <= MOST_HEAD ? d : (double)NAN;
}

static bool is_softmax(const struct work_row *r)
{
    return str_eq(work_text(r, "reduce_class"), S("softmax")) &&
           !name_has(r->name, "backward|logsoftmax|log_softmax") &&
           !name_has(work_text(r, "kernel"), "backward|logsoftmax") &&
           !r->group->first->backward;
}

struct block {
    struct unfused_attention u;
    int64_t *inside_ns; /* by row of the search: device time within the block */
};

struct in_turn {
    int64_t stream, start_ns;
    event_id event;
};

struct search {
    struct arena *kept;   /* scratch of the whole search */
    struct in_turn *turn; /* NULL: not needed yet */
    int32_t *turn_of;     /* by place of the launch, from 1; 0: does not count */
    struct arena *perm;
    struct arena tmp;
    struct analysis *a;
    const struct tree_index *tree;
    struct kernel_rows row_of;
    struct work_row **rows; /* of all compute categories */
    int n_rows;
};

static int index_of(const struct search *s, const struct work_row *r)
{
    int at = 0; /* rows of a category lie one behind the other */
    for (int c = 0; c < WORK_COMMUNICATION; c++) {
        const struct category_result *x = &s->a->categories[c];
        if (r >= x->rows && r < x->rows + x->n_rows)
            return at + (int)(r - x->rows);
        at += x->n_rows;
    }
    return -1;
}

static int longest_first(const void *x, const void *y)
{
    const struct work_row *a = *(struct work_row *const *)x,
                          *b = *(struct work_row *const *)y;
    if (a->time_ms != b->time_ms)
        return a->time_ms > b->time_ms ? -1 : 1;
    return (a->group->first->uid > b->group->first->uid) -
           (a->group->first->uid < b->group->first->uid);
}

/* Rows of which at least half belongs become members; the softmax comes first. Only
 * their time is of the block: a finding has no more than its rows. */
static void collect_rows(struct search *s, struct block *b)
{
    b->u.rows = arena_new(s->perm, struct work_row *, s->n_rows);
    b->u.rows[b->u.n_rows++] = b->u.softmax;
    for (int i = 0; i < s->n_rows; i++) {
        struct work_row *r = s->rows[i];
        bool half = (double)b->inside_ns[i] >= 0.5e6 * r->time_ms;
        bool joins = r != b->u.softmax && b->inside_ns[i] > 0 && half &&
                     !(work_number(r, "in_unfused_attention") > 0);
        if (joins)
            b->u.rows[b->u.n_rows++] = r;
        if (joins || r == b->u.softmax)
            b->u.time_ms += (double)b->inside_ns[i] / 1e6;
    }
    qsort(b->u.rows + 1, (size_t)(b->u.n_rows - 1), sizeof *b->u.rows, longest_first);
    for (int i = 0; i < b->u.n_rows; i++)
        work_set(s->perm, b->u.rows[i], FACT("in_unfused_attention", 1));
}

/* A bias is added to the scores and broadcast, but not over the heads, as a mask is:
 * relative positions, of pairs, or slopes. */
static bool is_bias_row(struct search *s, const struct work_row *r,
                        const struct unfused_attention *u)
{
    struct arena tmp = s->tmp;
    if (r->category != WORK_ELEMENTWISE ||
        !name_is(name_without_namespace(r->name), "add|add_"))
        return false;
    struct row_args args = row_args_of(&tmp, r->group->args);
    if (args.n < 2 || args.at[0].rank < 3 || args.at[1].rank < 3)
        return false;
    const struct row_arg *x = &args.at[0], *y = &args.at[1];
    return y->dim[y->rank - 3] > 1 && y->dim[y->rank - 3] == x->dim[x->rank - 3] &&
           (double)y->dim[y->rank - 1] == u->n_kv &&
           (double)row_arg_elements(x) == u->b * u->n_q * u->n_kv &&
           row_arg_elements(y) < row_arg_elements(x);
}

/* A mask has the last two sides of the scores and fewer elements: one for all heads. */
static bool is_mask_row(struct search *s, const struct work_row *r,
                        const struct unfused_attention *u)
{
    struct arena tmp = s->tmp;
    if (r->category != WORK_ELEMENTWISE)
        return false;
    if (name_has(r->name, "masked_fill|where|tril"))
        return true;
    struct row_args args = row_args_of(&tmp, r->group->args);
    for (int i = 0; i < args.n; i++) {
        const struct row_arg *t = &args.at[i];
        if (t->rank >= 2 && (double)t->dim[t->rank - 2] == u->n_q &&
            (double)t->dim[t->rank - 1] == u->n_kv &&
            (double)row_arg_elements(t) < u->b * u->n_q * u->n_kv)
            return true;
    }
    return false;
}

static void keep(struct search *s, struct block *b)
{
    collect_rows(s, b);
    for (int i = 0; i < b->u.n_rows; i++) {
        bool bias = is_bias_row(s, b->u.rows[i], &b->u);
        b->u.biased |= bias;
        b->u.masked |=
            !bias && b->u.n_q == b->u.n_kv && is_mask_row(s, b->u.rows[i], &b->u);
    }
    unfused_estimate(s->a->tables->device, &b->u);
    s->a->unfused[s->a->n_unfused++] = b->u;
}

static enum kernel_label label_at(const struct search *s, event_id i)
{
    const struct event_store *e = s->a->tables->view->s;
    if (e->cat[i] == CAT_MEMCPY)
        return KERNEL_MEMCPY;
    return e->cat[i] == CAT_MEMSET ? KERNEL_MEMSET : kernel_label_of(store_name(e, i));
}

static bool is_copy_row(const struct work_row *r)
{
    return r &&
           name_is(name_without_namespace(r->name), "copy_|clone|contiguous|_to_copy");
}

struct reach {
    int32_t from, to; /* positions of the first and last member; from < 0: none */
};

/* Around the softmax at `at`, unless a fused kernel is near: the products and
 * everything between them. */
static struct reach products_around(const struct search *s, const event_id *k,
                                    int32_t n, int32_t at)
{
    struct reach found = {-1, -1}, none = found;
    enum kernel_label labels[MOST_KERNELS];
    for (int32_t i = 0; i < n; i++) {
        labels[i] = label_at(s, k[i]);
        if (labels[i] == KERNEL_ATTENTION)
            return none;
    }
    return attention_around(labels, n, at, &found.from, &found.to) ? found : none;
}

static struct reach with_copies(const struct search *s, const event_id *k, int32_t n,
                                struct reach span)
{
    while (span.from > 0 && is_copy_row(kernel_row_of(&s->row_of, k[span.from - 1])))
        span.from--;
    while (span.to + 1 < n && is_copy_row(kernel_row_of(&s->row_of, k[span.to + 1])))
        span.to++;
    return span;
}

/* Sizes that are known not to be attention's: a router, a classifier. */
static bool sizes_fit(const struct search *s, const struct scores *scores, event_id g1,
                      event_id g2, double *d)
{
    const struct work_row *x = kernel_row_of(&s->row_of, g1),
                          *y = kernel_row_of(&s->row_of, g2);
    if (!x || !y)
        return false;
    if (isnan(work_number(x, "K")) || isnan(work_number(y, "K")))
        return true;
    double d1 = head_of_scores_product(x, scores),
           d2 = head_of_value_product(y, scores);
    *d = d1;
    return !isnan(d1) && !isnan(d2);
}

/* One call of the softmax: from its parent up to the nearest module. */
static bool add_instance(struct search *s, struct block *b,
                         const struct op_call_row *call, const struct scores *scores)
{
    const struct event_store *e = s->a->tables->view->s;
    event_id above = call->event;
    if (call->n_kernels == 0)
        return false;
    for (int level = 0; level < MOST_LEVELS; level++) {
        int32_t n, at = 0;
        above = tree_above(s->tree, above);
        if (above < 0)
            return false;
        const event_id *k = tree_gpu_below(s->tree, above, &n);
        if (n > MOST_KERNELS)
            return false;
        while (at < n && k[at] != call->kernels[0])
            at++;
        struct reach span = {-1, -1};
        if (at < n)
            span = products_around(s, k, n, at);
        if (span.from >= 0) {
            if (!sizes_fit(s, scores, k[span.from], k[span.to], &b->u.d))
                return false;
            span = with_copies(s, k, n, span);
            for (int32_t i = span.from; i <= span.to; i++) {
                const struct work_row *r = kernel_row_of(&s->row_of, k[i]);
                int row = r ? index_of(s, r) : -1;
                if (row >= 0)
                    b->inside_ns[row] += store_dur_ns(e, k[i]);
            }
            b->u.instances++;
            return true;
        }
        if (tree_module_name(store_name(e, above)).n > 0)
            return false;
    }
    return false;
}

/* With the scores' sizes, and no members yet. */
static struct block block_of(struct search *s, struct work_row *softmax,
                             const struct scores *scores)
{
    return (struct block){.u = {.softmax = softmax,
                                .b = scores->b,
                                .n_q = scores->n_q,
                                .n_kv = scores->n_kv,
                                .d = (double)NAN},
                          .inside_ns = arena_new(&s->tmp, int64_t, s->n_rows)};
}

static bool on_autograd_thread(const struct work_row *r)
{
    return r->group->first->backward || name_has(r->name, "backward") ||
           name_has(r->group->lane->thread, "autograd");
}

static bool multiples(int64_t x, int64_t y)
{
    return x > 0 && y > 0 && (x % y == 0 || y % x == 0);
}

static bool is_of_scores(struct search *s, const struct work_row *r,
                         const struct scores *scores)
{
    struct scores x;
    return scores_of(s->tmp, r, &x) && x.b == scores->b && x.n_q == scores->n_q &&
           x.n_kv == scores->n_kv;
}

/* Scaling and masking act on tensors of the scores' own shape. */
static bool acts_on_scores(struct search *s, const struct work_row *r,
                           const struct scores *scores)
{
    return r->category == WORK_ELEMENTWISE && is_of_scores(s, r, scores);
}

static void take_row(struct search *s, struct block *b, int i)
{
    b->inside_ns[i] = (int64_t)(s->rows[i]->time_ms * 1e6 + 0.5);
}

/* The gradients of the scores, V, Q and K: products of the same sizes. */
static bool is_gradient_product(const struct work_row *r, const struct scores *s)
{
    struct scores turned = {s->b, s->n_kv, s->n_q};
    return r->category == WORK_GEMM && (!isnan(head_of_scores_product(r, s)) ||
                                        !isnan(head_of_value_product(r, s)) ||
                                        !isnan(head_of_value_product(r, &turned)));
}

static bool is_softmax_gradient(struct search *s, const struct work_row *r,
                                const struct scores *scores)
{
    return str_eq(work_text(r, "reduce_class"), S("softmax")) &&
           name_has(r->name, "softmax_backward") && !name_has(r->name, "log_softmax") &&
           is_of_scores(s, r, scores);
}

/* The rows of its backward, which the gradient of the softmax shows to be there. */
static void add_backward(struct search *s, struct block *b, const struct scores *scores)
{
    int64_t n = 0;
    for (int i = 0; i < s->n_rows; i++)
        n += is_softmax_gradient(s, s->rows[i], scores) ? s->rows[i]->count : 0;
    if (!multiples(n, b->u.instances))
        return;
    b->u.backwards = n;
    for (int i = 0; i < s->n_rows; i++) {
        const struct work_row *r = s->rows[i];
        if (b->inside_ns[i] == 0 && on_autograd_thread(r) && multiples(r->count, n) &&
            (is_softmax_gradient(s, r, scores) || acts_on_scores(s, r, scores) ||
             is_gradient_product(r, scores)))
            take_row(s, b, i);
    }
}

static bool find_by_tree(struct search *s, struct work_row *softmax,
                         const struct scores *scores)
{
    const struct op_calls *calls = &s->a->tables->judged.calls;
    struct block b = block_of(s, softmax, scores);
    b.u.from_tree = true;
    for (int32_t i = 0; i < softmax->group->n; i++)
        add_instance(s, &b, &calls->rows[softmax->group->members[i]], scores);
    bool found = b.u.instances > 0 && 2 * b.u.instances >= softmax->count;
    if (found) {
        add_backward(s, &b, scores);
        keep(s, &b);
    }
    return found;
}

static bool find_by_table(struct search *s, struct work_row *softmax,
                          const struct scores *scores)
{
    struct block b = block_of(s, softmax, scores);
    b.u.instances = softmax->count;
    int64_t first = 0, second = 0;
    for (int i = 0; i < s->n_rows; i++) {
        struct work_row *r = s->rows[i];
        if (r == softmax)
            take_row(s, &b, i);
        if (r == softmax || on_autograd_thread(r) ||
            work_number(r, "in_unfused_attention") > 0)
            continue;
        double d1 = (double)NAN, d2 = (double)NAN;
        if (r->category == WORK_GEMM) {
            d1 = head_of_scores_product(r, scores);
            d2 = head_of_value_product(r, scores);
        }
        first += isnan(d1) ? 0 : r->count;
        second += isnan(d2) ? 0 : r->count;
        if (!isnan(d1))
            b.u.d = d1;
        if (!isnan(d1) || !isnan(d2) || acts_on_scores(s, r, scores))
            take_row(s, &b, i);
    }
    bool found = multiples(first, softmax->count) && multiples(second, softmax->count);
    if (found) {
        add_backward(s, &b, scores);
        keep(s, &b);
    }
    return found;
}

/* Device work by stream, then by start: what runs after what. */
static int after_each_other(const void *x, const void *y)
{
    const struct in_turn *a = x, *b = y;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->event > b->event) - (a->event < b->event);
}

static void put_in_turn(struct search *s)
{
    const struct trace_view *v = s->a->tables->view;
    s->turn = arena_take_raw(s->kept, sizeof *s->turn, 8, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        s->turn[k] = (struct in_turn){view_stream(v->s, g), v->s->start_ns[g], g};
    }
    qsort(s->turn, (size_t)v->n_counted, sizeof *s->turn, after_each_other);
    s->turn_of = arena_new(s->kept, int32_t, v->launch.n_all);
    for (int32_t k = 0; k < v->n_counted; k++)
        s->turn_of[launch_place(&v->launch, s->turn[k].event)] = k + 1;
}

/* The kernels around the softmax at a place, if products begin and end them. */
static bool add_sequence(struct search *s, struct block *b, int32_t at)
{
    enum { BESIDE = 8 };
    const struct event_store *e = s->a->tables->view->s;
    enum kernel_label labels[2 * BESIDE + 1];
    int32_t all = s->a->tables->view->n_counted, from = at, to = at;
    while (from > 0 && at - from < BESIDE &&
           s->turn[from - 1].stream == s->turn[at].stream)
        from--;
    while (to + 1 < all && to - at < BESIDE &&
           s->turn[to + 1].stream == s->turn[at].stream)
        to++;
    for (int32_t k = from; k <= to; k++)
        labels[k - from] = label_at(s, s->turn[k].event);
    int first, last;
    if (!attention_around(labels, to - from + 1, at - from, &first, &last))
        return false;
    for (int32_t k = from + first; k <= from + last; k++) {
        event_id g = s->turn[k].event;
        const struct work_row *r = kernel_row_of(&s->row_of, g);
        int row = r ? index_of(s, r) : -1;
        if (row >= 0)
            b->inside_ns[row] += store_dur_ns(e, g);
    }
    b->u.instances++;
    return true;
}

/* In a graph or without shapes only the order of kernels is known. One softmax alone
 * between products may be a classifier's. */
static bool find_by_sequence(struct search *s, struct work_row *softmax)
{
    const struct scores unknown = {(double)NAN, (double)NAN, (double)NAN};
    if (!s->turn)
        put_in_turn(s);
    s->tmp = *s->kept;
    struct block b = block_of(s, softmax, &unknown);
    const struct op_groups *gs = &s->a->tables->judged;
    for (int32_t i = 0; i < softmax->group->n; i++) {
        const struct op_call_row *c = &gs->calls.rows[softmax->group->members[i]];
        for (int32_t k = 0; k < c->n_kernels; k++) {
            int32_t turn = s->turn_of[launch_place(s->row_of.launch, c->kernels[k])];
            if (turn > 0 && label_at(s, c->kernels[k]) == KERNEL_SOFTMAX)
                add_sequence(s, &b, turn - 1);
        }
    }
    bool found = b.u.instances > 1 && 2 * b.u.instances >= softmax->count;
    if (found)
        keep(s, &b);
    return found;
}

static void count_blocks(struct search *s)
{
    static const enum work_category where[] = {WORK_GEMM, WORK_REDUCE, WORK_SDPA_FWD};
    for (size_t i = 0; i < sizeof where / sizeof *where; i++)
        work_set(s->perm, &s->a->categories[where[i]],
                 FACT("unfused_blocks", s->a->n_unfused));
}

void unfused_attention_find(struct arena *perm, struct arena tmp, struct analysis *a,
                            const struct kernel_rows *rows,
                            const struct tree_index *tree)
{
    struct search s = {
        .perm = perm, .kept = &tmp, .a = a, .tree = tree, .row_of = *rows};
    struct category_result *reduce = &a->categories[WORK_REDUCE];
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        s.n_rows += a->categories[c].n_rows;
    s.rows = arena_new(&tmp, struct work_row *, s.n_rows);
    for (int c = 0, at = 0; c < WORK_COMMUNICATION; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++)
            s.rows[at++] = &a->categories[c].rows[i];
    a->unfused = arena_new(perm, struct unfused_attention, reduce->n_rows);
    for (int32_t i = 0; i < reduce->n_rows; i++) {
        struct work_row *r = &reduce->rows[i];
        struct scores scores;
        s.tmp = tmp;
        if (r->compute_pct < LEAST_PCT || !is_softmax(r) ||
            work_number(r, "in_unfused_attention") > 0)
            continue;
        if (!r->group->args.dims) {
            find_by_sequence(&s, r);
            continue;
        }
        if (!scores_of(s.tmp, r, &scores))
            continue;
        if (tree && tree->has_frames && find_by_tree(&s, r, &scores))
            continue;
        find_by_table(&s, r, &scores);
    }
    count_blocks(&s);
}
