#include "render/page/compare_page.h"

#include "base/sha256.h"
#include "render/page/page_asset.h"
#include "render/page/page_shell.h"
#include "render/page/single_file.h"
#include "render/text/asset_text.h"
#include "render/text/compare_context.h"
#include "render/text/template_bundle.h"
#include "render/text/theme.h"
#include "report/compare/compare_figure.h"

#include <cjson/cJSON.h>

struct assets {
    struct str css, js;
};

static bool write_assets(const struct theme *theme, const struct publish *p,
                         struct arena *perm, struct arena tmp, struct assets *made,
                         struct err *e)
{
    struct out css, script;
    out_memory(&css);
    out_memory(&script);
    asset_script(&script);
    bool done = theme_css(&css, theme, tmp, e) &&
                page_asset(p, perm, "site", "css", out_view(&css), &made->css, e) &&
                page_asset(p, perm, "site", "js", out_view(&script), &made->js, e);
    out_free(&css);
    out_free(&script);
    return done;
}

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

/* The keys of page.html. */
static void put_shell(cJSON *root, struct arena *perm, const struct compare_report *r,
                      const struct theme *theme, const struct assets *assets)
{
    struct str label =
        str_printf(perm, "%.*s and %.*s", STRF(r->label[0]), STRF(r->label[1]));
    json_put(json_put_object(root, "report"), M("title", S("GPU trace comparison")),
             M("run_label", label), M("id", id_of(perm, r)),
             M("tool_version", r->tool_version), M("share_level", S("internal")),
             json_null("share_mark"), json_null("device_note"),
             json_bool("compares", true));
    json_put(json_put_object(root, "assets"), M("css", assets->css),
             M("js", assets->js), json_null("search"), json_null("op_rows"),
             json_null("kernel_rows"), json_null("logo"));
    json_put(json_put_object(root, "house"), M("header", theme->header_text),
             M("footer", theme->footer_text));
    json_row(json_put_array(root, "nav"), M("title", S("Comparison")),
             M("href", S("index.html")), json_bool("current", true),
             json_bool("under", false));
    json_put_array(root, "foot_files");
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
    struct assets assets;
    struct out o;
    if (!write_assets(theme, p, &tmp2, tmp, &assets, e))
        return false;
    const char *path = publish_path(p, &tmp2, "index.html", e);
    if (!path || !out_open(&o, path, e))
        return false;
    struct template_set templates = template_bundled(&tmp);
    cJSON *context = compare_context(&tmp2, r);
    put_shell(context, &tmp2, r, theme, &assets);
    put_figures(context, r->c, theme, &tmp2);
    bool done = page_render(&o, &templates, "compare.html", context, e);
    done = out_close(&o, e) && done &&
           (!single || add_single(single, &templates, theme, context, tmp, e));
    cJSON_Delete(context);
    return done;
}
