#include "base/quick_print.h"

#include "base/digit_pairs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct place {
    char *at, *end; /* there is room for a NUL at the end */
};

static bool put(struct place *p, const char *text, size_t n)
{
    if ((size_t)(p->end - p->at) < n)
        return false;
    memcpy(p->at, text, n);
    p->at += n;
    return true;
}

static bool put_integer(struct place *p, long long v)
{
    int n = (v < 0) + digit_count(magnitude(v));
    if (p->end - p->at < n)
        return false;
    *p->at = '-';
    digits_before(p->at + n, magnitude(v), n - (v < 0));
    p->at += n;
    return true;
}

static bool put_text(struct place *p, const char *text, int most)
{
    return text && put(p, text, most < 0 ? strlen(text) : strnlen(text, (size_t)most));
}

/* What follows a '%'. Returns its length, or 0: it does not fit, or is not known. */
static int convert(struct place *p, const char *f, va_list *ap)
{
    if (*f == '%')
        return put(p, f, 1);
    if (*f == 's')
        return put_text(p, va_arg(*ap, const char *), -1);
    if (*f == 'd')
        return put_integer(p, va_arg(*ap, int));
    if (f[0] == 't' && f[1] == 'd')
        return put_integer(p, va_arg(*ap, ptrdiff_t)) ? 2 : 0;
    if (f[0] == 'l' && f[1] == 'l' && f[2] == 'd')
        return put_integer(p, va_arg(*ap, long long)) ? 3 : 0;
    if (f[0] == '.' && f[1] == '*' && f[2] == 's') {
        int most = va_arg(*ap, int);
        return put_text(p, va_arg(*ap, const char *), most) ? 3 : 0;
    }
    return 0;
}

/* As vsnprintf, or -1: that has to do it. */
static int print(char *buf, ptrdiff_t room, const char *fmt, va_list *ap)
{
    struct place p = {buf, buf + room - 1};
    while (room > 0) {
        const char *percent = strchrnul(fmt, '%');
        if (!put(&p, fmt, (size_t)(percent - fmt)))
            return -1;
        if (!*percent) {
            *p.at = '\0';
            return (int)(p.at - buf);
        }
        int n = convert(&p, percent + 1, ap);
        if (!n)
            return -1;
        fmt = percent + 1 + n;
    }
    return -1;
}

int quick_vprintf(char *buf, ptrdiff_t room, const char *fmt, va_list ap)
{
    va_list own;
    va_copy(own, ap);
    int n = print(buf, room, fmt, &own);
    va_end(own);
    return n < 0 ? vsnprintf(buf, (size_t)room, fmt, ap) : n;
}
