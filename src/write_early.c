#include "write_early.h"

#include "analysis/trace_analyse.h"
#include "base/zip_file.h"
#include "capture/trace_capture.h"
#include "export/capture_file.h"
#include "export/csv_tables.h"
#include "export/xlsx_book.h"

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

/* One half for what is built, one for scratch. */
static bool put_capture(struct early *w)
{
    struct arena perm = w->tmp, tmp = w->tmp;
    tmp.at += (tmp.end - tmp.at) / 2 / 16 * 16;
    perm.end = tmp.at;
    const char *path = publish_path(w->folder, &perm, "capture.json.gz", &w->err);
    struct capture capture = capture_of_trace(&perm, tmp, w->trace, S(""));
    return path && capture_write(&capture, path, tmp, &w->err);
}

static void write_tables(void *context)
{
    struct early *w = context;
    unsigned formats = w->o->formats;
    w->done = (!(formats & FORMAT_XLSX) || put_book(w)) &&
              (!(formats & FORMAT_CSV) || put_csv(w));
}

static void write_capture(void *context)
{
    struct early *w = context;
    beside_join(&w->tables);
    w->done = w->done && put_capture(w);
}

void early_tables(struct early *w, const struct options *o, const struct sheets *sheets,
                  const struct publish *folder, struct arena tmp)
{
    *w = (struct early){
        .o = o, .sheets = sheets, .folder = folder, .tmp = tmp, .done = true};
    beside_start(&w->tables, o->threads > 1, write_tables, w);
}

void early_capture(struct early *w, const struct trace_result *t)
{
    w->trace = t;
    beside_start(&w->capture, w->o->threads > 1, write_capture, w);
}

bool early_finish(struct early *w, struct err *e)
{
    beside_join(&w->capture);
    if (!w->done && e->kind == ERR_NONE)
        *e = w->err;
    return w->done;
}
