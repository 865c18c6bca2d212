#include "ops/work_traits.h"

#include "base/int_map.h"
#include "base/str_pairs.h"
#include "kernels/kernel_name.h"
#include "ops/op_calls.h"
#include "ops/trace_view.h"

#include <stdlib.h>

/* What a name says of a device event. */
static uint8_t own_traits(struct str name)
{
    static const struct {
        enum kernel_mark mark;
        enum work_trait trait;
    } same[] = {
        {MARK_COMPILED, TRAIT_COMPILED},     {MARK_FUSED_ATTENTION, TRAIT_ATTENTION},
        {MARK_FUSED_EXPERTS, TRAIT_EXPERTS}, {MARK_LAYOUT, TRAIT_TRANSPOSE},
        {MARK_PINNED, TRAIT_PINNED},         {MARK_PAGEABLE, TRAIT_PAGEABLE}};
    unsigned marks = kernel_name_of(name).marks, traits = 0;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        traits |= marks & same[i].mark ? (unsigned)same[i].trait : 0;
    return (uint8_t)traits;
}

/* And what that of a host event says of what runs below it. */
static uint8_t traits_below(struct str name)
{
    struct str_pairs pairs = str_pairs_of(name);
    bool backward = str_pairs_has(&pairs, S("autograd::engine")) ||
                    str_pairs_has(&pairs, S("AccumulateGrad"));
    return (uint8_t)((kernel_name_is_compiled(&pairs) ? TRAIT_COMPILED : 0) |
                     (backward ? TRAIT_BACKWARD : 0));
}

/* Each name is asked once. */
struct names_asked {
    const struct event_store *s;
    uint8_t (*ask)(struct str name);
    struct known_traits {
        bool known;
        uint8_t traits;
    } * of;
};

static struct names_asked ask_names(struct arena *a, const struct event_store *s,
                                    uint8_t (*ask)(struct str name))
{
    return (struct names_asked){s, ask,
                                arena_new(a, struct known_traits, s->names.n + 1)};
}

static uint8_t name_traits(const struct names_asked *n, event_id i)
{
    struct known_traits *of = &n->of[n->s->name[i]];
    if (!of->known)
        *of = (struct known_traits){true, n->ask(store_name(n->s, i))};
    return of->traits;
}

/* Host events that say something of what runs below them: by lane, then by start. */
struct region {
    int64_t start_ns, end_ns;
    int32_t lane;
    uint8_t traits;
};
struct regions {
    struct region *at;
    int32_t n;
};

static int by_lane_then_start(const void *x, const void *y)
{
    const struct region *a = x, *b = y;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static struct regions all_regions(struct arena *tmp, const struct event_store *s)
{
    struct regions r = {0};
    struct names_asked names = ask_names(tmp, s, traits_below);
    for (event_id i = 0; i < s->n; i++) {
        uint8_t traits =
            cat_is_gpu(s->cat[i]) || s->name[i] < 0 ? 0 : name_traits(&names, i);
        if (!traits)
            continue;
        arena_grow(tmp, r.at, r.n);
        r.at[r.n++] =
            (struct region){s->start_ns[i], store_end_ns(s, i), s->lane[i], traits};
    }
    return r;
}

/* Those no further apart than apart_ns become one. */
static struct regions regions_of(struct arena *tmp, const struct regions *all,
                                 uint8_t trait, int64_t apart_ns)
{
    struct regions r = {.at = arena_take_raw(tmp, sizeof *r.at, 8, all->n)};
    int32_t n = 0;
    for (int32_t k = 0; k < all->n; k++)
        if (all->at[k].traits & trait)
            r.at[n++] = all->at[k];
    if (!n)
        return r;
    qsort(r.at, (size_t)n, sizeof *r.at, by_lane_then_start);
    for (int32_t k = 0; k < n; k++) {
        struct region *last = r.n ? &r.at[r.n - 1] : NULL;
        if (last && last->lane == r.at[k].lane &&
            r.at[k].start_ns - last->end_ns <= apart_ns)
            last->end_ns =
                r.at[k].end_ns > last->end_ns ? r.at[k].end_ns : last->end_ns;
        else
            r.at[r.n++] = r.at[k];
    }
    return r;
}

static bool is_inside(const struct regions *r, const struct event_store *s, event_id i)
{
    int32_t lo = 0, hi = r->n; /* the first region that starts after it */
    struct region x = {s->start_ns[i], INT64_MAX, s->lane[i], 0};
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (by_lane_then_start(&r->at[mid], &x) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo > 0 && r->at[lo - 1].lane == x.lane && r->at[lo - 1].end_ns > x.start_ns;
}

static void sum_up(const struct trace_view *v, struct work_traits *w)
{
    const struct event_store *s = v->s;
    event_id last = -1;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], call = launch_call(&v->launch, gpu);
        uint8_t t = w->of[gpu];
        int64_t ns = store_dur_ns(s, gpu);
        w->n_launches += call >= 0 && call != last;
        last = call >= 0 ? call : last;
        if (s->cat[gpu] == CAT_MEMCPY) {
            w->n_pinned += (t & TRAIT_PINNED) != 0;
            w->n_pageable += (t & TRAIT_PAGEABLE) != 0;
        }
        if (s->cat[gpu] != CAT_KERNEL)
            continue;
        w->n_kernels++;
        w->kernel_ns += ns;
        w->compiled_ns += t & TRAIT_COMPILED ? ns : 0;
        w->replayed_ns += t & TRAIT_REPLAYED ? ns : 0;
        w->attention_ns += t & TRAIT_ATTENTION ? ns : 0;
        w->experts_ns += t & TRAIT_EXPERTS ? ns : 0;
        w->training = w->training || t & TRAIT_BACKWARD;
    }
}

