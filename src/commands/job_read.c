#include "commands/job_read.h"

#include "analysis/trace_analyse.h"
#include "base/out.h"
#include "base/team.h"
#include "base/terminal.h"
#include "capture/capture_read.h"
#include "export/capture_file.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An absolute path without links, also of what is not there yet if its folder is. */
static struct str resolved(struct arena *perm, const char *path)
{
    char at[PATH_MAX];
    if (realpath(path, at))
        return str_copy(perm, str_of(at));
    struct str name = str_of(path);
    while (name.n > 1 && name.p[name.n - 1] == '/')
        name.n--;
    ptrdiff_t cut = name.n;
    while (cut > 0 && name.p[cut - 1] != '/')
        cut--;
    const char *folder = cut ? str_c(perm, str_head(name, cut)) : ".";
    if (!realpath(folder, at))
        return S("");
    return str_printf(perm, "%s/%.*s", strcmp(at, "/") ? at : "",
                      STRF(str_skip(name, cut)));
}

/* From a folder to a file, both absolute. */
static struct str path_between(struct arena *perm, struct str folder, struct str file)
{
    ptrdiff_t same = 0; /* bytes of whole names that both begin with */
    for (ptrdiff_t i = 0; i <= folder.n && i < file.n; i++) {
        char c = i < folder.n ? folder.p[i] : '/';
        if (c != file.p[i])
            break;
        if (c == '/')
            same = i + 1;
    }
    struct str path = str_skip(file, same);
    struct str rest = same > folder.n ? S("") : str_skip(folder, same);
    while (rest.n) {
        (void)str_take(&rest, S("/"));
        path = str_printf(perm, "../%.*s", STRF(path));
    }
    return path;
}

/* The report that a capture lies in, as a link from the site. */
static struct str page_of(struct arena *perm, const char *path, const char *site)
{
    struct str p = str_of(path), end = S("/capture.json.gz");
    if (!site || !str_ends(p, end))
        return S("");
    struct str page =
        str_printf(perm, "%.*s/index.html", STRF(str_head(p, p.n - end.n)));
    struct str from = resolved(perm, site);
    return access(page.p, F_OK) == 0 && from.n
               ? path_between(perm, from, resolved(perm, page.p))
               : S("");
}

/* A file of captures that its owner has opened. Others may take lines of it. */
struct pack {
    pthread_mutex_t lock;
    struct capture_lines lines;
    struct out spare; /* between files: room for lines */
    struct str page;
    int file, n_lines;
    bool is_open;
};

struct member {
    struct arena tmp, tmp2;
    struct out line; /* the capture that it reads */
    int64_t line_at; /* its place, for capture_lines_open_at; -1 */
    struct pack own;
};

struct unread {
    int file, line; /* of a pack; 0 of others */
    struct err err;
};

struct feed {
    const struct job_files *files;
    const struct options *o;
    struct member *members;
    int n_members;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t opened;
    struct job_builder *b;
    int next, n_opening; /* file; files that may yet turn out to be packs */
    int failed_file,
        failed_line; /* the first that failed; as many as there are: none */
    struct err err;
    struct unread *unread; /* what cannot be read, in any order */
    int n_unread;
    ptrdiff_t kept_bytes; /* of captures of traces, which no file has */
};

enum { KEPT_BYTES_MAX = 1 << 25 };

static void fail(struct feed *f, int file, int line, struct err *e)
{
    (void)err_doing(e, "reading input %d of %d", file + 1, f->files->n);
    pthread_mutex_lock(&f->lock);
    if (file < f->failed_file || (file == f->failed_file && line < f->failed_line)) {
        f->failed_file = file;
        f->failed_line = line;
        f->err = *e;
    }
    pthread_mutex_unlock(&f->lock);
}

/* Whether a file before has failed, or this one: then the rest of it does not matter.
 */
static bool is_over(struct feed *f, int file)
{
    pthread_mutex_lock(&f->lock);
    bool over = f->failed_file <= file;
    pthread_mutex_unlock(&f->lock);
    return over;
}

