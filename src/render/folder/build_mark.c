#include "render/folder/build_mark.h"

#include "base/arena.h"
#include "base/list_next.h"
#include "base/plain_file.h"
#include "base/read_all.h"
#include "base/str.h"
#include "base/write_all.h"
#include "render/folder/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

time_t build_stale_s = 3600;

void build_foreign(int fd, char *name, size_t bytes)
{
    struct arena tmp = arena_reserve(arena_machine_bytes() / 8);
    char *start = tmp.at;
    struct str foreign = manifest_foreign(fd, &tmp);
    snprintf(name, bytes, "%.*s", STRF(foreign));
    arena_release(start, &tmp);
}

/* Where a lock shows whether its holder is alive: on this machine, since its last boot.
 * Empty: unknown. */
static void this_boot(char line[64])
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f || !fgets(line, 64, f))
        line[0] = '\0';
    if (f)
        fclose(f);
}

/* Another run that looks for leftovers may hold the lock of a mark for a moment. */
static bool lock_new(int mark)
{
    const int TRIES = 200;
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int k = 0; k < TRIES; k++) {
        if (flock(mark, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK)
            return false;
        nanosleep(&pause, NULL);
    }
    return false;
}

int build_mark_make(int fd)
{
    char text[sizeof BUILD_MARK_TEXT + 64], boot[64];
    this_boot(boot);
    int mark = openat(fd, BUILD_MARK_NAME,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (mark < 0)
        return -1;
    bool locked = lock_new(mark);
    snprintf(text, sizeof text, BUILD_MARK_TEXT "%s", locked ? boot : "");
    if (write_all(mark, str_of(text)) == 0)
        return mark;
    int why = errno;
    close(mark);
    errno = why;
    return -1;
}

static bool is_of_this_boot(int mark)
{
    char text[256], boot[64];
    ptrdiff_t n = read_all(mark, text, sizeof text - 1);
    this_boot(boot);
    text[n > 0 ? n : 0] = '\0';
    return boot[0] && strstr(text, boot);
}

/* A folder without a whole mark is nobody's but ours if all in it is what its manifest
 * says: the site before, of a run that was killed before it marked it. */
static bool is_old_site(int fd)
{
    char foreign[256];
    build_foreign(fd, foreign, sizeof foreign);
    return !foreign[0] && faccessat(fd, MANIFEST_NAME, F_OK, 0) == 0;
}

/* Nothing but a mark is in the folder. */
static bool is_empty(int fd)
{
    int again = openat(fd, ".", FOLDER);
    DIR *d = again < 0 ? NULL : fdopendir(again);
    struct dirent *entry;
    bool empty = d != NULL;
    int why = 0;
    while (empty && (entry = list_next(d, &why)))
        empty = strcmp(entry->d_name, BUILD_MARK_NAME) == 0;
    if (d)
        closedir(d);
    return empty && !why;
}

bool build_is_leftover(int parent_fd, const char *name, bool of_target)
{
    struct stat st, mark_st = {0};
    int fd = openat(parent_fd, name, FOLDER);
    if (fd < 0)
        return false;
    bool old = fstat(fd, &st) == 0 && time(NULL) - st.st_ctime > build_stale_s;
    int mark = plain_open_at(fd, BUILD_MARK_NAME);
    bool ours = mark < 0 || flock(mark, LOCK_EX | LOCK_NB) == 0;
    if (mark < 0 || (fstat(mark, &mark_st) == 0 && mark_st.st_size == 0))
        ours = ours && of_target && (is_old_site(fd) || (old && is_empty(fd)));
    else
        ours = ours && (old || is_of_this_boot(mark));
    if (mark >= 0)
        close(mark);
    close(fd);
    return ours;
}
