#include "commands/compare_jobs.h"

#include "base/file_head.h"
#include "base/version.h"
#include "capture/capture_names.h"
#include "capture/capture_read.h"
#include "ci/ci_run.h"
#include "commands/folder_command.h"
#include "commands/job_read.h"
#include "export/described_json.h"
#include "export/job_compare_json.h"
#include "export/job_outline_read.h"
#include "report/job/job_compare.h"
#include "report/job/job_fields.h"
#include "report/job/job_gates.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { JOB_JSON_BYTES_MAX = 1 << 26 };

static bool has(const char *folder, const char *name, struct arena tmp)
{
    struct stat st;
    return stat(str_printf(&tmp, "%s/%s", folder, name).p, &st) == 0;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool path_is_job(const char *path, struct arena tmp)
{
    static const char *const of_report[] = {"capture.json.gz", "perf_report_csvs",
                                            "gpu_timeline.csv"};
    struct err ignored = {0};
    struct job_files files;
    if (!is_folder(path))
        return str_ends(str_of(path), S(".captures.gz")) && capture_is_file(path);
    if (has(path, "job.json", tmp))
        return true;
    for (size_t i = 0; i < sizeof of_report / sizeof *of_report; i++)
        if (has(path, of_report[i], tmp))
            return false;
    return job_files_find(&tmp, &path, 1, &files, &ignored);
}

bool path_names_rank(const char *path, struct arena *perm, const char **job, int *rank)
{
    struct str text = str_of(path), mark = S(":rank=");
    struct stat st;
    int64_t n;
    ptrdiff_t at = text.n;
    while (--at > 0 && !str_starts(str_skip(text, at), mark))
        continue;
    if (at <= 0 || stat(path, &st) == 0 || !str_int(str_skip(text, at + mark.n), &n) ||
        n < 0 || n > 1 << 20)
        return false;
    *job = str_c(perm, str_head(text, at));
    *rank = (int)n;
    return true;
}

/* Whether a file has the capture of a rank, or is its trace. */
static bool file_is_of(const char *path, int rank, struct arena tmp, bool *found,
                       struct err *e)
{
    struct capture_lines l;
    struct str line;
    *found = false;
    if (!capture_is_file(path)) {
        *found = rank_of_path(str_of(path)) == rank;
        return true;
    }
    if (!capture_lines_open(&l, path, e))
        return false;
    while (!*found && capture_lines_next(&l, &line, e)) {
        struct arena scratch = tmp;
        struct capture c;
        *found = capture_read(&scratch, line, CAPTURE_RANKS_ONLY, path, &c, e) &&
                 c.ranks.rank == rank;
        if (e->kind != ERR_NONE)
            break;
    }
    capture_lines_close(&l);
    return e->kind == ERR_NONE;
}

static cJSON *tree_of_site(const char *path, struct arena tmp, struct err *e)
{
    const char *file = str_printf(&tmp, "%s/job.json", path).p;
    struct str text;
    if (!file_head(&tmp, file, JOB_JSON_BYTES_MAX, &text, e))
        return NULL;
    cJSON *tree = cJSON_ParseWithLength(text.p, (size_t)text.n);
    if (!tree)
        err_set(e, ERR_INPUT, file, -1, "not JSON");
    return tree;
}

/* The capture in the report of a rank that the site links to. */
static bool find_in_site(const char *site, int rank, struct arena *perm,
                         struct arena tmp, const char **file, struct err *e)
{
    const cJSON *r;
    struct stat st;
    cJSON *tree = tree_of_site(site, tmp, e);
    *file = NULL;
    cJSON_ArrayForEach(r, cJSON_GetObjectItemCaseSensitive(tree, "ranks"))
    {
        const cJSON *number = cJSON_GetObjectItemCaseSensitive(r, "rank");
        struct str page =
            str_of(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(r, "page")));
        struct str name = S("index.html");
        if (cJSON_IsNumber(number) && number->valueint == rank && str_ends(page, name))
            *file = str_printf(perm, "%s/%.*scapture.json.gz", site,
                               STRF(str_head(page, page.n - name.n)))
                        .p;
    }
    cJSON_Delete(tree);
    if (e->kind != ERR_NONE)
        return false;
    return (*file && stat(*file, &st) == 0 && S_ISREG(st.st_mode)) ||
           err_set(e, ERR_INPUT, site, -1,
                   "the site of a job, with no report of rank %d beside it; name the "
                   "captures that it was made of, as captures/:rank=%d",
                   rank, rank);
}

