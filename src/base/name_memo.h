/* name_memo.h - a cache of answers about names.
 *
 * A trace holds a few hundred kernel names, kilobytes each, and every stage asks the
 * same questions about them thousands of times. A memo identifies a name by its length
 * and a 64-bit hash, and keeps only the latest answers, for all threads: what one found
 * out the others know, and a thread begins without clearing room for its own. */
#ifndef BASE_NAME_MEMO_H
#define BASE_NAME_MEMO_H

#include "base/str.h"

#include <stdatomic.h>

enum { NAME_MEMO_SLOTS = 1024 };

/* Nothing locks the two words: if they are of two writers, they give no hash. */
struct name_memo {
    struct {
        _Atomic uint64_t answer, mixed; /* with the hash, which is odd */
    } slot[NAME_MEMO_SLOTS];
};

static inline unsigned name_memo_slot(uint64_t hash)
{
    return (unsigned)(hash >> 20) % NAME_MEMO_SLOTS;
}

/* The hash in a slot, 0 if there is none, and its answer. */
static inline uint64_t name_memo_at(struct name_memo *m, unsigned k, uint64_t *answer)
{
    *answer = atomic_load_explicit(&m->slot[k].answer, memory_order_relaxed);
    return *answer ^ atomic_load_explicit(&m->slot[k].mixed, memory_order_relaxed);
}

/* Of an odd hash. */
static inline bool name_memo_has(struct name_memo *m, uint64_t hash, uint64_t *answer)
{
    unsigned k = name_memo_slot(hash);
    return name_memo_at(m, k, answer) == hash || name_memo_at(m, k ^ 1, answer) == hash;
}

/* In the slot beside its own if only that is free: two names that are asked for in
 * turns would take one slot from each other each time. */
static inline void name_memo_keep(struct name_memo *m, uint64_t hash, uint64_t answer)
{
    uint64_t other;
    unsigned k = name_memo_slot(hash);
    k ^= name_memo_at(m, k, &other) && !name_memo_at(m, k ^ 1, &other);
    atomic_store_explicit(&m->slot[k].answer, answer, memory_order_relaxed);
    atomic_store_explicit(&m->slot[k].mixed, answer ^ hash, memory_order_relaxed);
}

/* The answer for `name`; calls `question` if it is not cached. */
static inline uint64_t name_memo_ask(struct name_memo *m, struct str name,
                                     uint64_t (*question)(struct str name))
{
    uint64_t hash = str_table_hash(name) | 1, answer;
    if (!name_memo_has(m, hash, &answer)) {
        answer = question(name);
        name_memo_keep(m, hash, answer);
    }
    return answer;
}

#endif
