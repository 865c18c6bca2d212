#include "commands/job_inputs.h"

#include "analysis/trace_analyse.h"
#include "base/beside.h"
#include "base/file_head.h"
#include "base/list_next.h"
#include "capture/capture_names.h"
#include "capture/trace_capture.h"
#include "commands/device_choice.h"
#include "commands/stage_options.h"
#include "formats/trace_open.h"

#include <errno.h>
#include <glob.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIST_BYTES_MAX = 1 << 26 };

struct finder {
    struct arena *perm;
    struct job_files *files;
    struct err *e;
};

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static void add_file(struct finder *f, const char *path)
{
    arena_grow(f->perm, f->files->paths, f->files->n);
    f->files->paths[f->files->n++] = str_c(f->perm, str_of(path));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum content { CONTENT_NONE, CONTENT_CAPTURE, CONTENT_TRACE };

/* By the ends that files have: "rank-00007.capture.json.gz", "node3.captures.gz". */
static enum content content_of_name(struct str name)
{
    if (str_ends(name, S(".captures.gz")) || str_ends(name, S(".captures")) ||
        str_ends(name, S("capture.json.gz")) || str_ends(name, S("capture.json")))
        return CONTENT_CAPTURE;
    static const struct str packed[] = {S_INIT(".gz"), S_INIT(".zst")};
    static const struct str traces[] = {S_INIT(".json"),    S_INIT(".sqlite"),
                                        S_INIT(".db"),      S_INIT(".rpd"),
                                        S_INIT(".pftrace"), S_INIT(".xplane.pb")};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (str_ends(name, packed[i]))
            name = str_head(name, name.n - packed[i].n);
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
        if (str_ends(name, traces[i]))
            return CONTENT_TRACE;
    return CONTENT_NONE;
}

static const char **names_in(struct finder *f, const char *path, int *n)
{
    const char **names = NULL;
    DIR *dir = opendir(path);
    *n = 0;
    if (!dir) {
        err_set(f->e, ERR_INPUT, path, -1, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    int why;
    for (struct dirent *d; (d = list_next(dir, &why));) {
        if (d->d_name[0] == '.')
            continue;
        arena_grow(f->perm, names, *n);
        names[(*n)++] = str_c(f->perm, str_of(d->d_name));
    }
    closedir(dir);
    if (why)
        err_set(f->e, ERR_INPUT, path, -1, "cannot be listed: %s", strerror(why));
    if (*n)
        qsort(names, (size_t)*n, sizeof *names, by_text);
    return names;
}

/* A folder for each rank, as "rank7/trace.json.gz". */
static bool add_traces_in(struct finder *f, const char *path)
{
    int n = 0;
    const char **names = is_folder(path) ? names_in(f, path, &n) : NULL;
    for (int i = 0; i < n; i++)
        if (content_of_name(str_of(names[i])) == CONTENT_TRACE)
            add_file(f, str_printf(f->perm, "%s/%s", path, names[i]).p);
    return f->e->kind == ERR_NONE;
}

/* Captures, if there are any in it or in the reports in it; else traces, or those in
 * the folders in it. */
static bool add_folder(struct finder *f, const char *path)
{
    int n, before = f->files->n;
    const char **names = names_in(f, path, &n);
    if (f->e->kind != ERR_NONE)
        return false;
    for (int wanted = CONTENT_CAPTURE; wanted <= CONTENT_TRACE; wanted++) {
        for (int i = 0; i < n; i++) {
            const char *inner = str_printf(f->perm, "%s/%s", path, names[i]).p;
            const char *report =
                str_printf(f->perm, "%s/%s/capture.json.gz", path, names[i]).p;
            if (is_folder(inner)) {
                if (wanted == CONTENT_CAPTURE && exists(report))
                    add_file(f, report);
            } else if ((int)content_of_name(str_of(names[i])) == wanted) {
                add_file(f, inner);
            }
        }
        if (f->files->n > before)
            return true;
        if (exists(str_printf(f->perm, "%s/MANIFEST.txt", path).p))
            return err_set(f->e, ERR_INPUT, path, -1,
                           "a report; name the captures or traces that it is about");
    }
    for (int i = 0; i < n; i++)
        if (!add_traces_in(f, str_printf(f->perm, "%s/%s", path, names[i]).p))
            return false;
    if (f->files->n > before)
        return true;
    return err_set(f->e, ERR_INPUT, path, -1,
                   "holds no capture (*.capture.json.gz, *.captures.gz) and no trace "
                   "(*.json, *.sqlite, *.db, *.rpd, *.pftrace, *.xplane.pb, also .gz "
                   "or .zst), nor "
                   "do folders in it");
}

static bool add_pattern(struct finder *f, const char *pattern)
{
    glob_t g;
    int status = glob(pattern, 0, NULL, &g);
    for (size_t i = 0; status == 0 && i < g.gl_pathc; i++)
        add_file(f, g.gl_pathv[i]);
    if (status == 0)
        globfree(&g);
    return status == 0 ||
           err_set(f->e, ERR_INPUT, pattern, -1, "no file matches this pattern");
}

static bool add_plain(struct finder *f, const char *path)
{
    if (is_folder(path))
        return add_folder(f, path);
    if (exists(path) || !strpbrk(path, "*?["))
        return add_file(f, path), true;
    return add_pattern(f, path);
}

static bool add_list(struct finder *f, const char *path)
{
    struct str rest;
    if (!file_head(f->perm, path, LIST_BYTES_MAX, &rest, f->e))
        return false;
    if (memchr(rest.p, '\0', (size_t)rest.n) || str_starts(rest, S("{")))
        return err_set(f->e, ERR_INPUT, path, -1,
                       "@: not a list of names, one a line; a trace or capture is "
                       "named without @");
    while (rest.n) {
        struct str line = str_trim(str_take(&rest, S("\n")));
        if (line.n && !add_plain(f, str_c(f->perm, line)))
            return false;
    }
    return true;
}

/* Of a file that holds the traces of several processes, each. */
static void split_parts(struct finder *f)
{
    struct job_files whole = *f->files;
    *f->files = (struct job_files){0};
    for (int i = 0; i < whole.n; i++) {
        const char *path = whole.paths[i];
        bool may = content_of_name(str_of(path)) != CONTENT_CAPTURE;
        int n = may ? trace_parts(path) : 1;
        for (int k = 0; n > 1 && k < n; k++)
            add_file(f, str_printf(f->perm, "%s:rank=%d", path, k).p);
        if (n <= 1)
            add_file(f, path);
    }
}

bool job_files_find(struct arena *perm, const char *const *args, int n,
                    struct job_files *files, struct err *e)
{
    struct finder f = {perm, files, e};
    *files = (struct job_files){0};
    for (int i = 0; i < n; i++)
        if (!(args[i][0] == '@' ? add_list(&f, args[i] + 1) : add_plain(&f, args[i])))
            return false;
    if (!files->n)
        return err_set(e, ERR_USAGE, NULL, -1, "no trace or capture was given");
    qsort(files->paths, (size_t)files->n, sizeof *files->paths, by_text);
    int kept = 1;
    for (int i = 1; i < files->n; i++)
        if (strcmp(files->paths[i], files->paths[kept - 1]) != 0)
            files->paths[kept++] = files->paths[i];
    files->n = kept;
    split_parts(&f);
    return true;
}

/* What the first group of the expression holds, which must be a number. */
static bool rank_by_regex(const char *path, const char *expression, int *rank,
                          struct err *e)
{
    regex_t r;
    regmatch_t at[2];
    int status = regcomp(&r, expression, REG_EXTENDED);
    if (status) {
        char why[100];
        regerror(status, &r, why, sizeof why);
        return err_set(e, ERR_USAGE, NULL, -1, "--rank-regex '%.100s': %s", expression,
                       why);
    }
    int64_t n = -1;
    bool found =
        r.re_nsub > 0 && regexec(&r, path, 2, at, 0) == 0 && at[1].rm_so >= 0 &&
        str_int((struct str){path + at[1].rm_so, at[1].rm_eo - at[1].rm_so}, &n) &&
        n >= 0 && n <= 1 << 20;
    regfree(&r);
    *rank = found ? (int)n : -1;
    return found ||
           err_set(e, ERR_INPUT, path, -1,
                   "--rank-regex '%.100s' finds no number in it; the rank is what its "
                   "first group matches, as in 'gpu([0-9]+)'",
                   expression);
}

bool job_rank_asked(const char *path, const struct options *o, int *rank, struct err *e)
{
    *rank = o->job.rank;
    return !o->job.rank_regex || rank_by_regex(path, o->job.rank_regex, rank, e);
}

/* --share: what is left of where a capture was made. The trace itself was read without
 * what the level leaves out; the names of hosts and files may say whose it is. */
void job_redact(struct arena *perm, struct capture *c, const struct options *o)
{
    if (o->level) {
        c->origin.file =
            file_without_host(perm, c->origin.file, c->ranks.host, S("host"));
        c->ranks.host = c->ranks.folder = S("");
    }
    if (o->level == REDACT_PUBLIC)
        c->origin.file = S("");
}

/* The capture is made while the analysis judges what it has found. */
struct capturing {
    struct beside beside;
    struct arena *perm, tmp;
    const struct trace_result *t;
    const char *path;
    struct capture c;
    bool own_thread, asked; /* asked: for a device, or for none */
};

static void make_capture(void *context)
{
    struct capturing *x = context;
    x->c = capture_of_work(x->perm, x->tmp, x->t, trace_idle(x->t), str_of(x->path));
}

static void begin_stage(void *context, enum trace_stage stage,
                        const struct trace_result *t)
{
    struct capturing *x = context;
    x->t = t;
    if (stage == TRACE_ANALYSE)
        beside_start(&x->beside, x->own_thread, make_capture, x);
}

/* Of thousands of ranks nothing is said of each. */
static bool recorded_device_quietly(void *context, const struct traced_device *recorded,
                                    const struct device_spec **device, struct err *e)
{
    struct capturing *x = context;
    struct device_spec *d = arena_new(x->perm, struct device_spec, 1);
    (void)e;
    if (!x->asked && device_of_trace(x->perm, recorded, d))
        *device = d;
    return true;
}

bool job_trace_open(const char *path, const struct options *o, struct arena *perm,
                    struct arena tmp, struct trace_result *t, struct capture *c,
                    struct err *e)
{
    struct options own = *o;
    struct capturing x = {.perm = perm,
                          .tmp = tmp,
                          .path = path,
                          .own_thread = o->threads > 1,
                          .asked = o->platform != NULL};
    struct trace_options setup;
    struct trace_source source = {.path = path};
    own.platform = own.platform ? own.platform : "none";
    int rank;
    if (!job_rank_asked(path, o, &rank, e) || !trace_options_of(&own, perm, &setup, e))
        return false;
    setup.device_of = recorded_device_quietly;
    setup.stage = begin_stage;
    setup.context = &x;
    if (!trace_analyse(t, &source, &setup, e))
        return false;
    beside_join(&x.beside);
    *c = x.c;
    capture_add_findings(perm, c, t);
    if (rank >= 0)
        c->ranks.rank = rank;
    if (c->ranks.rank < 0)
        c->ranks.rank = rank_of_number(str_of(path));
    if (o->job.host)
        c->ranks.host = str_of(o->job.host);
    c->ranks.folder = folder_of_path(str_of(path));
    job_redact(perm, c, o);
    return true;
}
