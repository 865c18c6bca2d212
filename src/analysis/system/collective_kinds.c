#include "analysis/system/collective_kinds.h"

#include "analysis/model/name_match.h"
#include "analysis/system/backward_prefetch.h"
#include "analysis/system/collective_queue.h"
#include "analysis/system/collective_rows.h"
#include "analysis/system/micro_batches.h"
#include "analysis/system/sharded_units.h"
#include "analysis/system/sync_norm.h"
#include "base/sort.h"
#include "kernels/collective_kind.h"
#include "ops/collective_table.h"
#include "ops/trace_view.h"
#include "perf/dtype.h"
#include "timeline/interval_set.h"
#include "tree/annotation_index.h"

#include <math.h>

#define KINDS(X)                                                                       \
    X(ALL_REDUCE, all_reduce, "all-reduce")                                            \
    X(REDUCE_SCATTER, reduce_scatter, "reduce-scatter")                                \
    X(ALL_GATHER, all_gather, "all-gather")                                            \
    X(ALL_TO_ALL, all_to_all, "all-to-all")                                            \
    X(BROADCAST, broadcast, "broadcast")                                               \
    X(SEND_RECV, send_recv, "send and receive")                                        \
    X(OTHER, other_comm, "communication")

struct str comm_kind_word(enum comm_kind_id k)
{
    static const struct str words[COMM_KINDS] = {
#define X(id, key, word) S_INIT(word),
        KINDS(X)
#undef X
    };
    return words[k];
}

enum comm_kind_id comm_kind_of(enum collective_kind k)
{
    static const enum comm_kind_id kinds[COLLECTIVE_KINDS] = {
        [COLLECTIVE_UNKNOWN] = COMM_OTHER,
        [COLLECTIVE_ALL_REDUCE] = COMM_ALL_REDUCE,
        [COLLECTIVE_ALL_GATHER] = COMM_ALL_GATHER,
        [COLLECTIVE_REDUCE_SCATTER] = COMM_REDUCE_SCATTER,
        [COLLECTIVE_ALL_TO_ALL] = COMM_ALL_TO_ALL,
        [COLLECTIVE_ALL_TO_ALL_V] = COMM_ALL_TO_ALL,
        [COLLECTIVE_BROADCAST] = COMM_BROADCAST,
        [COLLECTIVE_REDUCE] = COMM_OTHER,
        [COLLECTIVE_GATHER] = COMM_OTHER,
        [COLLECTIVE_SCATTER] = COMM_OTHER,
        [COLLECTIVE_SEND] = COMM_SEND_RECV,
        [COLLECTIVE_RECV] = COMM_SEND_RECV,
        [COLLECTIVE_BARRIER] = COMM_OTHER,
        [COLLECTIVE_COALESCED] = COMM_OTHER,
    };
    return kinds[k];
}

static enum comm_kind_id kind_of_name(struct str name)
{
    enum collective_kind k = collective_kind_of(name);
    return k == COLLECTIVE_UNKNOWN && str_has_nocase(name, S("sendrecv"))
               ? COMM_SEND_RECV
               : comm_kind_of(k);
}

/* The kernel of an all-to-all is named after sending and receiving, and some libraries
 * have one kernel for everything: the call around it knows best. */
static enum comm_kind_id kind_of(const struct trace_view *v,
                                 const struct annotation_index *x, event_id gpu)
{
    enum { LEVELS = 8 };
    enum comm_kind_id k = comm_kind_of(collective_kind(v, gpu));
    event_id up = launch_call(&v->launch, gpu);
    if (k == COMM_OTHER && up >= 0) {
        event_id note = annotation_at(x, v->s, v->s->lane[up], v->s->start_ns[up]);
        k = note >= 0 ? kind_of_name(str_skip(store_name(v->s, note), 5)) : k;
    }
    for (int i = 0; i < LEVELS && k == COMM_OTHER && up >= 0; i++) {
        struct str name = store_name(v->s, up);
        if (name_begins(name, "c10d::|nccl|rccl"))
            k = kind_of_name(name);
        up = tree_parent(&v->tree, up);
    }
    return k == COMM_OTHER ? kind_of_name(store_name(v->s, gpu)) : k;
}

