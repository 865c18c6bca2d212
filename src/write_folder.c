#include "write_folder.h"

#include "render/csv_tables.h"
#include "render/markdown_reports.h"
#include "render/pipeline_write.h"
#include "render/publish.h"
#include "render/replay_zip.h"
#include "render/site.h"
#include "render/xlsx_book.h"
#include "render/zip_file.h"

#include <pthread.h>
#include <string.h>

static bool write_csv(const struct report *r, const struct publish *p, struct arena tmp,
                      struct err *e)
{
    struct str file = S("perf_report_csvs/gpu_timeline.csv");
    const char *path = publish_path(p, &tmp, file.p, e);
    if (!path)
        return false;
    struct str dir =
        str_head(str_of(path), (ptrdiff_t)strlen(path) - S("/gpu_timeline.csv").n);
    return csv_write_all(r->tables, r->n_tables, str_c(&tmp, dir), tmp, e);
}

/* ---- the workbook, beside everything else ------------------------------------------
 */

struct book {
    const struct report *report;
    const struct publish *folder;
    struct arena memory; /* its own: nothing is shared but what is only read */
    char *memory_start;
    struct err err;
    bool done;
    pthread_t thread;
    bool runs;
};

static void *write_book(void *arg)
{
    struct book *b = arg;
    const char *path = publish_path(b->folder, &b->memory, "perf_report.xlsx", &b->err);
    b->done = path && xlsx_write(b->report->tables, b->report->n_tables, path,
                                 source_date_s(), b->memory, &b->err);
    return NULL;
}

static void book_start(struct book *b, const struct report *r, const struct publish *p,
                       int threads)
{
    *b = (struct book){.report = r, .folder = p};
    b->memory = arena_reserve(arena_machine_bytes() / 8);
    b->memory_start = b->memory.at;
    b->runs = threads > 1 && pthread_create(&b->thread, NULL, write_book, b) == 0;
    if (!b->runs)
        write_book(b);
}

static bool book_finish(struct book *b, struct err *e)
{
    if (b->runs)
        pthread_join(b->thread, NULL);
    arena_release(b->memory_start, &b->memory);
    if (!b->done && e->kind == ERR_NONE)
        *e = b->err;
    return b->done;
}

/* ---- the site
 * ------------------------------------------------------------------------ */

static bool write_site(const struct options *o, const struct folder_content *c,
                       const struct publish *p, struct arena tmp, struct err *e)
{
    const struct {
        unsigned format;
        struct site_download file;
    } files[] = {
        {FORMAT_MD,
         {S_INIT("standalone_analysis_fair.md"), S_INIT("Markdown"),
          S_INIT("The report for stakeholders, to paste into a ticket or a mail")}},
        {FORMAT_MD,
         {S_INIT("standalone_analysis.md"), S_INIT("Markdown"),
          S_INIT("The report in two tiers: system, then kernels")}},
        {FORMAT_MD,
         {S_INIT("standalone_analysis_rough.md"), S_INIT("Markdown"),
          S_INIT("Working notes: every table, call stack and rule that fired")}},
        {FORMAT_XLSX,
         {S_INIT("perf_report.xlsx"), S_INIT("Excel workbook"),
          S_INIT("All tables, a sheet each, and what their columns mean")}},
        {FORMAT_CSV,
         {S_INIT("perf_report_csvs/unified_perf_summary.csv"), S_INIT("CSV"),
          S_INIT("Every operation with its arguments, times and model figures")}},
        {FORMAT_CSV,
         {S_INIT("perf_report_csvs/kernel_summary.csv"), S_INIT("CSV"),
          S_INIT("Every kernel by what launched it")}},
        {FORMAT_JSON,
         {S_INIT("report.json"), S_INIT("JSON"),
          S_INIT("The same facts for programs, with a schema and stable ids")}},
    };
    struct site_download offered[sizeof files / sizeof *files];
    int n = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        bool has_rows = !str_has(files[i].file.href, S("unified")) || c->report->n_ops;
        has_rows &= !str_has(files[i].file.href, S("kernel_")) || c->report->n_kernels;
        if (o->formats & files[i].format && has_rows)
            offered[n++] = files[i].file;
    }
    struct site_options site = {
        .theme = c->theme, .downloads = offered, .n_downloads = n};
    return site_write(c->report, &site, p, tmp, e);
}

bool folder_write(const struct options *o, const struct folder_content *c,
                  const struct publish *p, struct arena tmp, struct err *e)
{
    struct book book;
    if (o->formats & FORMAT_XLSX)
        book_start(&book, c->report, p, o->threads);
    bool done = true;
    struct arena perm = arena_reserve(1 << 24); /* what pages say of the packages */
    char *start = perm.at;
    if (o->formats & FORMAT_REPLAY && c->replay->n_packages)
        done = replay_write(c->replay, p, &perm, tmp, e) != NULL;
    if (done && o->formats & FORMAT_CSV)
        done = write_csv(c->report, p, tmp, e);
    unsigned kinds = (o->formats & FORMAT_JSON ? PIPELINE_TREES : 0u) |
                     (o->formats & FORMAT_CSV ? PIPELINE_TABLES : 0u);
    if (done && kinds)
        done = pipeline_write(c->pipeline, c->report, kinds, p, tmp, e);
    if (done && o->formats & FORMAT_MD)
        done = markdown_write(c->report, p, tmp, e);
    if (done && o->formats & FORMAT_SITE)
        done = write_site(o, c, p, tmp, e);
    if (o->formats & FORMAT_XLSX)
        done &= book_finish(&book, e);
    arena_release(start, &perm);
    return done;
}
