#include "analysis/system/comm_merge.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/system/system_advice.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

static const double BUCKET_MIB = 25, BYTES_PER_MIB = 1048576;
/* What is in the last bucket: on average half of one; at least what DDP begins with. */
static const double LAST_MIB = 12.5, LEAST_LAST_MIB = 1;

struct merge {
    const struct comm_kind *kind;
    double calls, kept;  /* that are merged, and what they become */
    double steps, bytes; /* bytes: NaN where no sizes are recorded */
    bool hides;          /* there is a backward pass to run beside */
};

static const struct comm_kind *kind_to_merge(const struct multi_kernel_result *r,
                                             const struct pattern_hit *hits, int n)
{
    if (hits_have(hits, n, S("all_reduce_per_parameter")))
        return &r->comm[COMM_ALL_REDUCE];
    return hits_have(hits, n, S("gradient_buckets")) ? &r->comm[COMM_REDUCE_SCATTER]
                                                     : NULL;
}

/* Small messages of many calls fit into a few buckets in each step. */
static struct merge merge_of(const struct analysis *a,
                             const struct multi_kernel_result *r,
                             const struct comm_kind *k)
{
    struct merge m = {.kind = k, .hides = a->tables->traits.training};
    m.calls = (double)(k->in_rows > k->backward ? k->in_rows : k->count);
    m.steps = fmax(1, fmax((double)r->step_count, (double)k->rows));
    m.bytes = k->mib * m.calls * BYTES_PER_MIB;
    double mib = isnan(k->mib) ? 0 : k->mib * m.calls; /* unknown: one bucket a step */
    m.kept = fmin(m.calls, m.steps * fmax(1, ceil(mib / m.steps / BUCKET_MIB)));
    return m;
}

/* From the first work of a step's backward pass to its last; n spans, of steps. */
struct passes {
    struct span *at;
    const struct trace_steps *steps;
    int64_t computing_ns; /* in work that is marked as backward */
};

static void add_backward(struct passes *p, const struct event_store *s, event_id gpu)
{
    int64_t start_ns = s->start_ns[gpu], end_ns = store_end_ns(s, gpu);
    int32_t low = 0, high = p->steps->n; /* the last step that began before it */
    while (high - low > 1) {
        int32_t mid = low + (high - low) / 2;
        *(p->steps->rows[mid].start_ns <= start_ns ? &low : &high) = mid;
    }
    struct span *x = &p->at[low];
    bool is_new = x->end_ns == 0;
    x->start_ns = is_new || start_ns < x->start_ns ? start_ns : x->start_ns;
    x->end_ns = is_new || end_ns > x->end_ns ? end_ns : x->end_ns;
    p->computing_ns += store_dur_ns(s, gpu);
}

/* Only the backward pass can hide how its gradients are reduced: its computation, and
 * at most all of its time, with what is computed again in it. */
struct room {
    double low_ms, high_ms;
};

static struct room backward_room(struct arena tmp, const struct analysis *a)
{
    const struct trace_view *v = a->tables->view;
    struct passes p = {arena_new(&tmp, struct span, v->steps.n + 1), &v->steps, 0};
    int64_t all_ns = 0;
    for (int32_t k = 0; k < v->n_counted; k++)
        if (a->tables->traits.of[v->counted[k]] & TRAIT_BACKWARD &&
            view_class(v, v->counted[k]) == GPU_COMPUTE)
            add_backward(&p, v->s, v->counted[k]);
    for (int32_t k = 0; k < v->steps.n + 1; k++)
        all_ns += p.at[k].end_ns - p.at[k].start_ns;
    return (struct room){(double)p.computing_ns / 1e6, (double)all_ns / 1e6};
}

/* Exposed still: what has no computation to hide behind, and in each step the last
 * bucket, which is complete only when the backward pass ends. */
static double still_exposed_ms(const struct merge *m, double transfer_ms,
                               double room_ms, double last_mib)
{
    double mib = m->bytes / BYTES_PER_MIB / m->steps;
    double last_ms = mib > 0 ? transfer_ms * fmin(1, last_mib / mib) : 0;
    return fmax(transfer_ms - room_ms, last_ms);
}

static double transfer_ms(const struct merge *m, double gb_per_s)
{
    return gb_per_s > 0 ? m->bytes / gb_per_s / 1e6 : 0;
}

static void bound_by_link(struct arena *perm, struct arena tmp,
                          const struct analysis *a, const struct multi_kernel_result *r,
                          const struct merge *m, struct finding *f)
{
    const struct device_spec *d = a->tables->device;
    double exposed = m->kind->exposed_us / 1e3, most = m->kind->link_gb_per_s;
    if (d && d->peer_link_gb_per_s > 0 && !(most > 0 && most < d->peer_link_gb_per_s))
        most = d->peer_link_gb_per_s;
    double fast = fmin(exposed, transfer_ms(m, most)),
           slow = fmin(exposed, transfer_ms(m, m->kind->seen_gb_per_s)),
           any = comm_room_ms(a, r);
    struct room room = m->hides ? backward_room(tmp, a) : (struct room){any, any};
    double high = exposed - still_exposed_ms(m, fast, room.high_ms, LEAST_LAST_MIB);
    double low =
        exposed -
        (m->hides ? still_exposed_ms(m, slow, fmin(any, room.low_ms), LAST_MIB) : slow);
    f->impact = impact_of_ms(a, fmax(0, fmin(low, high)), fmax(0, high),
                             S("the exposed time but what the summed messages take on "
                               "the link and nothing can hide"));
    evidence(perm, f, "Merged they are {} MiB in {} {}: {} to {} ms on the link.",
             said_fixed(m->bytes / BYTES_PER_MIB, 1), said((int64_t)m->kept),
             said(str_plural((int64_t)m->kept, "bucket", "buckets")), said_ms(fast),
             said_ms(slow));
}

void comm_merge(struct arena *perm, struct arena tmp, const struct analysis *a,
                const struct multi_kernel_result *r, const struct pattern_hit *hits,
                int n, struct finding *f)
{
    const struct comm_kind *k = kind_to_merge(r, hits, n);
    if (!k || !k->count)
        return;
    struct merge m = merge_of(a, r, k);
    f->merged_part = (m.calls - m.kept) / (double)r->comm_count;
    if (k->seen_gb_per_s > 0)
        bound_by_link(perm, tmp, a, r, &m, f);
    f->impact.basis =
        say(perm, "{}; {}% of the calls merged, with what the host does for them",
            said(f->impact.basis), said_fixed(100 * f->merged_part, 0));
}
