#include "base/file_head.h"

#include "base/arena.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool file_head(struct arena *perm, const char *path, ptrdiff_t most, struct str *text,
               struct err *e)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return err_set(e, ERR_INPUT, path, -1, "cannot be opened: %s", strerror(errno));
    char *p = arena_take_raw(perm, 1, 1, most);
    size_t n = fread(p, 1, (size_t)most, f);
    bool failed = ferror(f) != 0;
    fclose(f);
    if (failed)
        return err_set(e, ERR_INPUT, path, -1, "cannot be read");
    *text = (struct str){p, (ptrdiff_t)n};
    return true;
}
