/* stable_id.h - short ids that stay the same from run to run.
 *
 * "op-1a2b3c4d": eight hex digits of a hash of the texts that identify a thing; when
 * two things share them, the later one takes the next free number. */
#ifndef BASE_STABLE_ID_H
#define BASE_STABLE_ID_H

#include "base/int_map.h"
#include "base/str.h"

struct id_set {
    struct arena *arena;
    struct int_map used;
};

struct id_set id_set_make(struct arena *a, ptrdiff_t n);
struct str id_take(struct id_set *s, const char *prefix, struct str identity);

#endif
