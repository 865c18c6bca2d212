#include "formats/perfetto_counter.h"

#include <math.h>
#include <stdio.h>

/* A descriptor and a counter of it have 32 bits each. */
static struct intern_key key_of(uint32_t sequence, uint64_t descriptor,
                                uint64_t counter)
{
    uint64_t iid = descriptor << 32 | (counter & UINT32_MAX);
    return (struct intern_key){iid, sequence, INTERN_COUNTER};
}

static void name_counters(struct perfetto_reader *r, uint32_t sequence,
                          uint64_t descriptor, struct str message)
{
    struct wire w = wire_of(message);
    struct wire_field spec, id, name;
    while (wire_next(&w, &spec))
        if (spec.number == 1 && spec.type == WIRE_BYTES &&
            wire_find(spec.bytes, 1, &id) && wire_find(spec.bytes, 2, &name))
            intern_set(&r->intern, key_of(sequence, descriptor, id.value), name.bytes);
}

/* The process that PyTorch's JSON has for the counters of a device. */
static struct str process_of(char buf[32], int32_t gpu)
{
    return (struct str){buf, snprintf(buf, 32, "GPU %d Counters", (int)gpu)};
}

/* The device is a number and the descriptor a message, whatever field each has. */
void perfetto_counter_describe(struct perfetto_reader *r, uint32_t sequence,
                               struct str message)
{
    struct wire w = wire_of(message);
    struct wire_field f;
    char buf[32];
    uint64_t iid = 0;
    int32_t gpu = 0;
    struct str descriptor = S("");
    while (wire_next(&w, &f)) {
        if (f.number == 1)
            iid = f.value;
        else if (f.type == WIRE_BYTES)
            descriptor = f.bytes;
        else if (f.type == WIRE_VARINT)
            gpu = (int32_t)f.value;
    }
    intern_set(&r->intern, (struct intern_key){iid, sequence, INTERN_COUNTER_GPU},
               process_of(buf, gpu));
    name_counters(r, sequence, iid, descriptor);
}

void perfetto_counter_begin(struct perfetto_reader *r, const struct perfetto_packet *p)
{
    struct counter_packet *c = &r->counters;
    struct wire w = wire_of(p->counters);
    struct wire_field f;
    char buf[32];
    int32_t gpu = 0;
    *c = (struct counter_packet){
        .left = w, .sequence = p->sequence, .at_ns = perfetto_time_ns(r, p)};
    while (wire_next(&w, &f)) {
        if (f.number == 1)
            name_counters(r, p->sequence, 0, f.bytes);
        else if (f.number == 3)
            gpu = (int32_t)f.value;
        else if (f.number == 4)
            c->descriptor = f.value;
    }
    c->process = perfetto_interned(r, p->sequence, INTERN_COUNTER_GPU, c->descriptor);
    if (c->process < 0)
        c->process = pool_add(&r->texts, process_of(buf, gpu));
}

static double value_of(struct str counter)
{
    struct wire_field f;
    if (wire_find(counter, 3, &f))
        return wire_double(f.value);
    return wire_find(counter, 2, &f) ? (double)(int64_t)f.value : (double)NAN;
}

struct event *perfetto_counter_next(struct perfetto_reader *r)
{
    struct counter_packet *c = &r->counters;
    struct wire_field f, id;
    while (wire_next(&c->left, &f)) {
        if (f.number != 2 || f.type != WIRE_BYTES || !wire_find(f.bytes, 1, &id))
            continue;
        struct intern_key key = key_of(c->sequence, c->descriptor, id.value);
        name_id name = intern_get(&r->intern, key);
        double value = value_of(f.bytes);
        if (name < 0 || !isfinite(value))
            continue;
        struct event *ev = perfetto_new_event(r, 'C', CAT_OTHER);
        ev->name = pool_text(&r->texts, name);
        ev->pid = pool_text(&r->texts, c->process);
        ev->tid = S("");
        ev->start_ns = c->at_ns;
        ev->has_start = true;
        perfetto_args_clear(&r->args);
        out_printf(perfetto_args_put(&r->args, S("")), "%.17g", value);
        event_args_set(ev)->rest = perfetto_args_rest(&r->args);
        return ev;
    }
    c->left = (struct wire){0}; /* its bytes are gone with the next packet */
    return NULL;
}
