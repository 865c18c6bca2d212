#include "store/counter_samples.h"

#include "trace/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SAMPLES_FIRST = 1 << 14, TEXT_MOST = 512, ARGUMENTS_MOST = 4096 };

static ptrdiff_t track_bytes(void)
{
    return COUNTER_TRACKS_MOST * (ptrdiff_t)sizeof(struct counter_track);
}

static ptrdiff_t sample_bytes(int32_t n)
{
    return n * (ptrdiff_t)sizeof(struct counter_sample);
}

static void open_reader(struct counter_samples *c, struct counter_reader *r)
{
    pool_open(&r->keys);
    r->scratch = arena_reserve(64 * (ARGUMENTS_MOST + 1));
    r->scratch_start = r->scratch.at;
    c->tracks = pages_reserve(track_bytes());
}

void counter_reader_close(struct counter_reader *r)
{
    if (!r->scratch_start)
        return;
    arena_release(r->scratch_start, &r->scratch);
    pool_close(&r->keys);
}

void counter_samples_close(struct counter_samples *c)
{
    if (c->tracks)
        pages_release(c->tracks, track_bytes());
    if (c->at)
        pages_release(c->at, sample_bytes(c->max));
    *c = (struct counter_samples){0};
}

ptrdiff_t counter_samples_bytes(const struct counter_samples *c)
{
    return sample_bytes(c->n) + c->n_tracks * (ptrdiff_t)sizeof *c->tracks;
}

/* Its place; -1: one too many, or named longer than any profiler does. */
static int32_t track_of(struct counter_samples *c, struct counter_reader *r,
                        struct name_pool *names, const struct event *ev, int32_t lane,
                        struct str key)
{
    char text[TEXT_MOST];
    const struct str parts[] = {ev->pid, S("\x1f"), ev->name, S("\x1f"), key};
    ptrdiff_t n = 0;
    for (int k = 0; k < 5; k++) {
        if (parts[k].n > TEXT_MOST - n)
            return -1;
        if (parts[k].n)
            memcpy(text + n, parts[k].p, (size_t)parts[k].n);
        n += parts[k].n;
    }
    struct str all = {text, n};
    int32_t at = c->n_tracks < COUNTER_TRACKS_MOST ? pool_add(&r->keys, all)
                                                   : pool_find(&r->keys, all);
    if (at == c->n_tracks && at >= 0)
        c->tracks[c->n_tracks++] =
            (struct counter_track){lane, pool_add(names, ev->name.p ? ev->name : S("")),
                                   pool_add(names, key), 0};
    return at;
}

static void add_sample(struct counter_samples *c, int64_t at_ns, double value,
                       int32_t track)
{
    if (c->n == c->max) {
        if (c->max > INT32_MAX / 4)
            arena_full();
        int32_t max = c->max ? 2 * c->max : SAMPLES_FIRST;
        c->at = pages_grow(c->at, sample_bytes(c->max), sample_bytes(max));
        c->max = max;
    }
    c->at[c->n++] = (struct counter_sample){at_ns, (float)value, track};
    c->tracks[track].n++;
}

void counter_take(struct counter_samples *c, struct counter_reader *r,
                  struct name_pool *names, const struct event *ev, int32_t lane,
                  value_decode *decode)
{
    struct str recorded = event_args(ev)->rest;
    if (!r->scratch_start)
        open_reader(c, r);
    if (!recorded.n || recorded.n > ARGUMENTS_MOST)
        return;
    struct arena once = r->scratch;
    const struct value *map = decode(&once, recorded);
    for (int i = 0; value_is(map, VALUE_MAP) && i + 1 < map->n; i += 2) {
        const struct value *v = &map->items[i + 1];
        if (v->kind != VALUE_NUMBER || !(fabs(v->number) <= (double)FLT_MAX))
            continue;
        int32_t track = track_of(c, r, names, ev, lane, value_text(&map->items[i]));
        if (track >= 0)
            add_sample(c, ev->start_ns, v->number, track);
    }
}