static double elements_of(const struct value *dims)
{
    double n = value_count(dims) > 0, all = 0;
    if (value_is(value_at(dims, 0), VALUE_LIST)) {
        for (int i = 0; i < value_count(dims); i++)
            all += elements_of(value_at(dims, i));
        return all;
    }
    for (int i = 0; i < value_count(dims); i++)
        n *= value_is(value_at(dims, i), VALUE_NUMBER) ? dims->items[i].number : 0;
    return n;
}

/* MiB that this rank puts into a collective; NaN: not recorded. Profilers that do not
 * write it beside the kernel record the tensors of the annotation around its call. */
static double message_mib(const struct trace_view *v, const struct annotation_index *x,
                          event_id gpu)
{
    double mib = collective_in_mib(v, gpu), bytes = 0;
    event_id call = launch_call(&v->launch, gpu);
    if (!isnan(mib) || call < 0)
        return mib;
    event_id note = annotation_at(x, v->s, v->s->lane[call], v->s->start_ns[call]);
    const struct op_texts *t = note >= 0 ? store_texts(v->s, note) : NULL;
    if (!t || t->dims < 0 || t->types < 0)
        return mib;
    const struct value *dims = store_value(v->s, t->dims),
                       *types = store_value(v->s, t->types);
    for (int i = 0; i < value_count(dims); i++) {
        double each = dtype_bytes(value_text(value_at(types, i)));
        bytes += elements_of(value_at(dims, i)) * each;
    }
    const double MOST = 1LL << 50;
    return bytes > 0 && bytes <= MOST ? bytes / 1048576 : mib;
}

struct sized {
    double bytes, us;
};

static struct interval_set union_of(struct arena *tmp, const struct trace_view *v,
                                    const uint8_t *kind, int wanted)
{
    struct span *spans = arena_take_raw(tmp, sizeof *spans, 8, v->n_counted);
    int32_t n = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        if (kind[k] == wanted)
            spans[n++] = (struct span){v->s->start_ns[g], store_end_ns(v->s, g)};
    }
    return interval_union(*tmp, spans, n);
}

/* Which calls of a kind: those that the backward pass launched, or of the others those
 * with messages of a few values. */
enum calls { CALLS_OF_BACKWARD, CALLS_OF_SCALARS };

static bool is_scalar(double mib)
{
    const double MOST_MIB = 4.0 / 1024;
    return mib <= MOST_MIB; /* NaN: not recorded */
}

static double exposed_of(struct arena tmp, const struct trace_view *v,
                         const struct work_traits *w,
                         const struct annotation_index *notes, const uint8_t *kind,
                         int wanted, enum calls calls, struct interval_set compute)
{
    struct span *spans = arena_take_raw(&tmp, sizeof *spans, 8, v->n_counted);
    int32_t n = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        bool backward = w->of[g] & TRAIT_BACKWARD;
        if (kind[k] == wanted &&
            (calls == CALLS_OF_BACKWARD
                 ? backward
                 : !backward && is_scalar(message_mib(v, notes, g))))
            spans[n++] = (struct span){v->s->start_ns[g], store_end_ns(v->s, g)};
    }
    struct interval_set all = interval_union(tmp, spans, n);
    return (double)interval_length_ns(interval_minus(&tmp, all, compute)) / 1e3;
}

/* What calls of one size show of the link: `us` is the fastest of them. */
static void note_rates(struct comm_kind *c, struct sized *small, double bytes,
                       double us)
{
    if (!(bytes > 0 && us > 0))
        return;
    if (!(small->bytes > 0) || us < small->us)
        *small = (struct sized){bytes, us};
    c->seen_gb_per_s = fmax(c->seen_gb_per_s, bytes / us / 1e3);
    /* Twice as long as the smallest: what it takes more is transfer, not latency. */
    if (us >= 2 * small->us)
        c->link_gb_per_s =
            fmax(c->link_gb_per_s, (bytes - small->bytes) / (us - small->us) / 1e3);
}

