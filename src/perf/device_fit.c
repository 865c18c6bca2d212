#include "perf/device_fit.h"

#include "perf/device_name.h"

#include <math.h>

/* Drivers keep a little for themselves, ECC takes a sixteenth of what is not HBM, and
 * they count in 2^30 what is sold as GB. */
static bool memory_fits(const struct device_spec *d, double gib)
{
    double ratio = gib / d->memory_gb;
    return ratio > 0.9 && ratio < 1.06;
}

/* In GiB, or as the name says; 0: unknown. */
static double memory_of(const struct traced_device *t, const struct device_words *w)
{
    const double GIB = 1073741824.0;
    return t->bytes > 0 ? t->bytes / GIB : w->memory_gb;
}

/* "sm_86" against a compute capability of 8.6. */
static bool other_generation(const struct device_spec *d, const struct traced_device *t)
{
    int64_t generation;
    return t->generation > 0 && str_starts(d->arch, S("sm_")) &&
           str_int(str_skip(d->arch, 3), &generation) &&
           (double)generation != t->generation;
}

/* Some traces leave the name blank, or have one for all devices of a vendor: memory and
 * compute units tell as well. */
static enum device_fit fit_without_name(const struct device_spec *d,
                                        const struct traced_device *t,
                                        const struct device_words *w)
{
    if (w->arch.n && d->arch.n && !str_eq_nocase(w->arch, d->arch))
        return FIT_NAME;
    if (other_generation(d, t))
        return FIT_NAME;
    if (!(memory_of(t, w) > 0) || !(d->memory_gb > 0) || !t->compute_units ||
        !d->compute_units)
        return FIT_UNKNOWN;
    if (t->compute_units != d->compute_units)
        return FIT_NAME;
    return memory_fits(d, memory_of(t, w)) ? FIT_YES : FIT_MEMORY;
}

static enum device_fit fit(const struct device_spec *d, const struct traced_device *t,
                           const struct device_words *name)
{
    struct device_words own;
    device_words_of(d->name, &own);
    if (own.n == 0)
        return FIT_UNKNOWN;
    if (name->n == 0)
        return fit_without_name(d, t, name);
    if (!device_words_match(&own, name))
        return FIT_NAME;
    if (memory_of(t, name) > 0 && d->memory_gb > 0 &&
        !memory_fits(d, memory_of(t, name)))
        return FIT_MEMORY;
    return name->form && d->form && name->form != d->form ? FIT_FORM : FIT_YES;
}

enum device_fit device_fit(const struct device_spec *d, const struct traced_device *t)
{
    struct device_words name;
    device_words_of(t->name, &name);
    return fit(d, t, &name);
}

bool device_is_named(const struct traced_device *t)
{
    struct device_words name;
    device_words_of(t->name, &name);
    return name.n > 0;
}

double device_likeness(const struct device_spec *d, const struct traced_device *t)
{
    enum { UNITS = 4, FORM = 2 };
    struct device_words name;
    device_words_of(t->name, &name);
    if (fit(d, t, &name) != FIT_YES)
        return -1;
    bool usual = !d->form || d->form == 's'; /* what a name without a form means */
    double like = name.form ? FORM * (name.form == d->form) : FORM * usual;
    if (t->compute_units && t->compute_units == d->compute_units)
        like += UNITS;
    double gib = memory_of(t, &name);
    return gib > 0 && d->memory_gb > 0 ? like + 1 - fabs(gib / d->memory_gb - 1) : like;
}
