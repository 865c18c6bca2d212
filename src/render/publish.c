#include "render/publish.h"

#include "base/arena.h"
#include "base/str.h"
#include "render/manifest.h"
#include "render/zip_file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUILD_MARK_NAME ".tracefolio-build"
#define BUILD_MARK_TEXT "# tracefolio is writing here; may be removed if it is not\n"

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static_assert(PUBLISH_PATH_BYTES >= PATH_MAX, "realpath fills it");

/* Variables, so that a test can play a file system that lacks a flag, a rename that
 * fails half way, and an hour that has passed. */
static time_t stale_s = 3600;
static int (*rename_flags)(int, const char *, int, const char *, unsigned) = renameat2;
static int (*rename_plain)(int, const char *, int, const char *) = renameat;

static bool fail(const struct publish *p, struct err *e, const char *what)
{
    return err_set(e, ERR_OUTPUT, p->asked, -1, "%s: %s", what, strerror(errno));
}

/* ---- removing ---- */

/* Empty one folder: files are unlinked, folders in it moved up into root_fd under fresh
 * names. So any depth goes in a flat loop, and no link is ever followed. */
static bool empty_into(int root_fd, int fd, unsigned *fresh)
{
    int again = openat(fd, ".", FOLDER);
    DIR *d = again < 0 ? NULL : fdopendir(again);
    if (!d) {
        if (again >= 0)
            close(again);
        return false;
    }
    bool good = true;
    struct dirent *entry;
    while ((entry = readdir(d))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (unlinkat(fd, name, 0) == 0 || unlinkat(fd, name, AT_REMOVEDIR) == 0)
            continue;
        char up[32];
        int rc = -1;
        do
            snprintf(up, sizeof up, ".%u", ++*fresh);
        while ((rc = renameat2(fd, name, root_fd, up, RENAME_NOREPLACE)) != 0 &&
               errno == EEXIST);
        if (rc != 0 && errno == EINVAL) /* no such flag here: NFS */
            rc = renameat(fd, name, root_fd, up);
        good = good && rc == 0;
    }
    closedir(d);
    return good;
}

/* Remove the folder `name` of parent_fd and all that is in it. A link goes, not what it
 * points to. */
static bool remove_folder(int parent_fd, const char *name)
{
    int root = openat(parent_fd, name, FOLDER);
    if (root < 0)
        return false;
    unsigned fresh = 0;
    bool good = true, more = true;
    while (good && more) {
        more = false;
        int again = openat(root, ".", FOLDER);
        DIR *d = again < 0 ? NULL : fdopendir(again);
        struct dirent *entry;
        while (d && (entry = readdir(d))) {
            const char *inner = entry->d_name;
            if (strcmp(inner, ".") == 0 || strcmp(inner, "..") == 0)
                continue;
            more = true;
            if (unlinkat(root, inner, 0) == 0)
                continue;
            int fd = openat(root, inner, FOLDER);
            good = fd >= 0 && empty_into(root, fd, &fresh) && good;
            if (fd >= 0)
                close(fd);
            good = unlinkat(root, inner, AT_REMOVEDIR) == 0 && good;
        }
        if (d)
            closedir(d);
        else
            good = false;
    }
    close(root);
    return unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 && good;
}

/* ---- whose folder is it ---- */

static bool is_empty(int fd)
{
    int again = openat(fd, ".", FOLDER);
    DIR *d = again < 0 ? NULL : fdopendir(again);
    if (!d)
        return false;
    int entries = 0;
    while (entries < 3 && readdir(d))
        entries++;
    closedir(d);
    return entries == 2; /* itself and its parent */
}

