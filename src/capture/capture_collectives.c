/* The collectives of a capture, with their groups and signatures. */
#include "analysis/trace_analyse.h"
#include "base/name_pool.h"
#include "base/out.h"
#include "base/sort.h"
#include "capture/capture_parts.h"
#include "capture/collective_facts.h"
#include "trace/json_value.h"

#include <stdlib.h>

enum { RANKS_MAX = 1 << 20 };

/* Groups and signatures, each once. */
struct names {
    struct arena *perm;
    struct capture_ranks *r;
    const struct value *header;
    struct name_pool groups, signatures;
};

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The ranks of a list, ascending and distinct; false if it holds anything else. */
static bool read_ranks(struct arena *perm, const struct value *list,
                       struct capture_group *g, const char *source)
{
    int n = value_count(list), kept = 0;
    int32_t *ranks = arena_new(perm, int32_t, n);
    for (int i = 0; i < n; i++) {
        const struct value *v = value_at(list, i);
        if (!value_is_whole(v) || v->number < 0 || v->number > RANKS_MAX)
            return false;
        ranks[i] = (int32_t)v->number;
    }
    qsort(ranks, (size_t)n, sizeof *ranks, by_value);
    for (int i = 0; i < n; i++)
        if (!kept || ranks[i] != ranks[kept - 1])
            ranks[kept++] = ranks[i];
    if (!kept)
        return false;
    g->ranks = ranks;
    g->n_ranks = kept;
    g->source = str_of(source);
    return true;
}

/* Of the configuration in the head of the file, which is never cut. */
static bool configured_ranks(struct arena *perm, const struct value *header,
                             struct capture_group *g)
{
    const struct value *job = value_get(header, "distributedInfo");
    const struct value *groups = value_get(job, "pg_config");
    for (int i = 0; i < value_count(groups); i++) {
        const struct value *one = value_at(groups, i);
        if (str_eq(value_text(value_get(one, "pg_name")), g->name) &&
            read_ranks(perm, value_get(one, "ranks"), g, "configuration"))
            return true;
    }
    return false;
}

static void find_ranks(struct names *n, const struct collective_facts *f,
                       struct capture_group *g)
{
    bool is_cut = str_has(f->group_ranks, S("..."));
    if (f->group_ranks.n && !is_cut &&
        read_ranks(n->perm, json_value(n->perm, f->group_ranks), g, "collective"))
        return;
    if (g->name.n && configured_ranks(n->perm, n->header, g))
        return;
    if (f->first_rank < 0 || f->stride < 1 || g->size < 1 || g->size > RANKS_MAX ||
        f->first_rank > RANKS_MAX || f->stride > RANKS_MAX / g->size)
        return;
    int32_t *ranks = arena_new(n->perm, int32_t, g->size);
    for (; g->n_ranks < g->size; g->n_ranks++)
        ranks[g->n_ranks] = (int32_t)(f->first_rank + f->stride * g->n_ranks);
    g->ranks = ranks;
    g->source = S("first rank and stride");
}

/* Names are not unique; with the ranks they are. */
static uint64_t key_of(const struct capture_group *g)
{
    struct out o;
    out_memory(&o);
    out_str(&o, g->name);
    for (int i = 0; i < g->n_ranks; i++)
        out_printf(&o, " %d", g->ranks[i]);
    uint64_t key = str_hash(out_view(&o));
    out_free(&o);
    return key;
}

static int32_t group_row(struct names *n, const struct collective_facts *f)
{
    struct capture_ranks *r = n->r;
    struct str key = str_printf(n->perm, "%.*s\1%.*s\1%.*s\1%lld\1%lld\1%lld",
                                STRF(f->group_name), STRF(f->group_description),
                                STRF(f->group_ranks), (long long)f->group_size,
                                (long long)f->first_rank, (long long)f->stride);
    name_id id = pool_add(&n->groups, key);
    if (id < r->n_groups)
        return id;
    arena_grow(n->perm, r->groups, r->n_groups);
    struct capture_group *g = &r->groups[r->n_groups++];
    *g = (struct capture_group){.name = f->group_name,
                                .description = f->group_description,
                                .size = f->group_size > 0 && f->group_size < RANKS_MAX
                                            ? (int32_t)f->group_size
                                            : 0};
    find_ranks(n, f, g);
    if (!g->size)
        g->size = g->n_ranks;
    g->key = key_of(g);
    return id;
}

