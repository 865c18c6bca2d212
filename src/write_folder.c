#include "write_folder.h"

#include "write_early.h"
#include "write_excerpts.h"

#include "analysis/trace_analyse.h"
#include "export/csv_tables.h"
#include "export/pipeline_json.h"
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

/* What both threads write. */
struct shared {
    const struct options *o;
    const struct folder_content *content;
    const struct chart_files *charts;
    const struct report_charts *pictures;
    const struct publish *folder;
    atomic_int part, picture; /* the next to write, by whichever thread is free */
};

static bool write_excerpts(const struct shared *s, struct arena tmp, struct err *e)
{
    const struct folder_content *c = s->content;
    return !(s->o->formats & FORMAT_EXCERPTS) ||
           excerpts_write(c->excerpts, &c->trace->store, s->folder, tmp, e);
}

/* One half for what is built, one for scratch. */
static struct arena first_half(struct arena *tmp)
{
    struct arena first = *tmp;
    tmp->at += (tmp->end - tmp->at) / 2 / 16 * 16;
    first.end = tmp->at;
    return first;
}

static bool write_data(const struct shared *s, struct arena tmp, struct err *e)
{
    unsigned kinds = (s->o->formats & FORMAT_JSON ? PIPELINE_TREES : 0u) |
                     (s->o->formats & FORMAT_CSV ? PIPELINE_TABLES : 0u);
    if (!kinds)
        return true;
    struct arena perm = first_half(&tmp);
    struct pipeline_files files = pipeline_files_build(&perm, tmp, s->content->data);
    bool done = pipeline_write(&files, s->content->report, kinds, s->folder, tmp, e);
    pipeline_files_close(&files);
    return done;
}

static bool write_markdown(const struct shared *s, struct arena tmp, struct err *e)
{
    const struct folder_content *c = s->content;
    return !(s->o->formats & FORMAT_MD) ||
           markdown_write(c->report, s->pictures, &c->markdown, s->folder, tmp, e);
}

static bool write_csv(const struct shared *s, struct arena tmp, struct err *e)
{
    if (!(s->o->formats & FORMAT_CSV))
        return true;
    const struct report *r = s->content->report;
    struct str file = S("perf_report_csvs/gpu_timeline.csv");
    const char *path = publish_path(s->folder, &tmp, file.p, e);
    if (!path)
        return false;
    struct str dir =
        str_head(str_of(path), (ptrdiff_t)strlen(path) - S("/gpu_timeline.csv").n);
    return csv_write_all(r->tables, r->n_tables, str_c(&tmp, dir), tmp, e);
}

/* The largest first. */
static bool write_parts(struct shared *s, struct arena tmp, struct err *e)
{
    static bool (*const parts[])(const struct shared *, struct arena, struct err *) = {
        write_excerpts, write_data, write_markdown, write_csv};
    enum { PARTS = sizeof parts / sizeof *parts };
    for (int k; (k = atomic_fetch_add(&s->part, 1)) < PARTS;)
        if (!parts[k](s, tmp, e))
            return false;
    return !(s->o->formats & FORMAT_PNG) ||
           chart_files_png(s->charts, &s->picture, s->content->theme, s->folder, tmp,
                           e);
}

/* The second thread. */
struct apart {
    struct shared *shared;
    struct arena tmp; /* not shared; everything shared is only read */
    struct err err;
    bool done;
    struct beside thread;
};

static void write_apart(void *context)
{
    struct apart *b = context;
    b->done = early_finish(b->shared->content->early, &b->err) &&
              write_parts(b->shared, b->tmp, &b->err);
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
                                .single = c->single,
                                .notes = c->notes,
                                .base_url = str_of(o->base_url)};
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

/* What the first thread alone writes: pages link to the packages by their sizes. */
static bool write_pages(const struct shared *s, struct arena *perm, struct arena tmp,
                        struct err *e)
{
    const struct options *o = s->o;
    const struct folder_content *c = s->content;
    const struct replay_file *packages = NULL;
    if (o->formats & FORMAT_REPLAY && c->replay->n_packages &&
        !(packages = replay_write(c->replay, s->folder, perm, tmp, e)))
        return false;
    if (o->embed_replay && !embed_packages(c, packages, s->folder, tmp, e))
        return false;
    bool has_pages = o->formats & FORMAT_SITE || c->single;
    return !has_pages || write_site(o, c, s->charts, packages, s->folder, tmp, e);
}

bool folder_write(const struct options *o, const struct folder_content *c,
                  const struct publish *p, struct arena *perm, struct arena tmp,
                  struct arena tmp2, struct err *e)
{
    struct chart_files charts = chart_files_list(perm, c->report, o->all_pictures);
    struct report_charts pictures = {0};
    if (o->formats & FORMAT_PNG)
        pictures = chart_files_listed(perm, &charts);
    struct shared shared = {
        .o = o, .content = c, .charts = &charts, .pictures = &pictures, .folder = p};
    struct apart apart = {.shared = &shared, .tmp = tmp2};
    beside_start(&apart.thread, o->threads > 1, write_apart, &apart);
    bool done = write_pages(&shared, perm, tmp, e) && write_parts(&shared, tmp, e);
    return apart_finish(&apart, e) && done;
}
