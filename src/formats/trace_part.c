#include "formats/trace_part.h"

#include <string.h>
#include <unistd.h>

__attribute__((hot)) bool part_path_of(struct part_path *p, const char *path)
{
    static const struct str mark = S_INIT(":rank=");
    struct str text = str_of(path);
    ptrdiff_t at = text.n;
    int64_t n;
    p->part = NULL;
    while (--at > 0 && !str_starts(str_skip(text, at), mark))
        continue;
    if (at <= 0 || at >= PART_PATH_MAX || !str_int(str_skip(text, at + mark.n), &n) ||
        access(path, F_OK) == 0)
        return false;
    memcpy(p->file, path, (size_t)at);
    p->file[at] = '\0';
    p->part = path + at + 1;
    return true;
}
