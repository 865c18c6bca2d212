#include "formats/perfetto_packet.h"

static const struct str none;

bool perfetto_packet_read(struct perfetto_packet *p, struct str message)
{
    struct wire w = wire_of(message);
    struct wire_field f;
    /* One by one: a whole struct is cleared by an instruction that takes longer. */
    p->timestamp = 0;
    p->clock = p->sequence = 0;
    p->is_packed = false;
    p->snapshot = p->event = p->interned = p->counters = none;
    p->stage = p->defaults = p->track = none;
    while (wire_next(&w, &f))
        switch (f.number) {
        case 6:
            p->snapshot = f.bytes;
            break;
        case 8:
            p->timestamp = f.value;
            break;
        case 10:
            p->sequence = (uint32_t)f.value;
            break;
        case 11:
            p->event = f.bytes;
            break;
        case 12:
            p->interned = f.bytes;
            break;
        case 50:
            p->is_packed = true;
            break;
        case 52:
            p->counters = f.bytes;
            break;
        case 53:
            p->stage = f.bytes;
            break;
        case 58:
            p->clock = (uint32_t)f.value;
            break;
        case 59:
            p->defaults = f.bytes;
            break;
        case 60:
            p->track = f.bytes;
            break;
        default:;
        }
    return !w.broken;
}

void perfetto_event_read(struct perfetto_event *v, struct str message)
{
    struct wire w = wire_of(message);
    struct wire_field f;
    uint64_t first;
    v->type = v->track = v->name_iid = v->category_iid = 0;
    v->has_track = false;
    v->name = v->category = v->correlation = none;
    v->annotations = S("");
    for (const unsigned char *from = w.at; wire_next(&w, &f); from = w.at)
        switch (f.number) {
        case PERFETTO_ANNOTATIONS:
            if (!v->annotations.n)
                v->annotations = (struct str){(const char *)from, w.end - from};
            break;
        case 3:
            if (!v->category_iid && wire_next_number(&f, &first))
                v->category_iid = first;
            break;
        case 9:
            v->type = f.value;
            break;
        case 10:
            v->name_iid = f.value;
            break;
        case 11:
            v->track = f.value;
            v->has_track = true;
            break;
        case 22:
            if (!v->category.p)
                v->category = f.bytes;
            break;
        case 23:
            v->name = f.bytes;
            break;
        case 3000:
            v->correlation = f.bytes;
            break;
        default:;
        }
}

struct perfetto_stage perfetto_stage_read(struct str message)
{
    struct perfetto_stage s = {0};
    struct wire w = wire_of(message);
    struct wire_field f;
    while (wire_next(&w, &f))
        switch (f.number) {
        case 1:
            s.id = f.value;
            break;
        case 2:
            s.dur_ns = f.value;
            break;
        case 11:
            s.gpu = (int32_t)f.value;
            break;
        case 13:
            s.queue_iid = f.value;
            break;
        case 14:
            s.stage_iid = f.value;
            break;
        case 17:
            s.name = f.bytes;
            break;
        case PERFETTO_WAIT:
            s.waits = true;
            break;
        case 19:
            s.kernel_iid = f.value;
            break;
        case 20:
            s.name_iid = f.value;
            break;
        case 21:
            s.launch = f.bytes;
            break;
        default:;
        }
    return s;
}