/* Messages by size and direction: a receive waits for its sender, a send next to never.
 * The bytes are those of a key from 0 on. */
enum { NO_SIZE = -1, OF_SKEW = -2 };

static int64_t key_of_size(double mib, bool sends)
{
    return isnan(mib) ? NO_SIZE : 2 * (int64_t)(mib * 1048576) + sends;
}

static double bytes_of_key(int64_t key)
{
    return key < 0 ? 0 : (double)(key / 2);
}

/* Of n calls, of one kind and size, of median length `median`: those that waited. A
 * call of unknown size may be one that sends more: only one in twenty may be late, and
 * only if it takes as long as half a gigabyte over a link of 50 GB/s. */
static void note_late(struct comm_kind *c, const double *us, int32_t n, double median,
                      bool sized)
{
    enum { FEWEST = 4, TIMES = 5, LEAST_US = 100 };
    enum { UNSIZED_FEWEST = 40, UNSIZED_TIMES = 10, UNSIZED_US = 10000, ONE_IN = 20 };
    double least = sized ? fmax(TIMES * median, median + LEAST_US)
                         : fmax(UNSIZED_TIMES * median, UNSIZED_US);
    int64_t late = 0;
    double over = 0;
    for (int32_t i = 0; i < n; i++) {
        late += us[i] >= least;
        over += us[i] >= least ? us[i] - median : 0;
    }
    if (sized ? n < FEWEST : n < UNSIZED_FEWEST || late > n / ONE_IN)
        return;
    c->late_count += late;
    c->late_us += over;
    c->late_unsized += sized ? 0 : late;
}

/* Calls of one size take as long as the fastest of them, or wait. */
static void note_alike(struct comm_kind *c, struct sample_stats all)
{
    c->transfer_us += all.min * (double)all.n;
    c->alike_us += all.sum;
    if (c->fastest_us == 0 || all.min < c->fastest_us)
        c->fastest_us = all.min;
}

/* Of n calls with the message sizes of `rows`, which this sorts, those that took far
 * longer than others of their size. The fastest of many waits for nobody. */
static void count_late(struct arena tmp, struct sort_row *rows, const double *us,
                       int32_t n, struct comm_kind *c)
{
    enum { MANY = 8 };
    double *same = arena_take_raw(&tmp, sizeof *same, 8, n);
    struct sized small = {0, 0};
    sort_rows(tmp, rows, n);
    for (int32_t k = 0, end; k < n; k = end) {
        for (end = k; end < n && rows[end].key == rows[k].key; end++)
            same[end - k] = us[rows[end].row];
        struct sample_stats all = stats_of(same, end - k);
        note_rates(c, &small, bytes_of_key(rows[k].key), all.min);
        if (rows[k].key != OF_SKEW)
            note_late(c, same, end - k, all.median, rows[k].key >= 0);
        if (end - k >= MANY && rows[k].key >= 0)
            note_alike(c, all);
    }
}

/* What messages take over a slow network (10 gigabits per second), each with the
 * latency of a collective: what calls take far beyond that is a wait. */
static double needed_us(enum comm_kind_id kind, int64_t calls, double mib)
{
    const double GB_PER_S = 1, LATENCY_US = 50;
    double times = kind == COMM_ALL_REDUCE ? 2 : 1; /* it sends all of it twice */
    return LATENCY_US * (double)calls + times * mib * 1048576 / GB_PER_S / 1e3;
}

/* The message and the rate that half of the calls exceed, of those with a size. */
static void note_typical(struct arena tmp, const struct sort_row *sizes,
                         const double *us, struct comm_kind *c)
{
    double *mib = arena_take_raw(&tmp, sizeof *mib, 8, c->count), *rate = NULL;
    int64_t n = 0;
    rate = arena_take_raw(&tmp, sizeof *rate, 8, c->count);
    for (int64_t k = 0; k < c->count; k++) {
        double bytes = bytes_of_key(sizes[k].key), each = us[sizes[k].row];
        if (!(bytes > 0 && each > 0))
            continue;
        mib[n] = bytes / 1048576;
        rate[n++] = bytes / each / 1e3;
    }
    c->median_mib = n ? stats_of(mib, n).median : (double)NAN;
    c->median_gb_per_s = n ? stats_of(rate, n).median : (double)NAN;
}

