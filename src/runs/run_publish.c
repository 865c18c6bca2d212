#include "runs/run_publish.h"

#include "base/arena.h"
#include "base/terminal.h"
#include "render/folder/manifest.h"
#include "render/folder/remove_tree.h"
#include "runs/run_copy.h"
#include "runs/run_index.h"
#include "runs/run_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { REBUILDS = 8 };

struct job {
    const struct publish_request *q;
    const struct theme *theme;
    struct arena perm, tmp, tmp2;
    int root_fd;
    struct str name;  /* of the run just published; empty: none */
    char stays[4096]; /* the first old run that is left, and what is in it; or empty */
};

/* Days since 1970 of "2026-01-31..."; -1: not a date. */
static int64_t day_of(struct str when)
{
    int64_t year, month, day;
    struct tm t = {0};
    if (when.n < 10 || !str_int((struct str){when.p, 4}, &year) ||
        !str_int((struct str){when.p + 5, 2}, &month) ||
        !str_int((struct str){when.p + 8, 2}, &day))
        return -1;
    t.tm_year = (int)year - 1900;
    t.tm_mon = (int)month - 1;
    t.tm_mday = (int)day;
    return timegm(&t) / 86400;
}

/* Whether run `i`, whose series begins at `first`, is to go. Days count back from the
 * newest run of the series, as no clock is asked. */
static bool is_too_old(const struct publish_request *q, const struct runs *r, int first,
                       int i)
{
    int64_t newest = day_of(r->at[first].when), day = day_of(r->at[i].when);
    return (q->keep && i - first >= q->keep) ||
           (q->keep_days && newest >= 0 && day >= 0 && newest - day >= q->keep_days);
}

/* Whether nothing but the report is in the folder of a run; else the first such run is
 * noted. */
