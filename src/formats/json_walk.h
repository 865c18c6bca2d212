/* json_walk.h - a JSON document of any shape, value by value.
 *
 * Whoever reads it says which containers to go into; the members of these come one by
 * one, whole, so no more than one is in memory. */
#ifndef FORMATS_JSON_WALK_H
#define FORMATS_JSON_WALK_H

#include "trace/byte_source.h"
#include "trace/json_scan.h"

enum { WALK_DEPTH = 6, WALK_KEY_BYTES = 40 };

struct json_walk {
    const char *path;
    struct byte_source *source;
    struct json_scan scan;
    const char *at;
    int64_t end_offset; /* uncompressed, of the window's end */
    int64_t n;          /* values so far */
    struct {
        bool is_list;
        char key[WALK_KEY_BYTES]; /* of the member that is read; cut if it is longer */
    } level[WALK_DEPTH];
    int depth; /* of containers around the next value */
    int place; /* json_walk.c's own */

    /* Whether to go into the container that begins as a member of the innermost
     * one. */
    bool (*goes_into)(const struct json_walk *w, bool is_list);
};

MUST_CHECK bool json_walk_open(struct json_walk *w, const char *path,
                               struct source_options o, struct err *e);

/* The next value that is not gone into, lent until the next call. False at the end of
 * the document, and on an error, which sets e. */
bool json_walk_next(struct json_walk *w, struct str *value, struct err *e);

/* Whether the member that is read has this key, `level` containers from the outermost
 * one. */
bool json_walk_is(const struct json_walk *w, int level, const char *key);
void json_walk_close(struct json_walk *w);

#endif
