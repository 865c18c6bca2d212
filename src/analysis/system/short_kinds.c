#include "analysis/system/short_kinds.h"

#include "analysis/system/short_gaps.h"

struct sums {
    int64_t ns[SHORT_KINDS], gaps[SHORT_KINDS], runs[SHORT_KINDS];
};

static enum short_kind kind_of(const struct named_spans *zeros,
                               const struct host_time *host, const struct gap_row *gap)
{
    const struct event_store *s = host->t->v->s;
    event_id call = view_issue(host->t->v, gap->after);
    return named_spans_hold(zeros, s, call)                  ? SHORT_ZEROS
           : host_time_in_compiled(host, call)               ? SHORT_COMPILED
           : role_way(store_role(s, gap->after)) == COPY_H2D ? SHORT_SENT
                                                             : SHORT_LAUNCH;
}

/* A tenth of all and more, and as much beside it. */
static bool is_part(int64_t ns, int64_t all_ns)
{
    return 10 * ns >= all_ns && 10 * (all_ns - ns) >= all_ns;
}

/* Long passes of both kinds follow each other. Where a compiler gives up again and
 * again, the launches between are of the same cause. */
static bool are_passes(const struct sums *x)
{
    enum { LEAST = 16 };
    return x->gaps[SHORT_LAUNCH] + x->gaps[SHORT_SENT] >=
               LEAST * x->runs[SHORT_LAUNCH] &&
           x->gaps[SHORT_COMPILED] >= LEAST * x->runs[SHORT_COMPILED];
}

static struct named_spans zeros_of(struct arena *perm, const struct event_store *s)
{
    for (int32_t k = 0; k < s->names.n; k++)
        if (str_starts(pool_text(&s->names, k), S("Optimizer.zero_grad")))
            return named_spans_of(perm, s, CAT_ANNOTATION, "optimizer.zero_grad");
    return (struct named_spans){NULL, 0};
}

struct short_kinds short_kinds_find(struct arena *perm, const struct host_time *host,
                                    const struct idle_gaps *g)
{
    const struct trace_view *v = host->t->v;
    struct short_kinds k = {.zeros = zeros_of(perm, v->s)};
    struct sums x = {{0}, {0}, {0}};
    enum short_kind last = SHORT_KINDS;
    for (int32_t i = 0; i < g->n; i++) {
        if (!gap_is_launch(v, &g->rows[i]))
            continue;
        enum short_kind kind = kind_of(&k.zeros, host, &g->rows[i]);
        x.ns[kind] += g->rows[i].dur_ns;
        x.gaps[kind]++;
        x.runs[kind] += kind != last;
        last = kind == SHORT_ZEROS ? last : kind;
    }
    int64_t rest_ns = x.ns[SHORT_LAUNCH] + x.ns[SHORT_COMPILED] + x.ns[SHORT_SENT];
    k.apart[SHORT_SENT] = x.ns[SHORT_SENT] > 0 && 2 * x.ns[SHORT_SENT] >= rest_ns;
    k.apart[SHORT_ZEROS] = is_part(x.ns[SHORT_ZEROS], rest_ns + x.ns[SHORT_ZEROS]);
    k.apart[SHORT_COMPILED] = is_part(x.ns[SHORT_COMPILED], rest_ns) && are_passes(&x);
    return k;
}

enum short_kind short_kind_of(const struct short_kinds *k, const struct host_time *host,
                              const struct gap_row *gap)
{
    enum short_kind kind = kind_of(&k->zeros, host, gap);
    return k->apart[kind] ? kind : SHORT_LAUNCH;
}
