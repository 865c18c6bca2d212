/* single_links.h - makes the ids and links of many pages work in one document.
 *
 * Reads the markup of our own templates, where every attribute is in double quotes and
 * every < > in text is escaped; the content of pages does not matter. An id stays as it
 * is on the first page that has it and becomes PAGE--ID on the later ones; links
 * follow. Headings move down one level, below their page's. Links to files that are not
 * pages become text, and the file is noted as left out, unless it is embedded. Memory
 * comes from the arena; scanned markup is lent until the end. */
#ifndef RENDER_PAGE_SINGLE_LINKS_H
#define RENDER_PAGE_SINGLE_LINKS_H

#include "base/out.h"
#include "base/str.h"

struct arena;

enum { LINKS_SHELL = -1 }; /* the markup around the pages: comes first */

struct link_id {
    struct str id, name; /* on its page, and in the one file */
    int page;            /* LINKS_SHELL, or the page's number */
};

struct link_embed {
    struct str href; /* "replay_packages/x.zip" */
    struct str page; /* whose link saves the file; others lead to `id` there */
    struct str id;
    struct str bytes; /* of a zip */
};

struct single_links {
    struct arena *perm;
    const struct str *files; /* "index.html", by page */
    int n_files;
    struct link_id *ids; /* by (id, page) once links_settle was called */
    int n_ids;
    struct str *left_out; /* paths of files, in the order of their first link */
    int n_left_out;
    const struct link_embed *embeds; /* set by the caller; may be none */
    int n_embeds;
};

struct single_links links_open(struct arena *perm, const struct str *files, int n);

/* Note one id, or all of a page's markup. */
void links_add(struct single_links *l, int page, struct str id);
void links_scan(struct single_links *l, int page, struct str html);

/* Name every id: after the last scan, before the first lookup. */
void links_settle(struct single_links *l);

/* "page-index": the id of a page's section; its title's is "page-index-h". */
struct str links_page_id(struct arena *a, struct str file);

/* The markup of one page, rewritten for the single file. */
void links_rewrite(struct single_links *l, int page, struct str html, struct out *o);

#endif
