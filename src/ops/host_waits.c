#include "ops/host_waits.h"

/* A loop asks again at once, many times. */
enum { LOOP_QUESTIONS = 8, LOOP_NS = 100000, LOOP_PAUSE_NS = 100000 };

struct finder {
    struct arena *perm;
    const struct event_store *s;
    struct host_waits *w;
    struct wait_span loop;
    int questions;
};

static void add(struct finder *f, struct wait_span w)
{
    arena_grow(f->perm, f->w->at, f->w->n);
    f->w->at[f->w->n++] = w;
    f->w->n_loops += w.polls;
}

static void end_loop(struct finder *f)
{
    if (f->questions >= LOOP_QUESTIONS && f->loop.end_ns - f->loop.start_ns >= LOOP_NS)
        add(f, f->loop);
    f->questions = 0;
}

static void ask(struct finder *f, event_id i)
{
    const struct event_store *s = f->s;
    if (f->questions && s->start_ns[i] - f->loop.end_ns > LOOP_PAUSE_NS)
        end_loop(f);
    if (!f->questions++)
        f->loop = (struct wait_span){i, s->lane[i], true, s->start_ns[i], 0};
    f->loop.end_ns = store_end_ns(s, i);
}

/* The calls of copies of pageable memory, which only the copies tell. */
static struct bit_rows *pageable_calls(struct arena *a, const struct event_store *s,
                                       const struct launch_link *l)
{
    struct bit_rows *calls = NULL;
    for (int32_t k = 0; k < l->n_all; k++) {
        event_id gpu = l->all[k];
        if (s->cat[gpu] != CAT_MEMCPY || l->call[k] < 0 ||
            !role_copies_pageable(store_role(s, gpu)))
            continue;
        if (!calls)
            calls = arena_new(a, struct bit_rows, BIT_WORDS(s->n));
        bit_set(calls, l->call[k]);
    }
    return calls;
}

static bool is_set(const struct bit_rows *rows, event_id i)
{
    return rows && rows[i / BIT_ROWS].bits >> (i % BIT_ROWS) & 1;
}

static void read_call(struct finder *f, event_id i, bool pageable)
{
    const struct event_store *s = f->s;
    enum wait_kind kind = role_wait(store_role(s, i));
    if (kind == WAITS_POLL && !pageable) {
        ask(f, i);
        return;
    }
    end_loop(f);
    if (kind != WAITS_NOT || pageable)
        add(f, (struct wait_span){i, s->lane[i], false, s->start_ns[i],
                                  store_end_ns(s, i)});
}

struct host_waits host_waits_find(struct arena *perm, struct arena tmp,
                                  const struct event_store *s,
                                  const struct call_tree *t,
                                  const struct launch_link *l)
{
    struct host_waits w = {.first_of = arena_new(perm, int32_t, s->n_lanes + 1)};
    struct finder f = {.perm = perm, .s = s, .w = &w};
    const struct bit_rows *pageable = pageable_calls(&tmp, s, l);
    int32_t lane = 0;
    for (int32_t k = 0; k < t->n_order; k++) {
        event_id i = t->order[k];
        for (; lane < s->lane[i]; w.first_of[++lane] = w.n)
            end_loop(&f);
        if (cat_is_runtime(s->cat[i]))
            read_call(&f, i, is_set(pageable, i));
    }
    end_loop(&f);
    while (lane < s->n_lanes)
        w.first_of[++lane] = w.n;
    return w;
}

const struct wait_span *host_waits_at(const struct host_waits *w, int32_t lane,
                                      int64_t at_ns)
{
    int32_t low = w->first_of[lane], high = w->first_of[lane + 1];
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (w->at[mid].start_ns <= at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    const struct wait_span *at = low > w->first_of[lane] ? &w->at[low - 1] : NULL;
    return at && at_ns < at->end_ns ? at : NULL;
}

const struct wait_span *host_waits_loop_at(const struct host_waits *w, int32_t lane,
                                           int64_t at_ns)
{
    const struct wait_span *at = w->n_loops ? host_waits_at(w, lane, at_ns) : NULL;
    return at && at->polls ? at : NULL;
}

int64_t host_waits_longest_ns(const struct host_waits *w, int64_t from_ns,
                              int64_t to_ns)
{
    int64_t most = 0;
    for (int32_t k = 0; k < w->n; k++) {
        int64_t a = w->at[k].start_ns > from_ns ? w->at[k].start_ns : from_ns;
        int64_t b = w->at[k].end_ns < to_ns ? w->at[k].end_ns : to_ns;
        most = b - a > most ? b - a : most;
    }
    return most;
}
