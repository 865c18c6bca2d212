#include "perf/device_fit.h"

#include <math.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_word(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

/* Whether `word` is in `text` by itself, in any case: GB200 does not name B200. */
static bool has_word(struct str text, struct str word)
{
    for (ptrdiff_t i = 0; word.n > 0 && i + word.n <= text.n; i++) {
        struct str here = {text.p + i, word.n};
        bool starts = i == 0 || !is_word(text.p[i - 1]);
        bool ends = i + word.n == text.n || !is_word(text.p[i + word.n]);
        if (starts && ends && str_eq_nocase(here, word))
            return true;
    }
    return false;
}

struct str device_model(struct str name)
{
    ptrdiff_t at = str_find(name, S("@")), size = str_find(name, S("-"));
    if (at > 0)
        return str_head(name, at);
    bool sized = size > 0 && str_ends(name, S("GB")) && name.p[size + 1] >= '0' &&
                 name.p[size + 1] <= '9';
    return sized ? str_head(name, size) : name;
}

/* Drivers keep up to a twentieth for themselves, and count in 2^30 what is sold as GB.
 */
static bool memory_fits(const struct device_spec *d, double bytes)
{
    const double GIB = 1073741824.0;
    return fabs(bytes / GIB / d->memory_gb - 1) < 0.06;
}

/* Some traces leave the name blank: memory and compute units tell as well. */
static enum device_fit fit_without_name(const struct device_spec *d,
                                        const struct traced_device *t)
{
    if (!(t->bytes > 0) || !(d->memory_gb > 0) || !t->compute_units ||
        !d->compute_units)
        return FIT_UNKNOWN;
    if (t->compute_units != d->compute_units)
        return FIT_NAME;
    return memory_fits(d, t->bytes) ? FIT_YES : FIT_MEMORY;
}

enum device_fit device_fit(const struct device_spec *d, const struct traced_device *t)
{
    if (str_trim(t->name).n == 0)
        return fit_without_name(d, t);
    if (!has_word(t->name, device_model(d->name)))
        return FIT_NAME;
    if (!(t->bytes > 0) || !(d->memory_gb > 0))
        return FIT_YES;
    return memory_fits(d, t->bytes) ? FIT_YES : FIT_MEMORY;
}
