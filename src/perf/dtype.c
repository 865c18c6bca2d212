#include "perf/dtype.h"

#include <math.h>

struct weight {
    const char *name;
    double bytes;
};

/* Two packed 4-bit values count as one element, of one byte. */
static const struct weight weights[] = {
    {"double", 8},
    {"long int", 8},
    {"float", 4},
    {"scalar", 4},
    {"int", 4},
    {"c10::Half", 2},
    {"c10::BFloat16", 2},
    {"c10::Float8_e4m3fnuz", 1},
    {"c10::Float8_e4m3fn", 1},
    {"c10::Float8_e5m2", 1},
    {"c10::Float8_e8m0fnu", 1},
    {"unsigned char", 1},
    {"signed char", 1},
    {"fp8", 1},
    {"c10::Float4_e2m1fn_x2", 1},
    {"fp4", 1},
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

static const struct {
    const char *name, *precision;
} precisions[] = {
    {"float", "fp32"},
    {"double", "fp64"},
    {"c10::half", "fp16"},
    {"c10::bfloat16", "bf16"},
    {"c10::float8_e4m3fnuz", "fp8"},
    {"c10::float8_e4m3fn", "fp8"},
    {"unsigned char", "fp8"},
    {"fp8", "fp8"},
    {"fp4", "fp4"},
    {"mxfp4", "fp4"},
    {"c10::float4_e2m1fn_x2", "fp4"},
};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static double exact(const struct weight *table, int n, struct str name, double other)
{
    for (int i = 0; i < n; i++)
        if (str_eq(name, str_of(table[i].name)))
            return table[i].bytes;
    return other;
}

double dtype_bytes(struct str name)
{
    for (int i = 0; i < COUNT(weights); i++)
        if (str_eq_nocase(name, str_of(weights[i].name)))
            return weights[i].bytes;
    return (double)NAN;
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
    for (int i = 0; i < COUNT(precisions); i++)
        if (str_eq_nocase(name, str_of(precisions[i].name)))
            return str_of(precisions[i].precision);
    return S("");
}
