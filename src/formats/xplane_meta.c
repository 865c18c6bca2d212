#include "formats/xplane_meta.h"

#include "base/arena.h"

enum { EVENT_METADATA = 4, STAT_METADATA = 5, IDS_FIRST = 64 };

static const struct str stat_names[XSTATS] = {
    [XSTAT_OTHER] = S_INIT(""),
    [XSTAT_CORRELATION] = S_INIT("correlation_id"),
    [XSTAT_KERNEL] = S_INIT("kernel_details"),
    [XSTAT_COPY] = S_INIT("memcpy_details"),
    [XSTAT_FILL] = S_INIT("memset_details"),
    [XSTAT_TF_OP] = S_INIT("tf_op"),
    [XSTAT_HLO_OP] = S_INIT("hlo_op"),
    [XSTAT_MODULE] = S_INIT("hlo_module"),
    [XSTAT_PROGRAM] = S_INIT("program_id"),
    [XSTAT_HLO] = S_INIT("Hlo Proto"),
    [XSTAT_VENDOR] = S_INIT("device_vendor"),
    [XSTAT_CORES] = S_INIT("core_count"),
    [XSTAT_MEMORY] = S_INIT("memory_size"),
    [XSTAT_MAJOR] = S_INIT("compute_cap_major"),
    [XSTAT_MINOR] = S_INIT("compute_cap_minor"),
    [XSTAT_STEP] = S_INIT("step_num"),
    [XSTAT_START] = S_INIT("profile_start_time")};

void xplane_meta_open(struct xplane_meta *m)
{
    *m = (struct xplane_meta){.memory = arena_reserve(arena_machine_bytes() / 4)};
    m->start = m->memory.at;
    pool_open_large(&m->texts);
}

void xplane_meta_close(struct xplane_meta *m)
{
    pool_close(&m->texts);
    m->memory.at = m->start;
    arena_release(m->start, &m->memory);
}

/* The name of a metadata entry, which a map holds as its value. */
static struct str entry_name(struct str entry, uint64_t *id)
{
    struct wire_field f;
    struct str name = S("");
    *id = wire_find(entry, 1, &f) ? f.value : 0;
    if (wire_find(entry, 2, &f) && wire_find(f.bytes, 2, &f))
        name = f.bytes;
    return name;
}

static enum xplane_stat stat_of(struct str name)
{
    for (int k = XSTAT_OTHER + 1; k < XSTATS; k++)
        if (str_eq(stat_names[k], name))
            return (enum xplane_stat)k;
    return XSTAT_OTHER;
}

void xplane_meta_read(struct xplane_meta *m, struct str plane)
{
    struct wire w = wire_of(plane);
    struct wire_field f;
    uint64_t id;
    m->memory.at = m->start;
    m->events = int_map_make(&m->memory, IDS_FIRST);
    m->stats = int_map_make(&m->memory, IDS_FIRST);
    m->kinds = int_map_make(&m->memory, IDS_FIRST);
    while (wire_next(&w, &f)) {
        if (f.number != EVENT_METADATA && f.number != STAT_METADATA)
            continue;
        struct str name = entry_name(f.bytes, &id);
        struct int_map *of = f.number == EVENT_METADATA ? &m->events : &m->stats;
        *int_map_at(of, &m->memory, (int64_t)id) = pool_add(&m->texts, name);
        if (f.number == STAT_METADATA)
            *int_map_at(&m->kinds, &m->memory, (int64_t)id) = (int32_t)stat_of(name);
    }
}

struct str xplane_event_name(const struct xplane_meta *m, uint64_t id)
{
    return pool_text(&m->texts, int_map_get(&m->events, (int64_t)id));
}

struct xplane_value xplane_value_of(const struct xplane_meta *m, struct str stat)
{
    enum { ID = 1, TEXT = 5, BYTES = 6, REF = 7 };
    struct xplane_value v = {.text = S("")};
    struct wire w = wire_of(stat);
    struct wire_field f;
    while (wire_next(&w, &f)) {
        if (f.number == ID) {
            int32_t kind = int_map_get(&m->kinds, (int64_t)f.value);
            v.kind = kind < 0 ? XSTAT_OTHER : (enum xplane_stat)kind;
        } else if (f.number == TEXT || f.number == BYTES) {
            v.text = f.bytes;
        } else if (f.number == REF) {
            v.text = pool_text(&m->texts, int_map_get(&m->stats, (int64_t)f.value));
        } else {
            v.number = f.value;
        }
    }
    return v;
}
