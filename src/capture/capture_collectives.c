/* The collectives of a capture, with their groups and signatures. */
#include "analysis/trace_analyse.h"
#include "base/name_pool.h"
#include "base/out.h"
#include "base/sort.h"
#include "capture/capture.h"
#include "capture/capture_parts.h"
#include "kernels/collective_kind.h"
#include "kernels/kernel_name.h"
#include "ops/trace_view.h"
#include "trace/json_value.h"
#include "tree/annotation_index.h"

#include <stdlib.h>

/* What a trace says of one collective: in the arguments of its
 * kernel, of the operator that launched it, or of the annotation around the launch; and
 * at last in the kernel's name. Each field is from the first of these that has it. */
struct collective_facts {
    enum collective_kind kind;
    struct capture_signature s; /* its group and kind are not set */
    struct str group_name, group_description, group_ranks; /* ranks: "[0, 1]" */
    int64_t group_size, first_rank, stride;                /* -1: not recorded */
    int64_t sequence, issue_ns;
    enum sequence_source sequence_source;
    int32_t peer; /* of a send or receive; -1 */
};

enum { LEVELS_MAX = 16 }; /* between a launch and the operator that describes it */

static event_id describing_operator(const struct trace_view *v, event_id call)
{
    for (int k = 0; call >= 0 && k < LEVELS_MAX;
         k++, call = tree_parent(&v->tree, call))
        if (str_eq(store_name(v->s, call), S("record_param_comms")))
            return call;
    return -1;
}

static int64_t whole(const struct value *v)
{
    int64_t n;
    if (value_is_whole(v) && v->number >= 0 && v->number < 9e15)
        return (int64_t)v->number;
    return str_int(value_text(v), &n) && n >= 0 ? n : -1;
}

/* A count or a rank; -1: not recorded, or nothing that it can be. */
static void take_number(int64_t *to, int64_t n)
{
    if (*to < 0 && n >= 0 && n < (int64_t)9e15)
        *to = n;
}

static void take_rank(int32_t *to, int64_t n)
{
    if (*to < 0 && n >= 0 && n < INT32_MAX)
        *to = (int32_t)n;
}

static void take_text(struct str *to, struct str text)
{
    if (!to->n)
        *to = text;
}

/* Of a kernel, or of an operator. */
static void read_described(struct collective_facts *f, const struct collective *c,
                           enum fact_source from)
{
    struct capture_signature *s = &f->s;
    bool had_size = s->in_elements >= 0;
    take_text(&s->name, c->name);
    if (f->kind == COLLECTIVE_UNKNOWN && s->name.n) {
        f->kind = c->kind;
        s->kind_source = from;
    }
    take_number(&s->in_elements, c->in_elements);
    if (!had_size && s->in_elements >= 0)
        s->size_source = from;
    take_number(&s->out_elements, c->out_elements);
    take_text(&s->dtype, c->dtype);
    take_text(&s->in_split, c->in_split);
    take_text(&s->out_split, c->out_split);
    take_text(&f->group_name, c->group_name);
    take_text(&f->group_description, c->group_description);
    take_text(&f->group_ranks, c->group_ranks);
    take_number(&f->group_size, c->group_size);
    take_number(&f->first_rank, c->first_rank);
    take_number(&f->stride, c->stride);
    take_rank(&s->root, c->root);
    take_rank(&f->peer, f->kind == COLLECTIVE_SEND ? c->target : c->source);
}

/* Where the operator has its arguments as values: the second is the number of the
 * collective in its group, or the first where no tensors come before it. */
static int64_t recorded_sequence(const struct value *concrete)
{
    for (int i = 1; i >= 0; i--) {
        int64_t n = whole(value_at(concrete, i));
        if (n >= 0 && value_count(concrete) >= 8)
            return n;
    }
    return -1;
}

/* The elements of all tensors among the first argument. */
static int64_t elements_of(const struct value *dims)
{
    int64_t n = value_count(dims) ? 1 : -1;
    for (int i = 0; i < value_count(dims); i++) {
        const struct value *d = value_at(dims, i);
        if (!value_is_whole(d) || d->number < 0 || d->number > 1e12)
            return -1;
        n = n > INT64_MAX / 1000000000000 ? -1 : n * (int64_t)d->number;
        if (n < 0)
            return -1;
    }
    return n;
}