/* A trace or capture that was cut or is none: its rank is missing. */
static void leave_out(struct feed *f, int file, int line, const struct err *e)
{
    pthread_mutex_lock(&f->lock);
    arena_grow(f->b->perm, f->unread, f->n_unread);
    f->unread[f->n_unread++] = (struct unread){file, line, *e};
    pthread_mutex_unlock(&f->lock);
}

/* What was not read is left out; any other error ends the run. */
static void fail_to_read(struct feed *f, int file, int line, struct err *e)
{
    if (e->kind == ERR_INPUT)
        leave_out(f, file, line, e);
    else if (e->kind != ERR_NONE)
        fail(f, file, line, e);
}

/* `line`: of the file, from 0, and `at` its place; `kept`: the capture, where no file
 * has it. */
static bool add(struct feed *f, const struct capture *c, const char *path, int line,
                int64_t at, struct str kept, struct str page, struct err *e)
{
    pthread_mutex_lock(&f->lock);
    int before = f->b->n;
    bool done = job_add(f->b, c, path, page, e);
    if (done && f->b->n > before) {
        struct job_rank *r = &f->b->ranks[f->b->n - 1];
        r->input = path;
        r->input_line = line;
        r->input_at = at;
        if (kept.n && f->kept_bytes + kept.n <= KEPT_BYTES_MAX) {
            r->kept = str_of(str_c(f->b->perm, kept));
            f->kept_bytes += kept.n;
        } else if (kept.n) {
            r->input = NULL; /* a trace: nobody has its capture */
        }
    }
    pthread_mutex_unlock(&f->lock);
    return done;
}

/* The next line of a pack, which is the member's own from then on; its number, or -1 if
 * there is none. */
static int take_line(struct feed *f, struct member *m, struct pack *p, struct err *e)
{
    struct str line;
    pthread_mutex_lock(&p->lock);
    bool taken =
        p->is_open && !is_over(f, p->file) && capture_lines_next(&p->lines, &line, e);
    int number = p->n_lines;
    if (taken) {
        struct out read = p->lines.line;
        p->lines.line = m->line;
        m->line = read;
        m->line_at = p->lines.line_at;
        p->n_lines++;
    } else if (p->is_open) {
        p->spare = p->lines.line;
        out_memory(&p->lines.line);
        capture_lines_close(&p->lines);
        p->is_open = false;
        fail_to_read(f, p->file, number, e);
    }
    pthread_mutex_unlock(&p->lock);
    return taken ? number : -1;
}

static void add_lines(struct feed *f, struct member *m, struct pack *p)
{
    struct err e = {0};
    int number;
    while ((number = take_line(f, m, p, &e)) >= 0) {
        struct arena scratch = m->tmp;
        struct capture c;
        const char *path = f->files->paths[p->file];
        struct str line = str_head(out_view(&m->line), m->line.n - 1);
        if (!capture_read(&scratch, line, CAPTURE_RANKS_ONLY, path, &c, &e)) {
            fail_to_read(f, p->file, number, &e);
            e = (struct err){0};
            continue;
        }
        job_redact(&scratch, &c, f->o);
        if (!add(f, &c, path, number, m->line_at, S(""), p->page, &e))
            fail(f, p->file, number, &e);
    }
}

static void set_opened(struct feed *f)
{
    pthread_mutex_lock(&f->lock);
    if (--f->n_opening == 0)
        pthread_cond_broadcast(&f->opened);
    pthread_mutex_unlock(&f->lock);
}

static void add_captures(struct feed *f, struct member *m, int file)
{
    struct pack *p = &m->own;
    const char *path = f->files->paths[file];
    struct err e = {0};
    pthread_mutex_lock(&f->lock);
    struct str page = f->o->level ? S("") : page_of(f->b->perm, path, f->o->out_dir);
    pthread_mutex_unlock(&f->lock);
    pthread_mutex_lock(&p->lock);
    p->file = file;
    p->n_lines = 0;
    p->page = page;
    p->is_open = capture_lines_open(&p->lines, path, &e);
    if (p->is_open) {
        p->lines.line = p->spare;
        out_memory(&p->spare);
    }
    pthread_mutex_unlock(&p->lock);
    set_opened(f);
    fail_to_read(f, file, 0, &e);
    add_lines(f, m, p);
}

