#include "analysis/stack/memory_peak.h"

#include "analysis/stack/tree_index.h"
#include "base/int_map.h"
#include "base/sort.h"
#include "ops/trace_view.h"

#include <stdlib.h>

struct str memory_kind_word(enum memory_kind k)
{
    static const struct str words[] = {[MEMORY_BEFORE] = S_INIT("before the recording"),
                                       [MEMORY_ACTIVATION] = S_INIT("activation"),
                                       [MEMORY_GRADIENT] = S_INIT("gradient"),
                                       [MEMORY_OPTIMIZER] = S_INIT("optimizer"),
                                       [MEMORY_WORKSPACE] = S_INIT("workspace"),
                                       [MEMORY_RESULT] = S_INIT("result")};
    return words[k];
}

/* An allocation, or the free of one. */
struct point {
    int64_t at_ns;
    int32_t row;                         /* its record */
    event_id op, only_allocates, module; /* deepest around it; -1 */
    bool in_backward, in_optimizer;
};

/* Records of one device, by time. */
struct records {
    const struct event_store *s;
    struct sort_row *rows;
    int32_t n, peak;    /* peak: a row; -1: nothing rises */
    int32_t *ends, *of; /* by row: the row where an allocation ends, n: none does;
                           the allocation that a row ends, -1: none of these */
};

static const struct memory_record *at(const struct records *r, int32_t k)
{
    return &r->s->memory[r->rows[k].row];
}

static bool same_device(const struct memory_record *a, const struct memory_record *b)
{
    return a->device_type == b->device_type && a->device_id == b->device_id;
}

/* The accelerator with the most records; NULL: there is none. */
static const struct memory_record *busiest(const struct event_store *s)
{
    enum { TOLD_APART = 64 };
    const struct memory_record *of[TOLD_APART], *best = NULL;
    int64_t count[TOLD_APART], most = 0;
    int n = 0;
    for (int32_t i = 0; i < s->n_memory; i++) {
        const struct memory_record *m = &s->memory[i];
        int k = 0;
        if (m->device_type == 0 || m->device_type == NO_ID)
            continue;
        while (k < n && !same_device(of[k], m))
            k++;
        if (k == TOLD_APART)
            continue;
        if (k == n) {
            of[n] = m;
            count[n++] = 0;
        }
        if (++count[k] > most) {
            most = count[k];
            best = of[k];
        }
    }
    return best;
}

static struct records records_of(struct arena *tmp, const struct event_store *s,
                                 const struct memory_record *of)
{
    struct records r = {
        s, arena_take_raw(tmp, sizeof *r.rows, 8, s->n_memory), 0, -1, NULL, NULL};
    for (int32_t i = 0; i < s->n_memory; i++)
        if (same_device(&s->memory[i], of))
            r.rows[r.n++] = (struct sort_row){s->memory[i].at_ns, i};
    sort_rows(*tmp, r.rows, r.n);
    return r;
}

/* The first of the highest totals; without totals, of the sums since the beginning. */
static void find_peak(struct records *r, struct memory_peak *m)
{
    int64_t sum = 0, low = 0, high = INT64_MIN;
    bool totals = true, addresses = true;
    for (int32_t k = 0; k < r->n; k++) {
        totals &= at(r, k)->total_allocated != NO_ID;
        addresses &= at(r, k)->addr != NO_ID;
    }
    for (int32_t k = 0; k < r->n; k++) {
        const struct memory_record *a = at(r, k);
        sum += a->bytes;
        low = sum < low ? sum : low;
        int64_t now = totals ? a->total_allocated : sum;
        if (a->total_reserved != NO_ID && a->total_reserved > m->reserved_most)
            m->reserved_most = a->total_reserved;
        if (now <= high)
            continue;
        high = now;
        r->peak = k;
        m->rise_bytes = sum;
    }
    m->peak_bytes = totals ? high : -1;
    m->reserved_at_peak =
        at(r, r->peak)->total_reserved != NO_ID ? at(r, r->peak)->total_reserved : -1;
    m->peak_ns = at(r, r->peak)->at_ns - at(r, 0)->at_ns;
    m->span_ns = at(r, r->n - 1)->at_ns - at(r, 0)->at_ns;
    if (!totals || !addresses)
        r->peak = -1;
}

/* An allocation ends where it is freed, or where its address is used again. */
static void match(struct arena *tmp, struct records *r)
{
    struct int_map last = int_map_make(tmp, r->n);
    r->ends = arena_take_raw(tmp, sizeof *r->ends, 4, r->n);
    r->of = arena_take_raw(tmp, sizeof *r->of, 4, r->n);
    for (int32_t k = 0; k < r->n; k++) {
        int32_t *row = int_map_at(&last, tmp, at(r, k)->addr);
        if (*row >= 0)
            r->ends[*row] = k;
        r->of[k] = *row;
        *row = at(r, k)->bytes > 0 ? k : -1;
        r->ends[k] = r->n;
    }
}

