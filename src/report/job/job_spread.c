#include "report/job/job_spread.h"

#include "base/arena.h"

#include <stdlib.h>

static const struct {
    struct str key, word;
} names[] = {
    [JOB_PART_COMPUTE] = {S_INIT("compute_ns"), S_INIT("computing")},
    [JOB_PART_TRANSFER] = {S_INIT("transfer_ns"), S_INIT("moving data")},
    [JOB_PART_WAIT] = {S_INIT("wait_ns"), S_INIT("waiting for other ranks")},
    [JOB_PART_COPY] = {S_INIT("copy_ns"), S_INIT("copying")},
    [JOB_PART_IDLE] = {S_INIT("idle_ns"), S_INIT("idle time")},
};

struct str job_part_key(enum job_part p)
{
    return names[p].key;
}

struct str job_part_word(enum job_part p)
{
    return names[p].word;
}

int64_t job_part_ns(const struct job_balance *b, enum job_part p)
{
    switch (p) {
    case JOB_PART_COMPUTE:
        return b->compute_ns;
    case JOB_PART_TRANSFER:
        return b->transfer_ns;
    case JOB_PART_WAIT:
        return b->wait_ns;
    case JOB_PART_COPY:
        return b->copy_ns;
    default:
        return b->idle_ns;
    }
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void job_spreads(struct arena tmp, const struct job *j, struct job_spread to[JOB_PARTS])
{
    int64_t *all = arena_new(&tmp, int64_t, j->n_ranks);
    for (int p = 0; p < JOB_PARTS; p++) {
        struct job_spread s = {0};
        for (int i = 0; i < j->n_ranks; i++) {
            all[i] = job_part_ns(&j->ranks[i].balance, (enum job_part)p);
            s.sum_ns += all[i];
        }
        qsort(all, (size_t)j->n_ranks, sizeof *all, by_size);
        if (j->n_ranks) {
            s.least_ns = all[0];
            s.middle_ns = all[(j->n_ranks - 1) / 2];
            s.most_ns = all[j->n_ranks - 1];
        }
        to[p] = s;
    }
}
