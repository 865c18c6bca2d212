/* Order statistics without sorting. */
#include "job/job_parts.h"

int64_t nth_ns(int64_t *v, ptrdiff_t n, ptrdiff_t at)
{
    ptrdiff_t low = 0, high = n - 1;
    while (low < high) {
        int64_t pivot = v[low + (high - low) / 2];
        ptrdiff_t i = low, k = high;
        while (i <= k) {
            while (v[i] < pivot)
                i++;
            while (v[k] > pivot)
                k--;
            if (i <= k) {
                int64_t t = v[i];
                v[i++] = v[k];
                v[k--] = t;
            }
        }
        if (at <= k)
            high = k;
        else if (at >= i)
            low = i;
        else
            break;
    }
    return v[at];
}

int64_t median_ns(int64_t *v, ptrdiff_t n)
{
    if (n <= 0)
        return 0;
    int64_t high = nth_ns(v, n, n / 2);
    if (n % 2)
        return high;
    int64_t low = nth_ns(v, n, n / 2 - 1), sum = low + high;
    return sum >= 0 ? sum / 2 : -((1 - sum) / 2);
}

int64_t member_segment_ns(const struct job_member *m)
{
    int64_t ns = 0;
    for (int k = 0; k < SEGMENT_PARTS; k++)
        ns += m->part_ns[k];
    return ns;
}

int32_t job_rank_place(const struct job *j, int32_t rank)
{
    int low = 0, high = j->n_ranks;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (j->ranks[mid].rank < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < j->n_ranks && j->ranks[low].rank == rank ? low : -1;
}

struct str match_word(enum match_confidence c)
{
    static const struct str words[] = {[CONFIDENCE_EXACT] = S_INIT("exact"),
                                       [CONFIDENCE_VERIFIED] = S_INIT("verified"),
                                       [CONFIDENCE_ALIGNED] = S_INIT("aligned"),
                                       [CONFIDENCE_ORDER] = S_INIT("order"),
                                       [CONFIDENCE_NONE] = S_INIT("none")};
    return words[c];
}

struct str mend_word(enum mend_kind kind)
{
    static const struct str words[] = {[MEND_NODE] = S_INIT("node"),
                                       [MEND_ROLE] = S_INIT("role"),
                                       [MEND_CAUSE] = S_INIT("cause")};
    return words[kind];
}
