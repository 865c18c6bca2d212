#include "trace/kineto_machine.h"

#include "base/arena.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

enum { RANKS = 1 << 30 };

/* A whole number that is plausible as a size or a count; 0 for anything else. */
static double size_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return value_is_whole(v) && v->number > 0 && v->number < 1e15 ? v->number : 0;
}

static int rank_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return value_is_whole(v) && v->number >= 0 && v->number < RANKS ? (int)v->number
                                                                    : -1;
}

/* Compute units have another name in each generation of the profiler. */
static struct machine_device device_of(const struct value *d)
{
    const struct value *major = value_get(d, "computeMajor"),
                       *minor = value_get(d, "computeMinor");
    double units = size_of(d, "numSms");
    if (!(units > 0))
        units = size_of(d, "multiProcessorCount");
    bool has = value_is(major, VALUE_NUMBER) && value_is(minor, VALUE_NUMBER);
    return (struct machine_device){
        .name = value_text(value_get(d, "name")),
        .memory_bytes = size_of(d, "totalGlobalMem"),
        .compute_units = units < 1e6 ? (int)units : 0,
        .unit_threads = size_of(d, "maxThreadsPerMultiprocessor"),
        .generation = has ? 10 * major->number + minor->number : (double)NAN};
}

static void find_devices(struct machine *m, struct arena *perm,
                         const struct value *header)
{
    const struct value *list = value_get(header, "deviceProperties");
    m->n_devices = value_count(list);
    struct machine_device *d = arena_new(perm, struct machine_device, m->n_devices);
    for (int i = 0; i < m->n_devices; i++)
        d[i] = device_of(value_at(list, i));
    m->devices = d;
}

static void find_base(struct machine *m, const struct value *header)
{
    const struct value *base = value_get(header, "baseTimeNanoseconds");
    if (!value_is(base, VALUE_NUMBER))
        return;
    m->base_ns = base->number;
    if (!str_int((struct str){base->text, base->n}, &m->base_exact_ns))
        m->base_exact_ns = 0;
}

static void find_job(struct machine *m, struct arena *perm, const struct value *header)
{
    const struct value *job = value_get(header, "distributedInfo");
    const struct value *groups = value_get(job, "pg_config");
    m->rank = rank_of(job, "rank");
    m->world_size = rank_of(job, "world_size");
    m->backend = value_text(value_get(job, "backend"));
    m->library = value_text(value_get(job, "nccl_version"));
    m->n_groups = value_count(groups);
    struct machine_group *g = arena_new(perm, struct machine_group, m->n_groups);
    for (int i = 0; i < m->n_groups; i++) {
        const struct value *one = value_at(groups, i);
        g[i] = (struct machine_group){value_text(value_get(one, "pg_name")),
                                      value_get(one, "ranks")};
    }
    m->groups = g;
}

static struct str version_text(struct arena *perm, const struct value *v)
{
    return value_is(v, VALUE_NUMBER) && fabs(v->number) < 1e15
               ? str_printf(perm, "%.15g", v->number)
               : value_text(v);
}

static void find_versions(struct machine *m, struct arena *perm,
                          const struct value *header)
{
    static const struct {
        const char *key;
        struct str what;
        size_t also; /* offset of the member that it is too; 0: none */
    } all[] = {
        {"cuda_runtime_version", S_INIT("CUDA runtime version"),
         offsetof(struct machine, runtime)},
        {"cuda_driver_version", S_INIT("CUDA driver version"),
         offsetof(struct machine, driver)},
        {"hip_runtime_version", S_INIT("HIP runtime version"),
         offsetof(struct machine, runtime)},
        {"hip_driver_version", S_INIT("HIP driver version"),
         offsetof(struct machine, driver)},
        {"cupti_version", S_INIT("CUPTI version"), 0},
        {"roctracer_version", S_INIT("Tracer version"), 0},
    };
    static_assert(sizeof all / sizeof *all <= MACHINE_VERSIONS, "there is room");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct str text = version_text(perm, value_get(header, all[i].key));
        if (!text.n)
            continue;
        m->versions[m->n_versions++] = (struct machine_version){all[i].what, text};
        struct str *also = (struct str *)(void *)((char *)m + all[i].also);
        if (all[i].also && !also->n)
            *also = text;
    }
}

struct machine kineto_machine(struct arena *perm, const struct value *header)
{
    struct machine m = no_machine;
    const struct value *memory = value_get(header, "profile_memory");
    find_devices(&m, perm, header);
    find_base(&m, header);
    find_job(&m, perm, header);
    find_versions(&m, perm, header);
    if (memory)
        m.records_memory = value_truth(memory);
    m.host = value_text(value_get(header, "host_name"));
    return m;
}
