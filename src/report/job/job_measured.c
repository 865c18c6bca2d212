#include "report/job/job_measured.h"

#include "base/arena.h"
#include "base/describe.h"

#include <math.h>

static struct job_measured measure_of(const struct job *j, enum measure of)
{
    struct job_measured m = {.of = of};
    for (int i = 0; i < j->n_ranks; i++) {
        double value = j->ranks[i].measured[of];
        if (isnan(value))
            continue;
        if (!m.n || value < m.least) {
            m.least = value;
            m.least_rank = j->ranks[i].rank;
        }
        if (!m.n || value > m.most) {
            m.most = value;
            m.most_rank = j->ranks[i].rank;
        }
        m.mean += value;
        m.n++;
    }
    m.mean /= m.n ? m.n : 1;
    return m;
}

struct field_items job_measures(struct arena *a, const struct job *j)
{
    struct job_measured *list = arena_new(a, struct job_measured, MEASURED_ALL);
    int n = 0;
    for (int k = 0; k < MEASURED_ALL; k++) {
        struct job_measured m = measure_of(j, (enum measure)k);
        if (m.n)
            list[n++] = m;
    }
    return (struct field_items){.first = list, .n = n, .bytes = sizeof *list};
}

TELL(struct str, name, job_measured, measure_name(it->of));
FIELDS(job_measured, CALL(name, TEXT, name), AS("ranks", n, COUNT), F(least, EXACT),
       F(least_rank, NUMBER), F(mean, EXACT), F(most, EXACT), F(most_rank, NUMBER));
