#include "commands/write_early.h"

#include "analysis/trace_analyse.h"
#include "base/zip_file.h"
#include "capture/trace_capture.h"
#include "commands/write_excerpts.h"
#include "export/capture_file.h"
#include "export/table_files.h"

static bool put_tables(struct early *w)
{
    struct arena tmp = w->tmp;
    struct table_files files = {.date_s = source_date_s()};
    return (!(w->o->formats & FORMAT_CSV) ||
            (files.csv_dir =
                 publish_folder(w->folder, &tmp, "perf_report_csvs", &w->err))) &&
           (!(w->o->formats & FORMAT_XLSX) ||
            (files.book =
                 publish_path(w->folder, &tmp, "perf_report.xlsx", &w->err))) &&
           table_files_write(&files, w->sheets->tables, w->sheets->n, tmp, &w->err);
}

static void make_capture(struct early *w)
{
    const struct system_results *idle = trace_idle(w->trace);
    w->capture = capture_of_work(&w->perm, w->tmp, w->trace, idle, S(""));
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
    w->done = put_tables(w);
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
    capture_add_findings(&w->perm, &w->capture, w->trace);
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
