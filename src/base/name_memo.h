/* name_memo.h - a cache of answers about names.
 *
 * A trace holds a few hundred kernel names, kilobytes each, and every stage asks the
 * same questions about them thousands of times. A memo identifies a name by its length
 * and a 64-bit hash, and keeps only the latest answers. Not shared between threads. */
#ifndef BASE_NAME_MEMO_H
#define BASE_NAME_MEMO_H

#include "base/str.h"

enum { NAME_MEMO_SLOTS = 1024 };

struct name_memo {
    uint64_t hash[NAME_MEMO_SLOTS]; /* 0: free */
    uint16_t answer[NAME_MEMO_SLOTS];
};

/* The answer for `name`; calls `question` if it is not cached. */
static inline uint16_t name_memo_ask(struct name_memo *m, struct str name,
                                     uint16_t (*question)(struct str name))
{
    uint64_t hash = str_table_hash(name) | 1;
    unsigned slot = (unsigned)(hash >> 20) % NAME_MEMO_SLOTS;
    if (m->hash[slot] != hash) {
        m->answer[slot] = question(name);
        m->hash[slot] = hash;
    }
    return m->answer[slot];
}

#endif