/* Durations, messages and the pass of one kind. */
static void add_up(struct arena tmp, const struct trace_view *v,
                   const struct work_traits *w, const struct annotation_index *notes,
                   const uint8_t *kind, int wanted, struct comm_kind *c)
{
    double *us = arena_take_raw(&tmp, sizeof *us, 8, v->n_counted), mib = 0;
    double *receives = arena_take_raw(&tmp, sizeof *us, 8, v->n_counted);
    struct sort_row *sizes = arena_take_raw(&tmp, sizeof *sizes, 8, v->n_counted);
    int64_t sized = 0, received = 0;
    double wide_us = 0, wide_backward_us = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        if (kind[k] != wanted)
            continue;
        double m = message_mib(v, notes, g);
        enum collective_kind way = collective_kind(v, g);
        int64_t key = key_of_size(m, way == COLLECTIVE_SEND);
        key = v->skew.ns > 0 && g == v->skew.first ? OF_SKEW : key; /* late by rights */
        sizes[c->count] = (struct sort_row){key, (int32_t)c->count};
        c->ranks = c->count ? c->ranks : collective_ranks(v, g);
        us[c->count++] = (double)view_own_ns(v, g) / 1e3;
        if (way == COLLECTIVE_RECV)
            receives[received++] = us[c->count - 1];
        c->backward += (w->of[g] & TRAIT_BACKWARD) != 0;
        if (m >= 1 && w->training && collective_type_bytes(v, g) == 4) {
            wide_us += us[c->count - 1];
            wide_backward_us += w->of[g] & TRAIT_BACKWARD ? us[c->count - 1] : 0;
        }
        c->scalars += w->training && !(w->of[g] & TRAIT_BACKWARD) && is_scalar(m);
        sized += !isnan(m);
        mib += isnan(m) ? 0 : m;
    }
    /* Of buckets, some are sent by what runs behind the last node. */
    c->wide_us = wide_backward_us >= 0.5 * wide_us ? wide_us : wide_backward_us;
    count_late(tmp, sizes, us, (int32_t)c->count, c);
    note_typical(tmp, sizes, us, c);
    struct sample_stats s = stats_of(us, c->count);
    c->total_us = s.sum;
    c->median_us = received ? stats_of(receives, received).median : s.median;
    c->max_us = s.max;
    c->mib = sized > 0 ? mib / (double)sized : (double)NAN;
    c->needs_us = sized == c->count
                      ? needed_us((enum comm_kind_id)wanted, c->count, mib)
                      : (double)NAN;
}

/* Calls that have others of their size to compare with take most of the time. */
static bool is_alike(const struct comm_kind *c)
{
    const double MOST = 0.8;
    return c->alike_us > 0 && c->alike_us >= MOST * c->total_us;
}

