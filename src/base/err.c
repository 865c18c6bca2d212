#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

bool err_set(struct err *e, enum err_kind kind, const char *file, int64_t offset,
             const char *fmt, ...)
{
    if (e->kind != ERR_NONE)
        return false;
    e->kind = kind;
    snprintf(e->file, sizeof e->file, "%s", file ? file : "");
    e->offset = offset;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->what, sizeof e->what, fmt, ap);
    va_end(ap);
    return false;
}

bool err_doing(struct err *e, const char *fmt, ...)
{
    if (e->doing[0])
        return false;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->doing, sizeof e->doing, fmt, ap);
    va_end(ap);
    return false;
}

void err_line(const struct err *e, char *buf, int buf_bytes)
{
    char place[48] = "", raw[1600];
    if (e->offset >= 0)
        snprintf(place, sizeof place, "byte %lld: ", (long long)e->offset);
    snprintf(raw, sizeof raw, "%s%s%s%s%s%s%s", e->file, e->file[0] ? ": " : "", place,
             e->what, e->doing[0] ? " (" : "", e->doing, e->doing[0] ? ")" : "");
    int n = 0;
    for (const char *p = raw; *p && n + 5 < buf_bytes; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7f)
            n += snprintf(buf + n, (size_t)(buf_bytes - n), "\\x%02x", c);
        else
            buf[n++] = *p;
    }
    buf[n] = '\0';
}