static int by_file(const void *a, const void *b)
{
    const struct unread *x = a, *y = b;
    return x->file != y->file ? (x->file > y->file) - (x->file < y->file)
                              : (x->line > y->line) - (x->line < y->line);
}

/* Warns of them; if nothing else was read, or with --strict, the first is an error. */
static void tell_unread(struct feed *f)
{
    char line[2048];
    if (!f->n_unread || f->failed_file < f->files->n)
        return;
    qsort(f->unread, (size_t)f->n_unread, sizeof *f->unread, by_file);
    if (!f->b->n_captures || f->o->strict) {
        fail(f, f->unread[0].file, 0, &f->unread[0].err);
        return;
    }
    for (int i = 0; i < f->n_unread; i++) {
        err_line(&f->unread[i].err, line, sizeof line);
        terminal_warn("left out: %s", line);
    }
    f->b->n_unread = f->n_unread;
}

/* A trace is analysed by one thread where others have traces of their own. */
static void add_trace(struct feed *f, struct member *m, int file)
{
    const char *path = f->files->paths[file];
    struct arena tmp = m->tmp;
    struct trace_result *t = arena_new(&tmp, struct trace_result, 1);
    struct options own = *f->o;
    struct capture c;
    struct err e = {0};
    set_opened(f);
    own.threads = f->n_members > 1 && f->files->n > 1 ? 1 : own.threads;
    bool opened = job_trace_open(path, &own, &tmp, m->tmp2, t, &c, &e);
    if (opened) {
        struct out line;
        out_memory(&line);
        capture_line(&line, &c);
        (void)add(f, &c, path, 0, -1, out_view(&line), S(""), &e);
        out_free(&line);
        trace_close(t);
    }
    if (opened && e.kind != ERR_NONE)
        fail(f, file, 0, &e);
    else
        fail_to_read(f, file, 0, &e);
}

static int next_file(struct feed *f)
{
    pthread_mutex_lock(&f->lock);
    int file = f->next < f->failed_file ? f->next++ : -1;
    f->n_opening += file >= 0;
    pthread_mutex_unlock(&f->lock);
    return file;
}

/* The files, then what is left of the packs of others. */
static void read_some(void *context, int member)
{
    struct feed *f = context;
    struct member *m = &f->members[member];
    for (int file; (file = next_file(f)) >= 0;) {
        if (capture_is_file(f->files->paths[file]))
            add_captures(f, m, file);
        else
            add_trace(f, m, file);
    }
    pthread_mutex_lock(&f->lock);
    while (f->n_opening)
        pthread_cond_wait(&f->opened, &f->lock);
    pthread_mutex_unlock(&f->lock);
    for (int i = 0; i < f->n_members; i++)
        add_lines(f, m, &f->members[i].own);
    out_free(&m->line);
}

bool job_inputs_read(const struct job_files *files, const struct options *o,
                     struct arena tmp, struct arena tmp2, struct job_builder *b,
                     struct err *e)
{
    struct member members[TEAM_MAX] = {0};
    char *starts[TEAM_MAX][2];
    struct feed f = {.files = files,
                     .o = o,
                     .members = members,
                     .n_members = o->threads < TEAM_MAX ? o->threads : TEAM_MAX,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .opened = PTHREAD_COND_INITIALIZER,
                     .b = b,
                     .failed_file = files->n};
    for (int i = 0; i < f.n_members; i++) {
        struct member *m = &members[i];
        m->tmp = i ? arena_reserve(arena_machine_bytes() / 8) : tmp;
        m->tmp2 = i ? arena_reserve(arena_machine_bytes() / 8) : tmp2;
        starts[i][0] = m->tmp.at;
        starts[i][1] = m->tmp2.at;
        pthread_mutex_init(&m->own.lock, NULL);
        out_memory(&m->line);
        out_memory(&m->own.spare);
    }
    team_run(f.n_members, read_some, &f);
    for (int i = 0; i < f.n_members; i++) {
        pthread_mutex_destroy(&members[i].own.lock);
        out_free(&members[i].own.spare);
        if (i)
            arena_release(starts[i][0], &members[i].tmp);
        if (i)
            arena_release(starts[i][1], &members[i].tmp2);
    }
    tell_unread(&f);
    if (f.failed_file < files->n)
        *e = f.err;
    return f.failed_file == files->n;
}
