#include "formats/perfetto_state.h"

#include "base/arena.h"
#include "base/touch_ahead.h"

#include <stdint.h>

enum { ROWS_FIRST = 1 << 12 };

void *perfetto_new_row(struct rows *r, ptrdiff_t size)
{
    if (r->n == r->max) {
        int32_t max = r->max ? 2 * r->max : ROWS_FIRST;
        if (r->max > INT32_MAX / 4)
            arena_full();
        r->at = pages_grow(r->at, r->max * size, max * size);
        r->max = max;
    }
    char *row = (char *)r->at + size * r->n++;
    if (r->n == 1 || TOUCH_CROSSES(row, row + size))
        touch_ahead(row, size, (char *)r->at + size * r->max);
    return row;
}

void perfetto_forget_rows(struct rows *r, ptrdiff_t size, int32_t n)
{
    pages_forget(r->at, n * size);
}

void perfetto_free_rows(struct rows *r, ptrdiff_t size)
{
    pages_release(r->at, r->max * size);
}

struct sequence *perfetto_sequence(struct perfetto_reader *r, uint32_t id)
{
    if (r->last_sequence >= 0 &&
        ROW(r->sequences, struct sequence, r->last_sequence)->id == id)
        return ROW(r->sequences, struct sequence, r->last_sequence);
    name_id k = pool_add(&r->sequence_keys, (struct str){(const char *)&id, sizeof id});
    if (k == r->sequences.n)
        *NEW_ROW(&r->sequences, struct sequence) = (struct sequence){.id = id};
    r->last_sequence = k;
    return ROW(r->sequences, struct sequence, k);
}

int64_t perfetto_time_ns(struct perfetto_reader *r, const struct perfetto_packet *p)
{
    struct sequence *s = perfetto_sequence(r, p->sequence);
    int64_t at = clock_time_ns(&s->clocks, p->clock, p->timestamp);
    r->has_events = true;
    return (int64_t)((uint64_t)at - (uint64_t)r->shift_ns);
}

name_id perfetto_interned(struct perfetto_reader *r, uint32_t sequence,
                          enum intern_kind kind, uint64_t iid)
{
    return intern_get(&r->intern, (struct intern_key){iid, sequence, kind});
}

static struct str row_text(const struct perfetto_reader *r, name_id id)
{
    return id < 0 ? (struct str){0} : r->texts.name[id];
}

void perfetto_set_args(const struct perfetto_reader *r, struct event *ev,
                       const struct arg_row *row)
{
    struct event_args *a = event_args_set(ev);
    a->correlation = row->correlation;
    a->external_id = row->external_id;
    a->sequence = row->sequence;
    a->stream = row->stream;
    a->bytes = row->bytes;
    a->comms_sequence = row->comms_sequence;
    a->dims = row_text(r, row->dims);
    a->types = row_text(r, row->types);
    a->strides = row_text(r, row->strides);
    a->concrete = row_text(r, row->concrete);
    a->rest = row_text(r, row->rest);
    a->call_stack = row_text(r, row->call_stack);
}

struct event *perfetto_new_event(struct perfetto_reader *r, char ph, enum event_cat cat)
{
    struct event *ev = &r->event;
    event_clear(ev);
    ev->ph = ph;
    ev->cat = cat;
    ev->uid = r->uid++;
    return ev;
}
