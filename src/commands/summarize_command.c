/* `tracefolio summarize`: a capture file for each trace. */
#include "commands/commands.h"

#include "analysis/trace_analyse.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "base/sha256.h"
#include "base/team.h"
#include "base/terminal.h"
#include "base/version.h"
#include "capture/capture_names.h"
#include "capture/capture_read.h"
#include "commands/job_inputs.h"
#include "export/capture_file.h"
#include "share/word_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS_MAX = 4096 }; /* more would make up most of the file */

static bool make_folder(const char *path, struct err *e)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           err_set(e, ERR_OUTPUT, path, -1, "cannot be made: %s", strerror(errno));
}

/* The name says the rank, so that folders of many tasks list in order. */
static const char *capture_path(struct arena *a, const char *dir, int rank)
{
    return str_printf(a, "%s/rank-%05d.capture.json.gz", dir, rank).p;
}

/* Whether a capture of this very trace, made by this version, is there already. */
static bool is_done(const char *path, const char *trace, struct arena tmp)
{
    struct capture_lines l;
    struct capture c;
    struct err ignored = {0};
    struct str line;
    char hex[SHA256_HEX_BYTES];
    int64_t bytes;
    if (access(path, R_OK) != 0 || !capture_lines_open(&l, path, &ignored))
        return false;
    bool same = capture_lines_next(&l, &line, &ignored) &&
                capture_read(&tmp, line, CAPTURE_RANKS_ONLY, path, &c, &ignored) &&
                str_eq(c.origin.tool, S("tracefolio " TRACEFOLIO_VERSION));
    int fd = same ? plain_open(trace) : -1;
    same =
        fd >= 0 && sha256_file(fd, hex, &bytes) && str_eq(c.origin.sha256, str_of(hex));
    if (fd >= 0)
        close(fd);
    capture_lines_close(&l);
    return same;
}

/* With --rank, or a name that tells it, the target is known before the trace is read.
 */
static bool is_skipped(const struct options *o, const char *trace, struct arena tmp)
{
    struct err ignored = {0}; /* whoever reads the trace says it again */
    int rank;
    if (!o->job.resume || !job_rank_asked(trace, o, &rank, &ignored))
        return false;
    rank = rank >= 0 ? rank : rank_of_path(str_of(trace));
    if (rank < 0)
        return false;
    return is_done(capture_path(&tmp, o->out_dir, rank), trace, tmp);
}

/* --forbid: the capture before it is in place. */
static bool words_allowed(const struct capture *c, const char *path,
                          const struct options *o, const struct forbidden *f,
                          struct arena tmp, struct arena tmp2, struct err *e)
{
    struct word_hits hits = {0};
    struct out line;
    if (!f->n)
        return true;
    out_memory(&line);
    capture_line(&line, c);
    scan_bytes(f, str_of(path), out_view(&line), &tmp, tmp2, &hits);
    out_free(&line);
    return scan_tell(&hits, o->forbid, e);
}

/* What became of a trace; told in the order of the traces. */
struct outcome {
    bool done, failed, unread; /* unread: the trace itself; others go on without it */
    struct err err;
    struct str line; /* in perm */
    int rank;        /* whose capture it wrote; -1: none */
};

struct summary_task {
    const struct options *o;
    const struct job_files *files;
    const struct forbidden *words;
    struct arena (*scratch)[2]; /* of each thread */
    int n_threads;
    pthread_mutex_t lock; /* of what follows */
    struct arena *perm;
    struct outcome *outcomes;
    int next, told, n_left;
    struct err *err; /* the last so far */
};

/* Of two traces of one rank the first counts, whichever is done first. */
static bool place(struct summary_task *t, const struct capture *c, int file,
                  const char *path, struct arena tmp, struct err *e)
{
    struct outcome *own = &t->outcomes[file];
    for (int i = 0; i < t->files->n; i++) {
        struct outcome *other = &t->outcomes[i];
        if (i == file || other->failed || other->rank != c->ranks.rank)
            continue;
        bool is_later = i > file;
        (void)err_set(is_later ? &other->err : e, ERR_INPUT,
                      t->files->paths[is_later ? i : file], -1,
                      "of rank %d, and so is %.200s; give one trace of a rank",
                      c->ranks.rank, t->files->paths[is_later ? file : i]);
        other->failed |= is_later;
        if (!is_later)
            return false;
    }
    int32_t n = c->ranks.n_collectives + c->ranks.n_p2p;
    own->rank = c->ranks.rank;
    own->line =
        str_printf(t->perm, "%s: rank %d, %d %s, %s", t->files->paths[file],
                   c->ranks.rank, n, str_plural(n, "collective", "collectives"), path);
    return capture_place(c, path, tmp, e);
}

static bool write_capture(struct summary_task *t, struct capture *c, int file,
                          struct arena tmp, struct arena tmp2, struct err *e)
{
    const char *trace = t->files->paths[file];
    if (c->ranks.rank < 0)
        return err_set(e, ERR_INPUT, trace, -1,
                       "does not say which rank it is of; give --rank N, or name the "
                       "file after it (rank7.json.gz)");
    const char *path = capture_path(&tmp, t->o->out_dir, c->ranks.rank);
    if (c->n_events > EVENTS_MAX)
        c->n_events = 0;
    if (!words_allowed(c, path, t->o, t->words, tmp, tmp2, e))
        return false;
    pthread_mutex_lock(&t->lock);
    bool done = place(t, c, file, path, tmp2, e);
    pthread_mutex_unlock(&t->lock);
    return done;
}

