/* member_guess.h - guesses which member of an object comes next, then compares.
 *
 * A profiler writes the members of its records in the same order with the same spaces,
 * hundreds of thousands of times. This remembers the text between two values, such as
 * `, "dur": `, with what its key means to the caller and what followed it last time. If
 * the same bytes come again, the next member is known; anything else is scanned by the
 * rules of JSON and then remembered. */
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
    MEMBERS_MAX = 64, /* distinct members remembered; any more are scanned every time */
    MEMBER_UNKNOWN = -1
};

struct member {
    uint64_t text[MEMBER_WORDS]; /* the text before the value, then zeros */
    uint64_t mask[MEMBER_WORDS]; /* ones where there is text */
    int n, key_at, key_n;        /* bytes of text, and the key in it */
    int meaning;                 /* set by the caller, who finds MEMBER_UNKNOWN first */
    struct member *next[2];      /* what followed it: last time, and before that */
};

struct member_guess {
    struct member start; /* of an object: its followers have no ',' before them */
    struct member other; /* nothing is remembered about it */
    int n;
    struct member at[MEMBERS_MAX];
};

void guess_open(struct member_guess *g);

/* Scans the member after `last` (initially g->start) by the rules of JSON. Returns the
 * start of its value, or NULL as the scan_ functions do. */
const char *member_scan(struct member_guess *g, struct json_scan *j, const char *p,
                        struct member **last, struct str *key);

/* Whether the text at p is the same where the masks have ones; n is even. */
static inline bool words_are(const uint64_t *words, const uint64_t *masks, int n,
                             const char *p)
{
#ifdef __SSE2__ /* half the instructions of the words below */
    __m128i differs = _mm_setzero_si128();
#pragma GCC unroll 4
    for (int k = 0; k < n; k += 2) {
        __m128i text = _mm_loadu_si128((const void *)&words[k]);
        __m128i here = _mm_xor_si128(_mm_loadu_si128((const void *)(p + 8 * k)), text);
        __m128i mask = _mm_loadu_si128((const void *)&masks[k]);
        differs = _mm_or_si128(differs, _mm_and_si128(here, mask));
    }
    __m128i same = _mm_cmpeq_epi8(differs, _mm_setzero_si128());
    return _mm_movemask_epi8(same) == 0xffff;
#else
    uint64_t differs = 0, word;
    for (int k = 0; k < n; k++) {
        memcpy(&word, p + 8 * k, 8);
        differs |= (word ^ words[k]) & masks[k];
    }
    return !differs;
#endif
}

/* The same, but compares first. Keys took half of all instructions of reading. */
static inline const char *member_next(struct member_guess *g, struct json_scan *j,
                                      const char *p, struct member **last,
                                      struct str *key)
{
    for (int k = 0; k < 2; k++) {
        struct member *m = (*last)->next[k];
        if (!m || !words_are(m->text, m->mask, MEMBER_WORDS, p))
            continue;
        *last = m;
        *key = (struct str){p + m->key_at, m->key_n};
        return p + m->n;
    }
    return member_scan(g, j, p, last, key);
}

#endif
