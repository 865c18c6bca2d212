#include "base/file_head.h"

#include "base/arena.h"
#include "base/plain_file.h"
#include "base/read_all.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_head(struct arena *perm, const char *path, ptrdiff_t most, struct str *text,
               struct err *e)
{
    struct stat st;
    int fd = plain_open(path);
    if (fd < 0)
        return err_set(e, ERR_INPUT, path, -1, "cannot be opened: %s",
                       plain_why(errno));
    /* What the system makes up, as in /proc, says that it is empty. */
    if (fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size < most)
        most = (ptrdiff_t)st.st_size + 1; /* one more shows that it grew */
    char *p = arena_take_raw(perm, 1, 1, most);
    ptrdiff_t n = read_all(fd, p, most);
    int why = errno;
    close(fd);
    if (n < 0)
        return err_set(e, ERR_INPUT, path, -1, "cannot be read: %s", strerror(why));
    *text = (struct str){p, n};
    return true;
}
