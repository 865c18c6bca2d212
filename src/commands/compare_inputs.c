#include "commands/compare_inputs.h"

#include "base/file_head.h"
#include "base/list_next.h"
#include "capture/capture_read.h"
#include "capture/trace_capture.h"
#include "commands/compare_devices.h"
#include "commands/compare_jobs.h"
#include "commands/stage_options.h"
#include "compare/compare_captures.h"
#include "formats/trace_open.h"
#include "report/compare/sheet_compare.h"
#include "report/compare/sheet_csv.h"
#include "report/compare/sheet_xlsx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static struct str without_end(struct str s, struct str end)
{
    return str_ends(s, end) ? str_head(s, s.n - end.n) : s;
}

/* "qwen-h100" of a/qwen-h100.json.gz, of qwen-h100/ and of what is in that folder. */
static struct str label_of(struct arena *perm, const char *path)
{
    struct str s = str_of(path);
    while (s.n > 1 && s.p[s.n - 1] == '/')
        s.n--;
    s = without_end(without_end(s, S("/perf_report_csvs")), S("/capture.json.gz"));
    for (ptrdiff_t i = s.n - 1; i >= 0; i--)
        if (s.p[i] == '/') {
            s = str_skip(s, i + 1);
            break;
        }
    s = without_end(without_end(without_end(s, S(".gz")), S(".json")), S(".xlsx"));
    s = without_end(s, S(".pt.trace"));
    return str_copy(perm, s.n == 0 || str_eq(s, S("-")) ? S("trace") : s);
}

/* The one capture of a file; of a pack, that of the rank asked for. */
static bool open_capture(struct compare_input *in, const char *path, struct arena *perm,
                         struct err *e)
{
    struct capture_lines l;
    struct str line;
    if (!capture_lines_open(&l, path, e))
        return false;
    while (capture_lines_next(&l, &line, e)) {
        struct arena before = *perm;
        struct str own = {str_c(perm, line), line.n};
        struct capture *c = arena_new(perm, struct capture, 1);
        if (!capture_read(perm, own, CAPTURE_ALL, path, c, e))
            break;
        if (in->rank >= 0 && c->ranks.rank != in->rank) {
            *perm = before;
            continue;
        }
        if (in->capture) {
            err_set(e, ERR_INPUT, path, -1,
                    "several captures in one file; name a file of each, or a rank as "
                    "FILE:rank=0");
            break;
        }
        in->capture = c;
    }
    capture_lines_close(&l);
    return e->kind == ERR_NONE &&
           (in->capture ||
            err_set(e, ERR_INPUT, path, -1, "not a capture file: it is empty"));
}

/* Whether there is something; what cannot be seen is an error, not absent. */
static bool is_there(const char *path, struct stat *st, struct err *e)
{
    if (stat(path, st) == 0)
        return true;
    return errno != ENOENT && errno != ENOTDIR &&
           err_set(e, ERR_INPUT, path, -1, "cannot be examined: %s", strerror(errno));
}

static const char *table_folder(struct arena *perm, const char *path, struct err *e)
{
    struct stat st;
    struct str inner = str_printf(perm, "%s/perf_report_csvs", path);
    return is_there(inner.p, &st, e) && S_ISDIR(st.st_mode) ? inner.p : path;
}

static bool open_folder(struct compare_input *in, struct arena *perm, struct err *e)
{
    const char *capture = str_printf(perm, "%s/capture.json.gz", in->path).p;
    struct stat file;
    if (is_there(capture, &file, e) && !open_capture(in, capture, perm, e))
        return false;
    const char *folder = table_folder(perm, in->path, e);
    if (e->kind != ERR_NONE)
        return false;
    int n = sheet_sources();
    in->sheets.tables = arena_new(perm, struct report_table, n);
    for (int i = 0; i < n; i++) {
        struct str name = sheet_source(i), text;
        const char *path = str_printf(perm, "%s/%.*s.csv", folder, STRF(name)).p;
        struct stat st;
        if (!is_there(path, &st, e) && e->kind == ERR_NONE)
            continue;
        if (e->kind != ERR_NONE ||
            !file_head(perm, path, (ptrdiff_t)st.st_size, &text, e) ||
            !sheet_of_csv(perm, name, text, path, &in->sheets.tables[in->sheets.n], e))
            return false;
        in->sheets.n++;
    }
    return in->sheets.n > 0 || in->capture ||
           err_set(e, ERR_INPUT, in->path, -1,
                   "not the folder of a report: it has neither capture.json.gz nor "
                   "perf_report_csvs with tables");
}

