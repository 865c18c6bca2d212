#include "commands/compare_devices.h"

#include "base/arena.h"
#include "base/terminal.h"
#include "commands/device_choice.h"
#include "commands/recorded_device.h"

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
    struct str rest = str_of(o->platform), word;
    for (int n = 0; rest.n; n++) {
        bool more = str_has(rest, S(","));
        word = str_take(&rest, S(","));
        if (!word.n || n == 2 || (more && !rest.n))
            return err_set(e, ERR_USAGE, NULL, -1,
                           "-p '%.100s': expected one device, or that of the reference "
                           "and that of the candidate: H100,A100",
                           o->platform);
    }
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
    if (!d->of[side])
        d->unknown[side] = recorded_device_words(d->perm, recorded);
    return d->of[side];
}

/* A side without device work, or of tables alone, was never asked for its device. */
static struct str words_of_unknown(const struct compare_devices *d, int side)
{
    struct str words = d->unknown[side];
    return words.n ? words : recorded_device_words(d->perm, &(struct traced_device){0});
}

bool compare_devices_tell(const struct compare_devices *d, struct err *e)
{
    static const char how[] = "name both devices with -p REFERENCE,CANDIDATE";
    int side = d->of[0] ? 1 : 0;
    const char *whose = side ? "candidate" : "reference";
    struct str words = words_of_unknown(d, side);
    if (d->asked || (d->o->quiet && !d->o->strict))
        return true;
    if (d->of[side])
        terminal_line(stderr, "tracefolio: platforms %.*s and %.*s, as recorded",
                      STRF(d->of[0]->name), STRF(d->of[1]->name));
    else if (d->o->strict)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "--strict: no peaks are known for the %s, %.*s; %s", whose,
                       STRF(words), how);
    else
        terminal_warn(
            "no peaks are known for the %s, %.*s, so no ratio is expected; %s", whose,
            STRF(words), how);
    return true;
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
        terminal_line(
            stderr,
            done ? "tracefolio: the peaks of %.*s and %.*s are of two kinds; both "
                   "are taken from their data sheets"
                 : "tracefolio: warning: the peaks of %.*s and %.*s are of two "
                   "kinds: efficiencies do not compare",
            STRF(d->of[0]->name), STRF(d->of[1]->name));
    for (int side = 0; done && side < 2; side++)
        d->of[side] = &by_sheet[side];
}