static void read_annotation(struct collective_facts *f, const struct event_store *s,
                            event_id note)
{
    struct call_args a = store_args(s, store_texts(s, note));
    if (f->kind == COLLECTIVE_UNKNOWN) {
        f->kind = collective_kind_of(str_skip(store_name(s, note), 5));
        f->s.kind_source = FACT_ANNOTATION;
    }
    if (f->s.in_elements < 0 && value_count(a.dims)) {
        f->s.in_elements = elements_of(value_at(a.dims, 0));
        if (f->s.in_elements >= 0)
            f->s.size_source = FACT_ANNOTATION;
    }
    if (!f->s.dtype.n)
        f->s.dtype = value_text(value_at(a.types, 0));
}

/* A function of NCCL or of RCCL, recorded by a profiler that does not know what it is
 * given: its name tells more than that of a kernel for everything. */
static void read_library_call(struct collective_facts *f, const struct trace_view *v,
                              event_id call)
{
    for (int k = 0; call >= 0 && k < LEVELS_MAX && f->kind == COLLECTIVE_UNKNOWN;
         k++, call = tree_parent(&v->tree, call)) {
        struct str name = store_name(v->s, call);
        if (str_starts(name, S("nccl")) && !str_starts(name, S("ncclGroup"))) {
            f->kind = collective_kind_of(name);
            f->s.kind_source = FACT_OPERATOR;
        }
    }
}

static void read_name(struct collective_facts *f, struct str kernel)
{
    f->s.custom = !kernel_has(kernel, MARK_NCCL);
    if (f->kind != COLLECTIVE_UNKNOWN)
        return;
    f->kind = collective_kind_of(kernel);
    f->s.kind_source = FACT_NAME;
}

static struct collective_facts collective_facts_of(const struct trace_view *v,
                                                   const struct annotation_index *x,
                                                   event_id gpu)
{
    const struct event_store *s = v->s;
    struct collective_facts f = {
        .s = {.in_elements = -1, .out_elements = -1, .root = -1},
        .peer = -1,
        .group_size = -1,
        .first_rank = -1,
        .stride = -1,
        .sequence = store_comms_sequence(s, gpu),
        .issue_ns = -1};
    const struct op_texts *own = store_texts(s, gpu);
    event_id call = launch_call(&v->launch, gpu), op = describing_operator(v, call);
    read_described(&f, store_collective(s, own), FACT_KERNEL);
    if (op >= 0) {
        const struct op_texts *t = store_texts(s, op);
        struct call_args a = store_args(s, t);
        read_described(&f, store_collective(s, t), FACT_OPERATOR);
        if (f.sequence < 0)
            f.sequence = store_comms_sequence(s, op);
        if (f.sequence < 0)
            f.sequence = recorded_sequence(a.concrete);
    }
    event_id note =
        call < 0 ? -1 : annotation_at(x, s, s->lane[call], s->start_ns[call]);
    if (note >= 0)
        read_annotation(&f, s, note);
    read_library_call(&f, v, call);
    read_name(&f, store_name(s, gpu));
    if (call >= 0)
        f.issue_ns = s->start_ns[gpu] - s->start_ns[call];
    if (f.sequence >= 0)
        f.sequence_source = SEQUENCE_NUMBER;
    else
        f.sequence = -1;
    return f;
}

enum { RANKS_MAX = 1 << 20 };

/* Groups and signatures, each once. */
struct names {
    struct arena *perm;
    struct capture_ranks *r;
    const struct machine *machine;
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
static bool configured_ranks(struct arena *perm, const struct machine *m,
                             struct capture_group *g)
{
    for (int i = 0; i < m->n_groups; i++)
        if (str_eq(m->groups[i].name, g->name) &&
            read_ranks(perm, m->groups[i].ranks, g, "configuration"))
            return true;
    return false;
}

static void find_ranks(struct names *n, const struct collective_facts *f,
                       struct capture_group *g)
{
    bool is_cut = str_has(f->group_ranks, S("..."));
    if (f->group_ranks.n && !is_cut &&
        read_ranks(n->perm, json_value(n->perm, f->group_ranks), g, "collective"))
        return;
    if (g->name.n && configured_ranks(n->perm, n->machine, g))
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
    struct collective_facts f = collective_facts_of(v, notes, gpu);
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
    struct names names = {.perm = perm, .r = r, .machine = &t->store.machine};
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
