#include "capture/collective_facts.h"

#include "base/out.h"
#include "base/python_text.h"

enum { LEVELS_MAX = 16 }; /* between a launch and the operator that describes it */

struct annotation_index annotations_index(struct arena *perm, struct arena tmp,
                                          const struct event_store *s)
{
    struct annotation_index x = {.notes = tree_build(perm, tmp, s, TREE_ANNOTATIONS)};
    x.first = arena_new(perm, int32_t, s->n_lanes + 1);
    for (int32_t k = 0; k < x.notes.n_order; k++)
        x.first[s->lane[x.notes.order[k]] + 1]++;
    for (int32_t l = 0; l < s->n_lanes; l++)
        x.first[l + 1] += x.first[l];
    return x;
}

/* The innermost "nccl:" annotation of a thread around a time; -1. */
static event_id annotation_at(const struct annotation_index *x,
                              const struct event_store *s, int32_t lane, int64_t at_ns)
{
    int32_t low = x->first[lane], high = x->first[lane + 1], begin = low;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (s->start_ns[x->notes.order[mid]] <= at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    event_id i = low > begin ? x->notes.order[low - 1] : -1;
    for (int k = 0; i >= 0 && k < LEVELS_MAX; k++, i = tree_parent(&x->notes, i))
        if (store_end_ns(s, i) >= at_ns && str_starts(store_name(s, i), S("nccl:")))
            return i;
    return -1;
}

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

static void take_number(int64_t *to, const struct value *map, const char *key)
{
    if (*to < 0)
        *to = whole(value_get(map, key));
}

static void take_text(struct arena *perm, struct str *to, const struct value *map,
                      const char *key)
{
    const struct value *v = value_get(map, key);
    if (to->n || !v)
        return;
    if (v->kind == VALUE_TEXT) {
        *to = value_text(v);
    } else if (v->kind == VALUE_LIST) {
        struct out o;
        out_memory(&o);
        python_value(&o, v, true);
        *to = out_text(&o, perm);
    }
}

/* Of a kernel, or of an operator. */
static void read_map(struct arena *perm, struct collective_facts *f,
                     const struct value *map, enum fact_source from)
{
    struct capture_signature *s = &f->s;
    int64_t src = -1, dst = -1, root = -1;
    if (!value_is(map, VALUE_MAP))
        return;
    take_text(perm, &s->name, map, "Collective name");
    if (f->kind == COLLECTIVE_UNKNOWN && s->name.n) {
        f->kind = collective_kind_of(s->name);
        s->kind_source = from;
    }
    if (s->in_elements < 0 && whole(value_get(map, "In msg nelems")) >= 0)
        s->size_source = from;
    take_number(&s->in_elements, map, "In msg nelems");
    take_number(&s->out_elements, map, "Out msg nelems");
    take_text(perm, &s->dtype, map, "dtype");
    take_text(perm, &s->in_split, map, "In split size");
    take_text(perm, &s->out_split, map, "Out split size");
    take_text(perm, &f->group_name, map, "Process Group Name");
    take_text(perm, &f->group_description, map, "Process Group Description");
    take_text(perm, &f->group_ranks, map, "Process Group Ranks");
    take_number(&f->group_size, map, "Group size");
    take_number(&f->first_rank, map, "Global rank start");
    take_number(&f->stride, map, "Global rank stride");
    take_number(&src, map, "Src Rank");
    take_number(&dst, map, "Dst Rank");
    take_number(&root, map, "Root rank");
    int64_t peer = f->kind == COLLECTIVE_SEND ? dst : src;
    if (f->peer < 0 && peer >= 0 && peer < INT32_MAX)
        f->peer = (int32_t)peer;
    if (s->root < 0 && root >= 0 && root < INT32_MAX)
        s->root = (int32_t)root;
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

static bool is_of_library(struct str name)
{
    return str_has_nocase(name, S("nccl")) || str_has_nocase(name, S("rccl"));
}

static void read_name(struct collective_facts *f, struct str kernel)
{
    f->s.custom = !is_of_library(kernel);
    if (f->kind != COLLECTIVE_UNKNOWN)
        return;
    f->kind = collective_kind_of(kernel);
    f->s.kind_source = FACT_NAME;
}

struct collective_facts collective_facts_of(struct arena *perm,
                                            const struct trace_view *v,
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
    if (own)
        read_map(perm, &f, store_value(s, own->rest), FACT_KERNEL);
    if (op >= 0) {
        const struct op_texts *t = store_texts(s, op);
        struct call_args a = store_args(s, t);
        read_map(perm, &f, a.extra, FACT_OPERATOR);
        if (f.sequence < 0)
            f.sequence = store_comms_sequence(s, op);
        if (f.sequence < 0)
            f.sequence = recorded_sequence(a.concrete);
    }
    event_id note =
        call < 0 ? -1 : annotation_at(x, s, s->lane[call], s->start_ns[call]);
    if (note >= 0)
        read_annotation(&f, s, note);
    read_name(&f, store_name(s, gpu));
    if (call >= 0)
        f.issue_ns = s->start_ns[gpu] - s->start_ns[call];
    if (f.sequence >= 0)
        f.sequence_source = SEQUENCE_NUMBER;
    else
        f.sequence = -1;
    return f;
}
