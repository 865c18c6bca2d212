#include "render/folder/publish.h"

#include "base/arena.h"
#include "base/file_queue.h"
#include "base/place_file.h"
#include "base/str.h"
#include "base/terminal.h"
#include "base/written_files.h"
#include "base/zip_file.h"
#include "render/folder/build_mark.h"
#include "render/folder/manifest.h"
#include "render/folder/remove_tree.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static_assert(PUBLISH_PATH_BYTES >= PATH_MAX, "realpath fills it");

/* Variables, so that a test can simulate a file system without a flag, and a rename
 * that fails half way. */
static int (*rename_flags)(int, const char *, int, const char *, unsigned) = renameat2;
static bool (*sync_folder)(int, struct arena) = manifest_sync;
static int (*rename_plain)(int, const char *, int, const char *) = renameat;

static bool fail(const struct publish *p, struct err *e, const char *what)
{
    return err_set(e, ERR_OUTPUT, p->asked, -1, "%s: %s", what, strerror(errno));
}

/* Whether the open folder is still the target: another run may put its own there, and
 * remove this one while it is examined. */
static bool is_target(const struct publish *p, int fd)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 &&
           fstatat(p->parent_fd, p->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/* Whether the target may be replaced in its current state. Checked again just
 * before. */
static bool may_replace(struct publish *p, struct err *e)
{
    const int OTHERS_MAX = 100; /* that replace it meanwhile */
    struct stat st;
    bool same = false;
    for (int k = 0; k < OTHERS_MAX && !same; k++) {
        p->foreign[0] = '\0';
        if (fstatat(p->parent_fd, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            return errno == ENOENT || fail(p, e, "cannot be examined");
        if (!S_ISDIR(st.st_mode))
            return err_set(e, ERR_OUTPUT, p->asked, -1,
                           "is not a folder; choose another name with -o");
        int fd = openat(p->parent_fd, p->name, FOLDER);
        if (fd < 0 && errno == ENOENT)
            continue;
        if (fd < 0)
            return fail(p, e, "cannot be examined");
        build_foreign(fd, p->foreign, sizeof p->foreign);
        same = !p->foreign[0] || is_target(p, fd);
        close(fd);
    }
    return !p->foreign[0] || p->force ||
           err_set(e, ERR_OUTPUT, p->asked, -1,
                   "holds '%.200s', which tracefolio did not write or which has "
                   "changed since; choose another folder with -o, or move this one "
                   "aside with --force",
                   p->foreign);
}

bool publish_replaces(const struct publish *p, const char *dir)
{
    char full[PUBLISH_PATH_BYTES + PUBLISH_NAME_BYTES];
    int n =
        snprintf(full, sizeof full, "%s/%s", p->parent[1] ? p->parent : "", p->name);
    return strncmp(dir, full, (size_t)n) == 0 && (dir[n] == '/' || dir[n] == '\0');
}

/* A folder cannot be exchanged while something is mounted on it or it is a process's
 * current folder. */
static bool may_move(const struct publish *p, struct err *e)
{
    char here[PUBLISH_PATH_BYTES];
    struct statx x;
    if (statx(p->parent_fd, p->name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &x) == 0 &&
        (x.stx_attributes & STATX_ATTR_MOUNT_ROOT))
        return err_set(e, ERR_OUTPUT, p->asked, -1,
                       "is a mount point, which cannot be replaced in one step; name a "
                       "folder inside it");
    if (getcwd(here, sizeof here) && publish_replaces(p, here))
        return err_set(e, ERR_OUTPUT, p->asked, -1,
                       "is or holds the current folder; name a folder inside it");
    const char *home = getenv("HOME");
    if (home && realpath(home, here) && publish_replaces(p, here))
        return err_set(e, ERR_OUTPUT, p->asked, -1,
                       "is or holds the home folder; name a folder inside it");
    return true;
}

bool publish_spares(const struct publish *p, const char *read_path, struct err *e)
{
    char path[PUBLISH_PATH_BYTES];
    return !realpath(read_path, path) || !publish_replaces(p, path) ||
           err_set(e, ERR_OUTPUT, p->asked, -1,
                   "holds '%.200s', which this run reads; choose another folder with "
                   "-o",
                   path);
}

/* The folders of a path from `at` on: what is before each slash. Counts those that did
 * not exist. */
static bool make_folders(const struct publish *p, char *path, char *at,
                         const char *failure, int *n_made, struct err *e)
{
    for (; (at = strchr(at, '/')); at++) {
        struct stat st;
        *at = '\0';
        bool is_new = mkdir(path, 0777) == 0;
        bool made = is_new || errno == EEXIST || errno == EISDIR;
        int why = errno;
        *n_made += is_new;
        made = made || stat(path, &st) == 0; /* on a read-only system */
        *at = '/';
        errno = why;
        if (!made)
            return fail(p, e, failure);
    }
    return true;
}

/* Parent and name of a resolved or new path. */
static bool split(struct publish *p, const char *path, struct err *e)
{
    char copy[PUBLISH_PATH_BYTES];
    snprintf(copy, sizeof copy, "%s", path);
    char *slash = strrchr(copy, '/');
    const char *name = slash ? slash + 1 : copy;
    if (strcmp(name, "") == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        strlen(name) >= sizeof p->name)
        return err_set(e, ERR_OUTPUT, p->asked, -1,
                       "cannot be the name of a new folder");
    strcpy(p->name, name);
    if (slash) {
        slash[1] = '\0';
        if (!make_folders(p, copy, copy + 1, "the parent folder cannot be created",
                          &p->n_made, e))
            return false;
    }
    if (!realpath(slash ? copy : ".", p->parent))
        return fail(p, e, "the parent folder cannot be found");
    return true;
}

static bool resolve(struct publish *p, struct err *e)
{
    char path[PUBLISH_PATH_BYTES];
    size_t n = strlen(p->asked);
    if (n == 0 || n >= sizeof path)
        return err_set(e, ERR_OUTPUT, p->asked, -1,
                       "cannot be the name of a new folder");
    if (realpath(p->asked, path))
        return split(p, path, e);
    if (errno != ENOENT)
        return fail(p, e, "cannot be examined");
    memcpy(path, p->asked, n + 1);
    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0';
    return split(p, path, e);
}

/* ".NAME.KIND-" */
static void temporary_prefix(const struct publish *p, const char *kind, char *buf)
{
    snprintf(buf, PUBLISH_NAME_BYTES, ".%.100s.%s-", p->name, kind);
}

static void random_name(const struct publish *p, const char *kind, char *buf)
{
    unsigned char noise[6];
    if (getrandom(noise, sizeof noise, GRND_NONBLOCK) != sizeof noise)
        memset(noise, (int)getpid(), sizeof noise);
    temporary_prefix(p, kind, buf);
    for (size_t i = 0, n = strlen(buf); i < sizeof noise; i++) {
        buf[n + i] = "abcdefghijklmnopqrstuvwxyz012345"[noise[i] % 32];
        buf[n + i + 1] = '\0';
    }
}

static bool exists(const struct publish *p)
{
    struct stat st;
    return fstatat(p->parent_fd, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void remove_leftovers(const struct publish *p)
{
    char tmp[PUBLISH_NAME_BYTES], old[PUBLISH_NAME_BYTES];
    temporary_prefix(p, "tmp", tmp);
    temporary_prefix(p, "old", old);
    int again = openat(p->parent_fd, ".", FOLDER);
    DIR *d = again < 0 ? NULL : fdopendir(again);
    struct dirent *entry;
    while (d && (entry = readdir(d))) {
        bool is_tmp = strncmp(entry->d_name, tmp, strlen(tmp)) == 0;
        bool is_old = strncmp(entry->d_name, old, strlen(old)) == 0;
        /* A run killed between two renames leaves the only whole site under this
         * name. */
        bool is_another =
            !is_old && entry->d_name[0] == '.' &&
            (strstr(entry->d_name, ".tmp-") || strstr(entry->d_name, ".old-"));
        /* Of a run that was killed before it marked it; one that goes on takes another.
         */
        if ((is_tmp || is_old) &&
            unlinkat(p->parent_fd, entry->d_name, AT_REMOVEDIR) == 0)
            continue;
        if ((is_tmp || is_another || (is_old && exists(p))) &&
            build_is_leftover(p->parent_fd, entry->d_name, is_tmp || is_old))
            remove_tree(p->parent_fd, entry->d_name, BUILD_MARK_NAME);
    }
    if (d)
        closedir(d);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A new folder with its mark; -1 with ENOENT: another run took it for a leftover before
 * it was marked. */
static int make_marked(struct publish *p)
{
    int rc, mark, why;
    do
        random_name(p, "tmp", p->build);
    while ((rc = mkdirat(p->parent_fd, p->build, 0777)) != 0 && errno == EEXIST);
    if (rc != 0) {
        p->build[0] = '\0';
        return -1;
    }
    on_signal_remove(ON_SIGNAL_FOLDER, p->parent_fd, p->build);
    int fd = openat(p->parent_fd, p->build, FOLDER);
    if (fd < 0)
        return -1;
    mark = build_mark_make(fd);
    why = errno;
    close(fd);
    errno = why;
    return mark;
}

static bool make_build(struct publish *p, struct err *e)
{
    enum {
        SLOW_NS = 6000000, /* for two files: what a local disk does in 0.1 ms */
        OTHERS_MAX = 100
    };
    int64_t start_ns = now_ns();
    sigset_t before;
    signals_hold(&before);
    for (int k = 0; p->mark_fd < 0 && k < OTHERS_MAX; k++) {
        p->mark_fd = make_marked(p);
        if (!p->build[0] || errno != ENOENT)
            break;
    }
    if (p->mark_fd >= 0) {
        p->slow = now_ns() - start_ns > SLOW_NS;
        written_files_start();
    }
    signals_let(&before);
    return p->mark_fd >= 0 ||
           fail(p, e, "cannot be written; choose another place with -o");
}

static void let_go(struct publish *p)
{
    written_files_end();
    on_signal_remove(ON_SIGNAL_FOLDER, -1, NULL);
    if (p->mark_fd >= 0)
        close(p->mark_fd);
    if (p->parent_fd >= 0)
        close(p->parent_fd);
    p->mark_fd = p->parent_fd = -1;
    p->build[0] = '\0';
}

/* Those that were made for the target, as far as nothing is in them. */
static void remove_parents(struct publish *p)
{
    char path[PUBLISH_PATH_BYTES], *slash;
    strcpy(path, p->parent);
    for (; p->n_made > 0 && rmdir(path) == 0 && (slash = strrchr(path, '/'));
         p->n_made--)
        *slash = '\0';
    p->n_made = 0;
}

bool publish_begin(struct publish *p, const char *target_dir, bool force, struct err *e)
{
    *p = (struct publish){
        .asked = target_dir, .parent_fd = -1, .mark_fd = -1, .force = force};
    if (strcmp(target_dir, "-") == 0) /* standard output to most programs */
        return err_set(
            e, ERR_USAGE, NULL, -1,
            "-o -: only analyze writes a report to standard output, as a tar; name a "
            "folder (one of that name is ./-)");
    if (!resolve(p, e))
        return false;
    p->parent_fd = open(p->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->parent_fd < 0)
        return fail(p, e, "the parent folder cannot be read");
    if (!manifest_is_elsewhere(p->parent, target_dir, e) || !may_replace(p, e) ||
        !may_move(p, e)) {
        let_go(p);
        remove_parents(p);
        return false;
    }
    remove_leftovers(p);
    if (!make_build(p, e)) {
        publish_abort(p, NULL);
        return false;
    }
    return true;
}

const char *publish_dir(const struct publish *p, struct arena *a)
{
    return str_printf(a, "%s/%s", p->parent[1] ? p->parent : "", p->build).p;
}

/* Folders in it that were made are noted among the written files: on a share, asking
 * for one again takes as long as making it. */
static bool make_folders_once(const struct publish *p, struct arena tmp, char *path,
                              char *at, struct err *e)
{
    struct written_file noted = {0};
    const char *slash = strrchr(at, '/');
    const char *folder = slash ? str_c(&tmp, (struct str){path, slash - path}) : NULL;
    if (!folder || written_files_find(folder, &noted))
        return true;
    int n_made = 0;
    if (!make_folders(p, path, at, "a folder in it cannot be created", &n_made, e))
        return false;
    written_files_add(folder, noted);
    return true;
}

const char *publish_path(const struct publish *p, struct arena *a, const char *name,
                         struct err *e)
{
    assert(p->build[0]);
    if (!zip_name_is_good(str_of(name))) {
        err_set(e, ERR_INTERNAL, p->asked, -1,
                "not a file name that tracefolio writes: '%.100s'", name);
        return NULL;
    }
    const char *dir = publish_dir(p, a);
    char *path = str_c(a, str_printf(a, "%s/%s", dir, name));
    return make_folders_once(p, *a, path, path + strlen(dir) + 1, e) ? path : NULL;
}

const char *publish_folder(const struct publish *p, struct arena *a, const char *name,
                           struct err *e)
{
    const char *path = publish_path(p, a, str_printf(a, "%s/any", name).p, e);
    return path ? str_c(a, (struct str){path, strrchr(path, '/') - path}) : NULL;
}

int64_t publish_bytes(const struct publish *p, struct arena tmp, struct str name)
{
    struct written_file f;
    struct stat st;
    const char *path =
        str_c(&tmp, str_printf(&tmp, "%s/%.*s", publish_dir(p, &tmp), STRF(name)));
    if (written_files_find(path, &f))
        return f.bytes;
    return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

static bool no_such_flag(int why)
{
    return why == EINVAL || why == ENOSYS || why == EOPNOTSUPP;
}

/* A share may refuse to rename a folder while a file in it is open; ours is the mark.
 * Whether it is worth another try. */
static bool drop_mark(struct publish *p)
{
    bool held =
        p->mark_fd >= 0 && (errno == EACCES || errno == EPERM || errno == EBUSY);
    if (held) {
        close(p->mark_fd);
        p->mark_fd = -1;
    }
    return held;
}

static bool put_in_place(struct publish *p)
{
    return rename_plain(p->parent_fd, p->build, p->parent_fd, p->name) == 0;
}

/* Without an exchange there is a moment with no folder at the target, never with half a
 * one; if the second step fails, the first is undone. */
static bool swap_in_two_steps(struct publish *p, struct err *e)
{
    char old[PUBLISH_NAME_BYTES];
    random_name(p, "old", old);
    bool had_old = rename_plain(p->parent_fd, p->name, p->parent_fd, old) == 0;
    if (!had_old && errno != ENOENT)
        return fail(p, e, "cannot be replaced");
    if (!put_in_place(p) && !(drop_mark(p) && put_in_place(p))) {
        fail(p, e, "cannot be replaced");
        if (had_old)
            rename_plain(p->parent_fd, old, p->parent_fd, p->name);
        return false;
    }
    strcpy(p->build, had_old ? old : "");
    return true;
}

/* Moves within the parent, and never replaces. */
static bool move_to_new(const struct publish *p, const char *from, const char *to)
{
    struct stat st;
    if (rename_flags(p->parent_fd, from, p->parent_fd, to, RENAME_NOREPLACE) == 0)
        return true;
    if (!no_such_flag(errno))
        return false;
    if (fstatat(p->parent_fd, to, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return false;
    }
    return rename_plain(p->parent_fd, from, p->parent_fd, to) == 0;
}

/* The old folder holds what is not ours, so it never gets a name that we remove: for a
 * moment nothing is at the target. */
static bool move_aside(struct publish *p, struct err *e)
{
    char aside[PUBLISH_NAME_BYTES];
    int k = 0;
    do
        snprintf(aside, sizeof aside, "%.230s.replaced-%d", p->name, ++k);
    while (!move_to_new(p, p->name, aside) && errno == EEXIST && k < INT_MAX);
    if (exists(p))
        return fail(p, e, "cannot be moved aside");
    if (!move_to_new(p, p->build, p->name) &&
        !(drop_mark(p) && move_to_new(p, p->build, p->name))) {
        fail(p, e, "cannot be put in place");
        move_to_new(p, aside, p->name);
        return false;
    }
    strcpy(p->moved_aside, aside);
    p->build[0] = '\0';
    return true;
}

/* Afterwards p->build names the old folder, or nothing. */
static bool swap(struct publish *p, struct err *e)
{
    if (p->foreign[0])
        return move_aside(p, e);
    if (rename_flags(p->parent_fd, p->build, p->parent_fd, p->name, RENAME_EXCHANGE) ==
        0)
        return true;
    if (no_such_flag(errno))
        return swap_in_two_steps(p, e);
    if (errno != ENOENT)
        return fail(p, e, "cannot be replaced");
    if (rename_flags(p->parent_fd, p->build, p->parent_fd, p->name, RENAME_NOREPLACE) !=
        0)
        return fail(p, e, "cannot be put in place");
    p->build[0] = '\0';
    return true;
}

/* Swaps the folders and sets what a signal then removes, in one step for signals. The
 * mark is removed last, and the old folder gets one: by it a later run recognises what
 * a killed run left behind. */
static bool finish(struct publish *p, struct arena tmp, struct err *e)
{
    sigset_t before;
    int fd = openat(p->parent_fd, p->build, FOLDER), old = -1;
    if (fd < 0)
        return fail(p, e, "the new folder is gone");
    bool done = file_queue_finish(e) && manifest_write(publish_dir(p, &tmp), tmp, e);
    /* Before an old folder goes, so that a power cut leaves one or the other whole. */
    if (done && (p->lasts || exists(p)) && !sync_folder(fd, tmp))
        done = fail(p, e, "cannot be written to the disk");
    signals_hold(&before);
    done = done && may_replace(p, e) && swap(p, e);
    on_signal_remove(ON_SIGNAL_FOLDER, p->parent_fd, p->build[0] ? p->build : NULL);
    signals_let(&before);
    if (done) {
        unlinkat(fd, BUILD_MARK_NAME, 0);
        if (p->lasts)
            (void)!place_synced(p->parent_fd); /* its name; its files are there */
        if (p->mark_fd >= 0)
            close(p->mark_fd);
        old = p->build[0] ? openat(p->parent_fd, p->build, FOLDER) : -1;
        p->mark_fd = old >= 0 ? build_mark_make(old) : -1;
    }
    if (old >= 0)
        close(old);
    close(fd);
    return done;
}

bool publish_commit(struct publish *p, struct arena tmp, struct err *e)
{
    assert(p->build[0]);
    if (!finish(p, tmp, e)) {
        publish_abort(p, e);
        return false;
    }
    if (p->build[0] && !remove_tree(p->parent_fd, p->build, BUILD_MARK_NAME))
        memcpy(p->left_behind, p->build, sizeof p->left_behind);
    let_go(p);
    return true;
}

/* "PARENT/.out.tmp-abcdef/x.csv" becomes "out/x.csv". */
static void name_target(const struct publish *p, struct err *e)
{
    char dir[PUBLISH_PATH_BYTES + PUBLISH_NAME_BYTES], file[sizeof e->file];
    int n =
        snprintf(dir, sizeof dir, "%s/%s/", p->parent[1] ? p->parent : "", p->build);
    if (!p->build[0] || strncmp(e->file, dir, (size_t)n) != 0)
        return;
    snprintf(file, sizeof file, "%s/%s", p->asked, e->file + n);
    memcpy(e->file, file, sizeof file);
}

void publish_abort(struct publish *p, struct err *e)
{
    (void)!file_queue_finish(e);
    if (e)
        name_target(p, e);
    if (p->build[0])
        remove_tree(p->parent_fd, p->build, BUILD_MARK_NAME);
    let_go(p);
    remove_parents(p);
}

static void tell(const struct publish *p, FILE *to, const char *name, const char *what)
{
    if (*name)
        terminal_line(to, "tracefolio: %s/%s: %s", p->parent[1] ? p->parent : "", name,
                      what);
}

void publish_tell(const struct publish *p, FILE *to)
{
    tell(p, to, p->moved_aside,
         "the folder that was there, with files tracefolio did not write");
    tell(p, to, p->left_behind, "remains of the old report that cannot be removed");
}