/* A zip, as no trace and no capture is. What cannot be read twice is none. */
static bool is_workbook(const char *path, struct arena tmp)
{
    struct stat st;
    struct str head;
    struct err e = {0};
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           file_head(&tmp, path, SHEET_XLSX_HEAD_BYTES, &head, &e) &&
           sheet_xlsx_is(head);
}

static bool open_workbook(struct compare_input *in, struct arena *perm,
                          struct arena tmp, struct err *e)
{
    struct str bytes;
    if (!file_head(&tmp, in->path, SHEET_XLSX_BYTES_MAX + 1, &bytes, e))
        return false;
    if (bytes.n > SHEET_XLSX_BYTES_MAX)
        return err_set(e, ERR_INPUT, in->path, -1,
                       "a zip archive of more than %d MB, which no report is",
                       SHEET_XLSX_BYTES_MAX >> 20);
    return sheets_of_xlsx(perm, tmp, bytes, in->path, &in->sheets, e);
}

/* Its tables have a column of each side, and none of their own. */
static bool is_no_comparison(const struct compare_input *in, struct err *e)
{
    for (ptrdiff_t i = 0; i < in->sheets.n; i++) {
        const struct report_table *t = &in->sheets.tables[i];
        for (ptrdiff_t k = 0; k < t->n_columns; k++)
            if (str_has(t->columns[k].title, S("::")))
                return err_set(e, ERR_INPUT, in->path, -1,
                               "the tables of a comparison; name the two reports that "
                               "it was made of");
    }
    return true;
}

/* While an input is read: whose device it is. */
struct reading {
    struct compare_devices *devices;
    int side;
};

static bool find_device(void *context, const struct traced_device *recorded,
                        const struct device_spec **device, struct err *e)
{
    struct reading *r = context;
    (void)e;
    *device = compare_device_of(r->devices, r->side, recorded, S(""));
    return true;
}

static bool open_trace(struct compare_input *in, const struct options *o,
                       struct reading *r, struct arena *perm, struct arena tmp,
                       struct err *e)
{
    struct options own = *o;
    struct trace_options setup;
    own.platform = NULL;
    if (!trace_options_of(&own, perm, &setup, e))
        return false;
    setup.device_of = find_device;
    setup.context = r;
    struct trace_source source = {.path = in->path};
    struct trace_result *t = arena_new(perm, struct trace_result, 1);
    setup.lender = o->compare.lender[r->side];
    setup.for_report = true; /* its sheets are compared too */
    if (!trace_analyse(t, &source, &setup, e))
        return false;
    if (!o->quiet)
        lent_tell(t, stderr);
    in->trace = t;
    in->sheets = sheets_build(perm, tmp, &t->tables);
    sheets_keep(perm, &in->sheets);
    in->capture = arena_new(perm, struct capture, 1);
    *in->capture = capture_of_trace(perm, tmp, t, in->label);
    return true;
}

/* "a/b.csv" is in "a". */
static bool is_no_table(const char *path, struct arena tmp, struct err *e)
{
    struct str s = str_of(path);
    ptrdiff_t n = s.n;
    while (n > 0 && s.p[n - 1] != '/')
        n--;
    return !str_ends(s, S(".csv")) || access(path, F_OK) != 0 ||
           err_set(e, ERR_INPUT, path, -1,
                   "a table; compare takes the folder of tables that it is in: %s",
                   n > 1 ? str_c(&tmp, str_head(s, n - 1)) : ".");
}

static bool open_one(struct compare_input *in, const struct options *o,
                     struct reading *r, struct arena *perm, struct arena tmp,
                     struct err *e)
{
    const char *job = NULL;
    in->rank = -1;
    in->label = label_of(perm, in->path);
    if (path_names_rank(in->path, perm, &job, &in->rank)) {
        in->label =
            str_printf(perm, "%.*s rank %d", STRF(label_of(perm, job)), in->rank);
        bool one_of_file = !is_folder(job) && trace_parts(job) > 1;
        if (!one_of_file && !job_rank_find(job, in->rank, perm, tmp, &in->path, e))
            return false;
    }
    if (is_folder(in->path)) {
        if (!open_folder(in, perm, e) || !is_no_comparison(in, e))
            return false;
    } else if (is_workbook(in->path, tmp)) {
        if (!open_workbook(in, perm, tmp, e) || !is_no_comparison(in, e))
            return false;
    } else if (strcmp(in->path, "-") == 0 || !capture_is_file(in->path)) {
        return is_no_table(in->path, tmp, e) && open_trace(in, o, r, perm, tmp, e);
    } else if (!open_capture(in, in->path, perm, e)) {
        return false;
    }
    if (o->compare.lender[r->side])
        return err_set(e, ERR_USAGE, in->path, -1,
                       "--capture-trace lends operators to a trace, and this is none");
    const struct capture_origin *from = in->capture ? &in->capture->origin : NULL;
    compare_device_of(r->devices, r->side,
                      from ? &from->device : &(struct traced_device){0},
                      from ? from->platform : S(""));
    return true;
}

