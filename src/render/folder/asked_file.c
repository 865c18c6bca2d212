#include "render/folder/asked_file.h"

#include "base/plain_file.h"
#include "base/read_all.h"
#include "render/folder/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool asked_has_mark(const char *path, struct str mark)
{
    char head[4096];
    int fd = plain_open(path);
    ptrdiff_t n = fd < 0 ? -1 : read_all(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    return n > 0 && str_has((struct str){head, n}, mark);
}

/* Only a plain file, whole and alone, that no one would miss. */
static bool may_replace(const struct asked_places *b, const char *path, const char *dir,
                        bool (*is_ours)(const char *path), struct err *e)
{
    struct stat st, other;
    if (lstat(path, &st) != 0)
        return errno == ENOENT
                   ? manifest_is_elsewhere(dir, path, e)
                   : err_set(e, ERR_OUTPUT, path, -1, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(e, ERR_OUTPUT, path, -1, "is %s, not a plain file",
                       S_ISDIR(st.st_mode)   ? "a folder"
                       : S_ISLNK(st.st_mode) ? "a link"
                                             : "a device or a pipe");
    for (int k = 0; b->reads[k]; k++)
        if (stat(b->reads[k], &other) == 0 && other.st_dev == st.st_dev &&
            other.st_ino == st.st_ino)
            return err_set(e, ERR_OUTPUT, path, -1,
                           "is read by this run; choose another name");
    if (!manifest_is_elsewhere(dir, path, e))
        return false;
    return b->force || st.st_size == 0 || !is_ours || is_ours(path) ||
           err_set(e, ERR_OUTPUT, path, -1,
                   "is not a file that tracefolio wrote; choose another name, or "
                   "replace it with --force");
}

bool asked_check(const struct asked_places *b, const char *path,
                 bool (*is_ours)(const char *path), struct err *e)
{
    char copy[PATH_MAX], dir[PATH_MAX];
    if (strcmp(path, "-") == 0)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "'-' would be a file of that name; standard output is "
                       "/dev/stdout");
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy)
        return err_set(e, ERR_OUTPUT, path, -1, "the path is too long");
    char *slash = strrchr(copy, '/');
    if (slash)
        slash[slash == copy] = '\0';
    if (!realpath(slash ? copy : ".", dir))
        return err_set(e, ERR_OUTPUT, path, -1, "%s",
                       errno == ENOENT ? "its folder does not exist" : strerror(errno));
    if (access(dir, W_OK) != 0)
        return err_set(e, ERR_OUTPUT, path, -1, "%s", strerror(errno));
    if (b->folder && publish_replaces(b->folder, dir))
        return err_set(e, ERR_USAGE, path, -1,
                       "is in the report's folder, which is replaced as a whole: name "
                       "a place outside it");
    return may_replace(b, path, dir, is_ours, e);
}
