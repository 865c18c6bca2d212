#include "compare/bootstrap.h"

#include <math.h>
#include <stdlib.h>

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

/* t(0.975) + t(0.8) by degrees of freedom; beyond the table within 1 %. */
static double detected_factor(int freedom)
{
    static const double factors[] = {0, 14.08, 5.36, 4.16, 3.72, 3.49, 3.35, 3.26};
    static const double NORMAL = 2.80, SMALLER = 3.1;
    int known = (int)(sizeof factors / sizeof *factors);
    return freedom < known ? factors[freedom] : NORMAL + SMALLER / freedom;
}

/* How far each capture is from the mean of its side, in %, as far as that of a sample
 * says of all. */
static int pool_pct(const double *const values[2], const int n[2], double *pool)
{
    int all = n[0] + n[1], at = 0;
    for (int side = 0; side < 2; side++) {
        double sum = 0;
        for (int i = 0; i < n[side]; i++)
            sum += values[side][i];
        for (int i = 0; i < n[side]; i++)
            pool[at++] = 100 * (values[side][i] * n[side] / sum - 1) *
                         sqrt((double)all / (all - 2));
    }
    return all;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bootstrap_least_pct(struct arena tmp, const double *const values[2],
                           const int n[2], uint64_t seed)
{
    if (n[0] < 2 || n[1] < 2)
        return (double)NAN;
    struct generator g = generator_make(seed);
    double *pool = arena_new(&tmp, double, n[0] + n[1]), squares = 0;
    double *drawn = arena_new(&tmp, double, n[0] > n[1] ? n[0] : n[1]);
    int all = pool_pct(values, n, pool);
    for (int k = 0; k < DRAWS; k++) {
        double of[2];
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < n[side]; i++)
                drawn[i] = pool[draw(&g, all)];
            qsort(drawn, (size_t)n[side], sizeof *drawn, by_size);
            of[side] = drawn[(n[side] - 1) / 2];
        }
        squares += (of[1] - of[0]) * (of[1] - of[0]);
    }
    return detected_factor(all - 2) * sqrt(squares / DRAWS);
}
