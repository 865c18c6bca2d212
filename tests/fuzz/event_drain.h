/* event_drain.h - for fuzzers: the events of a source, to the last. Each has a place,
 * texts that can be read and arguments that can be decoded. */
#ifndef EVENT_DRAIN_H
#define EVENT_DRAIN_H

#include "base/arena.h"
#include "trace/event_source.h"

#include <stdlib.h>

static inline void touch(struct str text)
{
    const volatile char *p = text.p;
    if (text.n < 0 || (text.n && !p))
        abort();
    if (text.n) {
        (void)p[0];
        (void)p[text.n - 1];
    }
}

static inline void touch_args(const struct event_source *s, struct arena tmp,
                              const struct event_args *args)
{
    const struct str recorded[] = {args->dims, args->types, args->strides,
                                   args->concrete, args->rest};
    touch(args->text);
    touch(args->call_stack);
    for (int k = 0; k < 5; k++) {
        touch(recorded[k]);
        if (recorded[k].n && !s->decode(&tmp, recorded[k]))
            abort();
    }
    const struct value *rest = args->rest.n ? s->decode(&tmp, args->rest) : NULL;
    if (rest && rest->kind != VALUE_MAP)
        abort();
    struct collective c = no_collective;
    if (rest && s->collective)
        s->collective(&tmp, rest, &c);
    touch(c.name);
    touch(c.group_name);
    touch(c.group_ranks);
}

static inline void drain(struct event_source events, struct err *e)
{
    struct arena perm = arena_reserve(1 << 26);
    char *start = perm.at;
    int32_t uid = -1;
    for (const struct event *ev; (ev = events.next(events.state, e)); uid = ev->uid) {
        if (ev->uid <= uid)
            abort();
        touch(ev->name);
        touch(ev->pid);
        touch(ev->tid);
        touch_args(&events, perm, event_args(ev));
    }
    struct source_end end = events.end(events.state, &perm);
    if (end.n_elements < uid + 1 || end.machine.n_parts < 0)
        abort();
    events.close(events.state);
    arena_release(start, &perm);
}

#endif