void collective_kinds_measure(struct arena *perm, struct arena tmp,
                              const struct trace_view *v, const struct work_traits *w,
                              struct multi_kernel_result *r)
{
    struct comm_kind *kinds = r->comm;
    enum { COMPUTE = COMM_KINDS, NEITHER };
    uint8_t *kind = arena_new(&tmp, uint8_t, v->n_counted + 1);
    struct annotation_index notes = {0};
    bool indexed = false;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        enum gpu_class c = view_class(v, g);
        if (c == GPU_COMMUNICATION && !indexed) {
            notes = annotations_index(perm, tmp, v->s);
            indexed = true;
        }
        kind[k] = (uint8_t)(c == GPU_COMMUNICATION ? (int)kind_of(v, &notes, g)
                            : c == GPU_COMPUTE     ? COMPUTE
                                                   : NEITHER);
    }
    for (int32_t k = 0; k < v->n_counted; k++)
        if (kind[k] == COMPUTE && w->of[v->counted[k]] & TRAIT_BACKWARD)
            r->backward_us += (double)view_own_ns(v, v->counted[k]) / 1e3;
    struct interval_set compute = union_of(&tmp, v, kind, COMPUTE);
    for (int k = 0; k < COMM_KINDS; k++) {
        struct arena scratch = tmp;
        kinds[k] = (struct comm_kind){0};
        add_up(tmp, v, w, &notes, kind, k, &kinds[k]);
        if (kinds[k].backward)
            kinds[k].backward_exposed_us =
                exposed_of(tmp, v, w, &notes, kind, k, CALLS_OF_BACKWARD, compute);
        if (kinds[k].scalars)
            kinds[k].scalars_exposed_us =
                exposed_of(tmp, v, w, &notes, kind, k, CALLS_OF_SCALARS, compute);
        struct interval_set busy = union_of(&scratch, v, kind, k);
        bool skewed =
            v->skew.ns > 0 && indexed && (int)kind_of(v, &notes, v->skew.first) == k;
        kinds[k].exposed_us =
            (double)(interval_length_ns(interval_minus(&scratch, busy, compute)) -
                     (skewed ? v->skew.ns : 0)) /
            1e3;
    }
    if (!indexed)
        return;
    collective_rows_find(tmp, v, w, kind, kinds);
    collective_queue_find(tmp, v, kind, kinds);
    r->batches = micro_batches_find(tmp, v, w, kind);
    if (r->batches.reducing > 0 && r->batches.reducing < r->batches.passes)
        r->backward_us = r->batches.hides_us;
    r->sync_norm = sync_norm_find(tmp, v, kind, compute);
    if (w->training && kinds[COMM_REDUCE_SCATTER].count)
        r->prefetch = backward_prefetch_find(perm, tmp, v, kind, compute);
    r->unit_period = w->training ? sharded_units_period(tmp, v, kind) : 0;
    for (int k = 0; k < COMM_KINDS; k++)
        if (!is_alike(&kinds[k]))
            kinds[k].transfer_us = fmax(kinds[k].transfer_us, kinds[k].queued_us);
}

enum comm_kind_id collective_most_exposed(const struct comm_kind kinds[COMM_KINDS])
{
    int best = COMM_OTHER;
    for (int k = 0; k < COMM_OTHER; k++)
        if (kinds[k].exposed_us > kinds[best].exposed_us)
            best = k;
    return (enum comm_kind_id)best;
}

double collective_waits_pct(const struct comm_kind *c)
{
    return is_alike(c) ? 100 * fmax(0, 1 - c->transfer_us / c->alike_us) : 0;
}

bool collective_is_waiting(const struct comm_kind *c)
{
    const double MOST_PCT = 60;
    return collective_waits_pct(c) >= MOST_PCT;
}

struct kind_fact_keys {
    const char *count, *ms, *exposed_ms, *median_us, *mib, *backward, *per_step;
};

int collective_kinds_facts(const struct comm_kind kinds[COMM_KINDS], int64_t steps,
                           struct work_fact *facts, int n)
{
    static const struct kind_fact_keys keys[COMM_KINDS] = {
#define X(id, key, word)                                                               \
    {#key "_count", #key "_ms",       #key "_exposed_ms", #key "_median_us",           \
     #key "_mib",   #key "_backward", #key "_per_step"},
        KINDS(X)
#undef X
    };
    for (int k = 0; k < COMM_KINDS; k++) {
        const struct comm_kind *c = &kinds[k];
        facts[n++] = FACT(keys[k].count, (double)c->count);
        facts[n++] = FACT(keys[k].ms, c->total_us / 1e3);
        facts[n++] = FACT(keys[k].exposed_ms, c->exposed_us / 1e3);
        facts[n++] = FACT(keys[k].median_us, c->median_us);
        facts[n++] = FACT(keys[k].mib, c->mib);
        facts[n++] = FACT(keys[k].backward, (double)c->backward);
        facts[n++] = FACT(keys[k].per_step,
                          (double)c->backward / (double)(steps > 0 ? steps : 1));
    }
    return n;
}
