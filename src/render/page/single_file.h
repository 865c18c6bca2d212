/* single_file.h - the whole site as one HTML file, to mail or to upload.
 *
 * Collects the pages while the site is written, then puts them one after the other: one
 * style, one script, both named by hash in the policy, ids and links from
 * single_links.h. Files beside the pages (tables, packages, pictures) are left out and
 * listed at the end, unless embedded. Owns the pages and the document from single_open
 * to single_close. */
#ifndef RENDER_PAGE_SINGLE_FILE_H
#define RENDER_PAGE_SINGLE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "render/folder/asked_file.h"
#include "render/page/single_links.h"

struct cJSON;
struct publish;
struct template_set;
struct theme;

enum {
    SINGLE_PAGES_MAX = 1024,
    SINGLE_EMBEDS_MAX = 256,
    SINGLE_WARN_BYTES =
        8000000,          /* above this, mail servers and viewers start to refuse */
    SINGLE_LIMIT_MB = 25, /* unless the user sets another */
};

struct single_page {
    struct str file; /* of the folder form: "index.html" */
    struct str title, question;
    struct out body;
    int64_t bytes; /* in the document */
};

struct single_file {
    struct arena perm;
    char *start;
    struct single_page *pages;
    int n_pages;
    struct link_embed *embeds;
    int n_embeds;
    struct str data; /* goes before the script, which reads it; set by the site */
    int64_t style_bytes, script_bytes;
    struct out document; /* empty until single_finish */
    char *temporary;     /* from single_write to single_place, locked; or NULL */
    int lock_fd;
};

void single_open(struct single_file *f);
void single_close(struct single_file *f);

/* Render one page's own template with its `context`. Call in reading order. */
MUST_CHECK bool single_add(struct single_file *f, struct template_set *set,
                           struct str file, const char *template_name,
                           const struct cJSON *context, struct err *e);

/* The page that was added last is the first to read. */
void single_last_first(struct single_file *f);

/* Embed a file of the folder form, `bytes` at `path`, in the document: its link on
 * `page` saves it, all others lead to `id` there. Before single_finish. */
MUST_CHECK bool single_embed(struct single_file *f, struct str href, struct str page,
                             struct str id, const char *path, int64_t bytes,
                             struct err *e);

/* Make the document of all pages. `shell` is a page context that belongs to no page. */
MUST_CHECK bool single_finish(struct single_file *f, struct template_set *set,
                              const struct theme *t, struct cJSON *shell,
                              struct arena tmp, struct err *e);

/* Checks before any work that `path` can be written. */
MUST_CHECK bool single_check(const char *path, const struct asked_places *b,
                             struct err *e);

/* Write the document beside `path`, to be put there by single_place or removed by
 * single_close: whatever fails, fails while the old report is still in place. */
MUST_CHECK bool single_write(struct single_file *f, const char *path, int limit_mb,
                             struct err *e);

/* Give it its name. Above `limit_mb` nothing was written: fails and names the largest
 * parts. */
MUST_CHECK bool single_place(struct single_file *f, const char *path, int limit_mb,
                             struct err *e);

#endif
