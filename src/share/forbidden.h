/* forbidden.h - the words that must not leave, and whether a text holds one.
 *
 * A file of them has one a line; # begins a remark. Case of ASCII letters does not
 * count. A word matches as a word: alone, or as a part of a name of several, as in
 * project_falcon_2 and ProjectFalconMLP; eve is not in every. A * at an end of it means
 * that a name may go on there: *falcon* matches anywhere. */
#ifndef SHARE_FORBIDDEN_H
#define SHARE_FORBIDDEN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct forbidden_word {
    struct str text, low; /* as it was written; in small letters, without its stars */
    bool begins, ends;    /* a name must begin, or end, with it */
};

struct forbidden {
    struct forbidden_word *words;
    int n;
};

enum { FORBIDDEN_BYTES_MAX = 4096 }; /* of one word */

MUST_CHECK bool forbidden_read(struct arena *perm, const char *path,
                               struct forbidden *f, struct err *e);

/* The list in memory; `path` is named in errors. */
MUST_CHECK bool forbidden_parse(struct arena *perm, struct str text, const char *path,
                                struct forbidden *f, struct err *e);

/* A part of a text: what comes before and after it is known to another part. */
struct text_part {
    struct str text, low;
    bool first, last;
};

struct text_part text_part_of(struct arena *a, struct str text, bool first, bool last);

/* The first place from `from` on; -1: it is not there. */
ptrdiff_t forbidden_find(const struct forbidden_word *w, const struct text_part *t,
                         ptrdiff_t from);

#endif