/* The two sides need different names, as columns are called by them. */
static void name_sides(struct compare_inputs *in, const struct options *o)
{
    for (int side = 0; side < 2; side++)
        if (o->compare.label[side])
            in->of[side][0].label = str_of(o->compare.label[side]);
    if (!str_eq(in->of[0][0].label, in->of[1][0].label))
        return;
    in->of[0][0].label = S("reference");
    in->of[1][0].label = S("candidate");
}

static struct str digest_of(const struct compare_input *in)
{
    return in->capture ? in->capture->origin.sha256 : S("");
}

/* By content, so that the order on the command line does not matter; tables by path. */
static int by_digest(const void *a, const void *b)
{
    const struct compare_input *x = a, *y = b;
    int order = str_cmp(digest_of(x), digest_of(y));
    return order ? order : strcmp(x->path, y->path);
}

/* The one that stands for its side comes first. */
static void put_median_first(struct compare_input *of, int n, struct arena tmp)
{
    const struct capture **captures = arena_new(&tmp, const struct capture *, n);
    for (int i = 0; i < n; i++)
        if (!(captures[i] = of[i].capture))
            return; /* tables alone */
    int at = capture_median(tmp, captures, n);
    struct compare_input first = of[at];
    memmove(&of[1], &of[0], (size_t)at * sizeof *of);
    of[0] = first;
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The capture files of a folder, in the order of their names. */
static bool open_history(struct compare_inputs *in, const char *folder,
                         struct arena *perm, struct err *e)
{
    struct str *paths = NULL;
    int n = 0;
    DIR *d = opendir(folder);
    if (!d)
        return err_set(e, ERR_INPUT, folder, -1, "not a folder of captures: %s",
                       strerror(errno));
    int why;
    for (struct dirent *f; (f = list_next(d, &why));) {
        struct str path = str_printf(perm, "%s/%s", folder, f->d_name);
        if (!str_ends(path, S(".json.gz")) || !capture_is_file(path.p))
            continue;
        arena_grow(perm, paths, n);
        paths[n++] = path;
    }
    closedir(d);
    if (why)
        return err_set(e, ERR_INPUT, folder, -1, "cannot be listed: %s", strerror(why));
    if (!n)
        return err_set(e, ERR_INPUT, folder, -1, "no capture file in it");
    qsort(paths, (size_t)n, sizeof *paths, by_name);
    in->history = arena_new(perm, struct capture, n);
    for (; in->n_history < n; in->n_history++) {
        struct compare_input one = {.rank = -1};
        if (!open_capture(&one, paths[in->n_history].p, perm, e))
            return err_doing(e, "reading the history");
        in->history[in->n_history] = *one.capture;
    }
    return true;
}

bool inputs_open(struct compare_inputs *in, const struct options *o, struct arena *perm,
                 struct arena tmp, struct err *e)
{
    struct compare_devices devices;
    *in = (struct compare_inputs){0};
    if (!compare_devices_choose(&devices, o, perm, e))
        return false;
    for (int side = 0; side < 2; side++) {
        int n = o->compare.n_inputs[side];
        in->of[side] = arena_new(perm, struct compare_input, n);
        for (in->n[side] = 0; in->n[side] < n; in->n[side]++) {
            struct compare_input *one = &in->of[side][in->n[side]];
            one->path = o->compare.inputs[side][in->n[side]];
            struct reading reading = {&devices, side};
            if (!open_one(one, o, &reading, perm, tmp, e)) {
                inputs_close(in);
                return err_doing(e, "reading the %s", side ? "candidate" : "reference");
            }
        }
    }
    for (int side = 0; side < 2; side++) {
        qsort(in->of[side], (size_t)in->n[side], sizeof *in->of[side], by_digest);
        put_median_first(in->of[side], in->n[side], tmp);
    }
    if (!compare_devices_tell(&devices, e)) {
        inputs_close(in);
        return false;
    }
    if (!devices.asked)
        compare_devices_level(&devices);
    for (int side = 0; side < 2; side++)
        in->device[side] = devices.of[side];
    name_sides(in, o);
    if (o->compare.history && !open_history(in, o->compare.history, perm, e)) {
        inputs_close(in);
        return false;
    }
    return true;
}

void inputs_close(struct compare_inputs *in)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < in->n[side]; i++)
            if (in->of[side][i].trace)
                trace_close(in->of[side][i].trace);
}
