#include "formats/sqlite_open.h"

#include "formats/nsys_source.h"
#include "formats/rocpd_source.h"
#include "formats/rpd_source.h"

#include <stddef.h>

bool sqlite_events_open(struct event_source *events, const char *path,
                        const struct trace_file *f, struct source_options o,
                        struct err *e)
{
    static const struct {
        bool (*is)(struct sqlite_file *file);
        bool (*events)(struct event_source *events, struct sqlite_source *s,
                       const struct source_options *o, struct err *e);
    } kinds[] = {
        {nsys_is, nsys_events}, {rpd_is, rpd_events}, {rocpd_is, rocpd_events}};
    struct sqlite_source *s;
    if (!sqlite_source_open(&s, path, f, e))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].is(&s->file))
            return kinds[i].events(events, s, &o, e);
    sqlite_source_close(s);
    return err_set(e, ERR_INPUT, path, -1,
                   "SQLite, but with tables of neither Nsight Systems (nsys export "
                   "--type sqlite), rocpd nor rpd");
}

int sqlite_parts(const char *path, const struct trace_file *f)
{
    struct event_source events;
    struct err e = {0};
    if (!sqlite_events_open(&events, path, f, (struct source_options){0}, &e))
        return 1;
    const struct sqlite_source *s = events.state;
    int n = s->n_parts > 1 ? s->n_parts : 1;
    events.close(events.state);
    return n;
}
