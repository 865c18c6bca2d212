/* step_annotation.h - what a serving engine's annotation records about a step: whether
 * it reads prompts or generates, for how many requests, and how many tokens were new
 * and attended to, summed over the step's requests. */
#ifndef PERF_STEP_ANNOTATION_H
#define PERF_STEP_ANNOTATION_H

#include "base/str.h"

/* Marks of steps that follow each other may overlap by what their times were rounded
 * by. */
enum { STEP_ROUNDED_NS = 1000 };

/* Sums over the requests of one kind: new tokens q, attended tokens k, and the products
 * q q and q k. */
struct step_tokens {
    double sq, sk, sqsq, sqsk;
};

/* False if the text has another form, or no sums. */
bool step_annotation_read(struct str text, struct step_tokens *context,
                          struct step_tokens *generation);

/* RUNNING: no request is new, and the annotation does not tell decode from the later
 * chunks of a prompt. */
enum step_phase {
    PHASE_NONE,
    PHASE_PREFILL,
    PHASE_DECODE,
    PHASE_MIXED,
    PHASE_RUNNING,
    STEP_PHASES
};

struct str step_phase_word(enum step_phase phase); /* "decode"; NONE: empty */

/* Of prompts [0] and of generation [1]: requests, new tokens, tokens attended to; NaN:
 * not named. */
struct step_load {
    enum step_phase phase;
    double requests[2], tokens[2], seen[2];
};

/* An annotation in the form of a serving engine; false: it is none. */
bool step_load_read(struct str text, struct step_load *load);

/* The phase that the words of any other annotation name. Not sure: only beside another
 * annotation that names the other phase, since images are decoded too. */
enum step_phase step_phase_of_words(struct str text, bool *sure);

#endif