static int32_t signature_row(struct names *n, const struct collective_facts *f)
{
    struct capture_ranks *r = n->r;
    const struct capture_signature *s = &f->s;
    int32_t group = group_row(n, f);
    struct str key = str_printf(
        n->perm, "%d %d %lld %lld %d %d\1%.*s\1%.*s\1%.*s\1%.*s", group, f->kind,
        (long long)s->in_elements, (long long)s->out_elements, s->root, s->custom,
        STRF(s->name), STRF(s->dtype), STRF(s->in_split), STRF(s->out_split));
    name_id id = pool_add(&n->signatures, key);
    if (id < r->n_signatures)
        return id;
    arena_grow(n->perm, r->signatures, r->n_signatures);
    struct capture_signature *made = &r->signatures[r->n_signatures++];
    *made = *s;
    made->group = group;
    made->kind = collective_word(f->kind);
    return id;
}

/* Communication by start; and the time of all other kernels. */
static event_id *by_start(struct arena *a, const struct trace_view *v, int32_t *n,
                          int64_t *kernel_ns)
{
    const struct launch_link *l = &v->launch;
    event_id *comms = arena_take_raw(a, sizeof *comms, 4, l->n_all);
    struct arena tmp = *a;
    struct sort_row *order = arena_take_raw(&tmp, sizeof *order, 8, l->n_all);
    *n = 0;
    for (int32_t k = 0; k < l->n_all; k++) {
        event_id g = l->all[k];
        enum gpu_class class = view_class(v, g);
        if (class == GPU_COMPUTE)
            *kernel_ns += store_dur_ns(v->s, g);
        else if (class == GPU_COMMUNICATION)
            order[(*n)++] = (struct sort_row){v->s->start_ns[g], g};
    }
    sort_rows(tmp, order, *n);
    for (int32_t k = 0; k < *n; k++)
        comms[k] = order[k].row;
    return comms;
}

static struct capture_collective row_of(struct names *names, const struct trace_view *v,
                                        const struct annotation_index *notes,
                                        event_id gpu, bool *to_peer)
{
    struct collective_facts f = collective_facts_of(names->perm, v, notes, gpu);
    *to_peer = f.kind == COLLECTIVE_SEND || f.kind == COLLECTIVE_RECV;
    return (struct capture_collective){.signature = signature_row(names, &f),
                                       .stream = (int32_t)view_stream(v->s, gpu),
                                       .start_ns = v->s->start_ns[gpu],
                                       .dur_ns = store_dur_ns(v->s, gpu),
                                       .sequence = f.sequence < 0 ? 0 : f.sequence,
                                       .sequence_source = f.sequence_source,
                                       .peer = f.peer,
                                       .issue_ns = f.issue_ns};
}

void capture_find_collectives(struct arena *perm, struct arena tmp,
                              const struct trace_result *t, struct capture *c)
{
    const struct trace_view *v = &t->view;
    struct capture_ranks *r = &c->ranks;
    int32_t n;
    event_id *comms = by_start(&tmp, v, &n, &r->kernel_ns);
    if (!n)
        return;
    struct annotation_index notes = annotations_index(perm, tmp, v->s);
    struct names names = {.perm = perm, .r = r, .header = t->store.header};
    pool_open(&names.groups);
    pool_open(&names.signatures);
    r->collectives = arena_new(perm, struct capture_collective, n);
    for (int32_t i = 0; i < n; i++) {
        bool to_peer;
        struct capture_collective row = row_of(&names, v, &notes, comms[i], &to_peer);
        if (to_peer) {
            arena_grow(perm, r->p2p, r->n_p2p);
            r->p2p[r->n_p2p++] = row;
        } else {
            r->collectives[r->n_collectives++] = row;
        }
    }
    pool_close(&names.groups);
    pool_close(&names.signatures);
}
