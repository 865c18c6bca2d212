/* Lateness by cause: computation by category, copies, idle time by what the host did.
 */
#include "analysis/model/system_results.h"
#include "job/job_parts.h"

#include <math.h>

enum {
    CAUSE_COPY = WORK_CATEGORIES,
    CAUSE_IDLE, /* of a known cause: CAPTURE_CAUSES of them */
    CAUSE_REST = CAUSE_IDLE + CAPTURE_CAUSES /* idle, nothing known */
};
_Static_assert(CAUSE_REST + 1 == JOB_CAUSES, "one for each");

enum segment_part cause_part(int cause)
{
    return cause < CAUSE_COPY    ? SEGMENT_COMPUTE
           : cause == CAUSE_COPY ? SEGMENT_COPY
                                 : SEGMENT_IDLE;
}

struct str cause_text(struct arena *perm, int cause)
{
    if (cause < CAUSE_COPY)
        return str_printf(perm, "compute: %.*s",
                          STRF(work_category_display((enum work_category)cause)));
    return cause == CAUSE_COPY ? S("copy")
           : cause == CAUSE_REST
               ? S("idle: unknown")
               : str_printf(
                     perm, "idle: %.*s",
                     STRF(idle_class_label((enum idle_class)(cause - CAUSE_IDLE))));
}

/* Categories are known of steps and of the whole, not of what lies between collectives.
 */
static const int64_t *work_of(const struct job *j, int32_t rank, int step)
{
    const struct job_rank *r = &j->ranks[rank];
    return step < j->n_steps ? r->steps[r->step_at[step]].work_ns : r->work_ns;
}

void split_compute(const struct job *j, int32_t rank, int32_t ref, int step, int64_t ns,
                   int64_t to[WORK_CATEGORIES])
{
    const int64_t *own = work_of(j, rank, step), *other = work_of(j, ref, step);
    double part[WORK_CATEGORIES], sum = 0, own_sum = 0, before = 0;
    for (int k = 0; k < WORK_CATEGORIES; k++) {
        double more = (double)own[k] - (double)other[k];
        part[k] = fmax(0, ns < 0 ? -more : more);
        sum += part[k];
        own_sum += (double)own[k];
    }
    for (int k = 0; k < WORK_CATEGORIES; k++) {
        double share = sum > 0       ? part[k] / sum
                       : own_sum > 0 ? (double)own[k] / own_sum
                                     : k == WORK_OTHER;
        int64_t from = llround(before * (double)ns);
        before = fmin(before + share, 1);
        to[k] = llround(before * (double)ns) - from;
    }
}

void row_causes(const struct job_rank *r, int32_t row, int sign, int64_t *ns)
{
    int32_t low = 0, high = r->n_causes;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (r->causes[mid].row < row)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < r->n_causes && r->causes[low].row == row; low++)
        ns[r->causes[low].cause] += sign * r->causes[low].ns;
}

static int64_t known_ns(const int64_t cause_ns[CAPTURE_CAUSES])
{
    int64_t ns = 0;
    for (int k = 0; k < CAPTURE_CAUSES; k++)
        ns += cause_ns[k];
    return ns;
}

int64_t cause_of(int cause, const int64_t part_ns[SEGMENT_PARTS],
                 const int64_t cause_ns[CAPTURE_CAUSES],
                 const int64_t work_ns[WORK_CATEGORIES])
{
    return cause < CAUSE_COPY    ? work_ns[cause]
           : cause == CAUSE_COPY ? part_ns[SEGMENT_COPY]
           : cause == CAUSE_REST ? part_ns[SEGMENT_IDLE] - known_ns(cause_ns)
                                 : cause_ns[cause - CAUSE_IDLE];
}

int64_t cause_between(const struct job *j, int cause, const struct member_ref *own,
                      const struct member_ref *ref, int step)
{
    const struct job_member *m = &j->ranks[own->rank].rows[own->row],
                            *other = &j->ranks[ref->rank].rows[ref->row];
    int64_t part_ns[SEGMENT_PARTS], cause_ns[CAPTURE_CAUSES] = {0},
                                    work_ns[WORK_CATEGORIES] = {0};
    for (int k = 0; k < SEGMENT_PARTS; k++)
        part_ns[k] = m->part_ns[k] - other->part_ns[k];
    if (cause_part(cause) == SEGMENT_COMPUTE)
        split_compute(j, own->rank, ref->rank, step, part_ns[SEGMENT_COMPUTE], work_ns);
    if (cause_part(cause) == SEGMENT_IDLE) {
        row_causes(&j->ranks[own->rank], own->row, 1, cause_ns);
        row_causes(&j->ranks[ref->rank], ref->row, -1, cause_ns);
    }
    return cause_of(cause, part_ns, cause_ns, work_ns);
}

int64_t cause_in_period(const struct job *j, int cause, int32_t rank, int32_t ref,
                        int period, int64_t compute_ns)
{
    const struct job_period *own = &j->periods[(ptrdiff_t)rank * j->n_periods + period],
                            *other =
                                &j->periods[(ptrdiff_t)ref * j->n_periods + period];
    int64_t part_ns[SEGMENT_PARTS], cause_ns[CAPTURE_CAUSES], work_ns[WORK_CATEGORIES];
    for (int k = 0; k < SEGMENT_PARTS; k++)
        part_ns[k] = own->part_ns[k] - other->part_ns[k];
    for (int k = 0; k < CAPTURE_CAUSES; k++)
        cause_ns[k] = own->cause_ns[k] - other->cause_ns[k];
    split_compute(j, rank, ref, period, compute_ns, work_ns);
    return cause_of(cause, part_ns, cause_ns, work_ns);
}
