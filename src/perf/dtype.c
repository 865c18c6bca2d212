#include "perf/dtype.h"

#include <math.h>

struct weight {
    const char *name;
    double bytes;
};

/* In any case. Two packed 4-bit values count as one element, of one byte. */
static const struct {
    const char *name;
    double bytes;
    const char *precision; /* empty: none */
} types[] = {
    {"double", 8, "fp64"},
    {"long int", 8, ""},
    {"float", 4, "fp32"},
    {"scalar", 4, ""},
    {"int", 4, ""},
    {"c10::half", 2, "fp16"},
    {"c10::bfloat16", 2, "bf16"},
    {"c10::float8_e4m3fnuz", 1, "fp8"},
    {"c10::float8_e4m3fn", 1, "fp8"},
    {"c10::float8_e5m2", 1, ""},
    {"c10::float8_e8m0fnu", 1, ""},
    {"unsigned char", 1, "fp8"},
    {"signed char", 1, ""},
    {"fp8", 1, "fp8"},
    {"c10::float4_e2m1fn_x2", 1, "fp4"},
    {"fp4", 1, "fp4"},
    {"mxfp4", (double)NAN, "fp4"},
};

static const struct weight moe_weights[] = {
    {"Float8_e4m3fn", 1},
    {"Float8_e4m3fnuz", 1},
    {"Float8_e5m2", 1},
    {"Float8_e5m2fnuz", 1},
    {"FP8", 1},
    {"c10::Float8_e4m3fn", 1},
    {"c10::Float8_e4m3fnuz", 1},
    {"FP4", 0.5},
    {"c10::Float4_e2m1fn_x2", 0.5},
    {"BFloat16", 2},
    {"Float16", 2},
    {"Half", 2},
    {"c10::BFloat16", 2},
    {"c10::Half", 2},
    {"Float32", 4},
    {"Float", 4},
    {"c10::Float", 4},
};

static const struct weight triton_weights[] = {
    {"c10::BFloat16", 2}, {"c10::Half", 2}, {"c10::Float", 4}, {"c10::Double", 8},
    {"c10::Byte", 1},     {"c10::Char", 1}, {"c10::Int", 4},   {"c10::Long", 8},
};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static double exact(const struct weight *table, int n, struct str name, double other)
{
    for (int i = 0; i < n; i++)
        if (str_eq(name, str_of(table[i].name)))
            return table[i].bytes;
    return other;
}

/* The row of a name, or -1. */
static int find(struct str name)
{
    int i = COUNT(types) - 1;
    while (i >= 0 && !str_eq_nocase(name, str_of(types[i].name)))
        i--;
    return i;
}

double dtype_bytes(struct str name)
{
    int i = find(name);
    return i < 0 ? (double)NAN : types[i].bytes;
}

double dtype_moe_bytes(struct str name, double otherwise)
{
    return exact(moe_weights, COUNT(moe_weights), name, otherwise);
}

double dtype_triton_bytes(struct str name)
{
    return exact(triton_weights, COUNT(triton_weights), name, 0);
}

struct str dtype_precision(struct str name)
{
    int i = find(name);
    return str_of(i < 0 ? "" : types[i].precision);
}

struct str dtype_spec(struct str compute_spec)
{
    static const struct {
        struct str longer, spec;
    } names[] = {{S_INIT("vector_bfloat16"), S_INIT("vector_bf16")},
                 {S_INIT("vector_half"), S_INIT("vector_fp16")},
                 {S_INIT("vector_float"), S_INIT("vector_fp32")},
                 {S_INIT("vector_double"), S_INIT("vector_fp64")}};
    for (int i = 0; i < COUNT(names); i++)
        if (str_eq(compute_spec, names[i].longer))
            return names[i].spec;
    return compute_spec;
}
