/* What a comparison should know of the machine and the recording. */
#include "analysis/trace_analyse.h"
#include "base/arena.h"
#include "capture/capture_parts.h"
#include "capture/rank_of_path.h"

enum { LINES_MAX = 24 };

struct lines {
    struct arena *perm;
    struct capture *c;
};

static void line(struct lines *l, const char *what, struct str value)
{
    l->c->setup[l->c->n_setup++] = (struct capture_setup_line){str_of(what), value};
}

static struct str number(struct arena *perm, const struct value *v)
{
    if (!v)
        return S("");
    if (v->kind == VALUE_TEXT)
        return value_text(v);
    return v->kind == VALUE_NUMBER || v->kind == VALUE_BOOL
               ? str_printf(perm, "%.15g", v->number)
               : S("");
}

static struct str yes_no(bool is)
{
    return is ? S("yes") : S("no");
}

static const struct value *first_of(const struct value *header, const char *a,
                                    const char *b)
{
    const struct value *v = value_get(header, a);
    return v ? v : value_get(header, b);
}

static void machine(struct lines *l, const struct value *header)
{
    const struct value *device = value_at(value_get(header, "deviceProperties"), 0);
    const struct value *memory = value_get(device, "totalGlobalMem");
    line(l, "device", value_text(value_get(device, "name")));
    line(l, "multiprocessors", number(l->perm, value_get(device, "numSms")));
    line(l, "device memory",
         value_is(memory, VALUE_NUMBER)
             ? str_printf(l->perm, "%.1f GB", memory->number / 1e9)
             : S(""));
    line(
        l, "driver",
        number(l->perm, first_of(header, "cuda_driver_version", "hip_driver_version")));
    line(l, "runtime",
         number(l->perm,
                first_of(header, "cuda_runtime_version", "hip_runtime_version")));
}

static void recording(struct lines *l, const struct trace_facts *f)
{
    const struct value *job = value_get(f->header, "distributedInfo");
    line(l, "ranks", number(l->perm, value_get(job, "world_size")));
    line(l, "rank", number(l->perm, value_get(job, "rank")));
    line(l, "shapes recorded", yes_no(f->has_shapes));
    line(l, "Python frames recorded", yes_no(f->has_frames));
    const struct value *memory = value_get(f->header, "profile_memory");
    line(l, "memory recorded", memory ? yes_no(value_truth(memory)) : S(""));
    line(l, "operators recorded", yes_no(f->has_cpu_op));
    line(l, "GPU graphs replayed", yes_no(f->graph_launches > 0));
}

static int rank_or(const struct value *v)
{
    return value_is_whole(v) && v->number >= 0 && v->number < INT32_MAX ? (int)v->number
                                                                        : -1;
}

/* A file that a tool made of the traces of several ranks. */
static bool holds_several_ranks(const struct event_store *s)
{
    struct str first = S("");
    for (int32_t i = 0; i < s->n_lanes; i++) {
        struct str name = pool_text(&s->names, s->lanes[i].process_name);
        ptrdiff_t dash = str_find(name, S(" - "));
        if (!str_starts(name, S("RANK ")) || dash < 0)
            continue;
        struct str own = str_head(name, dash);
        if (first.n && !str_eq(first, own))
            return true;
        first = own;
    }
    return false;
}

static void find_rank(struct capture_ranks *r, const struct trace_result *t)
{
    const struct value *header = t->store.header,
                       *job = value_get(header, "distributedInfo");
    struct str path = str_of(t->store.file);
    r->rank = rank_or(value_get(job, "rank"));
    if (r->rank < 0)
        r->rank = rank_of_path(path);
    r->host = host_of_path(path);
    r->n_devices = value_count(value_get(header, "deviceProperties"));
    r->is_merged = holds_several_ranks(&t->store);
    r->world_size = rank_or(value_get(job, "world_size"));
    r->backend = value_text(value_get(job, "backend"));
    r->library = value_text(value_get(job, "nccl_version"));
}

void capture_find_setup(struct arena *perm, const struct trace_result *t,
                        struct capture *c)
{
    struct lines l = {perm, c};
    c->setup = arena_new(perm, struct capture_setup_line, LINES_MAX);
    machine(&l, t->tables.facts.header);
    recording(&l, &t->tables.facts);
    find_rank(&c->ranks, t);
}
