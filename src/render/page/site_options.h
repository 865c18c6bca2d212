/* site_options.h - inputs of a site besides the report. */
#ifndef RENDER_PAGE_SITE_OPTIONS_H
#define RENDER_PAGE_SITE_OPTIONS_H

#include "base/str.h"

#include <stdbool.h>

struct arena;
struct chart_files;
struct err;
struct gate_results;
struct replay_file;
struct replay_set;
struct single_file;
struct site_pages;
struct theme;

struct site_options {
    const struct theme *theme;
    const struct chart_files *charts;       /* of the same report; NULL: made here */
    const struct replay_set *replay;        /* NULL: none was asked for */
    const struct replay_file *replay_files; /* a row a package */
    bool md, xlsx, csv, json; /* written beside the pages, which link them */
    /* Returns when those tables and excerpts, or all those files, are written: links
     * tell their sizes. NULL: they are there, or nobody writes them. */
    bool (*wait)(void *writers, bool all, struct arena tmp, struct err *e);
    /* Told as soon as another thread may call site_help, and with pages NULL when it no
     * longer may: then returns when it does not. NULL: one thread writes. */
    void (*share)(void *writers, struct site_pages *pages);
    void *writers;
    bool png; /* charts/ gets PNG files too (chart_files_png), so pages may link them */
    struct single_file *single; /* also receives every page; may be NULL */
    struct str notes; /* markdown of the user, for the first page; may be empty */
    const struct gate_results *gates; /* the conditions of a build; NULL: none */
    struct str base_url;              /* where the folder will be; empty: not said */
};

#endif
