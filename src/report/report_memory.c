/* What holds the device's memory at its peak, in sentences. */
#include "report/report_parts.h"

#include "analysis/model/number_text.h"
#include "analysis/stack/memory_peak.h"
#include "base/machine.h"

#include <math.h>

static struct str gib(struct arena *a, double bytes)
{
    return bytes < 1e6 ? say(a, "{} KiB", said(number_rate(a, bytes / 1024)))
           : bytes < 1e9
               ? say(a, "{} MiB", said(number_rate(a, bytes / (double)(1 << 20))))
               : say(a, "{} GiB", said(number_rate(a, bytes / (double)(1 << 30))));
}

static void put_kinds(struct arena *perm, const struct memory_peak *m,
                      struct report_memory *to)
{
    to->kinds = arena_new(perm, struct report_memory_kind, MEMORY_KINDS);
    bool taken[MEMORY_KINDS] = {false};
    for (int k = 0; k < MEMORY_KINDS; k++) {
        int most = -1;
        for (int i = 0; i < MEMORY_KINDS; i++)
            if (!taken[i] && m->kind_bytes[i] > 0 &&
                (most < 0 || m->kind_bytes[i] > m->kind_bytes[most]))
                most = i;
        if (most < 0)
            return;
        taken[most] = true;
        to->kinds[to->n_kinds++] = (struct report_memory_kind){
            memory_kind_word((enum memory_kind)most), m->kind_bytes[most],
            100 * (double)m->kind_bytes[most] / (double)m->peak_bytes};
    }
}

/* Which place holds most of what the recording shows. */
static struct str most_of(struct arena *a, const struct memory_peak *m)
{
    for (int32_t i = 0; i < m->n_owners; i++) {
        const struct memory_owner *o = &m->owners[i];
        if (o->kind == MEMORY_BEFORE || !o->op.n)
            continue;
        if (100 * o->bytes < m->peak_bytes)
            break;
        struct str in =
            o->module.n ? say(a, " in {}", said_name(o->module, 60)) : S("");
        return say(a, " Most of the rest: {} of {}{}.", said(gib(a, (double)o->bytes)),
                   said_name(o->op, 60), said(in));
    }
    return S("");
}

static struct str says_of(struct arena *a, const struct memory_peak *m)
{
    struct str rise = gib(a, (double)m->rise_bytes);
    if (m->peak_bytes < 0)
        return say(a,
                   "Allocated memory rises by up to {} above what it was when the "
                   "recording began. The records have no totals and no addresses, "
                   "so what holds it is not known.",
                   said(rise));
    struct str peak = gib(a, (double)m->peak_bytes);
    int64_t before = m->kind_bytes[MEMORY_BEFORE];
    if (!m->n_owners)
        return say(a,
                   "At most {} are allocated, {} more than when the recording began.",
                   said(peak), said(rise));
    return say(a, "At most {} are allocated, {} of that before the recording.{}",
               said(peak), said(gib(a, (double)before)), said(most_of(a, m)));
}

void report_memory_fill(const struct report_source *s, struct report *r)
{
    const struct memory_peak *m = s->a->memory;
    struct report_memory *to = &r->memory;
    double none = (double)NAN;
    *to = (struct report_memory){
        .says = S(""), .device_bytes = none, .room_bytes = none, .unused_pct = none};
    if (!m)
        return;
    to->of = m;
    to->says = says_of(s->perm, m);
    if (m->peak_bytes > 0 && m->n_owners)
        put_kinds(s->perm, m, to);
    double all = trace_device(s->t->facts.machine).bytes;
    if (all > 0 && m->reserved_most > 0) {
        to->device_bytes = all;
        to->room_bytes = all - (double)m->reserved_most;
    }
    if (m->reserved_at_peak > 0 && m->peak_bytes > 0)
        to->unused_pct = 100 * (double)(m->reserved_at_peak - m->peak_bytes) /
                         (double)m->reserved_at_peak;
}
