#include "render/text/base64.h"

void out_base64(struct out *o, struct str bytes)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (ptrdiff_t i = 0; i < bytes.n; i += 3) {
        ptrdiff_t here =
            bytes.n - i < 3 ? bytes.n - i : 3; /* 1 to 3 make 2 to 4 digits */
        uint32_t group = 0;
        for (ptrdiff_t k = 0; k < 3; k++)
            group = group << 8 | (k < here ? (unsigned char)bytes.p[i + k] : 0u);
        for (int k = 0; k < 4; k++)
            out_char(o, k <= here ? digits[group >> (18 - 6 * k) & 63] : '=');
    }
}
