#include "render/page/site.h"

#include "base/arena.h"
#include "render/folder/publish.h"
#include "render/page/lanes_file.h"
#include "render/page/op_lines.h"
#include "render/page/page_asset.h"
#include "render/page/rows_file.h"
#include "render/page/search_index.h"
#include "render/page/single_file.h"
#include "render/page/site_context.h"
#include "render/text/asset_text.h"
#include "render/text/bundle.h"
#include "render/text/template_bundle.h"
#include "render/text/theme.h"

#include <stdatomic.h>

/* What tables that continue on other pages are ordered and filtered by. */
static bool write_rows(struct site *s, struct arena tmp, struct err *e)
{
    const struct {
        bool wanted;
        void (*put)(struct out *, const struct site *, struct arena);
        const char *stem;
        struct str *path;
    } files[] = {
        {rows_wanted_operations(s->r), rows_operations, "rows-operations", &s->op_rows},
        {rows_wanted_kernels(s->r), rows_kernels, "rows-kernels", &s->kernel_rows}};
    bool done = true;
    for (size_t k = 0; k < sizeof files / sizeof *files && done; k++) {
        if (!files[k].wanted)
            continue;
        struct out rows;
        out_memory(&rows);
        files[k].put(&rows, s, tmp);
        done = page_asset(s->folder, s->perm, files[k].stem, "js", out_view(&rows),
                          files[k].path, e);
        out_free(&rows);
    }
    return done;
}

/* What the timeline zooms into; in one file it is part of the script. */
static bool write_lanes(struct site *s, struct arena tmp, struct err *e)
{
    if (!lanes_wanted(s->r))
        return true;
    struct out lanes, viewer;
    bool done = true;
    out_memory(&lanes);
    out_memory(&viewer);
    s->lanes_count = lanes_file(&lanes, s->r, tmp);
    asset_zoom_script(&viewer);
    if (s->folder)
        done = page_asset(s->folder, s->perm, "lanes", "js", out_view(&lanes),
                          &s->lanes, e) &&
               page_asset(s->folder, s->perm, "zoom", "js", out_view(&viewer), &s->zoom,
                          e);
    if (s->o->single)
        s->o->single->data = str_copy(&s->o->single->perm, out_view(&lanes));
    out_free(&lanes);
    out_free(&viewer);
    return done;
}

static bool write_assets(struct site *s, struct arena tmp, struct err *e)
{
    struct out css;
    out_memory(&css);
    bool done =
        theme_css(&css, s->theme, tmp, e) &&
        page_asset(s->folder, s->perm, "site", "css", out_view(&css), &s->css, e);
    out_free(&css);
    struct out script, names;
    out_memory(&script);
    out_memory(&names);
    asset_script(&script);
    search_index(&names, s->r, &s->kernels, tmp);
    done =
        done &&
        page_asset(s->folder, s->perm, "site", "js", out_view(&script), &s->js, e) &&
        page_asset(s->folder, s->perm, "search", "js", out_view(&names), &s->search, e);
    out_free(&script);
    out_free(&names);
    done = done && page_asset(s->folder, s->perm, "icon", "svg",
                              bundle_file(S("assets/icon.svg")), &s->icon, e);
    if (done && s->theme->logo_kind)
        done = page_asset(s->folder, s->perm, "logo", s->theme->logo_kind,
                          s->theme->logo, &s->logo, e);
    return done;
}

static bool wait_for(const struct site *s, bool all, struct arena tmp, struct err *e)
{
    return !s->o->wait || s->o->wait(s->o->writers, all, tmp, e);
}

struct site_pages {
    const struct site *site;
    atomic_int next; /* to write, by whichever thread is free */
};

/* One file takes the pages in their order; two threads would wait at the end for one
 * that began a large page last. */
static bool write_pages(struct site *s, atomic_int *next, struct arena tmp,
                        struct err *e)
{
    enum { PAGES = 13, HOST_PAGES = 2 };
    static bool (*const of_host[HOST_PAGES])(struct site *, struct arena,
                                             struct err *) = {site_checks, site_about};
    static bool (*const in_order[PAGES])(struct site *, struct arena,
                                         struct err *) = {site_recommendations,
                                                          site_category,
                                                          site_system,
                                                          site_operations,
                                                          site_kernels,
                                                          site_timeline,
                                                          site_layers,
                                                          site_counters,
                                                          site_tree,
                                                          site_roofline,
                                                          site_replay,
                                                          site_checks,
                                                          site_about};
    static bool (*const largest_first[PAGES])(struct site *, struct arena,
                                              struct err *) = {
        site_category, site_operations,      site_roofline,
        site_kernels,  site_recommendations, site_tree,
        site_system,   site_timeline,        site_layers,
        site_counters, site_replay,          site_checks,
        site_about};
    bool device = s->r->meta.has_gpu, done = true;
    int n = device ? PAGES : HOST_PAGES;
    for (int k; done && (k = atomic_fetch_add(next, 1)) < n;)
        done = (!device        ? of_host
                : s->o->single ? in_order
                               : largest_first)[k](s, tmp, e);
    return done;
}

bool site_help(struct site_pages *p, struct arena tmp, struct err *e)
{
    struct site own = *p->site; /* with templates of its own */
    struct arena perm = arena_reserve(arena_machine_bytes() / 4);
    char *start = perm.at;
    own.perm = &perm;
    own.templates = template_bundled(&perm);
    own.templates.vendor = own.r->meta.vendor;
    bool done = write_pages(&own, &p->next, tmp, e);
    arena_release(start, &perm);
    return done;
}

/* The first page lists all files by their sizes, so it is written last. */
static bool write_all_pages(struct site *s, struct arena tmp, struct err *e)
{
    const struct site before = *s;
    struct site_pages pages = {.site = &before};
    if (!wait_for(s, false, tmp, e))
        return false;
    bool shared = s->o->share && !s->o->single;
    if (shared)
        s->o->share(s->o->writers, &pages);
    bool done = write_pages(s, &pages.next, tmp, e);
    if (shared)
        s->o->share(s->o->writers, NULL);
    done = done && wait_for(s, true, tmp, e) && site_index(s, tmp, e);
    if (done && s->o->single)
        single_last_first(s->o->single);
    return done;
}

static bool finish_single(struct site *s, struct arena tmp, struct err *e)
{
    cJSON *shell = ctx_page(s, "");
    bool done = single_finish(s->o->single, &s->templates, s->theme, shell, tmp, e);
    cJSON_Delete(shell);
    return done;
}

bool site_write(const struct report *r, const struct site_options *o,
                const struct publish *folder, struct arena tmp, struct err *e)
{
    struct arena perm = arena_reserve(arena_machine_bytes() / 4);
    char *start = perm.at;
    struct site s = {
        .r = r, .o = o, .theme = o->theme, .folder = folder, .perm = &perm};
    s.templates = template_bundled(&perm);
    s.templates.vendor = r->meta.vendor;
    s.kernels = kernel_lines_make(&perm, tmp, r);
    struct op_lines lines = op_lines_of(&perm, r);
    s.op_lines = &lines;
    struct chart_files charts;
    s.charts = o->charts;
    if (!s.charts) {
        charts = chart_files_list(&perm, tmp, r, false);
        s.charts = &charts;
    }
    bool done = write_lanes(&s, tmp, e) &&
                (!folder || (write_rows(&s, tmp, e) && write_assets(&s, tmp, e) &&
                             chart_files_svg(s.charts, s.theme, folder, tmp, e)));
    done = done && write_all_pages(&s, tmp, e) &&
           (!o->single || finish_single(&s, tmp, e));
    arena_release(start, &perm);
    return done;
}
