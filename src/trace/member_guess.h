/* member_guess.h - which member of an object comes next, guessed and then compared.
 *
 * A profiler writes the members of its records in one order with the same spaces, some
 * hundred thousand times. What stood between two values, like `, "dur": `, is
 * remembered with what its key means to the caller and with what followed it last time.
 * To find the same bytes again is to know the next member; whatever else is there is
 * scanned by the rules of JSON, which is always right, and remembered. */
#ifndef TRACE_MEMBER_GUESS_H
#define TRACE_MEMBER_GUESS_H

#include "trace/json_scan.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    MEMBER_WORDS = 4,
    MEMBER_BYTES = 8 * MEMBER_WORDS, /* may be read behind the end of the text */
    MEMBERS_MAX = 64,                /* different ones; more are scanned every time */
    MEMBER_UNKNOWN = -1
};

struct member {
    uint64_t text[MEMBER_WORDS]; /* what stands before the value, then zeros */
    uint64_t mask[MEMBER_WORDS]; /* ones where there is text */
    int n, key_at, key_n;        /* bytes of text, and the key in it */
    int meaning;                 /* set by the caller, who finds MEMBER_UNKNOWN first */
    struct member *next[2];      /* what followed it: last time, and before that */
};

struct member_guess {
    struct member at[MEMBERS_MAX];
    int n;
    struct member start; /* of an object: its followers have no ',' before them */
    struct member other; /* of which nothing is remembered */
};

void guess_open(struct member_guess *g);

/* At what follows `last` (g->start at first): the member there, by the rules of JSON.
 * Returns where its value starts, or NULL as scan_... do. */
const char *member_scan(struct member_guess *g, struct json_scan *j, const char *p,
                        struct member **last, struct str *key);

static inline bool member_is(const struct member *m, const char *p)
{
#ifdef __SSE2__ /* half the instructions of the words below */
    __m128i differs = _mm_setzero_si128();
    for (int k = 0; k < MEMBER_WORDS; k += 2) {
        __m128i text = _mm_loadu_si128((const void *)&m->text[k]);
        __m128i here = _mm_xor_si128(_mm_loadu_si128((const void *)(p + 8 * k)), text);
        __m128i mask = _mm_loadu_si128((const void *)&m->mask[k]);
        differs = _mm_or_si128(differs, _mm_and_si128(here, mask));
    }
    __m128i same = _mm_cmpeq_epi8(differs, _mm_setzero_si128());
    return _mm_movemask_epi8(same) == 0xffff;
#else
    uint64_t differs = 0, word;
    for (int k = 0; k < MEMBER_WORDS; k++) {
        memcpy(&word, p + 8 * k, 8);
        differs |= (word ^ m->text[k]) & m->mask[k];
    }
    return !differs;
#endif
}

/* The same, by comparing first. Half of all instructions of reading were keys. */
static inline const char *member_next(struct member_guess *g, struct json_scan *j,
                                      const char *p, struct member **last,
                                      struct str *key)
{
    for (int k = 0; k < 2; k++) {
        struct member *m = (*last)->next[k];
        if (!m || !member_is(m, p))
            continue;
        *last = m;
        *key = (struct str){p + m->key_at, m->key_n};
        return p + m->n;
    }
    return member_scan(g, j, p, last, key);
}

#endif