static bool allocates(const struct records *r, int32_t k)
{
    return at(r, k)->bytes > 0;
}

static bool is_point(const struct records *r, int32_t k)
{
    return allocates(r, k) || (at(r, k)->bytes < 0 && r->of[k] >= 0);
}

/* By lane, then by time. */
struct points {
    struct point *at;
    int32_t n, *first, *by_row; /* first: by lane, and the end; by_row: -1: none */
};

static struct points points_of(struct arena *tmp, const struct records *r)
{
    int32_t n_lanes = r->s->n_lanes;
    struct points p = {NULL, 0, arena_new(tmp, int32_t, n_lanes + 1),
                       arena_take_raw(tmp, sizeof *p.by_row, 4, r->n)};
    for (int32_t k = 0; k < r->n; k++)
        if (is_point(r, k))
            p.first[at(r, k)->lane]++;
    for (int32_t k = 0; k <= n_lanes; k++) { /* where each lane ends */
        p.n += p.first[k];
        p.first[k] = p.n;
    }
    p.at = arena_take_raw(tmp, sizeof *p.at, 8, p.n);
    for (int32_t k = r->n - 1; k >= 0; k--) {
        p.by_row[k] = is_point(r, k) ? --p.first[at(r, k)->lane] : -1;
        if (p.by_row[k] >= 0)
            p.at[p.by_row[k]] = (struct point){.at_ns = at(r, k)->at_ns,
                                               .row = k,
                                               .op = -1,
                                               .only_allocates = -1,
                                               .module = -1};
    }
    return p;
}

static bool only_allocates(struct str name)
{
    return str_starts(name, S("aten::empty")) || str_starts(name, S("aten::resize")) ||
           str_starts(name, S("aten::new_empty"));
}

static void deeper(const struct event_store *s, event_id *to, event_id i)
{
    bool in = *to < 0 || s->start_ns[i] > s->start_ns[*to] ||
              (s->start_ns[i] == s->start_ns[*to] &&
               store_dur_ns(s, i) <= store_dur_ns(s, *to));
    *to = in ? i : *to;
}

/* What an event is to those that are recorded in it. */
struct around {
    event_id i;
    bool backward, optimizer, op, only_allocates, module;
};

static struct around around_of(const struct event_store *s, event_id i)
{
    struct str name = store_name(s, i);
    bool op = s->cat[i] == CAT_CPU_OP;
    return (struct around){
        .i = i,
        .backward = str_starts(name, S("autograd::engine::evaluate_function")),
        .optimizer = str_starts(name, S("Optimizer.step")),
        .op = op,
        .only_allocates = op && only_allocates(name),
        .module = s->cat[i] == CAT_PYTHON && tree_module_name(name).n};
}

static void put_around(const struct event_store *s, struct point *p,
                       const struct around *x)
{
    p->in_backward |= x->backward;
    p->in_optimizer |= x->optimizer;
    if (x->op)
        deeper(s, x->only_allocates ? &p->only_allocates : &p->op, x->i);
    else if (x->module)
        deeper(s, &p->module, x->i);
}

/* The first of a lane's points from `ns` on. Most events begin near the one before
 * them: from `near` on, the search doubles its steps. */
