#include "analyze.h"

#include "device_choice.h"
#include "ops/op_tables.h"
#include "progress.h"
#include "render/csv_tables.h"
#include "render/publish.h"
#include "render/xlsx_book.h"
#include "render/zip_file.h"
#include "report/sheets.h"

#include <string.h>

/* ---- the folder
 * ------------------------------------------------------------------------ */

/* analysis_output beside the trace; in the current folder for standard input. */
static const char *output_dir(struct arena *perm, const struct options *o)
{
    if (o->out_dir)
        return o->out_dir;
    const char *slash = strrchr(o->trace, '/');
    struct str parent = {o->trace, slash ? slash + 1 - o->trace : 0};
    return str_c(perm, str_printf(perm, "%.*sanalysis_output", STRF(parent)));
}

static bool write_csv(const struct publish *p, const struct sheets *s, struct arena tmp,
                      struct err *e)
{
    const char *inside = publish_path(p, &tmp, "perf_report_csvs/gpu_timeline.csv", e);
    if (!inside)
        return false;
    struct str path = str_of(inside);
    const char *dir =
        str_c(&tmp, str_head(path, path.n - (ptrdiff_t)strlen("/gpu_timeline.csv")));
    return csv_write_all(s->tables, s->n, dir, tmp, e);
}

static bool write_xlsx(const struct publish *p, const struct sheets *s,
                       struct arena tmp, struct err *e)
{
    const char *path = publish_path(p, &tmp, "perf_report.xlsx", e);
    return path && xlsx_write(s->tables, s->n, path, source_date_s(), tmp, e);
}

static bool write_all(const struct options *o, const struct publish *p,
                      const struct sheets *s, struct arena tmp, struct err *e)
{
    if (o->formats & FORMAT_CSV && !write_csv(p, s, tmp, e))
        return false;
    return !(o->formats & FORMAT_XLSX) || write_xlsx(p, s, tmp, e);
}

/* ---- the stages
 * -------------------------------------------------------------------------- */

static bool analyze_store(const struct options *o, const struct event_store *s,
                          const struct device_spec *device, struct publish *folder,
                          struct progress *progress, struct arena *perm,
                          struct arena tmp, struct err *e)
{
    progress_stage(progress, "link");
    struct trace_view view = view_build(
        perm, tmp, s, (struct view_options){o->include_unlinked, o->detect_recompute});
    struct cost_cache costs;
    cost_cache_open(&costs, perm, &view);
    progress_stage(progress, "tables");
    struct op_tables tables = op_tables_build(perm, tmp, &view, &costs, device);
    progress_stage(progress, "report");
    struct sheets sheets = sheets_build(perm, tmp, &tables);
    progress_stage(progress, "write");
    bool done = write_all(o, folder, &sheets, tmp, e) && publish_commit(folder, tmp, e);
    progress_stage(progress, NULL);
    cost_cache_close(&costs);
    return done;
}

bool analyze_run(const struct options *o, struct err *e)
{
    struct arena perm = arena_reserve(arena_machine_bytes() / 2);
    struct arena tmp = arena_reserve(arena_machine_bytes() / 2);
    struct device_spec device;
    struct progress progress;
    struct event_store store;
    struct publish folder;
    bool has_device;
    progress_open(&progress, o->quiet, o->verbose);
    if (!device_choose(&perm, o->platform, &device, &has_device, e) ||
        !publish_begin(&folder, output_dir(&perm, o), o->force, e))
        return false;
    progress_stage(&progress, "read");
    struct store_options read = {.source = {.one_thread = o->threads == 1},
                                 .progress = progress_bytes,
                                 .progress_context = &progress};
    bool done = store_read(&store, o->trace, &read, e);
    if (done) {
        done = analyze_store(o, &store, has_device ? &device : NULL, &folder, &progress,
                             &perm, tmp, e);
        store_close(&store);
    }
    if (!done)
        publish_abort(&folder, e);
    progress_close(&progress);
    return done;
}
