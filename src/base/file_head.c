#include "base/file_head.h"

#include "base/arena.h"
#include "base/read_all.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool file_head(struct arena *perm, const char *path, ptrdiff_t most, struct str *text,
               struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_INPUT, path, -1, "cannot be opened: %s", strerror(errno));
    char *p = arena_take_raw(perm, 1, 1, most);
    ptrdiff_t n = read_all(fd, p, most);
    int why = errno;
    close(fd);
    if (n < 0)
        return err_set(e, ERR_INPUT, path, -1, "cannot be read: %s", strerror(why));
    *text = (struct str){p, n};
    return true;
}
