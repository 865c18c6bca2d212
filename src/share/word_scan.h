/* word_scan.h - words that must not leave, looked for in every byte of an output.
 *
 * In the bytes as they are and as a reader sees them (readings.h); in the names of
 * files and folders; and inside zips (workbooks are such), gzips and the texts of PNG
 * pictures, in one another too. What cannot be looked at, such as a link, an encrypted
 * entry or another kind of archive, is a hit, too: it is named with the reason. */
#ifndef SHARE_WORD_SCAN_H
#define SHARE_WORD_SCAN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "share/forbidden.h"

enum { SCAN_DEPTH_MAX = 4, SCAN_HITS_MAX = 1000 };

struct word_hit {
    struct str word, where; /* "replay_packages/a.zip: ir.json" */
    const char *why;        /* it was not examined; NULL: it holds the word */
};

struct word_hits {
    struct word_hit *at;
    int n;
};

/* One text or file in memory; `name` says what it is called. Hits are added, one for
 * each word and place. */
void scan_bytes(const struct forbidden *f, struct str name, struct str bytes,
                struct arena *perm, struct arena tmp, struct word_hits *hits);

/* All files of a folder. */
MUST_CHECK bool scan_folder(const struct forbidden *f, const char *dir,
                            struct arena *perm, struct arena tmp,
                            struct word_hits *hits, struct err *e);

/* A line on standard error for each hit. False if there is one: ERR_FORBIDDEN. */
MUST_CHECK bool scan_tell(const struct word_hits *hits, const char *list,
                          struct err *e);

#endif
