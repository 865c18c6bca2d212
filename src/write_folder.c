#include "write_folder.h"

#include "write_book.h"
#include "write_excerpts.h"

#include "export/capture_file.h"
#include "export/csv_tables.h"
#include "render/folder/pipeline_write.h"
#include "render/folder/publish.h"
#include "render/folder/replay_zip.h"
#include "render/markdown/markdown_reports.h"
#include "render/page/chart_files.h"
#include "render/page/page_replay.h"
#include "render/page/single_file.h"
#include "render/page/site.h"

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

static bool write_capture(const struct capture *c, const struct publish *p,
                          struct arena tmp, struct err *e)
{
    const char *path = publish_path(p, &tmp, "capture.json.gz", e);
    return path && capture_write(c, path, tmp, e);
}

/* What the second thread does: finish the workbook, then excerpts, then pictures. */
struct apart {
    const struct options *o;
    const struct folder_content *content;
    const struct chart_files *charts;
    atomic_int picture; /* the next to draw, by whichever thread is free */
    const struct publish *folder;
    struct arena tmp; /* not shared; everything shared is only read */
    struct err err;
    bool done;
    struct beside thread;
};

static void write_apart(void *context)
{
    struct apart *b = context;
    b->done = book_finish(b->content->book, &b->err);
    if (b->done && b->o->formats & FORMAT_EXCERPTS)
        b->done = excerpts_write(b->content->excerpts, b->content->store, b->folder,
                                 b->tmp, &b->err);
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

static bool write_site(const struct options *o, const struct folder_content *c,
                       const struct chart_files *charts,
                       const struct replay_file *packages, const struct publish *p,
                       struct arena tmp, struct err *e)
{
    struct site_options site = {.theme = c->theme,
                                .charts = charts,
                                .replay = c->replay,
                                .replay_files = packages,
                                .md = (o->formats & FORMAT_MD) != 0,
                                .xlsx = (o->formats & FORMAT_XLSX) != 0,
                                .csv = (o->formats & FORMAT_CSV) != 0,
                                .json = (o->formats & FORMAT_JSON) != 0,
                                .png = (o->formats & FORMAT_PNG) != 0,
                                .single = c->single};
    return site_write(c->report, &site, o->formats & FORMAT_SITE ? p : NULL, tmp, e);
}

/* Puts the replay packages into the single file. */
static bool embed_packages(const struct folder_content *c,
                           const struct replay_file *packages, const struct publish *p,
                           struct arena tmp, struct err *e)
{
    for (int32_t i = 0; i < c->replay->n_packages; i++) {
        const struct replay_package *package = &c->replay->packages[i];
        const char *path = publish_path(p, &tmp, str_c(&tmp, package->file), e);
        if (!path ||
            !single_embed(c->single, package->file, S("replay.html"),
                          replay_row_id(&tmp, package), path, packages[i].bytes, e))
            return false;
    }
    return true;
}

/* Everything that the first thread writes. */
static bool write_here(const struct options *o, const struct folder_content *c,
                       const struct chart_files *charts,
                       const struct report_charts *pictures, const struct publish *p,
                       struct arena *perm, struct arena tmp, struct err *e)
{
    unsigned kinds = (o->formats & FORMAT_JSON ? PIPELINE_TREES : 0u) |
                     (o->formats & FORMAT_CSV ? PIPELINE_TABLES : 0u);
    const struct replay_file *packages = NULL;
    if (o->formats & FORMAT_REPLAY && c->replay->n_packages &&
        !(packages = replay_write(c->replay, p, perm, tmp, e)))
        return false;
    if (o->embed_replay && !embed_packages(c, packages, p, tmp, e))
        return false;
    if (!write_capture(c->capture, p, tmp, e))
        return false;
    if (o->formats & FORMAT_CSV && !write_csv(c->report, p, tmp, e))
        return false;
    if (kinds && !pipeline_write(c->pipeline, c->report, kinds, p, tmp, e))
        return false;
    if (o->formats & FORMAT_MD &&
        !markdown_write(c->report, pictures, &c->markdown, p, tmp, e))
        return false;
    bool has_pages = o->formats & FORMAT_SITE || c->single;
    return !has_pages || write_site(o, c, charts, packages, p, tmp, e);
}

bool folder_write(const struct options *o, const struct folder_content *c,
                  const struct publish *p, struct arena *perm, struct arena tmp,
                  struct arena tmp2, struct err *e)
{
    struct chart_files charts = chart_files_list(perm, c->report, o->all_pictures);
    struct report_charts pictures = {0};
    if (o->formats & FORMAT_PNG)
        pictures = chart_files_listed(perm, &charts);
    struct apart apart = {
        .o = o, .content = c, .charts = &charts, .folder = p, .tmp = tmp2};
    beside_start(&apart.thread, o->threads > 1, write_apart, &apart);
    bool done = write_here(o, c, &charts, &pictures, p, perm, tmp, e);
    if (done && o->formats & FORMAT_PNG)
        done = chart_files_png(&charts, &apart.picture, c->theme, p, tmp, e);
    return apart_finish(&apart, e) && done;
}
