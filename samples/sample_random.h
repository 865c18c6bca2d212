/* sample_random.h - numbers that look random and are the same on every run.
 *
 * One 64-bit state (splitmix64: Steele, Lea, Flood, OOPSLA 2014). Reseeding at the
 * start of each layer keeps two runs that differ in one defect alike everywhere else.
 */
#ifndef SAMPLE_RANDOM_H
#define SAMPLE_RANDOM_H

#include <stdint.h>

struct sample_random {
    uint64_t state;
};

void random_seed(struct sample_random *r, uint64_t seed, uint64_t a, uint64_t b);
uint64_t random_next(struct sample_random *r);

/* A factor in [1 - spread_frac, 1 + spread_frac). */
double random_factor(struct sample_random *r, double spread_frac);

#endif
