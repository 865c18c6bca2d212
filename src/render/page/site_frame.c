#include "render/page/site_frame.h"

#include "base/arena.h"
#include "render/page/page_asset.h"
#include "render/text/asset_text.h"
#include "render/text/context.h"
#include "render/text/theme.h"

#undef F /* of describe.h, not of context.h */
#include "base/describe.h"

DESCRIBED(frame_link);
DESCRIBED(frame_file);
DESCRIBED_AS(frame_report, site_frame);
DESCRIBED_AS(frame_files, site_frame);
DESCRIBED_AS(frame_house, site_frame);

FIELDS(frame_link, F(title, TEXT), F(href, TEXT), F(current, FLAG), F(under, FLAG));
FIELDS(frame_file, F(href, TEXT), F(name, TEXT), F(bytes, BYTES));

/* Who may see it, unless everybody here may. */
static struct str share_mark(const struct described *in)
{
    const struct site_frame *f = in->of;
    return str_eq(f->share_level, S("internal")) ? S("") : f->share_level;
}

/* It compares runs, and is no report of one. */
static bool compares(const struct described *in)
{
    (void)in;
    return true;
}

VIEW(frame_report, site_frame, F(title, TEXT), F(run_label, TEXT), F(id, TEXT),
     F(tool_version, TEXT), F(share_level, TEXT), CALL(share_mark, TEXT, share_mark),
     CALL(compares, FLAG, compares));
VIEW(frame_files, site_frame, F(css, TEXT), F(js, TEXT));
VIEW(frame_house, site_frame, F(header, TEXT), F(footer, TEXT));
FIELDS(site_frame, PART("report", frame_report), PART("assets", frame_files),
       PART("house", frame_house), LIST(nav, n_nav, frame_link),
       LIST(foot_files, n_foot_files, frame_file));

void frame_theme(struct site_frame *f, const struct theme *t)
{
    f->header = t->header_text;
    f->footer = t->footer_text;
}

bool frame_assets(struct site_frame *f, const struct theme *t,
                  const struct publish *folder, struct arena *perm, struct arena tmp,
                  struct err *e)
{
    struct out css, script;
    out_memory(&css);
    out_memory(&script);
    asset_script(&script);
    bool done = theme_css(&css, t, tmp, e) &&
                page_asset(folder, perm, "site", "css", out_view(&css), &f->css, e) &&
                page_asset(folder, perm, "site", "js", out_view(&script), &f->js, e);
    out_free(&css);
    out_free(&script);
    return done;
}

struct cJSON *frame_context(const struct site_frame *f)
{
    return context_lend(json_new(), site_frame_fields(), f, f);
}
