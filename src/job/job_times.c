/* Moving the times of a rank from its clock to that of the job. */
#include "job/job.h"

#include <math.h>

/* t - gain * (t - from) + shift */
struct clock_change {
    double gain;
    int64_t from_ns, shift_ns;
};

static void change(int64_t *ns, const struct clock_change *c)
{
    *ns += c->shift_ns;
    if (c->gain != 0)
        *ns -= llround(c->gain * (double)(*ns - c->from_ns));
}

static void change_blocks(struct capture_block *b, int32_t n,
                          const struct clock_change *c)
{
    for (int32_t i = 0; i < n; i++)
        change(&b[i].start_ns, c);
}

static void change_rank(struct job_rank *r, const struct clock_change *c)
{
    change(&r->start_ns, c);
    change(&r->end_ns, c);
    for (int32_t i = 0; i < r->n_rows; i++)
        change(&r->rows[i].start_ns, c);
    change_blocks(r->blocks, r->n_blocks, c);
    change_blocks(r->covers, r->n_covers, c);
    for (int i = 0; i < r->n_steps; i++) {
        change(&r->steps[i].start_ns, c);
        change(&r->steps[i].end_ns, c);
    }
}

void rank_shift(struct job_rank *r, int64_t ns)
{
    r->trace_ns -= ns;
    r->slow_from_ns += ns;
    change_rank(r, &(struct clock_change){.shift_ns = ns});
}

void rank_slow(struct job_rank *r, double gain, int64_t from_ns)
{
    r->slow_gain = gain;
    r->slow_from_ns = from_ns;
    change_rank(r, &(struct clock_change){.gain = gain, .from_ns = from_ns});
}

int64_t rank_trace_ns(const struct job_rank *r, int64_t ns)
{
    double g = r->slow_gain, since = (double)(ns - r->slow_from_ns);
    return ns + r->trace_ns + (g != 0 ? llround(g / (1 - g) * since) : 0);
}
