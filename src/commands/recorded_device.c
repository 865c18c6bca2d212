#include "commands/recorded_device.h"

#include "base/arena.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "commands/device_choice.h"

#include <stdio.h>

struct str recorded_device_words(struct arena *a, const struct traced_device *recorded)
{
    enum { LINE_BYTES = 256, NAME_MOST = 80 };
    const double GIB = 1073741824.0;
    char name[LINE_BYTES];
    struct str text = str_trim(recorded->name);
    if (text.n == 0)
        return S("a device that the trace does not name");
    utf8_visible(name, sizeof name, str_head(text, NAME_MOST));
    return recorded->bytes > 0
               ? str_printf(a, "\"%s\" with %.0f GB", name, recorded->bytes / GIB)
               : str_printf(a, "\"%s\"", name);
}

/* What the user may choose, and we must not. */
static struct str relative(struct arena *a, const struct traced_device *recorded)
{
    struct str name = device_relative(recorded);
    return name.n ? str_printf(a, "; as %.*s with -p %.*s", STRF(name), STRF(name))
                  : S("");
}

/* One line: which device, and how to give its peaks. */
static bool without_peaks(struct arena *perm, const struct options *o,
                          const struct traced_device *recorded, struct err *e)
{
    struct str words = recorded_device_words(perm, recorded),
               like = relative(perm, recorded);
    static const char how[] = "give them with -p NAME (`tracefolio platforms` lists "
                              "the devices), a JSON file "
                              "of yours, or --peak-bw-tbs and --peak-tflops";
    if (o->strict)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--strict: no peaks are known for %.*s; %s, or -p none%.*s",
                       STRF(words), how, STRF(like));
    if (!o->quiet)
        terminal_warn(
            "no peaks are known for %.*s, so the report has no efficiencies; %s%.*s",
            STRF(words), how, STRF(like));
    return true;
}

bool recorded_device_find(struct arena *perm, const struct options *o,
                          const struct traced_device *recorded,
                          const struct device_spec **device, struct err *e)
{
    struct device_spec *d = arena_new(perm, struct device_spec, 1);
    if (!device_of_trace(perm, recorded, d))
        return without_peaks(perm, o, recorded, e);
    if (!o->quiet)
        terminal_line(stderr, "tracefolio: platform %.*s, %s", STRF(d->name),
                      device_is_named(recorded)
                          ? "as the trace names its device"
                          : "by units and memory: the trace does not name its device");
    *device = d;
    return true;
}

bool recorded_device_of(void *context, const struct traced_device *recorded,
                        const struct device_spec **device, struct err *e)
{
    const struct device_question *q = context;
    return q->o->platform || recorded_device_find(q->perm, q->o, recorded, device, e);
}
