#include "formats/perfetto_clock.h"

enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6 };

struct clock_reading {
    uint64_t id, timestamp;
    bool is_incremental;
    uint64_t unit_ns;
};

/* What cannot be added up wraps, as all sums here do: times of a broken trace. */
static int64_t wrapped(uint64_t v)
{
    return (int64_t)v;
}

static struct clock_reading reading_of(struct str message)
{
    struct clock_reading r = {.unit_ns = 1};
    struct wire w = wire_of(message);
    struct wire_field f;
    while (wire_next(&w, &f)) {
        if (f.number == 1)
            r.id = f.value;
        else if (f.number == 2)
            r.timestamp = f.value;
        else if (f.number == 3)
            r.is_incremental = f.value != 0;
        else if (f.number == 4 && f.value)
            r.unit_ns = f.value;
    }
    return r;
}

static struct own_clock *own_clock(struct sequence_clocks *s, uint32_t id)
{
    for (int k = 0; k < CLOCKS_OWN; k++)
        if (s->own[k].id == id)
            return &s->own[k];
    return NULL;
}

static bool is_own(uint64_t id)
{
    return id >= CLOCK_OWN_FIRST && id <= CLOCK_OWN_LAST;
}

static void set_own(struct sequence_clocks *s, const struct clock_reading *r,
                    int64_t shared_ns)
{
    struct own_clock *c = own_clock(s, (uint32_t)r->id);
    if (!c)
        c = own_clock(s, 0);
    if (!c)
        return;
    int64_t at = wrapped(r->timestamp * r->unit_ns);
    *c = (struct own_clock){(uint32_t)r->id, r->is_incremental, wrapped(r->unit_ns), at,
                            wrapped((uint64_t)shared_ns - (uint64_t)at)};
}

struct clock_snapshot clock_snapshot_read(struct sequence_clocks *s, struct str message)
{
    struct clock_snapshot c = {0};
    struct wire w = wire_of(message);
    struct wire_field f;
    uint64_t shared_id = 0;
    while (wire_next(&w, &f)) {
        if (f.number != 1 || f.type != WIRE_BYTES)
            continue;
        struct clock_reading r = reading_of(f.bytes);
        if (r.id == CLOCK_REALTIME_ID) {
            c.has_real = true;
            c.real_ns = wrapped(r.timestamp);
        } else if (!is_own(r.id) && r.id && shared_id != CLOCK_BOOTTIME_ID) {
            c.has_shared = true;
            c.shared_ns = wrapped(r.timestamp);
            shared_id = r.id;
        }
    }
    w = wire_of(message);
    while (c.has_shared && wire_next(&w, &f)) {
        struct clock_reading r = reading_of(f.bytes);
        if (f.number == 1 && is_own(r.id))
            set_own(s, &r, c.shared_ns);
    }
    return c;
}

int64_t clock_time_ns(struct sequence_clocks *s, uint32_t id, uint64_t timestamp)
{
    struct own_clock *c = id || s->usual ? own_clock(s, id ? id : s->usual) : NULL;
    if (!c)
        return wrapped(timestamp);
    uint64_t at = timestamp * (uint64_t)c->unit_ns;
    if (c->is_incremental)
        at += (uint64_t)c->at;
    c->at = wrapped(at);
    return wrapped(at + (uint64_t)c->offset_ns);
}