/* Calls whose name and shapes occur more than once: what a recorded graph can repeat.
 */
static void look_at_shapes(struct arena tmp, const struct trace_view *v,
                           const struct op_calls *calls, struct work_traits *w)
{
    const struct event_store *s = v->s;
    struct int_map seen = int_map_make(&tmp, 256);
    int32_t *n = arena_new(&tmp, int32_t, calls->n + 1);
    int64_t *ns = arena_new(&tmp, int64_t, calls->n + 1);
    int32_t kinds = 0;
    for (int32_t k = 0; k < calls->n; k++) {
        const struct op_texts *t = store_texts(s, calls->rows[k].event);
        if (!t || t->dims < 0)
            continue;
        int64_t key = (int64_t)s->name[calls->rows[k].event] << 32 | (uint32_t)t->dims;
        int32_t *at = int_map_at(&seen, &tmp, key);
        if (*at < 0)
            *at = kinds++;
        n[*at]++;
        ns[*at] += calls->rows[k].direct_ns;
    }
    for (int32_t k = 0; k < kinds; k++)
        w->repeated_ns += n[k] > 1 ? ns[k] : 0;
    for (int32_t i = 0; i < s->n_texts && !w->has_strides; i++)
        w->has_strides = s->texts[i].strides >= 0;
}

/* Between two of its nodes, the thread of a backward pass runs what hooks on it. */
enum { SAME_PASS_NS = 100000 };

struct work_traits work_traits_of(struct arena *perm, struct arena tmp,
                                  const struct trace_view *v,
                                  const struct op_calls *calls)
{
    const struct event_store *s = v->s;
    uint8_t *of = arena_new(perm, uint8_t, s->n + 1);
    struct work_traits w = {.of = of, .training = v->backward.n_links > 0};
    struct regions all = all_regions(&tmp, s),
                   compiled = regions_of(&tmp, &all, TRAIT_COMPILED, 0),
                   backward = regions_of(&tmp, &all, TRAIT_BACKWARD, SAME_PASS_NS);
    struct names_asked names = ask_names(&tmp, s, own_traits);
    for (int32_t k = 0; k < v->launch.n_all; k++) {
        event_id gpu = v->launch.all[k], call = v->launch.call[k];
        uint8_t t = s->name[gpu] >= 0 ? name_traits(&names, gpu) : 0;
        if (call >= 0) {
            t |= launch_is_graph(s, call) ? TRAIT_REPLAYED : 0;
            t |= is_inside(&compiled, s, call) ? TRAIT_COMPILED : 0;
            t |= is_inside(&backward, s, call) ? TRAIT_BACKWARD : 0;
        }
        of[gpu] = t;
    }
    sum_up(v, &w);
    look_at_shapes(tmp, v, calls, &w);
    return w;
}
