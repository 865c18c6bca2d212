#include "render/folder/tar_write.h"

#include "base/plain_file.h"
#include "base/terminal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, RECORD = 20 * BLOCK, NAME_BYTES = 100, DEPTH_MOST = 8 };

/* Octal digits and a NUL, as ustar has numbers. */
struct header {
    char name[NAME_BYTES], mode[8], uid[8], gid[8], size[12], time[12], sum[8], type,
        link[100], magic[6], version[2], user[32], group[32], major[8], minor[8],
        prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header fills a block");

struct tar {
    FILE *to;
    int64_t written;
    struct err *e;
};

static bool put(struct tar *t, const char *bytes, size_t n)
{
    t->written += (int64_t)n;
    terminal_raw(t->to, (struct str){bytes, (ptrdiff_t)n});
    return !ferror(t->to) || err_set(t->e, ERR_OUTPUT, "-", -1,
                                     "cannot write the tar: %s", strerror(errno));
}

static bool pad(struct tar *t, int to)
{
    static const char zeros[RECORD];
    return put(t, zeros, (size_t)((to - t->written % to) % to));
}

static bool put_header(struct tar *t, const char *name, int64_t bytes)
{
    struct header h = {.mode = "0000644",
                       .uid = "0000000",
                       .gid = "0000000",
                       .time = "00000000000",
                       .type = '0',
                       .magic = "ustar",
                       .version = {'0', '0'}};
    unsigned sum = 0;
    if (strlen(name) > sizeof h.name || bytes >> 33)
        return err_set(t->e, ERR_OUTPUT, name, -1, "does not fit into a tar");
    memcpy(h.name, name, strlen(name));
    snprintf(h.size, sizeof h.size, "%011llo", (unsigned long long)bytes);
    memset(h.sum, ' ', sizeof h.sum);
    for (size_t i = 0; i < sizeof h; i++)
        sum += ((const unsigned char *)&h)[i];
    snprintf(h.sum, sizeof h.sum, "%06o", sum);
    return put(t, (const char *)&h, sizeof h);
}

static bool cannot_read(struct tar *t, const char *name)
{
    return err_set(t->e, ERR_OUTPUT, name, -1, "cannot read it for the tar: %s",
                   plain_why(errno));
}

static bool put_file(struct tar *t, int fd, const char *name, int64_t bytes)
{
    char block[1 << 16];
    if (!put_header(t, name, bytes))
        return false;
    while (bytes > 0) {
        ssize_t n = read(fd, block,
                         bytes < (int64_t)sizeof block ? (size_t)bytes : sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return cannot_read(t, name);
        if (!put(t, block, (size_t)n))
            return false;
        bytes -= n;
    }
    return pad(t, BLOCK);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool put_folder(struct tar *t, int fd, const char *prefix, int depth);

static bool put_entry(struct tar *t, int folder, const char *prefix, const char *entry,
                      int depth)
{
    char name[NAME_BYTES + 1];
    struct stat s;
    if (fstatat(folder, entry, &s, AT_SYMLINK_NOFOLLOW) < 0)
        return cannot_read(t, entry);
    bool is_folder = S_ISDIR(s.st_mode);
    if (!is_folder && !S_ISREG(s.st_mode))
        return true;
    if (snprintf(name, sizeof name, "%s%s%s", prefix, entry, is_folder ? "/" : "") >=
        (int)sizeof name)
        return err_set(t->e, ERR_OUTPUT, entry, -1, "does not fit into a tar");
    int fd = is_folder ? openat(folder, entry,
                                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                       : plain_open_at(folder, entry);
    if (fd < 0)
        return cannot_read(t, name);
    bool done = is_folder ? put_folder(t, fd, name, depth + 1)
                          : put_file(t, fd, name, s.st_size);
    close(fd);
    return done;
}

static bool put_folder(struct tar *t, int fd, const char *prefix, int depth)
{
    struct dirent **entries = NULL;
    int n = depth < DEPTH_MOST ? scandirat(fd, ".", &entries, NULL, by_bytes) : -1;
    bool done = n >= 0 || cannot_read(t, prefix);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (done && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            done = put_entry(t, fd, prefix, name, depth);
        free(entries[i]);
    }
    free(entries);
    return done;
}

bool tar_write(FILE *to, const char *folder, struct err *e)
{
    static const char end[2 * BLOCK];
    struct tar t = {to, 0, e};
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return cannot_read(&t, folder);
    bool done =
        put_folder(&t, fd, "", 0) && put(&t, end, sizeof end) && pad(&t, RECORD);
    close(fd);
    if (done && fflush(to) != 0)
        done = err_set(e, ERR_OUTPUT, "-", -1, "cannot write the tar: %s",
                       strerror(errno));
    return done;
}