/* May the target be replaced as it is now? Asked again just before it is. */
static bool may_replace(const struct publish *p, struct err *e)
{
    struct stat st;
    if (fstatat(p->parent_fd, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT || fail(p, e, "cannot be looked at");
    if (!S_ISDIR(st.st_mode))
        return err_set(e, ERR_OUTPUT, p->asked, -1,
                       "is not a folder; choose another name with -o");
    int fd = openat(p->parent_fd, p->name, FOLDER);
    if (fd < 0)
        return fail(p, e, "cannot be looked at");
    bool ours = p->force || manifest_marks(fd, MANIFEST_NAME) || is_empty(fd);
    close(fd);
    return ours ||
           err_set(e, ERR_OUTPUT, p->asked, -1,
                   "holds files tracefolio did not write; choose another folder "
                   "with -o, or replace it with --force");
}

/* A folder cannot be exchanged while something is mounted on it or somebody stands in
 * it. */
static bool may_move(const struct publish *p, struct err *e)
{
    char full[PUBLISH_PATH_BYTES + PUBLISH_NAME_BYTES], here[PUBLISH_PATH_BYTES];
    struct statx x;
    if (statx(p->parent_fd, p->name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &x) == 0 &&
        (x.stx_attributes & STATX_ATTR_MOUNT_ROOT))
        return err_set(e, ERR_OUTPUT, p->asked, -1,
                       "is a mount point, which cannot be replaced in one step; name a "
                       "folder inside it");
    int n =
        snprintf(full, sizeof full, "%s/%s", p->parent[1] ? p->parent : "", p->name);
    if (getcwd(here, sizeof here) && strncmp(here, full, (size_t)n) == 0 &&
        (here[n] == '/' || here[n] == '\0'))
        return err_set(e, ERR_OUTPUT, p->asked, -1,
                       "is or holds the current folder; name a folder inside it");
    return true;
}

/* ---- finding the place ---- */

static bool make_parents(const struct publish *p, char *path, struct err *e)
{
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        int rc = mkdir(path, 0777);
        *at = '/';
        if (rc != 0 && errno != EEXIST && errno != EISDIR) {
            struct stat st;
            int why = errno;
            *at = '\0';
            bool there = stat(path, &st) == 0; /* on a read-only system */
            *at = '/';
            errno = why;
            if (!there)
                return fail(p, e, "the folder it shall stand in cannot be made");
        }
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
        return err_set(e, ERR_OUTPUT, p->asked, -1, "cannot be a folder's name");
    strcpy(p->name, name);
    if (slash) {
        slash[1] = '\0';
        if (!make_parents(p, copy, e))
            return false;
    }
    if (!realpath(slash ? copy : ".", p->parent))
        return fail(p, e, "the folder it shall stand in cannot be found");
    return true;
}

static bool resolve(struct publish *p, struct err *e)
{
    char path[PUBLISH_PATH_BYTES];
    size_t n = strlen(p->asked);
    if (n == 0 || n >= sizeof path)
        return err_set(e, ERR_OUTPUT, p->asked, -1, "cannot be a folder's name");
    if (realpath(p->asked, path))
        return split(p, path, e);
    if (errno != ENOENT)
        return fail(p, e, "cannot be looked at");
    memcpy(path, p->asked, n + 1);
    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0';
    return split(p, path, e);
}

/* ---- temporary folders ---- */

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

/* A leftover is ours if it has the mark of a build that nobody locks any more, or is a
 * whole site with a manifest; and old, for shares where a lock is not seen from afar.
 */
static bool is_leftover(int parent_fd, const char *name)
{
    struct stat st;
    bool ours = false;
    int fd = openat(parent_fd, name, FOLDER);
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && time(NULL) - st.st_ctime > stale_s) {
        int mark = openat(fd, BUILD_MARK_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        ours = mark >= 0 ? flock(mark, LOCK_EX | LOCK_NB) == 0
                         : manifest_marks(fd, MANIFEST_NAME);
        if (mark >= 0)
            close(mark);
    }
    close(fd);
    return ours;
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
        /* Killed between two renames, a run leaves the only whole site under this name.
         */
        if ((is_tmp || (is_old && exists(p))) &&
            is_leftover(p->parent_fd, entry->d_name))
            remove_folder(p->parent_fd, entry->d_name);
    }
    if (d)
        closedir(d);
}

static bool make_build(struct publish *p, struct err *e)
{
    int rc, fd = -1;
    do
        random_name(p, "tmp", p->build);
    while ((rc = mkdirat(p->parent_fd, p->build, 0777)) != 0 && errno == EEXIST);
    if (rc == 0)
        fd = openat(p->parent_fd, p->build, FOLDER);
    if (fd >= 0) {
        p->mark_fd = openat(fd, BUILD_MARK_NAME,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        close(fd);
    }
    const ssize_t n = sizeof BUILD_MARK_TEXT - 1;
    if (p->mark_fd >= 0 && write(p->mark_fd, BUILD_MARK_TEXT, (size_t)n) == n) {
        flock(p->mark_fd, LOCK_EX | LOCK_NB); /* where there are locks */
        return true;
    }
    fail(p, e, "cannot be written; choose another place with -o");
    if (rc != 0)
        p->build[0] = '\0';
    return false;
}

static void let_go(struct publish *p)
{
    if (p->mark_fd >= 0)
        close(p->mark_fd);
    if (p->parent_fd >= 0)
        close(p->parent_fd);
    p->mark_fd = p->parent_fd = -1;
    p->build[0] = '\0';
}

bool publish_begin(struct publish *p, const char *target_dir, bool force, struct err *e)
{
    *p = (struct publish){
        .asked = target_dir, .parent_fd = -1, .mark_fd = -1, .force = force};
    if (!resolve(p, e))
        return false;
    p->parent_fd = open(p->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->parent_fd < 0)
        return fail(p, e, "the folder it shall stand in cannot be read");
    if (!may_replace(p, e) || !may_move(p, e)) {
        let_go(p);
        return false;
    }
    remove_leftovers(p);
    if (!make_build(p, e)) {
        publish_abort(p, NULL);
        return false;
    }
    return true;
}

/* ---- writing ---- */

const char *publish_dir(const struct publish *p, struct arena *a)
{
    return str_printf(a, "%s/%s", p->parent[1] ? p->parent : "", p->build).p;
}

const char *publish_path(const struct publish *p, struct arena *a, const char *name,
                         struct err *e)
{
    assert(p->build[0]);
    if (!zip_name_is_good(str_of(name))) {
        err_set(e, ERR_INTERNAL, p->asked, -1, "no name for a file: '%.100s'", name);
        return NULL;
    }
    const char *dir = publish_dir(p, a);
    char *path = str_c(a, str_printf(a, "%s/%s", dir, name));
    for (char *at = path + strlen(dir) + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        int rc = mkdir(path, 0777);
        *at = '/';
        if (rc != 0 && errno != EEXIST) {
            fail(p, e, "a folder in it cannot be made");
            return NULL;
        }
    }
    return path;
}

/* ---- changing places ---- */

static bool no_such_flag(int why)
{
    return why == EINVAL || why == ENOSYS || why == EOPNOTSUPP;
}

/* Without an exchange there is a moment with no folder at the target, never with half a
 * one; if the second step fails the first is taken back. */
static bool swap_in_two_steps(struct publish *p, struct err *e)
{
    char old[PUBLISH_NAME_BYTES];
    random_name(p, "old", old);
    bool had_old = rename_plain(p->parent_fd, p->name, p->parent_fd, old) == 0;
    if (!had_old && errno != ENOENT)
        return fail(p, e, "cannot be replaced");
    if (rename_plain(p->parent_fd, p->build, p->parent_fd, p->name) != 0) {
        fail(p, e, "cannot be replaced");
        if (had_old)
            rename_plain(p->parent_fd, old, p->parent_fd, p->name);
        return false;
    }
    strcpy(p->build, had_old ? old : "");
    return true;
}

/* Afterwards p->build names the old folder, or nothing. */
static bool swap(struct publish *p, struct err *e)
{
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

static bool finish(struct publish *p, struct arena tmp, struct err *e)
{
    const char *dir = publish_dir(p, &tmp);
    int fd = openat(p->parent_fd, p->build, FOLDER);
    if (fd < 0)
        return fail(p, e, "the new folder is gone");
    unlinkat(fd, BUILD_MARK_NAME, 0);
    close(fd);
    return manifest_write(dir, tmp, e) && may_replace(p, e) && swap(p, e);
}

bool publish_commit(struct publish *p, struct arena tmp, struct err *e)
{
    assert(p->build[0]);
    if (!finish(p, tmp, e)) {
        publish_abort(p, e);
        return false;
    }
    if (p->build[0] && !remove_folder(p->parent_fd, p->build))
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
    if (e)
        name_target(p, e);
    if (p->build[0])
        remove_folder(p->parent_fd, p->build);
    let_go(p);
}
