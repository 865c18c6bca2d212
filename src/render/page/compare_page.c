#include "render/page/compare_page.h"

#include "analysis/model/device_word.h"
#include "base/sha256.h"
#include "render/page/page_shell.h"
#include "render/page/single_file.h"
#include "render/page/site_frame.h"
#include "render/text/compare_context.h"
#include "render/text/template_bundle.h"
#include "render/text/theme.h"
#include "report/compare/compare_figure.h"

#include <cjson/cJSON.h>

/* What identifies a comparison: both sides and what was asked of them. */
static struct str id_of(struct arena *perm, const struct compare_report *r)
{
    const struct comparison *c = r->c;
    char hex[SHA256_HEX_BYTES];
    struct str all =
        str_printf(perm, "%.*s %.*s %.*s %lld %lld %lld %lld %d", STRF(r->tool_version),
                   STRF(r->label[0]), STRF(r->label[1]), (long long)c->window_ns[0],
                   (long long)c->window_ns[1], (long long)c->device_ns[0],
                   (long long)c->device_ns[1], c->n_rows);
    sha256_hex_of(all, hex);
    return str_copy(perm, str_head(str_of(hex), 16));
}

/* Each under its key, and whether it has anything to show. */
static void put_figures(cJSON *root, const struct comparison *c,
                        const struct theme *theme, struct arena *perm)
{
    static const struct {
        const char *key, *any;
        struct report_figure (*make)(struct arena *perm, const struct comparison *c);
    } figures[] = {{"figure", NULL, compare_figure},
                   {"slopes", "any_slope", compare_slopes},
                   {"scatter", "any_point", compare_scatter},
                   {"icicle", "any_cell", compare_icicle},
                   {"steps_figure", "any_step", compare_steps}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        struct report_figure f = figures[i].make(perm, c);
        page_figure(root, figures[i].key, &f, theme, *perm);
        json_put(root, json_bool(figures[i].any, f.n_marks > 0));
    }
}

/* The page once more, with its style and script in it. */
static bool add_single(struct single_file *single, struct template_set *templates,
                       const struct theme *theme, cJSON *context, struct arena tmp,
                       struct err *e)
{
    return single_add(single, templates, S("index.html"), "compare.html", context, e) &&
           single_finish(single, templates, theme, context, tmp, e);
}

bool compare_page_write(const struct compare_report *r, const struct theme *theme,
                        const struct publish *p, struct single_file *single,
                        struct arena tmp, struct arena tmp2, struct err *e)
{
    struct frame_link here = {S("Comparison"), S("index.html"), true, false};
    struct site_frame frame = {
        .title = device_word_put(&tmp2, S("GPU trace comparison"), r->vendor, 0, 0),
        .run_label =
            str_printf(&tmp2, "%.*s and %.*s", STRF(r->label[0]), STRF(r->label[1])),
        .id = id_of(&tmp2, r),
        .tool_version = r->tool_version,
        .share_level = S("internal"),
        .nav = &here,
        .n_nav = 1};
    struct out o;
    frame_theme(&frame, theme);
    if (!frame_assets(&frame, theme, p, &tmp2, tmp, e))
        return false;
    const char *path = publish_path(p, &tmp2, "index.html", e);
    if (!path || !out_open(&o, path, e))
        return false;
    struct template_set templates = template_bundled(&tmp); /* which takes more later */
    cJSON *context = frame_context(&frame);
    compare_context(context, &tmp2, r);
    put_figures(context, r->c, theme, &tmp2);
    bool done = page_render(&o, &templates, "compare.html", context, e);
    done = out_close(&o, e) && done &&
           (!single || add_single(single, &templates, theme, context, tmp2, e));
    cJSON_Delete(context);
    return done;
}
