#include "compare_devices.h"

#include "base/arena.h"
#include "device_choice.h"

#include <stdio.h>

/* The part of -p that is for this side. */
static const char *platform_of(struct arena *perm, const char *platform, int side)
{
    struct str rest = str_of(platform), first = str_take(&rest, S(","));
    return str_c(perm, side == 1 && rest.n ? rest : first);
}

static bool choose(struct compare_devices *d, const char *platform,
                   const struct device_spec **of, struct err *e)
{
    struct options own = *d->o;
    struct device_spec *spec = arena_new(d->perm, struct device_spec, 1);
    bool known;
    own.platform = platform;
    if (!device_choose(d->perm, &own, spec, &known, e))
        return false;
    *of = known ? spec : NULL;
    return true;
}

bool compare_devices_choose(struct compare_devices *d, const struct options *o,
                            struct arena *perm, struct err *e)
{
    *d = (struct compare_devices){.o = o, .perm = perm, .asked = o->platform != NULL};
    for (int side = 0; d->asked && side < 2; side++)
        if (!choose(d, platform_of(perm, o->platform, side), &d->of[side], e))
            return false;
    if (d->asked)
        compare_devices_level(d);
    return true;
}

const struct device_spec *compare_device_of(struct compare_devices *d, int side,
                                            const struct traced_device *recorded,
                                            struct str platform)
{
    struct err none = {0};
    if (d->asked || d->of[side])
        return d->of[side];
    struct device_spec *spec = arena_new(d->perm, struct device_spec, 1);
    if (device_of_trace(d->perm, recorded, spec))
        d->of[side] = spec;
    else if (platform.n && !choose(d, str_c(d->perm, platform), &d->of[side], &none))
        d->of[side] = NULL; /* a file of the user's, which is not here */
    return d->of[side];
}

void compare_devices_tell(const struct compare_devices *d)
{
    const struct device_spec *const *of = d->of;
    if (d->asked || d->o->quiet)
        return;
    if (of[0] && of[1])
        fprintf(stderr, "tracefolio: platforms %.*s and %.*s, as recorded\n",
                STRF(of[0]->name), STRF(of[1]->name));
    else
        fprintf(stderr,
                "tracefolio: the device of the %s is not known, so no ratio is "
                "expected; name both with -p REFERENCE,CANDIDATE\n",
                of[0] ? "candidate" : "reference");
}

void compare_devices_level(struct compare_devices *d)
{
    if (!d->of[0] || !d->of[1] || d->of[0]->kind == d->of[1]->kind)
        return;
    struct device_spec *by_sheet = arena_new(d->perm, struct device_spec, 2);
    for (int side = 0; side < 2; side++)
        by_sheet[side] = *d->of[side];
    bool done = device_use_sheet(&by_sheet[0]) && device_use_sheet(&by_sheet[1]);
    if (!d->o->quiet)
        fprintf(stderr,
                done ? "tracefolio: the peaks of %.*s and %.*s are of two kinds; both "
                       "are taken from their data sheets\n"
                     : "tracefolio: warning: the peaks of %.*s and %.*s are of two "
                       "kinds: efficiencies do not compare\n",
                STRF(d->of[0]->name), STRF(d->of[1]->name));
    for (int side = 0; done && side < 2; side++)
        d->of[side] = &by_sheet[side];
}
