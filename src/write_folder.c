#include "write_folder.h"

#include "write_book.h"
#include "write_cuts.h"

#include "render/chart_files.h"
#include "render/csv_tables.h"
#include "render/markdown_reports.h"
#include "render/pipeline_write.h"
#include "render/publish.h"
#include "render/replay_page.h"
#include "render/replay_zip.h"
#include "render/single_file.h"
#include "render/site.h"

#include <stdatomic.h>
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

/* ---- what is slow and apart: the workbook to its end, then the pictures
 * --------------- */

struct apart {
    const struct options *o;
    const struct folder_content *content;
    const struct chart_files *charts;
    atomic_int picture; /* the next to draw, by whoever is done with all else */
    const struct publish *folder;
    struct arena tmp; /* its own: nothing is shared but what is only read */
    struct err err;
    bool done;
    struct beside thread;
};

static void write_apart(void *context)
{
    struct apart *b = context;
    b->done = book_finish(b->content->book, &b->err);
    if (b->done && b->o->formats & FORMAT_CUTS)
        b->done =
            cuts_write(b->content->cuts, b->content->store, b->folder, b->tmp, &b->err);
    if (b->done && b->o->formats & FORMAT_PNG)
        b->done = chart_files_png(b->charts, &b->picture, b->content->theme, b->folder,
                                  b->tmp, &b->err);
}

static bool apart_finish(struct apart *b, struct err *e)
{
    beside_join(&b->thread);
    if (!b->done && e->kind == ERR_NONE)
        *e = b->err;
    return b->done;
}

/* ---- the site
 * ------------------------------------------------------------------------ */

static bool write_site(const struct options *o, const struct folder_content *c,
                       const struct chart_files *charts, const struct replay_file *kits,
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
    struct site_options site = {.theme = c->theme,
                                .downloads = offered,
                                .n_downloads = n,
                                .charts = charts,
                                .replay = c->replay,
                                .replay_files = kits,
                                .png = (o->formats & FORMAT_PNG) != 0,
                                .single = c->single};
    return site_write(c->report, &site, o->formats & FORMAT_SITE ? p : NULL, tmp, e);
}

/* The packages go into the one-file form as well. */
static bool embed_kits(const struct folder_content *c, const struct replay_file *kits,
                       const struct publish *p, struct arena tmp, struct err *e)
{
    for (int32_t i = 0; i < c->replay->n_packages; i++) {
        const struct replay_package *kit = &c->replay->packages[i];
        const char *path = publish_path(p, &tmp, str_c(&tmp, kit->file), e);
        if (!path || !single_embed(c->single, kit->file, S("replay.html"),
                                   replay_row_id(&tmp, kit), path, kits[i].bytes, e))
            return false;
    }
    return true;
}

/* Everything but what is written beside it. */
static bool write_here(const struct options *o, const struct folder_content *c,
                       const struct chart_files *charts, const struct publish *p,
                       struct arena *perm, struct arena tmp, struct err *e)
{
    unsigned kinds = (o->formats & FORMAT_JSON ? PIPELINE_TREES : 0u) |
                     (o->formats & FORMAT_CSV ? PIPELINE_TABLES : 0u);
    const struct replay_file *kits = NULL;
    if (o->formats & FORMAT_REPLAY && c->replay->n_packages &&
        !(kits = replay_write(c->replay, p, perm, tmp, e)))
        return false;
    if (o->embed_replay && !embed_kits(c, kits, p, tmp, e))
        return false;
    if (o->formats & FORMAT_CSV && !write_csv(c->report, p, tmp, e))
        return false;
    if (kinds && !pipeline_write(c->pipeline, c->report, kinds, p, tmp, e))
        return false;
    if (o->formats & FORMAT_MD && !markdown_write(c->report, &c->markdown, p, tmp, e))
        return false;
    bool has_pages = o->formats & FORMAT_SITE || c->single;
    return !has_pages || write_site(o, c, charts, kits, p, tmp, e);
}

bool folder_write(const struct options *o, const struct folder_content *c,
                  const struct publish *p, struct arena *perm, struct arena tmp,
                  struct arena tmp2, struct err *e)
{
    struct chart_files charts = chart_files_list(perm, c->report);
    if (o->formats & FORMAT_PNG)
        chart_files_tell(perm, &charts, c->report);
    struct apart apart = {
        .o = o, .content = c, .charts = &charts, .folder = p, .tmp = tmp2};
    beside_start(&apart.thread, o->threads > 1, write_apart, &apart);
    bool done = write_here(o, c, &charts, p, perm, tmp, e);
    if (done && o->formats & FORMAT_PNG)
        done = chart_files_png(&charts, &apart.picture, c->theme, p, tmp, e);
    return apart_finish(&apart, e) && done;
}
