#include "formats/perfetto_track.h"

#include "formats/wire.h"
#include "trace/event.h"

#include <stdio.h>

enum { TRACKS_FIRST = 64, PARENTS_MOST = 8 };

void tracks_open(struct perfetto_tracks *t, struct name_pool *texts)
{
    *t = (struct perfetto_tracks){.texts = texts,
                                  .memory = arena_reserve(arena_machine_bytes() / 4)};
    t->start = t->memory.at;
    t->by_uuid = int_map_make(&t->memory, TRACKS_FIRST);
}

void tracks_close(struct perfetto_tracks *t)
{
    arena_release(t->start, &t->memory);
    pages_release(t->all, t->max * (ptrdiff_t)sizeof *t->all);
}

int32_t tracks_of(struct perfetto_tracks *t, uint64_t uuid)
{
    const ptrdiff_t size = sizeof *t->all;
    int32_t *at = int_map_at(&t->by_uuid, &t->memory, (int64_t)uuid);
    if (*at >= 0)
        return *at;
    if (t->n == t->max) {
        int32_t max = t->max ? 2 * t->max : TRACKS_FIRST;
        if (t->max > INT32_MAX / 4)
            arena_full();
        t->all = pages_grow(t->all, t->max * size, max * size);
        t->max = max;
    }
    t->all[t->n] = (struct perfetto_track){
        .uuid = uuid, .name = -1, .process_name = -1, .stream = NO_ID};
    return *at = t->n++;
}

static void read_process(struct perfetto_tracks *t, struct perfetto_track *k,
                         struct str message)
{
    struct wire w = wire_of(message);
    struct wire_field f;
    k->has_process = true;
    while (wire_next(&w, &f)) {
        if (f.number == 1)
            k->pid = (int32_t)f.value;
        else if (f.number == 6 && f.bytes.n)
            k->process_name = pool_add(t->texts, f.bytes);
    }
}

static void read_thread(struct perfetto_tracks *t, struct perfetto_track *k,
                        struct str message)
{
    struct wire w = wire_of(message);
    struct wire_field f;
    k->has_thread = true;
    while (wire_next(&w, &f)) {
        if (f.number == 1)
            k->pid = (int32_t)f.value;
        else if (f.number == 2)
            k->tid = (int64_t)f.value;
        else if (f.number == 5 && f.bytes.n)
            k->name = pool_add(t->texts, f.bytes);
    }
}

void tracks_describe(struct perfetto_tracks *t, struct str message)
{
    struct wire_field f;
    if (!wire_find(message, 1, &f))
        return;
    int32_t row = tracks_of(t, f.value); /* may move them */
    struct perfetto_track *k = &t->all[row];
    struct wire w = wire_of(message);
    while (wire_next(&w, &f)) {
        if (f.number == 5)
            k->parent = f.value;
        else if (f.number == 3)
            read_process(t, k, f.bytes);
        else if (f.number == 4)
            read_thread(t, k, f.bytes);
        else if ((f.number == 2 || f.number == 10) && f.bytes.n) /* static_name */
            k->name = pool_add(t->texts, f.bytes);
    }
}

static name_id digits(struct name_pool *texts, int64_t v)
{
    char buf[32];
    return pool_add(texts, (struct str){buf, sprintf(buf, "%lld", (long long)v)});
}

/* The number behind `open`, and *rest is left behind it. */
static bool number_in(struct str *rest, struct str open, int64_t *v)
{
    ptrdiff_t at = str_find(*rest, open), n = 0;
    if (at < 0)
        return false;
    struct str s = str_skip(*rest, at + open.n);
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    *rest = str_skip(s, n);
    return str_int(str_head(s, n), v);
}

/* A stream or queue of rocprofv3. */
static bool is_stream(struct perfetto_track *k, struct str name)
{
    bool known = str_starts(name, S("COMPUTE ")) || str_starts(name, S("COPY to "));
    return known && number_in(&name, S("["), &k->pid) &&
           number_in(&name, S("["), &k->stream);
}

/* The process that a track belongs to: its own, or that of a parent. */
static const struct perfetto_track *process_of(const struct perfetto_tracks *t,
                                               const struct perfetto_track *k)
{
    for (int level = 0; k && level < PARENTS_MOST; level++) {
        if (k->has_process || k->has_thread)
            return k;
        int32_t up = k->parent ? int_map_get(&t->by_uuid, (int64_t)k->parent) : -1;
        k = up < 0 ? NULL : &t->all[up];
    }
    return NULL;
}

static void resolve(struct perfetto_tracks *t, struct perfetto_track *k)
{
    struct str name = pool_text(t->texts, k->name);
    const struct perfetto_track *process = process_of(t, k);
    int64_t pid = process ? process->pid : 0, tid = k->tid;
    if (!k->has_thread && !k->has_process && is_stream(k, name)) {
        pid = k->pid;
        tid = k->stream;
    } else if (!k->has_thread && !k->has_process) {
        tid = (int64_t)k->uuid;
        struct str rest = name;
        number_in(&rest, S(" ("), &tid);
    }
    k->pid_text = digits(t->texts, pid);
    k->tid_text = digits(t->texts, tid);
    if (process && k->process_name < 0)
        k->process_name = process->process_name;
    /* What has no name is called by its number. */
    if (k->process_name == k->pid_text)
        k->process_name = -1;
    if (k->name == k->tid_text)
        k->name = -1;
}

void tracks_resolve(struct perfetto_tracks *t)
{
    for (int32_t i = 0; i < t->n; i++)
        resolve(t, &t->all[i]);
}
