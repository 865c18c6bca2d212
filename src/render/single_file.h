/* single_file.h - the whole site as one HTML file, to mail or to upload.
 *
 * Collects the pages while the site is written, then sets them one below the other:
 * one style, one script, both named by hash in the policy, ids and links of
 * single_links.h. What lies beside pages (tables, packages, pictures as files) is left
 * out and listed at the end, unless it is embedded. Owns the pages and the document
 * from single_open to single_close. */
#ifndef RENDER_SINGLE_FILE_H
#define RENDER_SINGLE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "render/single_links.h"

struct cJSON;
struct publish;
struct template_set;
struct theme;

enum {
    SINGLE_PAGES_MAX = 1024,
    SINGLE_EMBEDS_MAX = 256,
    SINGLE_WARN_BYTES = 8000000, /* mail servers and viewers begin to refuse */
    SINGLE_LIMIT_MB = 25,        /* unless the user says another */
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
    int64_t style_bytes, script_bytes;
    struct out document; /* empty until single_finish */
};

void single_open(struct single_file *f);
void single_close(struct single_file *f);

/* Render one page's own template; `context` is the page's. In the order of reading. */
MUST_CHECK bool single_add(struct single_file *f, struct template_set *set,
                           struct str file, const char *template_name,
                           const struct cJSON *context, struct err *e);

/* Carry a file of the folder form, of `bytes` at `path`, in the document: its link on
 * `page` saves it, all others lead to `id` there. Before single_finish. */
MUST_CHECK bool single_embed(struct single_file *f, struct str href, struct str page,
                             struct str id, const char *path, int64_t bytes,
                             struct err *e);

/* Make the document of all pages. `shell` is a page's context of no page. */
MUST_CHECK bool single_finish(struct single_file *f, struct template_set *set,
                              const struct theme *t, struct cJSON *shell,
                              struct arena tmp, struct err *e);

/* Whether `path` can be written, before any work: its folder is there and is not the
 * one that `folder` will replace. */
MUST_CHECK bool single_check(const char *path, const struct publish *folder,
                             struct err *e);

/* Write the document to `path`: a temporary file beside it, then renamed. Above
 * `limit_mb` it refuses and names the largest parts. */
MUST_CHECK bool single_save(const struct single_file *f, const char *path, int limit_mb,
                            struct err *e);

#endif
