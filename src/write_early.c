#include "write_early.h"

#include "analysis/trace_analyse.h"
#include "base/zip_file.h"
#include "capture/trace_capture.h"
#include "export/capture_file.h"
#include "export/csv_tables.h"
#include "export/xlsx_book.h"
#include "write_excerpts.h"

#include <string.h>

static bool put_book(struct early *w)
{
    struct arena tmp = w->tmp;
    const char *path = publish_path(w->folder, &tmp, "perf_report.xlsx", &w->err);
    return path && xlsx_write(w->sheets->tables, w->sheets->n, path, source_date_s(),
                              tmp, &w->err);
}

static bool put_csv(struct early *w)
{
    struct arena tmp = w->tmp;
    struct str file = S("perf_report_csvs/gpu_timeline.csv");
    const char *path = publish_path(w->folder, &tmp, file.p, &w->err);
    if (!path)
        return false;
    ptrdiff_t n = (ptrdiff_t)strlen(path) - S("/gpu_timeline.csv").n;
    const char *dir = str_c(&tmp, str_head(str_of(path), n));
    return csv_write_all(w->sheets->tables, w->sheets->n, dir, tmp, &w->err);
}

static void make_capture(struct early *w)
{
    w->capture = capture_of_work(&w->perm, w->tmp, w->trace, w->system, S(""));
    arena_trim(w->tmp); /* its file needs far less */
}

/* The capture of many events takes as much memory as the judging, which goes first. */
static bool is_early(const struct trace_result *t)
{
    const int32_t EVENTS = 3000000;
    return t->store.n <= EVENTS;
}

static void make_early(void *context)
{
    struct early *w = context;
    unsigned formats = w->o->formats;
    w->done = (!(formats & FORMAT_XLSX) || put_book(w)) &&
              (!(formats & FORMAT_CSV) || put_csv(w));
    if (w->done && is_early(w->trace))
        make_capture(w);
}

static void write_rest(void *context)
{
    struct early *w = context;
    beside_join(&w->before);
    if (!w->done)
        return;
    if (!is_early(w->trace))
        make_capture(w);
    capture_add_findings(&w->capture, w->trace);
    const char *path = publish_path(w->folder, &w->perm, "capture.json.gz", &w->err);
    w->done = path && capture_write(&w->capture, path, w->tmp, &w->err) &&
              early_excerpts(w, w->tmp, &w->err);
}

void early_begin(struct early *w, const struct options *o, const struct sheets *sheets,
                 const struct trace_result *t, const struct publish *folder,
                 struct arena tmp)
{
    *w = (struct early){.o = o,
                        .sheets = sheets,
                        .trace = t,
                        .system = t->analysis.system, /* as it is known by now */
                        .folder = folder,
                        .tmp = tmp,
                        .done = true};
    w->perm = arena_first_half(&w->tmp);
    beside_start(&w->before, o->threads > 1, make_early, w);
}

void early_go_on(struct early *w, const struct excerpt_plan *excerpts)
{
    w->excerpts = excerpts;
    beside_start(&w->after, w->o->threads > 1, write_rest, w);
}

bool early_excerpts(struct early *w, struct arena tmp, struct err *e)
{
    return !w->excerpts || atomic_exchange(&w->excerpted, true) ||
           excerpts_write(w->excerpts, &w->trace->store, w->folder, tmp, e);
}

bool early_finish(struct early *w, struct err *e)
{
    beside_join(&w->after);
    if (!w->done && e->kind == ERR_NONE)
        *e = w->err;
    return w->done;
}
