/* value_guess.h - guesses which text a list or string of an argument is, then compares.
 *
 * Shapes, types and grids repeat in the order of loops and calls. This remembers their
 * texts, and which came after which. If the same bytes come again, where the value ends
 * is known; anything else is scanned by the rules of JSON and then remembered. */
#ifndef TRACE_VALUE_GUESS_H
#define TRACE_VALUE_GUESS_H

#include "base/name_pool.h"
#include "trace/json_scan.h"

enum {
    GUESS_BYTES = 512,      /* longer values are scanned every time */
    GUESS_VALUES = 1 << 12, /* texts remembered; any more are scanned every time */
    GUESS_PLACES = 1 << 11
};

struct value_guess {
    struct name_pool texts; /* the first is like no value */
    /* What came after two other texts, last time and before that. Other pairs may share
     * the place. */
    int32_t after[GUESS_PLACES][2];
    int32_t last, before; /* the pair */
};

void value_guess_open(struct value_guess *g);
void value_guess_close(struct value_guess *g);

/* Scans a value, as scan_nested. */
const char *value_scan(struct value_guess *g, struct json_scan *j, const char *p);

static inline int32_t *values_after(struct value_guess *g)
{
    return g->after[(64 * g->before + g->last) % GUESS_PLACES];
}

static inline void value_pass(struct value_guess *g, int32_t text)
{
    g->before = g->last;
    g->last = text;
}

/* The same, but compares first. Scanning lists took a tenth to a fifth of all
 * instructions of reading. */
static inline const char *value_next(struct value_guess *g, struct json_scan *j,
                                     const char *p)
{
    const int32_t *after = values_after(g);
    for (int k = 0; k < 2; k++) {
        struct str text = g->texts.name[after[k]];
        if (text.n > j->end - p || memcmp(text.p, p, (size_t)text.n) != 0)
            continue;
        value_pass(g, after[k]);
        return p + text.n;
    }
    return value_scan(g, j, p);
}

#endif
