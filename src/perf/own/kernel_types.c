#include "perf/own/kernel_types.h"

#include <math.h>

/* The type that a text begins with, as C++ names it in a template argument list. */
static double type_at(struct str s)
{
    static const struct {
        const char *name;
        double bytes;
    } types[] = {
        {"c10::BFloat16", 2}, {"c10::Half", 2}, {"float", 4}, {"double", 8},
        {"long", 8},          {"int", 4},       {"bool", 1},  {"unsigned char", 1},
        {"signed char", 1},   {"short", 2},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_starts(s, str_of(types[i].name)))
            return types[i].bytes;
    return (double)NAN;
}

/* "OpaqueType<2u>" is any type of two bytes. */
static double opaque_at(struct str s)
{
    struct str digits = str_skip(s, S("OpaqueType<").n);
    double n = 0;
    while (digits.n > 0 && digits.p[0] >= '0' && digits.p[0] <= '9' && n < 100) {
        n = 10 * n + (digits.p[0] - '0');
        digits = str_skip(digits, 1);
    }
    return n > 0 ? n : (double)NAN;
}

double kernel_type_bytes(struct str kernel)
{
    for (ptrdiff_t i = 0; i < kernel.n; i++) {
        struct str rest = str_skip(kernel, i);
        if (rest.p[0] == 'O' && str_starts(rest, S("OpaqueType<")))
            return opaque_at(rest);
        double bytes = rest.p[0] == '<' ? type_at(str_skip(rest, 1)) : (double)NAN;
        if (!isnan(bytes))
            return bytes;
    }
    return (double)NAN;
}
