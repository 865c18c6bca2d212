#include "render/folder/remove_tree.h"

#include "base/arena.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

struct removal {
    int root, fd; /* the folder to remove, and the one in it that is emptied */
    const char *last;
    unsigned fresh;
    bool more;
};

/* Every entry but . and .., without the allocating opendir. */
static bool each_entry(int fd, bool (*visit)(struct removal *r, const char *name),
                       struct removal *r)
{
    _Alignas(struct dirent64) char batch[4096];
    bool good = lseek(fd, 0, SEEK_SET) == 0;
    ssize_t n = 0;
    while (good && (n = getdents64(fd, batch, sizeof batch)) > 0)
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *entry = (const void *)(batch + at);
            const char *name = entry->d_name;
            at += entry->d_reclen;
            if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
                good = visit(r, name) && good;
        }
    return good && n == 0;
}

/* ".12": a name that our folders never contain. */
static void fresh_name(char name[16], unsigned n)
{
    char digits[12];
    int k = 0;
    do
        digits[k++] = (char)('0' + n % 10);
    while (n /= 10);
    *name++ = '.';
    while (k > 0)
        *name++ = digits[--k];
    *name = '\0';
}

/* Files are unlinked, folders moved up into the root under fresh names. */
static bool empty_one(struct removal *r, const char *name)
{
    char up[16];
    int rc;
    if (unlinkat(r->fd, name, 0) == 0 || unlinkat(r->fd, name, AT_REMOVEDIR) == 0)
        return true;
    do {
        fresh_name(up, ++r->fresh);
        rc = renameat2(r->fd, name, r->root, up, RENAME_NOREPLACE);
    } while (rc != 0 && errno == EEXIST);
    if (rc != 0 && errno == EINVAL) /* no such flag here: NFS */
        rc = renameat(r->fd, name, r->root, up);
    return rc == 0;
}

static bool remove_one(struct removal *r, const char *name)
{
    if (r->last && strcmp(name, r->last) == 0)
        return true;
    r->more = true;
    if (unlinkat(r->root, name, 0) == 0)
        return true;
    r->fd = openat(r->root, name, FOLDER);
    bool good = r->fd >= 0 && each_entry(r->fd, empty_one, r);
    if (r->fd >= 0)
        close(r->fd);
    return unlinkat(r->root, name, AT_REMOVEDIR) == 0 && good;
}

static bool try_remove(int parent_fd, const char *name, const char *last)
{
    struct removal r = {.root = openat(parent_fd, name, FOLDER), .last = last};
    if (r.root < 0)
        return unlinkat(parent_fd, name, 0) == 0;
    bool good;
    do {
        r.more = false;
        good = each_entry(r.root, remove_one, &r);
    } while (good && r.more);
    if (good && last)
        unlinkat(r.root, last, 0);
    close(r.root);
    return unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 && good;
}

bool remove_tree(int parent_fd, const char *name, const char *last)
{
    return try_remove(parent_fd, name, last) || try_remove(parent_fd, name, last);
}

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
enum { ENDS = sizeof ends / sizeof *ends, TRIES = 1000 };

static struct {
    bool set;
    int parent_fd;
    char name[4096];
} doomed[ON_SIGNALS];

/* Other threads may keep writing until their folder is gone: hence several attempts. */
static void remove_doomed(void)
{
    for (int k = 0; k < ON_SIGNALS; k++)
        for (int i = 0; doomed[k].set && i < TRIES; i++)
            doomed[k].set = !remove_tree(doomed[k].parent_fd, doomed[k].name, NULL) &&
                            errno != ENOENT;
}

/* In the main thread, which is stopped meanwhile. */
static void clean_up(int sig)
{
    if (syscall(SYS_gettid) != getpid()) {
        syscall(SYS_tgkill, getpid(), getpid(), sig);
        return;
    }
    remove_doomed();
    signal(sig, SIG_DFL);
    raise(sig); /* as soon as this returns */
}

void signals_hold(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    for (int k = 0; k < ENDS; k++)
        sigaddset(&held, ends[k]);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

void signals_let(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* An ignored signal, as under nohup, stays ignored. */
static void handle_signals(void)
{
    struct sigaction old, ours = {.sa_handler = clean_up, .sa_flags = SA_RESTART};
    sigfillset(&ours.sa_mask);
    arena_on_full(remove_doomed);
    for (int k = 0; k < ENDS; k++)
        if (sigaction(ends[k], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(ends[k], &ours, NULL);
}

void on_signal_remove(enum on_signal what, int parent_fd, const char *name)
{
    sigset_t before;
    signals_hold(&before);
    handle_signals();
    doomed[what].set = name && strlen(name) < sizeof doomed[what].name;
    doomed[what].parent_fd = parent_fd;
    if (doomed[what].set)
        strcpy(doomed[what].name, name);
    signals_let(&before);
}
