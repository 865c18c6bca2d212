#include "base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

int32_t utf8_next(struct str *s)
{
    assert(s->n > 0);
    const unsigned char *p = (const unsigned char *)s->p;
    int32_t code = p[0], least = 0;
    int more = 0;
    if (code >= 0xF0 && code <= 0xF4)
        more = 3, least = 0x10000, code &= 0x07;
    else if (code >= 0xE0)
        more = 2, least = 0x800, code &= 0x0F;
    else if (code >= 0xC2)
        more = 1, least = 0x80, code &= 0x1F;
    bool good = p[0] < 0x80 || (more > 0 && p[0] <= 0xF4 && s->n > more);
    for (int i = 1; good && i <= more; i++) {
        good = (p[i] & 0xC0) == 0x80;
        code = code << 6 | (p[i] & 0x3F);
    }
    if (!good || code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
        *s = str_skip(*s, 1);
        return UTF8_BROKEN;
    }
    *s = str_skip(*s, 1 + more);
    return code;
}

struct str utf8_head(struct str s, ptrdiff_t n)
{
    if (s.n <= n)
        return s;
    while (n > 0 && ((unsigned char)s.p[n] & 0xC0) == 0x80)
        n--;
    return str_head(s, n);
}

int utf8_bytes(char buf[4], uint32_t code)
{
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        code = UTF8_REPLACEMENT;
    if (code < 0x80) {
        buf[0] = (char)code;
        return 1;
    }
    int n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = n - 1; i > 0; i--, code >>= 6)
        buf[i] = (char)(0x80 | (code & 0x3F));
    buf[0] = (char)((0xF00 >> n & 0xFF) | code);
    return n;
}

static bool is_unseen(int32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0x061C || code == 0x200E || code == 0x200F;
}

void utf8_visible(char *buf, int buf_bytes, struct str s)
{
    enum { LONGEST = 12 }; /* three bytes as \xe2\x80\xae */
    int n = 0;
    while (s.n > 0 && n + LONGEST < buf_bytes) {
        const char *from = s.p;
        bool unseen = is_unseen(utf8_next(&s));
        if (!unseen) {
            memcpy(buf + n, from, (size_t)(s.p - from));
            n += (int)(s.p - from);
        }
        for (; unseen && from < s.p; from++)
            n += snprintf(buf + n, (size_t)(buf_bytes - n), "\\x%02x",
                          (unsigned char)*from);
    }
    buf[n] = '\0';
}
