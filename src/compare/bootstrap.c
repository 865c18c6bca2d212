#include "compare/bootstrap.h"

enum { DRAWS = 2000, LOW = DRAWS * 25 / 1000, HIGH = DRAWS * 975 / 1000 - 1 };

/* Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018. */
struct generator {
    uint64_t s[4];
};

static uint64_t turn(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static uint64_t next(struct generator *g)
{
    uint64_t *s = g->s, result = turn(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = turn(s[3], 45);
    return result;
}

/* splitmix64 fills the state. */
static struct generator generator_make(uint64_t seed)
{
    struct generator g;
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        g.s[i] = z ^ z >> 31;
    }
    return g;
}

static int draw(struct generator *g, int n)
{
    return (int)(next(g) % (uint64_t)n);
}

/* The mean, as the value of a capture is. */
static double draw_capture(struct generator *g, const struct sample *s)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        sum += s->steps[draw(g, s->n)];
    return sum / s->n;
}

static double draw_side(struct arena tmp, struct generator *g,
                        const struct sample *captures, int n)
{
    double *values = arena_new(&tmp, double, n);
    for (int i = 0; i < n; i++)
        values[i] = draw_capture(g, &captures[draw(g, n)]);
    return median_of(values, n);
}

void bootstrap_interval(struct arena tmp, const struct sample *const captures[2],
                        const int n[2], uint64_t seed, double *low_pct,
                        double *high_pct)
{
    struct generator g = generator_make(seed);
    double *pct = arena_new(&tmp, double, DRAWS + 1);
    for (int i = 0; i < DRAWS; i++) {
        double a = draw_side(tmp, &g, captures[0], n[0]);
        double b = draw_side(tmp, &g, captures[1], n[1]);
        pct[i] = 100 * (b - a) / a;
    }
    median_of(pct, DRAWS); /* sorts */
    *low_pct = pct[LOW];
    *high_pct = pct[HIGH];
}
