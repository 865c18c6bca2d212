/* Time in which a device has nothing to do beside communication, because its host is
 * late. A trace shows it as exposed communication, though nobody moves data any faster
 * when the host is: work stops while a collective runs, and goes on while it still
 * does. What waits for a collective goes on when that ends. */
#include "base/sort.h"
#include "job/job_parts.h"

enum { RELEASED_NS = 10000 }; /* from the end of a collective to what waited for it */

/* The collectives of a rank, as time goes on. */
struct stays {
    const struct job_rank *r;
    struct sort_row *by_end;
    int32_t row, at;                     /* how many have begun, and ended */
    int64_t begun_ns, until_ns, last_ns; /* of those that follow without a pause;
                                            the last end */
};

static struct stays stays_of(struct arena *a, const struct job_rank *r)
{
    struct stays s = {.r = r,
                      .by_end = arena_new(a, struct sort_row, r->n_rows),
                      .begun_ns = INT64_MIN,
                      .until_ns = INT64_MIN,
                      .last_ns = INT64_MIN};
    for (int32_t i = 0; i < r->n_rows; i++)
        s.by_end[i] = (struct sort_row){r->rows[i].start_ns + r->rows[i].dur_ns, i};
    sort_rows(*a, s.by_end, r->n_rows);
    return s;
}

static void advance(struct stays *s, int64_t ns)
{
    const struct job_rank *r = s->r;
    for (; s->row < r->n_rows && r->rows[s->row].start_ns <= ns; s->row++) {
        const struct job_member *m = &r->rows[s->row];
        int64_t end_ns = m->start_ns + m->dur_ns;
        s->begun_ns = m->start_ns > s->until_ns ? m->start_ns : s->begun_ns;
        s->until_ns = end_ns > s->until_ns ? end_ns : s->until_ns;
    }
    for (; s->at < r->n_rows && s->by_end[s->at].key <= ns; s->at++)
        s->last_ns = s->by_end[s->at].key;
}

static int64_t latest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int32_t rank_held(struct arena *a, const struct job_rank *r,
                  struct capture_block **held)
{
    *held = arena_new(a, struct capture_block, r->n_covers);
    struct arena tmp = *a;
    struct stays s = stays_of(&tmp, r);
    int64_t before_ns = INT64_MIN;
    int32_t n = 0;
    for (int32_t i = 0; i < r->n_covers; i++) {
        int64_t at_ns = r->covers[i].start_ns;
        advance(&s, at_ns);
        int64_t from_ns = latest(latest(before_ns, s.begun_ns), s.last_ns);
        bool begun = from_ns != INT64_MIN, released = from_ns == s.last_ns;
        if (begun && at_ns - from_ns > (released ? RELEASED_NS : 0))
            (*held)[n++] = (struct capture_block){from_ns, at_ns - from_ns};
        before_ns = latest(before_ns, at_ns + r->covers[i].dur_ns);
    }
    return n;
}
