/* readings.h - a text as those read it to whom it goes: without tags, with entities and
 * escapes read, from UTF-16, and from base64. */
#ifndef SHARE_READINGS_H
#define SHARE_READINGS_H

#include "base/arena.h"
#include "base/str.h"

/* With entities, escapes and percent-encoding read, and without the backticks of code;
 * with tags, whose values say something too, or without, as a reader sees the text. */
struct str reading_of_markup(struct arena *a, struct str s, bool tags);

/* Without NULs, as UTF-16 and UTF-32 have them between ASCII letters. */
struct str reading_of_wide(struct arena *a, struct str s);

/* UTF-16 with a mark of its order, as UTF-8; empty: it is none. */
struct str reading_of_utf16(struct arena *a, struct str s);

/* The next run of base64, of which each letter is in `run` and line breaks are not; `s`
 * is what follows. False: there is none. */
bool reading_next_base64(struct arena *a, struct str *s, struct str *run);

/* What it stands for, if its first `skipped` letters belong to something else. */
struct str reading_of_base64(struct arena *a, struct str run, int skipped);

#endif
