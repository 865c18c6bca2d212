/* hostile_text.h - names no honest profiler would write, for whoever must survive them.
 *
 * Each is the inside of a JSON string, escapes included: a lone surrogate or a NUL has
 * no other honest spelling. Two are too long to repeat; the caller gets those a few
 * times. */
#ifndef SAMPLE_HOSTILE_TEXT_H
#define SAMPLE_HOSTILE_TEXT_H

#include <stdint.h>

struct hostile_text {
    int64_t served;
    int long_served, huge_served;
    char *long_text, *huge_text; /* built on first use */
};

const char *hostile_next(struct hostile_text *h);

/* The same without the long ones, for fields that are built in a fixed buffer. */
const char *hostile_short(struct hostile_text *h);
void hostile_free(struct hostile_text *h);

#endif
