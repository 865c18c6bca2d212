#include "base/err.h"

#include "base/utf8.h"

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
    utf8_visible(buf, buf_bytes, str_of(raw));
}
