/* gemm_kernel.c - what a matrix kernel's name reveals about its operands. */
#include "perf/cost_gemm.h"

static bool lower3(const char *p)
{
    for (int i = 0; i < 3; i++)
        if (p[i] < 'a' || p[i] > 'z')
            return false;
    return true;
}

/* Anywhere in the name: C, A and B with three index letters each, as "Cijk_Ailk_Bljk".
 */
static bool is_tensile(struct str s)
{
    enum { LENGTH = 14 };
    for (ptrdiff_t i = 0; i + LENGTH <= s.n; i++) {
        const char *p = s.p + i;
        if (p[0] == 'C' && lower3(p + 1) && p[4] == '_' && p[5] == 'A' &&
            lower3(p + 6) && p[9] == '_' && p[10] == 'B' && lower3(p + 11))
            return true;
    }
    return false;
}

static enum gemm_transpose which(struct str s, struct str plain, struct str transposed)
{
    if (str_has(s, plain))
        return GEMM_PLAIN;
    return str_has(s, transposed) ? GEMM_TRANSPOSED : GEMM_UNKNOWN;
}

bool gemm_kernel_transpose(struct str kernel, enum gemm_transpose *a,
                           enum gemm_transpose *b)
{
    if (is_tensile(kernel)) {
        *a = which(kernel, S("_Ailk_"), S("_Alik_"));
        *b = which(kernel, S("_Bljk_"), S("_Bjlk_"));
        return true;
    }
    if (!str_starts(kernel, S("nvjet")))
        return false;
    ptrdiff_t tail = kernel.n;
    while (tail > 0 && kernel.p[tail - 1] != '_')
        tail--;
    struct str letters = str_skip(kernel, tail);
    if (letters.n < 2)
        return false;
    *a = letters.p[0] == 'T' ? GEMM_TRANSPOSED : GEMM_PLAIN;
    *b = letters.p[1] == 'T' ? GEMM_TRANSPOSED : GEMM_PLAIN;
    return true;
}
