#include "summarize_command.h"

#include "analysis/trace_analyse.h"
#include "base/out.h"
#include "base/sha256.h"
#include "capture/capture_lines.h"
#include "capture/capture_read.h"
#include "capture/rank_of_path.h"
#include "export/capture_file.h"
#include "job_inputs.h"
#include "share/word_scan.h"

#include <errno.h>
#include <fcntl.h>
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
    int fd = same ? open(trace, O_RDONLY | O_CLOEXEC) : -1;
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

static bool summarize_one(const struct options *o, const char *trace,
                          const struct forbidden *f, struct arena tmp,
                          struct arena tmp2, struct err *e)
{
    struct trace_result *t = arena_new(&tmp, struct trace_result, 1);
    struct capture c;
    if (is_skipped(o, trace, tmp)) {
        if (!o->quiet)
            printf("%s: done before\n", trace);
        return true;
    }
    if (!job_trace_open(trace, o, &tmp, tmp2, t, &c, e))
        return false;
    bool done;
    if (c.ranks.rank < 0) {
        done = err_set(e, ERR_INPUT, trace, -1,
                       "does not say which rank it is of; give --rank N, or name the "
                       "file after it (rank7.json.gz)");
    } else {
        const char *path = capture_path(&tmp, o->out_dir, c.ranks.rank);
        if (c.n_events > EVENTS_MAX)
            c.n_events = 0;
        done = words_allowed(&c, path, o, f, tmp, tmp2, e) &&
               capture_place(&c, path, tmp2, e);
        if (done && !o->quiet)
            printf("%s: rank %d, %d collectives, %s\n", trace, c.ranks.rank,
                   c.ranks.n_collectives + c.ranks.n_p2p, path);
    }
    trace_close(t);
    return done;
}

bool summarize_run(const struct options *o, struct err *e)
{
    struct arena perm = arena_reserve(arena_machine_bytes() / 8),
                 tmp = arena_reserve(arena_machine_bytes() / 8),
                 tmp2 = arena_reserve(arena_machine_bytes() / 8);
    char *starts[] = {perm.at, tmp.at, tmp2.at};
    struct job_files files;
    struct forbidden words = {0};
    bool done = (!o->forbid || forbidden_read(&perm, o->forbid, &words, e)) &&
                make_folder(o->out_dir, e) &&
                job_files_find(&perm, o->job.inputs, o->job.n_inputs, &files, e);
    if (done && o->job.rank >= 0 && files.n > 1)
        done = err_set(e, ERR_USAGE, NULL, -1, "--rank is for a single trace, not %d",
                       files.n);
    int failed = 0;
    for (int i = 0; done && i < files.n; i++) {
        struct err own = {0};
        if (summarize_one(o, files.paths[i], &words, tmp, tmp2, &own))
            continue;
        char line[2048];
        err_line(&own, line, sizeof line);
        if (failed++ || i + 1 < files.n)
            fprintf(stderr, "tracefolio: %s\n", line);
        if (e->kind == ERR_NONE)
            *e = own;
    }
    arena_release(starts[0], &perm);
    arena_release(starts[1], &tmp);
    arena_release(starts[2], &tmp2);
    return done && !failed;
}
