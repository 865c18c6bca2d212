/* site.h - the folder form of the site: every page, its style sheet and script.
 *
 * Reads the report model alone. Pages lie side by side at the root of the folder,
 * assets are named by their content, links are relative. A page that cannot be made is
 * named in the navigation with the reason. */
#ifndef RENDER_SITE_H
#define RENDER_SITE_H

#include "base/err.h"
#include "report/report.h"

struct arena;
struct chart_files;
struct publish;
struct replay_file;
struct replay_set;
struct single_file;
struct theme;

/* A file that the index offers, beside the pages. */
struct site_download {
    struct str href, format, about;
};

struct site_options {
    const struct theme *theme;
    const struct site_download *downloads;
    int n_downloads;
    const struct chart_files *charts;       /* of the same report; NULL: made here */
    const struct replay_set *replay;        /* NULL: none was asked for */
    const struct replay_file *replay_files; /* a row a package */
    bool png; /* charts/ gets PNG files too (chart_files_png), so pages may link them */
    struct single_file *single; /* gets every page too; NULL: no */
};

/* `folder` NULL: pages go into o->single alone. */
MUST_CHECK bool site_write(const struct report *r, const struct site_options *o,
                           const struct publish *folder, struct arena tmp,
                           struct err *e);

#endif