static int32_t first_from(const struct points *p, int32_t lane, int64_t ns,
                          int32_t near)
{
    int32_t low = p->first[lane], high = p->first[lane + 1];
    if (near >= low && near < high && p->at[near].at_ns >= ns) {
        high = near;
        low = near > low && p->at[near - 1].at_ns < ns ? near : low;
    } else if (near >= low && near < high) {
        low = near + 1;
        int32_t step = 1;
        for (; low + step < high && p->at[low + step].at_ns < ns; step *= 2)
            low += step;
        high = low + step < high ? low + step : high;
    }
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (p->at[middle].at_ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Calls nest a few dozen deep; a trace in which all events overlap is not worth the
 * time that it takes. False: it is one. */
static bool find_places(const struct event_store *s, struct points *p)
{
    int64_t left = 256 * ((int64_t)s->n + p->n);
    int32_t near = 0;
    for (event_id i = 0; i < s->n; i++) {
        int32_t lane = s->lane[i], end = p->first[lane + 1];
        if (p->first[lane] == end ||
            (s->cat[i] != CAT_CPU_OP && s->cat[i] != CAT_PYTHON &&
             s->cat[i] != CAT_ANNOTATION))
            continue;
        int64_t to_ns = store_end_ns(s, i);
        int32_t k = near = first_from(p, lane, s->start_ns[i], near);
        if (k == end || p->at[k].at_ns > to_ns)
            continue; /* as most have none in them */
        struct around x = around_of(s, i);
        for (; k < end && p->at[k].at_ns <= to_ns; k++, left--)
            put_around(s, &p->at[k], &x);
        if (left < 0)
            return false;
    }
    return true;
}

static enum memory_kind kind_of(const struct records *r, const struct points *all,
                                const struct point *p)
{
    int32_t end = r->ends[p->row];
    const struct point *freed =
        end < r->n && !allocates(r, end) ? &all->at[all->by_row[end]] : NULL;
    event_id op = p->op >= 0 ? p->op : p->only_allocates;
    if (freed && op >= 0 && freed->at_ns <= store_end_ns(r->s, op))
        return MEMORY_WORKSPACE;
    if (p->in_optimizer)
        return freed && freed->in_optimizer ? MEMORY_RESULT : MEMORY_OPTIMIZER;
    if (p->in_backward)
        return freed && freed->in_backward ? MEMORY_RESULT : MEMORY_GRADIENT;
    return freed && freed->in_backward ? MEMORY_ACTIVATION : MEMORY_RESULT;
}

static int by_place(const void *x, const void *y)
{
    const struct memory_owner *a = x, *b = y;
    int c = str_cmp(a->module, b->module);
    c = c ? c : str_cmp(a->op, b->op);
    return c ? c : (int)a->kind - (int)b->kind;
}

static int by_bytes(const void *x, const void *y)
{
    const struct memory_owner *a = x, *b = y;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return by_place(x, y);
}

static struct memory_owner owner_of(const struct records *r, const struct points *all,
                                    const struct point *p)
{
    const struct event_store *s = r->s;
    event_id op = p->op >= 0 ? p->op : p->only_allocates;
    return (struct memory_owner){
        .module = p->module >= 0 ? tree_module_name(store_name(s, p->module)) : S(""),
        .op = op >= 0 ? store_name(s, op) : S(""),
        .kind = kind_of(r, all, p),
        .bytes = at(r, p->row)->bytes,
        .n = 1};
}

static bool held_at_peak(const struct records *r, int32_t k)
{
    return allocates(r, k) && r->ends[k] > r->peak;
}

/* What the records do not show was there before them. */
static void put_owners(struct arena *perm, const struct records *r,
                       const struct points *p, struct memory_peak *m)
{
    int32_t n = 0, merged = 0, held = 0;
    int64_t seen = 0;
    for (int32_t k = 0; k <= r->peak; k++)
        held += held_at_peak(r, k);
    struct memory_owner *list = arena_new(perm, struct memory_owner, held + 1);
    for (int32_t k = 0; k <= r->peak; k++)
        if (held_at_peak(r, k)) {
            list[n++] = owner_of(r, p, &p->at[p->by_row[k]]);
            seen += at(r, k)->bytes;
        }
    if (seen > m->peak_bytes)
        return; /* totals and records contradict each other */
    if (seen < m->peak_bytes)
        list[n++] = (struct memory_owner){.module = S(""),
                                          .op = S(""),
                                          .kind = MEMORY_BEFORE,
                                          .bytes = m->peak_bytes - seen};
    qsort(list, (size_t)n, sizeof *list, by_place);
    for (int32_t i = 0; i < n; i++) {
        m->kind_bytes[list[i].kind] += list[i].bytes;
        if (merged && by_place(&list[merged - 1], &list[i]) == 0) {
            list[merged - 1].bytes += list[i].bytes;
            list[merged - 1].n += list[i].n;
        } else {
            list[merged++] = list[i];
        }
    }
    qsort(list, (size_t)merged, sizeof *list, by_bytes);
    m->owners = list;
    m->n_owners = merged;
}

static int by_call(const void *x, const void *y)
{
    const struct memory_module *a = x, *b = y;
    return (a->call > b->call) - (a->call < b->call);
}

static void put_modules(struct arena *perm, const struct records *r,
                        const struct points *p, struct memory_peak *m)
{
    int32_t n = 0, merged = 0;
    for (int32_t k = 0; k <= r->peak; k++)
        n += held_at_peak(r, k) && p->at[p->by_row[k]].module >= 0;
    struct memory_module *list = arena_new(perm, struct memory_module, n);
    n = 0;
    for (int32_t k = 0; k <= r->peak; k++)
        if (held_at_peak(r, k) && p->at[p->by_row[k]].module >= 0)
            list[n++] =
                (struct memory_module){p->at[p->by_row[k]].module, at(r, k)->bytes};
    if (n)
        qsort(list, (size_t)n, sizeof *list, by_call);
    for (int32_t i = 0; i < n; i++) {
        if (merged && list[merged - 1].call == list[i].call)
            list[merged - 1].bytes += list[i].bytes;
        else
            list[merged++] = list[i];
    }
    m->modules = list;
    m->n_modules = merged;
}

static int bin_at(const struct memory_peak *m, int64_t ns)
{
    double k = (double)ns / (double)(m->span_ns + 1) * MEMORY_BINS;
    return k < 0 ? 0 : k < MEMORY_BINS ? (int)k : MEMORY_BINS - 1;
}

/* What each kind holds, and the most of it in a bin. */
struct held {
    int64_t now[MEMORY_KINDS];
    int bin;
};

static void to_bin(struct held *h, const struct memory_peak *m, int bin)
{
    while (h->bin < bin) {
        h->bin++;
        for (int k = 0; k < MEMORY_KINDS; k++)
            m->kind_bins[k][h->bin] = h->now[k];
    }
}

static void hold(struct held *h, const struct memory_peak *m, enum memory_kind k,
                 int64_t bytes)
{
    h->now[k] += bytes;
    if (h->now[k] > m->kind_bins[k][h->bin])
        m->kind_bins[k][h->bin] = h->now[k];
}

/* What was there before is what the totals have beside the records, at the peak; what
 * of it is freed later goes then. */
static void fill_bins(struct arena *perm, struct arena tmp, const struct records *r,
                      const struct points *p, struct memory_peak *m)
{
    uint8_t *kind = arena_take_raw(&tmp, 1, 1, r->n); /* of an allocation */
    struct held h = {{0}, -1};
    for (int k = 0; k < MEMORY_KINDS; k++)
        m->kind_bins[k] = arena_take_raw(perm, sizeof(int64_t), 8, MEMORY_BINS);
    h.now[MEMORY_BEFORE] = m->kind_bytes[MEMORY_BEFORE];
    for (int32_t k = 0; k <= r->peak; k++)
        if (at(r, k)->bytes < 0 && r->of[k] < 0)
            h.now[MEMORY_BEFORE] -= at(r, k)->bytes;
    for (int32_t k = 0; k < r->n; k++) {
        to_bin(&h, m, bin_at(m, at(r, k)->at_ns - at(r, 0)->at_ns));
        if (r->of[k] >= 0)
            hold(&h, m, (enum memory_kind)kind[r->of[k]], -at(r, r->of[k])->bytes);
        else if (at(r, k)->bytes < 0)
            hold(&h, m, MEMORY_BEFORE, at(r, k)->bytes);
        if (allocates(r, k)) {
            kind[k] = (uint8_t)kind_of(r, p, &p->at[p->by_row[k]]);
            hold(&h, m, (enum memory_kind)kind[k], at(r, k)->bytes);
        }
    }
    to_bin(&h, m, MEMORY_BINS - 1);
}

/* Above the lowest sum, which is that of the beginning or below it. */
static void fill_above(struct arena *perm, const struct records *r,
                       struct memory_peak *m)
{
    int64_t sum = 0, low = 0;
    int last = 0;
    for (int32_t k = 0; k < r->n; k++) {
        sum += at(r, k)->bytes;
        low = sum < low ? sum : low;
    }
    m->above_bins = arena_new(perm, int64_t, MEMORY_BINS);
    m->above_bins[0] = sum = -low;
    for (int32_t k = 0; k < r->n; k++) {
        int bin = bin_at(m, at(r, k)->at_ns - at(r, 0)->at_ns);
        while (last < bin)
            m->above_bins[++last] = sum;
        sum += at(r, k)->bytes;
        if (sum > m->above_bins[bin])
            m->above_bins[bin] = sum;
        if (sum > m->above_most)
            m->above_most = sum;
    }
    while (last < MEMORY_BINS - 1)
        m->above_bins[++last] = sum;
}

const struct memory_peak *memory_peak_of(struct arena *perm, struct arena tmp,
                                         const struct trace_view *v)
{
    const struct memory_record *of = busiest(v->s);
    if (!of)
        return NULL;
    struct records r = records_of(&tmp, v->s, of);
    struct memory_peak *m = arena_new(perm, struct memory_peak, 1);
    m->n_records = r.n;
    m->reserved_most = -1;
    find_peak(&r, m);
    if (m->peak_bytes < 0)
        fill_above(perm, &r, m);
    if (r.peak < 0)
        return m;
    match(&tmp, &r);
    struct points p = points_of(&tmp, &r);
    if (!find_places(v->s, &p))
        return m;
    put_owners(perm, &r, &p, m);
    if (m->n_owners) {
        put_modules(perm, &r, &p, m);
        fill_bins(perm, tmp, &r, &p, m);
    }
    return m;
}
