#include "ops/start_skew.h"

#include "base/sort.h"
#include "timeline/gpu_timeline.h"

#include <math.h>

enum { TIMES_MEDIAN = 10, FEWEST = 3, LEAST_NS = 1000000 };

#define SECOND_NS ((int64_t)1000000000)

/* What computation and other collectives hide of one. */
static int64_t hidden_ns(struct arena tmp, const struct event_store *s,
                         const uint8_t *names, const event_id *counted, int32_t n,
                         event_id of)
{
    int64_t start_ns = s->start_ns[of], end_ns = store_end_ns(s, of);
    struct span *spans = arena_take_raw(&tmp, sizeof *spans, 8, n);
    int32_t found = 0;
    for (int32_t k = 0; k < n; k++) {
        event_id gpu = counted[k];
        int64_t a = s->start_ns[gpu], b = store_end_ns(s, gpu);
        a = a > start_ns ? a : start_ns;
        b = b < end_ns ? b : end_ns;
        if (a < b && gpu != of &&
            gpu_class_of(s->cat[gpu], names[s->name[gpu]]) != GPU_MEMCPY)
            spans[found++] = (struct span){a, b};
    }
    return interval_length_ns(interval_union(tmp, spans, found));
}

/* Elements of its message; 0: not recorded. */
static double elements_of(const struct event_store *s, event_id gpu)
{
    int64_t n = store_collective(s, store_texts(s, gpu))->in_elements;
    return n == NO_ID ? 0 : (double)n;
}

/* What the first would take at the pace of a usual one: a larger message, such as all
 * of a model, takes longer, and that is no wait. */
static int64_t expected_ns(const struct event_store *s, event_id first, event_id usual)
{
    int64_t ns = store_dur_ns(s, usual);
    double larger = elements_of(s, first) / elements_of(s, usual);
    if (!(larger > 1) || !isfinite(larger))
        return ns;
    double most = (double)store_dur_ns(s, first);
    return (int64_t)fmin(most, larger * (double)ns);
}

/* Does a later one take as long? What recurs, such as the wait of a pipeline that fills
 * in each step, is of the work and no sign of how recordings start. */
static bool recurs(const struct event_store *s, const struct sort_row *took, int32_t n,
                   event_id first)
{
    int64_t long_ns = store_dur_ns(s, first) / 4 * 3;
    for (int32_t k = n - 1; k >= 0 && took[k].key >= long_ns; k--)
        if (s->start_ns[took[k].row] >= store_end_ns(s, first))
            return true;
    return false;
}

struct start_skew start_skew_find(struct arena tmp, const struct event_store *s,
                                  const uint8_t *names, const event_id *counted,
                                  int32_t n)
{
    struct start_skew skew = {.first = -1};
    struct sort_row *took = arena_take_raw(&tmp, sizeof *took, 8, n);
    for (int32_t k = 0; k < n; k++) {
        event_id gpu = counted[k];
        if (gpu_class_of(s->cat[gpu], names[s->name[gpu]]) != GPU_COMMUNICATION)
            continue;
        took[skew.n++] = (struct sort_row){store_dur_ns(s, gpu), gpu};
        if (skew.first < 0 || s->start_ns[gpu] < s->start_ns[skew.first])
            skew.first = gpu;
    }
    if (skew.n <= FEWEST)
        return skew;
    sort_rows(tmp, took, skew.n);
    int64_t usual_ns = expected_ns(s, skew.first, took[(skew.n - 1) / 2].row),
            dur_ns = store_dur_ns(s, skew.first);
    skew.first_ns = dur_ns;
    skew.has_size = elements_of(s, skew.first) > 0 &&
                    elements_of(s, took[(skew.n - 1) / 2].row) > 0;
    skew.expected_ns = usual_ns;
    bool is_long = dur_ns / TIMES_MEDIAN >= usual_ns && dur_ns >= LEAST_NS;
    if ((!is_long && !(dur_ns >= SECOND_NS && dur_ns / 2 >= usual_ns)) ||
        recurs(s, took, skew.n, skew.first))
        return skew;
    int64_t exposed_ns = dur_ns - hidden_ns(tmp, s, names, counted, n, skew.first);
    skew.ns = exposed_ns > usual_ns ? exposed_ns - usual_ns : 0;
    return skew;
}
