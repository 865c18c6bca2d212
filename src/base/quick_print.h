/* quick_print.h - vsnprintf, quicker for %s, %.*s, %d, %td, %lld and %%.
 *
 * A report takes tens of thousands of short formats such as "%.*s-%d.html", and the C
 * library some 900 instructions for each: 4 % of a whole run. */
#ifndef BASE_QUICK_PRINT_H
#define BASE_QUICK_PRINT_H

#include <stdarg.h>
#include <stddef.h>

/* Writes and returns what vsnprintf would; it does the rest. */
int quick_vprintf(char *buf, ptrdiff_t room, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

#endif
