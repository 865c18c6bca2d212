/* site_frame.h - what page.html shows around the pages of a small site: a job, a
 * comparison, a folder of runs. */
#ifndef RENDER_PAGE_SITE_FRAME_H
#define RENDER_PAGE_SITE_FRAME_H

#include "base/described.h"
#include "render/folder/publish.h"

struct arena;
struct cJSON;
struct theme;

struct frame_link {
    struct str title, href;
    bool current, under;
};

struct frame_file {
    struct str href, name;
    double bytes;
};

struct site_frame {
    struct str title, run_label, id, tool_version, share_level;
    struct str css, js; /* files in assets/ */
    struct str header, footer;
    struct frame_link *nav;
    struct frame_file *foot_files;
    int n_nav, n_foot_files;
};

DESCRIBED(site_frame);

/* With its texts around pages: what the theme says. */
void frame_theme(struct site_frame *f, const struct theme *t);

/* Writes the style sheet and the script of a site into its folder. */
MUST_CHECK bool frame_assets(struct site_frame *f, const struct theme *t,
                             const struct publish *folder, struct arena *perm,
                             struct arena tmp, struct err *e);

/* The keys of page.html: a new tree, to which the frame is lent. */
struct cJSON *frame_context(const struct site_frame *f);

#endif