static bool is_all_ours(struct job *j, const struct run_row *row)
{
    struct arena tmp = j->tmp;
    int fd = openat(j->root_fd, row->folder.p,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct str foreign = fd < 0 ? S("it cannot be opened") : manifest_foreign(fd, &tmp);
    if (fd >= 0)
        close(fd);
    if (foreign.n && !j->stays[0])
        snprintf(j->stays, sizeof j->stays, "%.*s: %.*s", STRF(row->folder),
                 STRF(foreign));
    return !foreign.n;
}

/* Of each series the oldest; never the one just published, nor a kept one, nor one with
 * files of others in it. */
static bool remove_old(struct job *j, const struct runs *r)
{
    int first = 0, removed = 0;
    for (int i = 0; i < r->n && run_is_of_trace(&r->at[i]); i++) {
        const struct run_row *row = &r->at[i];
        if (!str_eq(row->series, r->at[first].series))
            first = i;
        if (row->pinned || str_eq(row->folder, j->name) ||
            !is_too_old(j->q, r, first, i) || !is_all_ours(j, row))
            continue;
        removed += remove_tree(j->root_fd, row->folder.p, "MANIFEST.txt");
    }
    return removed > 0;
}

/* Until no run came or went meanwhile: a writer that took the lock from a stopped one
 * does not hide what another published. */
static bool rebuild(struct job *j, struct err *e)
{
    bool done = true, fewer;
    uint64_t before, after = runs_names_hash(j->root_fd);
    int k = 0;
    do {
        struct arena perm = j->perm;
        struct runs runs;
        before = after;
        done = runs_scan(&perm, j->root_fd, j->q->root, &runs, e);
        fewer = done && (j->q->keep || j->q->keep_days) && remove_old(j, &runs);
        done = done && (fewer || runs_write(j->root_fd, j->q->root, &runs, j->theme,
                                            j->tmp, j->tmp2, e));
        after = runs_names_hash(j->root_fd);
    } while (done && (fewer || before != after) && ++k < REBUILDS);
    return done;
}

static void told(const struct job *j, const char *what)
{
    if (!j->q->quiet)
        terminal_line(stdout, "%s %s/%.*s%sindex.html", what, j->q->root, STRF(j->name),
                      j->name.n ? "/" : "");
}

static void warn_of_what_stays(const struct job *j)
{
    if (j->stays[0])
        terminal_warn(
            "an old run is not removed, as not all in it is of its report: %s",
            j->stays);
}

/* A run that cannot be listed is there all the same. */
static bool index_root(struct job *j, struct err *e)
{
    struct run_lock lock;
    if (!run_lock_take(&lock, j->root_fd, j->q->lock_wait_s)) {
        if (!j->name.n)
            return err_set(
                e, ERR_OUTPUT, j->q->root, -1,
                "another run of tracefolio is writing its index (" RUN_LOCK_NAME
                "); try again");
        terminal_warn("the run is published, but the index is locked by another (%s): "
                      "run tracefolio reindex later",
                      RUN_LOCK_NAME);
        return true;
    }
    bool done = rebuild(j, e);
    run_lock_drop(&lock);
    if (done)
        warn_of_what_stays(j);
    return done;
}

static bool level_allowed(const struct job *j, struct err *e)
{
    struct arena perm = j->perm;
    enum share least;
    struct run_row row;
    if (!j->q->share)
        return true;
    if (!share_read(j->q->share, &least, e))
        return false;
    if (!run_read(&perm, j->q->folder, &row) || row.unread.n)
        return err_set(e, ERR_INPUT, j->q->folder, -1,
                       "cannot be read again, to see for whom it is");
    enum share level = row.share;
    return level >= least ||
           err_set(e, ERR_USAGE, j->q->folder, -1,
                   "is made to be shared as %.*s, and this index is %.*s: analyse the "
                   "trace with --share %.*s",
                   STRF(share_word(level)), STRF(share_word(least)),
                   STRF(share_word(least)));
}

static bool publish_run(struct job *j, struct err *e)
{
    const struct publish_request *q = j->q;
    if (!q->folder)
        return true;
    return run_name(&j->perm, q->folder, &j->name, e) && level_allowed(j, e) &&
           run_copy(q->folder, q->root, j->name, j->tmp, e);
}

/* The root itself need not be there yet. */
static bool is_outside_reports(const char *root, struct err *e)
{
    char at[PATH_MAX], path[PATH_MAX];
    bool there = realpath(root, at);
    if (!there) {
        snprintf(path, sizeof path, "%s", root);
        size_t n = strlen(path);
        while (n > 1 && path[n - 1] == '/')
            path[--n] = '\0';
        char *slash = strrchr(path, '/');
        if (slash)
            slash[slash == path] = '\0';
        if (!realpath(slash ? path : ".", at))
            return true; /* whoever makes the root says what is wrong */
    }
    return manifest_is_elsewhere(at, root, e);
}

static bool is_report(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is = fd >= 0 && manifest_marks(fd, MANIFEST_NAME);
    if (fd >= 0)
        close(fd);
    return is;
}

static bool open_root(struct job *j, struct err *e)
{
    const char *root = j->q->root;
    if (j->q->folder && !is_report(j->q->folder) && is_report(root))
        return err_set(e, ERR_USAGE, j->q->folder, -1,
                       "not a report, and %.300s is one: the report comes first, "
                       "tracefolio publish %.300s %.300s",
                       root, root, j->q->folder);
    if (!is_outside_reports(root, e))
        return false;
    if (j->q->folder && mkdir(root, 0777) != 0 && errno != EEXIST)
        return err_set(e, ERR_OUTPUT, root, -1, "cannot be created: %s",
                       strerror(errno));
    j->root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return j->root_fd >= 0 ||
           err_set(e, ERR_INPUT, root, -1, "cannot be opened: %s", strerror(errno));
}

bool runs_publish(const struct publish_request *q, const struct theme *theme,
                  struct err *e)
{
    struct job j = {.q = q, .theme = theme, .root_fd = -1};
    struct arena *arenas[] = {&j.perm, &j.tmp, &j.tmp2};
    char *starts[3];
    for (int i = 0; i < 3; i++) {
        *arenas[i] = arena_reserve(arena_machine_bytes() / 4);
        starts[i] = arenas[i]->at;
    }
    bool done = open_root(&j, e) && publish_run(&j, e) && index_root(&j, e);
    if (done)
        told(&j, q->folder ? "Published:" : "Index:    ");
    if (j.root_fd >= 0)
        close(j.root_fd);
    for (int i = 0; i < 3; i++)
        arena_release(starts[i], arenas[i]);
    return done;
}
