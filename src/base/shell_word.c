#include "base/shell_word.h"

#include <string.h>

/* 'it'\''s': inside single quotes a POSIX shell changes nothing. */
struct str shell_word(struct arena *a, struct str s)
{
    ptrdiff_t n = 2;
    for (ptrdiff_t i = 0; i < s.n; i++)
        n += s.p[i] == '\'' ? 4 : 1;
    char *to = arena_new(a, char, n), *q = to;
    *q++ = '\'';
    for (ptrdiff_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\'') {
            memcpy(q, "'\\''", 4);
            q += 4;
        } else {
            *q++ = s.p[i];
        }
    }
    *q = '\'';
    return (struct str){to, n};
}