bool job_rank_find(const char *job, int rank, struct arena *perm, struct arena tmp,
                   const char **file, struct err *e)
{
    struct job_files files;
    if (is_folder(job) && has(job, "job.json", tmp))
        return find_in_site(job, rank, perm, tmp, file, e);
    if (!job_files_find(perm, &job, 1, &files, e))
        return false;
    for (int i = 0; i < files.n; i++) {
        bool found;
        if (!file_is_of(files.paths[i], rank, tmp, &found, e))
            return false;
        if (found) {
            *file = files.paths[i];
            return true;
        }
    }
    return err_set(e, ERR_INPUT, job, -1, "has no trace or capture of rank %d", rank);
}

/* What stays open from the first job to the last file. */
struct jobs {
    struct folder_command w;
    struct job_outline of[2];
    struct job_comparison c;
    struct gate_expr *gates;
    struct gate_result *gate_results;
    struct ci_run ci;
};

/* The tree that job.json would have. */
static cJSON *tree_of_parts(struct jobs *c, const char *path, struct err *e)
{
    struct job_options asked = {
        .first_step = -1, .last_step = -1, .link_gb_s = {(double)NAN, (double)NAN}};
    struct job_files files;
    struct job_builder b = job_begin(&c->w.perm);
    struct job *j = arena_new(&c->w.perm, struct job, 1);
    if (!job_files_find(&c->w.perm, &path, 1, &files, e) ||
        !job_inputs_read(&files, c->w.o, c->w.tmp, c->w.tmp2, &b, e) ||
        !job_make(&c->w.perm, c->w.tmp, &b, &asked, j, e))
        return NULL;
    struct job_report r =
        job_report_make(&c->w.perm, j, S("tracefolio " TRACEFOLIO_VERSION), S(""));
    return document_json(job_report_fields(), &r, c->w.tmp);
}

static struct str label_of(const char *path)
{
    struct str s = str_of(path);
    while (s.n > 1 && s.p[s.n - 1] == '/')
        s.n--;
    for (ptrdiff_t i = s.n - 1; i >= 0; i--)
        if (s.p[i] == '/')
            return str_skip(s, i + 1);
    return s;
}

static bool read_side(struct jobs *c, int side, struct err *e)
{
    const struct compare_request *q = &c->w.o->compare;
    const char *path = q->inputs[side][0];
    struct arena tmp = c->w.tmp;
    cJSON *tree = is_folder(path) && has(path, "job.json", tmp)
                      ? tree_of_site(path, c->w.tmp, e)
                      : tree_of_parts(c, path, e);
    c->of[side].label = q->label[side] ? str_of(q->label[side]) : label_of(path);
    bool done = tree && job_outline_read(&c->w.perm, tree, path, &c->of[side], e);
    cJSON_Delete(tree);
    return done || err_doing(e, "reading the %s", side ? "candidate" : "reference");
}

