#include "render/page/job_pages.h"

#include "render/page/page_asset.h"
#include "render/page/page_shell.h"
#include "render/text/asset_text.h"
#include "render/text/context.h"
#include "render/text/job_context.h"
#include "render/text/template_bundle.h"
#include "render/text/theme.h"

#include <cjson/cJSON.h>

struct site {
    const struct job_document *d;
    const struct theme *theme;
    const struct publish *folder;
    struct str css, js;
};

static bool write_assets(struct site *s, struct arena *perm, struct arena tmp,
                         struct err *e)
{
    struct out css, script;
    out_memory(&css);
    out_memory(&script);
    asset_script(&script);
    bool done =
        theme_css(&css, s->theme, tmp, e) &&
        page_asset(s->folder, perm, "site", "css", out_view(&css), &s->css, e) &&
        page_asset(s->folder, perm, "site", "js", out_view(&script), &s->js, e);
    out_free(&css);
    out_free(&script);
    return done;
}

/* The keys of page.html. */
static void put_shell(cJSON *root, const struct site *s, int page)
{
    const struct job_document *d = s->d;
    struct str level = d->r ? d->r->share_level : S("internal");
    json_put(json_put_object(root, "report"), M("title", d->title),
             context_text("run_label", d->label), M("id", d->id),
             M("tool_version", d->made_by), M("share_level", level),
             str_eq(level, S("internal")) ? json_null("share_mark")
                                          : M("share_mark", level),
             json_null("device_note"), json_bool("compares", true));
    json_put(json_put_object(root, "assets"), M("css", s->css), M("js", s->js),
             json_null("search"), json_null("op_rows"), json_null("kernel_rows"),
             json_null("logo"));
    json_put(json_put_object(root, "house"), M("header", s->theme->header_text),
             M("footer", s->theme->footer_text));
    cJSON *nav = json_put_array(root, "nav");
    for (int i = 0; i < d->n_pages; i++)
        if (!d->pages[i].under || i == page)
            json_row(nav, M("title", d->pages[i].title), M("href", d->pages[i].file),
                     json_bool("current", i == page),
                     json_bool("under", d->pages[i].under));
    json_put_array(root, "foot_files");
}

static void put_figures(cJSON *root, const struct site *s, const struct job_page *p,
                        struct arena *tmp)
{
    cJSON *sections = cJSON_GetObjectItemCaseSensitive(root, "sections");
    for (int i = 0; i < p->n_sections; i++) {
        cJSON *o = cJSON_GetArrayItem(sections, i);
        if (p->sections[i].has_figure)
            page_figure(o, "figure", &p->sections[i].figure, s->theme, *tmp);
    }
}

static bool write_page(const struct site *s, int page, struct template_set *templates,
                       struct arena tmp, struct err *e)
{
    const struct job_page *p = &s->d->pages[page];
    struct out o;
    const char *path = publish_path(s->folder, &tmp, str_c(&tmp, p->file), e);
    if (!path || !out_open(&o, path, e))
        return false;
    cJSON *context = job_page_context(p);
    put_shell(context, s, page);
    put_figures(context, s, p, &tmp);
    bool done = page_render(&o, templates, "job.html", context, e);
    cJSON_Delete(context);
    return out_close(&o, e) && done;
}

bool job_pages_write(const struct job_document *d, const struct theme *theme,
                     const struct publish *p, struct arena tmp, struct arena tmp2,
                     struct err *e)
{
    struct site s = {.d = d, .theme = theme, .folder = p};
    if (!write_assets(&s, &tmp2, tmp, e))
        return false;
    struct template_set templates = template_bundled(&tmp);
    for (int i = 0; i < d->n_pages; i++)
        if (!write_page(&s, i, &templates, tmp2, e))
            return false;
    return true;
}
