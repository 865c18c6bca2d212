#include "runs/run_lock.h"

#include "base/plain_file.h"
#include "base/read_all.h"
#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { POLL_NS = 50000000, EMPTY_STALE_S = 10 };

/* A file's first line; empty if it cannot be read. */
static void first_line(const char *path, char *line, int room)
{
    FILE *f = fopen(path, "r");
    if (!f || !fgets(line, room, f))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (f)
        fclose(f);
}

/* The 22nd figure of /proc/PID/stat: when the process began. 0: there is none. */
static unsigned long long start_of(long pid)
{
    char path[64], stat[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    first_line(path, stat, sizeof stat);
    char *at = strrchr(stat, ')'); /* a name may hold spaces and brackets */
    for (int k = 2; at && k < 22; k++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

/* Where a process number means something: this boot, this space of numbers. */
static void this_space(char space[96])
{
    char boot[48], pids[40] = "";
    first_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    ssize_t n = readlink("/proc/self/ns/pid", pids, sizeof pids - 1);
    pids[n > 0 ? n : 0] = '\0';
    snprintf(space, 96, "%s/%s", boot, pids);
}

static void noise_text(char text[17])
{
    unsigned char noise[8];
    if (getrandom(noise, sizeof noise, GRND_NONBLOCK) != sizeof noise)
        memset(noise, (int)getpid(), sizeof noise);
    for (int i = 0; i < 8; i++)
        snprintf(text + 2 * i, 3, "%02x", noise[i]);
}

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Tried twice: if it cannot be read, our own lock stays. */
static void read_lock(int root_fd, const char *name, char text[LOCK_TEXT_BYTES])
{
    ptrdiff_t n = -1;
    errno = 0;
    for (int k = 0; k < 2 && n < 0 && errno != ENOENT; k++) {
        int fd = plain_open_at(root_fd, name);
        if (fd < 0)
            continue;
        n = read_all(fd, text, LOCK_TEXT_BYTES - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
}

/* Seconds since the lock was made, by the clock of the share; below 0 if whoever made
 * it dated it in the future. 0 also if it is no file: then it is not ours to remove. */
static double age_of(int root_fd)
{
    struct stat lock, now;
    char name[64] = ".tracefolio-now-", noise[17];
    noise_text(noise);
    strcat(name, noise);
    int fd = openat(root_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool known = fd >= 0 && fstat(fd, &now) == 0 &&
                 fstatat(root_fd, RUN_LOCK_NAME, &lock, AT_SYMLINK_NOFOLLOW) == 0 &&
                 S_ISREG(lock.st_mode);
    if (fd >= 0) {
        close(fd);
        unlinkat(root_fd, name, 0);
    }
    return known ? difftime(now.st_mtime, lock.st_mtime) : 0;
}

/* Whether a holder that this machine can ask is gone. */
static bool holder_is_gone(const char *text)
{
    char space[96], theirs[96] = "";
    long pid = 0;
    unsigned long long start = 0;
    this_space(space);
    if (sscanf(text, "%95s %ld %llu", theirs, &pid, &start) != 3 ||
        strcmp(space, theirs) != 0 || space[0] == '/')
        return false;
    return (kill((pid_t)pid, 0) != 0 && errno == ESRCH) || start_of(pid) != start;
}

/* A date that far ahead is as wrong as one long past: it would block for as long. */
static bool is_stale(int root_fd, const char *text)
{
    double age_s = fabs(age_of(root_fd));
    return holder_is_gone(text) || age_s > LOCK_STALE_S ||
           (!*text && age_s > EMPTY_STALE_S);
}

/* Several may find the same lock stale: a rename moves it for one of them. Whoever
 * moved a lock that is not the stale one puts it back. */
static void take_away(int root_fd, const char *stale)
{
    char name[64] = ".tracefolio-stale-", noise[17], text[LOCK_TEXT_BYTES];
    struct stat st;
    noise_text(noise);
    strcat(name, noise);
    if (renameat(root_fd, RUN_LOCK_NAME, root_fd, name) != 0)
        return;
    read_lock(root_fd, name, text);
    if (strcmp(text, stale) != 0 &&
        fstatat(root_fd, RUN_LOCK_NAME, &st, AT_SYMLINK_NOFOLLOW) != 0 &&
        renameat(root_fd, name, root_fd, RUN_LOCK_NAME) == 0)
        return;
    unlinkat(root_fd, name, 0);
}

static bool create(struct run_lock *l)
{
    int fd = openat(l->root_fd, RUN_LOCK_NAME,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool done = write_all(fd, str_of(l->text)) == 0;
    close(fd);
    if (!done)
        unlinkat(l->root_fd, RUN_LOCK_NAME, 0);
    return done;
}

bool run_lock_take(struct run_lock *l, int root_fd, int wait_s)
{
    char space[96], noise[17], held[LOCK_TEXT_BYTES];
    l->root_fd = root_fd;
    this_space(space);
    noise_text(noise);
    snprintf(l->text, sizeof l->text, "%s %ld %llu %s\n", space, (long)getpid(),
             start_of(getpid()), noise);
    int64_t until_ns = clock_ns() + wait_s * 1000000000LL;
    for (int tries = 0; !create(l); tries++) {
        if (errno != EEXIST || (tries && clock_ns() > until_ns))
            return false;
        read_lock(root_fd, RUN_LOCK_NAME, held);
        if (is_stale(root_fd, held))
            take_away(root_fd, held);
        else
            nanosleep(&(struct timespec){0, POLL_NS}, NULL);
    }
    return true;
}

void run_lock_drop(struct run_lock *l)
{
    char text[LOCK_TEXT_BYTES];
    read_lock(l->root_fd, RUN_LOCK_NAME, text);
    if (strcmp(text, l->text) == 0)
        unlinkat(l->root_fd, RUN_LOCK_NAME, 0);
}