static bool write_all(struct jobs *c, struct err *e)
{
    unsigned formats = c->w.o->formats;
    c->c = job_compare(&c->w.perm, &c->of[0], &c->of[1]);
    for (int i = 0; i < c->w.o->n_gates; i++)
        c->gate_results[i] = job_compare_gate(&c->w.perm, &c->gates[i], &c->c);
    ci_take_jobs(&c->ci, &c->w.perm, &c->c, S("tracefolio " TRACEFOLIO_VERSION),
                 c->gate_results, c->w.o->n_gates);
    struct job_document *d =
        job_compare_document(&c->w.perm, &c->c, S("tracefolio " TRACEFOLIO_VERSION));
    bool done =
        (!(formats & FORMAT_CSV) || command_csvs(&c->w, "compare_csvs", c->c.tables,
                                                 JOB_COMPARE_TABLES, c->w.tmp, e)) &&
        (!(formats & FORMAT_JSON) ||
         command_json(&c->w, "comparison_data.json",
                      job_compare_json(&c->c, c->of, c->gate_results, c->w.o->n_gates,
                                       S("tracefolio " TRACEFOLIO_VERSION)),
                      e)) &&
        command_document(&c->w, d, e) && command_commit(&c->w, NULL, &c->ci, e);
    publish_tell(&c->w.folder, stderr);
    if (done)
        command_print(&c->w, c->c.verdict, c->c.n_verdict, ".");
    return done && ci_beside(&c->ci, c->w.tmp, e) &&
           ci_judge(&c->ci, c->w.o->require_gates, e);
}

static bool read_gates(struct jobs *c, struct err *e)
{
    int n = c->w.o->n_gates;
    c->gates = arena_new(&c->w.perm, struct gate_expr, n);
    c->gate_results = arena_new(&c->w.perm, struct gate_result, n);
    for (int i = 0; i < n; i++)
        if (!job_compare_gate_read(c->w.o->gates[i], &c->gates[i], e))
            return false;
    return true;
}

static bool fits_jobs(const struct options *o, struct err *e)
{
    const struct compare_request *q = &o->compare;
    const char *other = o->single_file    ? "--single-file"
                        : o->ci.waivers   ? "--waivers"
                        : o->baseline_out ? "--baseline-out"
                        : q->history      ? "--history"
                        : q->steps        ? "--steps"
                        : q->match        ? "--match"
                        : q->n_floors     ? "--floor"
                        : q->allow_setup  ? "--allow-setup"
                        : o->formats_asked && o->formats & FORMAT_XLSX
                            ? "the format xlsx"
                            : NULL;
    return !other || err_set(e, ERR_USAGE, NULL, -1,
                             "%s is for captures of one rank; of two jobs compare "
                             "their ranks with it, as JOB:rank=0",
                             other);
}

bool compare_jobs_run(const struct options *o, struct err *e)
{
    struct jobs *c = calloc(1, sizeof *c);
    if (!c)
        arena_full();
    command_open(&c->w, o);
    bool done = fits_jobs(o, e) && read_gates(c, e) &&
                ci_begin(&c->ci, &c->w.perm, &o->ci, e) &&
                command_begin(&c->w, "comparison_output", e);
    if (done) {
        for (int side = 0; done && side < 2; side++)
            done = publish_spares(&c->w.folder, o->compare.inputs[side][0], e) &&
                   read_side(c, side, e);
        const char *const reads[] = {o->compare.inputs[0][0], o->compare.inputs[1][0],
                                     NULL};
        const struct asked_places b = {&c->w.folder, reads, o->force};
        done = done && ci_spares(&c->ci, &b, e) && write_all(c, e);
        if (!done)
            publish_abort(&c->w.folder, e);
    }
    ci_close(&c->ci);
    command_close(&c->w);
    free(c);
    return done;
}

bool compare_is_of_jobs(const struct options *o, bool *of_jobs, struct err *e)
{
    const struct compare_request *q = &o->compare;
    struct arena tmp = arena_reserve(1 << 28);
    char *start = tmp.at;
    const char *job = NULL, *other = NULL;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < q->n_inputs[side]; i++)
            if (path_is_job(q->inputs[side][i], tmp))
                job = q->inputs[side][i];
            else
                other = q->inputs[side][i];
    arena_release(start, &tmp);
    *of_jobs = job && !other;
    if (job && other)
        return err_set(
            e, ERR_USAGE, job, -1,
            "a job of many ranks, and %.100s is none: name one of its ranks, "
            "as JOB:rank=0 with the folder of its captures as JOB",
            other);
    return !*of_jobs || (q->n_inputs[0] == 1 && q->n_inputs[1] == 1) ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "several jobs a side are not compared; give one REFERENCE and one "
                   "CANDIDATE");
}
