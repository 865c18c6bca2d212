#include "render/page/job_pages.h"

#include "render/page/page_shell.h"
#include "render/page/site_frame.h"
#include "render/text/context.h"
#include "render/text/job_context.h"
#include "render/text/template_bundle.h"
#include "render/text/theme.h"

#include <cjson/cJSON.h>

struct site {
    const struct job_words *w;
    const struct theme *theme;
    const struct publish *folder;
    struct site_frame frame;
};

/* The list of pages, as the one at `page` has it. */
static void make_nav(struct site *s, int page)
{
    struct site_frame *f = &s->frame;
    f->n_nav = 0;
    for (int i = 0; i < s->w->n_pages; i++) {
        const struct words_page *p = &s->w->pages[i];
        if (!p->under || i == page)
            f->nav[f->n_nav++] =
                (struct frame_link){p->title, p->file, i == page, p->under};
    }
}

static void put_figures(cJSON *sections, const struct site *s,
                        const struct words_page *p, struct arena *tmp)
{
    for (int i = 0; i < p->n_sections; i++) {
        cJSON *o = cJSON_GetArrayItem(sections, i);
        if (p->sections[i].shown && p->sections[i].shown->figure)
            page_figure(o, "figure", p->sections[i].shown->figure, s->theme, *tmp);
    }
}

static bool write_page(struct site *s, int page, struct template_set *templates,
                       struct arena tmp, struct err *e)
{
    const struct words_page *p = &s->w->pages[page];
    struct out o;
    const char *path = publish_path(s->folder, &tmp, str_c(&tmp, p->file), e);
    if (!path || !out_open(&o, path, e))
        return false;
    make_nav(s, page);
    cJSON *context = frame_context(&s->frame);
    put_figures(job_page_context(&tmp, context, s->w, page), s, p, &tmp);
    bool done = page_render(&o, templates, "job.html", context, e);
    cJSON_Delete(context);
    return out_close(&o, e) && done;
}

bool job_pages_write(const struct job_words *w, const struct theme *theme,
                     const struct publish *p, struct arena tmp, struct arena tmp2,
                     struct err *e)
{
    const struct job_document *d = w->d;
    struct site s = {.w = w,
                     .theme = theme,
                     .folder = p,
                     .frame = {.title = d->title,
                               .run_label = d->label,
                               .id = d->id,
                               .tool_version = d->made_by,
                               .share_level = d->share_level,
                               .nav = arena_new(&tmp2, struct frame_link, w->n_pages)}};
    frame_theme(&s.frame, theme);
    if (!frame_assets(&s.frame, theme, p, &tmp2, tmp, e))
        return false;
    struct template_set templates = template_bundled(&tmp);
    for (int i = 0; i < w->n_pages; i++)
        if (!write_page(&s, i, &templates, tmp2, e))
            return false;
    return true;
}