/* A trace is analysed by one thread where others have traces of their own. */
static bool summarize_one(struct summary_task *t, int file, struct arena tmp,
                          struct arena tmp2, struct err *e)
{
    const char *trace = t->files->paths[file];
    struct trace_result *result = arena_new(&tmp, struct trace_result, 1);
    struct options own = *t->o;
    struct capture c;
    own.threads = t->n_threads > 1 ? 1 : own.threads;
    if (is_skipped(t->o, trace, tmp)) {
        pthread_mutex_lock(&t->lock);
        t->outcomes[file].line = str_printf(t->perm, "%s: done before", trace);
        pthread_mutex_unlock(&t->lock);
        return true;
    }
    if (!job_trace_open(trace, &own, &tmp, tmp2, result, &c, e)) {
        t->outcomes[file].unread =
            e->kind == ERR_INPUT && !t->o->strict && t->files->n > 1;
        return false;
    }
    bool done = write_capture(t, &c, file, tmp, tmp2, e);
    trace_close(result);
    return done;
}

/* What is left out is a warning. Of errors the last is for the caller to tell. */
static void tell(struct summary_task *t, int file)
{
    const struct outcome *x = &t->outcomes[file];
    char line[2048];
    if (!x->failed) {
        if (!t->o->quiet)
            terminal_line(stdout, "%.*s", STRF(x->line));
        return;
    }
    if (x->unread) {
        err_line(&x->err, line, sizeof line);
        terminal_warn("left out: %s", line);
        t->n_left++;
        return;
    }
    if (t->err->kind != ERR_NONE) {
        err_line(t->err, line, sizeof line);
        terminal_line(stderr, "tracefolio: %s", line);
    }
    *t->err = x->err;
}

static void summarize_some(void *context, int member)
{
    struct summary_task *t = context;
    pthread_mutex_lock(&t->lock);
    while (t->next < t->files->n) {
        struct err e = {0};
        int file = t->next++;
        pthread_mutex_unlock(&t->lock);
        bool good =
            summarize_one(t, file, t->scratch[member][0], t->scratch[member][1], &e);
        pthread_mutex_lock(&t->lock);
        struct outcome *x = &t->outcomes[file];
        x->done = true;
        if (!good && !x->failed) {
            x->failed = true;
            x->err = e;
        }
        while (t->told < t->files->n && t->outcomes[t->told].done)
            tell(t, t->told++);
    }
    pthread_mutex_unlock(&t->lock);
}

static bool tell_left(const struct summary_task *t, struct err *e)
{
    int n = t->files->n;
    if (e->kind == ERR_NONE && t->n_left == n)
        return err_set(e, ERR_INPUT, NULL, -1, "none of the %d traces can be read", n);
    if (t->n_left && !t->o->quiet)
        terminal_line(stdout, "%d of %d traces; %d left out", n - t->n_left, n,
                      t->n_left);
    return e->kind == ERR_NONE;
}

/* -j traces at a time. */
static bool summarize_all(const struct options *o, const struct job_files *files,
                          const struct forbidden *words, struct arena *perm,
                          struct err *e)
{
    int n = o->threads < files->n ? o->threads : files->n;
    struct arena scratch[TEAM_MAX][2];
    char *starts[TEAM_MAX][2];
    struct summary_task t = {.o = o,
                             .files = files,
                             .words = words,
                             .scratch = scratch,
                             .n_threads = n < TEAM_MAX ? n : TEAM_MAX,
                             .lock = PTHREAD_MUTEX_INITIALIZER,
                             .perm = perm,
                             .outcomes = arena_new(perm, struct outcome, files->n),
                             .err = e};
    for (int i = 0; i < files->n; i++)
        t.outcomes[i].rank = -1;
    for (int i = 0; i < t.n_threads; i++)
        for (int k = 0; k < 2; k++) {
            scratch[i][k] = arena_reserve(arena_machine_bytes() / 8);
            starts[i][k] = scratch[i][k].at;
        }
    team_run(t.n_threads, summarize_some, &t);
    for (int i = 0; i < t.n_threads; i++)
        for (int k = 0; k < 2; k++)
            arena_release(starts[i][k], &scratch[i][k]);
    return tell_left(&t, e);
}

bool summarize_run(const struct options *o, struct err *e)
{
    struct arena perm = arena_reserve(arena_machine_bytes() / 8);
    char *start = perm.at;
    struct job_files files;
    struct forbidden words = {0};
    bool done = (!o->forbid || forbidden_read(&perm, o->forbid, &words, e)) &&
                job_files_find(&perm, o->job.inputs, o->job.n_inputs, &files, e);
    if (done && o->job.rank >= 0 && files.n > 1)
        done = err_set(e, ERR_USAGE, NULL, -1, "--rank is for a single trace, not %d",
                       files.n);
    done = done && make_folder(o->out_dir, e) &&
           summarize_all(o, &files, &words, &perm, e);
    arena_release(start, &perm);
    return done;
}
